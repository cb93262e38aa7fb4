"""Months, weekdays and years of a table's dates, as columns of their own where a question speaks of them.

A question groups and filters by them as by any other column: "which month was the dearest", "who works on Sundays",
"the average per weekday".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from hugginggpt.core.quantities import ONES
from hugginggpt.experts.table_columns import Column, is_calendar
from hugginggpt.experts.table_query import Filter
from hugginggpt.experts.table_rewording import Rewording
from hugginggpt.experts.table_words import MONTHS, PLANNED, WEEKDAYS

_DAY = "|".join(WEEKDAYS)
_MONTH = "|".join(MONTHS)
_WEEKEND = re.compile(r"\b(?:(?:on|at|over|during) )?(?:the |a )?weekends?\b", re.I)
_DAY_OF_WEEK = re.compile(r"\bdays? of the week\b", re.I)
_NOT_THIS = r"(?<!\blast )(?<!\bthis )(?<!\bnext )(?<!\bpast )(?<!\bprevious )(?<!\d )"
_PERIODS: dict[str, tuple[re.Pattern[str], Callable[[datetime], str]]] = {
    "weekday": (
        re.compile(rf"\bweekdays?\b|\b(?:{_DAY})s?\b", re.I),
        lambda day: WEEKDAYS[day.weekday()].capitalize(),
    ),
    "month": (
        re.compile(rf"{_NOT_THIS}\bmonths?\b|\bmonthly\b|\b(?:{_MONTH})\b.*\b(?:{_MONTH})\b", re.I),
        lambda day: f"{day:%B %Y}",
    ),
    "year": (
        re.compile(r"\b(?:per|by|each|every|which|what|in what|in which) years?\b|\byearly\b", re.I),
        lambda day: f"{day:%Y}",
    ),
}
"""The words that speak of a period, and the period of a day."""
_WHOLE = re.compile(
    r"\b(?:(?:in|over|during|for|of|across|throughout|on) )?(?:all )?(?:of )?(?:the|this|these|those|that|our|my|all) "
    rf"(?:(?:whole|entire|full|same|last|past) )*(?:(?P<number>{'|'.join(ONES[1:])}|\d+) )?"
    r"(?P<period>day|week|month|quarter|year)s?\b"
    r"(?! of\b)(?!['’])",
    re.I,
)
_CONTAINER = re.compile(
    r"\b(?:in|on|from|of|according to|within) (?:this|the|my|our|that|these|your) (?:\w+ )?"
    r"(?P<noun>plan|list|overview|log|diary|register|roster|rota|schedule|chart|ledger|notes|record|document|export)s?\b"
    r"(?= *(?:[?.!,;:]|$|and\b|have\b|has\b|are\b|is\b))",
    re.I,
)
"""What a table is called by the one who asks."""
_ORDINAL = re.compile(
    rf"\bon (?:the )?(?P<day>\d{{1,2}})(?P<end>st|nd|rd|th)\b(?! (?:of )?(?:{_MONTH})\b)"
    r"(?= *(?:[?.!,;:]|$|(?:and|or|but|was|were|did|in|at|by)\b))",
    re.I,
)
_TENS = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
_DECADE = re.compile(
    rf"\b(?:from|in|of|during) the (?:(?P<century>18|19|20)?(?P<ten>\d)0['’]?s|(?P<word>{'|'.join(_TENS)}))\b|"
    r"\b(?:from|in) (?P<century2>18|19|20)(?P<ten2>\d)0['’]?s\b",
    re.I,
)
_ADVERBS = {"monthly": "by month", "yearly": "by year"}


def _with_decade(one: Rewording) -> None:
    """ "From the seventies": the years from 1970 to 1979, of the only column of years or dates."""
    found = _DECADE.search(one.question)
    told = [column for column in one.table.columns if column.is_year or column.type == "date"]
    if found is None or len(told) != 1:
        return
    ten = _TENS.index(found["word"].lower()) + 2 if found["word"] else int(found["ten"] or found["ten2"])
    century = int(found["century"] or found["century2"] or (19 if ten > 2 else 20))
    first = century * 100 + ten * 10
    is_year = told[0].is_year
    low, high = (first, first + 9) if is_year else (datetime(first, 1, 1), datetime(first + 9, 12, 31, 23, 59, 59))
    one.filters.append((Filter(told[0].name, "between", (low, high)),))
    one.put(_DECADE, "")


def _every_one(one: Rewording) -> None:
    """ "In the two harvests", of a table that has no others."""
    for column in one.table.columns:
        names = "|".join(re.escape(word) for word in column.words if len(word) > 2)
        held = len(column.distinct)
        said = f"{held}|{ONES[held]}" if held < len(ONES) else str(held)
        if held > 1 and names and column.type in ("text", "date"):  # "in the two harvests"
            led = r"(?:in|over|during|across|throughout) (?:all )?(?:of )?(?:the|these|those|both|all)"
            one.put(re.compile(rf"\b{led} (?:{said}) (?:{names})(?:e?s)?\b", re.I), " ")


def _held_in(one: Rewording) -> None:
    """ "In this plan", "on our list": the table itself."""
    if (found := _CONTAINER.search(one.question)) and not one.says(found["noun"]):
        one.put(_CONTAINER, " ")


def _whole_period(one: Rewording) -> None:
    """ "This week", "over these three days": all rows, where the table has no others."""
    for found in _WHOLE.finditer(one.question):
        said = (found["number"] or "").lower()
        number = int(said) if said.isdigit() else ONES.index(said) if said else 0
        period = found["period"].lower()
        is_named = any(column.words == (period,) for column in one.table.columns)
        is_timeless = not number and not is_named and not any(map(_tells_time, one.table.columns))
        if is_timeless or any(_is_all_of(column, period, number) for column in one.table.columns):
            one.put(re.compile(re.escape(found[0])), " ")
            return


def _tells_time(column: Column) -> bool:
    """Whether a column says when a row was; the years in which something was born or bought do not."""
    return column.type == "date" or is_calendar(column) or (column.is_year and set(column.words) <= {"year", "jahr"})


def _is_all_of(column: Column, period: str, number: int) -> bool:
    """Whether a column of dates, weekdays or months has just one of a period, or as many as are told."""
    if column.type == "date" and column.present and not PLANNED & column.senses:
        days = {day.date() for day in column.present}
        first, last = min(days), max(days)
        held = {"day": len(days), "week": -(-((last - first).days + 1) // 7),
                "month": 12 * (last.year - first.year) + last.month - first.month + 1,
                "quarter": 4 * (last.year - first.year) + (last.month - 1) // 3 - (first.month - 1) // 3 + 1,
                "year": last.year - first.year + 1}  # fmt: skip
        return bool(held[period] == (number or 1))
    if not is_calendar(column) or not column.distinct:
        return False
    is_of_days = any(cell.casefold()[:3] in {day[:3] for day in WEEKDAYS} for cell in column.distinct)
    unit, longer = ("day", "week") if is_of_days else ("month", "year")
    return (period == unit and number == len(column.distinct)) or (period == longer and number < 2)


def with_periods(one: Rewording) -> None:
    """Adds the periods that a question speaks of, of the only column with dates, of what was
    done, or without gaps."""
    _every_one(one)
    _held_in(one)
    _whole_period(one)
    _with_decade(one)
    dates = [column for column in one.table.columns if column.type == "date"]
    dates = dates if len(dates) == 1 else [column for column in dates if not PLANNED & column.senses]
    dates = dates if len(dates) == 1 else [column for column in dates if len(column.present) == len(column.cells)]
    if len(dates) != 1 or not dates[0].present:
        return
    if not one.says("weekend", "weekday", *(day for day in WEEKDAYS)):
        one.put(_DAY_OF_WEEK, "weekday")
        one.put(_WEEKEND, 'on "Saturday" or "Sunday"', "I took “{said}” to mean Saturday and Sunday.")
    _day_of_month(one, dates[0])
    for name, (said, period_of) in _PERIODS.items():
        if said.search(one.question) and not one.says(name):
            one.add(_periods(name, dates[0], period_of))
    for adverb, words in _ADVERBS.items():
        one.put(re.compile(rf"\b{adverb}\b", re.I), words)


def _day_of_month(one: Rewording, dates: Column) -> None:
    """ "On the 3rd", of a table in whose dates there is only one such day."""
    found = _ORDINAL.search(one.question)
    days = {day.date() for day in dates.present if found and day.day == int(found["day"])}
    if found and len(days) == 1 and not one.says(found["day"] + found["end"]):
        one.put(_ORDINAL, f"on {days.pop():%Y-%m-%d}")


def _periods(name: str, dates: Column, period_of: Callable[[datetime], str]) -> Column:
    days = sorted(dates.present, key=datetime.weekday if name == "weekday" else None)
    values = [None if day is None else period_of(day) for day in dates.values]
    cells = [value or "" for value in values]
    return Column(name, "text", cells, values, computed=True, order=tuple(dict.fromkeys(map(period_of, days))))
