"""By when to be somewhere, where a page says so by another time: "your procedure is at 08:40. Please report to the desk
20 minutes before."
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.experts import elapsed, stated_numbers, timetables
from hugginggpt.experts.sentences import statements
from hugginggpt.experts.word_likeness import stems_of

MAX_BACK = 3
"""So many sentences before, at most, the time stands that another is told by."""
_WHEN = re.compile(r"\b(?:when|what time|how early|by what time)\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"\b(?P<number>\d{1,3}|an?|half an|[a-z]+)[ -](?P<unit>min(?:ute)?s?|hours?)\b(?: \w+)? "
    r"(?:before|beforehand|earlier|early|prior|in advance)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\d:.])([01]?\d|2[0-3])[:.]([0-5]\d)(?!\d|\.\d)(?:\s?([ap])\.?m\b)?|\b(\d{1,2})\s?([ap])\.?m\b", re.I
)
_ARRIVES = re.compile(
    r"\b(?:be (?:there|here)|arriv\w+|come|turn up|show up|check[ -]?in|report|get there|need to be|have to be)\b",
    re.IGNORECASE,
)
_LIGHT = stems_of(
    "when what time must should do does i we he she they it have has to be at the a an there in on of for my our his"
    " her their not but please minutes before early need mr mrs"
)


def answer(question: str, text: str) -> str | None:
    """When to be there, worked out from the time that it is told by; None where a question asks for another time."""
    if not _WHEN.search(question):
        return None
    said = statements(text)
    found = [(at, match) for at, one in enumerate(said) if (match := _BEFORE.search(one))]
    if len(found) != 1:
        return None
    at, match = found[0]
    asked = stems_of(question.partition(", not ")[0]) - _LIGHT
    is_meant = bool(asked & (stems_of(said[at]) - _LIGHT)) or (_ARRIVES.search(question) and _ARRIVES.search(said[at]))
    base = _time_before(said, at, match)
    length = _minutes(match)
    if not is_meant or base is None or length is None:
        return None
    sentence, time, written = base
    quoted = f"“{sentence}”" if sentence == said[at] else f"“{sentence}” “{said[at]}”"
    return f"At {timetables.clock(time - length)}, {match[0].rsplit(' ', 1)[0]} before {written}. It says: {quoted}"


def _time_before(said: Sequence[str], at: int, match: re.Match[str]) -> tuple[str, int, str] | None:
    """The only time of the sentence itself, else of the nearest one before it that has any."""
    own = [*_CLOCK.finditer(said[at][match.end() :])]
    places = [(said[at], own), *((one, [*_CLOCK.finditer(one)]) for one in reversed(said[max(0, at - MAX_BACK) : at]))]
    for sentence, times in places:
        if times:
            first = times[0]
            minutes = elapsed.minutes_of(first[1] or first[4], first[2], first[3] or first[5])
            return (sentence, minutes, first[0]) if len(times) == 1 else None
    return None


def _minutes(match: re.Match[str]) -> int | None:
    word = match["number"].lower()
    number = {"half an": 0.5, "a": 1, "an": 1}.get(word) or stated_numbers.value_of(word)
    return None if number is None else round(number * (60 if match["unit"].lower().startswith("h") else 1))
