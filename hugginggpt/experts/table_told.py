"""The rows that an answer from another table told, as what "those" means in this one: by the column in common.

They stand on a line of their own before a question, as JSON: {"Tenant": ["Singh", "Costa"], "Unit": ["3", "5"]}.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hugginggpt.experts.table_columns import TypedTable
from hugginggpt.experts.table_query import Filter, Query

MIN_KNOWN = 0.5
"""So many of the values at least stand in the column that is taken for the one in common."""


def as_line(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """The different cells of rows by their columns, as a line before a question."""
    cells = {name: list(dict.fromkeys(str(row[at]) for row in rows if str(row[at]))) for at, name in enumerate(columns)}
    return json.dumps({name: values for name, values in cells.items() if values}, ensure_ascii=False)


def parted(question: str) -> tuple[dict[str, list[str]], str]:
    """What was told of another table, and the question without it."""
    first, _, rest = question.partition("\n")
    if not rest or not first.startswith("{"):
        return {}, question
    try:
        told = json.loads(first)
    except ValueError:
        return {}, question
    is_told = isinstance(told, dict) and all(isinstance(cells, list) for cells in told.values())
    return (told, rest) if is_told else ({}, question)


def query_of(table: TypedTable, told: Mapping[str, Sequence[str]]) -> Query | None:
    """The query for the rows of a table that were told of another one; None where no column holds their values."""
    best: tuple[bool, float, Query] | None = None
    for name, cells in told.items():
        wanted = {str(cell).strip().casefold() for cell in cells}
        for column in table.columns:
            held = tuple(cell for cell in column.distinct if cell.strip().casefold() in wanted)
            share = len(held) / len(wanted) if wanted else 0
            is_text = column.type == "text"
            if not is_text and column.name.casefold() != name.casefold():
                continue  # a price of 3 is no room 3
            if share >= MIN_KNOWN and (best is None or (is_text, share) > best[:2]):
                values = tuple(v for v, cell in zip(column.values, column.cells, strict=True) if cell in held)
                rows = Filter(column.name, "in", held if is_text else values)
                best = is_text, share, Query("rows", "", ((rows,),))
    return best[2] if best else None
