"""What follows from the dates and times of a page: by when to pay, how many days there are to pay, how long it took.

Only where a page names both ends, or one end and a term, plainly: an invoice date and "within 30 days".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from hugginggpt.experts.asked_query import Query


class Pair(Protocol):
    """A name on a page and its value; see `hugginggpt.experts.pages.Pair`."""

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def relation(self) -> str: ...
    @property
    def text(self) -> str: ...


FORMATS = ("%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%Y-%m-%d", "%d.%m.%Y")
"""Dates with slashes are left alone: their day and month can be confused."""
DATE = re.compile(
    r"\d{4}-\d\d-\d\d|\d\d?\.\d\d?\.\d{4}|\d\d?(?:st|nd|rd|th)? [A-Z][a-z]+\.? \d{4}|[A-Z][a-z]+\.? \d\d?,? \d{4}"
)
CLOCK = re.compile(r"\b(\d{1,2})[:.](\d\d)\b(?:\s?(am|pm)\b)?", re.IGNORECASE)
TERM = re.compile(
    r"\b(?:within|payable in|due in|terms?:?|net) (\d{1,3}) (day|week)s?\b|\b(\d{1,3}) (day|week)s? net\b",
    re.IGNORECASE,
)
ISSUED = re.compile(
    r"\b(?:invoice|bill|billing|issue|statement) date\b|\bissued\b|\bdate of (?:issue|invoice)|^date$", re.IGNORECASE
)
DUE = re.compile(r"\bdue\b|\bpay(?:able|ment)? (?:by|before|until)\b", re.IGNORECASE)
STARTS = re.compile(r"\b(?:start\w*|begin\w*|began|from|depart\w*|doors|opens?|arrived?)\b", re.IGNORECASE)
ENDS = re.compile(r"\b(?:end\w*|finish\w*|until|till|to|closes?|left)\b", re.IGNORECASE)
PAYING = frozenset(("pay", "due", "payment", "owe", "transfer"))
DAYS = frozenset(("day", "week"))


def computed(query: Query, pairs: Sequence[Pair]) -> str:
    """The answer with what it is computed from; "" where the question or the page is another one."""
    lemmas = {token.lemma_.lower() for token in query.parsed}
    types = query.asked.types
    asks_when = types[0] == "date" or bool(lemmas & {"until", "till"} and types[0] in ("date", "time"))
    is_past = "due" not in lemmas and any(token.tag_ == "VBD" for token in query.parsed)  # "when was it paid"
    if lemmas & PAYING and asks_when and is_past:
        return ""
    if lemmas & PAYING and asks_when:
        return _due_date(pairs)
    if lemmas & PAYING and "duration" in types:
        return _days_to_pay(pairs)
    if types[0] == "duration" and not lemmas & DAYS:
        return _time_between(pairs)
    return ""


def _due_date(pairs: Sequence[Pair]) -> str:
    if due := _dated(pairs, DUE):
        return _written(due)
    issued, term = _dated(pairs, ISSUED), _term(pairs)
    if issued is None or term is None:
        return ""
    try:
        due = issued + term
    except OverflowError:  # in the year 10000
        return ""
    return f"{_written(due)} ({term.days} days after {_written(issued)})"


def _days_to_pay(pairs: Sequence[Pair]) -> str:
    issued, due = _dated(pairs, ISSUED), _dated(pairs, DUE)
    if issued is None or due is None or due <= issued:
        return ""
    return f"{(due - issued).days} days (from {_written(issued)} to {_written(due)})"


def _time_between(pairs: Sequence[Pair]) -> str:
    """The hours between the only time that a page names a start and the only one that it names an end."""
    starts, ends = _clocks(pairs, STARTS), _clocks(pairs, ENDS)
    if len(starts) != 1 or len(ends) != 1:
        return ""
    (start, first), (end, last) = *starts.items(), *ends.items()
    hours, minutes = divmod(end - start, 60)
    length = " ".join(part for part in (f"{hours} h" * bool(hours), f"{minutes} min" * bool(minutes)) if part)
    return f"{length} (from {first} to {last})" if end > start else ""


def _dated(pairs: Sequence[Pair], name: re.Pattern[str]) -> datetime | None:
    """The only date of a page with such a name; None if there are several."""
    days = {
        day
        for pair in pairs
        if pair.relation in ("colon", "right", "below") and name.search(pair.name)
        for day in _days(pair.value)
    }
    return days.pop() if len(days) == 1 else None


def _days(text: str) -> list[datetime]:
    return [day for match in DATE.finditer(text) if (day := day_of(match[0])) is not None]


def day_of(text: str) -> datetime | None:
    """The day of a date as `FORMATS` have it; None for any other text."""
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)|[,]|(?<=[a-z])\.", "", text)
    for format in FORMATS:
        try:
            return datetime.strptime(plain, format)
        except ValueError:
            continue
    return None


def _term(pairs: Sequence[Pair]) -> timedelta | None:
    terms = {length(match) for pair in pairs for match in TERM.finditer(pair.text)}
    return terms.pop() if len(terms) == 1 else None


def length(match: re.Match[str]) -> timedelta:
    """How long a term is that `TERM` found."""
    number, unit = (group for group in match.groups() if group)
    return timedelta(weeks=int(number)) if unit.lower() == "week" else timedelta(days=int(number))


def _clocks(pairs: Sequence[Pair], name: re.Pattern[str]) -> dict[int, str]:
    """The minutes since midnight, with their wording, of the times with such a name."""
    return {
        (int(match[1]) % 12 + 12 * (match[3].lower() == "pm") if match[3] else int(match[1])) * 60
        + int(match[2]): match[0]
        for pair in pairs
        if pair.relation in ("colon", "right", "below")
        and name.fullmatch(re.sub(r"\s?time$", "", pair.name, flags=re.IGNORECASE))
        for match in CLOCK.finditer(pair.value)
    }


def _written(day: datetime) -> str:
    return f"{day.day} {day:%B %Y}"


def is_issue_date(query: Query, pair: Pair) -> bool:
    """Whether a pair is the date of a page's issue while a question asks until when to pay."""
    lemmas = {token.lemma_.lower() for token in query.parsed}
    return bool(lemmas & PAYING) and query.asked.types[0] in ("date", "time") and bool(ISSUED.search(pair.name))
