import pytest

pytest.importorskip("spacy")

from hugginggpt.experts.asked_query import Query
from hugginggpt.experts.page_times import computed
from hugginggpt.experts.pages import Pair

ISSUED = Pair("Invoice date", "3 October 2025", "right")
DUE = Pair("Due date", "24 October 2025", "right")


@pytest.mark.parametrize(
    ("question", "pairs", "answer"),
    [
        ("When do we have to pay?", [ISSUED, Pair("", "Payment terms: 14 days", "alone")], "17 October 2025 (14 days after 3 October 2025)"),
        ("By when must it be paid?", [ISSUED, DUE, Pair("", "within 30 days", "alone")], "24 October 2025"),
        ("how many days do I have to pay", [ISSUED, DUE], "21 days (from 3 October 2025 to 24 October 2025)"),
        ("How long did the repair take?", [Pair("Start", "8:15", "right"), Pair("Finish time", "11:45", "right")], "3 h 30 min (from 8:15 to 11:45)"),
        ("When do we have to pay?", [ISSUED], ""),
        ("When was it issued?", [ISSUED, DUE], ""),
        ("When do we have to pay?", [Pair("Invoice date", "31 December 9999", "right"), Pair("", "Payment terms: 30 days", "alone")], ""),
        ("How long did it take?", [Pair("Start", "8:15", "right"), Pair("Start", "9:15", "right"), Pair("End", "10:00", "right")], ""),
    ],
)  # fmt: skip
def test_what_follows_from_dates_and_times_that_are_named(question: str, pairs: list[Pair], answer: str) -> None:
    assert computed(Query.read(question), pairs) == answer
