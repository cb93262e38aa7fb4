"""Which bus to take by a timetable: the latest that is there by 8, the first after 10, the last of the day.

A timetable is rows of clock times: one for each stop, beside its name, or one for each trip, below the names of the
stops. What is told are the times of one trip at the stops that the question names, else at its ends.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hugginggpt.experts import listed as listings
from hugginggpt.experts import opening_hours, stated_numbers
from hugginggpt.experts.quantities import is_light, root, says

MIN_TRIPS, MIN_STOPS, MIN_LETTERS, HALF_DAY = 2, 2, 3, 720
_CLOCK = re.compile(r"(?P<h>[01]?\d|2[0-4])[:.](?P<m>[0-5]\d)")
_CELL = r"(?:(?:[01]?\d|2[0-4])[:.][0-5]\d|[-–—|])"
_ROW = re.compile(rf"(?P<name>[^\W\d_][^:\n]{{0,60}}?)??\s*(?P<times>{_CELL}(?:\s+{_CELL})*)")
_IN_WORDS = re.compile(
    r"(?:(?P<part>half|quarter|viertel|\d{1,2}|[a-z]+) (?P<way>past|to|nach|vor) )?"
    r"(?P<hour>\d{1,2}|[a-z]+)(?P<rest>[:.][0-5]\d)?"
    r"(?:\s?(?P<half>am|pm|a\.m\.|p\.m\.|o'?clock|uhr|in the (?:morning|afternoon|evening)))?"
    r"(?=\W*$|\W+(?:at|from|on|to|in|von|nach|the|and|which|what|when)\b)"
)
_BY = re.compile(
    r"\b(?:be|get|arrive|arriving|reach|there|at)\b[^.?!]{0,50}?\b(?:by|before|until|no later than)\s+"
    r"(?P<time>[^,.?!]{1,30})|"
    r"\b(?:by|before|no later than)\s+(?P<late>[^,.?!]{1,30})",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\b(?:after|from|past|later than|nach|après|después de(?: las)?)\s+(?P<time>(?:half|quarter|\d)[^,.?!]{0,24})",
    re.IGNORECASE,
)
_RIDE = re.compile(
    r"\b(?:bus|buses|train|trains|tram|ferry|boat|coach|one|connection|leave|leaves|departure|depart|take|catch|go)\b",
    re.IGNORECASE,
)
_WHEN_THERE = re.compile(
    r"\b(?:when|what time|how late|wann|um wie viel uhr|quand|à quelle heure|cuándo|a qué hora)\b", re.I
)
_LATEST = re.compile(
    r"\b(?:at the latest|in time|on time|i (?:start|begin) (?:work )?at|(?:i|we) (?:must|have to|need to) be|"
    r"spätestens|au plus tard|a más tardar)\b",
    re.IGNORECASE,
)
_FIRST_OR_LAST = re.compile(r"\b(first|last) (?:\w+ )?(?:one|bus|train|ferry|boat|tram|coach)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Trip:
    """The stops of a trip with their times in minutes."""

    stops: tuple[tuple[str, int], ...]

    def at(self, name: str) -> int | None:
        return next((time for stop, time in self.stops if stop == name), None)

    def told(self, start: str, end: str) -> str:
        first = next(one for one in self.stops if not start or one[0] == start)
        last = next(one for one in reversed(self.stops) if not end or one[0] == end)
        return f"{clock(first[1])} ({first[0]}), {clock(last[1])} ({last[0]})"


def asked_for(question: str) -> bool:
    """Whether words ask for a trip that keeps to a time."""
    if not _RIDE.search(question):
        return False
    is_taken = _clock_in(question) is not None and bool(_WHEN_THERE.search(question) or _LATEST.search(question))
    return is_taken or _limit(question, _BY) is not None or _limit(question, _AFTER) is not None


def answer(question: str, text: str) -> str | None:
    """The trip that a question asks for, with its times; None where it asks for none, or the text is no timetable."""
    trips = trips_of(text, opening_hours.days_meant(question))
    if len(trips) < MIN_TRIPS or not _RIDE.search(question):
        return None
    start, end = _ends(question, trips)
    by, after = _limit(question, _BY), _limit(question, _AFTER)
    is_limited = by is not None or after is not None
    if told := _taken(question, trips) or (not is_limited and _first_or_last(question, trips, start)):
        return told
    if by is None and _LATEST.search(question) and (at := _clock_in(question)) is not None:
        by = at
    if by is not None:
        having = [one for one in trips if (at := one.at(end) if end else one.stops[-1][1]) is not None and at <= by]
        if not having:
            return f"None of them is there by {clock(by)}; the first: {trips[0].told(start, end)}."
        return having[-1].told(start, end)
    if after is not None:
        later = [
            one for one in trips if (at := one.at(start) if start else one.stops[0][1]) is not None and at >= after
        ]
        if not later:
            return f"None after {clock(after)}; the last: {trips[-1].told(start, end)}."
        return later[0].told(start, end)
    asked = [match[1].lower() for match in _FIRST_OR_LAST.finditer(question)] if len(trips[0].stops) == 2 else []
    return trips[-1 if "last" in asked else 0].told(start, end) if asked else None


def _taken(question: str, trips: Sequence[Trip]) -> str:
    """When one is somewhere by the trip that a question takes: "I take the 8:10 at Market Square. When am I at
    Lakeview?"; "" where it names no time of a stop and another stop.
    """
    times = {60 * int(match["h"]) + int(match["m"]) for match in _CLOCK.finditer(question)}
    if len(times) != 1 or not _WHEN_THERE.search(question):
        return ""
    (at,) = times
    named = [name for name, _ in trips[0].stops if _places(name, question)]
    for trip in trips:
        start = next((stop for stop, time in trip.stops if time == at and stop in named), "")
        others = [stop for stop in named if stop != start]
        if start and len(others) == 1 and (there := trip.at(others[0])) is not None:
            return f"{clock(there)} ({others[0]})"
    return ""


def _first_or_last(question: str, trips: Sequence[Trip], start: str) -> str:
    """When the first or last one leaves a stop that a question names."""
    asked = _FIRST_OR_LAST.search(question)
    named = [name for name, _ in trips[0].stops if _places(name, question)]
    if not asked or len(trips[0].stops) == MIN_STOPS:
        return ""
    if start and len(named) == MIN_STOPS:
        (end,) = (name for name in named if name != start)
        having = sorted((one for one in trips if one.at(start) is not None and one.at(end) is not None), key=_begins)
        return having[-1 if asked[1].lower() == "last" else 0].told(start, end) if having else ""
    if len(named) != 1:
        return ""
    times = [time for trip in trips if (time := trip.at(named[0])) is not None]
    return f"{clock(min(times) if asked[1].lower() == 'first' else max(times))} ({named[0]})" if times else ""


def _begins(trip: Trip) -> int:
    return trip.stops[0][1]


def _clock_in(question: str) -> int | None:
    times = [60 * int(match["h"]) + int(match["m"]) for match in _CLOCK.finditer(question)]
    return times[0] if len(times) == 1 else None


def trips_of(text: str, days: frozenset[int] = frozenset()) -> list[Trip]:
    """The trips of the first timetable of a text, in order; of several the one whose heading names the days."""
    tables = _tables(listings.lines_of(text))
    on_days = [trips for named, trips in tables if days and days <= named]
    return next(iter(on_days or [trips for _, trips in tables]), [])


def _tables(lines: Sequence[str]) -> list[tuple[frozenset[int], list[Trip]]]:
    """The timetables among some lines: the days that the line above each names, and its trips."""
    found = []
    rows = [(_ROW.fullmatch(line.strip()), at) for at, line in enumerate(lines)]
    for (number, is_named), group in itertools.groupby(rows, key=lambda row: _shape(row[0])):
        own = [(match, at) for match, at in group if match]
        if number < MIN_TRIPS or len(own) < MIN_TRIPS:
            continue
        above = " ".join(lines[max(0, own[0][1] - 2) : own[0][1]])
        times = [[_minutes(cell) for cell in match["times"].split()] for match, _ in own]
        if is_named:
            names = [match["name"].strip(" :") for match, _ in own]
            found.append(
                (opening_hours.days_in(above), [_trip(names, [row[at] for row in times]) for at in range(number)])
            )
            continue
        heads = re.split(r"\s{2,}|\t|\s\|\s", lines[own[0][1] - 1].strip()) if own[0][1] else []
        named = heads if len(heads) == number else [""] * number
        found.append((opening_hours.days_in(above), [_trip(named, row) for row in times]))
    return found


def _shape(match: re.Match[str] | None) -> tuple[int, bool]:
    """How many times a row has, and whether it has a name."""
    return (len(match["times"].split()), bool(match["name"])) if match else (0, False)


def _trip(names: Sequence[str], times: Sequence[int | None]) -> Trip:
    return Trip(tuple((name, time) for name, time in zip(names, times, strict=True) if time is not None))


def _minutes(cell: str) -> int | None:
    match = _CLOCK.fullmatch(cell)
    return 60 * int(match["h"]) + int(match["m"]) if match else None


def clock(minutes: int) -> str:
    """A time of day as it is written: "08:05"."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _ends(question: str, trips: Sequence[Trip]) -> tuple[str, str]:
    """The stops from and to which a question asks: by "from" and "to", else "" for the ends."""
    start = end = ""
    for name, _ in trips[0].stops:
        asked = re.findall(r"[^\W\d_]+|\S", question.lower())
        places = _places(name, question)
        if not places:
            continue
        before = asked[max(0, places[0] - 3) : places[0]]
        is_stood_at = "stop" in before or ("at" in before and re.search(r"\bto\b", " ".join(asked[places[0] :])))
        if is_stood_at or {"from", "von", "ab", "de", "desde"} & set(before) or says(name, "departs"):
            start = start or name
        elif {"to", "at", "in", "on", "reach", "nach", "à", "a"} & set(before):
            end = name
    return start, end


def _places(name: str, question: str) -> list[int]:
    """Where among the words of a question a stop is named."""
    words = [root(word) for word in re.findall(r"[^\W\d_]+", name.lower()) if not is_light(word)]
    asked = re.findall(r"[^\W\d_]+|\S", question.lower())
    return [at for at, word in enumerate(asked) if len(word) >= MIN_LETTERS and _is_called(word, words)]


def _is_called(word: str, names: Sequence[str]) -> bool:
    """Whether a word is one of a name's, or its beginning: "uni"."""
    return any(root(word) == name or name.startswith(word) for name in names)


def _limit(question: str, pattern: re.Pattern[str]) -> int | None:
    """The time behind words such as "by", in minutes."""
    for match in pattern.finditer(question):
        words = next(filter(None, match.groups()), "")
        if (time := time_of(words)) is not None:
            return time
    return None


def time_of(words: str) -> int | None:
    """The time of day that words begin with: "8 in the morning", "quarter to nine", "1pm", "half past seven"."""
    match = _IN_WORDS.match(words.lower().strip())
    if match is None:
        return None
    hour = _number(match["hour"])
    is_named = match["half"] or match["rest"] or match["part"] or match["hour"].isdigit()
    if hour is None or hour > 24 or not is_named:
        return None
    at = 60 * hour + (int(match["rest"][1:]) if match["rest"] else 0)
    if match["part"]:
        part = {"half": 30, "quarter": 15, "viertel": 15}.get(match["part"]) or _number(match["part"])
        if part is None:
            return None
        at += -part if match["way"] in ("to", "vor") else part
    half = match["half"] or ""
    if half.startswith("p") or half.endswith(("afternoon", "evening")):
        return at % HALF_DAY + HALF_DAY
    if half.startswith("a"):
        return at % HALF_DAY
    return at


def _number(word: str) -> int | None:
    value = stated_numbers.value_of(word)
    return int(value) if value is not None else {"one": 1}.get(word)
