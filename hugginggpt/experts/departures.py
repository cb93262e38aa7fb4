"""Departures of a stop, listed below the days on which they run: "when is the last bus on a Sunday?", "the first one
after four on Saturday?". A list stands below a head ("Monday - Friday") or beside it, or in minutes beside each hour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hugginggpt.experts import timetables, weeks
from hugginggpt.experts.ocr import Line

MIN_TIMES, MIN_LISTS, MAX_TOLD = 3, 2, 12
_CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-4])[:.h]([0-5]\d)(?![\d:])")
_MINUTES = re.compile(r"[0-5]\d(?:\s+[0-5]\d)*")
_HOUR = re.compile(r"(?:[01]?\d|2[0-4])(?:\s?h)?")
_RIDES = re.compile(
    r"\b(?:bus(?:es)?|coach(?:es)?|trains?|trams?|ferr(?:y|ies)|boats?|ships?|one|last|first|next|leaves?|leaving|"
    r"departs?|departures?|goes|go|run|runs|züge?|zug|bahn|fähre|fährt|fahren|abfahrt|bus|car|départs?|part|navette|"
    r"autobús|autobus|tren|barco|sale|salen|salida)\b|车|船|班",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:first|earliest|erste[rnms]?|früheste\w*|premi(?:er|ère)|primer[oa]?)\b|第一|首班|最早|头班", re.I
)
_LAST = re.compile(r"\b(?:last|latest|letzte[rnms]?|späteste\w*|derni(?:er|ère)|últim[oa])\b|最后|末班|最晚", re.I)
_AFTER = re.compile(
    r"\b(?:after|from|past|next|finish\w*|done|leave work|feierabend|nach|ab|nächste\w*|"
    r"après|prochain\w*|à partir de|después de(?: las)?|próximo)\b|以后|之后|下一班",
    re.I,
)
_BEFORE = re.compile(r"\b(?:before|by|until|latest before|vor|bis|avant|antes de(?: las)?)\b|以前|之前", re.I)
_TIME = re.compile(
    r"(?<![\d.,£$€])(?P<clock>(?:[01]?\d|2[0-4])[:.][0-5]\d|(?:[01]?\d|2[0-4])(?:\s?h\s?(?:[0-5]\d)?|:[0-5]\d)?)"
    r"(?P<unit>\s?(?:(?P<half>[ap])\.?m\.?|o'?clock|uhr|heures?|点))?|"
    r"\b(?P<words>(?:half|quarter) (?:past|to) \w+|noon|midday|midnight|mittag|midi|mediodía)\b|"
    r"\b(?:after|before|by|from|past|at|around) "
    r"(?P<number>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
_NAMED_TIMES = {"noon": 720, "midday": 720, "midnight": 1440, "mittag": 720, "midi": 720, "mediodía": 720}
_HOURS_OF = {
    "morning": (240, 720),
    "noon": (660, 840),
    "afternoon": (720, 1080),
    "evening": (1020, 1440),
    "night": (1200, 1560),
}
_HOW_MANY = re.compile(r"\b(?:how many|wie viele|combien de|cuánt[oa]s)\b|多少班|几班", re.IGNORECASE)
_ELSE = re.compile(
    r"\b(?:there by|there before|arrives?|arrival|costs?|much|price|fare|ticket|kostet|preis|prix|"
    r"coûte|cuesta|precio)\b|多少钱|票价",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Departures:
    """The departures below a head, in minutes from midnight, with the days that it names."""

    head: str
    days: frozenset[str]
    times: tuple[int, ...]


def answer(question: str, rows: Sequence[Sequence[Line]]) -> str:
    """The departures that a question asks for; "" where it asks for something else, or the page lists none."""
    if not _RIDES.search(question) or _ELSE.search(question):
        return ""
    lists = list(_below(rows)) or list(_beside(rows))
    if len(lists) < MIN_LISTS and not (lists and len(lists[0].times) > MIN_TIMES):
        return ""
    asked = weeks.days_in(question)
    chosen = [one for one in lists if asked & one.days] if asked else lists
    chosen = _narrowest(chosen) if asked else chosen
    if not chosen:
        return ""
    told = [(one, _meant(question, one.times)) for one in chosen]
    if any(times is None for _, times in told):
        return ""
    if _HOW_MANY.search(question):
        return "; ".join(f"{len(times or ())} ({one.head}: {_written(times or ())})" for one, times in told)
    if len(told) == 1:
        one, times = told[0]
        return f"{_written(times or [])} ({one.head})" if times else f"None any more ({one.head})"
    return "; ".join(f"{one.head}: {_written(times) if times else 'none any more'}" for one, times in told)


def _narrowest(lists: Sequence[Departures]) -> list[Departures]:
    """Of lists for a day those for the fewest days: "Saturday" rather than "daily"."""
    fewest = min((len(one.days) for one in lists), default=0)
    return [one for one in lists if len(one.days) == fewest]


def _meant(question: str, times: Sequence[int]) -> Sequence[int] | None:
    """The times of a list that a question means; None where it means something else."""
    part = next(iter(weeks.parts_in(question)), "")
    within = [time for time in times if not part or _HOURS_OF[part][0] <= time < _HOURS_OF[part][1]] or list(times)
    limit = _limit(question, part)
    if limit is not None:
        if _BEFORE.search(question):
            return [time for time in times if time <= limit][-1:]
        if _AFTER.search(question):
            return [time for time in times if time >= limit][:1]
        return None
    is_first, is_last = bool(_FIRST.search(question)), bool(_LAST.search(question))
    if is_first != is_last:
        return within[:1] if is_first else within[-1:]
    if is_first:
        return [*within[:1], *within[-1:]]
    return within if len(within) <= MAX_TOLD or part or weeks.days_in(question) else None


def _limit(question: str, part: str) -> int | None:
    """The time that a question names, in minutes; of the afternoon or evening where it says so, or cannot be else."""
    for match in _TIME.finditer(question):
        if match["words"]:
            return _NAMED_TIMES.get(match["words"].lower()) or timetables.time_of(match["words"])
        before = question[: match.start()].rstrip().lower()
        is_limit = re.search(
            r"(?:\b(?:after|before|by|from|past|at|around|nach|vor|um|ab|bis|à|après|avant|las|until)|以后|[在])$",
            before,
        )
        if not (match["unit"] or match["number"] or ":" in match["clock"] or is_limit):
            continue
        written = match["number"] or match["clock"]
        written = written.replace("h", ":00") if written.endswith("h") else written.replace("h", ":")
        time = timetables.time_of(f"{written} {match['half']}m" if match["half"] else written)
        if time is None:
            continue
        if time == 0 and match["half"]:  # 12 am
            return _NAMED_TIMES["midnight"]
        is_late = part in ("afternoon", "evening", "night")
        return time + 720 if is_late and time < 720 else time
    return None


def _written(times: Sequence[int]) -> str:
    return ", ".join(timetables.clock(time) for time in times)


def _below(rows: Sequence[Sequence[Line]]) -> Iterator[Departures]:
    """Lists below the heads of a row that names but days; beside hours, the cells are minutes."""
    for at, row in enumerate(rows):
        heads = [line for line in row if weeks.is_of_week(line.text)]
        if len(heads) < MIN_LISTS or len(heads) < len(row) - 1:
            continue
        times: dict[int, list[int]] = {number: [] for number in range(len(heads))}
        for below in rows[at + 1 :]:
            if not (cells := _cells(below, heads)):
                break
            for number, minutes in cells:
                times[number].append(minutes)
        if all(len(found) >= MIN_TIMES for found in times.values()):
            for number, head in enumerate(heads):
                yield Departures(head.text, weeks.days_in(head.text, is_head=True), tuple(sorted(times[number])))
            return


def _cells(row: Sequence[Line], heads: Sequence[Line]) -> list[tuple[int, int]]:
    """The times in a row, each with the number of its head; [] for a row of anything else."""
    if all(_only_clocks(line.text) for line in row):
        return [(_nearest(line, heads), minutes) for line in row for minutes in _clocks(line.text)]
    hour, *cells = row
    if _HOUR.fullmatch(hour.text) and cells and all(_MINUTES.fullmatch(line.text) for line in cells):
        start = 60 * int(re.sub(r"\D", "", hour.text))
        return [(_nearest(line, heads), start + int(minute)) for line in cells for minute in line.text.split()]
    return []


def _beside(rows: Sequence[Sequence[Line]]) -> Iterator[Departures]:
    """Lists beside their heads: "Sunday  09:00  11:00  13:00"."""
    for row in rows:
        text = " ".join(line.text for line in row)
        first = _CLOCK.search(text)
        head = text[: first.start()].strip(" :–-") if first else ""
        if first and weeks.is_of_week(head) and _only_clocks(text[first.start() :]):
            found = _clocks(text)
            if len(found) >= MIN_TIMES:
                yield Departures(head, weeks.days_in(head, is_head=True), tuple(sorted(found)))


def _only_clocks(text: str) -> bool:
    return bool(_CLOCK.search(text)) and not re.search(r"\w", _CLOCK.sub("", text))


def _clocks(text: str) -> list[int]:
    return [60 * int(match[1]) + int(match[2]) for match in _CLOCK.finditer(text)]


def _nearest(line: Line, heads: Sequence[Line]) -> int:
    """The number of the head above a line: that which it stands below, else the nearest."""

    def away(head: Line) -> float:
        return max(head.left - line.middle, line.middle - head.right, 0.0)

    return min(range(len(heads)), key=lambda at: (away(heads[at]), abs(heads[at].middle - line.middle)))
