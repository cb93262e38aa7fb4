"""Tables into files: CSV and TSV, and XLSX by XlsxWriter.

Whoever opens such a file with a spreadsheet must not run what a stranger wrote into a cell: a text that would be taken
for a formula is marked as a text.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Sequence
from typing import Any

from hugginggpt.media.tables import NamedTable

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")
_DATE = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
LIKE_FORMULA = re.compile(r"[\s\0\ufeff]*[=+\-@＝＋－＠]|[\t\r\n]")
"""How a text begins that a spreadsheet may take for a formula (OWASP, CSV injection)."""
_NOT_IN_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
MAX_NAME_CHARS, MAX_CELL_CHARS = 31, 32_767
"""Of a sheet's name, and in a cell of XLSX."""
MAX_SHEET_ROWS, MAX_SHEET_COLUMNS = 1_048_576, 16_384


def size_of(table: NamedTable) -> tuple[int, int]:
    """The rows below the header, and the columns."""
    return len(next(iter(table.columns.values()), [])), len(table.columns)


def fits_sheet(table: NamedTable) -> bool:
    """Whether a sheet of XLSX can hold a table with its header."""
    rows, columns = size_of(table)
    return rows < MAX_SHEET_ROWS and columns <= MAX_SHEET_COLUMNS


def rows_of(table: NamedTable) -> list[list[str]]:
    """The header of a table, and its rows."""
    return [list(table.columns), *map(list, zip(*table.columns.values(), strict=True))]


def separated(table: NamedTable, delimiter: str = ",") -> tuple[bytes, int]:
    """A table as CSV in UTF-8 with the mark by which Excel knows it, and how many cells got an apostrophe before what a
    spreadsheet would take for a formula.
    """
    rows, marked = rows_of(table), 0
    for row in rows:
        for at, cell in enumerate(row):
            if LIKE_FORMULA.match(cell) and not _NUMBER.fullmatch(cell):
                row[at], marked = f"'{cell}", marked + 1
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue().encode("utf-8-sig", "replace"), marked


def workbook(tables: Sequence[NamedTable]) -> bytes:
    """The tables as sheets of an XLSX file. Columns of nothing but plain numbers are numbers there, those of nothing but
    ISO dates dates; all other cells are texts, which are no formulas and no links.
    """
    import xlsxwriter

    data, names = io.BytesIO(), list[str]()
    texts_stay = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(data, {**texts_stay, "in_memory": True}) as book:
        bold, day = book.add_format({"bold": True}), book.add_format({"num_format": "yyyy-mm-dd"})
        for table in tables:
            sheet = book.add_worksheet(_sheet_name(table.place.get("name", ""), names))
            for at, (name, cells) in enumerate(table.columns.items()):
                sheet.write_string(0, at, name[:MAX_CELL_CHARS], bold)
                _write_column(sheet, at, cells, day)
            sheet.freeze_panes(1, 0)
    return data.getvalue()


def _write_column(sheet: Any, at: int, cells: Sequence[str], day: Any) -> None:
    filled = [cell for cell in cells if cell]
    are_numbers = bool(filled) and all(map(_NUMBER.fullmatch, filled))
    are_dates = bool(filled) and all(map(_DATE.fullmatch, filled)) and all(map(_as_date, filled))
    for row, cell in enumerate(cells, 1):
        if not cell:
            continue
        if are_numbers:
            sheet.write_number(row, at, float(cell))
        elif are_dates:
            sheet.write_datetime(row, at, _as_date(cell), day)
        else:
            sheet.write_string(row, at, cell[:MAX_CELL_CHARS])


def _as_date(cell: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.strptime(cell, "%Y-%m-%d")
    except ValueError:
        return None


def _sheet_name(wanted: str, taken: list[str]) -> str:
    """A name for a sheet that XLSX allows and no other sheet has."""
    name = _NOT_IN_NAME.sub(" ", wanted).strip(" '")[:MAX_NAME_CHARS] or f"Sheet{len(taken) + 1}"
    number = 2
    while name.lower() in taken or name.lower() == "history":
        end = f" ({number})"
        name, number = f"{name[: MAX_NAME_CHARS - len(end)]}{end}", number + 1
    taken.append(name.lower())
    return name
