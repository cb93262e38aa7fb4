"""Reused threads, values that are computed once, connection pools."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from hugginggpt.common import threads as concurrency
from hugginggpt.common.threads import TTLCache, spawn
from hugginggpt.net import http_limits
from hugginggpt.net.http_limits import BoundedClient, ConnectionStack
from hugginggpt.testing.fakes import HANG, FakeExperts, FakeLLM, Server

# Threads


def until(condition: Callable[[], object]) -> None:
    """Waits until something is so, twenty seconds at most."""
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        threading.Event().wait(0.005)
    assert condition()


def test_an_idle_thread_is_used_again_and_one_at_work_is_not() -> None:
    threads = concurrency._Threads()
    used: list[threading.Thread] = []
    hung = threading.Event()
    threads.run(lambda: hung.wait(20) and None)
    for _ in range(5):
        threads.run(lambda: used.append(threading.current_thread()))
        until(lambda: threads._idle)
    assert len(used) == 5
    assert len(set(used)) == 1
    assert used[0].daemon
    hung.set()
    until(lambda: len(threads._idle) == 2)


def test_a_thread_that_waits_holds_on_to_nothing() -> None:
    class Result:
        pass

    futures = [spawn(Result)]
    seen = weakref.ref(futures[0].result(timeout=20))
    futures.clear()
    until(lambda: seen() is None)
    assert concurrency._threads._idle  # the thread is still there


def test_a_thread_has_the_name_of_its_work() -> None:
    assert spawn(lambda: threading.current_thread().name, name="select").result(timeout=20) == "select"


def test_a_thread_that_has_no_work_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "IDLE_SECONDS", 0.01)
    threads = concurrency._Threads()
    used: list[threading.Thread] = []
    threads.run(lambda: used.append(threading.current_thread()))
    until(lambda: used and not used[0].is_alive())
    done = threading.Event()
    threads.run(done.set)
    assert done.wait(20)


def test_no_work_is_lost_between_threads_that_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is given at the very moment at which idle threads end."""
    monkeypatch.setattr(concurrency, "IDLE_SECONDS", 0.0005)
    threads = concurrency._Threads()
    lock, done = threading.Lock(), []

    def work(number: int) -> None:
        with lock:
            done.append(number)

    def give(start: int) -> None:
        for number in range(start, start + 200):
            threads.run(lambda number=number: work(number))  # type: ignore[misc]
            time.sleep(0.0005)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(give, range(0, 800, 200)))
    until(lambda: len(done) == 800)
    assert sorted(done) == list(range(800))


def test_what_the_work_raises_is_the_futures() -> None:
    with pytest.raises(ZeroDivisionError):
        spawn(lambda: 1 / 0).result(timeout=20)


# Values that are computed once


def test_a_value_is_computed_by_who_asks_first_and_shared() -> None:
    asked = threading.Event()
    go_on = threading.Event()
    computed: list[str] = []

    def compute(key: str) -> str:
        asked.set()
        go_on.wait(20)
        computed.append(threading.current_thread().name)
        return key * 2

    known: TTLCache[str] = TTLCache(compute, 60.0, own_thread=False)
    first = spawn(lambda: known.get("a").result(), name="first")
    assert asked.wait(20)
    second = known.get("a")
    assert not second.done()
    go_on.set()
    assert (first.result(timeout=20), second.result(timeout=20)) == ("aa", "aa")
    assert computed == ["first"]


def test_no_thread_to_be_had_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    known: TTLCache[str] = TTLCache(lambda key: key, 60.0, failed_seconds=0.0)
    with monkeypatch.context() as patched:
        patched.setattr(concurrency, "spawn", none_left)
        assert isinstance(known.get("a").exception(timeout=20), RuntimeError)
    assert known.get("a").result(timeout=20) == "a"


# Connections


@pytest.fixture
def stack() -> Iterator[ConnectionStack]:
    stack = ConnectionStack()
    yield stack
    stack.close()


def ask(client: httpx2.Client, server: Server) -> int:
    return client.get(f"{server.url}/v1/models").status_code


def test_connections_are_kept_and_as_many_as_requests_at_a_time(llm_server: FakeLLM, stack: ConnectionStack) -> None:
    with httpx2.Client(transport=stack) as client:
        assert [ask(client, llm_server) for _ in range(5)] == [200] * 5
        assert llm_server.connections == 1
        with client.stream("GET", f"{llm_server.url}/v1/models") as slow:
            assert ask(client, llm_server) == 200  # beside one whose body has not been read
            assert llm_server.connections == 2
            slow.read()
        assert [ask(client, llm_server) for _ in range(5)] == [200] * 5
        assert llm_server.connections == 2


def test_a_connection_that_was_idle_too_long_is_not_used(
    llm_server: FakeLLM, stack: ConnectionStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_limits, "KEPT_SECONDS", 0.0)
    with httpx2.Client(transport=stack) as client:
        assert [ask(client, llm_server) for _ in range(3)] == [200] * 3
    assert llm_server.connections == 3


def test_a_failure_closes_its_connection_and_the_next_request_is_made(
    llm_server: FakeLLM, stack: ConnectionStack
) -> None:
    llm_server.always["chat"] = HANG
    question = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    with httpx2.Client(transport=stack, timeout=0.2) as client:
        with pytest.raises(httpx2.ReadTimeout):
            client.post(f"{llm_server.url}/v1/chat/completions", json=question)
        assert ask(client, llm_server) == 200


def test_a_connection_that_is_in_use_is_closed_after_its_stack(llm_server: FakeLLM, stack: ConnectionStack) -> None:
    with httpx2.Client(transport=stack) as client:
        response = client.send(client.build_request("GET", f"{llm_server.url}/v1/models"), stream=True)
        stack.close()
        assert response.read()
    assert stack._free == []


def test_a_client_that_nobody_closed_closes_its_connections_before_they_are_collected(llm_server: FakeLLM) -> None:
    client = BoundedClient(1000, 5, 5)
    assert ask(client, llm_server) == 200
    stack = client._transport
    assert isinstance(stack, ConnectionStack) and stack._free
    client.event_hooks["request"] = [client.request]  # a cycle
    del client
    gc.collect()
    assert not stack._free


def test_behind_a_proxy_the_proxy_is_asked(expert_server: FakeExperts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", expert_server.url)
    with BoundedClient(1000, 5, 5) as client:
        client.get("http://models.invalid/somewhere")
    assert expert_server.requests[-1]["headers"]["Host"] == "models.invalid"


def test_a_look_up_that_failed_is_not_remembered_for_long() -> None:
    answers: list[Any] = [OSError("no network"), "found", "too often"]

    def look_up(key: str) -> str:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    known = TTLCache(look_up, 60.0, failed_seconds=0.0)
    assert isinstance(known.get("k").exception(timeout=20), OSError)
    assert known.get("k").result(timeout=20) == "found"
    assert known.get("k").result(timeout=20) == "found"
    for_long = TTLCache(look_up, 60.0)
    answers.insert(0, OSError("no network"))
    assert for_long.get("k").exception(timeout=20)
    assert for_long.get("k").exception(timeout=20)
