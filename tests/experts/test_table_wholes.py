"""Questions about all rows of a person or a thing together, lengths of time, and the busiest of days."""

from __future__ import annotations

import pytest

from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.experts.table_columns import shown_length, typed
from hugginggpt.experts.tabular import answer_from_table
from tests.experts.test_tables import ask

SHIFTS = """person,day,place,hours
Ada,2026-06-01,Roof,8
Bo,2026-06-01,Roof,7
Ada,2026-06-02,Gym,9
Cy,2026-06-02,Gym,4
Bo,2026-06-03,Roof,5
"""
RUNS = """name,phone,5k time,10k time
Ann,0791 550112,22:41,47:10
Ben,0791 550344,19:58,
Cleo,0791 550871,24:05,1:02:30
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("anybody with more than 10 hours?", "Ada and Bo have a sum of hours above 10 (2 of 3 by person: Ada: 17; Bo: 12)"),
        ("who has less than 10 hours in total", "Cy has a sum of hours below 10"),
        ("who did more than 8 hours in one day?", "Ada: the row where hours is above 8"),
        ("on which days did we work more than 13 hours", "2026-06-01 has a sum of hours above 13"),
        ("who never worked at the gym", "Bo has no row where place is Gym (Ada and Cy have one)."),
        ("who was there more than once", "Ada and Bo have at least 2 rows"),
        ("who worked in several places?", "Ada has at least 2 different place"),
        ("average hours per day", "11: the average sum of hours per day, of 3"),
        ("total hours per person", "The sum of hours by person, over 5 rows: Ada: 17; Bo: 12; Cy: 4."),
        ("did Bo work more hours than Ada?", "No: Ada has the highest sum of hours by person"),
        ("did Ada work more hours than Bo?", "Yes: Ada has the highest sum of hours by person"),
        ("which was the busiest day?", "2026-06-01, 2026-06-02 have the highest number of rows by day"),
    ],
)  # fmt: skip
def test_rows_of_one_person_or_day_are_taken_together(question: str, answer: str) -> None:
    assert ask(SHIFTS, question).startswith(answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who is the fastest over 5k", "Ben has the lowest 5k time of 3 rows: 19:58."),
        ("who ran the 10k under 50 minutes", "Ann: the row where 10k time is below 50:00."),
        ("who was slower than 22:00 on the 5k", "Ann, Cleo: the 2 rows where 5k time is above 22:00."),
        ("average 5k time", "22:14.67: the average of 5k time in all 3 rows."),
        ("who didn't run the 10k?", "Ben: the row where 10k time has no value"),
        ("names and phones", "name in 3 rows: Ann (0791 550112), Ben (0791 550344), Cleo (0791 550871)."),
    ],
)
def test_lengths_of_time_are_numbers_and_phones_are_none(question: str, answer: str) -> None:
    assert ask(RUNS, question).startswith(answer)


def test_times_of_day_are_no_lengths() -> None:
    table = typed({"time": ["09:30", "14:00"], "lap": ["1:02.5", "0:58.9"], "run": ["22:41", "19:58"]})
    assert [column.type for column in table.columns] == ["text", "number", "number"]
    assert [table["lap"].present, table["run"].present] == [[62.5, 58.9], [1361.0, 1198.0]]
    assert [shown_length(seconds) for seconds in (62.5, 1198, 6430, -3)] == ["1:02.50", "19:58", "1:47:10", "-0:03"]


def test_a_number_that_no_word_names_is_computed_for_each_column_it_may_be() -> None:
    answer = answer_from_table("shop,pieces,takings\na,3,30\nb,4,10\na,1,5\n", "total per shop")["answer"]
    assert answer.splitlines()[0].startswith("By pieces: The sum of pieces by shop")
    assert answer.splitlines()[1].startswith("By takings: The sum of takings by shop")


def test_nobody_is_counted_where_it_is_not_clear_who() -> None:
    with pytest.raises(HuggingGPTError):
        answer_from_table("fruit,price\napple,1\npear,2\n", "who came more than once")


VET = """date,owner,pet,vet,fee,paid
2026-03-02,Hughes,Rex,Amos,48,yes
2026-03-02,Laurent,Minou,Amos,35,no
2026-03-03,Petrov,Bella,Lindt,120,no
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how much did Amos earn for the practice", "83: the sum of fee in the 2 rows where vet is Amos."),
        ("which vet earned the most fee for the clinic", "Lindt has the highest sum of fee by vet: 120 (Lindt: 120; Amos: 83)."),
        ("how many parrots", None),
        ("average bonus", None),
        ("who came last year", None),
        ("how many of them are married", None),
        ("what was the temperature on the hill", None),
        ("how much did Smith pay", None),
    ],
)  # fmt: skip
def test_an_unknown_word_is_said_and_nothing_is_guessed_without_it(question: str, answer: str | None) -> None:
    if answer is None:
        with pytest.raises(HuggingGPTError):
            ask(VET, question)
    else:
        assert ask(VET, question).startswith(answer)


def test_months_between_two_are_meant_in_any_language() -> None:
    table = "Monat;Wasser m3\nJanuar;9\nFebruar;8\nMärz;10\nApril;7\n"
    assert ask(table, "total Wasser from January to March").startswith("27: the sum of Wasser m3 in the 3 rows")


def test_a_price_is_not_added_to_pieces() -> None:
    table = "product,pieces,price\nQueso,40,6\nQueso,35,6\nAceite,30,7\n"
    assert "75" in ask(table, "how many Queso in total").splitlines()[0]
