"""Tables as the file that an expert gives: CSV, TSV, XLSX or PDF."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hugginggpt.core.documents import counted
from hugginggpt.core.errors import UserError
from hugginggpt.experts import typesetting
from hugginggpt.media import table_files
from hugginggpt.media.tables import NamedTable

FORMATS = {"csv": "csv", "comma": "csv", "tsv": "tsv", "tab": "tsv", "xlsx": "xlsx", "xls": "xlsx", "excel": "xlsx",
           "spreadsheet": "xlsx", "workbook": "xlsx", "pdf": "pdf"}  # fmt: skip
MAX_FILES = 100
"""The most files that the sheets of a workbook become."""


def format_in(words: str) -> str:
    """The format that words name; "" where they name none."""
    return next((FORMATS[word] for word in re.findall(r"[a-z]+", words.lower()) if word in FORMATS), "")


def saved(tables: Sequence[NamedTable], kind: str, note: str) -> dict[str, Any]:
    """The tables as one file, as CSV and TSV a file each, with what is to be told of them. Raises UserError where it
    cannot hold them.
    """
    if kind == "pdf":
        return answer(typesetting.pdf_of_tables(tables), kind, note)
    if kind == "xlsx":
        if not all(map(table_files.fits_sheet, tables)):
            raise UserError("The table has more rows or columns than a sheet of XLSX can have: save it as csv.")
        return answer(table_files.workbook(tables), kind, note)
    made = [table_files.separated(one, "\t" if kind == "tsv" else ",") for one in tables[:MAX_FILES]]
    marked = sum(number for _, number in made)
    guard = f"; {counted(marked, 'cell')} like a formula got an apostrophe" if marked else ""
    return answer([data for data, _ in made], kind, f"{note}{guard}")


def answer(files: bytes | list[bytes], format: str, note: str) -> dict[str, Any]:
    """What an expert gives that makes documents."""
    return {"generated document": files, "format": format, "note": note}
