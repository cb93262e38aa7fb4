"""Tables as CSV and XLSX: what is written is read again, and nothing in them is a formula."""

from __future__ import annotations

import datetime
import io
from pathlib import Path

import openpyxl
import pytest

from hugginggpt.core.errors import MediaError
from hugginggpt.media.table_files import separated, workbook
from hugginggpt.media.tables import NamedTable, columns

HOSTILE = ["=1+1", "+49 170 1234", "-2+3", "@SUM(A1)", "\t=1", "http://evil.example/", "=HYPERLINK(A1)"]


def test_formulas_are_texts_in_csv() -> None:
    table = NamedTable({"=name": HOSTILE, "amount": ["-3", "1.5", "-0.25", "0", "7", "8", "=9"]}, {})
    data, marked = separated(table)
    cells = columns(data.decode("utf-8-sig"))
    assert marked == 8
    assert cells["'=name"] == [text if text.startswith("http") else f"'{text}".strip() for text in HOSTILE]
    assert cells["amount"] == ["-3", "1.5", "-0.25", "0", "7", "8", "'=9"]


def test_formulas_are_texts_in_xlsx_and_numbers_numbers() -> None:
    tables = [
        NamedTable(
            {
                "text": HOSTILE[:3],
                "number": ["1", "-2.5", ""],
                "code": ["007", "12", "3"],
                "day": ["2025-03-31", "", "2024-02-29"],
                "no day": ["2025-02-30", "2025-01-01", "2025-01-01"],
            },
            {"name": "a/b:c*" + 40 * "x"},
        ),
        NamedTable({"a": ["1"], "b": ["2"]}, {"name": "A b c " + 40 * "x"}),
    ]
    book = openpyxl.load_workbook(io.BytesIO(workbook(tables)))
    first, second = book.worksheets
    rows = [[cell.value for cell in row] for row in first.iter_rows(min_row=2)]
    assert [row[0] for row in rows] == HOSTILE[:3]
    assert all(cell.data_type == "s" and cell.hyperlink is None for row in first.iter_rows(max_col=1) for cell in row)
    assert [row[1] for row in rows] == [1, -2.5, None]
    assert [row[2] for row in rows] == ["007", "12", "3"]
    assert [row[3] for row in rows] == [datetime.datetime(2025, 3, 31), None, datetime.datetime(2024, 2, 29)]
    assert rows[0][4] == "2025-02-30"
    assert len(first.title) <= 31 and first.title.lower() != second.title.lower()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a;b\n" + b"1;2\n" * 2_500_001, "The table has more than 5,000,000 cells: give a part of it."),
        (b"a," * 16_384 + b"b\n" + b"1," * 16_384 + b"2\n", "The table has more than 16,384 columns: give a part of it."),
        (b'Month,Total\n"' + b"1,2\n" * 40_000, "The table has a cell of more than 131,072 characters: does a quotation mark lack its end?"),
        (b"," * 5_000_001, "The table has more than 5,000,000 cells: give a part of it."),
        (b"a" * 200_000, "The table has a cell of more than 131,072 characters: does a quotation mark lack its end?"),
    ],
    ids=["rows", "columns", "quotation", "commas", "line"],
)  # fmt: skip
def test_hostile_tables_are_refused_before_they_take_memory(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(MediaError) as refused:
        columns(tmp_path / "a.csv")
    assert str(refused.value) == why


def test_lines_may_end_as_they_do_on_any_system(tmp_path: Path) -> None:
    for end in (b"\n", b"\r\n", b"\r"):
        (tmp_path / "a.csv").write_bytes(end.join((b"a,b", b'1,"2 %s 3"' % end, b"4,5")))
        assert columns(tmp_path / "a.csv") == {"a": ["1", "4"], "b": ["2 \n 3", "5"]}
