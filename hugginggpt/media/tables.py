"""Tables as CSV text or files, and the tables of documents."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hugginggpt.core.documents import Table
from hugginggpt.core.errors import MediaError
from hugginggpt.core.results import Kind
from hugginggpt.media.decoding import is_binary
from hugginggpt.media.documents import read_document
from hugginggpt.media.types import kind_of, type_of

DELIMITERS = ",;\t|"
MAX_CELLS, MAX_COLUMNS = 5_000_000, 16_384
"""Of a table; a sheet of XLSX has as many columns at most."""
MAX_RECORDS = 5_000_000
"""Larger files of JSON, in bytes, are not looked into for what they hold."""
SAMPLE_LINES, SAMPLE_CHARS = 50, 1_000_000
"""By which the delimiter is found."""
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
MIN_HEADER_SHARE = 0.6
"""The header of a sheet is its first row with so many of the cells of the widest; titles stand above it."""
Columns = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class NamedTable:
    """The columns of a table by name, and what it is in its document: {"unit": "sheet", "name": "2025"}, or {}."""

    columns: Columns
    place: dict[str, str]


def is_file(table: str) -> bool:
    """Whether the value is the name of a table's file rather than CSV text."""
    return "\n" not in table and kind_of(table) in ("table", "text")


def columns(table: str | Path, at_least: int = 2) -> Columns:
    """The columns of a CSV table with a header row, by name; there must be `at_least` so many.

    Comma, semicolon, tab or bar; UTF-8 or UTF-16 with or without a mark, else Windows-1252. Of a document the first
    table. Raises MediaError.
    """
    if isinstance(table, Path) and (row := type_of(table.name)) and row.reader:
        return tables(table, at_least)[0].columns
    text = _decoded(table.read_bytes(), table.name) if isinstance(table, Path) else table
    rows = _rows(text.strip("\ufeff\r\n ").replace("\r\n", "\n").replace("\r", "\n"))
    if len(rows) < 2 or len(rows[0]) < at_least:
        number = "two columns" if at_least == 2 else "one column"
        raise MediaError(f"The table needs a header row, at least {number} and one row: give CSV text or a .csv file.")
    header = _unique([name.strip() for name in rows[0]])
    _check_cells(len(rows) * len(header))
    short = next((number for number, row in enumerate(rows, 1) if len(row) != len(header)), None)
    if short:
        raise MediaError(f"Row {short} of the table has another number of columns than its header.")
    return {name: [row[at].strip() for row in rows[1:]] for at, name in enumerate(header)}


def _rows(text: str) -> list[list[str]]:
    """The rows that are not empty. Raises MediaError, before millions of cells take up the memory."""
    dialect = _dialect(text)
    _check_cells(text.count("\n") + text.count(dialect.delimiter))
    if text.partition("\n")[0].count(dialect.delimiter) >= MAX_COLUMNS:
        raise MediaError(f"The table has more than {MAX_COLUMNS:,} columns: give a part of it.")
    try:
        return [row for row in csv.reader(io.StringIO(text), dialect) if any(map(str.strip, row))]
    except csv.Error as error:
        raise MediaError(
            f"The table has a cell of more than {csv.field_size_limit():,} characters: does a quotation mark lack its end?"
        ) from error


def _check_cells(cells: int) -> None:
    if cells > MAX_CELLS:
        raise MediaError(f"The table has more than {MAX_CELLS:,} cells: give a part of it.")


def title_of(table: str | Path) -> str:
    """What a table's file is called, without the digest of an upload; "" for a table that is given as text."""
    return re.sub(r"-[0-9a-f]{10}$", "", table.stem) if isinstance(table, Path) else ""


def tables(table: str | Path, at_least: int = 2) -> list[NamedTable]:
    """All tables of a document (the sheets of a workbook), each as `columns`; of anything else the one that it is.
    Raises MediaError where there is none.
    """
    row = type_of(table.name) if isinstance(table, Path) else None
    if not isinstance(table, Path) or row is None or not row.reader:
        return [NamedTable(columns(table, at_least), {})]
    named = with_columns(read_document(table, row.reader).tables, at_least)
    if not named:
        raise MediaError(f"{table.name} holds no table with a header row and rows below it.")
    return named


def kind_in(path: Path) -> Kind | None:
    """The kind of a file: that of its name; of JSON that is a list of records, and nothing else, a table."""
    kind = kind_of(path.name)
    if path.suffix.lower() != ".json" or path.stat().st_size > MAX_RECORDS:
        return kind
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return kind
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()  # {"orders": [...]}
    is_list = (
        isinstance(value, list) and len(value) > 1 and all(isinstance(row, dict) and len(row) > 1 for row in value)
    )
    return "table" if is_list and value[0].keys() == value[-1].keys() else kind


def csv_of(table: Path) -> str | None:
    """The first table of a document as CSV text; None for a file that is such a text itself. Raises MediaError."""
    row = type_of(table.name)
    if not row or not row.reader:
        return None
    by_name, text = columns(table, at_least=1), io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([list(by_name), *zip(*by_name.values(), strict=True)])
    return text.getvalue()


def with_columns(document_tables: Iterable[Table], at_least: int = 2) -> list[NamedTable]:
    """The tables of a document that have a header row, so many columns, and rows."""
    named = [NamedTable(_columns_of(one), one.place) for one in document_tables]
    return [one for one in named if len(one.columns) >= at_least and any(one.columns.values())]


def _columns_of(table: Table) -> Columns:
    """The columns of a document's table: below its titles, without empty rows."""
    width = max(map(len, table.rows))
    filled = [sum(map(bool, row)) for row in table.rows]
    enough = MIN_HEADER_SHARE * max(filled)
    start = next(at for at, cells in enumerate(filled) if cells >= enough)
    rows = [[*row, *[""] * (width - len(row))] for row in table.rows[start:] if any(row)]
    return {name: [row[at].strip() for row in rows[1:]] for at, name in enumerate(_unique([*map(str.strip, rows[0])]))}


def _decoded(content: bytes, name: str) -> str:
    encodings = ["utf-16"] if content.startswith(UTF16_MARKS) else [] if b"\0" in content else ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if not is_binary(text):
            return text
    raise MediaError(f"{name} is not a text file: save the table as CSV in UTF-8.")


def _dialect(text: str) -> type[csv.Dialect]:
    """The dialect whose delimiter gives the most lines the number of cells that the header has."""
    lines = text[:SAMPLE_CHARS].splitlines()[:SAMPLE_LINES]

    def fit(delimiter: str) -> tuple[int, int]:
        try:
            sizes = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        except csv.Error:  # of another delimiter the whole line is a single cell
            sizes = []
        cells = sizes[0] if sizes else 1
        return (sum(size == cells for size in sizes), cells) if cells > 1 else (0, 0)

    class Dialect(csv.excel):
        delimiter = max(DELIMITERS, key=fit)

    return Dialect


def _unique(names: list[str]) -> list[str]:
    """The names of columns; empty and repeated ones are numbered."""
    given, unique, numbers = set(names), dict[str, None](), dict[str, int]()
    for place, name in enumerate(names, 1):
        name = name or f"column {place}"
        shown, number = name, max(place, numbers.get(name, 0))
        while shown in unique or (shown != name and shown in given):
            shown, number = f"{name} ({number})", number + 1
        unique[shown], numbers[name] = None, number
    return list(unique)
