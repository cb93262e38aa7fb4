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
