"""Weekly plans, rotas, charts of medicines and departures: what of them a question means."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hugginggpt.experts import board_questions, departures, weeks
from hugginggpt.experts.ocr import Line

WEEK = """
Time          | Monday    | Tuesday   | Wednesday | Thursday  | Friday
8:30 – 9:20   | Maths     | English   | History   | Maths     | Art
9:25 – 10:15  | French    | Biology   | Maths     | English   | Art
10:35 – 11:25 | English   | PE        | Chemistry | Geography | French
12:20 – 13:10 | Lunch     | Lunch     | Lunch     | Lunch     | Lunch
13:10 – 14:00 | History   | French    | PE        | Drama     |
"""
CHART = """
Medicine    | Dose   | Morning | Noon | Evening | Night
Ramipril    | 5 mg   | 1       | 0    | 0       | 0
Metformin   | 850 mg | 1       | 0    | 1       | 0
Simvastatin | 20 mg  | 0       | 0    | 0       | 1
"""
ROTA = """
Name    | Mon   | Tue   | Wed   | Thu   | Fri
Amara   | Early | Early | Late  | Late  | Off
Bridget | Late  | Off   | Off   | Early | Early
Chen    | Night | Night | Night | Off   | Off
"""
STOP = """
Monday - Friday | Saturday | Sunday & holidays
05:42           | 06:30    | 08:05
07:12           | 08:30    | 10:05
20:12           | 14:30    | 16:05
22:12           | 22:00    | 21:20
"""


def page(table: str, title: str = "") -> list[list[Line]]:
    """A table as the lines of a page, the cells in the middle of their columns."""
    rows = [[Line(title, 0, 0, 8 * len(title), 20)]] if title else []
    for number, row in enumerate(table.strip().splitlines(), 1):
        cells = [(at, cell.strip()) for at, cell in enumerate(row.split("|")) if cell.strip()]
        rows.append(
            [
                Line(
                    cell, 200 * at + 100 - 4 * len(cell), 40 * number, 200 * at + 100 + 4 * len(cell), 40 * number + 20
                )
                for at, cell in cells
            ]
        )
    return rows


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("whats my 3rd lesson on wednesday", "Chemistry (Wednesday, 10:35 – 11:25)"),
        ("which days do i need my P.E. kit", "Tuesday (10:35 – 11:25) and Wednesday (13:10 – 14:00)"),
        ("is there French on Thursday?", "No, only Monday (9:25 – 10:15), Tuesday (13:10 – 14:00) and Friday"),
        ("what have we got on tuesday at 9:30", "Biology (Tuesday"),
        ("what is the last lesson on Monday", "History (Monday"),
        ("when does school finish on friday?", "11:25 (French, Friday)"),
        ("What does she have after lunch on Thursday?", "13:10 – 14:00: Drama"),
        ("how many lessons are there on friday", "3: "),
        ("Was habe ich am Mittwoch in der dritten Stunde?", "Chemistry"),
        ("星期三第三节课是什么", "Chemistry"),
        ("what does a ticket cost on monday", ""),
        ("who teaches maths on monday", ""),
    ],
)
def test_what_a_weekly_plan_says(question: str, told: str) -> None:
    assert_told(board_questions.answer(question, page(WEEK)), told)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("who's on nights on weds?", "Chen (Wed)"),
        ("is anyone off on friday?", "Yes: Amara, Chen (Fri)"),
        ("wer hat am Freitag frei?", "Amara, Chen (Fri)"),
        ("who has tues off", "Bridget (Tue)"),
        ("who is on lates thu", "Amara (Thu)"),
        ("and how many nights has chen got that wk", "3: "),
        ("when is Bridget off?", "Tue (Bridget) and Wed (Bridget)"),
        ("what shift is amara on friday", "Off (Fri, Amara)"),
        ("who has the most nights", "Chen (3)"),
        ("which days is everyone off", ""),
        ("who is never on nights", ""),
    ],
)
def test_what_a_rota_says(question: str, told: str) -> None:
    assert board_questions.asked_for(question)
    assert_told(board_questions.answer(question, page(ROTA)), told)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which medicines does Mrs Holloway get at night?", "Simvastatin 20 mg"),
        ("Welche Tabletten bekommt sie morgens?", "Ramipril 5 mg; Metformin 850 mg"),
        ("when does she get metformin", "Morning; Evening"),
        ("does she get Metformin at noon?", "No (Metformin 850 mg, Noon)"),
        ("When must she not take the ramipril?", ""),
    ],
)
def test_what_a_chart_of_medicines_says(question: str, told: str) -> None:
    assert_told(board_questions.answer(question, page(CHART, "Resident: Edith Holloway")), told)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("when is the last bus on a sunday", "21:20 (Sunday & holidays)"),
        ("And the first one on Saturday morning?", "06:30 (Saturday)"),
        ("next bus after 4pm on saturday?", "22:00 (Saturday)"),
        ("letzter Bus am Mittwoch?", "22:12 (Monday - Friday)"),
        ("how many buses go on sunday", "4 (Sunday"),
        ("how much is a ticket for the bus on sunday", ""),
        ("which bus gets me there before 9 on a weekday", ""),
    ],
)
def test_which_departure_is_meant(question: str, told: str) -> None:
    assert_told(departures.answer(question, page(STOP)), told)


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("which days do I have PE?", True),
        ("what is my second lesson", True),
        ("Welche Medikamente bekommt sie abends?", True),
        ("how many cows are there?", False),
        ("write Happy Friday on it", False),
    ],
)
def test_a_question_that_a_plan_answers_is_known_by_its_words(question: str, is_so: bool) -> None:
    assert board_questions.asked_for(question) is is_so


def test_days_are_read_in_several_languages() -> None:
    assert weeks.days_in("Mo–Mi", is_head=True) == {"monday", "tuesday", "wednesday"}
    assert weeks.days_in("lundi et jeudi") == {"monday", "thursday"}
    assert weeks.days_in("so do I") == frozenset()


def assert_told(answer: str, told: Sequence[str] | str) -> None:
    assert answer.startswith(str(told)) if told else not answer
