"""Spreadsheets, by calamine: XLSX, XLSB, XLS and ODS. Formulas are read by the values that were saved with them."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hugginggpt.media.formats import Document, Limits, Unreadable, check_cells, check_table_chars, too_many
from hugginggpt.media.formats.archives import archive


def sheets(path: Path, limits: Limits) -> Document:
    """Each sheet as a table without its empty rows and columns; as text, where it is no table."""
    import python_calamine

    if zipfile.is_zipfile(path):
        with archive(path, limits):
            pass
    try:
        workbook = python_calamine.CalamineWorkbook.from_path(str(path))
    except python_calamine.PasswordError as error:
        raise Unreadable("is protected by a password: save it without one") from error
    document, cells = Document(), 0
    for about in workbook.sheets_metadata:
        if about.typ != python_calamine.SheetTypeEnum.WorkSheet:
            continue
        sheet = workbook.get_sheet_by_name(about.name)
        cells += sheet.total_height * sheet.total_width
        if sheet.height > limits.rows:
            raise too_many(sheet.height, f"rows in the sheet “{about.name}”", limits.rows, "limits.max_rows")
        check_cells(cells)
        rows = list(_rows(sheet))
        is_table = document.add_table("sheet", about.name, rows)  # whose text is made of it where it is wanted
        document.add("sheet", about.name, "" if is_table else "\n".join(" | ".join(row) for row in rows))
    return document


def _rows(sheet: Any) -> Iterator[list[str]]:
    """The rows as texts, without empty rows, and without columns that are empty throughout."""
    rows, chars = [], 0
    for row in sheet.to_python(skip_empty_area=True):
        rows.append([shown(value) for value in row])
        chars += sum(map(len, rows[-1]))
        check_table_chars(chars)
    used = [any(column) for column in zip(*rows, strict=True)]
    for row in rows:
        if any(row):
            yield [cell for cell, is_used in zip(row, used, strict=True) if is_used]


def shown(value: object) -> str:
    """A cell as a person would write it: whole numbers without a fraction, dates as 2025-03-31."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ", "minutes")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return " ".join(str(value).split())
