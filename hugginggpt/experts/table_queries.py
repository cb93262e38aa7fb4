"""Queries over a table as data, and their evaluation by pandas into an answer that says how it was computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_columns import Column, TypedTable, shown_number

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
]  # fmt: skip
Relation = Literal["in", "<", "<=", ">", ">=", "between", "contains", "missing", "below column"]
MAX_LISTED = 12
"""So many values are listed in a sentence; more are shown as rows only."""
AGGREGATORS: dict[str, str] = {"sum": "SUM", "mean": "AVERAGE", "count": "COUNT"}
"""The names that table models of the Hub have for operations; all others are "NONE"."""
_WORDS = {
    "sum": "sum", "mean": "mean", "median": "median", "minimum": "lowest", "maximum": "highest",
    "deviation": "standard deviation",
}  # fmt: skip
_RELATION_WORDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", "==": "equal to", "!=": "other than"}
_RANKS = ("", "", "second", "third", "fourth", "fifth", "sixth")
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


def evaluate(table: TypedTable, query: Query, is_yes_or_no: bool = False) -> dict[str, Any]:
    """{"answer", "cells", "aggregator", "columns", "rows"}: the answer in words, and the cells and rows it is about.

    Raises ExpertUnavailable where there is nothing to compute with.
    """
    evaluator = _evaluator(table, query)
    answer = evaluator.grouped() if query.group else _OPERATIONS[query.operation](evaluator)
    if is_yes_or_no and query.filters and query.operation in ("rows", "count"):
        answer["answer"] = (
            f"{'No' if evaluator.kept.empty else 'Yes'}: {answer['answer'][0].lower()}{answer['answer'][1:]}"
        )
    return {"cells": [], "columns": [], "rows": [], "aggregator": AGGREGATORS.get(query.operation, "NONE"), **answer}


def chosen_rows(table: TypedTable, query: Query) -> list[int]:
    """The numbers of the rows that a query asks for, in its order."""
    return list(_evaluator(table, query).ordered().index)


def by_group(table: TypedTable, query: Query) -> tuple[str, dict[str, float]]:
    """What is computed for each value of the group's column, in words, and the numbers, in the order of an answer."""
    return _evaluator(table, query).group_values()


def _evaluator(table: TypedTable, query: Query) -> _Evaluator:
    kept = table.frame[_mask(table, query.filters)]
    return _Evaluator(table, query, kept, conditions(table, query.filters))


_in_full: ContextVar[bool] = ContextVar("in_full", default=False)


@contextmanager
def in_full() -> Iterator[None]:
    """Within it, answers hold all rows that they are about, with all columns, or those that were asked for by name."""
    token = _in_full.set(True)
    try:
        yield
    finally:
        _in_full.reset(token)


def fitting_rows(table: TypedTable, filters: Iterable[tuple[Filter, ...]]) -> pandas.DataFrame:
    """The rows for which all groups of filters hold."""
    return table.frame[_mask(table, filters)]


def _mask(table: TypedTable, filters: Iterable[tuple[Filter, ...]]) -> Any:
    import pandas

    mask = pandas.Series(True, index=table.frame.index)
    for alternatives in filters:
        some = pandas.Series(False, index=table.frame.index)
        for one in alternatives:
            some |= _holds(table, one)
        mask &= some
    return mask


def _holds(table: TypedTable, one: Filter) -> Any:
    """The rows for which a filter holds; a missing value fits no condition, negated or not."""
    values, present = table.frame[one.column], table.frame[one.column].notna()
    if one.relation == "missing":
        return present if one.negated else ~present
    if one.relation == "in":
        holds = values.isin(list(one.values))
    elif one.relation == "contains":
        text = values.astype(str).str.casefold()
        holds = text.str.contains(rf"(?<!\w){_escaped(str(one.values[0]).casefold())}(?!\w)", regex=True)
    elif one.relation == "between":
        low, high = one.values
        holds = (values >= low) & (values <= high)
    elif one.relation == "below column":
        other, relation = one.values
        holds = _compared(values, relation, table.frame[other])
    else:
        holds = _compared(values, one.relation, one.values[0])
    return (~holds if one.negated else holds) & present


def _escaped(text: str) -> str:
    import re

    return re.escape(text)


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
        period = shown[0] if shown[0] == shown[1] else f"from {shown[0]} to {shown[1]}"
        return f"{column.title} is {no}{period}"
    listed = " or ".join(shown[:MAX_LISTED]) + (" …" if len(shown) > MAX_LISTED else "")
    if one.relation == "in":
        return f"{column.title} is {no}{listed}"
    words = _TIME_WORDS if column.type == "date" or column.is_year else _RELATION_WORDS
    return f"{column.title} is {no}{words[one.relation]} {shown[0]}"


def _rows_of(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


@dataclass(frozen=True)
class _Evaluator:
    """The evaluation of one query: `kept` are the rows that fit its filters, `where` says so in words."""

    table: TypedTable
    query: Query
    kept: pandas.DataFrame
    where: str

    @property
    def column(self) -> Column:
        return self.table[self.query.column]

    def _label(self, index: Any) -> str:
        return " ".join(label.shown(label.values[index]) for label in self.table.labels)

    def _shown_rows(self, frame: pandas.DataFrame) -> dict[str, Any]:
        """Rows as cells: all columns of a narrow table; of a wide one those that the query is about."""
        names = self.table.names
        if _in_full.get():
            asked = {self.query.column, *self.query.wanted} if self.query.operation in ("value", "rows") else set()
            names = [name for name in names if name in asked] or names
            return {"columns": names, "rows": [[self.table[name].cells[at] for name in names] for at in frame.index]}
        if len(names) > 6:
            used = {one.column for group in self.query.filters for one in group}
            about = {label.name for label in self.table.labels} | used | {self.query.column, self.query.order}
            about |= set(self.query.wanted)
            names = sorted(names, key=lambda name: name not in about)[: max(6, len(about))]
            names = [name for name in self.table.names if name in names]
        rows = [[self.table[name].cells[index] for name in names] for index in frame.index[:100]]
        return {"columns": names, "rows": rows}

    def describe(self) -> dict[str, Any]:
        table = self.table
        listed = ", ".join(f"{column.title} ({_about(column)})" for column in table.columns)
        answer = f"The table has {_rows_of(table.size)} and {len(table.columns)} columns: {listed}. It begins:"
        begin = [[column.cells[index] for column in table.columns] for index in range(min(5, table.size))]
        if _in_full.get():
            return {"answer": answer, **self._shown_rows(table.frame)}
        return {"answer": answer, "columns": table.names, "rows": begin}

    def columns(self) -> dict[str, Any]:
        names = self.table.names
        return {"answer": f"The table has {len(names)} columns: {', '.join(names)}.", "cells": names}

    def count(self) -> dict[str, Any]:
        number = len(self.kept)
        if not self.where and not _in_full.get():
            return {"answer": f"The table has {_rows_of(number)}.", "cells": [str(number)], **_number(number)}
        verb = "is" if number == 1 else "are"
        shown = self._shown_rows(self.kept) if 0 < number <= MAX_LISTED or _in_full.get() else {}
        return {
            "answer": f"There {verb} {_rows_of(number) if number else 'no rows (0)'}{self.where}.",
            "cells": [str(number)],
            **_number(number),
            **shown,
        }

    def distinct(self) -> dict[str, Any]:
        cells = list(dict.fromkeys(self.column.cells[index] for index in self._present().index))
        shown = ", ".join(cells[: MAX_LISTED * 2]) + (" …" if len(cells) > MAX_LISTED * 2 else "")
        noun = "value" if len(cells) == 1 else "different values"
        only = self.column.values[self._present().index[0]] if len(cells) == 1 else None
        answer = f"{self.column.title} has {len(cells):,} {noun}{self.where}: {shown}."
        return {"answer": answer, "cells": cells, **_number(only)}

    def count_distinct(self) -> dict[str, Any]:
        answer = self.distinct()
        rows = len(self._present())
        return (
            {**answer, "answer": f"There are {_rows_of(rows)}{self.where}. {answer['answer']}"}
            if self.where
            else answer
        )

    def _present(self) -> pandas.DataFrame:
        """The rows that have a value in the column. Raises ExpertUnavailable where none has."""
        if self.kept.empty:
            raise ExpertUnavailable(f"The table has no row{self.where}.")
        present = self.kept[self.kept[self.query.column].notna()]
        if present.empty:
            raise ExpertUnavailable(f"{self.column.title} has no value{self.where}.")
        return present

    def aggregate(self) -> dict[str, Any]:
        """ "The mean of price over 12 rows is 143.50."""
        operation, column = self.query.operation, self.column
        values = self._present()[column.name]
        result = _aggregated(values, operation, column)
        missing = len(self.kept) - len(values)
        without = f" ({_rows_of(missing)} without a value left out)" if missing else ""
        cells = [column.cells[index] for index in values.index]
        of, whose = "of ", ""
        if operation in ("minimum", "maximum"):
            holders = [self._label(index) for index in values.index[values == result]]
            named = f" ({', '.join(holders[:3])}{' …' if len(holders) > 3 else ''})"
            of, whose = "", "" if column in self.table.labels else named
        over = f"over {_rows_of(len(values))}{self.where}{without}"
        word = self._direction(operation == "maximum") if whose else _WORDS[operation]
        answer = f"The {word} {of}{column.title} {over} is {column.shown(result)}{whose}."
        return {"answer": answer, "cells": cells, **_number(result)}

    def range(self) -> dict[str, Any]:
        values, column = self._present()[self.query.column], self.column
        low, high = column.shown(_plain(values.min())), column.shown(_plain(values.max()))
        width = f" (a range of {column.shown(_plain(values.max() - values.min()))})" if column.type == "number" else ""
        answer = f"{column.title} goes from {low} to {high}{width} over {_rows_of(len(values))}{self.where}."
        return {"answer": answer, "cells": [low, high]}

    def extreme(self) -> dict[str, Any]:
        """The rows with the highest or lowest value; with n so many, the best first."""
        values, column = self._present()[self.query.column], self.column
        word = self._direction(self.query.descending)
        if self.query.n > 1:
            best = values.sort_values(ascending=not self.query.descending, kind="stable").index[: self.query.n]
            beside = [self.table[name] for name in self.query.wanted if self.table[name] not in self.table.labels]
            listed = ", ".join(
                f"{self._label(index)} ({', '.join(one.shown(one.values[index]) for one in (column, *beside))})"
                for index in best
            )
            answer = f"The {len(best)} rows with the {word} {column.title}{self.where}: {listed}."
            return {
                "answer": answer,
                "cells": [self._label(index) for index in best],
                **self._shown_rows(self.kept.loc[best]),
            }
        bound = values.max() if self.query.descending else values.min()
        if self.query.rank:
            different = sorted(values.unique(), reverse=self.query.descending)
            if len(different) < self.query.rank:
                raise ExpertUnavailable(f"{column.title} has only {len(different)} different values{self.where}.")
            bound, word = different[self.query.rank - 1], f"{_RANKS[self.query.rank]} {word}"
        best = values.index[values == bound]
        names = [self._label(index) for index in best]
        wanted = [name for name in self.query.wanted if self.table[name] not in self.table.labels]
        also = ""
        for name in wanted:
            cells = dict.fromkeys(self.table[name].shown(self.table[name].values[index]) for index in best)
            also += f" {name}: {', '.join(cells)}."
        answer = (
            f"{', '.join(names[:MAX_LISTED])} {_has(names)} the {word} {column.title} of "
            f"{_rows_of(len(values))}{self.where}: {column.shown(_plain(bound))}.{also}"
        )
        return {"answer": answer, "cells": names, **_number(_plain(bound)), **self._shown_rows(self.kept.loc[best])}

    def _direction(self, is_high: bool) -> str:
        if self.column.type == "date" or self.column.is_year or self.column.clock:
            return "latest" if is_high else "earliest"
        return "highest" if is_high else "lowest"

    def ordered(self) -> pandas.DataFrame:
        """The rows that fit, sorted and as many as the query asks for."""
        frame, query = self.kept, self.query
        for name in (*reversed(query.then), query.order) if query.order else ():
            is_text = self.table[name].type == "text"
            by = frame[name].map(str.casefold, na_action="ignore") if is_text else frame[name]
            is_rising = not query.descending if name == query.order else True
            frame = frame.loc[by.sort_values(ascending=is_rising, kind="stable").index]
        return (frame[: query.n] if query.n > 0 else frame[query.n :]) if query.n else frame

    def rows(self) -> dict[str, Any]:
        number = len(self.kept)
        if not number:
            return {"answer": f"The table has no row{self.where} (0 rows).", "cells": []}
        frame, how = self.ordered(), ""
        if self.query.order:
            order = self.table[self.query.order]
            how = f", {'the highest' if self.query.descending else 'the lowest'} {order.title} first"
            if order.type == "text":
                how = f", sorted by {order.title}{' from the end of the alphabet' if self.query.descending else ''}"
            how += "".join(f", then by {name}" for name in self.query.then)
        labels = [self._label(index) for index in frame.index]
        listed = f": {', '.join(labels[:MAX_LISTED])}{' …' if len(labels) > MAX_LISTED else ''}"
        part = "last" if self.query.n < 0 else "first"
        of = f"The {part} {len(frame)} of {_rows_of(number)}" if len(frame) < number else _rows_of(number)
        return {"answer": f"{of}{self.where}{how}{listed}.{self._total()}", "cells": labels, **self._shown_rows(frame)}

    def _total(self) -> str:
        """The sum of the only column with numbers, or of the one that is listed, over the rows of a condition."""
        measures = [self.column] if self.query.column else [one for one in self.table.columns if one.is_measure]
        if not self.where or len(measures) != 1 or not measures[0].is_measure or len(self.kept) < 2 or self.query.n:
            return ""
        column = measures[0]
        return f" The sum of {column.title} is {column.shown(float(self.kept[column.name].sum()))}."

    def value(self) -> dict[str, Any]:
        """The cells of the asked columns in the rows that fit: a sentence for one row, else a list."""
        if self.kept.empty:
            raise ExpertUnavailable(f"The table has no row{self.where}.")
        names = list(dict.fromkeys([self.query.column, *self.query.wanted]))
        if len(self.kept) == 1:
            index = self.kept.index[0]
            parts = [
                f"{name} is {self.table[name].shown(self.table[name].values[index])}"
                if self.table[name].values[index] is not None
                else f"{name} is missing (an empty cell)"
                for name in names
            ]
            return {
                "answer": f"{', '.join(parts)}{self.where}.",
                "cells": [self.table[name].cells[index] for name in names],
                **(_number(self.column.values[index]) if len(names) == 1 else {}),
            }
        cells = [self.column.cells[index] for index in self.kept.index if self.column.values[index] is not None]
        if not cells:
            raise ExpertUnavailable(f"{self.column.title} has no value{self.where}.")
        if len(self.kept) <= MAX_LISTED and self.column not in self.table.labels and self.column.type != "text":
            cells = [self.column.shown(self.column.values[index]) for index in self.kept.index]
            listed = "; ".join(
                f"{self._label(index)}: {cell}" for index, cell in zip(self.kept.index, cells, strict=True)
            )
            return {
                "answer": f"{self.column.title} in {_rows_of(len(self.kept))}{self.where}: {listed}.{self._total()}",
                "cells": cells,
                **self._shown_rows(self.kept),
            }
        different = list(dict.fromkeys(cells))
        shown = ", ".join(different[:MAX_LISTED]) + (" …" if len(different) > MAX_LISTED else "")
        return {
            "answer": f"{self.column.title} in {_rows_of(len(self.kept))}{self.where}: {shown}.",
            "cells": cells,
            **self._shown_rows(self.kept),
        }

    def share(self) -> dict[str, Any]:
        query, everything = self.query, fitting_rows(self.table, self.query.within)
        part: float
        whole: float
        where = conditions(self.table, query.within)
        if query.column:
            column = self.column
            part, whole = float(self.kept[column.name].sum()), float(everything[column.name].sum())
            of = f"the sum of {column.title}{where}: {column.shown(part)} of {column.shown(whole)}"
        else:
            part, whole = len(self.kept), len(everything)
            of = f"the rows{where}: {part:,} of {whole:,}"
        which = conditions(self.table, [group for group in query.filters if group not in query.within])
        return {"answer": f"{_percent(part, whole)} of {of}{which}.", "cells": [_percent(part, whole)]}

    def difference(self) -> dict[str, Any]:
        column, parts = self.column, []
        for one in self.query.others:
            rows = self.kept[_mask(self.table, ((one,),)).loc[self.kept.index]]
            values = rows[column.name].dropna()
            what = ", ".join(map(self.table[one.column].shown, one.values))
            if values.empty:
                raise ExpertUnavailable(f"{column.title} has no value for {what}.")
            if len(values) > 1:
                what += f", the sum of {_rows_of(len(values))}"
            parts.append((what, float(values.sum())))
        (first, left), (second, right) = parts
        between = f"between {first} ({column.shown(left)}) and {second} ({column.shown(right)})"
        answer = f"The difference in {column.title}{self.where} {between} is {column.shown(abs(left - right))}."
        return {"answer": answer, "cells": [column.shown(left), column.shown(right)]}

    def grouped(self) -> dict[str, Any]:
        """A number for each value of the group's column; with `pick` the highest or lowest of them."""
        query, group = self.query, self.table[self.query.group]
        what, results = self._group_results()
        show = shown_number if query.operation == "count" else self.column.shown
        entries = [(group.shown(_plain(key)), show(_plain(value))) for key, value in results.items()]
        if query.pick and query.n <= 1:
            best = [name for (name, _), value in zip(entries, results, strict=True) if value == results.iloc[0]]
            word = "highest" if query.descending else "lowest"
            answer = f"{', '.join(best)} {_has(best)} the {word} {what} by {group.title}{self.where}: {entries[0][1]}."
            if 1 < len(entries) <= MAX_LISTED:
                answer = f"{answer[:-1]} ({'; '.join(f'{name}: {value}' for name, value in entries)})."
        else:
            entries = entries[: query.n] if query.n else entries
            listed = "; ".join(f"{name}: {value}" for name, value in entries[:MAX_LISTED])
            more = " …" if len(entries) > MAX_LISTED else ""
            answer = f"The {what} by {group.title}{self.where}, over {_rows_of(len(self.kept))}: {listed}{more}."
        return {
            "answer": answer,
            "cells": [value for _, value in entries],
            "columns": [group.name, what],
            "rows": [list(entry) for entry in entries],
        }

    def group_values(self) -> tuple[str, dict[str, float]]:
        """As `by_group`."""
        what, results = self._group_results()
        group = self.table[self.query.group]
        return what, {group.shown(_plain(key)): float(value) for key, value in results.items()}

    def _group_results(self) -> tuple[str, Any]:
        """What is computed, in words, and its numbers: periods in their order, else the highest or lowest first."""
        query, group = self.query, self.table[self.query.group]
        if self.kept.empty:
            raise ExpertUnavailable(f"The table has no row{self.where}.")
        what, results = self._by_group()
        if group.order and not (query.pick or query.n):
            results = results.reindex([period for period in group.order if period in results.index])
        elif query.operation != "count" or query.pick or query.n:
            results = results.sort_values(ascending=not query.descending, kind="stable")
        return what, results

    def _by_group(self) -> tuple[str, Any]:
        """What is computed for each value of the group's column, in words, and the numbers (a pandas series)."""
        operation, groups = self.query.operation, self.kept.groupby(self.query.group, sort=False)
        if operation == "count":
            return "number of rows", groups.size()
        if operation not in _WORDS:
            raise ExpertUnavailable(f"The {operation} is not computed for groups: ask for the highest or the lowest.")
        self._present()
        numbers = {key: values.dropna() for key, values in groups[self.column.name]}
        import pandas

        results = pandas.Series(
            {key: _aggregated(values, operation, self.column) for key, values in numbers.items() if len(values)},
            dtype=object,
        )
        of = "" if operation in ("minimum", "maximum") else "of "
        return f"{_WORDS[operation]} {of}{self.column.title}", results


def _number(value: Any) -> dict[str, float]:
    """The number that an answer is, to be calculated with."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {"number": float(value)} if is_number else {}


def _has(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _aggregated(values: Any, operation: str, column: Column) -> Any:
    """The result for the values of a column in some rows (a pandas series)."""
    if operation == "mean" and column.ratio:
        tops, bottoms = column.ratio
        return sum(tops[at] for at in values.index) / sum(bottoms[at] for at in values.index)
    results = {"sum": "sum", "mean": "mean", "median": "median", "minimum": "min", "maximum": "max", "deviation": "std"}
    return _plain(getattr(values, results[operation])())


def _plain(value: Any) -> Any:
    """A value of pandas as Python's."""
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime()
    return value.item() if hasattr(value, "item") else value


def _percent(part: float, whole: float) -> str:
    return f"{shown_number(round(100 * float(part) / float(whole), 2))} %" if whole else "0 %"


def _about(column: Column) -> str:
    """What is in a column, briefly: its range, or how many different values."""
    if not column.present:
        return "empty"
    missing = len(column.cells) - len(column.present)
    if column.type in ("number", "date"):
        about = f"{column.shown(min(column.present))} to {column.shown(max(column.present))}"
    elif column.type == "flag":
        about = "yes or no"
    else:
        about = "text" if column.is_unique else f"{len(column.distinct):,} different"
    return f"{about}, {missing} missing" if missing else about


_OPERATIONS: dict[str, Callable[[_Evaluator], dict[str, Any]]] = {
    "describe": _Evaluator.describe, "columns": _Evaluator.columns, "count": _Evaluator.count,
    "distinct": _Evaluator.distinct, "count distinct": _Evaluator.count_distinct, "range": _Evaluator.range,
    "extreme": _Evaluator.extreme, "rows": _Evaluator.rows, "value": _Evaluator.value, "share": _Evaluator.share,
    "difference": _Evaluator.difference,
    **dict.fromkeys(("sum", "mean", "median", "minimum", "maximum", "deviation"), _Evaluator.aggregate),
}  # fmt: skip
