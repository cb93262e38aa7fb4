"""Whether a notice is about where somebody lives: "am I affected? My street is Mill Lane.", "¿me afecta?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.experts import listed

_AFFECTED = re.compile(
    r"\b(?:affect\w*|concern\w*|"
    r"(?:does|do|will|is|are) (?:it|this|that|we|i|my \w+)\b.*\b(?:mean|include\w*|apply|count)|"
    r"betroffen\w*|betrifft|gilt das|touch\w*|afecta\w*|incluid\w*)\b|影响|受影响|包括",
    re.IGNORECASE,
)
_LIVES = re.compile(
    r"(?:\b(?:my (?:street|road|address|house|area|village) is|(?:i|we) (?:live|are|am|stay) (?:in|on|at)|"
    r"i['’]m (?:in|on|at)|ich wohne (?:in|an)(?: der| dem)?|wir wohnen in(?: der| dem)?|"
    r"meine (?:straße|strasse) ist(?: die| der)?|j['’]habite(?: au| à| dans)?|ma rue(?:,)?(?: c['’])?est|mi calle es|"
    r"vivo en|vivimos en)|我住在|我家在)\s*(?:the |la |le |el |die |der )?(?P<name>[^,.;?!，。？！]{3,50})",
    re.IGNORECASE,
)
_YES_NO = (
    (re.compile(r"[¿ñ]|\bme afecta|calle", re.IGNORECASE), "Sí", "No"),
    (re.compile(r"betr|wohne|straße", re.IGNORECASE), "Ja", "Nein"),
    (re.compile(r"\b(?:habite|rue|suis-je)\b", re.IGNORECASE), "Oui", "Non"),
)
"""The words for yes and no by what tells the language of a question."""
_NUMBERS = re.compile(r"(?P<first>\d{1,4})\s*(?:-|–|to|bis|a|à|al|至|到)\s*(?P<last>\d{1,4})")
_ARTICLES = frozenset(["la", "le", "el", "de", "del", "the", "die", "der", "des", "du"])
_GENERIC = frozenset(
    ["street", "road", "lane", "avenue", "close", "square", "calle", "plaza", "rue", "place", "straße", "strasse",
     "str", "weg", "platz", "allee", "number", "nr", "no"]
)  # fmt: skip
MAX_ITEM_WORDS = 8


def answer(question: str, text: str) -> str | None:
    """ "Yes" with the line that names where somebody lives, "No" where it names only other house numbers of the street;
    None of another question, or where the place is not named.
    """
    lives = _LIVES.search(question) if _AFFECTED.search(question) else None
    if lives is None:
        return None
    house = re.search(r"\b(\d{1,4})\b", lives["name"])
    name = _words(re.sub(r"\b\d{1,4}\b", " ", lives["name"]))
    lines = [" ".join(line.split()) for line in listed.lines_of(text)]
    if not name - _GENERIC:
        return None
    holding = [line for line in lines if name - _GENERIC <= _words(line)]
    if not holding:
        return None
    line = holding[0]
    numbers = _NUMBERS.search(line)
    is_in = not (house and numbers) or int(numbers["first"]) <= int(house[1]) <= int(numbers["last"])
    return f"{_word(question, is_in)}: “{line.lstrip('•*- ')}”{_heading(lines, line)}"


def _heading(lines: Sequence[str], line: str) -> str:
    """What the list is called in which a line stands."""
    before = [one for one in lines[: lines.index(line)] if one.endswith(":")]
    return f" (“{before[-1]}”)" if before and len(line.split()) <= MAX_ITEM_WORDS else ""


def _word(question: str, is_so: bool) -> str:
    for language, yes, no in _YES_NO:
        if language.search(question):
            return yes if is_so else no
    return "Yes" if is_so else "No"


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{2,}", text.lower())) - _ARTICLES
