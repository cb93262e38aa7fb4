"""Conditions of tasks: which branches of a plan are run, and what becomes of the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ErrorCode
from hugginggpt.core.events import RunRecord, to_json
from hugginggpt.core.tasks import TaskType
from hugginggpt.records.run_log import RunLog
from hugginggpt.records.turns import turn_from_record
from hugginggpt.testing import FakeEndpoint, events, plan, run, task
from tests.conftest import MakeConfig, controller_at, parse_plan

A, B = "/examples/a.jpg", "/examples/b.jpg"
MODELS = {"object-detection": ["detect"], "image-to-text": ["caption"], "summarization": ["short"]}


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False)


def detects(*labels: str) -> FakeEndpoint:
    """An endpoint whose detector finds these objects; it has no model that speaks."""

    def work(model: str, row: TaskType, args: Any) -> Any:
        if "broken" in labels and model == "detect":
            raise BackendError("it broke.")
        found = [{"label": label, "score": 0.9, "box": [at] * 4} for at, label in enumerate(labels)]
        return {"predicted": found} if model == "detect" else {"generated text": model}

    return FakeEndpoint("local", MODELS, work)


def when(label: str, *tasks: int, holds: bool = True, **objects: Any) -> dict[str, Any]:
    words = {"words": f"{label}s", "labels": [label], **objects}
    return {"question": {"operation": "exists", "objects": [words], "tasks": list(tasks)}, "holds": holds}


def branches(**objects: Any) -> str:
    """Describe the picture if there is a dog, else summarise; then a summary of whichever was done."""
    return plan(
        task(0, "object-detection", image=A),
        {**task(1, "image-to-text", image=A), "when": when("dog", 0, **objects)},
        {**task(2, "summarization", text="none"), "when": when("dog", 0, holds=False, **objects)},
        task(3, "summarization", text="<GENERATED>-1. <GENERATED>-2"),
        task(4, "text-to-speech", text="<GENERATED>-1"),
    )


def ended(record: RunRecord) -> dict[int, str]:
    return {number: done.code if done.code else done.state for number, done in record.tasks.items()}


@pytest.mark.parametrize(
    ("labels", "states", "joined"),
    [
        (["dog"], {1: "finished", 2: "not_needed", 3: "finished", 4: "unavailable"}, "caption"),
        (["cat"], {1: "not_needed", 2: "finished", 3: "finished", 4: "not_needed"}, "short"),
        (["broken"], {0: "backend", 1: "dependency", 2: "dependency", 3: "dependency", 4: "dependency"}, None),
    ],
)
@pytest.mark.parametrize("selection", ["each", "batch"])
def test_one_of_two_branches_is_run(
    make_config: MakeConfig,
    scripted: Any,
    labels: list[str],
    states: dict[int, str],
    joined: str | None,
    selection: str,
) -> None:
    """What comes after both takes the result that there is; a model that is missing matters only where it is needed."""
    place = detects(*labels)
    with_selection = make_config(embedded=False, selection=selection)
    controller = controller_at(with_selection, scripted(plan=branches()), place)
    record = run(controller, "If there is a dog, describe it", until="results")
    assert ended(record) == {0: "finished", **states}
    assert [args["text"] for _, name, args in place.calls if name == "summarization"][-1:] == (
        [joined] if joined else []
    )
    failed = [number for number, done in record.tasks.items() if done.undone]
    assert [error.split()[1] for error in record.errors] == [str(number) for number in failed]


def test_a_task_that_is_not_needed_is_no_failure(config: Config, scripted: Any) -> None:
    tasks = [task(0, "object-detection", image=A), {**task(1, "image-to-text", image=A), "when": when("dog", 0)}]
    controller = controller_at(config, scripted(plan=plan(*tasks), respond="No dog."), detects("cat"))
    seen = events(controller, "If there is a dog, describe it")
    record = RunRecord()
    told = [to_json(event, record.apply(event)) for event in seen]
    skipped = next(event for event in told if event["event"] == "skipped")
    assert (skipped["code"], skipped["reason"]) == ("not_needed", "the detector found no dogs in a.jpg.")
    assert (record.errors, record.stop, record.code) == ([], "answered", None)
    assert "Not done" not in record.message
    planned = next(event for event in told if event["event"] == "plan")
    assert planned["plan"][1]["when"]["question"]["objects"][0]["words"] == "dogs"
    kept = RunLog(config).load("last")
    assert kept and kept["states"]["1"] == "skipped"
    assert turn_from_record(kept).tasks[1].code == ErrorCode.NOT_NEEDED


def test_an_undecided_condition_runs_neither_branch(config: Config, scripted: Any) -> None:
    controller = controller_at(config, scripted(plan=branches(unjudged="black")), detects("dog"))
    record = run(controller, "If there is a black dog, describe it", until="results")
    assert ended(record) == {0: "finished", 1: "undecided", 2: "undecided", 3: "dependency", 4: "dependency"}
    reason = "its condition is undecided: the detector found 1 dog in a.jpg; I cannot tell whether it is a black dog."
    assert record.tasks[1].reason == reason
    assert len(record.errors) == 4


def test_a_condition_on_a_task_that_was_not_needed(config: Config, scripted: Any) -> None:
    tasks = [
        task(0, "object-detection", image=A),
        {**task(1, "object-detection", image=B), "when": when("dog", 0)},
        {**task(2, "image-to-text", image=B), "when": when("cat", 1)},
    ]
    controller = controller_at(config, scripted(plan=plan(*tasks)), detects("cat"))
    record = run(controller, "If there is a dog in a.jpg, look for a cat in b.jpg", until="results")
    assert ended(record) == {0: "finished", 1: "not_needed", 2: "not_needed"}
    assert record.tasks[2].reason == "task 1 (object-detection) was not needed."


def test_a_resumed_run_decides_again(make_config: MakeConfig, scripted: Any, tmp_path: Path) -> None:
    config = make_config(embedded=False)
    place = detects("dog")
    first = run(controller_at(config, scripted(plan=branches()), place), "If there is a dog …", until="results")
    again = controller_at(config, scripted(), place)
    record = RunRecord()
    for event in again.run(again.resume(first.run_id), "results"):
        record.apply(event)
    assert ended(record) == ended(first)
    assert [name for _, name, _ in place.calls].count("object-detection") == 1


def test_conditions_are_read_and_renumbered() -> None:
    raw = [
        {"task": "object-detection", "id": "x", "args": {"image": A}},
        {**task(5, "image-to-text", image=A), "when": when("dog")},
    ]
    raw[1]["when"]["question"]["tasks"] = ["x"]
    repaired = parse_plan(json.dumps(raw))
    assert not repaired.problems
    assert (repaired[5].dep, repaired[5].when and repaired[5].when.question.tasks) == ((0,), (0,))
    assert parse_plan(json.dumps(repaired.to_json())).tasks == repaired.tasks


def test_a_condition_asks_about_all_tasks_that_one_became() -> None:
    repaired = parse_plan(
        json.dumps(
            [
                {"task": "object-detection", "id": 0, "args": {"image": [A, B]}},
                {**task(1, "image-to-text", image=A), "when": when("dog", 0)},
            ]
        )
    )
    detections = tuple(task.id for task in repaired if task.task == "object-detection")
    assert len(detections) == 2 and repaired[1].when and repaired[1].when.question.tasks == detections


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ("there is a dog", "its condition (when) cannot be read"),
        ({"question": {"operation": "exists"}}, "its condition (when) cannot be read"),
        ({"question": {"operation": "guess", "objects": [{"words": "x"}], "tasks": [0]}}, "no such operation"),
        ({"question": {"operation": "count", "objects": [{"words": "x"}], "tasks": [0]}}, "not answered by yes or no"),
        ({"question": {"operation": "exists", "objects": [], "tasks": [0]}}, "names no tasks, or no objects"),
        (when("dog", 7), "it needs task 7, which is not in the plan"),
    ],
)
def test_a_condition_that_cannot_be_read_is_a_problem(condition: Any, problem: str) -> None:
    """The task is not run without its condition."""
    tasks = [task(0, "object-detection", image=A), {**task(1, "image-to-text", image=A), "when": condition}]
    assert problem in parse_plan(json.dumps(tasks))[1].problem
