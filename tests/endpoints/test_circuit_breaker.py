"""An endpoint that fails in a row is left alone for a while."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hugginggpt.core.errors import BackendError, StopReason
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.circuit_breaker import FAILURES, SECONDS, Breakers
from hugginggpt.testing import FakeEndpoint, plan, run, says, task
from tests.conftest import MakeConfig, controller_at

A, B = "/examples/a.jpg", "/examples/b.jpg"


class Clock:
    """Stands still until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_breaker_opens_after_failures_in_a_row_and_lets_one_try_through_later() -> None:
    clock = Clock()
    breakers = Breakers(clock)
    for _ in range(FAILURES):
        assert breakers.allows("hub")
        breakers.was_down("hub")
    assert not breakers.allows("hub")
    assert breakers.allows("local")
    clock.now = SECONDS - 0.1
    assert not breakers.allows("hub")
    clock.now = SECONDS
    assert [breakers.allows("hub") for _ in range(3)] == [True, False, False]
    breakers.was_down("hub")
    clock.now += SECONDS - 0.1
    assert not breakers.allows("hub")
    clock.now += 0.1
    assert breakers.allows("hub")
    breakers.worked("hub")
    assert all(breakers.allows("hub") for _ in range(3))


def test_a_success_in_between_keeps_a_breaker_closed() -> None:
    breakers = Breakers(Clock())
    for _ in range(2 * FAILURES):
        breakers.was_down("hub")
        breakers.worked("hub")
    assert breakers.allows("hub")


def test_an_endpoint_that_is_down_is_left_alone_by_later_runs(make_config: MakeConfig, scripted: Any) -> None:
    def refuse(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        raise BackendError("Nobody is there.", endpoint_down=True)

    down, up = (
        FakeEndpoint("hub", {"image-to-text": ["far"]}, refuse),
        FakeEndpoint("local", {"image-to-text": ["near"]}, says("x")),
    )
    llm = scripted(
        plan=[plan(task(0, "image-to-text", image=A))] * 5,
        select=['{"id": "far", "reason": "r"}'] * 5,
        respond=["ok"] * 5,
    )
    controller = controller_at(make_config(embedded=False), llm, down, up)
    records = [run(controller, "x") for _ in range(5)]
    assert [record.tasks[0].state for record in records] == ["finished"] * 5
    assert len(down.calls) == FAILURES
    assert "slow or cannot be reached" in (records[4].tasks[0].choice or pytest.fail()).reason


def test_all_places_down_is_a_failure_with_a_reason(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)))
    controller = controller_at(
        make_config(embedded=False), llm, FakeEndpoint("hub", {"image-to-text": ["far"]}, says("x"))
    )
    for _ in range(FAILURES):
        controller.executor.breakers.was_down("hub")
    record = run(controller, "x")
    assert record.tasks[0].reason == "All places where it could run are down."
    assert record.stop is StopReason.FAILED
