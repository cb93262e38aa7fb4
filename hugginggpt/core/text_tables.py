"""Tables as text for people: readable in a terminal of 60 columns, and Markdown at the same time."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

MAX_WIDTH = 60
MAX_ROWS = 20
MIN_COLUMN = 4
"""Columns are not made narrower than so many characters; those that do not fit then are left out, which is said."""


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int = MAX_WIDTH) -> str:
    """A Markdown table with aligned columns, at most `width` characters wide; long cells end in "…".

    At most 20 rows; a line below says how many rows and columns are left out.
    """
    shown = max(1, min(len(columns), (width - 1) // (MIN_COLUMN + 3)))
    lines = [[_one_line(cell) for cell in row[:shown]] for row in (columns, *rows[:MAX_ROWS])]
    widths = _fitted([max(_width(line[at]) for line in lines) for at in range(shown)], width)
    header, *body = ["| " + " | ".join(map(_padded, line, widths)) + " |" for line in lines]
    rule = "|" + "|".join("-" * (cells + 2) for cells in widths) + "|"
    left_out = [
        f"{number} more {noun if number > 1 else noun[:-1]}"
        for number, noun in ((len(rows) - MAX_ROWS, "rows"), (len(columns) - shown, "columns"))
        if number > 0
    ]
    note = [f"\n({' and '.join(left_out)})"] if left_out else []
    return "\n".join([header, rule, *body, *note])


def _fitted(widths: list[int], total: int) -> list[int]:
    """The widths with the widest columns narrowed until all, with their borders, take at most `total`."""
    widths = [max(width, 1) for width in widths]
    while sum(widths) + 3 * len(widths) + 1 > total and max(widths) > MIN_COLUMN:
        widest = max(range(len(widths)), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def _one_line(cell: str) -> str:
    return " ".join(cell.replace("|", "/").split())


def _width(text: str) -> int:
    """The columns that a text takes in a terminal: two for a wide character, none for a combining one."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _padded(cell: str, width: int) -> str:
    if _width(cell) > width:
        while _width(cell) > width - 1:
            cell = cell[:-1]
        cell += "…"
    return cell + " " * (width - _width(cell))
