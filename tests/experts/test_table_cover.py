"""Sums against each other, raised numbers, what is paid in many words, and the rows of another table."""

from __future__ import annotations

import pytest

from hugginggpt.experts.table_told import as_line
from hugginggpt.experts.workbooks import answer_from_tables
from hugginggpt.media.tables import NamedTable

CHOIR = "Name,Fee,Paid\nAnna,80,yes\nCarl,80,no\nDina,60,yes\nEmil,80,open\nFay,80,"
SPENDING = "What,Amount\nRoom,90\nFlowers,24.5\nMusic,50"
LEDGER = "day,kind,sum\n1,Income,300\n2,Expense,120\n3,Income,50\n4,Expense,270"
RENTS = "Unit,Tenant,Rent due,Paid\nFlat 1,Cole,600,600\nFlat 2,Singh,400,100"
PHONES = "Tenant,Phone\nCole,07700 1\nSingh,07700 2"
STAFF = "Employee,Department,Salary\nLund,Kitchen,1000\nMoss,Office,2000"


def table(text: str, sheet: str = "") -> NamedTable:
    first, *rows = (line.split(",") for line in text.splitlines())
    columns = {name: [row[at] for row in rows] for at, name in enumerate(first)}
    return NamedTable(columns, {"unit": "sheet", "name": sheet} if sheet else {})


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (LEDGER, "did our income cover the expenses?", "No: Income comes to 350, Expense to 390, so that 40 is missing."),
        (RENTS, "what would the rent be altogether if I raise everybody by 4 percent", "1,040: the sum of new Rent due"),
        (STAFF, "what is the total if the kitchen salaries go up by 10%?", "3,100: the sum of new Salary in all 2 rows."),
        (STAFF, "total if everybody gets 5 % less", "2,850"),
        (CHOIR, "who has not paid?", "Carl, Emil, Fay: the 3 rows where Paid is no."),
        (CHOIR, "how much is missing?", "240: the sum of Fee in the 3 rows where Paid is no."),
    ],
)  # fmt: skip
def test_sums_after_a_rise_and_against_each_other(text: str, question: str, answer: str) -> None:
    assert answer in answer_from_tables([table(text)], "a.csv", question)["answer"]


@pytest.mark.parametrize(
    "question",
    ["what is the surplus?", "how much money is left?", "did we make a profit", "wie hoch ist der Überschuss?"],
)
def test_what_is_left_of_the_income(question: str) -> None:
    sheets = [table("Who,Sum\nAnna,80\nCarl,120", "Income"), table("What,Sum\nHall,70\nMusic,55", "Expenses")]
    columns = table("Day,Takings,Costs\nMon,100,40\nTue,50,35")
    assert answer_from_tables(sheets, "club.xlsx", question)["answer"].startswith(
        "75: Sum (sheet “Income”) comes to 200"
    )
    assert answer_from_tables([columns], "a.csv", question)["answer"].startswith(
        "75: Takings comes to 150, Costs to 75"
    )
    assert answer_from_tables([table(LEDGER)], "a.csv", question)["answer"].startswith("-40")


def test_what_is_left_of_a_part_is_computed_with_it() -> None:
    columns = table("Day,Takings,Costs\nMon,100,40\nTue,50,35")
    assert "15" in answer_from_tables([columns], "a.csv", "what was the profit on Tue?")["answer"]


def test_what_one_sheet_brings_covers_what_another_costs() -> None:
    sheets = [table(CHOIR, "Singers"), table(SPENDING, "Spending")]
    answer = answer_from_tables(sheets, "a.xlsx", "Do the fees that came in cover what we spent?")["answer"]
    assert answer.startswith("No: Fee where Paid is yes (sheet “Singers”) comes to 140, ")
    assert answer.endswith("to 164.50, so that 24.50 is missing.")


def test_those_of_another_table_are_found_by_the_column_in_common() -> None:
    told = as_line(["Unit", "Tenant", "Rent due"], [["Flat 2", "Singh", "400"]])
    question = f"{told}\nHere are the phone numbers. Give me their numbers"
    assert "07700 2" in answer_from_tables([table(PHONES)], "b.csv", question)["answer"]
    assert "07700 1" not in answer_from_tables([table(PHONES)], "b.csv", question)["answer"]


TERMS = "Fach,Note 1. Halbjahr,Note 2. Halbjahr\nDeutsch,3,2\nMathe,2,2\nEnglisch,1,2"
TOOLS = "tool,lent to,since,returned\nDrill,Pete,2025-08-01,2025-08-09\nLadder,Ann,2025-09-12,\nSaw,Omar,2025-09-30,"
GOALS = "player,goals,games\nKofi,8,10\nZara,11,20"


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (TERMS, "In welchen Fächern hab ich mich verschlechtert?", "Englisch: the row where Note 2. Halbjahr is above"),
        (TERMS, "Was ist mein Schnitt im 2. Halbjahr?\nund im ersten?", "2: the average of Note 1. Halbjahr"),
        (TOOLS, "which tools havent come back yet\nwho has them", "Ann, Omar"),
        (GOALS, "whos top scorer", "Zara has the highest goals of 2 rows: 11."),
        (GOALS, "goals per game for kofi", "goals per game is 0.80 where player is Kofi."),
    ],
)  # fmt: skip
def test_what_is_compared_or_held_is_told_in_everyday_words(text: str, question: str, answer: str) -> None:
    assert answer in answer_from_tables([table(text)], "a.csv", question)["answer"]
