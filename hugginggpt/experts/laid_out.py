"""Questions that the layout of a page answers, and not its words alone: departures below days, weekly plans, rotas and
charts of medicines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hugginggpt.core.documents import DocumentText
from hugginggpt.experts import board_questions, departures
from hugginggpt.experts.ocr import Line, pages_of

Rows = Sequence[Sequence[Line]]
COLUMN, ROW, HEIGHT = 1000.0, 30.0, 20.0
"""How far the cells of a document's table are drawn apart, which tells no places."""


def answer(question: str, rows: Rows) -> str:
    """What a page says to a question by its layout; "" where it says nothing so. A question may come with the same in
    English on a second line.
    """
    for own in filter(None, question.strip().split("\n")[:2]):
        if told := departures.answer(own, rows) or board_questions.answer(own, rows):
            return told
    return ""


def rows_in(text: str) -> Iterator[Rows]:
    """The pages and tables of a document, each as rows; none of a plain text, which has no places."""
    if not isinstance(text, DocumentText):
        return
    for _, rows in pages_of(text):
        yield rows
    for table in text.tables:
        yield [
            [
                Line(
                    cell.strip(), at * COLUMN, ROW * number, at * COLUMN + HEIGHT * len(cell) / 2, ROW * number + HEIGHT
                )
                for at, cell in enumerate(row)
                if cell.strip()
            ]
            for number, row in enumerate(table.rows)
            if any(map(str.strip, row))
        ]
