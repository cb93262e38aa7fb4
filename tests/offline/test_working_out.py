"""What a request states before it asks for a sum belongs to the question, and several bills are asked for their totals."""

import pytest

pytest.importorskip("spacy")


from hugginggpt.experts import bills
from hugginggpt.offline import joint_bills
from hugginggpt.offline.planner import draft_plan
from tests.conftest import TABLE


def test_what_is_stated_before_belongs_to_the_question() -> None:
    (task,) = draft_plan("trip.txt: Both my twins are going. What does that come to?", TABLE).tasks
    assert task["task"] == "question-answering"
    assert "Both my twins are going" in task["args"]["text"]


def test_what_was_paid_is_asked_of_the_page_and_not_of_a_photograph() -> None:
    (task,) = draft_plan("what did we spend at the pet shop alltogether? slip.png", TABLE).tasks
    assert task["task"] == "document-question-answering"


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("three movers sent us quotes, which one is the cheapest all in?", joint_bills.Asked("total", "<")),
        ("what do they add up to?", joint_bills.Asked("sum")),
        ("which has to be paid first", joint_bills.Asked("due", "<")),
        ("list number, date and amount of each", joint_bills.Asked("list")),
        ("how much more does Vale want than Holt?", joint_bills.Asked("difference")),
        ("welches Angebot ist am günstigsten?", joint_bills.Asked("total", "<")),
        ("who has the cheapest fitting?", None),
        ("what do the windows cost in total", None),
        ("which of the two is cheaper per month", None),
        ("which letter is longer?", None),
        ("what is the total of each one?", None),
    ],
)
def test_what_is_asked_of_several_totals(words: str, asked: joint_bills.Asked | None) -> None:
    assert joint_bills.read(words) == asked


def test_several_bills_are_each_asked_for_their_total() -> None:
    draft = draft_plan("a.txt b.txt c.pdf which one is the cheapest all in?", TABLE)
    (question,) = draft.questions
    assert (question.operation, question.relation, len(question.tasks)) == ("totals", "<", 3)
    assert {task["args"]["text"] for task in draft.tasks} == {joint_bills.ASKED_OF_EACH}


def test_no_account_is_taken_for_a_sum() -> None:
    text = "Tap  145.00\nTotal  306.00\nPlease pay to account  61550923"
    assert bills.record_of(text)["amount"] == 306
    assert not bills.record_of("Tap  145.00\nTo pay: account  61550923\nAmount to pay to  61550923")


def test_what_a_bill_says_of_itself() -> None:
    text = "Invoice no: MD-1180\nDate: 4 June 2026\nTap  145.00\nTotal due  £306.00\nPayable within 30 days, sort code 20-11-33."
    assert bills.record_of(text) == {
        "amount": 306.0, "unit": "£", "written": "£306.00", "number": "MD-1180", "date": "4 June 2026",
        "due": "4 July 2026", "due_day": "2026-07-04",
    }  # fmt: skip
