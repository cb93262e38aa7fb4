"""Rows of a document's tables by a cell, or by the marks of a column."""

from __future__ import annotations

import pytest

from hugginggpt.core.documents import DocumentText, Part, Table
from hugginggpt.experts import table_cells

_DOSES = (("Medicine", "Dose", "When"), ("Ramipril", "5 mg", "in the morning"), ("Simvastatin", "40 mg", "at bedtime"), ("Metformin", "850 mg", "with lunch"))  # fmt: skip
_TIMES = (("Medicine", "Dose", "Morning", "Evening"), ("Ramipril", "5 mg", "1", "0"), ("Metformin", "850 mg", "1", "1"), ("Statin", "20 mg", "0", "1"))  # fmt: skip
_TEXT = "She has lunch at noon."


def _document(rows: tuple[tuple[str, ...], ...]) -> DocumentText:
    written = "\n".join(" | ".join(row) for row in rows)
    return DocumentText.of([Part("", "", f"{_TEXT}\n{written}")], tables=[Table("", "1", rows)])


@pytest.mark.parametrize(
    ("rows", "question", "told"),
    [
        (_DOSES, "What does she get at bedtime and how much?", "Simvastatin: 40 mg, at bedtime"),
        (_DOSES, "What is the metformin for?", "Metformin: 850 mg, with lunch"),
        (_DOSES, "What does she eat for lunch?", None),
        (_DOSES, "Is it raining?", None),
        (_DOSES, "What is her morning weight?", None),
        (_DOSES, "I'm the new nurse. Which medicine does she get at bedtime?", "Simvastatin: 40 mg, at bedtime"),
        (_TIMES, "Which tablets does he take in the evening?", "Metformin, 850 mg; Statin, 20 mg"),
        (_TIMES, "Which tablets does he take at night?", None),
    ],
)
def test_the_rows_that_a_question_means(rows: tuple[tuple[str, ...], ...], question: str, told: str | None) -> None:
    found = table_cells.answer(question, _document(rows))
    assert (found and found["answer"]) == told


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("By when is 15 October where Who is Tom.", "Tom: Ask the council for a permit, by 15 October"),
        ("What is Order the tank where Who is Mary.", "Mary: Order the tank, by 20 October"),
        ("Price is 5 where Item is Tom.", ""),
        ("By when is 15 October where Who is Ann.", ""),
    ],
)
def test_a_row_below_headings_that_ask_is_told_as_a_whole(answer: str, told: str) -> None:
    rows = (
        ("Who", "What", "By when"),
        ("Tom", "Ask the council for a permit", "15 October"),
        ("Mary", "Order the tank", "20 October"),
    )
    assert table_cells.rows_in_words(answer, [Table("table", "1", rows)]) == told
