"""Calculations with the number that was answered before."""

from __future__ import annotations

import pytest

from hugginggpt.core.arithmetic import calculated
from hugginggpt.core.results import number_of
from hugginggpt.core.spoken_calculations import calculation_after


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("and what is 15 % of that?", 30),
        ("what's 10 percent of it", 20),
        ("then add 20 % VAT", 240),
        ("with 19 % tax", 238),
        ("take off 10 %", 180),
        ("and half of it?", 100),
        ("double that", 400),
        ("plus 20", 220),
        ("less 12", 188),
        ("times 12", 2400),
        ("divide that by 8", 25),
        ("split it between 4 people", 50),
        ("und mit 7 % Steuer?", 214),
        ("wie viel sind 20 % davon?", 40),
        ("et la moitié ?", 100),
    ],
)
def test_what_is_done_with_the_number(words: str, value: int) -> None:
    assert calculated(calculation_after(words, "200")) == value


@pytest.mark.parametrize(
    "words",
    ["who are they?", "what is that?", "is that more than 100?", "make it 20 % brighter", "rotate it by 90", "add 5",
     "remove 20 % of them", "and the other 3?", "17 % of 240"],
)  # fmt: skip
def test_other_sentences_are_no_calculation(words: str) -> None:
    assert calculation_after(words, "200") == ""


@pytest.mark.parametrize(
    ("result", "number"),
    [
        ({"answer": "The sum of km is 330.30.", "number": 330.3}, "330.3"),
        ([{"answer": "€ 1,240.50", "score": 0.9}], "1240.50"),
        ({"answer": "12,50 EUR"}, "12.50"),
        ({"answer": "between 3 and 5"}, ""),
        ({"answer": "4 rows: Anna", "columns": ["name"]}, ""),
        ({"answer": "12", "found": False}, ""),
        ([], ""),
        ("12", ""),
    ],
)
def test_the_number_of_a_result(result: object, number: str) -> None:
    assert number_of(result) == number
