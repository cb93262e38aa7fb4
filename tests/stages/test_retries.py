"""Further tries: how many a request has, and a second one beside a slow model."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest

from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import Retried
from hugginggpt.core.tasks import TaskType
from hugginggpt.testing import FakeEndpoint, events, plan, run, says, task
from tests.conftest import MakeConfig, controller_at

A, B = "/examples/a.jpg", "/examples/b.jpg"


TWO = {"image-to-text": ["one", "two"]}


CHOOSE_ONE = '{"id": "one", "reason": "r"}'


def test_the_budget_of_further_tries_is_the_requests_not_the_tasks(make_config: MakeConfig, scripted: Any) -> None:
    def fail(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        raise BackendError(f"{model} is broken.")

    place = FakeEndpoint("local", {"image-to-text": ["one", "two", "three"]}, fail)
    llm = scripted(plan=plan(*(task(n, "image-to-text", image=A) for n in range(4))), select=CHOOSE_ONE)
    record = run(controller_at(make_config(embedded=False, limits={"retries": 2}), llm, place), "x")
    assert len(place.calls) == 4 + 2
    assert all(t.state == "failed" for t in record.tasks.values())
    assert sum("limits.retries" in t.reason for t in record.tasks.values()) >= 3


def hedged(make_config: MakeConfig, llm: Any, work: Any, seconds: float | None) -> tuple[Any, FakeEndpoint]:
    place = FakeEndpoint("local", TWO, work)
    return controller_at(make_config(embedded=False, limits={"hedge_seconds": seconds}), llm, place), place


def test_a_slow_model_is_overtaken(make_config: MakeConfig, scripted: Any) -> None:
    over = threading.Event()

    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        if model == "one":
            over.wait(60)
        return {"generated text": f"said by {model}"}

    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=CHOOSE_ONE, respond="ok")
    controller, place = hedged(make_config, llm, work, 0.05)
    seen = events(controller, "x")
    over.set()
    retried = [event for event in seen if isinstance(event, Retried)]
    assert [call[0] for call in place.calls] == ["one", "two"]
    assert [event.choice.id for event in retried] == ["two"]
    assert "one is slow" in retried[0].reason


def test_the_slow_one_counts_where_the_second_fails(make_config: MakeConfig, scripted: Any) -> None:
    second_failed = threading.Event()

    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        if model == "two":
            second_failed.set()
            raise BackendError("two is broken.")
        assert second_failed.wait(60)
        return {"generated text": "slow but sure"}

    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=CHOOSE_ONE, respond="ok")
    controller, _ = hedged(make_config, llm, work, 0.05)
    record = run(controller, "x")
    assert record.tasks[0].value == {"generated text": "slow but sure"}
    assert (record.tasks[0].choice or pytest.fail()).id == "one"


def test_without_the_setting_nothing_is_run_twice(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=CHOOSE_ONE, respond="ok")
    controller, place = hedged(make_config, llm, says("x"), None)
    assert run(controller, "x").tasks[0].ok
    assert [call[0] for call in place.calls] == ["one"]
