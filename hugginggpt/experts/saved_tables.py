"""Tables as the file that an expert gives: CSV, TSV, XLSX or PDF."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hugginggpt.core.documents import counted
from hugginggpt.core.errors import UserError
from hugginggpt.experts import grammar, typesetting
from hugginggpt.media import table_files
from hugginggpt.media.tables import NamedTable

FORMATS = {"csv": "csv", "comma": "csv", "tsv": "tsv", "tab": "tsv", "xlsx": "xlsx", "xls": "xlsx", "excel": "xlsx",
           "spreadsheet": "xlsx", "workbook": "xlsx", "pdf": "pdf"}  # fmt: skip
_AS_FILE = re.compile(
    rf"(?:\b(?:an?|the|as|into|in|to|on|for|new|little|small|separate|simple)\s+)*\b(?:{'|'.join(FORMATS)}|ods)\b"
    r"(?:[- ]?(?:file|list|table|sheet|version|format|document|workbook|spreadsheet)s?\b)*"
    r"(?:\s+(?:with|of|from|containing|that has|please|pls)\b)?",
    re.I,
)
"""What names the kind of file, and leads to what it is to hold: "an Excel list with"."""
_EVERYTHING = re.compile(
    r"\W*(?:(?:the )?(?:whole )?(?:lot|thing|table|list|sheet|data)|all(?: of)?(?: it| this| that)?|everything|"
    r"(?:it|that|this)(?: all| lot)?)?\W*",
    re.I,
)
_FOR_WHOM = re.compile(r"(?<!\s)\s*+,?\s*+\b(?:for (?:me|us|(?:my|our) [\w ]+)|so (?:that )?(?:i|we) .*)\W*$", re.I)
_LEADING = frozenset(["UH", "MD", "PRP", "TO", "RB", ",", "CC", "VBP"])
"""The tags of what stands before an order: "please", "can you", "I need to"."""
MAX_FILES = 100
"""The most files that the sheets of a workbook become."""


def format_in(words: str) -> str:
    """The format that words name; "" where they name none."""
    return next((FORMATS[word] for word in re.findall(r"[a-z]+", words.lower()) if word in FORMATS), "")


def asked_rows(words: str) -> str:
    """What a request for a file says of the rows, without what file is wanted and who wants it: "only those three" of
    "please make me an Excel list with only those three"; "" where all are wanted.
    """
    *earlier, last = words.splitlines()
    rest, number = _AS_FILE.subn(" ", last)
    spoken = grammar.words(rest)
    order = next((at for at, word in enumerate(spoken) if word.tag == "VB"), -1)
    if number and order >= 0 and all(word.tag in _LEADING for word in spoken[:order]):
        begin = order + 1
        while begin < len(spoken) and spoken[begin].lower in ("me", "us"):
            begin += 1
        rest = rest[spoken[begin].start :] if begin < len(spoken) else ""
    if number and _EVERYTHING.fullmatch(_FOR_WHOM.sub("", rest)):
        return ""
    return "\n".join([*earlier, " ".join(rest.split())])


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
