"""The choice of a model: for each task, or for all tasks in one call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import Selected
from hugginggpt.core.plan import Plan, Task
from hugginggpt.core.tasks import TaskType
from hugginggpt.testing import FakeEndpoint, events, plan, run, says, task
from tests.conftest import TABLE, MakeConfig, controller_at, controller_with

A, B = "/examples/a.jpg", "/examples/b.jpg"


def last_messages(llm: Any, stage: str) -> list[str]:
    """The last message of each call at a stage."""
    return [messages[-1]["content"] for name, messages in llm.calls if name == stage]


BATCH = plan(
    task(0, "image-to-text", image=A),
    task(1, "image-to-text", image=B),
    task(2, "object-detection", image=A),
    task(3, "text-to-speech", [0], text="<GENERATED>-0"),
)


MANY = {"image-to-text": ["one", "two"], "object-detection": ["detect"], "text-to-speech": ["say", "speak"]}


def done(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
    made = {
        "object-detection": {"generated image": A, "predicted": []},
        "text-to-speech": {"generated audio": "/x.wav"},
    }
    return made.get(task.name, {"generated text": "x"})


def batch(make_config: MakeConfig, llm: Any) -> Any:
    return controller_at(make_config(embedded=False, selection="batch"), llm, FakeEndpoint("local", MANY, done))


def test_one_call_chooses_for_all_tasks_that_have_a_choice(make_config: MakeConfig, scripted: Any) -> None:
    choices = {"choices": [{"task": 0, "id": "two", "reason": "It reads."}, {"task": 3, "id": "speak", "reason": "r"}]}
    llm = scripted(plan=BATCH, select=json.dumps(choices), respond="ok")
    seen = events(batch(make_config, llm), "x")
    chosen = {event.task_id: event.choice for event in seen if isinstance(event, Selected)}
    assert {number: choice.id for number, choice in chosen.items()} == {0: "two", 1: "one", 2: "detect", 3: "speak"}
    assert chosen[0].reason == "It reads."
    assert "did not choose for this task" in chosen[1].reason
    (question,) = last_messages(llm, "select")
    assert [f"Task {n}:" in question for n in range(4)] == [True, True, False, True]
    assert sum(event.usage.calls for event in seen if isinstance(event, Selected)) == 1


@pytest.mark.parametrize("answer", ["no JSON", "[]", '{"choices": 7}', '[{"id": "x"}]', BackendError("It is down.")])
def test_a_batch_that_is_not_answered_costs_nothing(make_config: MakeConfig, scripted: Any, answer: Any) -> None:
    llm = scripted(plan=BATCH, select=answer, respond="ok")
    record = run(batch(make_config, llm), "x")
    assert [t.choice.id if t.choice else "" for t in record.tasks.values()] == ["one", "one", "detect", "say"]
    assert all("ranks first" in (record.tasks[n].choice or pytest.fail()).reason for n in (0, 1, 3))


def test_a_batch_without_any_choice_asks_nothing(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "object-detection", image=A)), respond="ok")
    assert run(batch(make_config, llm), "x").tasks[0].ok


def test_what_ends_a_batch_is_told_to_all_who_wait(make_config: MakeConfig, scripted: Any) -> None:
    controller = batch(make_config, scripted(select=RuntimeError("a bug")))
    request = controller.prepare([{"role": "user", "content": "x"}])
    selecting = controller.selector.for_run(request)
    tasks = [Task(n, "image-to-text", (), {"image": A}, row=TABLE["image-to-text"]) for n in range(3)]
    waiting = [selecting.select(each) for each in tasks]
    selecting.all_known(Plan(tuple(tasks)))
    for future in waiting:
        assert isinstance(future.exception(timeout=20), RuntimeError)


# One call for each task

ONE = {"image-to-text": ["caption"], "object-detection": ["detect"], "question-answering": ["answer"]}


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False)


def test_the_language_model_chooses_and_its_reason_is_kept(config: Config, scripted: Any) -> None:
    llm = scripted(
        plan=plan(task(0, "image-to-text", image=A)), select='{"id": "two", "reason": "It reads."}', respond="ok"
    )
    record = run(controller_at(config, llm, FakeEndpoint("local", {"image-to-text": ["one", "two"]}, says("x"))), "x")
    assert record.results["0"]["choose model result"] == {
        "id": "two",
        "reason": "It reads.",
        "endpoint": "local",
        "place": "on local",
    }
    prompt = next(messages for stage, messages in llm.calls if stage == "select")
    assert "\n- one\n- two\n" in prompt[-1]["content"]  # at one endpoint, which needs no word


@pytest.mark.parametrize(
    "answer", ['{"id": "three", "reason": "?"}', "I like them all.", "", '{"reason": "none"}', "[[[["]
)
def test_an_invalid_choice_is_replaced_by_the_best_ranked_and_said(config: Config, scripted: Any, answer: str) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=answer, respond="ok")
    record = run(controller_at(config, llm, FakeEndpoint("local", {"image-to-text": ["one", "two"]}, says("x"))), "x")
    choice = record.tasks[0].choice
    assert choice and choice.id == "one"
    assert "ranks first" in choice.reason


def test_a_language_model_that_fails_to_choose_costs_nothing(config: Config, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=BackendError("It is down."), respond="ok")
    record = run(controller_at(config, llm, FakeEndpoint("local", {"image-to-text": ["one", "two"]}, says("x"))), "x")
    assert record.tasks[0].ok
    assert "It is down." in (record.tasks[0].choice or pytest.fail()).reason


@pytest.mark.parametrize("mode", ["each", "ahead"])
def test_tasks_with_the_same_question_share_the_answer(make_config: MakeConfig, scripted: Any, mode: str) -> None:
    """What differs in its file is asked for itself."""

    def choose(messages: Any) -> str:
        return json.dumps({"id": "speak" if "speech(" in messages[-1]["content"] else "two"})

    tasks = plan(
        *(task(number, "image-to-text", image=image) for number, image in enumerate((A, B))),
        *(task(number + 2, "text-to-speech", [number], text=f"<GENERATED>-{number}") for number in range(2)),
    )
    llm = scripted(plan=tasks, select=[choose] * 3, respond="ok")
    controller = controller_at(make_config(embedded=False, selection=mode), llm, FakeEndpoint("local", MANY, done))
    record = run(controller, "Tell me calmly.")
    chosen = [task.choice.id for task in record.tasks.values() if task.choice]
    assert chosen == ["two", "two", "speak", "speak"]
    asked = last_messages(llm, "select")
    assert len(asked) == 3 and record.usage["select"].calls == 3
    assert sum("text-to-speech(text = a result)" in message for message in asked) == 1


def test_a_shared_question_that_failed_is_asked_again(config: Config, scripted: Any) -> None:
    llm = scripted(select=[BackendError("It is down."), '{"id": "speak", "reason": "It is calm."}'])
    controller = controller_at(config, llm, FakeEndpoint("local", MANY, done))
    one = controller.prepare([{"role": "user", "content": "Tell me calmly."}])
    selecting = controller.selector.for_run(one)
    speech = Task(1, "text-to-speech", (0,), {"text": "<GENERATED>-0"}, row=TABLE["text-to-speech"])
    assert "It is down." in selecting.select(speech).result(20).choice.reason
    assert selecting.select(speech).result(20).choice.id == "speak"


def test_one_candidate_needs_no_call(config: Config, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), respond="ok")  # no select in the script
    assert run(controller_at(config, llm, FakeEndpoint("local", ONE, says("x"))), "x").tasks[0].ok


def test_text_tasks_go_to_the_language_model(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(
        plan=plan(task(0, "translation", text="good morning", language="French")), task="bonjour", respond="Bonjour!"
    )
    record = run(controller_with(make_config(), llm), "Say good morning in French")
    assert record.tasks[0].value == {"generated text": "bonjour"}
    assert (record.tasks[0].choice or pytest.fail()).endpoint == "llm"
    assert record.usage["task"].calls == 1
    assert "French" in next(messages for stage, messages in llm.calls if stage == "task")[0]["content"]


@pytest.mark.parametrize(
    ("settings", "service", "expected"),
    [
        ({"planner": "auto"}, "openai", "ahead"),
        ({"planner": "auto"}, "embedded", "first"),
        ({"planner": "auto", "llm_role": "leads"}, "embedded", "ahead"),
        ({"planner": "llm"}, "embedded", "ahead"),
        ({"planner": "auto", "llm_role": "completes"}, "openai", "first"),
        ({"selection": "each"}, "embedded", "each"),
    ],
)
def test_by_default_only_a_model_that_leads_chooses(
    make_config: MakeConfig, settings: dict[str, str], service: str, expected: str
) -> None:
    assert make_config(None, **settings).selection_for(service) == expected
