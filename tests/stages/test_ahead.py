"""`selection: ahead`: the model that ranks first is at work while the language model still chooses."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from threading import Event
from typing import Any

import pytest

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import Event as RunEvent
from hugginggpt.core.events import (
    Finished,
    Planned,
    Progressed,
    RanAhead,
    Retried,
    RunRecord,
    Selected,
    Started,
    TaskPlanned,
    TaskRecord,
)
from hugginggpt.core.plan import Plan
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Args, Inference
from hugginggpt.endpoints.calls import current_call
from hugginggpt.llm.base import Message
from hugginggpt.testing import FakeEndpoint, ScriptedLLM, events, plan, run, task
from tests.conftest import MakeConfig, controller_at, parse_plan

A = "/examples/a.jpg"
PATIENCE = 30
TWO = {"image-to-text": ["one", "two"], "question-answering": ["reader", "thinker"]}
CHAIN = plan(
    task(0, "image-to-text", image=A), task(1, "question-answering", [0], text="What?", context="<GENERATED>-0")
)


class Place(FakeEndpoint):
    """Its models say who they are; "one" tells that it was begun, and, where `stays`, waits until its call is over."""

    def __init__(self, name: str = "local", *, stays: bool = False, repeats: bool = True) -> None:
        super().__init__(name, TWO, lambda model, task, args: {_slot(task): f"by {model}: {_text(args)}"})
        self.stays, self.repeats = stays, repeats
        self.begun, self.done, self.ended = Event(), Event(), Event()

    def repeatable(self, model: str, task: TaskType) -> bool:
        return self.repeats

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        inference = super().infer(model, task, args)
        current_call().report(1, 2, model)
        if model == "one":
            self.begun.set()
            current_call().when_over(self.ended.set)
            if self.stays:
                assert self.ended.wait(PATIENCE)
            self.done.set()
        return inference

    @property
    def called(self) -> list[str]:
        return [model for model, _, _ in self.calls]


def _slot(task: TaskType) -> str:
    return "answer" if task.name == "question-answering" else "generated text"


def _text(args: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {getattr(value, 'name', value)}" for name, value in sorted(args.items()))


def choosing(model: str, after: Event) -> Any:
    """A choice of the language model that is made when something has happened."""

    def choose(messages: Sequence[Message]) -> str:
        assert after.wait(PATIENCE)
        return json.dumps({"id": model, "reason": "It fits."})

    return choose


def asked_about(messages: Sequence[Message]) -> str:
    """The type of the task for which a model is to be chosen."""
    (found,) = set(re.findall(r"\b(image-to-text|question-answering)\(", messages[-1]["content"]))
    return str(found)


def record_of(seen: Sequence[RunEvent]) -> RunRecord:
    record = RunRecord()
    for event in seen:
        record.apply(event)
    return record


def ahead(
    make_config: MakeConfig, llm: Any, place: FakeEndpoint, request: str = "x", **settings: Any
) -> list[RunEvent]:
    config = make_config(embedded=False, **{"selection": "ahead", **settings})
    return events(controller_at(config, llm, place), request)


def test_the_first_is_at_work_while_the_choice_is_made_and_is_called_once(
    make_config: MakeConfig, scripted: Any
) -> None:
    place = Place()
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=choosing("one", place.begun), respond="ok")
    seen = ahead(make_config, llm, place)
    assert place.called == ["one"]
    told = [type(event) for event in seen if getattr(event, "task_id", None) == 0]
    assert [kind for kind in told if kind is not Progressed] == [Selected, RanAhead, Started, Finished]
    record = record_of(seen)
    assert record.ran_ahead["kept"]["calls"] == 1
    assert record.ran_ahead["dropped"] == {"calls": 0, "seconds": 0}
    assert record.to_json()["ahead"] == record.ran_ahead
    assert (record.tasks[0].choice or pytest.fail()).reason == "It fits."
    assert (record.tasks[0].seconds or 0) >= record.tasks[0].ahead > 0


@pytest.mark.parametrize("stays", [True, False])
def test_another_choice_drops_it_before_anything_depends_on_it(
    make_config: MakeConfig, scripted: Any, stays: bool
) -> None:
    """Whether it is still at work then or has its result."""
    place = Place(stays=stays)
    select = [choosing("two", place.begun if stays else place.done), choosing("reader", place.begun)]
    by_task = {"image-to-text": select[0], "question-answering": select[1]}

    def choose(messages: Sequence[Message]) -> str:
        return str(by_task[asked_about(messages)](messages))

    seen = ahead(make_config, scripted(plan=CHAIN, select=[choose, choose], respond="ok"), place)
    assert place.ended.wait(PATIENCE)
    record = record_of(seen)
    assert sorted(place.called) == ["one", "reader", "two"]
    assert record.tasks[0].value == {"generated text": "by two: image a.jpg"}
    assert place.calls[-1][2]["context"] == "by two: image a.jpg"
    assert [one.text for one in seen if isinstance(one, Progressed) and one.task_id == 0] == ["two"]
    assert [(one.choice.id, one.kept) for one in record.ahead if one.task_id == 0] == [("one", False)]
    assert record.ran_ahead["dropped"]["calls"] == 1
    assert "by one" not in json.dumps(record.to_log(), default=str)


@pytest.mark.parametrize("chosen", ["one", "two"])
def test_an_error_of_the_first_counts_only_if_it_is_chosen(make_config: MakeConfig, scripted: Any, chosen: str) -> None:
    failed = Event()

    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        if model == "one":
            failed.set()
            raise BackendError("one is broken.")
        return {"generated text": "a cat"}

    place = FakeEndpoint("local", TWO, work)
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=choosing(chosen, failed), respond="ok")
    seen = ahead(make_config, llm, place)
    assert [model for model, _, _ in place.calls] == ["one", "two"]
    assert [event.choice.id for event in seen if isinstance(event, Retried)] == (["two"] if chosen == "one" else [])
    assert record_of(seen).tasks[0].value == {"generated text": "a cat"}


def test_a_file_that_is_not_there_is_said_once(make_config: MakeConfig, scripted: Any) -> None:
    place, at_once = Place(), Event()
    at_once.set()
    missing = plan(task(0, "image-to-text", image="/examples/none.jpg"))
    record = record_of(ahead(make_config, scripted(plan=missing, select=choosing("one", at_once)), place))
    assert place.called == []
    assert "none.jpg" in record.tasks[0].reason


def test_no_choice_keeps_the_first(make_config: MakeConfig, scripted: Any) -> None:
    place = Place()

    def fail(messages: Sequence[Message]) -> str:
        assert place.begun.wait(PATIENCE)
        raise BackendError("It is down.")

    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=fail, respond="ok")
    record = record_of(ahead(make_config, llm, place))
    assert place.called == ["one"]
    assert record.ran_ahead["kept"]["calls"] == 1
    assert "It is down." in (record.tasks[0].choice or pytest.fail()).reason


@pytest.mark.parametrize(
    ("name", "repeats", "settings", "begins"),
    [
        ("local", True, {}, True),
        ("local", False, {}, False),  # it acts on the world
        ("studio", True, {}, False),  # it may cost money
        ("studio", True, {"run_ahead": "repeatable"}, True),
        ("studio", False, {"run_ahead": "repeatable"}, False),
        ("local", True, {"selection": "each"}, False),
    ],
)
def test_what_may_begin_before_it_is_chosen(
    make_config: MakeConfig, scripted: Any, name: str, repeats: bool, settings: dict[str, Any], begins: bool
) -> None:
    place, at_once = Place(name, repeats=repeats), Event()
    at_once.set()
    select = choosing("two", place.begun if begins else at_once)
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=select, respond="ok")
    ahead(make_config, llm, place, **settings)
    assert place.called == (["one", "two"] if begins else ["two"])


def test_what_waits_for_another_task_or_a_condition_is_not_begun(make_config: MakeConfig, scripted: Any) -> None:
    """Nor is a task begun on a result whose model is not chosen yet."""
    place = Place()
    chosen = Event()

    def choose(messages: Sequence[Message]) -> str:
        if asked_about(messages) == "question-answering":
            assert chosen.wait(PATIENCE)
            return '{"id": "reader", "reason": "r"}'
        assert place.done.wait(PATIENCE)
        before = list(place.called)
        chosen.set()
        return json.dumps({"id": "one", "reason": ", ".join(before)})

    seen = ahead(make_config, scripted(plan=CHAIN, select=[choose, choose], respond="ok"), place)
    assert (record_of(seen).tasks[0].choice or pytest.fail()).reason == "one"


def test_a_place_that_was_down_is_not_begun_at(make_config: MakeConfig, scripted: Any) -> None:
    place, at_once = Place(), Event()
    at_once.set()
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=choosing("two", at_once))
    controller = controller_at(make_config(embedded=False, selection="ahead"), llm, place)
    for _ in range(3):
        controller.executor.breakers.was_down("local")
    record = run(controller, "x")
    assert place.called == []
    assert record.tasks[0].state == "failed"


def test_a_cancelled_run_ends_what_runs_ahead(make_config: MakeConfig, scripted: Any) -> None:
    place = Place(stays=True)
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=choosing("one", place.ended))
    controller = controller_at(make_config(embedded=False, selection="ahead"), llm, place)
    request = controller.prepare([{"role": "user", "content": "x"}])
    seen = spawn(list, controller.run(request))
    assert place.begun.wait(PATIENCE)
    request.cancel()
    assert place.ended.wait(PATIENCE)
    assert not any(isinstance(event, Started) for event in seen.result(PATIENCE))


def test_what_the_complete_plan_leaves_out_is_ended(make_config: MakeConfig, scripted: Any) -> None:
    place = Place(stays=True)
    llm = scripted(select=choosing("one", place.ended))
    controller = controller_at(make_config(embedded=False, selection="ahead"), llm, place)
    request = controller.prepare([{"role": "user", "content": "x"}])

    def planning() -> Iterator[Any]:
        yield TaskPlanned(parse_plan(CHAIN).tasks[0])
        assert place.begun.wait(PATIENCE)
        yield Planned(Plan())

    seen = list(controller.executor.execute(request, planning(), controller.selector.for_run(request)))
    assert place.ended.wait(PATIENCE)
    assert [(one.kept, one.choice.id) for one in seen if isinstance(one, RanAhead)] == [(False, "one")]
    assert record_of(seen).tasks == {}


def test_selection_first_asks_nothing(make_config: MakeConfig, scripted: Any) -> None:
    place = Place()
    record = record_of(ahead(make_config, scripted(plan=CHAIN, respond="ok"), place, selection="first"))
    assert place.called == ["one", "reader"]
    assert all(done.ok for done in record.tasks.values())


# The same models and results as with a choice before each task

KINDS = ("image-to-text", "visual-question-answering", "question-answering", "text-generation")
MODELS = {kind: [f"{kind}/{number}" for number in range(3)] for kind in KINDS}


def one_of(most: int, *given: object) -> int:
    """A number below `most` that looks random and is always the same for the same things."""
    return int.from_bytes(hashlib.sha256(repr(given).encode()).digest()[:4]) % most


def random_plan(rng: random.Random) -> str:
    """Tasks on a picture or on a text, many of them with the result of an earlier one."""
    tasks = []
    for number in range(rng.randint(1, 7)):
        kind = rng.choice(KINDS)
        dep = [rng.randrange(number)] if number and rng.random() < 0.6 else []
        text = f"<GENERATED>-{dep[0]}" if dep else f"number {number}"
        if kind == "image-to-text":
            tasks.append(task(number, kind, image=A))
        elif kind == "visual-question-answering":
            tasks.append(task(number, kind, dep, image=A, text=text))
        elif kind == "question-answering":
            tasks.append(task(number, kind, dep, text=f"What of {number}?", context=text))
        else:
            tasks.append(task(number, kind, dep, text=text))
    return plan(*tasks)


def ended(done: TaskRecord) -> Any:
    """What became of a task. Whether a model is chosen for one that is skipped is chance, and why it is skipped, too."""
    if done.state == "skipped":
        return done.state
    return done.state, done.choice, done.value, done.reason, done.task["args"], done.retries


@pytest.mark.parametrize("seed", range(25))
def test_ahead_ends_with_the_models_and_results_of_each(make_config: MakeConfig, seed: int) -> None:
    rng = random.Random(seed)
    planned = random_plan(rng)
    asked = len(json.loads(planned)["tasks"])

    def choose(messages: Sequence[Message]) -> str:
        question = messages[-1]["content"]
        ids = re.findall(r"^- (\S+?)(?: \(|: |$)", question, re.MULTILINE)
        assert len(ids) == 3
        if one_of(6, seed, question) == 0:
            raise BackendError("It did not choose.")
        return json.dumps({"id": ids[one_of(len(ids), seed, question)], "reason": "r"})

    def work(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
        if one_of(5, seed, model, _text(args)) == 0:
            raise BackendError(f"{model} is broken.")
        return {"answer" if "answering" in row.name else "generated text": f"{model} of ({_text(args)})"}

    outcomes = []
    for selection in ("each", "ahead"):
        config = make_config(embedded=False, selection=selection, limits={"retries": 100})
        llm = ScriptedLLM(plan=planned, select=[choose] * asked, respond="ok")
        record = run(controller_at(config, llm, FakeEndpoint("local", MODELS, work)), "x")
        outcomes.append({number: ended(done) for number, done in record.tasks.items()})
        assert selection == "ahead" or not record.ahead
    assert outcomes[0] == outcomes[1]


def test_a_result_that_is_there_needs_no_endpoint_that_works_now(make_config: MakeConfig, scripted: Any) -> None:
    place = Place()
    controllers: list[Any] = []

    def choose(messages: Sequence[Message]) -> str:
        assert place.done.wait(PATIENCE)
        for _ in range(3):
            controllers[0].executor.breakers.was_down("local")
        return '{"id": "one", "reason": "r"}'

    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=choose, respond="ok")
    controllers.append(controller_at(make_config(embedded=False, selection="ahead"), llm, place))
    assert run(controllers[0], "x").tasks[0].value == {"generated text": "by one: image a.jpg"}


def test_work_that_was_for_nothing_counts_when_the_run_ends_before_the_choice(
    make_config: MakeConfig, scripted: Any
) -> None:
    place = Place(stays=True)
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=choosing("one", place.ended))
    controller = controller_at(make_config(embedded=False, selection="ahead"), llm, place)
    request = controller.prepare([{"role": "user", "content": "x"}])
    seen = spawn(list, controller.run(request))
    assert place.begun.wait(PATIENCE)
    request.cancel()
    assert record_of(seen.result(PATIENCE)).ran_ahead["dropped"]["calls"] == 1
