"""Questions that forms answer by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("spacy")

from hugginggpt.experts import whole_texts
from hugginggpt.media.documents import read_document, text_of
from tests.media.samples import write_invoice


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("total and due date", ["total", "due date"]),
        ("What are the total and the due date?", ["total", "due date"]),
        ("invoice number, customer, and total", ["invoice number", "customer", "total"]),
        ("what's the VAT & the subtotal?", ["VAT", "subtotal"]),
        ("What is the total?", []),
        ("What is the price and quantity of the desk lamp?", []),
        ("Who is the customer and what is the total?", []),
        ("Is it paid, and when?", []),
        ("a, b, c and d", []),
        ("", []),
    ],
)
def test_the_names_that_a_question_lists(question: str, names: list[str]) -> None:
    assert whole_texts._names_in(question) == names


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What are the subtotal and the total?", ("Subtotal: 228.80", "Total: 272.27 EUR")),
        ("total and date", ("Total: 272.27 EUR", "Date: 12 March 2025")),
        ("total and billing address", ("Total: 272.27 EUR", "I find nothing on “billing address”")),
    ],
)
def test_each_name_gets_its_value_or_is_left_open(tmp_path: Path, question: str, said: tuple[str, ...]) -> None:
    text = text_of(read_document(write_invoice(tmp_path / "invoice.pdf"), "pdf"), None)
    answer = whole_texts.from_its_form(question, text)
    assert answer is not None
    assert all(part in answer["answer"] for part in said)
