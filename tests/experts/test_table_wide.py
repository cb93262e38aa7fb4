"""Questions about the cells of wide tables: a column for each day, or for each kind of outlay."""

from __future__ import annotations

import pytest

from tests.experts.test_tables import ask

HOURS = "Name,Mon,Tue,Wed,Thu\nAmina,8,0,8,4\nLorcan,0,7,7,7\nPri,6,6,6,0\n"
MARKS = "Pupil,Art,Music,Sport\nAda,60,70,95\nBob,80,50,75\n"
STALLS = "Day,bread,cake,tea\nFri,50,40,20\nSat,45,60,30\n"
OUTLAYS = "Month,Groceries,Rent,Heating\nJanuary,410,700,160\nFebruary,380,700,150\nMarch,555,700,120\n"


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        (HOURS, "who works the most hours in this week and how many is it?", "Lorcan has the highest sum of hours by Name: 21"),
        (HOURS, "which day has the most hours?", "Wednesday has the highest sum of hours by day: 21"),
        (HOURS, "who has Tuesday off?", "Amina: the row where amount is 0 and day is Tuesday."),
        (HOURS, "who works on Monday?", "Amina and Pri have"),
        (HOURS, "does Pri work on Thursday?", "No"),
        (HOURS, "how many people are there?", "The table has 3 rows."),
        (HOURS, "Pri gets 12.50 an hour. Her pay?", "225: the sum of pay in the 4 rows where Name is Pri. That is hours times 12.5"),
        (HOURS, "total hours per person\nand Amina?", "20 (Amina): the sum of hours"),
        (OUTLAYS, "what did we spend most on apart from rent?", "Groceries has the highest sum of amount by kind"),
        (OUTLAYS, "which month was the most expensive overall?", "March has the highest sum of amount by Month: 1,375"),
        (OUTLAYS, "how much did we spend on heating?", "430: "),
        (OUTLAYS, "what did we pay for heating in February?", "amount is 150 where"),
        (MARKS, "which subject did best on average?", "Sport has the highest average of mark by subject: 85"),
        (MARKS, "weakest subject overall", "Music has the lowest average of mark by subject: 60"),
        (MARKS, "which subject is Bob best in", "Art has the highest average of mark by subject where Pupil is Bob: 80"),
        (MARKS, "which subject was best?\nand the worst?", "Music has the lowest"),
        (STALLS, "on which day did we take the most?", "Sat has the highest sum of bread, cake and tea"),
        (OUTLAYS, "average heating", "143.33: the average of Heating"),
    ],
)  # fmt: skip
def test_cells_are_asked_one_below_another(table: str, question: str, answer: str) -> None:
    assert ask(table, question).startswith(answer)
