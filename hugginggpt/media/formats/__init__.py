"""Readers of documents, a module a family of formats. They run in a process of their own (`__main__.py`).

Each reader is a function of a path and the `Limits` that returns a `Document`, or raises `Unreadable` with why, as the
rest of a sentence that begins with the file's name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

MAX_CHARS = 4_000_000
"""The longest text that is taken out of a document."""
MAX_CELLS, MAX_TABLE_CHARS = 5_000_000, 20_000_000
"""The most cells of all tables of a document, with those that short rows lack, and characters in them."""


class Unreadable(Exception):
    """Why a document cannot be read: "is protected by a password"."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most pages, slides or chapters of a document, rows of its tables, and bytes that its archive unpacks to."""

    pages: int
    rows: int
    unpacked: int


@dataclass(slots=True)
class Document:
    """The texts of a document, {"unit", "name", "text"} each ("page", "3"), and its tables, {"unit", "name", "rows"};
    `unread` are the numbers of pages that hold a picture in place of text; `lines` are those of a page with the left,
    top, right and bottom of its box, {"3": [[text, 85.0, 120.0, 154.0, 127.0], ...]}.
    """

    parts: list[dict[str, Any]] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    lines: dict[str, list[list[Any]]] = field(default_factory=dict)
    chars: int = 0
    cells: int = 0
    table_chars: int = 0

    def add(self, unit: str, name: str | int, text: str) -> None:
        """Raises Unreadable when the document holds too much text."""
        self.chars += len(text)
        check_length(self.chars)
        self.parts.append({"unit": unit, "name": str(name), "text": text.strip()})

    def add_table(self, unit: str, name: str | int, rows: Iterable[Iterable[str]]) -> bool:
        """Adds a table with its header row, if it is one: not of a single row or column. Raises Unreadable when the
        tables of the document hold too much.
        """
        table = [list(row) for row in rows]
        width = max(map(len, table), default=0)
        if len(table) < 2 or width < 2:
            return False
        self.cells += len(table) * width
        check_cells(self.cells)
        self.table_chars += sum(len(cell) for row in table for cell in row)
        check_table_chars(self.table_chars)
        self.tables.append({"unit": unit, "name": str(name), "rows": table})
        return True


def check_length(chars: int) -> None:
    """Raises Unreadable for too long a text."""
    if chars > MAX_CHARS:
        raise Unreadable(f"holds more than {MAX_CHARS:,} characters of text: give a part of it")


def check_cells(cells: int) -> None:
    """Raises Unreadable for too many cells of tables."""
    if cells > MAX_CELLS:
        raise Unreadable(f"has more than {MAX_CELLS:,} cells: give a part of it")


def check_table_chars(chars: int) -> None:
    """Raises Unreadable for too much text in tables."""
    if chars > MAX_TABLE_CHARS:
        raise Unreadable(f"holds more than {MAX_TABLE_CHARS:,} characters in its tables: give a part of it")


def too_many(number: int, what: str, most: int, setting: str) -> Unreadable:
    return Unreadable(f"has {number:,} {what}, more than the {most:,} allowed ({setting})")
