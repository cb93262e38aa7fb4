"""Embedded experts that make tables of tables: changed, put together, compared, and drawn as charts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hugginggpt.core.documents import counted
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.operations import check
from hugginggpt.experts.registry import expert
from hugginggpt.experts.saved_tables import format_in, saved
from hugginggpt.media.tables import NamedTable, tables, title_of
from hugginggpt.media.types import type_of

MAX_NAMES = 12
"""So many names of the rows of a new table are told."""
PANDAS, XLSX, PLOT = ("pandas",), ("pandas", "xlsxwriter"), ("pandas", "matplotlib")


@expert(
    "edit", "edit-table",
    "Columns added, computed, dropped, renamed, rows sorted, kept, removed, as words say (pandas, XlsxWriter).", XLSX,
)  # fmt: skip
def edit(table: str | Path, change: str, format: str = "") -> dict[str, Any]:
    """The changed table as a file of the same kind, or of the format; of a workbook with all its sheets.

    Raises ExpertUnavailable, which says what was not understood.
    """
    from hugginggpt.experts.table_edits import edited

    check(change)
    sheets, errors = tables(table, at_least=1), []
    named = [one for one in sheets if re.search(rf"\b{re.escape(one.place.get('name', '') or '-')}\b", change, re.I)]
    for one in named or sheets:
        try:
            done = edited(one.columns, change)
        except ExpertUnavailable as error:
            errors.append(error)
            continue
        made = [NamedTable(done.columns, one.place) if other is one else other for other in sheets]
        where = f"sheet {one.place['name']}: " if len(sheets) > 1 else ""
        return saved(made, _format(table, format), f"{where}{'; '.join(done.done)}; {_size(done.columns)}")
    raise errors[0]


@expert("merge", "merge-tables", "Tables below one another, or joined by a column (XlsxWriter).", XLSX)
def merge(tables: Sequence[str | Path], how: str = "", format: str = "") -> dict[str, Any]:
    """One table of several, or of the sheets of a workbook, as a file of the first one's kind, or of the format."""
    from hugginggpt.experts.table_columns import typed
    from hugginggpt.experts.table_sets import stacked

    check(how)
    columns, told = stacked([one for one, _ in _every(tables)], how)
    (label, *_) = typed(columns).labels
    names = f"{', '.join(label.cells[:MAX_NAMES])}{', …' if len(label.cells) > MAX_NAMES else ''}"
    return saved([NamedTable(columns, {})], _format(tables[0], format), f"{told}: {_size(columns)}: {names}")


@expert("compare", "compare-tables", "What is in both of two tables, or in one of them only (code).", PANDAS)
def compare(tables: Sequence[str | Path], text: str = "") -> dict[str, Any]:
    """The answer in words, and the names it is about: {"answer", "cells", "aggregator", "columns", "rows"}."""
    from hugginggpt.experts.table_sets import compared

    check(text)
    every = _every(tables)
    return compared([one for one, _ in every], [name for _, name in every], text)


def _every(files: Sequence[str | Path]) -> list[tuple[NamedTable, str]]:
    """The tables of the files with their names: those of the sheets of a single workbook, else the first of each."""
    names = [one.name if isinstance(one, Path) else f"table {at}" for at, one in enumerate(files, 1)]
    if len(files) == 1:
        return [(one, one.place.get("name", names[0])) for one in tables(files[0], at_least=1)]
    own = (re.sub(r"-[0-9a-f]{10}(?=\.\w+$)", "", name) for name in names)  # without an upload's digest
    return [(tables(one, at_least=1)[0], name) for one, name in zip(files, own, strict=True)]


def _format(table: str | Path, wanted: str) -> str:
    """The format of a file: as wanted, else that of the table, or xlsx for a workbook of another type."""
    asked = format_in(wanted)
    row = type_of(table.name) if isinstance(table, Path) else None
    own = "xlsx" if row and row.reader else "tsv" if row and row.suffixes[0] == "tsv" else "csv"
    return asked or own


def _size(columns: dict[str, list[str]]) -> str:
    return f"{counted(len(next(iter(columns.values()))), 'row')}, {counted(len(columns), 'column')}"


@expert("plot", "plot-table", "Bar, line and pie charts, histograms, scatter plots of a table (matplotlib).", PLOT)
def plot(table: str | Path, chart: str) -> dict[str, Any]:
    """The chart as a PNG, with its numbers in words; of a workbook the first sheet that has what is asked for.

    Raises ExpertUnavailable, which says what was not understood.
    """
    from hugginggpt.experts.table_charts import drawn
    from hugginggpt.experts.table_columns import typed

    check(chart)
    errors = []
    for one in tables(table, at_least=1):
        try:
            image, told = drawn(typed(one.columns, title_of(table)), chart)
        except ExpertUnavailable as error:
            errors.append(error)
            continue
        return {"generated image": image, "note": told}
    raise errors[0]
