"""The lines of a receipt, bill, list or plan in a picture as a table in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hugginggpt.core.documents import counted
from hugginggpt.core.errors import UserError
from hugginggpt.experts import boards, listed, pages
from hugginggpt.experts.ocr import Line, read_lines, text_of
from hugginggpt.experts.operations import operation
from hugginggpt.experts.saved_tables import format_in, saved
from hugginggpt.experts.vision import ONNX
from hugginggpt.media.tables import Columns, NamedTable

ITEM, QUANTITY, PRICE = "Item", "Quantity", "Price"


@operation(
    "lines",
    "page-to-table",
    "The lines of a receipt, bill or plan in a picture as a table (RapidOCR).",
    ("rapidocr", *ONNX),
)
def page_to_table(image: Path, format: str = "") -> dict[str, Any]:
    """The lines of a page as Excel, or as the format that words name. Raises UserError where the page has no list."""
    columns = columns_of(read_lines(image))
    if not columns:
        raise UserError(f"I find no table and no list with prices in {image.name}.")
    number = len(next(iter(columns.values())))
    return saved([NamedTable(columns, {})], format_in(format) or "xlsx", counted(number, "row"))


def columns_of(rows: Sequence[Sequence[Line]]) -> Columns:
    """The columns of a page's table: below their heads, of a weekly plan, or the lines of a list with their prices; {}
    where it has none.
    """
    if board := next(boards.boards(rows), None):
        named = {"": list(board.names)} if any(board.names) else {}
        return named | {head: [row[at] for row in board.cells] for at, head in enumerate(board.heads)}
    return _below_heads(rows) or _of_list(text_of(rows))


def _below_heads(rows: Sequence[Sequence[Line]]) -> Columns:
    """A table below the heads of its columns, each row of which has as many cells."""
    for head in pages.table_heads(rows):
        at = next(number for number, row in enumerate(rows) if row is head)
        found: Columns = {line.text: [] for line in head}
        for row in rows[at + 1 :]:
            if len(row) != len(head):
                break
            for line, cells in zip(row, found.values(), strict=False):
                cells.append(line.text)
        if len(found) == len(head) and len(next(iter(found.values()))) > 1:
            return found
    return {}


def _of_list(text: str) -> Columns:
    """The items of a list with their prices, and with how many there are of each where one says so."""
    items = [record for record in listed.priced(listed.records(text)) if not record.is_sum]
    if not items:
        return {}
    units = {one.price.unit for one in items if one.price}
    unit = f" ({units.pop()})" if len(units) == 1 and units != {""} else ""
    found: Columns = {ITEM: [one.label for one in items]}
    if any(one.count for one in items):
        found[QUANTITY] = [f"{one.count or 1:g}" for one in items]
    found[f"{PRICE}{unit}"] = [f"{one.price.number:.2f}" if one.price else "" for one in items]
    return found
