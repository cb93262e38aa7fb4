"""Parts of a request for which there is no task, and files with which nothing particular is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.core.plan import Lack, Unplanned
from hugginggpt.core.tasks import TaskType
from hugginggpt.experts.registry import Expert
from hugginggpt.media.references import Resource
from hugginggpt.offline.outline import NO_RESULT
from hugginggpt.offline.planner import Draft, Known, draft_plan
from tests.conftest import TABLE

WHY = "No expert here can do it."
A, SOUND, NOTES, SALES, CLIP = "/examples/a.jpg", "/examples/speech.wav", "/examples/notes.txt", "sales.csv", "clip.mp4"


def lacking(task: TaskType, aspect: str) -> Lack | None:
    """As on a machine whose experts cover no aspects, and do not edit pictures."""
    return Lack(WHY, "set HF_TOKEN") if aspect or task.name == "image-to-image" else None


def draft(request: str, *attached: Resource) -> Draft:
    return draft_plan(request, TABLE, resources=attached or None, known=Known(lacking))


def tasks(planned: Draft) -> list[str]:
    return [task["task"] for task in planned.tasks]


@pytest.mark.parametrize(
    ("request_text", "help_", "part"),
    [
        (f"Is the caller in {SOUND} angry?", ["automatic-speech-recognition"], f"Is the caller in {SOUND} angry"),
        (f"Is the writer of {NOTES} sarcastic?", [], f"Is the writer of {NOTES} sarcastic"),
        (f"Straighten the horizon in {A}", [], f"Straighten the horizon in {A}"),
        (f"Add more bass to {SOUND}", [], f"Add more bass to {SOUND}"),
    ],
)
def test_what_no_expert_covers_is_no_task(request_text: str, help_: list[str], part: str) -> None:
    """Instead of a judgement there is what helps; instead of a changed file, or of one about a text, nothing."""
    planned = draft(request_text)
    assert (tasks(planned), planned.unplanned) == (help_, (Unplanned(part, WHY, "set HF_TOKEN"),))
    assert tasks(draft_plan(request_text, TABLE)) not in ([], help_)  # where something may do it, it is a task


def test_what_needs_an_impossible_result_is_no_task_either() -> None:
    planned = draft(f"Colorize {A} and describe the result")
    assert tasks(planned) == []
    assert [part.why for part in planned.unplanned] == [WHY, NO_RESULT.why]


def test_a_manner_that_no_expert_has_does_not_keep_a_task_from_being_done() -> None:
    planned = draft("Read 'hello' aloud slowly in a deep voice")
    assert tasks(planned) == ["text-to-speech", "adjust-audio"]  # slowly it can be
    assert [part.why for part in planned.unplanned] == [WHY]


@pytest.mark.parametrize(
    ("request_text", "attached", "default"),
    [
        ("have a look at this", (A, "image"), {"task": "image-to-text", "args": {"image": A}}),
        (SOUND, None, {"task": "automatic-speech-recognition", "args": {"audio": SOUND}}),
        ("here is my text", (NOTES, "text"), {"task": "summarization", "args": {"text": NOTES}}),
        (
            "what about this?",
            (SALES, "table"),
            {"task": "table-question-answering", "args": {"table": SALES, "text": "what about this"}},
        ),
    ],
)
def test_each_kind_of_file_has_a_default(request_text: str, attached: Any, default: dict[str, Any]) -> None:
    planned = draft(request_text, *([Resource(*attached)] if attached else []))
    assert [{"task": task["task"], "args": task["args"]} for task in planned.tasks] == [default]
    assert planned.unplanned == ()


def test_of_a_video_the_pictures_and_the_sound_are_used() -> None:
    planned = draft("check this out", Resource(CLIP, "video"))
    assert tasks(planned) == ["image-to-text", "automatic-speech-recognition"]
    assert planned.unplanned == ()


@pytest.mark.parametrize("request_text", ["thank you so much!", "hello there", f"Don't describe {A}"])
def test_small_talk_and_what_is_excluded_is_no_part_without_a_task(request_text: str) -> None:
    planned = draft(request_text)
    assert planned == Draft(small_talk=planned.small_talk, request=request_text)


def test_the_clauses_that_are_left_over_are_in_the_users_words() -> None:
    planned = draft(f"Hello! Describe {A} and send an email to my wife. Thanks a lot!")
    assert tasks(planned) == ["image-to-text"]
    assert [part.text for part in planned.unplanned] == ["send an email to my wife"]
    assert planned.unplanned[0].why.startswith("No expert can act outside of this program")


@pytest.mark.parametrize(
    ("aspects", "covered"), [((), False), (("emotion",), True), (("language",), False), (None, True)]
)
def test_an_expert_covers_the_aspects_that_it_declares(aspects: tuple[str, ...] | None, covered: bool) -> None:
    expert = Expert("mine", "audio-classification", "", len, aspects=aspects)
    assert expert.covers("")
    assert expert.covers("emotion") == covered


def test_every_aspect_of_the_heads_classes_is_in_the_task_table() -> None:
    from hugginggpt.core.task_aspects import BEYOND
    from hugginggpt.offline.heads import load
    from hugginggpt.offline.small_talk import AGAIN, ASIDE, NONE, SMALL_TALK, VAGUE

    head = load("clauses.safetensors")
    assert head
    parts = {*BEYOND, *SMALL_TALK, *ASIDE, VAGUE, AGAIN}
    for name in head[1]:
        task, _, aspect = name.partition("/")
        assert aspect in parts if task == NONE else task in TABLE and (not aspect or TABLE[task].aspect(aspect)), name


@pytest.mark.parametrize(
    ("request_text", "task"),
    [
        ("predict the last column", "tabular-classification"),
        ("Fill in the missing classes", "tabular-classification"),
        ("plants dearer than 4 pounds in spring", "table-question-answering"),
        ("everything in july", "table-question-answering"),
    ],
)
def test_classes_of_a_table_are_predicted_only_where_that_is_asked_for(request_text: str, task: str) -> None:
    planned = draft(request_text, Resource(SALES, "table"))
    assert [one["task"] for one in planned.tasks] == [task]
    assert "What is in this table?" not in str(planned.tasks)


def test_how_close_two_texts_are_is_no_answer_to_which_of_them() -> None:
    texts = "'You were so kind.' 'A dreadful stay.'"
    assert "sentence-similarity" in [
        task["task"] for task in draft_plan(f"how similar are these: {texts}", TABLE).tasks
    ]
    asked = draft_plan(f"which of the two is the friendlier one? {texts}", TABLE)
    assert "sentence-similarity" not in [task["task"] for task in asked.tasks]


def test_a_remark_is_not_asked_for_its_text() -> None:
    assert draft_plan("hiya! twelve hours on the ward and finally home :)", TABLE).missing is None
    assert draft_plan("summarise it", TABLE).missing is not None
