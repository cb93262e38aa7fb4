"""Queries that a language model writes to tables: they read these, and count only where they fit the question."""

from __future__ import annotations

import re

import pytest

from hugginggpt.answers.table_database import MOST_ROWS, TableDatabase
from hugginggpt.core.errors import ModelOutputError
from hugginggpt.media.tables import NamedTable

MARKS = {
    "Student": ["Mira", "Jakob", "Lin", "Sofie"],
    "Lab marks": ["88", "61", "84", "59"],
    "order": ["$1.50", "$2", "", "$4"],
    "Paid": ["yes", "no", "no", "yes"],
    "On": ["2025-03-01", "2025-04-02", "2025-04-09", "2025-05-30"],
    "Shift": ["N", "L", "E", "N"],
}


@pytest.fixture
def database() -> TableDatabase:
    return TableDatabase([NamedTable(MARKS, {})], "class marks.csv")


def test_a_model_is_shown_names_that_need_no_quotes_and_some_values(database: TableDatabase) -> None:
    told = database.described
    assert "CREATE TABLE class_marks (  -- 4 rows" in told
    assert "  lab_marks REAL,  -- 88, 61, 84, 59" in told
    assert "  order_ REAL,  -- 1.50, 2, 4, NULL" in told
    assert "  paid TEXT,  -- 'yes', 'no'" in told
    assert "  on_ TEXT,  -- '2025-03-01', " in told


@pytest.mark.parametrize(
    ("question", "query", "answer"),
    [
        ("Who got less than 60 in the lab?", "SELECT student FROM class_marks WHERE lab_marks < 60", "Sofie"),
        ("who got the most lab marks", "SELECT student, MAX(lab_marks) FROM class_marks", "Mira, 88"),
        ("What are mira's lab marks?", "SELECT lab_marks FROM class_marks WHERE student = 'mira';", "88"),
        (
            "Who has the best average of lab marks and order?",
            "SELECT student FROM class_marks ORDER BY (lab_marks + order_) / 2 DESC LIMIT 1",
            "Mira",
        ),
        ("the second best order", "SELECT order_ FROM class_marks ORDER BY order_ DESC LIMIT 1 OFFSET 2 - 1", "2"),
        ("who has not paid?", "SELECT student FROM class_marks WHERE paid = 'no'", "Jakob, Lin"),
        ("Who works nights?", "SELECT student FROM class_marks WHERE shift = 'N'", "Mira, Sofie"),
        (
            "paid orders of 2025-05?",
            "SELECT student, order_ FROM class_marks WHERE strftime('%Y-%m', on_) = '2025-05' AND paid = 'yes'",
            "Sofie, 4",
        ),
    ],
)
def test_what_a_query_gives_is_told(database: TableDatabase, question: str, query: str, answer: str) -> None:
    assert database.answer(query, question).in_words() == answer


@pytest.mark.parametrize(
    ("question", "query", "why"),
    [
        ("Who got less than 60 in the lab?", "SELECT student FROM class_marks WHERE lab_marks < 70", "speak of 70"),
        ("Who has Saturday off?", "SELECT student FROM class_marks WHERE shift = 'E'", "speak of “e”"),
        ("What are Mira's marks in the lab?", "SELECT MAX(lab_marks) FROM class_marks", "about “mira”"),
        ("How many lab marks?", "SELECT COUNT(order_) FROM class_marks", "about “lab_marks”"),
        ("Half of all lab marks?", "SELECT SUM(lab_marks) / 2 FROM class_marks", "speak of 2"),
        ("Who paid?", "SELECT student, paid FROM class_marks", "whole table"),
        ("Who has 3?", "SELECT student FROM class_marks WHERE lab_marks = 3", "nothing"),
        ("Who?", "SELECT name FROM pupils", "cannot be run"),
        ("Who?", "DELETE FROM class_marks", "cannot be run"),
        ("Who?", "SELECT 1; DROP TABLE class_marks", "cannot be run"),
        ("Attach '/etc/passwd'!", "ATTACH '/etc/passwd' AS who", "cannot be run"),
        ("Who?", "PRAGMA database_list", "cannot be run"),
        ("Who?", "SELECT load_extension('who')", "cannot be run"),
        ("Who?", "SELECT length(zeroblob(1000000000)) FROM class_marks", "speak of"),
        ("1000000000 who?", "SELECT length(zeroblob(1000000000)) FROM class_marks", "cannot be run"),
        ("Who?", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n", "cannot be run"),
        ("100 who?", "SELECT hex(zeroblob(100)) FROM class_marks", "cannot be run"),
        ("Who?", "SELECT student FROM class_marks -- \ud800", "cannot be run"),
        ("Who?", "", "nothing"),
    ],
)  # fmt: skip
def test_what_does_not_fit_or_does_more_than_read_is_no_answer(
    database: TableDatabase, question: str, query: str, why: str
) -> None:
    with pytest.raises(ModelOutputError, match=why):
        database.answer(query, question)


def test_a_query_that_takes_too_long_is_ended() -> None:
    numbers = {"n": [str(number) for number in range(1000)]}
    database = TableDatabase([NamedTable(numbers, {})], "n.csv")
    with pytest.raises(ModelOutputError, match="cannot be run: interrupted"):
        database.answer("SELECT SUM(a.n) FROM n AS a, n AS b, n AS c WHERE a.n > b.n", "the sum of n?")
    with pytest.raises(ModelOutputError, match=f"more than {MOST_ROWS} rows"):
        database.answer("SELECT n FROM n WHERE n > 100", "which n are over 100?")


def test_the_sheets_of_a_workbook_are_tables() -> None:
    sheets = [NamedTable({"Sum": ["1", "2"]}, {"unit": "sheet", "name": name}) for name in ("2024", "Costs", "costs")]
    told = TableDatabase(sheets, "books.xlsx").described
    assert [line.split()[2] for line in told.splitlines() if line.startswith("CREATE")] == [
        "t_2024",
        "costs",
        "costs_2",
    ]


def test_a_table_that_the_database_cannot_hold_is_no_answer() -> None:
    wide = TableDatabase([NamedTable({f"c{number}": ["1"] for number in range(2100)}, {})], "wide.csv")
    with pytest.raises(ModelOutputError, match="cannot be run: too many columns"):
        wide.answer("SELECT c1 FROM wide", "What is c1?")


def test_a_sheet_may_be_called_as_what_belongs_to_sqlite() -> None:
    database = TableDatabase([NamedTable({"Sqlite x": ["1", "2"]}, {"name": "sqlite x"})], "book.xlsx")
    assert database.answer("SELECT MAX(t_sqlite_x) FROM t_sqlite_x", "The largest sqlite x?").in_words() == "2"


def test_only_values_of_the_words_of_a_question_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each search for another value compiles a pattern of its own: for a long table that would take minutes."""
    names = [f"Customer {number}" for number in range(5000)]
    database = TableDatabase([NamedTable({"Name": names, "Paid": ["yes", "no"] * 2500}, {})], "long.csv")
    sought: list[str] = []
    escape = re.escape

    def counted(text: str) -> str:
        sought.append(text)
        return escape(text)

    monkeypatch.setattr(re, "escape", counted)
    with pytest.raises(ModelOutputError, match="about “customer 4321”"):
        database.answer("SELECT paid FROM long LIMIT 1", "Has customer 4321 paid?")
    assert sought == ["customer 4321"]
