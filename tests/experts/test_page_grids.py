"""Timetables and price lists on a page: a cell by its row and column, or an honest word about the column."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

pytest.importorskip("spacy")

from hugginggpt.experts import ocr, page_lines
from hugginggpt.experts.ocr import Line
from hugginggpt.experts.page_grids import grids


def page(*rows: Sequence[str]) -> list[list[Line]]:
    lefts = (20, 300, 450, 600)
    lines = [
        Line(cell, left, 60.0 * at, left + 10 * len(cell), 60.0 * at + 24)
        for at, row in enumerate(rows)
        for left, cell in zip(lefts, row, strict=False)
        if cell
    ]
    return ocr.rows_of(lines)


BUSES = page(
    ("Line 7 Quay - Abbey",),
    ("Stop", "Bus 1", "Bus 2", "Bus 3"),
    ("Quay", "6:05", "7:40", "9:20"),
    ("Old Mill", "6:17", "", "9:31"),
    ("Abbey Road", "6:29", "8:02", "9:44"),
    ("Runs from Monday to Friday.",),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("when does bus 2 get to Abbey Road?", "8:02"),
        ("the last bus from the Quay?", "9:20"),
        ("I get on at the Quay at 06:05. When am I at the Abbey?", "6:29"),
        ("when does bus 2 stop at the Old Mill", "no entry"),
        ("when do the buses leave the quay?", "Bus 1 6:05, Bus 2 7:40, Bus 3 9:20"),
        ("last one back leaving the quay", "9:20"),
        ("which bus is at the Quay at 7:40?", "Bus 2"),
        ("when does the express bus 2 get to Abbey Road?", "Bus 1 6:29, Bus 2 8:02, Bus 3 9:44"),
        ("when are the first and the last bus at the Quay?", "Bus 1 6:05, Bus 2 7:40, Bus 3 9:20"),
    ],
)
def test_a_cell_is_found_by_its_row_and_its_column(question: str, answer: str) -> None:
    assert page_lines.answer(question, BUSES)[0]["answer"] == answer


@pytest.mark.parametrize(
    "question",
    [
        "when does bus 8 get to Abbey Road?",
        "when is bus 2 at the Quay on Sunday?",
        "the next bus from the Quay after 8?",
        "when does the last but one bus leave the Quay?",
        "the second to last bus from the Quay?",
        "when does bus 2 get to Abbey Road in winter?",
        "when does bus 2 get to Abbey Road tomorrow?",
        "when is bus 2 at the Quay in March?",
    ],
)
def test_a_condition_that_is_not_on_the_page_is_not_dropped(question: str) -> None:
    assert page_lines.answer(question, BUSES)[0].get("found") is False


@pytest.mark.parametrize(
    "place", ["Mill Street", "mill street", "the new mill", "Abbey Lane", "Quay Street", "New Quay"]
)
def test_a_place_with_a_longer_name_is_another_one(place: str) -> None:
    assert page_lines.answer(f"when does bus 2 get to {place}?", BUSES)[0].get("found") is False


def test_the_last_is_the_last_that_there_is() -> None:
    heads = ("Stop", "Bus 1", "Bus 2", "Bus 3")
    buses = page(heads, ("Quay", "6:05", "7:40", "9:20"), ("Old Mill", "6:17", "7:52", ""))
    assert page_lines.answer("when is the last bus at the Old Mill?", buses)[0]["answer"] == "7:52"


@pytest.mark.parametrize("heads", [("2nd", "1st"), ("Second class", "First class")])
def test_first_class_is_no_first_column(heads: tuple[str, str]) -> None:
    prices = page(("Class", *heads), ("Oslo", "20.00", "40.00"), ("Bergen", "30.00", "60.00"))
    assert page_lines.answer("how much is first class to Oslo?", prices)[0]["answer"] == "40.00"
    assert page_lines.answer("what does second class to Bergen cost?", prices)[0]["answer"] == "30.00"


def test_a_class_that_is_not_on_the_page_is_not_dropped() -> None:
    prices = page(("Zone", "Adult", "Child"), ("Oslo", "20.00", "10.00"), ("Bergen", "30.00", "15.00"))
    assert page_lines.answer("how much is first class to Oslo for an adult?", prices)[0].get("found") is False


def test_rows_of_words_and_single_values_are_no_grid() -> None:
    assert not list(grids(page(("Chair", "4"), ("Lamp", "2"))))
    assert not list(grids(page(("F1", "Bergen", "8:00"), ("F2", "Flam", "9:00"))))
    (prices,) = grids(page(("Zone", "Adult", "Child"), ("One zone", "2.40", "1.20"), ("Two zones", "3.10", "1.60")))
    assert "money" in prices.kinds and prices.heads == ("Adult", "Child")


def test_the_lines_of_an_invoice_are_read_as_before() -> None:
    invoice = page(
        ("Item", "Qty", "Price", "Amount"), ("Tripod", "2", "74.50", "149.00"), ("Lamp", "1", "12.00", "12.00")
    )
    assert not list(grids(invoice))
    prices = page(("Zone", "Adult", "Child"), ("Inner", "2.40", "1.20"), ("Outer", "3.10", "1.60"), ("Total", "3.10"))
    assert page_lines.answer("what is the total?", prices)[0]["answer"] == "3.10"
