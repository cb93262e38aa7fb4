"""Plans as files: what is saved, and how files take the places of inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import UserError
from hugginggpt.core.plan import Plan
from hugginggpt.core.questions import Objects, Question
from hugginggpt.stages.plan_files import (
    Input,
    PlanFile,
    filled,
    load_plan_file,
    plan_file,
    plan_of_text,
    read_plan_file,
    refuse_problems,
    run_of_plan,
)
from hugginggpt.testing import FakeEndpoint, says, task
from tests.conftest import MakeConfig, controller_at, repair

CAT = Attachment("my cat.png", "/uploads/my-cat-1f2e.png", "image")
DOG = Attachment("dog.png", "/uploads/dog-77aa.png", "image")
VOICE = Attachment("voice.wav", "/uploads/voice-0001.wav", "audio")
TASKS = [task(0, "object-detection", image=CAT.source), task(1, "image-to-text", image="<GENERATED>-0")]
COUNT = Question("count", (Objects("dogs", ("dog",)),), (0,), "how many dogs are in my cat.png")


def saved(*tasks: dict[str, Any], request: str = "Count dogs in my cat.png", files: Any = (CAT,)) -> PlanFile:
    plan = repair(tasks or TASKS)
    return plan_file(Plan(plan.tasks, questions=(COUNT,)), request, files)


def test_the_files_of_a_plan_become_inputs_by_their_names() -> None:
    plan = saved(request="Count dogs in my cat.png, that is /uploads/my-cat-1f2e.png")
    assert plan.inputs == (Input("my cat.png", "image"),)
    assert plan.tasks[0]["args"] == {"image": "my cat.png"}
    assert plan.request == "Count dogs in my cat.png, that is my cat.png"
    assert read_plan_file(json.loads(plan.to_text())) == plan


def test_files_with_the_same_name_are_told_apart() -> None:
    other = Attachment("my cat.png", "/uploads/my-cat-9999.png", "image")
    tasks = (
        task(0, "object-detection", image=CAT.source),
        task(1, "object-detection", image="https://x.example/a.png"),
    )
    plan = saved(*tasks, task(2, "object-detection", image=other.source), files=(CAT, other))
    assert [one.name for one in plan.inputs] == ["my cat.png", "a.png", "my cat-2.png"]


def test_another_file_takes_the_place_of_an_input() -> None:
    plan = filled(saved(), [DOG])
    assert plan.tasks[0]["args"] == {"image": DOG.source}
    assert plan.tasks[1]["args"] == {"image": "<GENERATED>-0"}
    assert (plan.request, plan.questions[0].text) == ("Count dogs in dog.png", "how many dogs are in dog.png")


def test_a_file_goes_to_the_input_with_its_name_then_by_kind() -> None:
    tasks = [task(0, "image-to-text", image="a.png"), task(1, "image-to-text", image="dog.png")]
    plan = PlanFile(tasks, (Input("a.png", "image"), Input("dog.png", "image")))
    places = [one["args"]["image"] for one in filled(plan, [DOG, CAT]).tasks]
    assert places == [CAT.source, DOG.source]


def test_parts_of_documents_and_texts_are_kept() -> None:
    report = Attachment("b.pdf", "/uploads/b-1.pdf", "text")
    tasks = [
        task(0, "summarization", text="a.pdf#page=2"),
        task(1, "question-answering", context="a.pdf", question="{q}"),
    ]
    plan = PlanFile(tasks, (Input("a.pdf", "text"), Input("q", "text")), "{q} in a.pdf")
    first, second = filled(plan, [report], {"q": "Who is {a.pdf}?"}).tasks
    assert first["args"] == {"text": "/uploads/b-1.pdf#page=2"}
    assert second["args"] == {"context": "/uploads/b-1.pdf", "question": "Who is {a.pdf}?"}


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([], "The plan needs a picture in place of my cat.png: attach what it needs."),
        (
            [VOICE],
            "The plan needs a picture in place of my cat.png, and voice.wav is a recording: attach what it needs.",
        ),
        ([DOG, VOICE], "There is no input for voice.wav in the plan, which takes a picture in place of my cat.png."),
    ],
)
def test_what_does_not_fit_is_told(files: list[Attachment], sentence: str) -> None:
    with pytest.raises(UserError) as error:
        filled(saved(), files)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    "text",
    ["{", "[]3", '"plan"', '{"tasks": 3}', "[3]", "[{}]", '{"tasks": [], "inputs": [3]}',
     '{"tasks": [], "inputs": [{"name": "a", "kind": []}]}', '{"tasks": [], "questions": [{"operation": "rm"}]}',
     '{"tasks": [], "inputs": [{"name": "a", "kind": "text"}, {"name": "a", "kind": "text"}]}'],
)  # fmt: skip
def test_what_is_no_plan(text: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"plan"):
        plan_of_text(text)
    with pytest.raises(UserError, match=r"cannot be read"):
        load_plan_file(tmp_path / "none.json")


def test_a_plan_is_run_with_the_models_that_it_names(make_config: MakeConfig) -> None:
    place = FakeEndpoint("place", {"image-to-text": ["first", "second"]}, says("a cat"))
    controller = controller_at(make_config(embedded=False), None, place)
    plan = PlanFile([{**task(0, "image-to-text", image="a.jpg"), "model": "second"}], (Input("a.jpg", "image"),))
    run = run_of_plan(controller, plan, [Attachment("b.jpg", "/examples/b.jpg", "image")])
    events = list(controller.run(run))
    assert [call[0] for call in place.calls] == ["second"]
    planned = next(event for event in events if type(event).__name__ == "Planned")
    assert (planned.planner, planned.plan.to_json()[0]["model"]) == ("given", "second")
    assert not any(type(event).__name__ == "Notice" for event in events)


def test_a_model_that_nothing_has_fails_its_task(make_config: MakeConfig) -> None:
    place = FakeEndpoint("place", {"image-to-text": ["first"]}, says("a cat"))
    controller = controller_at(make_config(embedded=False), None, place)
    run = run_of_plan(controller, PlanFile([{**task(0, "image-to-text", image="/examples/b.jpg"), "model": "third"}]))
    failed = [event for event in controller.run(run) if type(event).__name__ == "Failed"]
    assert [event.reason for event in failed] == [
        "The plan names third for image-to-text; nothing that is set up here has it."
    ]


def test_a_plan_with_a_problem_is_refused(make_config: MakeConfig) -> None:
    controller = controller_at(make_config(embedded=False), None)
    run = run_of_plan(controller, PlanFile([task(0, "image-to-txt", image="/examples/b.jpg")]))
    with pytest.raises(UserError, match=r"task 0 \(image-to-txt\): .* is not a known task"):
        refuse_problems(run.plan or Plan())
    with pytest.raises(UserError, match="no task"):
        refuse_problems(Plan())
