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


def test_two_documents_are_compared_once_in_the_order_of_the_words() -> None:
    planned = drafted("Compare these two. Who is named in the new one but not in the old one?", OLD, NEW)
    assert [(task["task"], *task["args"].values()) for task in planned.tasks] == [
        ("compare-texts", NEW, OLD, "Who is named in the one but not in the one?")
    ]


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


def test_a_question_to_two_goes_to_the_document_in_hand_and_the_new_one() -> None:
    before = Turn(
        "When does it end?",
        files=(Attachment(OLD, OLD, "text"),),
        tasks=(PastTask(0, "question-answering", {"text": "when?", "context": OLD}, {"answer": "May"}, form="answer"),),
    )
    planned = drafted("compare it with this one: which of the two asks for a receipt?", NEW, turns=(before,))
    assert asked(planned) == [("does it ask for a receipt?", OLD), ("does it ask for a receipt?", NEW)]
    assert [task["task"] for task in planned.tasks] == ["question-answering"] * 2


def test_a_task_is_done_to_the_part_that_is_named() -> None:
    tasks = drafted("Read only the bit about the hotline aloud", OLD).tasks
    assert [task["task"] for task in tasks] == ["question-answering", "text-to-speech"]
    assert tasks[1]["args"]["text"] == "<GENERATED>-0"


def test_a_part_is_shown_as_it_stands() -> None:
    assert [task["task"] for task in drafted("read me only the part about service", OLD).tasks] == [
        "question-answering"
    ]


def test_lists_of_all_phone_numbers_are_made_of_pictures_too() -> None:
    planned = drafted("find all phone numbers in these files", PAGE, LETTER)
    assert [context for _, context in asked(planned)] == ["<GENERATED>-0", LETTER]


@pytest.mark.parametrize("words", ["write Bea a polite answer that I come", "Schreib Bea eine nette Antwort"])
def test_a_letter_is_written_and_not_looked_up(words: str) -> None:
    assert [task["task"] for task in drafted(words, OLD).tasks] == ["text-generation"]
