"""Queries over a table as data, and their evaluation by pandas into an answer that says how it was computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_columns import Column, TypedTable, shown_number
from hugginggpt.experts.table_group_answers import averaged, held, without
from hugginggpt.experts.table_query import MAX_LISTED, Query, conditions, fitting_rows, mask, rows_of

if TYPE_CHECKING:
    import pandas

AGGREGATORS: dict[str, str] = {"sum": "SUM", "mean": "AVERAGE", "count": "COUNT"}
"""The names that table models of the Hub have for operations; all others are "NONE"."""
_WORDS = {
    "sum": "sum", "mean": "average", "median": "median", "minimum": "lowest", "maximum": "highest",
    "deviation": "standard deviation",
}  # fmt: skip
MAX_BESIDE = 3
"""Beside the highest of so many groups the others are told, too; more are shown as rows only."""
_RANKS = ("", "", "second", "third", "fourth", "fifth", "sixth")


def evaluate(table: TypedTable, query: Query, is_yes_or_no: bool = False) -> dict[str, Any]:
    """{"answer", "cells", "aggregator", "columns", "rows"}: the answer in words, and the cells and rows it is about.

    Raises ExpertUnavailable where there is nothing to compute with.
    """
    evaluator = _evaluator(table, query)
    answer = evaluator.grouped() if query.group else _OPERATIONS[query.operation](evaluator)
    if is_yes_or_no and query.group and query.pick:
        return {**_evaluated(query, answer), "answer": f"{evaluator.is_first()}{answer['answer']}"}
    if is_yes_or_no and query.filters and not query.group and query.operation in ("rows", "count"):
        if evaluator.kept.empty:
            answer["answer"] = f"No: {answer['answer'][0].lower()}{answer['answer'][1:]}"
        else:
            names = answer["cells"] if query.operation == "rows" else []
            answer["answer"] = f"Yes: {evaluator.told_of(names)}"
    return _evaluated(query, answer)


def _evaluated(query: Query, answer: dict[str, Any]) -> dict[str, Any]:
    return {"cells": [], "columns": [], "rows": [], "aggregator": AGGREGATORS.get(query.operation, "NONE"), **answer}


def chosen_rows(table: TypedTable, query: Query) -> list[int]:
    """The numbers of the rows that a query asks for, in its order."""
    return list(_evaluator(table, query).ordered().index)


def by_group(table: TypedTable, query: Query) -> tuple[str, dict[str, float]]:
    """What is computed for each value of the group's column, in words, and the numbers, in the order of an answer."""
    return _evaluator(table, query).group_values()


def _evaluator(table: TypedTable, query: Query) -> _Evaluator:
    kept = table.frame[mask(table, query.filters)]
    return _Evaluator(table, query, kept, conditions(table, query.filters))


_in_full: ContextVar[bool] = ContextVar("in_full", default=False)
_named: ContextVar[bool] = ContextVar("named", default=False)


@contextmanager
def in_full(named: bool = False) -> Iterator[None]:
    """Within it, answers hold all rows that they are about, with all columns, or those that were asked for by name; of
    `named` ones with what names the rows, too.
    """
    tokens = _in_full.set(True), _named.set(named)
    try:
        yield
    finally:
        _in_full.reset(tokens[0])
        _named.reset(tokens[1])


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
            own = [column.name for column in self.table.columns if not column.computed]
            asked |= {label.name for label in self.table.labels} if _named.get() and asked & set(names) else set()
            names = [name for name in names if name in asked] or own
            rows = [[self.table[name].cells[at] for name in names] for at in frame.index]
            return {"columns": names, "rows": rows, "told": f"{rows_of(len(frame))}{self.where}"}
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
        answer = f"The table has {rows_of(table.size)} and {len(table.columns)} columns: {listed}. It begins:"
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
            return {"answer": f"The table has {rows_of(number)}.", "cells": [str(number)], **_number(number)}
        shown = self._shown_rows(self.kept) if 0 < number <= MAX_LISTED or _in_full.get() else {}
        return {
            "answer": f"{rows_of(number) if number else 'No rows (0)'}{self.where}.",
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
        if only is not None and self.column.is_measure and self.where:
            answer = f"{self.column.title} is {self.column.shown(only)}{self.where}."
        return {"answer": answer, "cells": cells, **_number(only)}

    def count_distinct(self) -> dict[str, Any]:
        answer = self.distinct()
        rows = len(self._present())
        return {**answer, "answer": f"{answer['answer']} These are {rows_of(rows)}."} if self.where else answer

    def _present(self) -> pandas.DataFrame:
        """The rows that have a value in the column. Raises ExpertUnavailable where none has."""
        if self.kept.empty:
            raise ExpertUnavailable(f"The table has no row{self.where}.")
        present = self.kept[self.kept[self.query.column].notna()]
        if present.empty:
            raise ExpertUnavailable(f"{self.column.title} has no value{self.where}.")
        return present

    def aggregate(self) -> dict[str, Any]:
        """ "143.50: the average of price in all 12 rows."""
        operation, column = self.query.operation, self.column
        values = self._present()[column.name]
        result = _aggregated(values, operation, column)
        missing = len(self.kept) - len(values)
        without = f" ({rows_of(missing)} without a value left out)" if missing else ""
        cells = [column.cells[index] for index in values.index]
        of, whose = "of ", ""
        if operation in ("minimum", "maximum"):
            holders = [self._label(index) for index in values.index[values == result]]
            named = f" ({', '.join(holders[:3])}{' …' if len(holders) > 3 else ''})"
            of, whose = "", "" if column in self.table.labels else named
        word = self._direction(operation == "maximum") if whose else _WORDS[operation]
        what = column.title if column.title.startswith(f"{word} of ") else f"{word} {of}{column.title}"
        answer = f"{column.shown(result)}{whose}: the {what} {self._over(len(values))}{without}."
        return {
            "answer": answer,
            "cells": cells,
            **_number(result),
            **(self._shown_rows(self.kept) if _in_full.get() else {}),
        }

    def _over(self, number: int) -> str:
        """Over how many rows something is computed, and which: "in the 5 rows where Group is Food"."""
        if number == 1:
            return f"in the row{self.where}" if self.where else "in the only row"
        return f"in {'the' if self.where else 'all'} {rows_of(number)}{self.where}"

    def range(self) -> dict[str, Any]:
        values, column = self._present()[self.query.column], self.column
        low, high = column.shown(_plain(values.min())), column.shown(_plain(values.max()))
        width = f" (a range of {column.shown(_plain(values.max() - values.min()))})" if column.type == "number" else ""
        answer = f"{column.title} goes from {low} to {high}{width} over {rows_of(len(values))}{self.where}."
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
            f"{rows_of(len(values))}{self.where}: {column.shown(_plain(bound))}.{also}"
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
        beside = [one for name in self.query.wanted if (one := self.table[name]) not in self.table.labels]
        shown = [
            f"{label} ({', '.join(one.shown(one.values[at]) for one in beside)})" if beside else label
            for label, at in zip(labels, frame.index, strict=True)
        ]
        part = "last" if self.query.n < 0 else "first"
        if not self.query.order and len(frame) == number and len(labels) > MAX_LISTED:
            return {"answer": f"{self.told_of(labels)}{self._total()}", "cells": labels, **self._shown_rows(frame)}
        which = "the row" if number == 1 else f"the {rows_of(number)}"
        which = f"the {part} {len(frame)} of {rows_of(number)}" if len(frame) < number else which
        shown = list(dict.fromkeys(shown))
        if len(shown) == 1 < len(labels):  # whose name says nothing more
            answer = f"{rows_of(len(labels))}{self.where}{how}."
        elif len(shown) <= MAX_LISTED:
            answer = f"{', '.join(shown)}: {which}{self.where}{how}."
        else:
            answer = f"{which[0].upper()}{which[1:]}{self.where}{how}: {', '.join(shown[:MAX_LISTED])} …."
        rows = self._shown_rows(frame)
        told = {"told": f"{rows['told']}{how}"} if "told" in rows else {}
        return {"answer": f"{answer}{self._total()}", "cells": labels, **rows, **told}

    def told_of(self, names: Sequence[str]) -> str:
        """How many rows fit, and what they are called: "2 rows where paid is no: Bashir, Carla."."""
        listed = ", ".join(list(dict.fromkeys(names))[:MAX_LISTED]) + (" …" if len(names) > MAX_LISTED else "")
        return f"{rows_of(len(self.kept))}{self.where}{f': {listed}' if listed else ''}."

    def _total(self) -> str:
        """The sum of the only column with numbers, or of the one that is listed, where it is asked for as well."""
        measures = [self.column] if self.query.column else [one for one in self.table.columns if one.is_measure]
        measures = [one for one in measures if one.is_measure and not one.is_intensive]
        if not (self.query.totals and self.where) or len(measures) != 1 or len(self.kept) < 2 or self.query.n:
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
                "answer": f"{self.column.title} in {rows_of(len(self.kept))}{self.where}: {listed}.{self._total()}",
                "cells": cells,
                **self._shown_rows(self.kept),
            }
        beside = [self.table[name] for name in self.query.wanted if name != self.column.name]
        if beside:
            cells = [
                f"{self.column.shown(self.column.values[at])} "
                f"({', '.join(one.shown(one.values[at]) for one in beside)})"
                for at in self.kept.index
                if self.column.values[at] is not None
            ]
        different = list(dict.fromkeys(cells))
        shown = ", ".join(different[:MAX_LISTED]) + (" …" if len(different) > MAX_LISTED else "")
        return {
            "answer": f"{self.column.title} in {rows_of(len(self.kept))}{self.where}: {shown}.",
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
            rows = self.kept[mask(self.table, ((one,),)).loc[self.kept.index]]
            values = rows[column.name].dropna()
            what = ", ".join(map(self.table[one.column].shown, one.values))
            if values.empty:
                raise ExpertUnavailable(f"{column.title} has no value for {what}.")
            if len(values) > 1:
                what += f", the sum of {rows_of(len(values))}"
            parts.append((what, float(values.sum())))
        (first, left), (second, right) = parts
        between = f"between {first} ({column.shown(left)}) and {second} ({column.shown(right)})"
        answer = f"{column.shown(abs(left - right))}: the difference in {column.title}{self.where} {between}."
        return {"answer": answer, "cells": [column.shown(left), column.shown(right)]}

    def without(self) -> dict[str, Any]:
        """The values of which no row fits the other filters."""
        rows = self.kept[mask(self.table, [(one,) for one in self.query.others]).loc[self.kept.index]]
        groups = self.table.frame.groupby(self.query.column)
        told = [one for one in self.query.filters if (groups[one[0].column].nunique() < 2).all()]  # "who of the women"
        everything = dict.fromkeys(fitting_rows(self.table, told)[self.query.column].dropna())
        some = set(rows[self.query.column].dropna())
        names = [self.column.shown(_plain(value)) for value in everything if value not in some]
        others = [self.column.shown(_plain(value)) for value in everything if value in some]
        where = conditions(self.table, [*self.query.filters, *((one,) for one in self.query.others)])
        return without(self.column.title, names, others, where)

    def grouped(self) -> dict[str, Any]:
        """A number for each value of the group's column; with `pick` the highest or lowest of them."""
        query, group = self.query, self.table[self.query.group]
        what, results = self._group_results()
        show = shown_number if query.operation == "count" else self.column.shown
        if query.having or query.averaged:
            numbers = [(group.shown(_plain(key)), float(value)) for key, value in results.items()]
            if query.having:
                return held(group.title, f"{what}{self.where}", numbers, query.having, show)
            return averaged(group.title, what, numbers, self.where, show)
        entries = [(group.shown(_plain(key)), show(_plain(value))) for key, value in results.items()]
        if query.pick and query.n <= 1:
            best = [name for (name, _), value in zip(entries, results, strict=True) if value == results.iloc[0]]
            word = "highest" if query.descending else "lowest"
            answer = f"{', '.join(best)} {_has(best)} the {word} {what} by {group.title}{self.where}: {entries[0][1]}."
            if 1 < len(entries) <= MAX_BESIDE:
                answer = f"{answer[:-1]} ({'; '.join(f'{name}: {value}' for name, value in entries)})."
        elif len(entries) == 1:
            answer = f"{entries[0][1]} ({entries[0][0]}): the {what}{self.where}."
        else:
            entries = entries[: query.n] if query.n else entries
            listed = "; ".join(f"{name}: {value}" for name, value in entries[:MAX_LISTED])
            more = " …" if len(entries) > MAX_LISTED else ""
            answer = f"The {what} by {group.title}{self.where}, over {rows_of(len(self.kept))}: {listed}{more}."
        return {
            "answer": answer,
            "cells": [value for _, value in entries],
            "columns": [group.name, what],
            "rows": [list(entry) for entry in entries],
        }

    def is_first(self) -> str:
        """Whether the first of two values that are compared has more, or less where that is asked: "Yes: ", "No: "."""
        _, results = self._group_results()
        named = [one for group in self.query.filters for one in group if one.column == self.query.group]
        values = [value for one in named for value in one.values]
        if len(values) != 2 or len(results) != 2:
            return ""
        best = [key for key, value in results.items() if value == results.iloc[0]]
        return "Yes: " if best == values[:1] else "No: "

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
            if query_column := self.query.column:
                return f"different {query_column}", groups[query_column].nunique()
            return "rows" if self.query.having else "number of rows", groups.size()
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
    "difference": _Evaluator.difference, "without": _Evaluator.without,
    **dict.fromkeys(("sum", "mean", "median", "minimum", "maximum", "deviation"), _Evaluator.aggregate),
}  # fmt: skip
