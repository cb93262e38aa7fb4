"""What differs between two texts, line by line."""

from __future__ import annotations

from hugginggpt.experts.text_differences import compare

OLD = "Offer 12\nPrice: 840 euro a year\nNotice: 4 weeks\nKeys: two\n"
NEW = "Offer 14\nPrice: 910 euro a year\nNotice: 4 weeks\nParking is included\n"


def test_changed_lines_stand_side_by_side() -> None:
    assert compare(OLD, NEW) == {
        "generated text": "4 differences:\n- “Offer 12” → “Offer 14”\n- “Price: 840 euro a year” → “Price: 910 euro a year”\n"
        "- only in the first: “Keys: two”\n- only in the second: “Parking is included”",
        "differences": 4,
    }


def test_blanks_and_empty_lines_do_not_count() -> None:
    assert compare(OLD, OLD.replace("\n", "  \n\n"))["differences"] == 0


def test_prose_is_compared_by_sentences() -> None:
    found = compare("The shop opens at nine. It closes at five.", "The shop opens at ten. It closes at five.")
    assert found["generated text"] == "One difference:\n- “The shop opens at nine.” → “The shop opens at ten.”"
