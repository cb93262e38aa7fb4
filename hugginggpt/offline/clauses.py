"""Splits a request into clauses: the parts that each ask for one task, with placeholders for the resources they name.

"Describe a.jpg and read it aloud" becomes "Describe photo.jpg" and "read it aloud". A comma or an "and" splits
only where a new clause follows: one that starts with a verb or a question word, or names another file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hugginggpt.media.references import Resource

PLACEHOLDERS = {
    "image": "photo.jpg", "audio": "sound.wav", "video": "clip.mp4", "table": "table.csv", "text": "notes.txt",
    None: "photo.jpg",
}  # fmt: skip
QUOTED = "'text'"
FILE_NAMES = re.compile("|".join(map(re.escape, PLACEHOLDERS.values())))
RESOURCES = re.compile("|".join(map(re.escape, (*PLACEHOLDERS.values(), QUOTED))))
"""What stands in a clause for its files, and for all its resources."""
MASKED_TEXT = "'text with [MASK]'"

_VERBS = """add analyse analyze animate answer apply brighten calculate caption categorise categorize change chat check
classify clean colorize colourise colour color compare complete compose compute condense continue convert
correct count create cut deblur denoise describe descrbe design detect determine divide draw dub edit enhance
enlarge erase estimate evaluate explain extract fill filter find finish fix generate get give help identify
illustrate improve increase insert isolate keep label list listen locate look make mark measure modify name
narrate outline paint paraphrase perform predict produce pronounce proofread provide put read recite recognise
recognize record reduce remove render repair rephrase replace reply respond restore retouch return rewrite run
say segment separate sharpen show simplify sketch sort speak split stylize sum summarise summarize swap take
tell trace transcribe transform translate transcribe turn tag type upscale use visualise visualize voice work
write crop rotate resize flip append amplify blur boost concatenate darken export halve invert join lighten merge
mirror normalise normalize reverse scale shrink trim send email mail save print delete rename upload download remind search""".split()
_VERB = rf"(?:{'|'.join(_VERBS)})\b(?!(?<=mail) (?:out of|from|in|as|columns?|address)\b)"  # "the name and email out of a.csv"
COMMAND = re.compile(rf"\b{_VERB}", re.IGNORECASE)
"""A verb that may begin a command."""
_GERUNDS = [f"{verb.removesuffix('e')}{verb[-1]}?ing" for verb in _VERBS]
_GERUND = rf"(?:{'|'.join(_GERUNDS)})\b"
_ADVERB = r"(?:(?!only\b|simply\b|merely\b)\w+ly )?"  # "don't simply describe it" asks for a description and more
_NEGATION = (
    rf"(?:(?:do not|don['’]?t|never|(?:there(?: is|['’]s) )?no need to|not) {_ADVERB}{_VERB}|"
    rf"(?:without|instead of|rather than|not) {_ADVERB}(?P<gerund>{_GERUND})|{_VERB} nothing\b)"
)
_POLITE = (
    r"(?:(?:please|then|also|finally|lastly|afterwards|next|now|first|second|third|secondly|thirdly|both|so|and|just|"
    r"only|simply|maybe|kindly|after that|(?:can|could|will|would) (?:you|u)|i(?:'d| would) like(?: you)? to|i (?:want|need)(?: you)? to|"
    r"let(?:'s| us)|you should|to|plz|pls)[\s,:]+){0,6}"
)
_CLAUSE_START = re.compile(
    rf"[^\w▯]{{0,20}}+{_POLITE}(?:{_VERB}|{_NEGATION}|(?:what|which|who|whose|how|when|where|whether|why)(?:'s)?\b|"
    r"(?:is|are|does|do|did) (?:there|it|he|she|they|the|a|any|these|this)\b|"
    r"(?:speed|slow|fade|lower|raise|double|store|call) (?:it|them|this|that|the|up|down|out|in)\b|"
    r"i(?:'d| would) like|i (?:want|need)(?:ed)?\b|give me\b|let me\b|"
    r"(?:my \w+|he|she|they|we|i) (?:would|wants?|needs?)\b|"
    r"(?:its|their) (?:\w+ )?(?:edges|outlines?|contours|depth|pose|skeleton|segmentation|normal map|caption|description|summary|"
    r"translation|transcript|sentiment|mood)\b|"
    r"(?:an?|the) (?:[\w-]+ ){1,3}(?:of|for|from) (?:it|them)\b)",
    re.IGNORECASE,
)
"""The start of a new clause."""
_BARE = re.compile(
    r"\W*+(?:and )?(?:(?:by|until|till|from|since) )?(?:what|which|who|whom|how|when|where|why)"
    r"(?: (?:for|long|many|much|exactly|precisely))*\W*$",
    re.IGNORECASE,
)
"""A question word that asks the rest of the other clause again: "where and when was she born", "… and why?"."""
_NEGATED = re.compile(
    rf"\W{{0,20}}+(?:and |but )?{_POLITE}(?:{_NEGATION}|not (?:the|an?|its|my|that|this) [\w-]+(?: [\w-]+)?\W*$|no (?!need |idea|problem)[\w-]+(?: [\w-]+)?(?:,? (?:please|needed|necessary|thanks))?\W*$)",
    re.IGNORECASE,
)
"""A clause that excludes a task: "don't read it aloud", "without drawing boxes", "not the edges", "no translation please"."""
_EXCLUSION = re.compile(
    r"\W*+(?:please )?(?:apart from|aside from|except(?: for)?|besides|other than|not counting|leav(?:e|ing)|ignor(?:e|ing)|disregard(?:ing)?|"
    r"put(?:ting)?|set(?:ting)?|forget(?:ting)?(?: about)?|never mind) [\w '-]{2,40}$",
    re.IGNORECASE,
)
"""A clause that leaves objects out of the question after it: "leave the cats aside: what else is there?"."""
ANNOUNCEMENT = re.compile(
    r"\W*+(?:\w+ ){0,4}(?:\d|two|three|four|five|several|some|these|all)\s(?:\w+ )?(?:things?|jobs?|tasks?|requests?|questions?|of (?:this|these))\b(?!.*\?)",
    re.IGNORECASE,
)
"""A clause that only says how many requests follow."""
_CONTINUATION = re.compile(
    rf"\s{{1,9}}(?:(?:before|until)\s+(?:you\s+)?(?:have\s+)?|(?P<verb>(?={_VERB})))", re.IGNORECASE
)
_NO_VERB_AFTER = frozenset(
    "or and nor not to the a an any its it's his her my your our their this that these those of for in on with by".split()
)
_LABEL = re.compile(
    r"^\W*+(?:text|context|passage|article|file|picture|image|photo|recording):|'text'|\b\w+\.(?:jpg|wav|mp4|csv|txt)\b",
    re.IGNORECASE,
)
"""A mere reference to a resource: a placeholder, or a label such as "Text:" before it."""
_OBJECT_QUERY = re.compile(r"\b(?:is|are) there\b|\bhow many\b|\b(?:count|find|detect)\b", re.IGNORECASE)
_ANOTHER_OBJECT = re.compile(r"(?:(?:an?|any) )?[\w-]+(?: [\w-]+)? (?:in|on) ▯", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?P<question>\b(?:tell|know|see|say|check|find|determine|wonder|ask|decide|sure|detect|look|verify|test|as|even|what)"
    r"(?: me| us| out)? )?\bif\s+(?!you\b|possible|needed|necessary|(?:it|that)(?: is|['’]s) (?:not|ok|possible|fine))|"
    r"\b(?:otherwise|unless)\b",
    re.IGNORECASE,
)
NO_TITLE = r"(?<!\b[MD]r)(?<!\bMrs)(?<!\bMs)(?<!\bProf)"
"""What stands before a point that ends a sentence: no title of a name, as "Mr"."""
_SENTENCE_BREAK = re.compile(
    rf"(?:^|(?<=\s))\(?(?:\d{{1,2}}|[a-f])[.)]\s+(?=\w)|(?<!\bpp)(?<!\bmax)(?<!\bmin){NO_TITLE}[.!?…。？！]+(?!\s+of\b)(?=\s|$|[\"'”’)])|;\s+|\s{{0,9}}\n+\s*|(?<!\d)\s{{1,9}}[-–—]+\s+|(?<=\d)\s{{1,9}}[-–—]+\s+(?!\d)|\s[/|+]\s"
)
_CLAUSE_BREAK = re.compile(
    r",?\s{1,9}(?:and|but|n?or|so|plus)\s+(?:(?:then|also|finally|afterwards|after that|next)\s+)?|,\s*|:\s+|\s{1,9}then\s+|"
    rf"\s{{1,9}}as well as\s+|\s{{1,9}}(?=(?:without|instead of|rather than) {_GERUND})",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^\W*+(?:my \w+|i|we|he|she|they)(?: would|['’]d|) (?:like|love|want) to know\s+(?=\w)|^\W*(?:(?:then|and|also|please) )*tell me (?=how\b)",
    re.IGNORECASE,
)
_ONLY_ASKS = re.compile(
    r"\W*+(?:(?:please|and|so|now|just|can you|could you)\W++)*+(?:say|tell|explain|answer)(?: to)? (?:me|us)(?: please)?\W*",
    re.IGNORECASE,
)
"""A clause that says nothing but that the next one is asked: "please say me, how many"."""
PURPOSE = re.compile(
    r"(?:(?<=\w{2})|(?<=▯)),? so (?:that )?(?:i|we|you|u|one|he|she|they|people|everybody|everyone|my \w+) (?:can|could|may|will)\b(?:(?!▯|\b(?:photo|sound|clip|table|notes)\.\w{3}\b|'text').)*$",
    re.IGNORECASE,
)
"""What a request is good for, which is not what is asked for: "brighten it so that I can see her face"."""
MAX_CLAUSES = 60
"""Further clauses of a request are ignored: nobody asks for more at once."""
QUESTION = re.compile(
    r"^\W*+(?:and |so |please )?(?:what|which|who|whose|when|where|why|how|is|are|does|do|can you (?:see|tell))\b|\?\s*$",
    re.IGNORECASE,
)
"""A clause that is a question."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a request: `text` has placeholders for its resources, `start` and `end` are offsets in the request."""

    text: str
    start: int
    end: int
    resources: tuple[Resource, ...] = ()

    @property
    def is_negated(self) -> bool:
        """Whether the clause excludes a task."""
        return bool(_NEGATED.match(self.text))


def split(request: str, resources: Sequence[Resource], start: int = 0, end: int | None = None) -> list[Clause]:
    """The clauses of a request, in order; or those between two places, with the resources there."""
    masked_text = masked(request, resources)
    end = len(masked_text) if end is None else end
    clauses: list[Clause] = []
    offset = start
    for break_start, break_end in [
        *((m.start(), m.end()) for m in _SENTENCE_BREAK.finditer(masked_text, start, end)),
        (end, end),
    ]:
        clauses += _split_sentence(request, masked_text, offset, break_start, resources)
        offset = break_end
        if len(clauses) >= MAX_CLAUSES:
            break
    return _merged(request, clauses[:MAX_CLAUSES])


def with_context(request: str, named: list[Resource]) -> list[Resource]:
    """The named resources, or the statements after a question on the same subject: "Where does Anna live? Anna moved …"."""
    question, mark, statements = request.partition("?")
    statements = statements.strip()
    if named or not mark or "?" in statements or len(statements.split()) < 4 or _CLAUSE_START.match(statements):
        return named
    names = set(re.findall(r"\b[A-Z]\w{2,}", question.partition(" ")[2]))
    if not names & set(re.findall(r"\w+", statements)):
        return named
    start = request.rindex(statements)
    return [Resource(statements, "text", start, start + len(statements))]


def has_condition(request: str, resources: Sequence[Resource]) -> bool:
    """Whether a task depends on a condition; "tell me if …" is a mere question."""
    return any(not match["question"] for match in _CONDITION.finditer(masked(request, resources)))


def masked(request: str, resources: Sequence[Resource]) -> str:
    """The request with every character of a file or quoted text replaced by ▯, so that offsets stay the same."""
    parts, offset = [], 0
    for resource in resources:
        parts += [request[offset : resource.start], "▯" * (resource.end - resource.start)]
        offset = resource.end
    return "".join((*parts, request[offset:]))


def with_placeholders(request: str, start: int, end: int, resources: Sequence[Resource]) -> str:
    """A part of the request in one line, with placeholders for its resources."""
    parts, offset = [], start
    for resource in resources:
        parts += [request[offset : resource.start], _placeholder(resource)]
        offset = resource.end
    return " ".join("".join((*parts, request[offset:end])).split()).strip(" ,:")


def _merged(request: str, clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses, where one that only names a resource is merged with the clause before it, or else after it."""
    merged: list[Clause] = []
    for clause in clauses:
        is_left_out = merged and _EXCLUSION.match(merged[-1].text) and QUESTION.search(clause.text)
        if merged and (is_left_out or _only_names(clause) or (len(merged) == 1 and _only_names(merged[0]))):
            previous = merged.pop()
            named = previous.resources + clause.resources
            merged.append(clause_between(request, previous.start, clause.end, named))
        else:
            merged.append(clause)
    return merged


def _only_names(clause: Clause) -> bool:
    """Whether a clause names a resource and says nothing about it ("In photo.jpg", "'text'")."""
    words = _LABEL.sub(" ", clause.text)
    return bool(clause.resources) and not re.search(r"\w{3,}|\d ?(?:%|°|x\b|s\b|px)", words)


def _placeholder(resource: Resource) -> str:
    if resource.is_file:
        return PLACEHOLDERS[resource.kind]
    return MASKED_TEXT if re.search(r"\[MASK\]|_{3,}", resource.text) else QUOTED


def _split_sentence(
    request: str, masked_text: str, start: int, end: int, resources: Sequence[Resource]
) -> list[Clause]:
    """Splits a sentence wherever a new clause starts."""
    clauses: list[Clause] = []
    offset = start
    for match in _CLAUSE_BREAK.finditer(masked_text, start, end):
        if match.start() <= offset or not (
            _starts_clause(masked_text, offset, match, end) or _names_another_kind(offset, match, end, resources)
        ):
            continue
        clauses.append(clause_between(request, offset, match.start(), resources))
        offset = match.end()
    clauses.append(clause_between(request, offset, end, resources))
    clauses = [part for clause in clauses for part in _split_negation(request, masked_text, clause, resources)]
    said = [clause for clause in clauses if re.search(r"\w", clause.text)]
    return [clause for clause in said if not _ONLY_ASKS.fullmatch(clause.text)] if len(said) > 1 else said


def _split_negation(request: str, masked_text: str, clause: Clause, resources: Sequence[Resource]) -> Iterator[Clause]:
    """A clause, or its negated and its positive part: "instead of drawing the cat / count it"."""
    negated = _NEGATED.match(masked_text, clause.start, clause.end)
    if negated is None:
        yield clause
        return
    for match in _CONTINUATION.finditer(masked_text, negated.end(), clause.end):
        last_word = masked_text[clause.start : match.start()].rsplit(maxsplit=1)[-1].lower()
        if match["verb"] is None or (negated["gerund"] and last_word not in _NO_VERB_AFTER):
            yield clause_between(request, clause.start, match.start(), resources)
            yield clause_between(request, match.end(), clause.end, resources)
            return
    yield clause


def _starts_clause(masked_text: str, offset: int, match: re.Match[str], end: int) -> bool:
    if match[0].strip(" ,").lower() in ("or", "nor") and _NEGATED.match(masked_text, offset, end):
        return False  # "don't describe or translate it" excludes both
    if _CLAUSE_START.match(masked_text, match.end(), end):
        is_bare = _BARE.match(masked_text, match.end(), end) or _BARE.fullmatch(masked_text, offset, match.start())
        return not is_bare and bool(re.search(r"\w", masked_text[offset : match.start()]))
    if ":" in match[0]:
        return bool(ANNOUNCEMENT.match(masked_text, offset, match.start()))
    if _ANOTHER_OBJECT.match(masked_text, match.end(), end) and _OBJECT_QUERY.search(
        masked_text, offset, match.start()
    ):
        return False  # "is there a cat in a.jpg and a bird in b.jpg"
    # "the total on a.png and the total on b.png": a second file with its own words
    following = re.compile(r"[^▯,]{8,}▯").match(masked_text, match.end(), end)
    return "▯" in masked_text[offset : match.start()] and following is not None and "and" in match[0]


def _names_another_kind(offset: int, match: re.Match[str], end: int, resources: Sequence[Resource]) -> bool:
    """Whether words follow, and a file of another kind than those before: "count the people in a.jpg, total of b.csv"."""
    before = {one.kind for one in resources if offset <= one.start < match.start() and one.is_file}
    following = next((one for one in resources if match.end() <= one.start < end and one.is_file), None)
    if ":" in match[0] or not before or following is None or following.kind in before:
        return False
    return bool(re.search(r"\w{3,}", match.string[match.end() : following.start].replace("the ", "")))


def clause_between(request: str, start: int, end: int, resources: Sequence[Resource]) -> Clause:
    """The part of a request between two places as a clause, with those of the resources that are there."""
    inside = tuple(resource for resource in resources if start <= resource.start < end)
    text = _LEAD_IN.sub("", with_placeholders(request, start, end, inside))
    return Clause(PURPOSE.sub("", text), start, end, inside)
