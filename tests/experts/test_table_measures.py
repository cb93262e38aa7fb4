"""What follows from a table's numbers: prices per kilo, speeds, paces, how long something took, what comes first."""

from __future__ import annotations

import pytest

from hugginggpt.experts.table_columns import typed
from hugginggpt.experts.table_conversations import answer_question

FLATS = "tenant,sqm,rent,people,paid\nMeyer,50,600,2,yes\nOkafor,80,800,4,no\nSilva,40,520,1,yes"
SHOPPING = "Artikel,Gramm je Packung,Preis je Packung\nMehl,1000,0.90\nKaffee,500,6.50\nTee,100,3.00"
RIDES = "rider,date,km,minutes,climb_m\nNora,2026-04-04,42,105,310\nPaul,2026-05-02,60,180,800\nIda,2026-05-09,18,60,90"
GARDEN = (
    "plant,bed,sown,harvested,kg,price per kg\n"
    "beans,north,2026-05-05,2026-07-20,6,4.5\nlettuce,west,2026-04-20,2026-06-10,3,5\ncarrots,north,2026-04-01,2026-07-30,10,2"
)
CLASSES = "name,room,starts,ends,people\nYoga,Hall,09:00,10:15,14\nRepair cafe,Library,14:00,17:30,20\nChoir,Hall,18:30,20:00,31"
SOLD = "produit,quantité,prix unitaire,client\nTarte,12,18.50,Marie\nQuiche,8,14.00,Paul\nCake,10,9.90,Marie"
STALLS = "stall,owner,fee,paid on,metres\n12,Brandt,45,2026-05-02,4\n14,Olsen,30,,3\n18,Lemaire,30,2026-04-28,2\n21,Brandt,45,,4"
ZOO = "Animal,Keeper,Count\nzebra,Ann,4\nlion,Tom,2\nzebra,Tom,5"
CUSTOMERS = "Customer,City,Number\nAnna,Paris,471\nTom,Rome,472\nEva,Paris,988"
SLEEP = "night,went to bed,got up\n2026-03-01,22:45,06:30\n2026-03-03,22:10,07:00"
GAMES = "game,players_max,minutes,missing pieces\nCatan,4,90,no\nUno,10,30,no\nRisk,6,180,yes"
FILMS = "film,released,runtime_min,stars\nAlien,1979,117,5\nHeat,1995,170,4\nUp,2009,96,3"


def ask(table: str, question: str) -> str:
    first, *rows = (line.split(",") for line in table.splitlines())
    cells = {name: [row[at] for row in rows] for at, name in enumerate(first)}
    return str(answer_question(typed(cells), question)["answer"])


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        (FLATS, "who pays the most per square metre?", "Silva has the highest rent per square metre of 3 rows: 13."),
        (FLATS, "how much space per person does Okafor have", "sqm per person is 20 where tenant is Okafor."),
        (FLATS, "who has paid?", "Meyer, Silva: the 2 rows where paid is yes."),
        (SHOPPING, "Wie viel kostet der Kaffee pro Kilo?", "is 13 where Artikel is Kaffee."),
        (SHOPPING, "Was ist am billigsten pro Kilo?", "Mehl has the lowest"),
        (RIDES, "what was the slowest ride in km/h", "Ida has the lowest speed of 3 rows: 18."),
        (RIDES, "who had the best pace", "Nora has the lowest pace"),
        (RIDES, "whats the average pace of Ida in minutes per km?", "3.33: the average of pace"),
        (RIDES, "how many hours did Paul ride", "time in hours"),
        (RIDES, "hardest climb?", "800 (Paul): the highest climb_m in all 3 rows."),
        (GARDEN, "which plant took the longest from sowing to harvest?", "carrots has the highest duration of 3 rows: 120 days."),
        (GARDEN, "how many days did the lettuce need?", "duration is 51 days where plant is lettuce."),
        (GARDEN, "how much is everything worth altogether?", "62: the sum of worth in all 3 rows."),
        (GARDEN, "whats the dearest stuff per kilo", "lettuce has the highest price per kg of 3 rows: 5."),
        (GARDEN, "what did i sow last", "2026-05-05 (beans): the latest sown in all 3 rows."),
        (GARDEN, "which bed gave us the most", "north has the highest sum of kg by bed: 16"),
        (CLASSES, "which class is the longest?", "Repair cafe has the highest duration of 3 rows: 210 minutes."),
        (CLASSES, "how long does the choir go on for", "duration is 90 minutes where name is Choir."),
        (CLASSES, "what's on in the evening?", "Choir: the row where starts is from 17:00 to 23:59."),
        (CLASSES, "what starts first", "09:00 (Yoga): the earliest starts in all 3 rows."),
        (SOLD, "how much did Marie spend?", "321: the sum of amount in the 2 rows where client is Marie."),
        (SOLD, "Quel client a dépensé le plus ?", "Marie has the highest sum of amount by client: 321"),
        (STALLS, "who pays the most per metre?", "Lemaire has the highest average of fee per metre by owner: 15"),
        (STALLS, "who hasn't paid the stall fee?", "Olsen, Brandt: the 2 rows where paid on has no value."),
        (ZOO, "how many zebras are there?", "9: the sum of Count in the 2 rows where Animal is zebra."),
        (ZOO.replace("Count", "Number"), "how many lions?", "Number is 2 where Animal is lion."),
        (CUSTOMERS, "how many Paris customers are there?", "2 rows where City is Paris."),
        (SLEEP, "what time did I get up on 3 march", "07:00"),
        (GAMES, "which games can 5 people play?", "Uno, Risk"),
        (GAMES, "longest game that isn't missing any pieces", "Catan has the highest minutes"),
        (FILMS, "what's the best one under two hours", "Alien has the highest stars of 2 rows where runtime_min is below 120: 5."),
        (FILMS, "films from the seventies", "Alien"),
    ],
)  # fmt: skip
def test_measures_are_computed_from_what_the_table_has(table: str, question: str, answer: str) -> None:
    assert answer in ask(table, question)


def test_the_column_that_a_ratio_came_from_is_there_for_the_next_question() -> None:
    assert "1,920" in ask(FLATS, "who pays the most per square metre?\nwhat is the total rent?")


TILL = "day,item,qty,unit_price,total\nMon,Mug,2,4.00,8.00\nMon,Pot,1,9.00,9.00\nTue,Mug,3,4.00,12.00"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how much was spent on mugs", "20"),
        ("how much did mugs bring in", "20"),
        ("what did we take on Monday", "17"),
        ("what does a mug cost", "unit_price in 2 rows where item is Mug: Mon: 4.00"),
    ],
)
def test_money_is_what_was_taken_beside_the_price_of_a_piece(question: str, answer: str) -> None:
    assert ask(TILL, question).startswith(answer)


def test_numbers_that_name_groups_are_no_divisor() -> None:
    assert "3: 15; 7: 8" in ask("Nurse,Ward,Hours\nAna,7,8\nBea,3,9\nCem,3,6", "hours per ward please")
