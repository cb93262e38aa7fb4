"""Tables written row by row: CSV whose cells no spreadsheet takes for formulas, and XLSX, whose cells are texts."""

from __future__ import annotations

import csv
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self
from xml.sax.saxutils import escape

from hugginggpt.media.table_files import LIKE_FORMULA

Cell = str | float | int
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CELL_CHARS = 32_767
"""The longest text of a cell in Excel."""


def guarded(cell: Cell) -> Cell:
    """A text that a spreadsheet would take for a formula, with an apostrophe before it."""
    return f"'{cell}" if isinstance(cell, str) and LIKE_FORMULA.match(cell) else cell


class CsvTable:
    """A CSV file in UTF-8 with a mark, by which Excel knows it."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("w", encoding="utf-8-sig", errors="replace", newline="")
        self._writer = csv.writer(self._file)

    def add(self, cells: Sequence[Cell]) -> None:
        self._writer.writerow([guarded(cell) for cell in cells])

    def close(self) -> None:
        self._file.close()


_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override '
    'PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = (
    '<?xml version="1.0" encoding="UTF-8"?><Relationships '
    'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/{{kind}}" Target="{{target}}"/></Relationships>'
)
_BOOK = (
    f'<?xml version="1.0" encoding="UTF-8"?><workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="results" sheetId="1" r:id="rId1"/></sheets></workbook>'
)


class XlsxTable:
    """A workbook with one sheet (ECMA-376), which is written as the rows come."""

    def __init__(self, file: Path) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._zip.writestr("[Content_Types].xml", _TYPES)
        self._zip.writestr("_rels/.rels", _LINKS.format(kind="officeDocument", target="xl/workbook.xml"))
        self._zip.writestr("xl/workbook.xml", _BOOK)
        links = _LINKS.format(kind="worksheet", target="worksheets/sheet1.xml")
        self._zip.writestr("xl/_rels/workbook.xml.rels", links)
        self._sheet = self._zip.open("xl/worksheets/sheet1.xml", "w", force_zip64=True)  # of any size
        self._write(f'<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="{_MAIN}"><sheetData>')

    def _write(self, text: str) -> None:
        self._sheet.write(text.encode("utf-8", "replace"))

    def add(self, cells: Sequence[Cell]) -> None:
        self._write(f"<row>{''.join(map(_xml, cells))}</row>")

    def close(self) -> None:
        self._write("</sheetData></worksheet>")
        self._sheet.close()
        self._zip.close()


def _xml(cell: Cell) -> str:
    if not isinstance(cell, str):
        return f"<c><v>{cell}</v></c>"
    text = escape(_NOT_XML.sub("\ufffd", cell)[:_CELL_CHARS])
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


class Tables:
    """The same rows as CSV and as XLSX."""

    def __init__(self, csv_file: Path, xlsx_file: Path) -> None:
        self._tables = (CsvTable(csv_file), XlsxTable(xlsx_file))

    def add(self, cells: Sequence[Cell]) -> None:
        for table in self._tables:
            table.add(cells)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for table in self._tables:
            table.close()
