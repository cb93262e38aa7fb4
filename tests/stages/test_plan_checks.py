"""What a language model planned against what is there, and what happens where the language model fails."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import BackendError, StopReason
from hugginggpt.core.events import TaskPlanned
from hugginggpt.testing import FakeEndpoint, events, plan, run, says, task
from tests.conftest import MakeConfig, controller_at

PLACES = {
    "image-to-text": ["caption"],
    "object-detection": ["detect"],
    "image-classification": ["classify"],
    "text-to-speech": ["speak"],
}
A, B = "/examples/a.jpg", "/examples/b.jpg"
CAPTION = task(0, "image-to-text", image=A)


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False)


def place(*captioners: str) -> FakeEndpoint:
    """An endpoint for all tasks; with several captioners there is a choice to make."""
    return FakeEndpoint("local", {**PLACES, "image-to-text": [*PLACES["image-to-text"], *captioners]}, says("a cat"))


# The plan against what is there


def test_a_picture_is_no_table(config: Config, scripted: Any) -> None:
    wrong = plan(CAPTION, task(1, "tabular-classification", table=A))
    llm = scripted(plan=[wrong, wrong], respond="A cat.")  # shown its mistake once
    record = run(controller_at(config, llm, place()), f"What is in {A}?")
    assert record.tasks[1].reason == f"its argument table wants a table, but {A} is an image"
    assert record.tasks[0].ok
    assert "wants a table" in llm.messages("plan")[1][-1]["content"]


def test_words_that_were_said_of_a_plan_are_no_argument(config: Config, scripted: Any) -> None:
    wrong = plan(CAPTION, task(1, "tabular-classification", table=A))
    mistake = f"its argument table wants a table, but {A} is an image"
    llm = scripted(
        plan=[wrong, plan(CAPTION, task(1, "text-to-speech", text=f"Mistakes: task 1: {mistake}."))], respond="A cat."
    )
    record = run(controller_at(config, llm, place()), f"What is in {A}?")
    assert (record.tasks[0].ok, record.tasks[1].ok) == (True, False)
    assert record.tasks[1].reason == "an argument of it repeats what was wrong in the plan before"


def test_a_task_about_a_file_that_nobody_has_spoken_of_is_left_out(config: Config, scripted: Any) -> None:
    llm = scripted(plan=plan(CAPTION, task(1, "image-classification", image="example.jpg")), respond="A cat.")
    seen = events(controller_at(config, llm, place()), f"What is in {A}?")
    assert [event.task.id for event in seen if isinstance(event, TaskPlanned)] == [0]
    llm = scripted(plan=plan(CAPTION, task(1, "image-classification", image="example.jpg")), respond="A cat.")
    record = run(controller_at(config, llm, place()), f"What is in {A}?")
    assert list(record.tasks) == [0]
    note = "task 1 (image-classification) was left out: there is no file example.jpg, and nobody has spoken of one"
    assert note in record.notices


def test_a_file_that_the_request_names_and_that_is_missing_fails_its_task(config: Config, scripted: Any) -> None:
    llm = scripted(plan=plan(CAPTION, task(1, "image-classification", image="dog.jpg")), respond="A cat.")
    record = run(controller_at(config, llm, place()), f"What is in {A} and dog.jpg?")
    assert record.tasks[1].state == "failed"
    assert "There is no file dog.jpg" in record.tasks[1].reason


def test_a_file_that_no_task_uses_is_noted(config: Config, scripted: Any) -> None:
    llm = scripted(plan=plan(CAPTION), respond="A cat.")
    beside = [Attachment("c.jpg", "/examples/c.jpg", "image")]
    record = run(controller_at(config, llm, place()), f"What is in {A} and {B}?", files=beside)
    assert f"{B}, which belongs to the request, is used in no task" in record.notices
    assert "/examples/c.jpg, which belongs to the request, is used in no task" in record.notices
    assert not any(A in notice for notice in record.notices)


@pytest.mark.parametrize("given", ["photo.jpg", "holiday/photo.jpg", A])
def test_a_file_is_used_whichever_of_its_names_a_task_has(config: Config, scripted: Any, given: str) -> None:
    attached = [Attachment("holiday/photo.jpg", A, "image"), Attachment("other.jpg", B, "image")]
    llm = scripted(plan=plan(task(0, "image-to-text", image=given)), respond="A cat.")
    record = run(controller_at(config, llm, place()), "What is in the first one?", files=attached)
    assert record.tasks[0].ok
    assert [notice for notice in record.notices if "used in no task" in notice] == [
        f"{B}, which belongs to the request, is used in no task"
    ]


def test_arguments_of_a_small_model_are_bound_and_noted(config: Config, scripted: Any) -> None:
    attached = [Attachment("my cat", A, "image")]
    given = {"task": "image-to-text", "id": 0, "dep": [-1], "args": {"picture_file": "my cat"}}
    llm = scripted(plan=plan(given), respond="A cat.")
    record = run(controller_at(config, llm, place()), "What is in my cat?", files=attached)
    assert record.tasks[0].ok
    assert 'task 0 (image-to-text): took "picture_file" for image' in record.notices


# Where the language model fails


@pytest.mark.parametrize(
    "error",
    [BackendError("It failed (500).", status=500), BackendError("Too often (429).", status=429),
     BackendError("It cannot be reached.", endpoint_down=True), BackendError("It did not answer within 60 s."),
     BackendError("It cannot read 900 tokens: its context has 512.", status=400)],
)  # fmt: skip
def test_where_the_service_fails_the_offline_planner_plans(config: Config, scripted: Any, error: BackendError) -> None:
    llm = scripted(plan=error)  # neither a choice nor an answer is asked of it afterwards
    record = run(controller_at(config, llm, place("another")), f"Describe {A}")
    assert record.stop is StopReason.ANSWERED
    assert record.tasks[0].ok
    assert "a cat" in record.message
    assert f"the language model failed, so this was planned and answered without it: {error}" in record.message
    assert record.to_json()["planned_by"] == {"planner": "offline", "why": str(error)}


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_service_that_is_set_up_wrongly_ends_the_run(config: Config, scripted: Any, status: int) -> None:
    llm = scripted(plan=BackendError("It refused the key.", status=status, endpoint_down=True))
    record = run(controller_at(config, llm, place()), f"Describe {A}")
    assert (record.stop, record.error) == (StopReason.FAILED, "It refused the key.")


def test_a_request_that_the_offline_planner_cannot_plan_fails_as_before(config: Config, scripted: Any) -> None:
    llm = scripted(plan=BackendError("It cannot be reached.", endpoint_down=True))
    record = run(controller_at(config, llm, place()), "What will the weather be like tomorrow?")
    assert (record.stop, record.error) == (StopReason.FAILED, "It cannot be reached.")


def test_without_the_fallback_the_run_ends(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(plan=BackendError("It cannot be reached.", endpoint_down=True))
    record = run(controller_at(make_config(embedded=False, llm_fallback="none"), llm, place()), f"Describe {A}")
    assert (record.stop, record.error) == (StopReason.FAILED, "It cannot be reached.")


def test_the_answer_says_that_another_planner_planned(config: Config, scripted: Any) -> None:
    llm = scripted(plan=["no plan", "again none"], respond="A cat sits there.")
    record = run(controller_at(config, llm, place()), f"Describe {A}")
    assert record.message.startswith("A cat sits there.")
    assert "Note: the offline planner made the plan. The language model wrote no usable plan" in record.message
    assert record.planner == "offline"


def test_the_composed_answer_says_why_it_is_composed(config: Config, scripted: Any) -> None:
    llm = scripted(plan=plan(CAPTION), respond=BackendError("It is gone."))
    record = run(controller_at(config, llm, place()), f"Describe {A}")
    assert "a cat" in record.message
    assert record.message.endswith("Note: the answer is composed without the language model: It is gone.")
    assert record.to_json()["planned_by"] == {"planner": "llm", "why": ""}
