"""What follows from the times of a sentence: how long from 9:00 to 14:30 is, in which year "six years later" was."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.experts import quantities, reading
from hugginggpt.experts.asked_query import Query
from hugginggpt.experts.quantities import Sentence, content, says
from hugginggpt.experts.quantity_questions import Question

_CLOCK = (
    r"(?<![\d:.,£$€])(?P<{0}h>\d{{1,2}})(?:[:.h](?P<{0}m>\d\d)(?![\d%]))?(?:\s?(?P<{0}half>am|pm|a\.m\.|p\.m\.))?"
    r"(?![\d:%]|\.\d)"
)
_RANGE = re.compile(
    rf"{_CLOCK.format('a')}(?:\s?(?:uhr|h))?\s{{0,3}}(?:-|–|to|until|till|and|bis|à|a|hasta)\s{{0,3}}"
    rf"(?:las |the )?{_CLOCK.format('b')}",
    re.IGNORECASE,
)
_TIME = re.compile(r"(?<![\d:.,£$€])(?P<h>\d{1,2}):(?P<m>\d\d)(?![\d:%]|\.\d)(?:\s?(?P<half>am|pm))?", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_AGE = re.compile(
    r"\b(?:was|is|aged|at|of|at the age of)\s+(?P<age>[^\W\d_]+(?:-[^\W\d_]+)?|\d{1,3})\b(?:\s+years?(?:\s+old)?)?",
    re.I,
)
_LASTS = re.compile(
    r"\b\d+(?:[.,]\d+)?\s?(?:hours?|hrs?|minutes?|mins?|days?|weeks?|stunden?|minuten?|heures?|horas?)\b", re.I
)
_NOTICE = re.compile(
    r"\b(?:notice|warranty|guarantee|term|contract|valid|old|ago|since|know\w*|got|left)\b", re.IGNORECASE
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_TEENS = {
    "thirteen": 13, "fourteen": 14, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
HALF_DAY, DAY, NOON = 720, 1440, 12


def answer(question: str, text: str) -> str | None:
    """How long something takes whose ends a text tells, or in which year it was; None where it does not tell."""
    asked = Question.read(question, text)
    if asked.says("what year"):
        return _year(asked, text)
    return _how_long(asked) if asked.says("how long") and not asked.says("notice") else None


def _how_long(asked: Question) -> str | None:
    spans = [(one, found) for one in asked.sentences if (found := _spans(one.text))]
    if not spans:
        return None
    told = {tuple(found) for _, found in spans}
    lengths = {sum(map(_length, found)) for _, found in spans}
    if len(told) > 1 and len(lengths) == 1 and all(len(found) == 1 for _, found in spans):
        return f"{_in_words(lengths.pop())} each ({spans[0][0].quoted}, and so on)"
    ranked = quantities.by_fit(
        asked.text, [one for one in asked.sentences if _spans(one.text) or _LASTS.search(one.text)]
    )
    best = ranked[0][1]
    found = _spans(best.text)
    if not found or len(found) > 2 or (len(ranked) > 1 and not _is_plain(asked, best, [one for one, _ in spans])):
        return None
    total = sum(map(_length, found))
    return f"{_in_words(total)} ({best.quoted})"


def _is_plain(asked: Question, best: Sentence, others: Sequence[Sentence]) -> bool:
    """Whether the question names the best sentence by a word that none of the others has."""
    rest = [one for one in others if one is not best]
    return not rest or any(not any(word in one.stems for one in rest) for word in asked.words & best.stems)


def _spans(text: str) -> list[tuple[int, int]]:
    """The times from and to that a text tells, in minutes: "9:00 am to 2:30 pm", or its only two clock times."""
    found = []
    for match in _RANGE.finditer(text):
        is_clock = match["am"] or match["bm"] or match["ahalf"] or match["bhalf"]
        if is_clock and int(match["ah"]) <= 24 and int(match["bh"]) <= 24:
            found.append(_ends(match))
    if found:
        return found
    clocks = list(_TIME.finditer(text))
    if len(clocks) == 2 and all(int(one["h"]) <= 24 for one in clocks) and not _LASTS.search(text):
        start, end = (minutes_of(one["h"], one["m"], one["half"]) for one in clocks)
        return [(start, end)]
    return []


def _ends(match: re.Match[str]) -> tuple[int, int]:
    start, end = int(match["ah"]), int(match["bh"])
    first_half = match["ahalf"] or (match["bhalf"] if start <= end != NOON else None)
    return minutes_of(match["ah"], match["am"], first_half), minutes_of(match["bh"], match["bm"], match["bhalf"])


def minutes_of(hours: str, minutes: str | None, half: str | None) -> int:
    """A time of day in minutes; `half` begins with "a" or "p" for that of the day."""
    at = 60 * int(hours) + int(minutes or 0)
    if half:
        at = at % HALF_DAY + (HALF_DAY if half.lower().startswith("p") else 0)
    return at


def _length(span: tuple[int, int]) -> int:
    """The minutes of a span, over midnight if its end is earlier."""
    return (span[1] - span[0]) % DAY


def _in_words(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    told = [f"{hours} hour{'s' * (hours != 1)}"] if hours else []
    return " ".join([*told, *([f"{rest} minutes"] if rest or not hours else [])])


def _year(asked: Question, text: str) -> str | None:
    """The year of what was so many years after one that is told before, or in which somebody was born."""
    if asked.says("born"):
        return _born(asked)
    having = reading.described(asked.text, text)
    best = max(having, key=lambda one: one["read together"] + 2 * len(asked.words & content(one.text)), default=None)
    found = next((one for one in asked.sentences if best and one.text == best.text), None)
    if found is None or _YEAR.search(found.text) or not says(found.text, "later"):
        return None
    years = _years_in(found.text)
    before = [match[0] for one in asked.sentences[: found.at] for match in _YEAR.finditer(one.text)]
    if years is None or not before:
        return None
    anchor = int(before[-1])
    source = next(one for one in reversed(asked.sentences[: found.at]) if before[-1] in one.text)
    return f"{anchor} + {years:g} = {anchor + years:g} ({source.quoted} / {found.quoted})"


def _years_in(text: str) -> float | None:
    match = re.search(r"(?P<number>[\w-]+)\s+(?:years?|jahre?n?|ans|años?)\b", text, re.IGNORECASE)
    return _number(match["number"]) if match else None


def _number(word: str) -> float | None:
    """The value of a number below a hundred in words or digits: "thirty-four"."""
    first, _, second = word.lower().partition("-")
    if first in _TENS:
        return float(_TENS[first] + (quantities.value_of(second) or 0 if second else 0))
    return float(_TEENS[first]) if first in _TEENS else quantities.value_of(first)


def _born(asked: Question) -> str | None:
    """The year in which somebody was born whose age is told of a year."""
    names = [token.text for token in Query.read(asked.text).parsed if token.pos_ == "PROPN"]
    for at, one in enumerate(asked.sentences):
        match = _AGE.search(one.text)
        age = _number(match["age"]) if match and "year" in one.text[match.start() : match.end() + 12] else None
        year = _YEAR.search(" ".join(each.text for each in asked.sentences[max(0, at - 1) : at + 1]))
        near = " ".join(each.text for each in asked.sentences[max(0, at - 1) : at + 1])
        if age and year and (not names or any(name in near for name in names)):
            return f"{int(year[0]) - age:g} or the year before ({year[0]} - {age:g}: {one.quoted})"
    return None
