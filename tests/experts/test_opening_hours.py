"""What lines and tables with days tell of opening hours."""

from __future__ import annotations

import pytest

from hugginggpt.experts import opening_hours
from hugginggpt.experts.ocr import Line

LIBRARY = ["Village library", "Tuesday and Thursday 10 to 18, Saturday 10 to 13.", "Books may be kept for three weeks."]
SHOP = ["Mon - Fri: 9am - 5.30pm", "Sat: 10am to 2pm", "Sun closed"]


@pytest.mark.parametrize(
    ("question", "lines", "answer"),
    [
        ("Are we open on Thursdays at half past six in the evening?", LIBRARY, "No: "),
        ("are you open saturday at 11", LIBRARY, "Yes: "),
        ("When do you close on Saturday?", LIBRARY, "At 13:00: "),
        ("what are the hours on tuesday", LIBRARY, "10:00 to 18:00 "),
        ("Is it open on Sunday?", LIBRARY, "No: only other days are named: "),
        ("is it closed on wednesday", LIBRARY, "Yes: only other days are named: "),
        ("Can I come on Thursday at 5?", LIBRARY, "Yes: "),
        ("how late are you open on wednesdays", SHOP, "At 17:30: "),
        ("open sunday?", SHOP, "No: “Sun closed”"),
        ("Is the shop open on Friday at 8 in the morning?", SHOP, "No: "),
        ("is it open on saturday afternoon", SHOP, "Yes: "),
    ],
)
def test_hours_answer_with_the_line_that_says_so(question: str, lines: list[str], answer: str) -> None:
    told = opening_hours.answer(question, lines)
    assert told.startswith(answer) and "“" in told


@pytest.mark.parametrize(
    "question",
    [
        "Where do we go on Saturday?",
        "Who works on Saturday from 10 to 13?",
        "When are you open?",
        "Can I go by bus on Saturday?",
        "How many books may I borrow on Thursday?",
    ],
)
def test_other_questions_are_none_of_hours(question: str) -> None:
    assert opening_hours.answer(question, LIBRARY) == ""


def test_lines_without_hours_tell_nothing() -> None:
    assert (
        opening_hours.answer("Is it open on Monday?", ["We met on Monday.", "Room 10 to 18 on Monday is 9/10."]) == ""
    )


def test_the_columns_of_a_table_may_be_days_also_where_its_cells_were_read_as_one() -> None:
    def row(*cells: tuple[str, float]) -> list[Line]:
        return [Line(text, left, 0, left + 9 * len(text), 10) for text, left in cells]

    lines = opening_hours.lines_of(
        [
            row(("Mon - Fri", 400), ("Saturday", 600), ("Sunday", 800)),
            row(("Sauna", 0), ("14:00 - 21:00 12:00 - 18:00 closed", 400)),
            row(("Early swim", 0), ("6:30 - 8:00", 390)),
            row(("Lockers need a coin.", 0)),
        ]
    )
    assert lines == [
        "Sauna, Mon - Fri: 14:00 - 21:00", "Sauna, Saturday: 12:00 - 18:00", "Sauna, Sunday: closed",
        "Early swim, Mon - Fri: 6:30 - 8:00", "Lockers need a coin.",
    ]  # fmt: skip
    assert opening_hours.answer("when does the sauna close on saturdays", lines).startswith("At 18:00")
    assert opening_hours.answer("Can we swim at 7 am on Tuesday?", lines).startswith("Yes: “Early swim")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("sunday also?", "No: “No service on Sundays and public holidays.”"),
        ("does it run on sunday", "No: “No service on Sundays and public holidays.”"),
        ("monday too?", ""),
        ("what time on sunday?", ""),
    ],
)
def test_a_day_on_which_there_is_nothing(question: str, told: str) -> None:
    assert opening_hours.answer(question, ["Bus 14", "No service on Sundays and public holidays."]) == told
