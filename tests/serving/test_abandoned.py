"""Requests whose clients have given up: they are dropped before a model sees them, and hold nothing up."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest
import requests

from hugginggpt.experts.families import Args
from hugginggpt.serving.asking import patience
from hugginggpt.serving.model_pool import Busy
from hugginggpt.testing.servers import Serving
from tests.serving.plain_family import Hold, echo, entry, pool_of, weights

TASK = "text-generation"


class Slow:
    """A model that is held up at its first batch; `seen` are the texts of all."""

    def __init__(self) -> None:
        self.hold = Hold()
        self.seen: list[list[str]] = []

    def __call__(self, asked: Sequence[Args]) -> list[Any]:
        self.seen.append([request["text"] for request in asked])
        self.hold()
        return echo(asked)


@pytest.fixture
def slow(plain: Any) -> Slow:
    made = Slow()
    plain(made, batch=4)
    return made


def yes() -> bool:
    return True


def test_the_abandoned_are_dropped_before_a_batch_is_made(tmp_path: Path, slow: Slow) -> None:
    pool, model = pool_of(), entry(weights(tmp_path / "mine", 10))
    first = pool.submit(model, TASK, {"text": "first"})
    assert slow.hold.began.wait(20)
    gone = pool.submit(model, TASK, {"text": "gone"}, has_gone=yes)
    late = pool.submit(model, TASK, {"text": "late"}, seconds=0)
    given_up = pool.submit(model, TASK, {"text": "given up"})
    last = pool.submit(model, TASK, {"text": "last"})
    assert given_up.cancel()
    slow.hold.over.set()
    assert (first.result(20), last.result(20)) == ("first", "last")
    assert slow.seen == [["first"], ["last"]]
    assert gone.cancelled() and late.cancelled()
    pool.close()


def test_the_abandoned_take_up_no_place_in_a_queue_or_in_the_server(tmp_path: Path, slow: Slow) -> None:
    pool, model = pool_of(queue_size=2, max_open=4), entry(weights(tmp_path / "mine", 10))
    left = threading.Event()
    running = pool.submit(model, TASK, {"text": "running"}, has_gone=left.is_set)
    assert slow.hold.began.wait(20)
    left.set()
    for number in range(20):
        pool.submit(model, TASK, {"text": f"gone {number}"}, has_gone=yes)
    wanted = [pool.submit(model, TASK, {"text": "wanted"}) for _ in range(2)]
    assert running.cancelled()  # its answer is not waited for, although it goes on
    with pytest.raises(Busy):
        pool.submit(model, TASK, {"text": "one too many"})
    slow.hold.over.set()
    assert [one.result(20) for one in wanted] == ["wanted"] * 2
    assert slow.seen == [["running"], ["wanted", "wanted"]]
    pool.close()


def test_clients_that_gave_up_loading_take_up_no_place_either(tmp_path: Path, slow: Slow) -> None:
    pool, model = pool_of(queue_size=2), entry(weights(tmp_path / "mine", 10))
    running = pool.submit(model, TASK, {"text": "running"})
    assert slow.hold.began.wait(20)
    gone = [pool.load(model, has_gone=yes) for _ in range(10)]
    wanted = [pool.load(model), pool.submit(model, TASK, {"text": "wanted"})]
    slow.hold.over.set()
    assert [one.result(20) for one in (running, *wanted)] == ["running", None, "wanted"]
    assert all(one.cancelled() for one in gone)
    pool.close()


def test_a_pool_that_closes_does_not_wait_for_what_nobody_wants(tmp_path: Path, slow: Slow) -> None:
    pool, model = pool_of(), entry(weights(tmp_path / "mine", 10))
    left = threading.Event()
    running = pool.submit(model, TASK, {"text": "running"}, has_gone=left.is_set)
    assert slow.hold.began.wait(20)
    left.set()
    waiting = pool.submit(model, TASK, {"text": "waiting"}, has_gone=yes)
    pool.close()
    assert not slow.hold.over.is_set() and running.cancelled() and waiting.cancelled()
    with pytest.raises(CancelledError):
        running.result(20)
    (worker,) = pool._workers.values()
    slow.hold.over.set()
    worker.thread.join(20)
    assert not worker.thread.is_alive() and slow.seen == [["running"]]


def test_a_client_says_how_long_it_waits(server: Serving, tmp_path: Path, slow: Slow) -> None:
    model = server.add(weights(tmp_path / "mine", 10), TASK)
    answer = server.post(model, {"text": "x"}, headers={"Prefer": "wait=0"})
    assert answer.status_code == 504
    assert answer.json()["error"]["type"] == "Overdue"
    assert requests.get(f"{server.url}/healthz", timeout=10).json()["status"] == "ok"
    slow.hold.over.set()


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("", 600), ("wait=60", 60), ('respond-async, wait = "5"', 5), ("wait=99999", 600), ("wait=x", 600)],
)
def test_the_seconds_of_a_preference(said: str, seconds: float) -> None:
    assert patience(said) == seconds
