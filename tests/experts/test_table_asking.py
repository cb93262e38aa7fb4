"""The commonest questions to tables in German, French, Spanish and Chinese."""

from __future__ import annotations

import pytest

from hugginggpt.experts.table_asking import in_english
from hugginggpt.experts.table_columns import typed
from hugginggpt.experts.tabular import answer_from_table
from hugginggpt.media.tables import tables

WORK = (
    "Datum,Mitarbeiter,Baustelle,Stunden\n2.11.2026,Kai,Ostring,4\n3.11.2026,Kai,Hafen,5\n3.11.2026,Swantje,Ostring,8\n"
)
SHOP = "日期,水果,斤数,单价,金额\n11-02,苹果,10,4,40\n11-02,梨,3,5,15\n11-03,苹果,6,4,24\n"
TRIP = "Fecha,Gasto,Tipo,Euros,Lo puso\n2/10/2026,Gasolina,coche,55,Rocío\n2/10/2026,Cena,comida,48.5,Iván\n3/10/2026,Museo,ocio,24,Rocío\n"
SHARED = "Date,Achat,Rayon,Prix,Payé par\n3/11/2026,Lessive,Ménage,8.50,Inès\n4/11/2026,Fromage,Frais,12,Hugo\n5/11/2026,Éponges,Ménage,3.30,Inès\n"


@pytest.mark.parametrize(
    ("table", "question", "said"),
    [
        (WORK, "Wie viele Stunden hat jeder gearbeitet?", ["Kai: 9", "Swantje: 8"]),
        (WORK, "Wer hat am wenigsten gearbeitet?", ["Swantje"]),
        (WORK, "und auf der Baustelle Ostring zusammen?", ["12"]),
        (WORK, "Welche Baustelle hat am meisten Stunden gekostet?", ["Ostring"]),
        (TRIP, "¿Cuánto puso cada uno en el viaje?", ["Rocío: 79", "Iván: 48.50"]),
        (TRIP, "¿quién ha puesto más?", ["Rocío"]),
        (TRIP, "¿qué gasto costó menos?", ["Museo"]),
        (TRIP, "¿Cuánto llevamos gastado?", ["127.50"]),
        (SHARED, "Combien a payé chacun ?", ["Inès: 11.80", "Hugo: 12"]),
        (SHARED, "c'est quoi l'achat le plus cher ?", ["Fromage"]),
        (SHARED, "et pour le rayon Ménage, ça fait combien ?", ["11.80"]),
        (SHOP, "这三天一共卖了多少钱?", ["79"]),
        (SHOP, "哪种水果卖得最多?", ["苹果"]),
        (SHOP, "苹果一共卖了几斤", ["16"]),
    ],
)
def test_how_much_each_and_who_most(table: str, question: str, said: list[str]) -> None:
    answer = answer_from_table(table, question)["answer"]
    assert all(words in answer for words in said), answer


@pytest.mark.parametrize(
    "question",
    [
        "Wie viele Baustellen hat jeder?",
        "Wie viel hat Kai am Montag gearbeitet?",
        "Was ist der Durchschnitt?",
        "how many hours did each work?",
    ],
)
def test_other_questions_are_left_as_they_were(question: str) -> None:
    said = in_english(typed(tables(WORK)[0].columns), question)
    assert not said.startswith(("total Stunden", "which", "what is the"))
