"""Tables as text for people: readable in a terminal of 60 columns, and Markdown at the same time."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

MAX_WIDTH = 60
MAX_ROWS = 20
MAX_CELL = 300
"""Of a longer cell so many characters are shown."""


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int = MAX_WIDTH) -> str:
    """A Markdown table with aligned columns, at most `width` characters wide; where that would cut a cell off, the rows
    stand one below the other, each as an item with the names of its columns.

    At most 20 rows; a line below says how many are left out.
    """
    lines = [[_one_line(cell) for cell in row] for row in (columns, *rows[:MAX_ROWS])]
    widths = [max(1, *(_width(line[at]) for line in lines)) for at in range(len(columns))]
    number = len(rows) - MAX_ROWS
    note = [f"\n({number} more {'rows' if number > 1 else 'row'})"] if number > 0 else []
    if sum(widths) + 3 * len(widths) + 1 > width:
        header, *body = lines
        return "\n".join([*(_item(header, line, width) for line in body), *note])
    header_line, *body_lines = ["| " + " | ".join(map(_padded, line, widths)) + " |" for line in lines]
    rule = "|" + "|".join("-" * (cells + 2) for cells in widths) + "|"
    return "\n".join([header_line, rule, *body_lines, *note])


def _item(names: Sequence[str], cells: Sequence[str], width: int) -> str:
    """A row as an item of a list, in lines of at most `width` characters; empty cells are left out."""
    parts = [f"{name}: {_short(cell)}" for name, cell in zip(names, cells, strict=True) if cell]
    return "\n".join(_wrapped("- " + "; ".join(parts), width))


def _wrapped(text: str, width: int) -> list[str]:
    """A text in lines between its words; a word that is wider than a line is broken."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if _width(joined) > width and lines[-1].strip():
            joined = f"  {word}"
            lines.append("")
        while _width(joined) > width:
            at = width if joined.isascii() else width // 2
            lines[-1], joined = joined[:at], f"  {joined[at:]}"
            lines.append("")
        lines[-1] = joined
    return lines


def _short(cell: str) -> str:
    return cell if len(cell) <= MAX_CELL else f"{cell[:MAX_CELL].rstrip()} …"


def _one_line(cell: str) -> str:
    return " ".join(cell.replace("|", "/").split())


def _width(text: str) -> int:
    """The columns that a text takes in a terminal: two for a wide character, none for a combining one."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - _width(cell))
