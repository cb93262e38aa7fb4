"""What an endpoint learns of the attempt it is asked for: its end, its progress, and that some are made once only."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from threading import Event
from typing import Any

import pytest

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import Finished, Notice, Planned, Progressed, Selected, Started, TaskPlanned
from hugginggpt.core.plan import Plan
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Args, Inference
from hugginggpt.endpoints.calls import MOST_REPORTS, Call, current_call
from hugginggpt.testing import FakeEndpoint, ScriptedLLM, controller_at, events, plan, run, says, task
from tests.conftest import MakeConfig, parse_plan

PATIENCE = 30
READ = plan(task(0, "image-to-text", image="/examples/a.jpg"))


class Watched(FakeEndpoint):
    """Waits in `infer` until its call is over."""

    def __init__(self, name: str = "local") -> None:
        super().__init__(name, {"image-to-text": ["reader"]}, says("a cat"))
        self.begun, self.ended = Event(), Event()

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        self.begun.set()
        current_call().when_over(self.ended.set)
        assert self.ended.wait(PATIENCE)
        raise BackendError("it was ended")


class Once(FakeEndpoint):
    """Acts on the world."""

    def repeatable(self, model: str, task: TaskType) -> bool:
        return False

    def notices(self, task: TaskType) -> list[str]:
        return ["It acts."]


def test_a_cancelled_run_ends_the_call(make_config: MakeConfig) -> None:
    endpoint = Watched()
    controller = controller_at(make_config(), ScriptedLLM(plan=READ), endpoint)
    request = controller.prepare([{"role": "user", "content": "What is there?"}])
    seen = spawn(list, controller.run(request))
    assert endpoint.begun.wait(PATIENCE)
    request.cancel()
    assert endpoint.ended.wait(PATIENCE)
    seen.result(PATIENCE)


def test_a_task_that_takes_too_long_ends_the_call(make_config: MakeConfig) -> None:
    endpoint = Watched()
    controller = controller_at(make_config(limits={"task_seconds": 0.05}), ScriptedLLM(plan=READ), endpoint)
    record = run(controller, "What is there?", until="results")
    assert record.tasks[0].state == "failed"
    assert endpoint.ended.wait(PATIENCE)


def test_the_slower_of_two_models_is_ended(make_config: MakeConfig) -> None:
    slow, fast = Watched(), FakeEndpoint("studio", {"image-to-text": ["quick"]}, says("a dog"))
    slow.by_task = {"image-to-text": ["reader"]}
    controller = controller_at(make_config(limits={"hedge_seconds": 0.01}, selection="each"), None, slow, fast)
    record = run(controller, "Describe /examples/a.jpg")
    assert record.tasks[0].value == {"generated text": "a dog"}
    assert slow.ended.wait(PATIENCE)


def test_progress_is_an_event_of_the_run_and_limited(make_config: MakeConfig) -> None:
    def work(*_: object) -> dict[str, str]:
        for part in range(3 * MOST_REPORTS):
            current_call().report(part, None, f"part {part}\u200b\x1b[2J")
        current_call().report(float("nan"), 1)
        current_call().report(9, 10, "nearly")
        return {"generated text": "a cat"}

    controller = controller_at(
        make_config(), ScriptedLLM(plan=READ), FakeEndpoint("local", {"image-to-text": ["x"]}, work)
    )
    told = [one for one in events(controller, "What?", until="results") if isinstance(one, Progressed)]
    assert len(told) == MOST_REPORTS + 1
    assert (told[0].task_id, told[0].text, told[-1].words) == (0, "part 0[2J", "90 %, nearly")


def test_a_call_that_is_over_tells_nothing() -> None:
    end: Future[None] = Future()
    told: list[object] = []
    call = Call((end,), lambda *how_far: told.append(how_far))
    call.report(1)
    end.set_result(None)
    call.report(2)
    assert told == [(1, None, "")]
    assert current_call().is_over is False


@pytest.mark.parametrize("hedge", [None, 0.01])
def test_what_acts_is_run_once_and_nothing_else_is_tried_after_it(make_config: MakeConfig, hedge: float | None) -> None:
    def fails(*_: object) -> None:
        raise BackendError("The connection broke.", may_have_acted=True)

    acts = Once("local", {"image-to-text": ["actor"]}, fails)
    other = FakeEndpoint("studio", {"image-to-text": ["other"]}, says("a cat"))
    controller = controller_at(make_config(limits={"hedge_seconds": hedge}), None, acts, other)
    record = run(controller, "Describe /examples/a.jpg")
    assert (len(acts.calls), other.calls) == (1, [])
    assert record.tasks[0].reason == "The connection broke."
    assert record.notices.count("It acts.") == 1


def test_what_acts_is_not_cached(make_config: MakeConfig) -> None:
    acts = Once("local", {"image-to-text": ["actor"]}, says("a cat"))
    config = make_config(cache={"enabled": True})
    for _ in range(2):
        seen = events(controller_at(config, ScriptedLLM(plan=READ), acts), "What?", until="results")
    assert len(acts.calls) == 2
    assert any(isinstance(one, Notice) for one in seen)
    assert [type(one) for one in seen if isinstance(one, Started | Finished)] == [Started, Finished]


@pytest.mark.parametrize("acts", [True, False])
def test_what_acts_is_not_begun_before_the_plan_is_complete(make_config: MakeConfig, acts: bool) -> None:
    """The plan, once complete, may leave out a task that was streamed: it must not have been done then."""
    endpoint = (Once if acts else FakeEndpoint)("local", {"image-to-text": ["actor"]}, says("a cat"))
    controller = controller_at(make_config(), None, endpoint)
    request = controller.prepare([{"role": "user", "content": "What is there?"}])
    chosen = Event()

    def planning() -> Iterator[Any]:
        yield TaskPlanned(parse_plan(READ).tasks[0])
        assert chosen.wait(PATIENCE)
        yield Planned(Plan())

    seen = []
    for event in controller.executor.execute(request, planning(), controller.selector.for_run(request)):
        seen.append(type(event))
        if isinstance(event, Selected):
            chosen.set()
    assert (Started in seen) != acts
    assert not acts or endpoint.calls == []
