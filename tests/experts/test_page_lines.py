"""The line of a page that answers a question, and how sure that is."""

from __future__ import annotations

import pytest

pytest.importorskip("spacy")

from hugginggpt.experts import page_lines
from hugginggpt.experts.training.page_lines import page_of

BOATS = """Harbour Boat Hire
Boat: Gull, 4 seats
Hired by: Nils Berg
Start: 10:00
Return by: 16:30
Deposit: £50
Life jackets are included.
Questions: 01632 960 555"""


@pytest.mark.parametrize(
    ("line", "question", "is_so"),
    [
        ("Prescriber: Dr S. Banerjee", "who is the doctor?", True),
        ("Patient: Agnes Moore", "who is the doctor?", False),
        ("Returns within 30 days", "until when can i bring it back", True),
        ("TOTAL: £32.61", "what did we pay alltogether", True),
        ("Warranty: 2 years", "how long is the guarantee?", True),
        ("Weather: fine", "whose weather?", False),
    ],
)
def test_what_pages_call_otherwise(line: str, question: str, is_so: bool) -> None:
    assert page_lines.is_called(line, question) is is_so


def test_what_may_be_quoted_are_whole_rows_and_sentences() -> None:
    page = page_of("Coach  C    Seat  42A\nWe are glad to tell you that\nyour seat is beside the window today.")
    quoted = page_lines.texts(page.rows, [])
    assert quoted[0] == "Coach: C Seat 42A" and "Seat" not in quoted
    assert "We are glad to tell you that your seat is beside the window today." in quoted


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("until when must we bring it back?", "16:30"),
        ("how much is the deposit?", "£50"),
        ("are life jackets included?", "Life jackets are included."),
    ],
)
def test_what_a_page_says_is_given(question: str, told: str) -> None:
    assert told in page_lines.answer(question, page_of(BOATS).rows)[0]["answer"]


@pytest.mark.parametrize("question", ["what colour is the sail?", "is there a toilet on board?"])
def test_what_a_page_does_not_say_is_not_given_plainly(question: str) -> None:
    assert page_lines.answer(question, page_of(BOATS).rows)[0]["found"] is False


def test_a_value_that_does_not_fit_the_question_is_not_given_for_it() -> None:
    """The price of the gloves is no date, though 5.49 may be a time."""
    receipt = page_of("Garden gloves  5.49\nBoots  31.95\nTOTAL  GBP 37.44\nReturns within 28 days with this receipt.")
    told = page_lines.answer("until when can i bring the gloves back", receipt.rows)[0]
    assert told["answer"] != "5.49"
