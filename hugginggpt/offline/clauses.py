"""A request in clauses: the parts that each ask for one thing, with what they name put behind placeholders.

"Describe a.jpg and read it aloud" becomes "Describe photo.jpg" and "read it aloud". A comma or an "and" divides
only where what follows is a clause of its own: it starts with a verb or a question word, or names another file.
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
GAPPED = "'text with [MASK]'"

_VERBS = """add analyse analyze animate answer apply brighten calculate caption categorise categorize change chat check
classify clean colorize colourise colour color compare complete compose compute condense continue convert
correct count create cut deblur denoise describe descrbe design detect determine divide draw dub edit enhance
enlarge erase estimate evaluate explain extract fill filter find finish fix generate get give help identify
illustrate improve increase insert isolate keep label list listen locate look make mark measure modify name
narrate outline paint paraphrase perform predict produce pronounce proofread provide put read recite recognise
recognize record reduce remove render repair rephrase replace reply respond restore retouch return rewrite run
say segment separate sharpen show simplify sketch sort speak split stylize sum summarise summarize swap take
tell trace transcribe transform translate transcribe turn tag type upscale use visualise visualize voice work
write""".split()
_VERB = rf"(?:{'|'.join(_VERBS)})\b"
_GERUNDS = [f"{verb.removesuffix('e')}{verb[-1]}?ing" for verb in _VERBS]
_DOING = rf"(?:{'|'.join(_GERUNDS)})\b"
_HOW = r"(?:(?!only\b|simply\b|merely\b)\w+ly )?"  # "don't simply describe it": that, and more
_NOT = (
    rf"(?:(?:do not|don['’]?t|never|(?:there(?: is|['’]s) )?no need to|not) {_HOW}{_VERB}|"
    rf"(?:without|instead of|rather than|not) {_HOW}(?P<doing>{_DOING}))"
)
_POLITE = (
    r"(?:(?:please|then|also|finally|lastly|afterwards|next|now|first|second|third|secondly|thirdly|both|so|and|just|"
    r"only|simply|maybe|kindly|after that|(?:can|could|will|would) (?:you|u)|i(?:'d| would) like(?: you)? to|i (?:want|need)(?: you)? to|"
    r"let(?:'s| us)|you should|to|plz|pls)[\s,:]+){0,6}"
)
_STARTS = re.compile(
    rf"[^\w▯]{{0,20}}{_POLITE}(?:{_VERB}|{_NOT}|(?:what|which|who|whose|how|when|where|whether|why)(?:'s)?\b|"
    r"(?:is|are|does|do|did) (?:there|it|he|she|they|the|a|any|these|this)\b|"
    r"i(?:'d| would) like|i (?:want|need)\b|give me\b|let me\b|"
    r"(?:my \w+|he|she|they|we|i) (?:would|wants?|needs?)\b|"
    r"(?:its|their) (?:\w+ )?(?:edges|outlines?|contours|depth|pose|skeleton|segmentation|normal map|caption|description|summary|"
    r"translation|transcript|sentiment|mood)\b)",
    re.IGNORECASE,
)
"""How a clause of its own starts."""
_NEGATED = re.compile(
    rf"\W{{0,20}}(?:and |but )?{_POLITE}(?:{_NOT}|no (?!need |idea|problem)[\w-]+(?: [\w-]+)?(?:,? (?:please|needed|necessary|thanks))?\W*$)",
    re.IGNORECASE,
)
"""A clause that says what is not to be done: "don't read it aloud", "without drawing boxes", "no translation please"."""
_GOES_ON = re.compile(rf"\s{{1,9}}(?:(?:before|until)\s+(?:you\s+)?(?:have\s+)?|(?P<verb>(?={_VERB})))", re.IGNORECASE)
_NO_VERB_AFTER = frozenset(
    "or and nor not to the a an any its it's his her my your our their this that these those of for in on with by".split()
)
_LABEL = re.compile(
    r"^\W*(?:text|context|passage|article|file|picture|image|photo|recording):|'text'|\b\w+\.(?:jpg|wav|mp4|csv|txt)\b",
    re.IGNORECASE,
)
"""What says no more than that something is named: a placeholder, or "Text:" before it."""
_LOOKED_FOR = re.compile(r"\b(?:is|are) there\b|\bhow many\b|\b(?:count|find|detect)\b", re.IGNORECASE)
_AND_ANOTHER = re.compile(r"(?:(?:an?|any) )?[\w-]+(?: [\w-]+)? (?:in|on) ▯", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?P<asked>\b(?:tell|know|see|say|check|find|determine|wonder|ask|decide|sure|detect|look|verify|test|as|even|what)"
    r"(?: me| us| out)? )?\bif\s+(?!you\b|possible|needed|necessary|(?:it|that)(?: is|['’]s) (?:not|ok|possible|fine))|"
    r"\b(?:otherwise|unless)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(r"[.!?…。？！]+(?=\s|$|[\"'”’)])|;\s+|\s{0,9}\n+\s*|\s{1,9}[-–—]+\s+|\s[/|]\s")
_WEAK = re.compile(
    r",?\s{1,9}(?:and|but|n?or|so)\s+(?:(?:then|also|finally|afterwards|after that|next)\s+)?|,\s*|:\s+|\s{1,9}then\s+|"
    rf"\s{{1,9}}as well as\s+|\s{{1,9}}(?=(?:without|instead of|rather than) {_DOING})",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"^\W*(?:my \w+|i|we|he|she|they)(?: would|['’]d|) (?:like|love|want) to know\s+(?=\w)|^\W*(?:(?:then|and|also|please) )*tell me (?=how\b)",
    re.IGNORECASE,
)
MAX_CLAUSES = 60
"""Of a longer text only the first clauses are read: nobody asks for more in one request."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a request: `text` as a task is known by it, with placeholders; `start` and `end` are places in it."""

    text: str
    start: int
    end: int
    resources: tuple[Resource, ...] = ()

    @property
    def is_negated(self) -> bool:
        """Whether it says what is not to be done."""
        return bool(_NEGATED.match(self.text))


def split(request: str, resources: Sequence[Resource]) -> list[Clause]:
    """The clauses of a request, in its order."""
    blank = blanked(request, resources)
    clauses: list[Clause] = []
    at = 0
    for start, end in [*((m.start(), m.end()) for m in _STRONG.finditer(blank)), (len(blank), len(blank))]:
        clauses += _divided(request, blank, at, start, resources)
        at = end
        if len(clauses) >= MAX_CLAUSES:
            break
    return _joined(request, clauses[:MAX_CLAUSES])


def with_context(request: str, named: list[Resource]) -> list[Resource]:
    """What is named, and statements beside a question that speak of the same: "Where does Anna live? Anna moved …"."""
    question, mark, statements = request.partition("?")
    statements = statements.strip()
    if named or not mark or "?" in statements or len(statements.split()) < 4 or _STARTS.match(statements):
        return named
    names = set(re.findall(r"\b[A-Z]\w{2,}", question.partition(" ")[2]))
    if not names & set(re.findall(r"\w+", statements)):
        return named
    start = request.rindex(statements)
    return [Resource(statements, "text", start, start + len(statements))]


def has_condition(request: str, resources: Sequence[Resource]) -> bool:
    """Whether something is to be done only if something else is so; "tell me if …" only asks."""
    return any(not match["asked"] for match in _CONDITION.finditer(blanked(request, resources)))


def blanked(request: str, resources: Sequence[Resource]) -> str:
    """The request with every letter of a file or quoted text replaced by ▯: places stay what they are."""
    pieces, at = [], 0
    for resource in resources:
        pieces += [request[at : resource.start], "▯" * (resource.end - resource.start)]
        at = resource.end
    return "".join((*pieces, request[at:]))


def shown(request: str, start: int, end: int, resources: Sequence[Resource]) -> str:
    """A part of the request with placeholders for what it names, in one line."""
    pieces, at = [], start
    for resource in resources:
        pieces += [request[at : resource.start], _placeholder(resource)]
        at = resource.end
    return " ".join("".join((*pieces, request[at:end])).split()).strip(" ,:")


def _joined(request: str, clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses; a file or quoted text that stands by itself belongs to what is said before it, or else after it."""
    joined: list[Clause] = []
    for clause in clauses:
        if joined and (_is_bare(clause) or (len(joined) == 1 and _is_bare(joined[0]))):
            before = joined.pop()
            named = before.resources + clause.resources
            joined.append(_clause(request, before.start, clause.end, named))
        else:
            joined.append(clause)
    return joined


def _is_bare(clause: Clause) -> bool:
    """Whether it names something and says nothing about it ("In photo.jpg", "'text'")."""
    words = _LABEL.sub(" ", clause.text)
    return bool(clause.resources) and not re.search(r"\w{3,}", words)


def _placeholder(resource: Resource) -> str:
    if resource.is_file:
        return PLACEHOLDERS[resource.kind]
    return GAPPED if re.search(r"\[MASK\]|_{3,}", resource.text) else QUOTED


def _divided(request: str, blank: str, start: int, end: int, resources: Sequence[Resource]) -> list[Clause]:
    """A sentence at the places where a clause of its own follows."""
    clauses: list[Clause] = []
    at = start
    for match in _WEAK.finditer(blank, start, end):
        if match.start() <= at or not _starts_clause(blank, at, match, end):
            continue
        clauses.append(_clause(request, at, match.start(), resources))
        at = match.end()
    clauses.append(_clause(request, at, end, resources))
    clauses = [part for clause in clauses for part in _parts(request, blank, clause, resources)]
    return [clause for clause in clauses if re.search(r"\w", clause.text)]


def _parts(request: str, blank: str, clause: Clause, resources: Sequence[Resource]) -> Iterator[Clause]:
    """A clause, or its two parts: "instead of drawing the cat / count it", "don't translate it before you / read it"."""
    negated = _NEGATED.match(blank, clause.start, clause.end)
    if negated is None:
        yield clause
        return
    for match in _GOES_ON.finditer(blank, negated.end(), clause.end):
        before = blank[clause.start : match.start()].rsplit(maxsplit=1)[-1].lower()
        if match["verb"] is None or (negated["doing"] and before not in _NO_VERB_AFTER):
            yield _clause(request, clause.start, match.start(), resources)
            yield _clause(request, match.end(), clause.end, resources)
            return
    yield clause


def _starts_clause(blank: str, at: int, match: re.Match[str], end: int) -> bool:
    if match[0].strip(" ,").lower() in ("or", "nor") and _NEGATED.match(blank, at, end):
        return False  # "don't describe or translate it": neither is to be done
    if _STARTS.match(blank, match.end(), end):
        return bool(re.search(r"\w", blank[at : match.start()]))
    if ":" in match[0]:
        return False
    if _AND_ANOTHER.match(blank, match.end(), end) and _LOOKED_FOR.search(blank, at, match.start()):
        return False  # "is there a cat in a.jpg and a bird in b.jpg"
    # "the total on a.png and the total on b.png": another file with words of its own
    following = re.compile(r"[^▯,]{8,}▯").match(blank, match.end(), end)
    return "▯" in blank[at : match.start()] and following is not None and "and" in match[0]


def _clause(request: str, start: int, end: int, resources: Sequence[Resource]) -> Clause:
    inside = tuple(resource for resource in resources if start <= resource.start < end)
    return Clause(_WISH.sub("", shown(request, start, end, inside)), start, end, inside)
