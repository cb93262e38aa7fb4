"""What differs between two texts, line by line."""

from __future__ import annotations

from hugginggpt.experts.text_differences import compare

OLD = "Offer 12\nPrice: 840 euro a year\nNotice: 4 weeks\nKeys: two\n"
NEW = "Offer 14\nPrice: 910 euro a year\nNotice: 4 weeks\nParking is included\n"


def test_changed_lines_stand_side_by_side() -> None:
    assert compare(OLD, NEW) == {
        "generated text": "The two texts line by line: 4 differences:\n- “Offer 12” → “Offer 14”\n- “Price: 840 euro a year” → “Price: 910 euro a year”\n"
        "- only in the first: “Keys: two”\n- only in the second: “Parking is included”",
        "differences": 4,
    }


def test_blanks_and_empty_lines_do_not_count() -> None:
    assert compare(OLD, OLD.replace("\n", "  \n\n"))["differences"] == 0


def test_prose_is_compared_by_sentences() -> None:
    found = compare("The shop opens at nine. It closes at five.", "The shop opens at ten. It closes at five.")
    assert (
        found["generated text"]
        == "The two texts line by line: One difference:\n- “The shop opens at nine.” → “The shop opens at ten.”"
    )


MARCH = "Minutes of 3 March\nPresent: Ann Bell (chair), Tom Rae, Lou Fox.\nThe balance is £900.50.\nA mower will be bought for £250."
APRIL = (
    "Minutes of 7 April\nPresent: Ann Bell (chair), Lou Fox, Kim Orr.\nThe balance is £650.50.\nThe fair is on 2 May."
)


def _told(question: str, first: str = MARCH, second: str = APRIL) -> str:
    return str(compare(first, second, question)["generated text"])


def test_of_a_topic_its_lines_alone_are_told() -> None:
    assert _told("what has changed about the price?", OLD, NEW) == "“Price: 840 euro a year” → “Price: 910 euro a year”"
    assert "4 differences" in _told("what has changed?", OLD, NEW)


def test_by_how_much_an_amount_changed_is_worked_out() -> None:
    assert _told("By how much did the balance fall?") == "£250 less: £900.50 → £650.50"
    assert _told("By how much did the price go up?", OLD, NEW) == "70 euro more: 840 euro → 910 euro"


def test_the_line_that_accounts_for_a_difference_is_found() -> None:
    assert "A mower will be bought for £250." in _told("what accounts for the difference?")


def test_who_stands_in_one_list_alone_is_named() -> None:
    assert _told("who was present then but not now?") == "Tom Rae"
