"""Questions about what is in hand go to it, though without it they would be for something else."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import Attachment, PastTask, Turn
from hugginggpt.core.results import Kind
from hugginggpt.offline.planner import Draft, draft_plan
from tests.conftest import TABLE

PAST: dict[str, tuple[Kind, PastTask]] = {
    "sign.png": ("image", PastTask(0, "document-question-answering", {"image": "sign.png", "text": "When?"}, [{"answer": "9", "score": 0.9}], form="answers")),
    "lease.txt": ("text", PastTask(0, "question-answering", {"text": "Who?", "context": "lease.txt"}, {"answer": "Ann."}, form="answer")),
    "rents.csv": ("table", PastTask(0, "table-question-answering", {"table": "rents.csv", "text": "How many rows?"}, {"answer": "3", "cells": ["3"], "aggregator": "COUNT"}, form="answer")),
}  # fmt: skip
QUESTIONS = {
    "document-question-answering",
    "visual-question-answering",
    "question-answering",
    "table-question-answering",
}


def asked(question: str, file: str) -> Draft:
    kind, past = PAST[file]
    turn = Turn("What does it say?", "1", files=(Attachment(file, file, kind),), tasks=(past,), answer="It.")
    return draft_plan(question, TABLE, (turn,), None, [])


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("When are we closed?", "sign.png"),
        ("are dogs allowed?", "sign.png"),
        ("may she bring her phone?", "sign.png"),
        ("Did they give me the right change?", "sign.png"),
        ("What was the dearest thing on it?", "sign.png"),
        ("what happens if I just dont turn up", "sign.png"),
        ("On which day is chess club?", "lease.txt"),
        ("What should I not buy?", "lease.txt"),
        ("What is transpiration?", "lease.txt"),
        ("list the duties of the tenant", "lease.txt"),
        ("How much notice does she have to give if she wants to leave?", "lease.txt"),
        ("how many kids cant swim", "rents.csv"),
        ("On how many days did I work more than 4 hours", "rents.csv"),
    ],
)
def test_a_question_goes_to_what_can_be_read(question: str, file: str) -> None:
    draft = asked(question, file)
    assert {task["task"] for task in draft.tasks} <= QUESTIONS
    assert draft.tasks
    assert not draft.unplanned


@pytest.mark.parametrize(
    ("request_text", "file"),
    [
        ("What's the weather in Berlin tomorrow?", "lease.txt"),
        ("who won the world cup in 2014?", "sign.png"),
        ("Send it to Margaret by e-mail", "lease.txt"),
        ("thanks!", "rents.csv"),
    ],
)
def test_what_is_plainly_about_something_else_does_not(request_text: str, file: str) -> None:
    assert not {task["task"] for task in asked(request_text, file).tasks} & QUESTIONS
