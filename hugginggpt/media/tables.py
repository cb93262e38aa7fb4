"""Tables as CSV text or files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from hugginggpt.core.errors import MediaError
from hugginggpt.media.types import kind_of


def is_file(table: str) -> bool:
    """Whether the value is the name of a table's file rather than CSV text."""
    return "\n" not in table and kind_of(table) in ("table", "text")


def columns(table: str | Path) -> dict[str, list[str]]:
    """The columns of a CSV table (comma, semicolon or tab) with a header row, by name. Raises MediaError."""
    try:
        text = table.read_text(encoding="utf-8-sig") if isinstance(table, Path) else table
    except UnicodeDecodeError as error:
        raise MediaError(f"{table} is not a text file in UTF-8.") from error
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(text[:4096], ",;\t")
    except csv.Error:
        dialect = csv.excel
    rows = [row for row in csv.reader(io.StringIO(text.strip()), dialect) if row]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise MediaError(
            "The table needs a header row, at least two columns and one row: give CSV text or a .csv file."
        )
    header = [name.strip() for name in rows[0]]
    short = next((number for number, row in enumerate(rows, 1) if len(row) != len(header)), None)
    if short:
        raise MediaError(f"Row {short} of the table has another number of columns than its header.")
    return {name: [row[at].strip() for row in rows[1:]] for at, name in enumerate(header)}
