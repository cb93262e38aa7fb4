"""What is true of a row of a table or is not yet, asked in the words of different people and languages."""

from __future__ import annotations

import pytest

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_columns import typed
from hugginggpt.experts.table_conversations import answer_question

GUESTS = "Name,Ort,Essen,Zusage,Kinder\nUwe,Kiel,Fleisch,ja,0\nLena,Bremen,vegan,nein,2\nPetra,Kiel,Käse,ja,1\nIvo,Kiel,Käse,nein,0"
SHELF = "title,pages,lent to,read\nDune,612,Mia,yes\nEmma,474,,no\nMomo,304,,yes"
SHOPPING = "article,shop,bought\nmilk,Spar,x\nsalt,Aldi,\nrice,Spar,"
BILLS = "client,amount,paid on\nAbel,120,2026-01-03\nBea,80,\nCleo,50,"
STOCK = "product,price,stock,bio\nHoney,6.90,12,x\nOats,2.49,0,\nCoffee,7.99,4,\nTea,2.95,9,x"
CHORES = "task,who,done,minutes\nhoover,Max,yes,25\nwindows,Lea,no,60\nmow,Max,no,70"
KIDS = "child,group,allergies\nMila,bears,nuts\nTom,frogs,"
RIDES = "rider,km,minutes\nNora,42,105\nPaul,30,95\nNora,55,150"


def ask(table: str, question: str) -> str:
    first, *rows = (line.split(",") for line in table.splitlines())
    cells = {name: [row[at] for row in rows] for at, name in enumerate(first)}
    return str(answer_question(typed(cells), question, partly=True)["answer"])


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        (GUESTS, "who is coming?", "Uwe, Petra: the 2 rows where Zusage is ja."),
        (GUESTS, "Wer hat abgesagt?", "Lena, Ivo: the 2 rows where Zusage is nein."),
        (GUESTS, "who can't make it?", "Lena, Ivo: the 2 rows where Zusage is nein."),
        (GUESTS, "Wie viele Gäste kommen aus Kiel und haben zugesagt?", "2 rows where Zusage is ja and Ort is Kiel."),
        (GUESTS, "is Lena coming?", "No: the table has no row where Zusage is ja and Name is Lena"),
        (GUESTS, "how many from Kiel said no", "1 row where Zusage is nein and Ort is Kiel."),
        (SHELF, "what is the longest one I still have at home?", "Emma has the highest pages of 2 rows where lent to has no value: 474."),
        (SHELF, "which ones have I not read yet?", "Emma: the row where read is no."),
        (SHELF, "which books have i lent to Mia?", "Dune: the row where lent to is Mia."),
        (SHELF, "which unread ones are at home", "Emma: the row where"),
        (SHOPPING, "what do we still need to buy?", "salt, rice: the 2 rows where bought is no."),
        (SHOPPING, "what have we already bought at Spar", "milk: the row where bought is x and shop is Spar."),
        (SHOPPING, "how many things are still missing?", "2 rows where bought is no."),
        (BILLS, "how much is outstanding?", "130: the sum of amount in the 2 rows where paid on has no value."),
        (BILLS, "who has paid?", "Abel: the row where paid on has a value."),
        (BILLS, "when did Abel pay?", "paid on is 2026-01-03 where client is Abel."),
        (STOCK, "which organic products do we have?", "Honey, Tea: the 2 rows where bio is x."),
        (STOCK, "cheapest thing that is not organic and still there", "Coffee has the lowest price of 1 row where"),
        (STOCK, "what is sold out", "Oats: the row where stock is 0."),
        (CHORES, "which tasks arnt done yet", "windows, mow: the 2 rows where done is no."),
        (CHORES, "what does Lea still have to do", "windows: the row where done is no and who is Lea."),
        (CHORES, "who has the most left to do", "Max has the highest sum of minutes by who"),
        (CHORES, "how long will it take Max to finish his stuff", "minutes is 70 where done is no and who is Max."),
        (KIDS, "who is allergic to something", "Mila: the row where allergies has a value."),
        (KIDS, "Wer hat keine Allergien?", "Tom: the row where allergies has no value."),
        (RIDES, "how many km did each of them ride?", "Nora: 97; Paul: 30."),
        (RIDES, "who rode the furthest in one go?", "Nora has the highest km of 3 rows: 55."),
    ],
)  # fmt: skip
def test_states_are_conditions_in_whatever_words(table: str, question: str, answer: str) -> None:
    assert answer in ask(table, question)


def test_a_question_of_which_nothing_is_understood_is_not_answered_with_the_table() -> None:
    with pytest.raises(ExpertUnavailable):
        ask(RIDES, "which ones can I still buy?")


def test_each_of_them_is_everybody_though_one_was_picked_before() -> None:
    runs = "Date,Runner,Km\n2026-11-01,Karl,8\n2026-11-03,Ida,5\n2026-11-04,Karl,15"
    assert "Karl: 23; Ida: 5" in ask(runs, "who ran the furthest in one go?\nhow many km did each of them run")


def test_those_who_come_are_a_condition() -> None:
    assert "1 row where Zusage is ja and Essen is Käse" in ask(GUESTS, "how many Käse meals for those who come?")


def test_what_is_asked_is_no_condition() -> None:
    assert "2026-01-03" in ask(BILLS, "when has Abel paid?")
    assert "Mia" in ask(SHELF, "who has borrowed Dune?")


def test_groups_called_x_and_y_are_no_ticks() -> None:
    assert typed({"c": ["x", "x", "y", "y"]}).columns[0].type == "text"
    assert typed({"c": ["x", "", "X", ""]}).columns[0].type == "flag"
