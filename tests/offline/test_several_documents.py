"""A question is put to each of several documents, but for those that its words single out."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.core.conversation import Attachment, PastTask, Turn
from hugginggpt.media.references import Resource
from hugginggpt.media.types import kind_of
from hugginggpt.offline.planner import Draft, draft_plan
from hugginggpt.offline.several_documents import of_one
from tests.conftest import TABLE

OLD, NEW, BILL, LETTER, PAGE = "offer_old.txt", "offer_new.txt", "bill_17.pdf", "letter_18.pdf", "bill_19.jpg"


def drafted(request: str, *files: str, turns: tuple[Turn, ...] = ()) -> Draft:
    return draft_plan(request, TABLE, turns, resources=[Resource(file, kind_of(file)) for file in files])


def asked(planned: Draft) -> list[tuple[str, Any]]:
    return [(task["args"]["text"], task["args"]["context"]) for task in planned.tasks if "context" in task["args"]]


@pytest.mark.parametrize(
    ("request_text", "files", "contexts"),
    [
        ("When does the lease end?", (OLD, NEW), [OLD, NEW]),
        ("what is the price with the new one?", (OLD, NEW), [NEW]),
        ("When is 17 due?", (BILL, LETTER), [BILL]),
        ("who signed the second one?", (BILL, LETTER), [LETTER]),
        ("What is the total of each one?", (BILL, LETTER, PAGE), [BILL, LETTER, "<GENERATED>-0"]),
    ],
)
def test_a_question_goes_to_each_document(request_text: str, files: tuple[str, ...], contexts: list[str]) -> None:
    assert [context for _, context in asked(drafted(request_text, *files))] == contexts


def test_what_differs_is_looked_up_in_both() -> None:
    task = drafted("What has changed between these two?", OLD, NEW).tasks[-1]
    assert (task["task"], task["args"]) == ("compare-texts", {"text1": OLD, "text2": NEW})


def test_a_follow_up_is_about_the_same_documents() -> None:
    tasks = tuple(PastTask(at, "question-answering", {"text": "Who?", "context": file}, {"answer": "x"}, form="answer")
                  for at, file in enumerate((OLD, NEW)))  # fmt: skip
    turn = Turn("Who signed?", files=tuple(Attachment(one, one, "text") for one in (OLD, NEW)), tasks=tasks)
    assert [context for _, context in asked(drafted("and until when?", turns=(turn,)))] == [OLD, NEW]
    assert [context for _, context in asked(drafted("what do we pay with the new one?", turns=(turn,)))] == [NEW]


@pytest.mark.parametrize(
    ("question", "single"),
    [
        ("What is the total of each one?", "What is the total?"),
        ("just the deadline, old vs new", "just the deadline"),
        ("Which of them is due first?", "Which of them is due first?"),
        ("How much all together?", "How much all together?"),
    ],
)
def test_a_question_to_each_is_one_to_a_single_file(question: str, single: str) -> None:
    assert of_one(question) == single
