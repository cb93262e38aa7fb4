"""What every store of runs does, whether its runs are those of this process or of several controllers."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import ConfigError, StoreUnavailable
from hugginggpt.records.feeds import ChatBusy, TooManyRuns
from hugginggpt.records.run_store import LeaseLost, MemoryRunStore, Orphan, OwnRun, RunHead, RunStore
from hugginggpt.records.shared_runs import SharedRunStore
from hugginggpt.records.sqlite_runs import SqliteRunStore
from hugginggpt.testing.services import free_port, redis_service
from tests.services import needed

SECONDS = 60
Pair = tuple[RunStore, RunStore]
Connect = Callable[..., SharedRunStore]
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


Open = Callable[[float], SharedRunStore]


@pytest.fixture
def open_redis(redis_url: str) -> Open:
    redis_runs = pytest.importorskip("hugginggpt.records.redis_runs")
    return lambda lease_seconds: redis_runs.RedisRunStore(redis_url, lease_seconds=lease_seconds)


@pytest.fixture
def open_sqlite(tmp_path: Path) -> Open:
    return lambda lease_seconds: SqliteRunStore(tmp_path / "data" / "runs.sqlite", lease_seconds=lease_seconds)


@pytest.fixture(params=["redis", "sqlite"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def connect(kind: str, request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Makes stores over the same service or file, which is empty at first."""
    with ExitStack() as made:

        def make(lease_seconds: float = 60) -> SharedRunStore:
            store: SharedRunStore = request.getfixturevalue(f"open_{kind}")(lease_seconds)
            made.callback(store.close)
            return store

        yield make


@pytest.fixture
def pair(kind: str, request: pytest.FixtureRequest) -> Pair:
    """The store as two controllers have it."""
    if kind == "memory":
        memory = MemoryRunStore()
        return memory, memory
    connect = request.getfixturevalue("connect")
    return connect(), connect()


every_store = pytest.mark.parametrize("kind", ["memory", "redis", "sqlite"])


@every_store
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


@every_store
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


@every_store
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


@every_store
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


@every_store
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


def lost(connect: Connect, *lines: Any, **head: Any) -> tuple[Any, Kept]:
    """A run of a controller that is not heard of any more."""
    dead = connect(lease_seconds=0.05)
    run = new_run(**{"again": AGAIN, **head})
    dead.begin(run, 5)
    for line in lines:
        dead.add(run, {"event": "progress"}, line)
    threading.Event().wait(0.1)  # until the lease has run out
    return dead, run


def test_a_run_whose_controller_is_lost_is_handed_over_once(connect: Connect) -> None:
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
    (heir,) = [store for store in stores if run.head.id in store._claimed]
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


def test_a_run_is_cancelled_although_its_controller_is_lost(connect: Connect) -> None:
    _, run = lost(connect)
    store = connect()
    store.find(run.head.id).cancel()
    orphan: Future[Orphan] = Future()
    store.watch(orphan.set_result)
    assert orphan.result(SECONDS).is_cancelled


def test_a_controller_that_ends_hands_its_runs_over(connect: Connect) -> None:
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


def forget_all(store: Any) -> None:
    if isinstance(store, SqliteRunStore):
        store._db.execute("DELETE FROM runs")
    else:
        store._db.flushall()


def test_what_a_service_has_forgotten_is_written_again(connect: Connect) -> None:
    a, b = connect(), connect()
    run = new_run(again=AGAIN)
    a.begin(run, 5)
    a.add(run, {"event": "one"}, {"plan": [], "results": {}, "states": {}})
    forget_all(b)
    a.add(run, {"event": "two"})
    known = b.find(run.head.id)
    assert b.count() == 1
    assert known.told()["plan"] == []
    a.end(run)
    assert [item[1]["event"] for item in known.follow()] == ["one", "two"]


def test_a_run_goes_on_without_the_store_and_is_written_when_it_is_back(connect: Connect) -> None:
    store, run = connect(), new_run()
    store.begin(run, 100)
    asked = 0

    def refused(*_: Any) -> str:
        nonlocal asked
        asked += 1
        raise store.failures[0]("gone")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "_append", refused)
        for name in ("one", "two", "three"):
            store.add(run, {"event": name})
        store.end(run)
    assert (run.over, [event["event"] for event in run.events], asked) == (True, ["one", "two", "three"], 1)
    with pytest.raises(StoreUnavailable, match=r"cannot be looked up in .*: gone\. \w+"):  # nor is it asked for others
        store.find(run.head.id)
    store._renew()
    known = store.find(run.head.id)
    assert known and [item[1] for item in known.follow() if item] == run.events


def test_the_oldest_runs_are_forgotten(connect: Connect, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = connect()
    monkeypatch.setattr(f"hugginggpt.records.{kind}_runs.KEPT_RUNS", 2)
    going, *runs = [new_run() for _ in range(4)]
    store.begin(going, 5)
    for run in runs:
        store.begin(run, 5)
        store.add(run, {"event": "x"})
        store.end(run)
    assert store.find(runs[0].head.id) is None
    assert store.find(going.head.id) and store.find(runs[2].head.id)
    assert list(store.follow(runs[0].head.id, 0)) == []


def test_a_service_that_is_started_later(caplog: pytest.LogCaptureFixture) -> None:
    redis_runs = pytest.importorskip("hugginggpt.records.redis_runs")
    port, run = free_port(), new_run()
    store = redis_runs.RedisRunStore(f"redis://:secret-password@127.0.0.1:{port}/0", lease_seconds=0.1)
    with pytest.raises(
        StoreUnavailable, match=rf"looked up in redis://127\.0\.0\.1:{port}/0: .* Start the service"
    ) as error:
        store.begin(run, 5)
    assert "Until then, requests are answered 503." in caplog.text
    assert "secret" not in f"{error.value} {caplog.text}"
    with needed(partial(redis_service, port, "--requirepass", "secret-password")):
        store._renew()
        store.begin(run, 5)
        assert store.count() == 1
        store.add(run, {"event": "one"})
    store.add(run, {"event": "two"})
    with needed(partial(redis_service, port, "--requirepass", "secret-password")):  # empty
        store._renew()
        assert [item[1]["event"] for item in islice(store.follow(run.head.id, 0), 2)] == ["one", "two"]
        store.close()


def test_a_service_that_refuses_to_be_used() -> None:
    redis_runs = pytest.importorskip("hugginggpt.records.redis_runs")
    with needed(partial(redis_service, None, "--requirepass", "other-password")) as url:
        wrong = url.replace("redis://", "redis://:secret-password@")
        with pytest.raises(ConfigError, match=r"redis://127\.0\.0\.1:\d+/0 of run_store cannot be used") as error:
            redis_runs.RedisRunStore(wrong)
    assert "secret" not in str(error.value)


def cluster_node() -> AbstractContextManager[str]:
    options = ("--cluster-enabled", "yes", "--cluster-port", str(free_port()))
    return needed(partial(redis_service, None, *options))


def test_a_redis_cluster_is_refused() -> None:
    redis_runs = pytest.importorskip("hugginggpt.records.redis_runs")
    said = r"run_store cannot be used .*: it is a Redis Cluster\. Name a Redis"
    with cluster_node() as url, pytest.raises(ConfigError, match=said):
        redis_runs.RedisRunStore(url)


@pytest.mark.slow
def test_of_a_redis_cluster_the_node_that_has_the_keys_can_be_used() -> None:
    redis_runs = pytest.importorskip("hugginggpt.records.redis_runs")
    from redis import Redis

    with cluster_node() as url, cluster_node() as other, Redis.from_url(url) as node, Redis.from_url(other) as owner:
        slot = node.execute_command("CLUSTER KEYSLOT", redis_runs.scripts.GOING)
        node.execute_command("CLUSTER ADDSLOTSRANGE", 0, slot - 1, slot + 1, 16383)
        owner.execute_command("CLUSTER ADDSLOTS", slot)
        port, bus = owner.connection_pool.connection_kwargs["port"], owner.config_get("cluster-port")["cluster-port"]
        node.execute_command("CLUSTER MEET", "127.0.0.1", port, bus)
        while not all(each.execute_command("CLUSTER INFO")["cluster_state"] == "ok" for each in (node, owner)):
            pass  # they hear of each other; the test has a time limit
        with pytest.raises(ConfigError, match=rf"127\.0\.0\.1:{port}.*it is a Redis Cluster"):
            redis_runs.RedisRunStore(url)
        store, run = redis_runs.RedisRunStore(other), new_run(chat="1" * 32)
        store.begin(run, 5)
        store.add(run, {"event": "one"})
        assert [event for event, _ in islice(store.follow(run.head.id, 0), 1)] == [1]
        store.end(run)
        store.close()


def test_a_service_that_has_gone() -> None:
    redis_runs = pytest.importorskip("hugginggpt.records.redis_runs")
    with needed(redis_service) as url:
        store = redis_runs.RedisRunStore(url)
    with pytest.raises(StoreUnavailable, match="cannot be looked up"):
        store.begin(new_run(), 5)
    with pytest.raises(StoreUnavailable, match="cannot be looked up"):
        store.count()
    store.close()


def test_a_lease_runs_out_where_a_run_could_not_be_handed_over(connect: Connect) -> None:
    _, run = lost(connect)
    taken: Future[str] = Future()
    store = connect(0.3)

    def take(orphan: Orphan) -> None:
        if orphan.lost == 1:
            raise OSError("Its journal cannot be read.")
        taken.set_result(orphan.head.id)

    store.watch(take)
    assert taken.result(SECONDS) == run.head.id


# Of a file alone


def test_the_file_is_made_once_by_those_who_start_together(open_sqlite: Open) -> None:
    opened = [spawn(open_sqlite, 60) for _ in range(8)]
    stores = [one.result(SECONDS) for one in opened]
    assert [store.count() for store in stores] == [0] * 8
    for store in stores:
        store.close()


def test_a_file_of_a_newer_version_or_that_cannot_be_written(open_sqlite: Open, tmp_path: Path) -> None:
    open_sqlite(60).close()
    file = tmp_path / "data" / "runs.sqlite"
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(ConfigError, match="newer version .*schema 99"):
        open_sqlite(60)
    file.write_text("not a database, " * 100)
    with pytest.raises(ConfigError, match="of run_store cannot be used .*not a database"):
        open_sqlite(60)


def test_many_events_of_many_writers_are_all_there(open_sqlite: Open) -> None:
    """Whoever writes them, followers get each once, in its order, without waiting for a heartbeat."""
    stores = [open_sqlite(60) for _ in range(3)]
    runs = [new_run() for _ in range(6)]
    for at, run in enumerate(runs):
        stores[at % 3].begin(run, 10)

    def write(at: int) -> None:
        for number in range(30):
            stores[at % 3].add(runs[at], {"event": "progress", "n": number}, {"id": str(number), "result": at})
        stores[at % 3].end(runs[at])

    def follow(at: int) -> list[Any]:
        known = stores[(at + 1) % 3].find(runs[at].head.id)
        assert known
        return list(known.follow())

    following = [spawn(follow, at) for at in range(6)]
    writing = [spawn(write, at) for at in range(6)]
    for one in writing:
        one.result(SECONDS)
    for one in following:
        assert [(number, event["n"]) for number, event in one.result(SECONDS)] == [(n + 1, n) for n in range(30)]
    assert stores[0]._rows("SELECT * FROM followers") == []
    for store in stores:
        store.close()


def test_the_pieces_of_a_long_answer_are_dropped_when_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hugginggpt.records.run_store.KEPT_PIECES", 3)
    store, run = MemoryRunStore(), new_run()
    store.begin(run, 1)
    for event in ({"event": "plan"}, {"event": "token", "text": "It "}, {"event": "token", "text": "is."}):
        store.add(run, event)
    following = run.follow()
    assert [next(following), next(following)] == [(1, {"event": "plan"}), (2, {"event": "token", "text": "It "})]
    store.add(run, {"event": "answer", "message": "It is."})
    store.end(run)
    rest = [(4, {"event": "answer", "message": "It is."})]
    assert list(following)[-1:] == rest
    assert list(run.follow(1)) == rest
    assert list(run.follow(3)) == rest
