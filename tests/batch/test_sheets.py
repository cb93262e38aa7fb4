"""Tables: no cell is a formula, whatever a file is called or holds."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path

import openpyxl
import pytest

from hugginggpt.batch.sheets import Tables, guarded

ROWS = [["file", "seconds"], ["=HYPERLINK('http://x')", 1.5], ["+1", 0], ["a\x00b\x1b<&>\n2", 2], ["x" * 40_000, 3]]


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\ufeff@x", "\0+1", "＝1"]
)
def test_a_formula_is_a_text(cell: str) -> None:
    assert guarded(cell) == f"'{cell}"


def test_numbers_and_other_texts_stay() -> None:
    assert [guarded(cell) for cell in (-1.5, "a=1", "", "2 people")] == [-1.5, "a=1", "", "2 people"]


def test_a_sheet_may_have_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 10_000)  # in place of 2 GiB
    with Tables(tmp_path / "r.csv", tmp_path / "r.xlsx") as tables:
        for _ in range(500):
            tables.add(["x" * 50])
    assert openpyxl.load_workbook(tmp_path / "r.xlsx").active.max_row == 500


def test_both_tables_have_the_same_rows(tmp_path: Path) -> None:
    with Tables(tmp_path / "r.csv", tmp_path / "r.xlsx") as tables:
        for row in ROWS:
            tables.add(row)
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        written = list(csv.reader(file))
    assert written[1] == ["'=HYPERLINK('http://x')", "1.5"] and len(written) == len(ROWS)
    book = openpyxl.load_workbook(tmp_path / "r.xlsx")
    cells = [[cell.value for cell in row] for row in book.active.iter_rows()]
    assert cells[1] == ["=HYPERLINK('http://x')", 1.5]
    assert book.active["A2"].data_type in ("s", "inlineStr")  # a text, no formula
    assert cells[3] == ["a\ufffdb\ufffd<&>\n2", 2]
    assert len(str(cells[4][0])) == 32_767
    book.close()
