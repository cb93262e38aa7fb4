"""How long one may stay: "can I park here for 3 hours on a Wednesday?", where a sign says "2 HOURS MAX, Mon - Sat"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.experts import listed
from hugginggpt.experts.opening_hours import days_meant, named_days
from hugginggpt.experts.stated_numbers import value_of

_UNITS = {"min": 1, "hour": 60, "h": 60, "day": 1440, "night": 1440, "stunde": 60, "std": 60, "tag": 1440, "heure": 60,
          "hora": 60, "día": 1440, "jour": 1440}  # fmt: skip
_TIME = (
    r"(?P<number>(?<!\d)\d{1,4}(?:[.,]5)?|"
    r"an?|one|two|three|four|five|six|half an?|ein\w*|zwei|drei|une?|deux|trois|dos|tres)[ -]?"
    r"(?P<unit>min(?:ute)?[ns]?|mins?|h(?:ou)?rs?|h|days?|nights?|stunden?|std|tage?|heures?|horas?|jours?|días?)\b\.?"
)
_MOST = (
    r"(?:max(?:\.|imum)?(?: stay)?|at most|limit(?:ed)?(?: to)?|up to|no (?:longer|more) than|not more than|only|"
    r"höchst\w*|maximal|bis zu|hasta|jusqu['’]à)"
)
_BEFORE = _TIME.replace("<number>", "<before>").replace("<unit>", "<measure>")
_LIMIT = re.compile(
    rf"\b{_MOST}\W{{0,3}}(?:of |is |for )?{_TIME}|{_BEFORE}"
    rf"\W{{0,3}}(?:parking |stay |free )?(?:max\b|maximum\b|limit\b|only\b|at most\b|höchstens\b|parken\b|no return\b)",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:park\w*|stay\w*|leave|leaving|stop|stand|keep|use|borrow|wait|moor|camp|sit|parken|stehen|bleiben|garer|"
    r"stationner|rester|aparcar|quedarme)\b",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"^\W*(?:\w+\W+){0,6}?(?:can|may|could|am i allowed|is it ok(?:ay)?|are we allowed|kann|darf|dürfen|können|puis-je|"
    r"peut-on|puedo|podemos)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(rf"\b(?:for|during|whole|full|für|pendant|durante)?\s*{_TIME}", re.IGNORECASE)
_FORBIDS = re.compile(r"\b(?:no|permit|residents?|only|disc|disabled|except|kein\w*|nur)\b", re.IGNORECASE)


def asked_for(question: str) -> bool:
    """Whether words ask whether one may stay for a time."""
    return bool(_MAY.search(question) and _STAYS.search(question) and _ASKED.search(question))


def answer(question: str, text: str) -> str | None:
    """Whether the time that a question states keeps to the only limit that a text sets; None where it sets none."""
    if not asked_for(question):
        return None
    asked = [_minutes(one["number"], one["unit"]) for one in _ASKED.finditer(question)]
    lines = listed.lines_of(text)
    limits = [
        (_minutes(one["number"] or one["before"], one["unit"] or one["measure"]), line)
        for line in lines
        for one in _LIMIT.finditer(line)
    ]
    if len(asked) != 1 or len({most for most, _ in limits}) != 1:
        return None
    most, line = limits[0]
    quoted = f"“{' '.join(line.split())}”"
    days, named = days_meant(question), named_days(lines)
    if days and named and not days & named:
        return f"For that day it names no limit: {_quoted([line, *_with_days(lines)])}"
    if asked[0] > most:
        return f"No: {quoted}" if not named or not days else f"No: {_quoted([line, *_with_days(lines)])}"
    is_open = any(_FORBIDS.search(other) for other in lines if other != line)
    return None if is_open else f"Yes: {quoted}"


def _minutes(number: str, unit: str) -> float:
    number = number.lower()
    half = number.startswith("half")
    value = 0.5 if half else 1.0 if number in ("a", "an", "un", "une") else value_of(number) or 1.0
    return value * next((minutes for word, minutes in _UNITS.items() if unit.lower().startswith(word)), 1)


def _with_days(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if named_days([line])][:2]


def _quoted(lines: Sequence[str]) -> str:
    return f"“{' / '.join(dict.fromkeys(' '.join(line.split()) for line in lines))}”"
