"""Opening hours, opening times and weekly plans of a page or text: "are you open on Thursday at half past six?".

A line tells days and times ("Tuesday and Thursday 10 to 18, Saturday 10 to 13"), or a table has days as its columns.
What is asked of a day that no line names is not answered, but for days that a list of others leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hugginggpt.experts.ocr import Line
from hugginggpt.experts.table_words import NUMBER_WORDS, WEEKDAYS
from hugginggpt.experts.word_likeness import stems_of

_EVERY = frozenset(range(7))
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b\.?"
_GROUP = r"(?:daily|every ?day|all week|7 days|seven days a week|weekdays?|(?:at )?weekends?)\b"
_JOINT = r"\s{0,3}(?:-|–|—|to|until|till|through|and|&|,|/|\+)\s{0,3}"
_DAYS = re.compile(rf"\b(?:{_GROUP}|{_DAY}(?:{_JOINT}{_DAY})*)(?:\s?[-–:])?", re.IGNORECASE)
_PART = re.compile(rf"({_DAY})|({_JOINT})|({_GROUP})", re.IGNORECASE)
_CLOCK = r"(?:\d{1,2}(?:[:.h]\d\d)?\s?(?:[ap]\.?m\b\.?|o'?clock)?|noon|midnight)"
_SPAN = re.compile(
    rf"(?:(?<![\d/.:])|(?<=:\d\d))(?:from )?(?P<begin>{_CLOCK})(?:\s?h\b)?\s{{0,3}}(?:-|–|—|to|until|till)\s{{0,3}}"
    rf"(?P<end>\d\d?[:.]\d\d(?!\s?[ap]\.?m)|{_CLOCK}(?![\d/:]|\.\d))|"
    r"\b(?P<closed>closed|shut|no service|rest day)\b",
    re.IGNORECASE,
)
_CELL = re.compile(rf"{_SPAN.pattern}|(?<!\S)[-–—](?!\S)", re.IGNORECASE)
_PARTS = {"morning": (6 * 60, 12 * 60), "afternoon": (12 * 60, 18 * 60), "evening": (18 * 60, 22 * 60)}
"""The parts of the day, in minutes."""
_TO = re.compile(r"-|–|—|to|until|till|through", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:(?P<half>half past|quarter past|quarter to) )?(?P<hour>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|"
    r"ten|eleven|twelve|noon|midnight)(?:[:.](?P<minute>\d\d))?\s?(?P<part>[ap]\.?m\b|o'?clock)?"
    r"(?: in the (?P<of>morning|afternoon|evening)| at (?P<night>night))?",
    re.IGNORECASE,
)
_AT = re.compile(
    r"\b(?:at|by|around|about|after|before|past|till|until)\b|\d{1,2}[:.]\d\d|\d\s?[ap]\.?m\b", re.IGNORECASE
)
_COMES = re.compile(r"\b(?:visit\w*|come|get in|swim|drop (?:in|by)|pick\b.{1,20}\bup)\b", re.IGNORECASE)
_WHEN = re.compile(r"\b(?:when|what time|hours|how late|how long|until|till|times)\b", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:open\w*|clos\w*|shut\w*|opening hours|business hours)\b", re.IGNORECASE)
_CLOSES = re.compile(r"\b(?:clos(?:e|es|ing)|shuts?|how late|until when|till when|latest)\b", re.IGNORECASE)
_YES_NO = re.compile(
    r"^\W{0,4}(?:\w+\W{1,4}){0,6}?(?:is|are|can|could|do|does|will|would|may|was|were|open)\b", re.IGNORECASE
)
_WH = re.compile(r"\b(?:when|what|how|which|until|till|where|who|why)\b", re.IGNORECASE)
_ADDED = re.compile(r"\W*(?:on|at)(?: an?| the)?\W*", re.IGNORECASE)
MAX_LINE = 240
MIN_HEADS = 2
_ALSO = re.compile(r"\b(?:too|also|as well|either)\W*$", re.IGNORECASE)
_NOTHING_ON = re.compile(
    r"\b(?:no (?:service|buses|bus|trains|trams?|ferr(?:y|ies)|boats|sailings?|classes|lessons|collections?|"
    r"deliver(?:y|ies)|opening|training|market|surgery)|closed|not open|does not (?:run|open)|"
    r"geschlossen|ruhetag|fermé|cerrado)\b",
    re.IGNORECASE,
)
"""How a line says that there is nothing on the days behind it."""


@dataclass(frozen=True, slots=True)
class Hours:
    """When something is open on some days: minutes from midnight, () if it is closed; and the line that says so."""

    days: frozenset[int]
    spans: tuple[tuple[int, int], ...]
    subject: frozenset[str]
    line: str

    def is_open(self, times: Sequence[int], parts: Sequence[tuple[int, int]]) -> bool:
        """Whether one of the times, in minutes, or parts of the day falls into it; of none of both it does."""
        at = any(begin <= time < end for begin, end in self.spans for time in times)
        within = any(begin < last and first < end for begin, end in self.spans for first, last in parts)
        return at or within or not (times or parts)

    def shown(self) -> str:
        return ", ".join(f"{written(begin)} to {written(end)}" for begin, end in self.spans) or "closed"


def answer_from(question: str, rows: Sequence[Sequence[Line]]) -> str:
    """What `answer` gives from the rows of a page."""
    return answer(question, lines_of(rows)) if _DAYS.search(question) else ""


def answer(question: str, lines: Sequence[str]) -> str:
    """What the lines tell of the hours that are asked for, with the line that says so; "" where they do not."""
    if no := _not_on(question, lines):
        return no
    if not _is_of_hours(question):
        return ""
    asked = days_meant(question)
    every = list(_hours(lines))
    found = _of_subject(question, every)
    if not found:
        return ""
    told = [one for one in found if one.days & asked]
    if not told:
        known = frozenset().union(*(one.days for one in found))
        if not _OPEN.search(question) or len(known) < 2 or not _is_yes_no(question):
            return ""
        told_days = ", ".join(WEEKDAYS[day].capitalize() for day in sorted(known))
        named = f"{told_days} ({_quoted(found)})" if len({one.line for one in found}) < 3 else told_days
        return f"{'Yes' if _asks_closed(question) else 'No'}: only other days are named: {named}"
    if _is_yes_no(question):
        times = _times_in(question)
        parts = [part for name, part in _PARTS.items() if not times and re.search(rf"\b{name}\b", question, re.I)]
        is_in = [one for one in told if one.spans and one.is_open(times, parts)]
        return f"{'No' if bool(is_in) is _asks_closed(question) else 'Yes'}: {_quoted(is_in or told)}"
    if len({one.spans for one in told}) > 1 and len(asked) == 1:
        return ""  # of several things, and the question names none
    one = told[0]
    if not one.spans:
        return f"It is closed then: {_quoted([one])}"
    if _CLOSES.search(question):
        return f"At {written(one.spans[-1][1])}: {_quoted([one])}"
    return "; ".join(dict.fromkeys(f"{each.shown()} ({_quoted([each])})" for each in told))


def _not_on(question: str, lines: Sequence[str]) -> str:
    """ "No" with the line by which there is nothing on the day that a question asks about: "sunday also?"."""
    asked = days_meant(question) if len(question) <= MAX_LINE else frozenset()
    if not asked or not (_ALSO.search(question) or _is_yes_no(question)) or _times_in(question):
        return ""
    closing = [
        line
        for line in lines
        if len(line) <= MAX_LINE and (no := _NOTHING_ON.search(line)) and asked <= days_in(line[no.start() :])
    ]
    if len(closing) != 1:
        return ""
    return f"{'Yes' if _asks_closed(question) else 'No'}: “{' '.join(closing[0].split())}”"


def _is_of_hours(question: str) -> bool:
    """Whether a question is about hours on a day: whether or when something is open, or one may come at a time."""
    if len(question) > MAX_LINE or not _DAYS.search(question):
        return False
    if _is_yes_no(question):
        return bool(_OPEN.search(question) or (_COMES.search(question) and _times_in(question)))
    return bool(_WHEN.search(question) and (_OPEN.search(question) or _COMES.search(question) or "hours" in question))


def lines_of(rows: Sequence[Sequence[Line]]) -> list[str]:
    """The lines of a page; the cells of a table with days as its columns each as a line of its own."""
    lines, heads = [], list[Line]()
    for row in rows:
        days = [line for line in row if _only_days(line.text)]
        if len(days) >= MIN_HEADS and len(days) >= len(row) - 1:
            heads = days
        elif heads and len(row) > 1 and not days_in(row[0].text) and (cells := _cells(row[1:], heads)):
            lines += [f"{row[0].text}, {head}: {cell}" for head, cell in cells]
        else:
            lines.append(" ".join(line.text for line in row))
    return lines


def _cells(lines: Sequence[Line], heads: Sequence[Line]) -> list[tuple[str, str]]:
    """The cells of a row with the heads of their columns: by their number, as neighbours may be read as one line, else
    by their places; [] where neither tells.
    """
    every = [match[0].strip() for line in lines for match in _CELL.finditer(line.text)]
    if any(re.search(r"\d", _CELL.sub("", line.text)) for line in lines):
        return []
    if len(every) == len(heads):
        return [(head.text, cell) for head, cell in zip(heads, every, strict=True)]
    if len(every) != len(lines):
        return []
    nearest = [min(heads, key=lambda head: abs(head.middle - line.middle)).text for line in lines]
    return list(zip(nearest, every, strict=True)) if len(set(nearest)) == len(nearest) else []


def _hours(lines: Sequence[str]) -> Iterator[Hours]:
    for line in lines:
        places = list(_DAYS.finditer(line))
        if not places or len(line) > MAX_LINE:
            continue
        head = line[: places[0].start()]
        for at, place in enumerate(places):
            end = places[at + 1].start() if at + 1 < len(places) else len(line)
            behind = line[place.end() : end]
            found = list(_SPAN.finditer(behind))
            if not found or len(behind[: found[0].start()].split()) > 3:
                continue
            spans = [span for match in found if not match["closed"] and (span := _span(match["begin"], match["end"]))]
            if spans or all(match["closed"] for match in found):
                yield Hours(days_in(place[0]), tuple(spans), stems_of(head), " ".join(line.split()))


def named_days(lines: Sequence[str]) -> frozenset[int]:
    """The days of the week for which lines tell hours, 0 for Monday."""
    return frozenset().union(*(one.days for one in _hours(lines)))


def _of_subject(question: str, every: Sequence[Hours]) -> list[Hours]:
    """The hours of what the question names, of several things; all where the page is about one."""
    subjects = {one.subject for one in every}
    if len(subjects) <= 1:
        return list(every)
    stems = stems_of(question)
    best = max((len(one.subject & stems) for one in every), default=0)
    return [one for one in every if len(one.subject & stems) == best] if best else []


def days_in(text: str) -> frozenset[int]:
    """The days of the week that a text names, 0 for Monday."""
    found: set[int] = set()
    for match in _DAYS.finditer(text):
        last, joint = -1, ""
        for part in _PART.finditer(match[0]):
            if part[1]:
                day = _number(part[1])
                is_range = last >= 0 and _TO.fullmatch(joint)
                found.update({(last + step) % 7 for step in range((day - last) % 7 + 1)} if is_range else {day})
                last = day
            elif part[2]:
                joint = part[2].strip()
            else:
                group = part[3].lower()
                found.update(range(5) if "weekday" in group else (5, 6) if "weekend" in group else _EVERY)
    return frozenset(found)


def days_meant(question: str) -> frozenset[int]:
    """The days of the week that a question asks about: of one that goes on from another ("on Tuesday on Sunday?") those
    that were added.
    """
    named = list(_DAYS.finditer(question))
    if len(named) > 1 and _ADDED.fullmatch(question[named[-2].end() : named[-1].start()]):
        return days_in(named[-1][0])
    return days_in(question)


def _only_days(text: str) -> bool:
    return bool(_DAYS.search(text)) and not re.search(r"\w", _DAYS.sub("", text))


def _number(day: str) -> int:
    return next(at for at, name in enumerate(WEEKDAYS) if name.startswith(day.lower()[:3]))


def _span(begin: str, end: str) -> tuple[int, int] | None:
    """The minutes of two clock times; an hour without a half of the day is in that of the other end, or the next."""
    half = re.search(r"[ap]\.?m", end, re.IGNORECASE)
    first, last = (
        _minutes(begin, half[0] if half and not re.search(r"[ap]\.?m", begin, re.IGNORECASE) else ""),
        _minutes(end),
    )
    if first is None or last is None:
        return None
    if half and first > last:
        first -= 12 * 60  # 9 to 5 pm
    if last <= first and not half and last <= 12 * 60:
        last += 12 * 60  # 9 to 5
    return (first, last) if 0 <= first < last <= 24 * 60 else None


def _minutes(clock: str, half: str = "") -> int | None:
    lowered = clock.lower()
    if lowered in ("noon", "midnight"):
        return 12 * 60 if lowered == "noon" else 24 * 60
    match = re.match(r"(\d{1,2})(?:[:.h](\d\d))?", lowered)
    if match is None or int(match[1]) > 24 or int(match[2] or 0) > 59:
        return None
    hour, part = int(match[1]), half or ("".join(re.findall(r"[ap]\.?m", lowered)))
    if part and hour <= 12:
        hour = hour % 12 + (12 if part.lower().startswith("p") else 0)
    return hour * 60 + int(match[2] or 0)


def _times_in(question: str) -> list[int]:
    """The times of day that a question names, in minutes: "half past six in the evening", 3 pm, 15:30; both halves of
    the day where it does not say which.
    """
    found: list[int] = []
    rest = _DAYS.sub(" ", question)
    for match in _TIME.finditer(rest):
        is_time = match["half"] or match["minute"] or match["part"] or match["of"] or match["night"]
        before = rest[max(0, match.start() - 10) : match.start()]
        if not is_time and not _AT.search(before):
            continue
        hour = match["hour"].lower()
        number = {"noon": 12, "midnight": 24}.get(hour) or NUMBER_WORDS.get(hour) or int(hour)
        minutes = number * 60 + int(match["minute"] or 0)
        minutes += {"half past": 30, "quarter past": 15, "quarter to": -15}.get((match["half"] or "").lower(), 0)
        is_late = match["of"] in ("afternoon", "evening") or match["night"] or (match["part"] or "").lower()[:1] == "p"
        is_early = match["of"] == "morning" or (match["part"] or "").lower()[:1] == "a"
        if is_late and number < 12:
            minutes += 12 * 60
        found.append(minutes)
        if not (is_late or is_early) and number <= 7 and not match["minute"]:
            found[-1] += 12 * 60  # "at six" is in the evening
    return found


def _asks_closed(question: str) -> bool:
    return bool(re.search(r"\b(?:closed|shut)\b", question, re.IGNORECASE))


def _is_yes_no(question: str) -> bool:
    return bool(_YES_NO.search(question)) and not _WH.search(question)


def _quoted(found: Sequence[Hours]) -> str:
    return " / ".join(dict.fromkeys(f"“{one.line}”" for one in found))


def written(minutes: int) -> str:
    """A time of day without a leading zero: "8:05"."""
    return f"{minutes // 60}:{minutes % 60:02d}"
