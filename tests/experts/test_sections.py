"""The sections of a text, and which of them a question asks for."""

import pytest

from hugginggpt.experts import sections
from hugginggpt.experts.sentences import statements

GUIDE = """# The Mill House

## Arrival
The key is with Mrs Lowe next door. You can come from 3 pm.

## Heating
The thermostat is in the hall. Do not set it above 20 degrees.

## Before you leave
1. Strip the beds.
2. Empty the fridge.
3. Lock both doors.

Kind regards,
Ann
"""
MINUTES = "Present: Ann, Bob\n\nBins\nThe bins are emptied on Mondays.\nNext meeting\nWe meet on 3 May in the hall."


def test_headings_are_told_from_items_labels_and_closings() -> None:
    assert [section.heading for section in sections.sections(GUIDE)] == ["Arrival", "Heating", "Before you leave"]
    assert sections.headings(MINUTES) == {"Bins", "Next meeting"}
    numbered = "1. Term\nThe lease begins on 1 May.\n2. Rent\nIt is paid in advance."
    assert sections.headings(numbered) == {"1. Term", "2. Rent"}
    assert not sections.headings("1. Wash hands\n2. Dry hands\n3. Put on gloves")


def test_what_stands_below_a_heading_is_taken_as_a_whole() -> None:
    below = sections.below("## Heating", GUIDE)
    assert below is not None
    assert below.text == "Heating: The thermostat is in the hall. Do not set it above 20 degrees."
    assert sections.below("The thermostat is in the hall.", GUIDE) is None


def test_the_number_of_an_item_is_no_sentence() -> None:
    assert statements("1. Strip the beds.\n2. Empty the fridge.") == ["1. Strip the beds.", "2. Empty the fridge."]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("what does it say under Heating?", "Heating"),
        ("what does the guide say about arrival", "Arrival"),
        ("list the steps before we go", "Before you leave"),
        ("when can we come?", ""),
        ("what does it say about dogs", ""),
    ],
)
def test_a_section_is_found_by_its_heading_or_as_a_list(question: str, heading: str) -> None:
    section = sections.asked_for(question, GUIDE)
    assert (section.heading if section else "") == heading


def test_a_list_ends_with_its_items_and_is_named_by_the_last_word() -> None:
    note = "The farm!\nPlease bring:\n- old shoes\n- a rain jacket\nThe trip costs £9.50 for each child. It is a long day.\n"
    found = sections.asked_for("give me the list of what to bring", note)
    assert found is not None and found.text == "Please bring:\n- old shoes\n- a rain jacket"
    slides = "Start on the ward\nBadge\nKeys\n\nIn case of fire\nCall 2222\nClose the doors\n"
    found = sections.asked_for("new on the ward, what do i do when theres a fire?", slides)
    assert found is not None and found.heading == "In case of fire"
