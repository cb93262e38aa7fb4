"""The words of a clause that are a task's argument: the question, the description, the language, the labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import Clause

_OTHER_LANGUAGE_NAMES = ("bengali", "cantonese", "farsi", "flemish", "mandarin", "slovene")
"""What people call languages that CLDR knows by another name."""
_LEAD = re.compile(
    r"^\W*(?:(?:and|so|then|now|also|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|afterwards|after that|next|please|plz|pls|"
    r"kindly|hi|hello|hey|ok(?:ay)?|(?:can|could|would|will) (?:you|u)(?: please| kindly)?|i(?:'d| would) like (?:you )?to(?! know\b)|"
    r"i (?:want|need) (?:you )?to(?! know\b)|be so kind (?:as )?to|i was wondering if you could)\b[\s,:]*)+",
    re.IGNORECASE,
)
_TELL = re.compile(
    r"^\W*(?:tell me|let me know|find out|say|answer|show me|give me|i(?:'d| would) (?:like|love) to know|i want to know|"
    r"do you know|can you (?:see|tell)(?: me)?|i wonder|what about|look at \W*(?=\w+ ))\b[\s,:]*",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s,]*(?:please|plz|pls|thanks?(?: you| a lot)?|asap|too|as well)?[\s.,;!]*$", re.IGNORECASE)
_MAKE = (
    r"(?:draw|generate|create|make|paint|design|produce|give me|show me|sketch|illustrate|render|visuali[sz]e|imagine|film|"
    r"animate|i need|i want|i(?:'d| would) like(?: to (?:have|see))?|let me see)"
)
_THING = r"(?:picture|image|photo(?:graph)?|drawing|painting|illustration|video|clip|animation|movie|film)s?"
_MADE = re.compile(
    rf"(?:\b{_MAKE}\s+)?(?:me\s+|us\s+)?(?:(?:a|an|some|the|another)\s+)?(?:(?:new|short|small|nice|quick)\s+)*{_THING}\s+"
    r"(?:of|showing|with|that shows|in which|where|about)\s+",
    re.IGNORECASE,
)
_MADE_PLAINLY = re.compile(rf"\b{_MAKE}\s+(?:me\s+|us\s+)?", re.IGNORECASE)
_LABELS = re.compile(
    r"(?:one of(?: these| the following)?[\w\s]*:|these[\w\s]*:|(?:classes|categories|labels|topics)[\w\s]*:|\bas\b|\babout\b|"
    r"\binto\b|\bbetween\b|\bunder\b|\bas either\b|\bwith\b|:)\s*",
    re.IGNORECASE,
)
_SPEAK = re.compile(
    r"(?:say|speak|pronounce|shout|whisper)\s+(?!(?:it|this|that|them|these|those|both|all|each|everything|the|my|your|its|his|her|out|"
    r"what|which|who|whose|where|when|how|why|if|whether)\b)(.+)$",
    re.IGNORECASE,
)
_FILE_TAIL = re.compile(
    r"(?:(?:,|(?<=[.?!]))\s*(?:it|that)(?: is|['’]s))?[\s,:(]+(?:\b(?:according to|based on|as (?:said|told|heard|mentioned|stated|written) (?:in|on)|and|or|in|on|of|from|at|for|about|with|by|to|using|called|named|namely)\b\s*)?(?:the (?:file|picture|image|photo)\s*)?$",
    re.I,
)
_OF_FILE = re.compile(r"^\W*(?:in|on|from|at|look at|with|about|for)\s*[,:]?\s*$", re.IGNORECASE)


@cache
def _language_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """(where a text names a language to write in, how further ones follow, one by itself), for all of ISO 639-1."""
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
    """The languages to translate to, in their order."""
    named, followed_by, one = _language_patterns()
    matches = list(named.finditer(text))
    if not matches:
        return []
    further = followed_by.match(text, max(match.end() for match in matches))
    names = [match["a"] or match["b"] for match in matches]
    return list(dict.fromkeys(name.title() for name in [*names, *(one.findall(further[0]) if further else [])]))


def question(request: str, clause: Clause, keep_quoted: bool = True) -> str:
    """A clause as a question: without the files that it names, politeness and "tell me"."""
    text = plain(request, clause, keep_quoted)
    shorter = _TELL.sub("", text)
    if re.match(r"(?:if|whether)\b", shorter, re.IGNORECASE):
        shorter = text
    end = request[clause.end : clause.end + 1]
    return (shorter or text) + (
        "?" if end == "?" or (clause.resources and request[clause.end :].startswith("?")) else ""
    )


def plain(request: str, clause: Clause, keep_quoted: bool = True) -> str:
    """A clause without the files that it names (and the preposition before each) and without politeness."""
    text = without_files(request, clause, keep_quoted)
    text = _LEAD.sub("", text)
    return _TAIL.sub("", text).strip()


def spoken(request: str, clause: Clause) -> str:
    """What is to be said where that stands in the clause without quotes ("Say hello"); "" where it only points."""
    text = re.sub(
        r"\b(?:aloud|out loud|loudly|in an? \w+ voice|(?:to|for) me)\b", "", plain(request, clause), flags=re.I
    )
    match = _SPEAK.match(" ".join(text.split()))
    return match[1].strip(" ,:") if match else ""


def without_files(request: str, clause: Clause, keep_quoted: bool = True) -> str:
    """A clause without the files, and perhaps the quoted texts, that it names."""
    pieces: list[str] = []
    at = clause.start
    for resource in clause.resources:
        if keep_quoted and not resource.is_file:
            continue
        before = request[at : resource.start]
        pieces.append("" if _OF_FILE.match(before) and not pieces else _FILE_TAIL.sub("", before))
        at = resource.end
    rest = re.sub(r"^\s*[),:]", "", request[at : clause.end]) if pieces else request[at : clause.end]
    text = " ".join("".join((*pieces, " ", rest)).split())
    return re.sub(r"\(\s*\)|^\W+(?=\w)", "", re.sub(r"\s+(?=[,.;:?!])", "", text)).strip(" ,:")


def description(request: str, clause: Clause) -> str:
    """What a picture or video is to show."""
    written = after_colon(request, clause)
    if written:
        return written
    text = _TAIL.sub("", _LEAD.sub("", without_files(request, clause)))
    text = re.sub(r"\s+(?:in|with|having|using|along|following|that (?:follows|keeps|has)|based on|from)\s+(?:the\s+)?(?:same\s+)?"
                  r"(?:pose|posture|edges|outlines?|depth|contours|straight lines|normal map|soft edges|regions|segmentation|scribble)\b.*$", "", text)  # fmt: skip
    matches = list(_MADE.finditer(text)) or list(_MADE_PLAINLY.finditer(text))
    if matches:
        return text[matches[0].end() :].strip()
    return text


def after_colon(request: str, clause: Clause) -> str:
    """The text that stands after a clause's last colon without quotes."""
    match = re.search(r":\s+(\S.*)$", request[clause.start : clause.end], re.DOTALL)
    return match[1].strip() if match and re.search(r"\w", match[1]) and "▯" not in match[1] else ""


def labels(request: str, clause: Clause, named: Sequence[Resource]) -> list[str]:
    """The classes that a text is to be sorted into: "… as recipe, news or advertisement"."""
    blank = request[clause.start : clause.end]
    for resource in named:
        if clause.start <= resource.start < clause.end:
            a, b = resource.start - clause.start, resource.end - clause.start
            blank = blank[:a] + " " * (b - a) + blank[b:]
    best: list[str] = []
    for match in _LABELS.finditer(blank):
        rest = re.sub(r"^(?:either|the|one of)\s+", "", blank[match.end() :].strip(" ?.!"))
        items = [item.strip(" ?.!'\"") for item in re.split(r",\s*(?:or |and )?|\s+or\s+|\s+and\s+", rest)]
        items = [item for item in items if item]
        if len(items) > 1 and all(len(item.split()) <= 4 for item in items):
            best = items
    return best
