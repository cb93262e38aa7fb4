"""Rotas: tables with a row for each person and a column for each day, whose cells are a few codes for shifts.

A question about who works when is about the same cells one below another: person, day and shift. The letters stand for
the usual shifts by their first letter ("N" for night), which the answer says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_words import WEEKDAYS as DAYS

DAY, SHIFT = "day", "shift"
MAX_CODES = 8
_SHIFTS = ("early", "late", "night", "day", "morning", "afternoon", "evening", "off")
_OFF = frozenset(["", "-", "–", "—", "off", "o", "free", "x", "0", "rest"])
_FREE = re.compile(r"\b(?:off|free)\b|\b(?:(?:does|do|is|are) ?n[o']t|not) work(?:ing)?\b", re.I)
_WORKS = re.compile(r"\bwork(?:s|ing|ed)?\b|\bon (?:duty|shift)\b", re.I)
_WHAT = re.compile(r"^\W*+(?:and )?(?:what|which shift)\b", re.I)
_DOES = re.compile(r"\b(?:what|which shift|is|do|does|doing|did|works?|working|have|has)\b", re.I)
_THIS_WEEK = re.compile(r"\s*+\b(?:this|that|the) week\b", re.I)
_WEEKEND = re.compile(r"\b(?:at|on|over) the weekend\b", re.I)


def day_of(name: str) -> str:
    """The weekday that a name or an abbreviation of at least two letters means, in full; "" for another word."""
    word = name.casefold().rstrip(".")
    return next((day for day in DAYS if len(word) > 1 and (day.startswith(word) or day + "s" == word)), "")


def read_rota(table: TypedTable, question: str, is_further: bool = False) -> tuple[TypedTable, str, list[str]] | None:
    """The table of a rota with a row for each person and day, the question in its words, and notes; None for another
    table or a question about anything else. One that `is_further`, after another about shifts, may only name a day.
    """
    days = {day: column for column in table.columns if (day := day_of(column.name))}
    codes = {cell for column in days.values() for cell in column.distinct}
    others = [column for column in table.columns if column not in days.values()]
    if (
        len(days) < 3
        or not others
        or len(codes) > MAX_CODES
        or any(c.type not in ("text", "flag") for c in days.values())
    ):
        return None
    asked, notes = _in_words_of(question, days, codes, is_further)
    return (_long(table.title, others[0], days), asked, notes) if asked else None


def _in_words_of(question: str, days: Mapping[str, Column], codes: set[str], is_further: bool) -> tuple[str, list[str]]:
    """A question with its days and shifts named as the cells name them, "" where it names neither; and notes."""
    notes: list[str] = []
    asked, named_days = _THIS_WEEK.sub("", question), 0
    asked = _WEEKEND.sub(" or ".join(f'"{days[d].name}"' for d in DAYS[5:] if d in days), asked)
    for day, column in days.items():
        short = "|".join((day, re.escape(column.name)))
        asked, number = re.subn(rf'(?<!["\w])(?:on )?(?:{short})s?\b(?!")', f'"{column.name}"', asked, flags=re.I)
        named_days += number
    shift = ""
    for word in _SHIFTS[:-1]:
        code = _code(word, codes)
        pattern = re.compile(rf"\b{word}s?(?: shifts?| duty){'' if word == 'day' else '?'}\b", re.I)
        if code and (said := pattern.search(asked)):
            asked, shift = pattern.sub(f'"{code}"', asked), code
            notes += [f"I took “{said[0]}” to mean {code}."] * (said[0].casefold() != code.casefold())
    if shift or _FREE.search(asked):
        return (asked if shift else _FREE.sub('"off"', asked)), notes
    if named_days and _WHAT.search(asked):
        return f"{SHIFT} of {_DOES.sub('', asked)}", notes
    if _WORKS.search(asked):
        return _WORKS.sub('not "off"', asked), notes
    return asked if is_further and named_days else "", notes


def _code(word: str, codes: set[str]) -> str:
    """The code of a shift: its word, or the only code that it begins with."""
    fitting = [code for code in codes if code.casefold() not in _OFF and word.startswith(code.casefold())]
    return fitting[0] if len(fitting) == 1 else ""


def _long(title: str, person: Column, days: Mapping[str, Column]) -> TypedTable:
    """A row for each person and day."""
    names: list[str] = []
    places: list[str] = []
    shifts: list[str] = []
    for at, name in enumerate(person.cells):
        for column in days.values():
            cell = column.cells[at]
            names.append(name)
            places.append(column.name)
            shifts.append("off" if cell.casefold() in _OFF else cell)
    columns = ((person.name, names), (DAY, places), (SHIFT, shifts))
    return TypedTable(tuple(Column(name, "text", cells, cells) for name, cells in columns), title)
