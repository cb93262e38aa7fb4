"""Which bus to take by a timetable."""

from __future__ import annotations

import pytest

from hugginggpt.experts import checks, timetables, worked_questions

BUS = """Bus 47 Hillside - Central Station
Hillside  06:40  07:15  08:05  09:20
Market Square  06:52  07:28  08:19  09:32
University  07:05  07:43  08:36  09:45
No service on public holidays. Single ticket 2.80
"""
FERRY = """Ferry Lowport - Gull Island
Leaves Lowport  Arrives island
07:10  07:55
12:00  12:45
18:40  19:25
Adult  8.50
"""


TWO = """\
Monday to Friday
Station  07:10  07:50  08:20
Market Square  07:16  07:57  08:27
Hospital  07:33  08:17  08:47
Sundays and public holidays
Station  09:15  11:15  13:15
Market Square  09:21  11:21  13:21
Hospital  09:36  11:36  13:36
"""


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        (BUS, "I have to be at the uni by quarter to nine. Which bus do I take from Hillside?", "08:05 (Hillside), 08:36 (University)"),
        (BUS, "be at the university by 8 in the morning. latest bus from Market Square?", "07:28 (Market Square), 07:43 (University)"),
        (BUS, "when is the next bus after 9 from hillside", "09:20 (Hillside), 09:45 (University)"),
        (BUS, "is there a bus after 10?", "None after 10:00; the last: 09:20 (Hillside), 09:45 (University)."),
        (FERRY, "we need to be on the island by 1pm, which ferry", "12:00 (Leaves Lowport), 12:45 (Arrives island)"),
        (TWO, "when does the first bus leave from the Station and when is it at the hospital?", "07:10 (Station), 07:33 (Hospital)"),
        (TWO, "When does the first bus leave Market Square on Sunday?", "09:21 (Market Square)"),
        (TWO, "I start at the Hospital at 8.30 on a Tuesday. Which bus from the Station at the latest?", "07:50 (Station), 08:17 (Hospital)"),
        (TWO, "I take the 7:10 from the Station. When am I at the Hospital?", "07:33 (Hospital)"),
        (FERRY, "when does the last one leave", "18:40 (Leaves Lowport), 19:25 (Arrives island)"),
    ],
)  # fmt: skip
def test_the_trip_that_keeps_to_a_time(text: str, question: str, told: str) -> None:
    assert timetables.answer(question, text) == told


@pytest.mark.parametrize(
    "question", ["what does a ticket cost", "take the picture after 3 days", "does it run on holidays?"]
)
def test_other_questions_to_a_timetable_are_left_to_the_reader(question: str) -> None:
    assert timetables.answer(question, BUS) is None


@pytest.mark.parametrize(
    ("words", "minutes"),
    [("8 in the morning", 480), ("quarter to nine", 525), ("1pm", 780), ("half past seven", 450), ("10", 600),
     ("12 am", 0), ("the hospital", None), ("3 days", None), ("noon", None)],
)  # fmt: skip
def test_a_time_of_day_in_words(words: str, minutes: int | None) -> None:
    assert timetables.time_of(words) == minutes


def test_the_rows_that_hold_a_time() -> None:
    chart = "Medicine  Dose  Times\nAmoxicillin  500 mg  08:00 14:00 20:00\nRamipril  5 mg  08:00\nOmega  40 mg  20:00"

    told = checks.answer("Which of these are due at 20:00?", chart)

    assert told == "- Amoxicillin 500 mg 08:00 14:00 20:00\n- Omega 40 mg 20:00"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("were only three, how much beef then?", "For 3 instead of 6:\n- 450 g beef shin\n- 375 ml beef stock"),
        ("There's two of us. How much stock?", "For 2 instead of 6:\n- 250 ml beef stock"),
        ("how much paprika do i need", "2 tsp paprika"),
    ],
)
def test_a_recipe_for_us(question: str, told: str) -> None:
    recipe = "Goulash for 6\n900 g beef shin\n750 ml beef stock\n2 tsp paprika\nSimmer for two hours."

    given = worked_questions.answer(question, recipe, lambda part: {}, "{}")

    assert given and given["answer"] == told
