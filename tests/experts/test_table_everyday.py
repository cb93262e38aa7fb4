"""Questions in everyday names for columns: the upper value, the second term, money beside prices, a year in a name."""

from __future__ import annotations

import pytest

from hugginggpt.experts.table_charts import drawn
from hugginggpt.experts.table_columns import typed
from hugginggpt.experts.workbooks import answer_from_tables
from hugginggpt.media.tables import NamedTable
from tests.experts.test_table_rewording import ask, cells

CLUB = (
    "No,Name,Section,Member since,Fee,Paid 2025\n101,Ada Abel,Youth,2020,45,yes\n102,Ben Bath,Tennis,2009,120,yes\n"
    "103,Sid Roy,Youth,2022,45,no\n104,Tia Stone,Youth,2025,45,no\n105,Uma Tate,Tennis,2017,120,no"
)
PRESSURES = (
    "date,time,systolic,diastolic,pulse\n2025-09-01,morning,144,82,83\n2025-09-01,evening,156,75,71\n"
    "2025-09-02,morning,130,84,70\n2025-09-02,evening,164,75,63"
)
RENTS = (
    "Unit,Tenant,Rent due,Paid\nFlat 1,Murphy,680,680\nFlat 2,Okoye,720,720\nFlat 3,Singh,695,400\nFlat 5,Costa,650,0"
)
SALES = "date,product,quantity,price\n2025-10-01,Rye,16,3.8\n2025-10-01,Roll,42,1.6\n2025-10-02,Rye,20,3.8\n2025-10-02,Roll,40,1.6"
KIOSK = (
    "Day,Item,Pieces,Price each\nMon,Coffee,34,2.2\nMon,Tea,12,1.9\nMon,Cake,9,3.5\n"
    "Tue,Coffee,41,2.2\nTue,Tea,8,1.9\nTue,Cake,15,3.5"
)
TIENDA = "producto,unidades,precio,existencias\nLeche,120,0.95,40\nQueso,35,6.4,12\nPan,200,1.1,0"
NOTEN = "Fach,Lehrer,Note 1. Halbjahr,Note 2. Halbjahr\nMathe,Wolf,2.7,3.0\nDeutsch,Seidl,2.3,2.0\nKunst,Beck,1.3,1.0"
VEREIN = (
    "Nr,Name,Abteilung,Mitglied seit,Bezahlt 2025\n1,Ada,Jugend,2020,ja\n2,Sid,Jugend,2022,nein\n3,Uma,Tennis,2017,nein"
)
TERMS = "name,term 1,term 2\nAnn,12,14\nBob,15,11"


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        (CLUB, "Who has not paid the membership fee for 2025 yet?", "Sid Roy, Tia Stone, Uma Tate: the 3 rows where Paid 2025 is no."),
        (CLUB, "who still owes the fee for 2025", "Sid Roy, Tia Stone, Uma Tate"),
        (CLUB, "who paid in 2025?", "Ada Abel, Ben Bath"),
        (CLUB, "who joined in 2025 and has not paid?", "Tia Stone: the row where Paid 2025 is no and Member since is 2025"),
        (CLUB, "Who has not paid 2025 and joined in 2022?", "Sid Roy"),
        (CLUB, "Who has not paid for 2025?\nhow much money is missing because of them?", "210: the sum of Fee in the 3 rows"),
        (CLUB, "how many members each section has", "The number of rows by Section, over 5 rows: Youth: 3; Tennis: 2."),
        (VEREIN, "Wer hat 2025 noch nicht bezahlt?", "Sid, Uma: the 2 rows where Bezahlt 2025 is nein."),
        (VEREIN, "Wie viele Mitglieder hat jede Abteilung?", "The number of rows by Abteilung, over 3 rows: Jugend: 2; Tennis: 1."),
        (PRESSURES, "How often was the upper one over 140?", "3 rows where systolic is above 140."),
        (PRESSURES, "highest upper value and when was it?", "164 (2025-09-02 evening): the highest systolic"),
        (PRESSURES, "highest upper value and the day\nOn how many days was it over 140?", "3 rows where systolic is above 140."),
        (PRESSURES, "lowest lower reading", "75"),
        (PRESSURES, "Was ist der durchschnittliche untere Wert?", "79: the average of diastolic in all 4 rows."),
        (PRESSURES, "quelle est la moyenne de la valeur inférieure ?", "79: the average of diastolic in all 4 rows."),
        (RENTS, "Whos behind with rent this month and how much is missing altogether", "945: the sum of unpaid in the 2 rows"),
        (RENTS, "who is behind and by how much", "Singh (295), Costa (650)"),
        (SALES, "which product brings the most money? not pieces, money", "Rye has the highest sum of amount by product: 136.80"),
        (SALES, "the money per product", "The sum of amount by product, over 4 rows: Rye: 136.80; Roll: 131.20."),
        (KIOSK, "whats selling best, i mean in money not in pieces", "Coffee has the highest sum of amount by Item: 165"),
        (KIOSK, "which day did we take the most?", "Tue has the highest sum of amount by Day: 157.90"),
        (KIOSK, "what did my kiosk take in total in this list", "287: the sum of amount in all 6 rows."),
        (KIOSK, "how much on tuesday", "157.90: the sum of amount in the 3 rows where Day is Tue."),
        (KIOSK, "how much did we earn with cake", "84: the sum of amount in the 2 rows where Item is Cake."),
        (KIOSK, "how much is a tea", "Price each is 1.90 where Item is Tea."),
        (KIOSK, "the takings per item", "Coffee: 165; Cake: 84; Tea: 38"),
        (TIENDA, "¿Qué producto me da más dinero?", "Queso has the highest amount of 3 rows: 224"),
        (TIENDA, "¿Cuánto dinero hemos ganado en total?", "558: the sum of amount in all 3 rows."),
        (NOTEN, "In welchem Fach habe ich im 2. Halbjahr die beste Note?", "Kunst has the lowest Note 2. Halbjahr of 3 rows: 1."),
        (NOTEN, "Wie ist mein Durchschnitt im zweiten Halbjahr?", "2: the average of Note 2. Halbjahr in all 3 rows."),
        (NOTEN, "In welchen Fächern bin ich besser geworden als im ersten?", "Deutsch, Kunst: the 2 rows where Note 2. Halbjahr is below"),
        (TERMS, "who is best in the second term?", "Ann has the highest term 2 of 2 rows: 14."),
    ],
)  # fmt: skip
def test_everyday_names_are_those_of_the_columns_that_they_mean(table: str, question: str, answer: str) -> None:
    assert answer in ask(table, question)


def test_means_of_two_groups_and_of_both_values_are_told_for_each() -> None:
    answer = ask(PRESSURES, "average morning and average evening please, both values")
    assert "systolic by time, over 4 rows: evening: 160; morning: 137." in answer
    assert "diastolic by time, over 4 rows: morning: 83; evening: 75." in answer


def test_which_end_of_the_marks_was_taken_as_the_best_is_told() -> None:
    assert "Of marks from 1 to 6, I took 1 as the best." in ask(
        NOTEN, "Welche Note ist im 2. Halbjahr die schlechteste?"
    )


def test_what_is_asked_of_them_is_asked_of_the_sheet_that_they_are_in() -> None:
    payments = cells("Date,Member no,Amount,How\n2025-01-03,101,45,transfer\n2025-01-18,102,120,cash")
    sheets = [NamedTable(cells(CLUB), {"name": "Members"}), NamedTable(payments, {"name": "Payments"})]
    question = "Who has not paid the fee for 2025 yet?\nAnd how much money is missing because of them?"
    assert "210: the sum of Fee in the 3 rows" in answer_from_tables(sheets, "club", question)["answer"]


def test_a_line_over_the_days_is_drawn_of_the_column_that_is_meant() -> None:
    _, note = drawn(typed(cells(PRESSURES)), "make a line of the upper values over the days")
    assert note.startswith("average of systolic by date")
