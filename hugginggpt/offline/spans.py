"""The spans of a clause that become a task's arguments: question, description, language, labels."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache

from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import Clause

_OTHER_LANGUAGE_NAMES = ("bengali", "cantonese", "farsi", "flemish", "mandarin", "slovene")
"""Common names of languages that CLDR lists under another name."""
_LEAD_IN = re.compile(
    r"^\W*+(?:(?:and|so|then|now|also|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|afterwards|after that|next|please|plz|pls|"
    r"kindly|hi|hello|hey|ok(?:ay)?|(?:can|could|would|will) (?:you|u)(?: please| kindly)?|i(?:'d| would) like (?:you )?to(?! know\b)|"
    r"i (?:want|need) (?:you )?to(?! know\b)|be so kind (?:as )?to|i was wondering if you could)\b[\s,:]*)+",
    re.IGNORECASE,
)
_QUESTION_LEAD_IN = re.compile(
    r"^\W*+(?:tell me|let me know|find out|say|answer|show me|give me|i(?:'d| would) (?:like|love) to know|i want to know|"
    r"do you know|can you (?:see|tell)(?: me)?|i wonder|what about|look at \W*(?=\w+ ))\b[\s,:]*",
    re.IGNORECASE,
)
_POLITE_ENDING = re.compile(
    r"[\s,]*+(?:\b(?:please|plz|pls|thanks?(?: you| a lot)?|asap|too|as well))?[\s.,;!]*+$", re.IGNORECASE
)
_GENERATE = (
    r"(?:draw|generate|create|make|paint|design|produce|give me|show me|sketch|illustrate|render|visuali[sz]e|imagine|film|"
    r"animate|i need|i want|i(?:'d| would) like(?: to (?:have|see))?|let me see)"
)
_MEDIUM = r"(?:picture|image|photo(?:graph)?|drawing|painting|illustration|video|clip|animation|movie|film)s?"
_GENERATE_MEDIUM = re.compile(
    rf"(?:\b{_GENERATE}\s+)?(?:me\s+|us\s+)?(?:(?:a|an|some|the|another)\s+)?(?:(?:new|short|small|nice|quick)\s+)*{_MEDIUM}\s+"
    r"(?:of|showing|with|that shows|in which|where|about)\s+",
    re.IGNORECASE,
)
_GENERATE_ANYTHING = re.compile(rf"\b{_GENERATE}\s+(?:me\s+|us\s+)?", re.IGNORECASE)
_LABELS = re.compile(
    r"(?:one of(?: these| the following)?[\w\s]*:|these[\w\s]*:|(?:classes|categories|labels|topics)[\w\s]*:|\bas\b|\babout\b|"
    r"\binto\b|\bbetween\b|\bunder\b|\bas either\b|\bwith\b|:)\s*",
    re.IGNORECASE,
)
_PERSONAL = frozenset("i me you him her it us we them they this that these those".split())
_SPEAK = re.compile(
    r"(?:say|speak|pronounce|shout|whisper)\s+(?!(?:it|this|that|them|these|those|both|all|each|everything|the|my|your|its|his|her|out|"
    r"what|which|who|whose|where|when|how|why|if|whether)\b)(.+)$",
    re.IGNORECASE,
)
_BEFORE_FILE = re.compile(
    r"(?:(?:,|(?<=[.?!]))\s*(?:it|that)(?: is|['’]s))?[\s,:(]+(?:\b(?:according to|based on|as (?:said|told|heard|mentioned|stated|written) (?:in|on)|and|or|in|on|of|from|at|for|about|with|by|to|using|called|named|namely)\b\s*)?(?:the (?:file|picture|image|photo)\s*)?$",
    re.I,
)
_ONLY_PREPOSITION = re.compile(r"^\W*+(?:in|on|from|at|look at|with|about|for)\s*[,:]?\s*$", re.IGNORECASE)


@cache
def _language_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns of a target language in a text, of further ones after it, and of a language's name; for ISO 639-1."""
    from langcodes import Language
    from langcodes.data_dicts import LANGUAGE_ALPHA3

    names = {Language.get(code).language_name().lower() for code in LANGUAGE_ALPHA3} | set(_OTHER_LANGUAGE_NAMES)
    name = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return (
        re.compile(
            rf"\b(?:in|into|to|as)\s+(?:simplified |plain |fluent )?(?P<a>{name})\b|"
            rf"\b(?P<b>{name})\s+(?:translation|version)",
            re.IGNORECASE,
        ),
        re.compile(rf"(?:\s*,?\s*(?:and|,)\s+(?:{name})\b)+", re.IGNORECASE),
        re.compile(name, re.IGNORECASE),
    )


def languages(text: str) -> list[str]:
    """The target languages of a translation, in order."""
    named, followed_by, one = _language_patterns()
    matches = list(named.finditer(text))
    if not matches:
        return []
    further = followed_by.match(text, max(match.end() for match in matches))
    names = [match["a"] or match["b"] for match in matches]
    return list(dict.fromkeys(name.title() for name in [*names, *(one.findall(further[0]) if further else [])]))


def question_text(request: str, clause: Clause, keep_quoted: bool = True) -> str:
    """The question in a clause, without its files, polite words and "tell me"."""
    text = bare_text(request, clause, keep_quoted)
    shorter = _QUESTION_LEAD_IN.sub("", text)
    if re.match(r"(?:if|whether)\b", shorter, re.IGNORECASE):
        shorter = text
    end = request[clause.end : clause.end + 1]
    return (shorter or text) + (
        "?" if end == "?" or (clause.resources and request[clause.end :].startswith("?")) else ""
    )


def without_lead_in(text: str) -> str:
    """A question without polite words and "tell me" before it."""
    return _QUESTION_LEAD_IN.sub("", _LEAD_IN.sub("", text))


def bare_text(request: str, clause: Clause, keep_quoted: bool = True) -> str:
    """A clause without its files (and the preposition before each) and without polite words."""
    text = without_files(request, clause, keep_quoted)
    text = _LEAD_IN.sub("", text)
    return _POLITE_ENDING.sub("", text).strip()


def text_to_speak(request: str, clause: Clause) -> str:
    """The unquoted text to speak in a clause ("Say hello"); "" where the clause only refers to one ("Say it")."""
    text = re.sub(
        r"\b(?:aloud|out loud|loudly|in an? \w+ voice|(?:to|for) me)\b", "", bare_text(request, clause), flags=re.I
    )
    match = _SPEAK.match(" ".join(text.split()))
    return match[1].strip(" ,:") if match else ""


def without_files(request: str, clause: Clause, keep_quoted: bool = True) -> str:
    """A clause without its files and, unless they are kept, its quoted texts."""
    parts: list[str] = []
    offset = clause.start
    for resource in clause.resources:
        is_called = resource.is_file and "." not in request[resource.start : resource.end]  # "the invoice"
        if is_called or (keep_quoted and not resource.is_file):
            continue
        before = request[offset : resource.start]
        parts.append("" if _ONLY_PREPOSITION.match(before) and not parts else _BEFORE_FILE.sub("", before))
        offset = resource.end
    rest = re.sub(r"^\s*[),:]", "", request[offset : clause.end]) if parts else request[offset : clause.end]
    text = " ".join("".join((*parts, " ", rest)).split())
    return re.sub(r"\(\s*\)|^\W+(?=\w)", "", re.sub(r"\s+(?=[,.;:?!])", "", text)).strip(" ,:")


def description(request: str, clause: Clause) -> str:
    """The description of the picture or video to generate."""
    written = after_colon(request, clause)
    if written:
        return written
    text = _POLITE_ENDING.sub("", _LEAD_IN.sub("", without_files(request, clause)))
    text = re.sub(r"\s+(?:in|with|having|using|along|following|that (?:follows|keeps|has)|based on|from)\s+(?:the\s+)?(?:same\s+)?"
                  r"(?:pose|posture|edges|outlines?|depth|contours|straight lines|normal map|soft edges|regions|segmentation|scribble)\b.*$", "", text)  # fmt: skip
    matches = list(_GENERATE_MEDIUM.finditer(text)) or list(_GENERATE_ANYTHING.finditer(text))
    if matches:
        return text[matches[0].end() :].strip()
    return text


def after_colon(request: str, clause: Clause) -> str:
    """The unquoted text after a clause's first colon, "" if there is none."""
    match = re.search(r":\s+(\S.*)$", request[clause.start : clause.end], re.DOTALL)
    return match[1].strip() if match and re.search(r"\w", match[1]) and "▯" not in match[1] else ""


def labels(request: str, clause: Clause, named: Sequence[Resource]) -> list[str]:
    """The candidate labels of a classification: "… as recipe, news or advertisement"."""
    masked = request[clause.start : clause.end]
    for resource in named:
        if clause.start <= resource.start < clause.end:
            start, end = resource.start - clause.start, resource.end - clause.start
            masked = masked[:start] + " " * (end - start) + masked[end:]
    best: list[str] = []
    for match in _LABELS.finditer(masked):
        rest = re.sub(r"^(?:either|the|one of)\s+", "", masked[match.end() :].strip(" ?.!"))
        items = [item.strip(" ?.!'\"") for item in re.split(r",\s*(?:or |and )?|\s+or\s+|\s+and\s+", rest)]
        items = [item for item in items if item]
        is_list = len(items) > 1 and all(len(item.split()) <= 4 for item in items)
        if is_list and not _PERSONAL.intersection(item.lower() for item in items):  # "cross with us or content"
            best = items
    return best


def are_listed(request: str, clause: Clause) -> bool:
    """Whether a clause's quoted texts form a list ("… 'this' and of 'that'"), each of them an input."""
    quoted = [resource for resource in clause.resources if resource.kind == "text" and not resource.is_file]
    separators = [request[first.end : second.start] for first, second in itertools.pairwise(quoted)]
    return all(re.fullmatch(r"\W*+(?:and|or)?(?: (?:of|also|in))?\W*", gap) for gap in separators)


def without_source(words: str) -> str:
    """A question without the words for the text that it is put to: "According to the article, who won?"."""
    words = re.sub(r"^(?:(?:based on|according to|from|in|given|using) (?:this|the)(?: \w+)? ?(?:text|article|story|passage)?[,:]?|(?:text|context|passage|article)\b)\s*", "", words, flags=re.I)  # fmt: skip
    return re.sub(r"(?<=\?)\s*(?:the )?(?:text|context|passage|article)\W*$", "", words, flags=re.IGNORECASE)
