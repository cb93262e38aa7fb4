"""Days of the week and parts of the day, as timetables and questions name them in five languages."""

from __future__ import annotations

import re
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
PARTS = ("morning", "noon", "afternoon", "evening", "night")
_GROUPS = {"workdays": DAYS[:5], "weekend": DAYS[5:], "daily": DAYS}
_JOINTS = frozenset(
    ("and", "und", "et", "y", "public", "bank", "holiday", "holidays", "feiertage", "feiertags", "fériés", "festivos",
     "the", "on", "am", "le", "el")
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+(?:[.-][^\W\d_]+)*|[-–—]")


@cache
def _words() -> dict[str, tuple[str, ...]]:
    return word_lists.lists(EXPERTS_DATA / "week_words.txt")


@cache
def _pattern(name: str, with_short: bool) -> re.Pattern[str]:
    words = [*_words().get(name, ()), *(_words().get(f"short {name}", ()) if with_short else ())]
    parts = (
        re.escape(one) if re.match(r"[\u3400-\u9fff]", one) else rf"(?<!\w){re.escape(one)}(?!\w)" for one in words
    )
    return re.compile("|".join(sorted(parts, key=len, reverse=True)), re.IGNORECASE)


def days_in(text: str, *, is_head: bool = False) -> frozenset[str]:
    """The days that a text names, those of a range ("Mo–Fr") all; of a timetable (`is_head`) also by abbreviations."""
    found = {day for name, days in _GROUPS.items() if _pattern(name, False).search(text) for day in days}
    places = sorted(
        (match.start(), match.end(), at)
        for at, day in enumerate(DAYS)
        for match in _pattern(day, is_head).finditer(text)
    )
    before: tuple[int, int] | None = None
    for start, end, at in places:
        between = text[before[1] : start].strip(" .").lower() if before else ""
        if before and between in _words()["to"]:
            found.update(DAYS[(before[0] + step) % 7] for step in range((at - before[0]) % 7 + 1))
        found.add(DAYS[at])
        before = at, end
    return frozenset(found)


def parts_in(text: str) -> frozenset[str]:
    """The parts of the day that a text names."""
    return frozenset(part for part in PARTS if _pattern(part, False).search(text))


def is_of_week(text: str) -> bool:
    """Whether a text is but days or parts of the day, as the head of a column is."""
    rest = text
    for name in (*_GROUPS, *DAYS):
        rest = _pattern(name, True).sub(" ", rest)
    for name in PARTS:
        rest = _pattern(name, False).sub(" ", rest)
    left = {word.lower() for word in _WORD.findall(rest)} - {*_words()["to"], *_JOINTS}
    return rest != text and not left and not re.search(r"\d", rest)


def without(text: str) -> str:
    """A text without the days and parts of the day that it names."""
    for name in (*_GROUPS, *DAYS, *PARTS):
        text = _pattern(name, False).sub(" ", text)
    return text
