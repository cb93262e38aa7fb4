"""Tables that are changed, put together, compared and drawn."""

from __future__ import annotations

import io
import json
from pathlib import Path

import openpyxl
import pytest
from PIL import Image

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import table_charts
from hugginggpt.experts import table_operations as operations
from hugginggpt.experts.table_columns import typed

SALES = "item,shop,pieces,price\nRye,North,3,4.20\nRoll,South,6,1.80\nRoll,South,6,1.80\nCake,North,1,12.50\n"
OLD, NEW = "name,town\nAlba,Leeds\nBoris,York\n", "name,town\nBoris,Hull\nCarmen,Leeds\n"
TOWNS = "town,county\nLeeds,Yorkshire\nHull,Humberside\n"


def changed(change: str, table: str = SALES) -> tuple[list[str], str]:
    answer = operations.edit(table, change)
    (data,) = answer["generated document"]
    return data.decode("utf-8-sig").splitlines(), answer["note"]


@pytest.mark.parametrize(
    ("change", "lines", "note"),
    [
        ("drop the shop and the price column", ["item,pieces", "Rye,3", "Roll,6", "Roll,6", "Cake,1"], "without shop and price"),
        ("remove duplicates and keep only item and price", ["item,price", "Rye,4.20", "Roll,1.80", "Cake,12.50"], "1 duplicate"),
        ("add a column total = pieces x price and then keep only the column total",
         ["total", "12.6", "10.8", "10.8", "12.5"], "total is pieces times price"),
        ("add a column with the price plus 19 % called gross; keep only gross",
         ["gross", "5", "2.14", "2.14", "14.88"], "price plus 19 %"),
        ("sort by price, highest first, and drop shop and pieces",
         ["item,price", "Cake,12.50", "Rye,4.20", "Roll,1.80", "Roll,1.80"], "sorted by price"),
        ("delete the rows where shop is South", ["item,shop,pieces,price", "Rye,North,3,4.20", "Cake,North,1,12.50"], "2 rows removed"),
        ("keep only the rolls, rename price to each", ["item,shop,pieces,each", "Roll,South,6,1.80", "Roll,South,6,1.80"], "2 of 4 rows"),
    ],
)  # fmt: skip
def test_changes(change: str, lines: list[str], note: str) -> None:
    found, told = changed(change)
    assert found == lines
    assert note in told


@pytest.mark.parametrize(
    "change", ["drop the colour column", "add a column colour", "remove the rotten ones", "save it"]
)
def test_what_is_not_understood_makes_no_file(change: str) -> None:
    with pytest.raises(ExpertUnavailable):
        changed(change)


def test_a_workbook_keeps_its_other_sheets(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for sheet, text in ((book.active, OLD), (book.create_sheet("sales"), SALES)):
        for line in text.split():
            sheet.append(line.split(","))
    book.save(tmp_path / "shop.xlsx")
    answer = operations.edit(tmp_path / "shop.xlsx", "drop the pieces column")
    again = openpyxl.load_workbook(io.BytesIO(answer["generated document"]))
    assert [cell.value for cell in again["sales"][1]] == ["item", "shop", "price"]
    assert len(again.sheetnames) == 2 and "sheet sales: without pieces" in answer["note"]


def test_tables_become_one() -> None:
    (data,) = operations.merge([OLD, OLD.replace("Boris", "Carla")], "without duplicates")["generated document"]
    assert data.decode("utf-8-sig").splitlines() == ["name,town", "Alba,Leeds", "Boris,York", "Carla,York"]
    joined = operations.merge([NEW, TOWNS], "by town", "tsv")
    assert joined["generated document"][0].decode("utf-8-sig").splitlines()[1] == "Boris\tHull\tHumberside"
    with pytest.raises(ExpertUnavailable, match="Two tables"):
        operations.merge([OLD])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who is on both lists?", "1 is in both table 1 and table 2: Boris."),
        ("who was new?", "1 is only in table 2, not in table 1: Carmen."),
        ("who is not in the second table", "1 is only in table 1, not in table 2: Alba."),
        ("what changed?", "town of Boris: York → Hull"),
    ],
)
def test_two_tables_are_compared(question: str, answer: str) -> None:
    assert answer in operations.compare([OLD, NEW], question)["answer"]


def test_charts_have_their_numbers_in_words_too() -> None:
    answer = operations.plot(SALES, "a bar chart of the pieces per shop")
    assert answer["note"] == "sum of pieces by shop: South: 12; North: 4"
    assert Image.open(io.BytesIO(answer["generated image"])).size == (960, 720)
    assert operations.plot(SALES, "pie chart of the shops")["note"] == "sum of pieces by shop: South: 12; North: 4"
    counted = operations.plot(SALES, "pie chart of the number of rows per shop")
    assert counted["note"] == "number of rows by shop: North: 2; South: 2"
    for earlier, words in (
        ("how many pieces by shop?", "draw that as a pie chart"),
        ("ein Kreisdiagramm der pieces pro shop", "und als Balkendiagramm"),
    ):
        assert operations.plot(SALES, f"{earlier}\n{words}")["note"] == "sum of pieces by shop: South: 12; North: 4"
    for words in ("plot the colours", "chart of the sugar per shop"):
        with pytest.raises(ExpertUnavailable):
            operations.plot(SALES, words)


def test_several_columns_of_numbers_are_drawn_together(tmp_path: Path) -> None:
    marks = tmp_path / "marks.csv"
    marks.write_text("Pupil,Maths,French,Pages read\nAda,7,6,900\nBo,4,5.5,40\nCy,9,8.5,310\n", encoding="utf-8")
    assert operations.plot(marks, "a line chart of Maths and French")["note"] == "Maths, French by Pupil, of 3 rows"
    with pytest.raises(ExpertUnavailable, match="cannot tell which numbers"):
        operations.plot(marks, "a chart")  # pages and marks are of no one size
    unanswered = operations.plot(marks, "who is the nicest?\nthen a bar chart of Maths")
    assert unanswered["note"].startswith("Maths by Pupil")


def test_chinese_letters_are_drawn_in_a_font_of_the_machine_or_refused(tmp_path: Path) -> None:
    marks = tmp_path / "marks.csv"
    marks.write_text("姓名,数学\n王芳,92\n李雷,84\n", encoding="utf-8")
    try:
        assert operations.plot(marks, "画一张数学的柱状图")["note"] == "数学 by 姓名: 王芳: 92; 李雷: 84"
    except ExpertUnavailable as error:
        assert not table_charts._east_asian_fonts() and "install" in str(error)


def test_the_rows_told_of_another_table_are_drawn() -> None:
    table = typed({"Tenant": ["Singh", "Costa", "Bauer"], "Rent": ["500", "600", "700"]})
    told = json.dumps({"Tenant": ["Singh", "Costa"]})
    assert (
        table_charts.drawn(table, f"{told}\ndraw a bar chart of the rent of those")[1]
        == "Rent by Tenant: Singh: 500; Costa: 600"
    )
