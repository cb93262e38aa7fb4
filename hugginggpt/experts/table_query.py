"""Queries over a table as data, the rows for which their conditions hold, and these conditions in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from hugginggpt.experts.table_columns import TypedTable

if TYPE_CHECKING:
    import pandas

Operation = Literal[
    "describe",  # the shape, the columns and the first rows
    "columns",  # the names of the columns
    "rows",  # the rows, sorted where there is an order
    "count",  # the number of rows
    "distinct",  # the different values of the column
    "count distinct",
    "sum", "mean", "median", "minimum", "maximum", "range", "deviation",
    "extreme",  # the rows with the highest or lowest value of the column
    "value",  # the column's values, as they stand
    "share",  # the part of the rows, or of the sum of the column, that fits the filters
    "difference",  # of the column, between the rows of two filters
    "without",  # the values of the column of which no row fits the other filters
]  # fmt: skip
Relation = Literal["in", "<", "<=", ">", ">=", "between", "contains", "missing", "below column"]
MAX_LISTED = 12
"""So many values are listed in a sentence; more are shown as rows only."""
_RELATION_WORDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", "==": "equal to", "!=": "other than"}
_TIME_WORDS = {"<": "before", "<=": "until", ">": "after", ">=": "from"}


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a column; `values` are cells for "in" and "contains", else numbers, dates or (dates) periods.

    "below column" compares with another column, `values` being its name and one of the relations.
    """

    column: str
    relation: Relation
    values: tuple[Any, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What is to be computed. All groups of `filters` must hold, and of each group one.

    `group` computes for each value of a column; of the groups `pick` takes the highest or lowest. `order` sorts rows,
    those alike by `then`, and `n` limits them. `others` are two filters for a difference.
    """

    operation: Operation
    column: str = ""
    filters: tuple[tuple[Filter, ...], ...] = ()
    group: str = ""
    order: str = ""
    then: tuple[str, ...] = ()
    descending: bool = True
    pick: bool = False
    n: int = 0
    wanted: tuple[str, ...] = ()
    others: tuple[Filter, ...] = ()
    within: tuple[tuple[Filter, ...], ...] = ()
    """Those of the filters that say of which rows a share is asked."""
    rank: int = 0
    """2 for the second highest."""
    having: tuple[str, float] | None = None
    """The relation and the bound within which the number of a group must be."""
    averaged: bool = False
    """Whether the mean of the groups' sums is asked for."""
    totals: bool = False
    """Whether the sum of what is listed is asked for as well: "what did we spend"."""


def fitting_rows(table: TypedTable, filters: Iterable[tuple[Filter, ...]]) -> pandas.DataFrame:
    """The rows for which all groups of filters hold."""
    return table.frame[mask(table, filters)]


def mask(table: TypedTable, filters: Iterable[tuple[Filter, ...]]) -> Any:
    import pandas

    kept = pandas.Series(True, index=table.frame.index)
    for alternatives in filters:
        some = pandas.Series(False, index=table.frame.index)
        for one in alternatives:
            some |= _holds(table, one)
        kept &= some
    return kept


def _holds(table: TypedTable, one: Filter) -> Any:
    """The rows for which a filter holds; a missing value fits no condition, negated or not."""
    values, present = table.frame[one.column], table.frame[one.column].notna()
    if one.relation == "missing":
        return present if one.negated else ~present
    if one.relation == "in":
        holds = values.isin(list(one.values))
    elif one.relation == "contains":
        text = values.astype(str).str.casefold()
        holds = text.str.contains(rf"(?<!\w){re.escape(str(one.values[0]).casefold())}(?!\w)", regex=True)
    elif one.relation == "between":
        low, high = one.values
        holds = (values >= low) & (values <= high)
    elif one.relation == "below column":
        other, relation = one.values
        holds = _compared(values, relation, table.frame[other])
    else:
        holds = _compared(values, one.relation, one.values[0])
    return (~holds if one.negated else holds) & present


def _compared(values: Any, relation: str, bound: Any) -> Any:
    if relation == "<":
        return values < bound
    if relation == "<=":
        return values <= bound
    if relation in ("==", "!="):
        return values == bound if relation == "==" else values != bound
    return values > bound if relation == ">" else values >= bound


def conditions(table: TypedTable, filters: Iterable[tuple[Filter, ...]]) -> str:
    """ " where City is Oslo and Salary is above 50,000", or ""."""
    parts = [" or ".join(dict.fromkeys(_condition(table, one) for one in alternatives)) for alternatives in filters]
    return f" where {' and '.join(parts)}" if parts else ""


def _condition(table: TypedTable, one: Filter) -> str:
    column, no = table[one.column], "not " if one.negated else ""
    if one.relation == "missing":
        return f"{column.title} {'has a' if one.negated else 'has no'} value"
    shown = [column.shown(value) for value in one.values] if one.relation not in ("contains", "below column") else []
    if one.relation == "contains":
        return f"{column.title} {'does not contain' if no else 'contains'} “{one.values[0]}”"
    if one.relation == "below column":
        words = (
            _TIME_WORDS | {"<=": "not after"}
            if column.type == "date" and one.values[1] in _TIME_WORDS
            else _RELATION_WORDS
        )
        return f"{column.title} is {words[one.values[1]]} {one.values[0]}"
    if one.relation == "between":
        period = shown[0] if shown[0] == shown[1] else _period(*one.values) or f"from {shown[0]} to {shown[1]}"
        return f"{column.title} is {no}{period}"
    listed = " or ".join(shown[:MAX_LISTED]) + (" …" if len(shown) > MAX_LISTED else "")
    if one.relation == "in":
        return f"{column.title} is {no}{listed}"
    words = _TIME_WORDS if column.type == "date" or column.is_year else _RELATION_WORDS
    return f"{column.title} is {no}{words[one.relation]} {shown[0]}"


def _period(low: Any, high: Any) -> str:
    """A whole month or year as people say it: "in June 2025"; "" for another span."""
    if not isinstance(low, datetime) or low.day != 1 or (high + timedelta(days=1)).day != 1:
        return ""
    if (low.year, low.month) == (high.year, high.month):
        return f"in {low:%B %Y}"
    return f"in {low.year}" if (low.year, low.month, high.month) == (high.year, 1, 12) else ""


def rows_of(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"
