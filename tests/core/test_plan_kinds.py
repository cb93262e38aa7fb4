"""Tasks that a language model puts to a document as if it were a picture."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.core.plan_repair import repair
from hugginggpt.media.types import kind_of
from tests.conftest import TABLE


def repaired(*tasks: dict[str, Any]) -> tuple[list[tuple[str, dict[str, Any]]], tuple[str, ...]]:
    plan = repair([{"id": at, "dep": [-1], **one} for at, one in enumerate(tasks)], TABLE, kind_of=kind_of)
    assert not [task.problem for task in plan if task.problem]
    return [(task.task, dict(task.args)) for task in plan], plan.notes


@pytest.mark.parametrize("image", ["image", "img", "document"])
@pytest.mark.parametrize("question", ["text", "question"])
def test_a_question_about_a_document_is_put_to_its_text(image: str, question: str) -> None:
    asked = {"task": "document-question-answering", "args": {image: "report.pdf", question: "Who pays?"}}
    done, notes = repaired(asked)
    assert done == [("question-answering", {"text": "Who pays?", "context": "report.pdf"})]
    assert "task 0: report.pdf is a text, which question-answering is asked about" in notes


def test_a_question_about_a_workbook_is_put_to_its_table() -> None:
    asked = {"task": "visual-question-answering", "args": {"image": "sales.xlsx", "text": "Which month is best?"}}
    assert repaired(asked)[0] == [("table-question-answering", {"table": "sales.xlsx", "text": "Which month is best?"})]


def test_a_document_is_not_read_before_it_is_worked_on() -> None:
    done, notes = repaired(
        {"task": "image-to-text", "args": {"image": "report.pdf"}},
        {"task": "summarization", "args": {"text": "<GENERATED>-0"}, "dep": [0]},
    )
    assert done == [("summarization", {"text": "report.pdf"})]
    assert notes == ("task 0 (image-to-text) was left out: report.pdf is a text, which needs no reading",)


def test_pictures_stay_pictures() -> None:
    asked = {"task": "document-question-answering", "args": {"image": "page.png", "text": "What is in report.pdf?"}}
    assert repaired(asked) == ([(asked["task"], asked["args"])], ())
