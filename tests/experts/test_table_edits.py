"""Tables changed in the words of different people: rows and cells, computed columns, other languages."""

from __future__ import annotations

import pytest

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_charts import drawn
from hugginggpt.experts.table_columns import typed
from hugginggpt.experts.table_edits import edited

PARTY = "Name,Kommt,Essen,Kinder\nAnton,ja,vegan,1\nBerta,ja,Fleisch,0\nCem,nein,vegan,2"
RIDES = "rider,km,minutes\nNora,42,105\nPaul,30,95\nIda,18,36"
FLATS = "tenant,sqm,rent\nMeyer,50,600\nSilva,40,520"


def changed(table: str, change: str) -> list[list[str]]:
    """The rows of the changed table, below the names of its columns."""
    first, *rows = (line.split(",") for line in table.splitlines())
    columns = edited({name: [row[at] for row in rows] for at, name in enumerate(first)}, change).columns
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


@pytest.mark.parametrize(
    ("table", "change", "names"),
    [
        (PARTY, "remove Anton and Cem", ["Berta"]),
        (PARTY, "Lösche Anton und Cem", ["Berta"]),
        (PARTY, "delete everyone who isn't coming", ["Anton", "Berta"]),
        (PARTY, "take out the ones that said yes", ["Cem"]),
        (RIDES, "add a column with the pace and sort by it, fastest first", ["Ida", "Nora", "Paul"]),
        (RIDES, "sort it by km", ["Ida", "Paul", "Nora"]),
        (PARTY, "add Dora, ja, Fleisch, 3", ["Anton", "Berta", "Cem", "Dora"]),
    ],
)
def test_rows(table: str, change: str, names: list[str]) -> None:
    assert [row[0] for row in changed(table, change)[1:]] == names


@pytest.mark.parametrize(
    ("table", "change", "column", "cells"),
    [
        (PARTY, "change Anton's food to Fleisch", "Essen", ["Fleisch", "Fleisch", "vegan"]),
        (FLATS, "raise the rent by 5 %", "rent", ["630", "546"]),
        (FLATS, "add a column rent per square metre", "rent per square metre", ["12", "13"]),
        (RIDES, "add a pace column", "pace", ["2.5", "3.17", "2"]),
        (RIDES, "add a column with the speed in km/h", "speed in km/h", ["24", "18.95", "30"]),
    ],
)
def test_cells(table: str, change: str, column: str, cells: list[str]) -> None:
    names, *rows = changed(table, change)
    assert [row[names.index(column)] for row in rows] == cells


def test_columns_are_left_out_in_german() -> None:
    assert changed(PARTY, "Entferne die Spalte Kinder")[0] == ["Name", "Kommt", "Essen"]


def test_what_is_not_understood_changes_nothing() -> None:
    with pytest.raises(ExpertUnavailable, match="Zoe"):
        changed(PARTY, "remove Zoe")
    with pytest.raises(ExpertUnavailable):
        changed(PARTY, "change Zoe's food to vegan")


def test_a_chart_has_the_title_that_is_told() -> None:
    first, *rows = (line.split(",") for line in RIDES.splitlines())
    table = typed({name: [row[at] for row in rows] for at, name in enumerate(first)})
    image, told = drawn(table, 'bar chart of km by rider as png, titled "Our rides"')
    assert image.startswith(b"\x89PNG") and told == "sum of km by rider: Nora: 42; Paul: 30; Ida: 18"
