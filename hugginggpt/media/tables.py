"""Tables as CSV text or files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from hugginggpt.core.errors import MediaError
from hugginggpt.media.types import kind_of

DELIMITERS = ",;\t|"
MAX_CELLS = 5_000_000
SAMPLE_LINES = 50
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def is_file(table: str) -> bool:
    """Whether the value is the name of a table's file rather than CSV text."""
    return "\n" not in table and kind_of(table) in ("table", "text")


def columns(table: str | Path, at_least: int = 2) -> dict[str, list[str]]:
    """The columns of a CSV table with a header row, by name; there must be `at_least` so many.

    Comma, semicolon, tab or bar; UTF-8 or UTF-16 with or without a mark, else Windows-1252. Raises MediaError.
    """
    text = _decoded(table.read_bytes(), table.name) if isinstance(table, Path) else table
    rows = [
        row for row in csv.reader(io.StringIO(text.strip("\ufeff\r\n ")), _dialect(text)) if any(map(str.strip, row))
    ]
    if len(rows) < 2 or len(rows[0]) < at_least:
        number = "two columns" if at_least == 2 else "one column"
        raise MediaError(f"The table needs a header row, at least {number} and one row: give CSV text or a .csv file.")
    header = _unique([name.strip() for name in rows[0]])
    if len(rows) * len(header) > MAX_CELLS:
        raise MediaError(f"The table has more than {MAX_CELLS:,} cells: give a part of it.")
    short = next((number for number, row in enumerate(rows, 1) if len(row) != len(header)), None)
    if short:
        raise MediaError(f"Row {short} of the table has another number of columns than its header.")
    return {name: [row[at].strip() for row in rows[1:]] for at, name in enumerate(header)}


def _decoded(content: bytes, name: str) -> str:
    encodings = ["utf-16"] if content.startswith(UTF16_MARKS) else [] if b"\0" in content else ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise MediaError(f"{name} is not a text file: save the table as CSV in UTF-8.")


def _dialect(text: str) -> type[csv.Dialect]:
    """The dialect whose delimiter gives the most lines the number of cells that the header has."""
    lines = text.strip("\ufeff\r\n ").splitlines()[:SAMPLE_LINES]

    def fit(delimiter: str) -> tuple[int, int]:
        sizes = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        cells = sizes[0] if sizes else 1
        return (sum(size == cells for size in sizes), cells) if cells > 1 else (0, 0)

    class Dialect(csv.excel):
        delimiter = max(DELIMITERS, key=fit)

    return Dialect


def _unique(names: list[str]) -> list[str]:
    """The names of columns; empty and repeated ones are numbered."""
    unique: list[str] = []
    for number, name in enumerate(names, 1):
        name = name or f"column {number}"
        unique.append(f"{name} ({number})" if name in unique else name)
    return unique
