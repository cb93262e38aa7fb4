"""Tables as a database in memory, for queries that a language model writes: they can read the tables, and nothing else.

A query counts only if it is about what was asked: the question speaks of each literal in it, and each column and value
that the question names is in the query.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from hugginggpt.answers.written_numbers import numbers_in_words
from hugginggpt.core.errors import ModelOutputError
from hugginggpt.experts.table_columns import Column, TypedTable, shown_number, typed
from hugginggpt.experts.table_words import ORDINALS
from hugginggpt.experts.word_likeness import stems_of
from hugginggpt.media.tables import NamedTable

FEW, EXAMPLES, CELL_CHARS = 12, 4, 30
"""Of a column with up to FEW different texts a model is shown all, of others EXAMPLES; of a cell so many characters."""
MOST_ROWS, MOST_TABLES = 20, 4
"""An answer of more rows is none; of a workbook the first sheets are shown."""
STEPS, LENGTH = 2_000_000, 1_000_000
"""What a query may take: instructions of SQLite's machine, bytes of a value."""
FREE_NUMBERS = frozenset({0.0, 1.0, 100.0})
"""The numbers that a query may have though nobody said them: of conditions and percentages."""
_FLAGS = ("yes", "no")
_READ = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})
_FUNCTIONS = frozenset(
    (
        "count", "sum", "total", "avg", "min", "max", "round", "abs", "lower", "upper", "length", "substr", "like",
        "coalesce", "ifnull", "strftime", "date", "julianday", "group_concat",
    )
)  # fmt: skip
"""The functions that a query may call: others can take long in one step, which the limit of steps does not count."""
_LITERAL = re.compile(r"'((?:[^']|'')*)'")
_FORMAT = re.compile(r"(?:%[A-Za-z]\W?)+")
"""Of the parts of a date."""
_MEAN = re.compile(r"(\([^()]*\))\s*/\s*(\d+)(?:\.0+)?")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_NAME = re.compile(r"[^\W_]+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Rows:
    """What a query gave: the names of its columns, and its rows."""

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def in_words(self) -> str:
        """A value, a list of values, or a line for each row."""
        shown = [[_shown(value) for value in row] for row in self.rows]
        if len(self.names) == 1:
            return ", ".join(dict.fromkeys(row[0] for row in shown))
        return "\n".join(", ".join(row) for row in shown)


class TableDatabase:
    """The tables of a file, under names that need no quotes; texts compare whatever their case."""

    def __init__(self, tables: Sequence[NamedTable], title: str) -> None:
        self.tables: dict[str, tuple[TypedTable, dict[str, Column]]] = {}
        for one in tables[:MOST_TABLES]:
            name = _identifier(one.place.get("name", "") or title.partition(".")[0], self.tables)
            columns: dict[str, Column] = {}
            table = typed(one.columns, title)
            for column in table.columns:
                columns[_identifier(column.name, columns)] = column
            self.tables[name] = table, columns

    @cached_property
    def described(self) -> str:
        """The tables as a language model reads them: their columns, each with some of its values."""
        lines: list[str] = []
        for name, (table, columns) in self.tables.items():
            lines += [f"CREATE TABLE {name} (  -- {table.size} rows", *map(_described, columns, columns.values()), ");"]
        return "\n".join(lines)

    def answer(self, query: str, question: str) -> Rows:
        """What a query gives that fits the question. Raises ModelOutputError, with why it is no answer."""
        self._check(query, question)
        rows = self._run(query)
        values = [value for row in rows.rows for value in row]
        if not values or all(value is None or value == "" for value in values):
            raise ModelOutputError("The query gives nothing.")
        if len(rows.rows) > MOST_ROWS:
            raise ModelOutputError(f"The query gives more than {MOST_ROWS} rows.")
        is_whole = len(rows.rows) >= max(2, *(table.size for table, _ in self.tables.values()))
        if is_whole and not re.search(r"\b(?:where|group|order|limit|case)\b", query, re.IGNORECASE):
            raise ModelOutputError("The query gives the whole table.")
        return rows

    def _run(self, query: str) -> Rows:
        """Raises ModelOutputError, also where SQLite cannot hold the tables, as of thousands of columns."""
        try:
            with closing(sqlite3.connect(":memory:")) as database:
                self._fill(database)
                database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LENGTH)
                steps = iter(range(STEPS // 1000))
                database.set_progress_handler(lambda: next(steps, None) is None, 1000)
                database.set_authorizer(_authorized)
                cursor = database.execute(query)
                rows = cursor.fetchmany(MOST_ROWS + 1)
                return Rows(tuple(name for name, *_ in cursor.description or ()), tuple(rows))
        except (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError) as error:  # a lone surrogate is a ValueError
            raise ModelOutputError(f"The query cannot be run: {error}.") from error

    def _fill(self, database: sqlite3.Connection) -> None:
        for name, (table, columns) in self.tables.items():
            kinds = ", ".join(f"{one} {_type(column)} COLLATE NOCASE" for one, column in columns.items())
            database.execute(f"CREATE TABLE {name} ({kinds})")
            values = zip(*(map(_stored, column.values) for column in table.columns), strict=True)
            places = ", ".join("?" * len(columns))
            database.executemany(f"INSERT INTO {name} VALUES ({places})", values)  # noqa: S608 - our own names

    def _check(self, query: str, question: str) -> None:
        """Raises ModelOutputError for a query with something that nobody named, or without what the question names."""
        written = [literal for literal in _LITERAL.findall(query) if not _FORMAT.fullmatch(literal)]
        stripped = [literal.replace("''", "'").strip("%_ ").casefold() for literal in written]
        literals = [*filter(None, stripped)]
        if unknown := [literal for literal in literals if not _is_spoken_of(literal, question)]:
            raise ModelOutputError(f"The question does not speak of “{unknown[0]}”.")
        bare = _LITERAL.sub("''", query)
        said = {float(number) for number in _NUMBER.findall(question.replace(",", ""))} | FREE_NUMBERS
        said |= {float(number) for number in numbers_in_words(question.lower())}
        said |= {float(ORDINALS[word]) for word in re.findall(r"\w+", question.lower()) if word in ORDINALS}
        free = _MEAN.sub(_without_divisor, re.sub(r"\blimit\s+\d+", "", bare, flags=re.IGNORECASE))
        if unknown := [number for number in _NUMBER.findall(free) if float(number) not in said]:
            raise ModelOutputError(f"The question does not speak of {unknown[0]}.")
        if missing := next(self._left_out(question, bare.casefold(), literals), None):
            raise ModelOutputError(f"The question is about “{missing}”, the query is not.")

    def _left_out(self, question: str, query: str, literals: Sequence[str]) -> Iterator[str]:
        """The columns and values that a question names and a query does not."""
        asked = stems_of(question)
        used = set(re.findall(r"\w+", query))
        for _, columns in self.tables.values():
            named = {name: stems for name, column in columns.items() if (stems := stems_of(" ".join(column.words)))}
            whole = {name for name, stems in named.items() if stems <= asked}
            if whole and not whole & used and not used & {name for name, stems in named.items() if stems & asked}:
                yield min(whole)
        names = {column.name.casefold() for table, _ in self.tables.values() for column in table.columns}
        said = question.casefold()
        spoken = set(_WORD.findall(said))
        cells = {cell.casefold() for table, _ in self.tables.values() for c in table.columns for cell in _texts(c)}
        values = [cell for cell in cells if spoken.issuperset(_WORD.findall(cell)) and cell in said]  # few of very many
        for value in sorted(values, key=len, reverse=True):
            if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said):
                said = said.replace(value, " ")
                if value not in names and not any(value in literal or literal in value for literal in literals):
                    yield value


def _authorized(action: int, _table: str | None, name: str | None, *_: str | None) -> int:
    """Whether a query may do something: read, and call some functions."""
    is_allowed = action in _READ or (action == sqlite3.SQLITE_FUNCTION and name in _FUNCTIONS)
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _without_divisor(mean: re.Match[str]) -> str:
    """The sum of so many columns as it is divided by; anything else as it is."""
    return mean[1] if mean[1].count("+") + 1 == int(mean[2]) else mean[0]


def _is_spoken_of(literal: str, question: str) -> bool:
    """Whether a question speaks of a literal of a query: in its words, or in short for one (N: nights)."""
    if literal in _FLAGS:
        return True
    said = re.findall(r"\w+", question.casefold())
    begins = any(word.startswith(literal) or (len(word) > 3 and literal.startswith(word)) for word in said)
    return literal in question.casefold() or begins or bool(stems_of(literal) & stems_of(question))


def _texts(column: Column) -> Iterator[str]:
    """The different texts of a column that say something of themselves."""
    if column.type == "text":
        yield from (cell for cell in column.distinct if len(cell) > 2 and re.search(r"[^\W\d]", cell))


def _identifier(name: str, taken: dict[str, Any]) -> str:
    """A name of SQL that is like this one, and no word of its grammar."""
    words = "_".join(_NAME.findall(name.casefold())) or "column"
    is_name = words[0].isalpha() and not words.startswith("sqlite_")  # which are SQLite's own
    plain = words if is_name else f"t_{words}"
    if not _is_free(plain):
        plain += "_"
    while plain in taken:
        plain += "_2"
    return plain


def _is_free(word: str) -> bool:
    """Whether a word can be a name without quotes."""
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute(f"CREATE TABLE {word} ({word})")
        except sqlite3.Error:
            return False
    return True


def _described(name: str, column: Column) -> str:
    return f"  {name} {_type(column)},  -- {_examples(column)}"


def _type(column: Column) -> str:
    return "REAL" if column.type == "number" else "TEXT"


def _stored(value: Any) -> Any:
    """A value as the database holds it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M" if value.hour or value.minute else "%Y-%m-%d")
    return value


def _examples(column: Column) -> str:
    values = list(dict.fromkeys(map(_stored, column.present)))
    shown = values[:FEW] if column.type == "text" and len(values) <= FEW else values[:EXAMPLES]
    more = [*(["…"] if len(values) > len(shown) else []), *(["NULL"] if None in column.values else [])]
    return ", ".join([*map(_quoted, shown), *more])


def _quoted(value: Any) -> str:
    if isinstance(value, float):
        return shown_number(value, grouped=False)
    return f"'{str(value)[:CELL_CHARS]}'".replace("\n", " ")


def _shown(value: Any) -> str:
    if isinstance(value, int | float) and math.isfinite(value):
        return shown_number(float(value), grouped=abs(value) >= 10_000)
    return "–" if value is None else str(value)
