"""Questions about tables in other words than those of the table: rotas, debts, tenure, arithmetic along the rows."""

from __future__ import annotations

import pytest

from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.experts.table_columns import typed
from hugginggpt.experts.table_conversations import answer_question
from hugginggpt.experts.workbooks import answer_from_tables
from hugginggpt.media.tables import NamedTable

PLOTS = "tenant,since,rent,paid\nAnn,2009,45,yes\nBashir,2017,60,no\nCarla,2003,75,no"
ORDERS = (
    "id,customer,product,qty,unit_price,day\n7,Marsh,Rye,3,4.20,Fri\n8,Olu,Roll,6,1.80,Sat\n9,Marsh,Roll,12,1.50,Sat"
)
ROTA = "nurse,Mon,Tue,Wed\nAbel,E,N,-\nBea,L,-,N"
MARKS = "student,essay,lab,exam\nMira,72,88,65\nLin,91,84,93"
STOCK = "part,in stock,reorder at\nChain,6,10\nTube,40,25"
CHOIR = "singer,born,fee due\nIvo,1954,35\nJo,1990,0"
WORDS = "english,french\nlate,en retard\nchair,chaise"
LOANS = (
    "title,author,table no,lent,due,back\nDune,Frank Herbert,3,2025-01-02,2025-01-20,2025-01-25\n"
    "Emma,Jane Austen,4,2025-01-03,2025-01-21,"
)
PUPILS = "name,born\nLee,2007-01-30\nKim,2009-07-02"
RECHNUNGEN = "Nr,Datum,Betrag,Bezahlt am\nR-1,03.02.2025,12,05.02.2025\nR-2,05.03.2025,20,"
WAREN = "商品,单价,销量,库存\n茶,6,9,4\n糖,9,2,0"
SPENT = "date,kind,amount\n2025-03-01,fuel,30\n2025-03-02,food,10\n2025-04-02,fuel,60"


def cells(text: str) -> dict[str, list[str]]:
    first, *rows = (line.split(",") for line in text.splitlines())
    return {name: [row[at] for row in rows] for at, name in enumerate(first)}


def ask(table: str, question: str) -> str:
    return str(answer_question(typed(cells(table)), question, partly=True)["answer"])


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        (PLOTS, "Which rows have paid no?", "Bashir, Carla: the 2 rows where paid is no."),
        (PLOTS, "which tenants are unpaid?", "Bashir, Carla: the 2 rows where paid is no."),
        (PLOTS, "How much rent do they owe?", "135: the sum of rent in the 2 rows where paid is no."),
        (PLOTS, "who has been in the club the longest?", "Carla has the earliest since of 3 rows: 2003."),
        (PLOTS, "what does Carla pay?", "rent is 75 where tenant is Carla."),
        (CHOIR, "Who owes money?", "Ivo: the row where fee due is above 0."),
        (CHOIR, "average age? it is 2020 now", "48: the average of age in all 2 rows."),
        (ORDERS, "What does Marsh have to pay in total?", "30.60: the sum of amount in the 2 rows where customer is Marsh."),
        (ORDERS, "how many rolls were sold on Saturday", "18: the sum of qty in the 2 rows where product is Roll and day is Sat"),
        (ROTA, "Who works nights on Tuesday?", "Abel: the row where shift is N and day is Tue."),
        (ROTA, "Who has Wednesday off?", "Abel: the row where day is Wed and shift is off."),
        (ROTA, "What is Bea doing on Monday?", "shift is L where nurse is Bea and day is Mon."),
        (ROTA, "Who works nights?\nand on Wednesday?", "Bea: the row where shift is N and day is Wed."),
        (MARKS, "who has the best average over essay, lab and exam?", "Lin has the highest mean of essay, lab and exam"),
        (MARKS, "how many points did Mira get altogether?", "is 225"),
        (MARKS, "who has the best average over essay and lab?\nhow many points did Mira get altogether?", "is 225"),
        (STOCK, "which part is to reorder, as its in stock is less than reorder at?", "Chain: the row where in stock is below"),
        (WORDS, "what does chaise mean?", "chair: the row where french is chaise."),
        (SPENT, "what percentage of it all went on fuel?", "90 % of the sum of amount"),
        (SPENT, "which kind is the most expensive\nwhat do they cost all together", "100: the sum of amount in all 3 rows"),
        (ORDERS, "What did we take in total?", "41.40: the sum of amount in all 3 rows"),
        (SPENT, "which month was the most expensive?", "April 2025 has the highest sum of amount by month: 60 ("),
        (SPENT, "which kind was the most expensive?", "fuel has the highest sum of amount by kind: 90 ("),
        (SPENT, "amount per month", "by month, over 3 rows: March 2025: 40; April 2025: 60."),
        (SPENT, "how much more did we spend in april than in march", "20: the difference in amount between"),
        (SPENT, "what was paid on Sundays?", "weekday is Sunday"),
        (LOANS, "which ones are still out?", "Emma: the row where back has no value."),
        (LOANS, "Which ones came back late?", "Dune: the row where back is after due."),
        (LOANS, "books by Austen", "Emma: the row where author is Jane Austen."),
        (LOANS, "who sits at table 3", "where table no is 3."),
        (PUPILS, "How old was Kim on 1 June 2025?", "age is 15 where name is Kim."),
        (PUPILS, "average age on 2025-08-01", "17: the average of age in all 2 rows."),
        (PUPILS, "list them from youngest to oldest", "Kim, Lee: the 2 rows, the highest born first."),
        (RECHNUNGEN, "Umsatz pro Monat", "February 2025: 12; March 2025: 20."),
        (RECHNUNGEN, "Welche sind noch offen?\nwie viel ist das zusammen?", "20: the sum of Betrag in the row where Bezahlt am has no value."),
        (WAREN, "哪个商品卖得最多？", "茶 has the highest 销量 of 2 rows: 9."),
        (WAREN, "哪些商品没有库存了", "糖"),
        (SPENT, "sum of amount in March\nwhat percentage was fuel?", "75 % of the sum of amount where date is"),
    ],
)  # fmt: skip
def test_other_words(table: str, question: str, answer: str) -> None:
    assert answer in ask(table, question)


@pytest.mark.parametrize(
    ("table", "question"),
    [
        (PLOTS, "which tenants are unhappy?"),
        (PLOTS, "who resigned?"),
        (ORDERS, "how many rolls were returned?"),
        (CHOIR, "who owns a car?"),
        (CHOIR, "how many guitars have a fee due of 35?"),
        (STOCK, "who works on Monday?"),
        (WORDS, "what does Stuhl mean?"),
    ],
)
def test_what_the_table_does_not_say(table: str, question: str) -> None:
    with pytest.raises(HuggingGPTError):
        ask(table, question)


def test_months_and_numbers_of_invoices_are_shown_as_they_stand() -> None:
    table = "month,amount\n2025-01,900\n2025-02,1200"
    assert "2025-02 has the highest amount" in ask(table, "which month has the highest amount?")
    assert typed(cells("invoice no,date\n2025-01,2025-03-04"))["invoice no"].type == "text"


def test_two_sheets() -> None:
    sheets = [
        NamedTable(cells("date,client,net,gross\n2025-03-31,Odeon,900,1071"), {"unit": "sheet", "name": "Invoices"}),
        NamedTable(cells("date,kind,amount\n2025-03-05,travel,31.5\n2025-03-09,paper,8"), {"unit": "sheet", "name": "Expenses"}),
    ]  # fmt: skip

    def asked(question: str) -> str:
        return str(answer_from_tables(sheets, "books", question)["answer"])

    assert "900 minus 39.50 is 860.50" in asked("so net income minus all expenses is?")
    assert "31.5" in asked("which invoices are unsigned?\nand what did I spend on travel?")


HOUSE = (
    "Datum;Posten;Kategorie;Betrag\n2025-01-02;Miete;Wohnen;980\n2025-01-09;Markt;Essen;112\n2025-02-06;Markt;Essen;96"
)
VET = "pet,animal,owner,kg\nRex,dog,Dahl,31\nLuna,cat,Petrov,4\nTilly,dog,Petrov,9"


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        (HOUSE, "Wie viel haben wir fürs Essen ausgegeben?", "208: the sum of Betrag in the 2 rows where Kategorie is Essen"),
        (HOUSE, "wie viel war es im Februar", "Betrag is 96 where Datum is in February 2025"),
        (HOUSE, "how much was the rent?", "Betrag is 980 where Posten is Miete"),
        (VET, "welches Tier ist am leichtesten?", "Luna has the lowest kg"),
        (VET, "quel est le chien le plus lourd ?", "Rex has the highest kg of 2 rows where animal is dog"),
        (VET, "¿de quién es Luna?", "owner is Petrov where pet is Luna"),
        (VET, "有多少只狗？", "2 rows where animal is dog"),
    ],
)  # fmt: skip
def test_other_languages(table: str, question: str, answer: str) -> None:
    assert answer in ask(table.replace(";", ","), question)


def test_an_unknown_word_of_another_language_is_named() -> None:
    with pytest.raises(HuggingGPTError, match="kastriert"):
        ask(VET, "welche Katze ist kastriert?")


LEAVE = "name,team,days per year,days taken\nAda,red,28,28\nBo,red,25,5\nCy,blue,30,0"
RIDES = "date,route,km,minutes\n2025-04-01,lake,20,60\n2025-04-02,hill,10,50\n2025-05-01,lake,20,48"


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        (LEAVE, "who has the most holiday left?", "Cy has the highest remaining of 3 rows: 30. remaining is days per year minus"),
        (LEAVE, "how many days has Bo got left", "remaining is 20 where name is Bo"),
        (LEAVE, "who's used up all their leave?", "Ada: the row where remaining is at most 0"),
        (LEAVE, "who hasn't taken a single day off yet", "Cy: the row where days taken is at most 0"),
        (LEAVE, "how many days are left in team red altogether", "20: the sum of remaining in the 2 rows where team is red"),
        (RIDES, "what was the fastest, in minutes per km?", "has the lowest pace of 3 rows: 2.40"),
        (RIDES, "what is the speed on 1 April 2025", "20"),
        (RIDES, "how many hours are that in total?", "2.63: the sum of time in hours in all 3 rows"),
    ],
)  # fmt: skip
def test_computed_columns(table: str, question: str, answer: str) -> None:
    assert answer in ask(table, question)


@pytest.mark.parametrize(
    ("table", "question", "named"),
    [
        (RIDES, "on which date was it hottest?", "hottest"),
        (RIDES, "on which date was it hottest and on how many dates did we ride", "hottest"),
        ("customer,item,pieces\nMarsh,Rye,3", "How much does Marsh have to pay?", "what a piece costs"),
        (ORDERS, "what is out of stock?", "out of stock"),
        (LEAVE, "highest days taken per days per year", "per"),
    ],
)
def test_what_no_column_says_is_named(table: str, question: str, named: str) -> None:
    with pytest.raises(HuggingGPTError, match=named):
        ask(table, question)
