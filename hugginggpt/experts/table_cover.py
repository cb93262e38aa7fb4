"""What came in beside what was spent, as two columns, two groups of a column or two sheets: whether it covers that, and
what is left.

"Did the fees that came in cover our expenses?", "are the takings enough for the rent?", "what is the surplus?"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hugginggpt.experts.table_accounts import CAME_IN, EXPENSES, INCOME, LEFT, WENT_OUT, is_expense, is_income
from hugginggpt.experts.table_columns import Column, TypedTable, shown_number, typed, written_like
from hugginggpt.experts.table_meaning import MeaningReader
from hugginggpt.experts.table_tokens import tokens_of
from hugginggpt.experts.table_words import stem
from hugginggpt.media.tables import NamedTable

_COVERS = re.compile(
    r"\b(?:do|does|did|is|are|was|were|will|would|have|has)\b(?P<left>.{3,80}?)\b"
    r"(?:cover(?:s|ed)?|enough (?:for|to (?:pay|cover|meet))(?: for)?|pays? for|more than|exceed(?:s|ed)?)\b"
    r"(?P<right>[^?.;]{3,80})",
    re.I,
)
_IS_IN = re.compile(r"\b(?:came|come|comes|coming) in\b|\b(?:paid|received|collected|got|so far|taken in|took)\b", re.I)
_FORMULA = re.compile(r"\w (?:minus|less|moins|menos|减) ?\w", re.I)
"""What says itself what is taken from what."""


@dataclass(frozen=True)
class _Sum:
    """What is on one side: what it is called, and how much."""

    name: str
    amount: float


def covered(tables: Sequence[NamedTable], line: str) -> dict[str, Any] | None:
    """The answer with both sums and what is over or short; None where that is not asked or a side is not clear."""
    found = _COVERS.search(line)
    if found is None:
        return None
    sheets = [(typed(one.columns), one.place.get("name", "")) for one in tables]
    left, right = _stems(found["left"]), _stems(found["right"])
    came_in = bool(_IS_IN.search(found["left"]))
    for table, _ in sheets:
        sides = _columns(table, left, right) or _groups(table, left, right)
        if sides:
            return _told(*sides)
    if len(sheets) < 2:
        return None
    second = [one for one in sheets if _is_of(one, right, WENT_OUT)]
    first = [one for one in sheets if one not in second and (len(sheets) == 2 or _is_of(one, left, CAME_IN))]
    if len(first) != 1 or len(second) != 1:
        return None
    gained, spent = _sum(*first[0], came_in), _sum(*second[0], False)
    return _told(gained, spent) if gained and spent else None


def left_over(tables: Sequence[NamedTable], line: str) -> dict[str, Any] | None:
    """What is left of all income after all expenses; None where that is not asked, something is a condition, or it is
    not clear what came in and what went out.
    """
    sheets = [(typed(one.columns), one.place.get("name", "")) for one in tables]
    if (
        not LEFT.search(line)
        or _FORMULA.search(line)
        or not all(_is_of_all(table, LEFT.sub(" ", line)) for table, _ in sheets)
    ):
        return None
    for table, _ in sheets:
        gained = [column for column in table.columns if is_income(column)]
        spent = [column for column in table.columns if is_expense(column)]
        if len(gained) == len(spent) == 1:
            return _difference(table, *(_Sum(one.name, float(sum(one.present))) for one in (*gained, *spent)))
        if sides := _groups(table, set(map(stem, INCOME | {"in"})), set(map(stem, EXPENSES | {"out"}))):
            return _difference(table, *sides)
    out = [one for one in sheets if _is_called(one, WENT_OUT)]
    came = [one for one in sheets if one not in out and _is_called(one, CAME_IN)]
    if len(out) != 1 or len(came) != 1:
        return None
    sums = _sum(*came[0], True), _sum(*out[0], False)
    return _difference(came[0][0], sums[0], sums[1]) if sums[0] and sums[1] else None


def _is_of_all(table: TypedTable, line: str) -> bool:
    """Whether a question names no cell, number or month of a table, so that it is about all of it."""
    mentions = MeaningReader(table, line).read()
    return not any(
        one.kind in ("value", "number", "date", "month", "superlative", "text") for one in mentions
    ) and not any(one.is_word("super", "group", "share", "compare") for one in mentions)


def _is_called(sheet: tuple[TypedTable, str], words: frozenset[str]) -> bool:
    """Whether a sheet's name has one of the words."""
    return bool(_stems(sheet[1]) & set(map(stem, words)))


def _stems(text: str) -> set[str]:
    return {token.stem for token in tokens_of(text)}


def _is_of(sheet: tuple[TypedTable, str], words: set[str], kind: frozenset[str]) -> bool:
    """Whether a sheet is called by one of the words, or both are of a kind."""
    own = _stems(sheet[1]) | {stem(word) for column in sheet[0].columns for word in column.senses}
    kinds = {stem(word) for word in kind}
    return bool(_stems(sheet[1]) & words) or bool(own & kinds and words & kinds)


def _sum(table: TypedTable, name: str, came_in: bool) -> _Sum | None:
    """The sum of the only amounts of a sheet; of what came in only what was paid."""
    measures = [column for column in table.columns if column.is_measure]
    paid = [column for column in table.columns if {"paid", "received", "bezahlt"} & column.senses]
    amounts = [column for column in measures if column not in paid] or measures
    if came_in and len(paid) == 1 and paid[0].is_measure:
        amounts = paid
    if len(amounts) != 1:
        return None
    (column,) = amounts
    is_paid = came_in and len(paid) == 1 and paid[0].type == "flag"
    rows = [at for at in range(table.size) if column.values[at] is not None and (not is_paid or paid[0].values[at])]
    where = f" where {paid[0].name} is {paid[0].shown(True)}" if is_paid else ""
    return _Sum(
        f"{column.name}{where} (sheet “{name}”)" if name else f"{column.name}{where}",
        sum(column.values[at] for at in rows),
    )


def _columns(table: TypedTable, left: set[str], right: set[str]) -> tuple[_Sum, _Sum] | None:
    """Two columns of numbers of a table."""
    measures = [column for column in table.columns if column.is_measure]
    sides = [[one for one in measures if set(map(stem, one.senses)) & words] for words in (left, right)]
    if [len(side) for side in sides] != [1, 1] or sides[0] == sides[1]:
        return None
    one, other = (_Sum(side[0].name, float(sum(side[0].present))) for side in sides)
    return one, other


def _groups(table: TypedTable, left: set[str], right: set[str]) -> tuple[_Sum, _Sum] | None:
    """Two groups of the rows of a table, by the cells of a column: income and expense."""
    measures = [column for column in table.columns if column.is_measure]
    if len(measures) != 1:
        return None
    for column in table.columns:
        sides = list(_cells(column, left, right)) if column.type == "text" else []
        if len(sides) == 2 and sides[0] != sides[1]:
            one, other = (
                _Sum(
                    cell,
                    sum(abs(v or 0) for v, own in zip(measures[0].values, column.cells, strict=True) if own == cell),
                )
                for cell in sides
            )
            return one, other
    return None


def _cells(column: Column, *sides: set[str]) -> Iterator[str]:
    for words in sides:
        held = [cell for cell in column.distinct if _stems(cell) & words]
        if len(held) == 1:
            yield held[0]


def _difference(table: TypedTable, first: _Sum, second: _Sum) -> dict[str, Any]:
    rest = first.amount - second.amount
    with written_like(table):
        one, other, left = (shown_number(value) for value in (first.amount, second.amount, rest))
    answer = f"{left}: {first.name} comes to {one}, {second.name} to {other}."
    return {"answer": answer, "cells": [left], "columns": [], "rows": [], "aggregator": "NONE", "where": []}


def _told(first: _Sum, second: _Sum) -> dict[str, Any]:
    over = first.amount - second.amount
    one, other, rest = (shown_number(value) for value in (first.amount, second.amount, abs(over)))
    more = f"{rest} is left over" if over > 0 else f"{rest} is missing" if over < 0 else "nothing is left over"
    answer = f"{'Yes' if over >= 0 else 'No'}: {first.name} comes to {one}, {second.name} to {other}, so that {more}."
    return {"answer": answer, "cells": [one, other], "columns": [], "rows": [], "aggregator": "NONE", "where": []}
