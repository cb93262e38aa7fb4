"""The reader of pages: lines in reading order, names and values by their places, and what is not on a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hugginggpt.common.paths import ROOT
from hugginggpt.experts import minilm, ocr, page_lines, pages
from hugginggpt.experts.ocr import Line
from hugginggpt.experts.registry import experts_for
from hugginggpt.experts.training.page_samples import KINDS, drawn
from hugginggpt.experts.training.pages import is_same

INVOICE = ROOT / "public" / "examples" / "invoice.png"


def line(text: str, left: float, top: float) -> Line:
    return Line(text, left, top, left + 11 * len(text), top + 24)


def pairs_of(*lines: Line) -> set[tuple[str, str]]:
    return {(pair.name, pair.value) for pair in pages.pairs(ocr.rows_of(lines)) if pair.name}


def test_a_value_stands_behind_right_of_or_below_its_name() -> None:
    assert ("Due date", "11 April 2025") in pairs_of(line("Due date: 11 April 2025", 50, 50))
    assert ("Due date", "11 April 2025") in pairs_of(line("Due date", 50, 50), line("11 April 2025", 300, 52))
    assert ("Bill to", "Clara Jensen") in pairs_of(line("Bill to:", 50, 50), line("Clara Jensen", 50, 80))
    assert ("Tomato soup", "4.50") in pairs_of(line("Tomato soup ........ 4.50", 50, 50))
    assert pairs_of(line("Bill to:", 50, 50), line("far away", 50, 400)) == set()


def test_a_cell_is_named_by_its_row_and_its_column() -> None:
    table = [
        line(text, left, 100 + 50 * row)
        for row, cells in enumerate((("Item", "Quantity", "Price"), ("Chair", "4", "$20.00"), ("Lamp", "2", "$35.00")))
        for text, left in zip(cells, (50, 300, 500), strict=True)
    ]
    named = pairs_of(*table)
    assert {("Chair Quantity", "4"), ("Lamp Price", "$35.00")} <= named
    assert ("Item", "Chair") not in named


def test_columns_of_running_text_are_read_one_after_the_other() -> None:
    left = [line(f"left {row} with some more words", 50, 100 + 40 * row) for row in range(5)]
    right = [line(f"right {row} with some more words", 550, 100 + 40 * row) for row in range(5)]
    title = Line("A title above both of the columns", 50, 40, 900, 70)
    read = [row[0].text for column in ocr._columns([*right, title, *left]) for row in ocr.rows_of(column)]
    assert read == [title.text, *(line.text for line in (*left, *right))]
    form = [line(text, 50 + 500 * (row % 2), 100 + 40 * (row // 2)) for row, text in enumerate(["Name", "Anna"] * 6)]
    assert len(ocr._columns(form)) == 1


def test_drawn_pages_are_the_same_each_time_and_know_their_answers() -> None:
    first, again = ([(page.kind, page.texts, page.questions) for page in drawn(range(24))] for _ in range(2))
    assert first == again
    assert {kind for kind, _, _ in first} == {make.__name__ for make in KINDS}
    for kind, texts, questions in first:
        written = " ".join(text for text, *_ in texts)
        assert all(answer in written for _, answer in questions), kind
        assert any(not answer for _, answer in questions)
    assert is_same("£1,251.00", "Subtotal: £1,251.00") and not is_same("4", "40") and not is_same("11 May", "12 May")


def ask(image: Path, question: str) -> str:
    answers = experts_for("document-question-answering")[0].run(image=image, text=question)
    return str(answers[0]["answer"])


@pytest.mark.slow
def test_what_is_not_on_a_page_is_not_made_up() -> None:
    assert "11 April 2025" in ask(INVOICE, "When is the payment due?")
    assert ask(INVOICE, "What is the e-mail address?") == "No e-mail address is given."
    for question in ("IBAN?", "Who is the driver?"):
        assert ask(INVOICE, question).startswith("I do not find this")


@pytest.mark.slow
@pytest.mark.parametrize("turn", [90, 180, 7])
def test_a_turned_page_is_read_upright(turn: int, tmp_path: Path) -> None:
    file = tmp_path / "turned.png"
    Image.open(INVOICE).convert("RGB").rotate(turn, expand=True, fillcolor="white").save(file)
    rows = ocr.read_lines(file)
    text = ocr.text_of(rows)
    assert "Due date: 11 April 2025" in text
    assert text.index("Birchwood") < text.index("Subtotal") < text.index("Thank you")
    assert np.all(np.diff([row[0].top for row in rows]) > -10)


RECEIPT = [
    [line("TREGENZA STORES", 60, 20)],
    [line("BACK BACON 2KG", 60, 60), line("14.50", 400, 60)],
    [line("OAT MILK 6x1L", 60, 100), line("8.10", 400, 100)],
    [line("TOTAL", 60, 140), line("22.60", 400, 140)],
    [line("SERVED BY", 60, 180), line("KERENSA", 400, 180)],
]


@pytest.mark.parametrize(
    ("question", "value"),
    [("what did i pay for the bacon", "14.50"), ("How much was the oat milk?", "8.10")],
)
def test_the_only_row_that_names_an_item_has_its_price(question: str, value: str) -> None:
    assert pages.answers(question, RECEIPT)[0]["answer"] == value


def test_a_total_is_that_of_no_single_item() -> None:
    assert "14.50" not in str(pages.answers("what was the total with the bacon?", RECEIPT))


def test_what_is_closest_is_the_whole_row() -> None:
    assert "KERENSA" in page_lines.answer("who served me at the till?", RECEIPT)[0]["answer"]


def test_each_text_of_a_page_is_embedded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []
    encode = minilm._MiniLM.__call__

    def counted(model: minilm._MiniLM, texts: Sequence[str]) -> np.ndarray:
        embedded.extend(texts)
        return encode(model, texts)

    monkeypatch.setattr(minilm._MiniLM, "__call__", counted)
    question = "who is the captain of the ship?"
    found = page_lines.answer(
        question, ocr.rows_of([line("Zither repair", 50, 50), line("quarterly lute fee: 12", 50, 90)])
    )
    assert not found[0]["found"]
    others = [text for text in embedded if text != question and len(text.split()) > 1]
    assert others and len(others) == len(set(others))
