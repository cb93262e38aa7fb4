"""What every store of runs does, whether its runs are those of this process or of several controllers."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError, ConfigError
from hugginggpt.records.feeds import ChatBusy, TooManyRuns
from hugginggpt.records.run_store import LeaseLost, MemoryRunStore, Orphan, OwnRun, RunHead, RunStore
from hugginggpt.testing.services import redis_service
from tests.services import needed

SECONDS = 60
Pair = tuple[RunStore, RunStore]
AGAIN = {"request": "What is it?", "plan": []}
_numbers = itertools.count(1)


class Kept(OwnRun):
    """A run of which nothing is known but its events."""

    def __init__(self, head: RunHead, events: Any = ()) -> None:
        super().__init__(head, events)
        self.cancelled = threading.Event()

    def cancel(self) -> None:
        self.cancelled.set()

    def until_over(self) -> str | None:
        self.ended.wait(SECONDS)
        return "answered"

    def told(self) -> dict[str, Any]:
        return {"stop": "answered", "events": len(self.events)}


def new_run(**head: Any) -> Kept:
    return Kept(RunHead(f"{next(_numbers):012x}", **{"request": "What is it?", **head}))


@pytest.fixture
def connect(redis_url: str) -> Iterator[Callable[..., Any]]:
    """Makes stores over the same service, which is empty at first."""
    redis_runs = pytest.importorskip("hugginggpt.records.redis_runs")
    made: list[Any] = []

    def make(lease_seconds: float = 60) -> Any:
        made.append(redis_runs.RedisRunStore(redis_url, lease_seconds=lease_seconds))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture(params=["memory", "redis"])
def pair(request: pytest.FixtureRequest) -> Pair:
    """The store as two controllers have it."""
    if request.param == "memory":
        memory = MemoryRunStore()
        return memory, memory
    connect = request.getfixturevalue("connect")
    return connect(), connect()


def test_another_controller_follows_from_any_event(pair: Pair) -> None:
    a, b = pair
    run = new_run()
    a.begin(run, 5)
    for number in range(3):
        a.add(run, {"event": "progress", "n": number}, {"plan": [], "n": number} if number == 0 else None)
    known = b.find(run.head.id)
    assert known and known.head.request == "What is it?" and not known.over
    following = known.follow(1)
    assert [next(following), next(following)] == [
        (2, {"event": "progress", "n": 1}),
        (3, {"event": "progress", "n": 2}),
    ]
    rest = spawn(list, following)
    a.add(run, {"event": "done"})
    a.end(run)
    assert [item for item in rest.result(SECONDS) if item] == [(4, {"event": "done"})]
    again = b.find(run.head.id)
    assert again and again.over and again.told()["events"] == 4
    assert [item[0] for item in again.follow() if item] == [1, 2, 3, 4]
    assert again.until_over() == "answered"
    assert b.find("0" * 12) is None


def test_the_limit_counts_for_all(pair: Pair) -> None:
    a, b = pair
    first, second, third = new_run(), new_run(), new_run()
    a.begin(first, 2)
    b.begin(second, 2)
    assert (a.count(), b.count()) == (2, 2)
    for store in pair:
        with pytest.raises(TooManyRuns, match="2 requests are being worked on"):
            store.begin(third, 2)
    a.end(first)
    b.begin(third, 2)
    a.discard(new_run()) if a is not b else None
    b.discard(third)
    b.end(second)
    assert a.count() == 0
    assert a.find(third.head.id) is None


def test_a_conversation_has_one_run_at_a_time(pair: Pair) -> None:
    a, b = pair
    run = new_run(chat="chat1")
    a.begin(run, 5)
    going = b.of_chat("chat1")
    assert going and going.head.id == run.head.id
    with pytest.raises(ChatBusy) as busy:
        b.begin(new_run(chat="chat1"), 5)
    assert busy.value.run_id == run.head.id
    other = new_run(chat="chat2")
    b.begin(other, 5)
    a.end(run)
    assert b.of_chat("chat1") is None
    b.begin(new_run(chat="chat1"), 5)
    assert a.count() == 2


def test_a_cancellation_reaches_whoever_works_on_it(pair: Pair) -> None:
    a, b = pair
    a.watch(lambda orphan: None)
    run, other = new_run(), new_run()
    a.begin(run, 5)
    a.begin(other, 5)
    known = b.find(run.head.id)
    assert known
    known.cancel()
    assert run.cancelled.wait(SECONDS)
    assert not other.cancelled.is_set()


def test_the_newest_come_first(pair: Pair) -> None:
    a, b = pair
    ids = []
    for store in (a, b, a):
        run = new_run()
        store.begin(run, 5)
        store.end(run)
        ids.append(run.head.id)
    assert {known.head.id for known in b.newest(10)} == set(ids)
    assert [known.head.id for known in a.newest(1)] == ids[-1:]


# What only several controllers have


def lost(connect: Callable[..., Any], *lines: Any, **head: Any) -> tuple[Any, Kept]:
    """A run of a controller that is not heard of any more."""
    dead = connect(lease_seconds=0.05)
    run = new_run(**{"again": AGAIN, **head})
    dead.begin(run, 5)
    for line in lines:
        dead.add(run, {"event": "progress"}, line)
    dead._db.blpop(["nothing"], 0.1)  # by the clock of the service, which tells when a lease runs out
    return dead, run


def test_a_run_whose_controller_is_lost_is_handed_over_once(connect: Callable[..., Any]) -> None:
    dead, run = lost(connect, {"plan": [1], "results": {}, "states": {}}, {"id": "0", "result": "r"}, chat="c")
    orphans: list[Orphan] = []
    found: Future[None] = Future()

    def take(orphan: Orphan) -> None:
        orphans.append(orphan)
        found.set_result(None)

    stores = [connect() for _ in range(3)]
    for store in stores:
        store.watch(take)
    found.result(SECONDS)
    (orphan,) = orphans
    assert (orphan.head.id, orphan.head.chat, orphan.head.again) == (run.head.id, "c", AGAIN)
    assert orphan.record == {"plan": [1], "results": {"0": "r"}, "states": {"0": "finished"}}
    assert (len(orphan.events), orphan.lost, orphan.is_cancelled) == (2, 1, False)
    with pytest.raises(LeaseLost):
        dead.add(run, {"event": "too late"})
    assert len(run.events) == 2
    (heir,) = [store for store in stores if store._db.hget(f"{{hugginggpt}}:run:{run.head.id}", "owner") == store.me]
    taken = Kept(orphan.head, orphan.events)
    heir.adopt(taken)
    heir.add(taken, {"event": "done"})
    heir.end(taken)
    known = stores[0].find(run.head.id)
    assert [item for item in known.follow() if item] == [
        (1, {"event": "progress"}),
        (2, {"event": "progress"}),
        (3, {"event": "done"}),
    ]
    assert stores[0].count() == 0


def test_a_run_is_cancelled_although_its_controller_is_lost(connect: Callable[..., Any]) -> None:
    _, run = lost(connect)
    store = connect()
    store.find(run.head.id).cancel()
    orphan: Future[Orphan] = Future()
    store.watch(orphan.set_result)
    assert orphan.result(SECONDS).is_cancelled


def test_a_controller_that_ends_hands_its_runs_over(connect: Callable[..., Any]) -> None:
    a, b = connect(lease_seconds=1000), connect()
    run, stays = new_run(again=AGAIN), new_run()
    a.begin(run, 5)
    a.begin(stays, 5)
    a.hand_over([run, stays])  # there is nobody yet
    a.add(run, {"event": "progress"})
    orphan: Future[Orphan] = Future()
    b._renew()  # which lets the others know of it
    a.hand_over([run, stays])
    b.watch(orphan.set_result)
    taken = orphan.result(SECONDS)
    assert (taken.head.id, taken.lost, len(taken.events)) == (run.head.id, 0, 1)
    with pytest.raises(LeaseLost):
        a.add(run, {"event": "progress"})
    assert len(run.events) == 1
    a.add(stays, {"event": "progress"})


def test_what_a_service_has_forgotten_is_written_again(connect: Callable[..., Any]) -> None:
    a, b = connect(), connect()
    run = new_run(again=AGAIN)
    a.begin(run, 5)
    a.add(run, {"event": "one"}, {"plan": [], "results": {}, "states": {}})
    b._db.flushall()
    a.add(run, {"event": "two"})
    known = b.find(run.head.id)
    assert b.count() == 1
    assert known.told()["plan"] == []
    a.end(run)
    assert [item[1]["event"] for item in known.follow()] == ["one", "two"]


def test_a_run_goes_on_without_the_service_and_is_written_when_it_is_back(redis_url: str) -> None:
    redis_runs = pytest.importorskip("hugginggpt.records.redis_runs")
    import redis

    store = redis_runs.RedisRunStore(redis_url)
    run = new_run()
    store.begin(run, 100)
    script = store._run["add"]

    def refused(**_: Any) -> None:
        raise redis.ConnectionError("gone")

    store._run["add"] = refused
    store.add(run, {"event": "one"})
    store.end(run)
    assert (run.over, run.events) == (True, [{"event": "one"}])
    assert not store.find(run.head.id).over
    store._run["add"] = script
    store._renew()
    assert [item[1] for item in store.find(run.head.id).follow()] == [{"event": "one"}]
    store.close()


def test_the_oldest_runs_are_forgotten(connect: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hugginggpt.records.redis_runs.KEPT_RUNS", 2)
    store = connect()
    going, *runs = [new_run() for _ in range(4)]
    store.begin(going, 5)
    for run in runs:
        store.begin(run, 5)
        store.add(run, {"event": "x"})
        store.end(run)
    assert store.find(runs[0].head.id) is None
    assert store.find(going.head.id) and store.find(runs[2].head.id)
    assert list(store.follow(runs[0].head.id, 0)) == []


def test_a_service_that_is_not_there() -> None:
    redis_runs = pytest.importorskip("hugginggpt.records.redis_runs")
    with pytest.raises(ConfigError, match=r"redis://127\.0\.0\.1:1/0 of run_store cannot be used") as error:
        redis_runs.RedisRunStore("redis://me:secret-password@127.0.0.1:1/0")
    assert "secret" not in str(error.value)


def test_a_service_that_has_gone() -> None:
    redis_runs = pytest.importorskip("hugginggpt.records.redis_runs")
    with needed(redis_service) as url:
        store = redis_runs.RedisRunStore(url)
    with pytest.raises(BackendError, match="cannot be looked up"):
        store.begin(new_run(), 5)
    with pytest.raises(BackendError, match="cannot be looked up"):
        store.count()
    store.close()


def test_a_lease_runs_out_where_a_run_could_not_be_handed_over(connect: Callable[..., Any]) -> None:
    _, run = lost(connect)
    taken: Future[str] = Future()
    store = connect(0.3)

    def take(orphan: Orphan) -> None:
        if orphan.lost == 1:
            raise OSError("Its journal cannot be read.")
        taken.set_result(orphan.head.id)

    store.watch(take)
    assert taken.result(SECONDS) == run.head.id
