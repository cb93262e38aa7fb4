"""What is true of a row of a table or is not yet, asked in the words of different people and languages."""

from __future__ import annotations

import pytest

from hugginggpt.experts.table_columns import typed
from hugginggpt.experts.table_conversations import answer_question

GUESTS = "Name,Ort,Essen,Zusage,Kinder\nUwe,Kiel,Fleisch,ja,0\nLena,Bremen,vegan,nein,2\nPetra,Kiel,Käse,ja,1\nIvo,Kiel,Käse,nein,0"
SHELF = "title,pages,lent to,read\nDune,612,Mia,yes\nEmma,474,,no\nMomo,304,,yes"
SHOPPING = "article,shop,bought\nmilk,Spar,x\nsalt,Aldi,\nrice,Spar,"
BILLS = "client,amount,paid on\nAbel,120,2026-01-03\nBea,80,\nCleo,50,"
RIDES = "rider,km,minutes\nNora,42,105\nPaul,30,95\nNora,55,150"


def ask(table: str, question: str) -> str:
    first, *rows = (line.split(",") for line in table.splitlines())
    cells = {name: [row[at] for row in rows] for at, name in enumerate(first)}
    return str(answer_question(typed(cells), question)["answer"])


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        (GUESTS, "who is coming?", "2 rows where Zusage is ja: Uwe, Petra."),
        (GUESTS, "Wer hat abgesagt?", "2 rows where Zusage is nein: Lena, Ivo."),
        (GUESTS, "who can't make it?", "2 rows where Zusage is nein: Lena, Ivo."),
        (GUESTS, "Wie viele Gäste kommen aus Kiel und haben zugesagt?", "There are 2 rows where Zusage is ja and Ort is Kiel."),
        (GUESTS, "is Lena coming?", "No: the table has no row where Zusage is ja and Name is Lena"),
        (GUESTS, "how many from Kiel said no", "There is 1 row where Zusage is nein and Ort is Kiel."),
        (SHELF, "what is the longest one I still have at home?", "Emma has the highest pages of 2 rows where lent to has no value: 474."),
        (SHELF, "which ones have I not read yet?", "1 row where read is no: Emma."),
        (SHELF, "which books have i lent to Mia?", "1 row where lent to is Mia: Dune."),
        (SHELF, "which unread ones are at home", "1 row where"),
        (SHOPPING, "what do we still need to buy?", "2 rows where bought is no: salt, rice."),
        (SHOPPING, "what have we already bought at Spar", "1 row where bought is x and shop is Spar: milk."),
        (SHOPPING, "how many things are still missing?", "There are 2 rows where bought is no."),
        (BILLS, "how much is outstanding?", "The sum of amount over 2 rows where paid on has no value is 130."),
        (BILLS, "who has paid?", "1 row where paid on has a value: Abel."),
        (BILLS, "when did Abel pay?", "paid on is 2026-01-03 where client is Abel."),
        (RIDES, "how many km did each of them ride?", "Nora: 97; Paul: 30."),
        (RIDES, "who rode the furthest in one go?", "Nora has the highest km of 3 rows: 55."),
    ],
)  # fmt: skip
def test_states_are_conditions_in_whatever_words(table: str, question: str, answer: str) -> None:
    assert answer in ask(table, question)


def test_what_is_asked_is_no_condition() -> None:
    assert "2026-01-03" in ask(BILLS, "when has Abel paid?")
    assert "Mia" in ask(SHELF, "who has borrowed Dune?")
