"""A server that is told to end answers what was sent on open connections, and takes no new ones."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from hugginggpt.net import draining
from hugginggpt.net.draining import DrainingServer
from hugginggpt.net.listener import listen

PATIENCE = 60
SLOW_BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nx"
App = Callable[[dict[str, Any], Any], Iterable[bytes]]


def fine(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
    start("200 OK", [("Content-Length", "4")])
    return [b"fine"]


@contextmanager
def running(app: App, **options: Any) -> Iterator[tuple[DrainingServer, int, threading.Thread]]:
    """A server in a thread, which drains once it is told to stop; the server, its port and the thread."""
    listener, url = listen("127.0.0.1", 0)
    server = DrainingServer(app, listener, threads=20, channel_request_lookahead=1, **options)

    def serve() -> None:
        server.run()
        server.drain(PATIENCE)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server, int(url.rpartition(":")[2]), thread
    finally:
        server.stop()
        thread.join(PATIENCE)
        server.close()


def test_no_request_on_an_open_connection_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draining, "IDLE_SECONDS", PATIENCE)  # on a slow machine a client may pause
    started = threading.Barrier(17)

    def client(port: int) -> int:
        """Asks on one connection until it is told that it was the last time; the number of answers."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        answers, is_last = 0, False
        while not is_last:
            connection.request("GET", "/")
            answer = connection.getresponse()
            assert answer.read() == b"fine"
            is_last = answer.getheader("Connection") == "close"
            answers += 1
            if answers == 1:
                started.wait(PATIENCE)
        connection.close()
        return answers

    with running(fine) as (server, port, thread), ThreadPoolExecutor(16) as pool:
        clients = [pool.submit(client, port) for _ in range(16)]
        started.wait(PATIENCE)
        server.stop()
        assert all(one.result(PATIENCE) >= 2 for one in clients)
        thread.join(PATIENCE)
        assert not thread.is_alive()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))


def test_an_idle_connection_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draining, "IDLE_SECONDS", 0.05)
    with running(fine) as (server, port, thread), closing(http.client.HTTPConnection("127.0.0.1", port)) as idle:
        idle.request("GET", "/")
        assert idle.getresponse().read() == b"fine"
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive() and server.draining
        assert idle.sock.recv(1000) == b""


def test_what_runs_is_waited_for() -> None:
    began, goes_on = threading.Event(), threading.Event()

    def slow(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        began.set()
        goes_on.wait(PATIENCE)
        return fine(environ, start)

    with running(slow) as (server, port, _), closing(http.client.HTTPConnection("127.0.0.1", port)) as client:
        client.request("GET", "/")
        assert began.wait(PATIENCE)
        server.stop()
        goes_on.set()
        assert client.getresponse().read() == b"fine"


def test_the_application_is_told_when_its_client_has_gone() -> None:
    began, over, told = threading.Event(), threading.Event(), []

    def patient(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/slow":
            told.append(environ["waitress.client_disconnected"]())
            began.set()
            over.wait(PATIENCE)
            told.append(environ["waitress.client_disconnected"]())
        return fine(environ, start)

    with running(patient) as (server, port, thread):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            assert began.wait(PATIENCE)
        with closing(http.client.HTTPConnection("127.0.0.1", port)) as later:
            later.request("GET", "/")
            assert later.getresponse().read() == b"fine"  # what came before it is known by now
        over.set()
        server.stop()
        thread.join(PATIENCE)
    assert told == [False, True]


def test_idle_and_slow_connections_lock_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """More of each than there may be connections: they give way to whoever asks for something."""
    monkeypatch.setattr(draining, "BODY_SECONDS", 0.0)
    begun = (b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", SLOW_BODY)
    with running(fine, connections=60) as (_, port, _), ExitStack() as stack:
        for number in range(240):
            held = stack.enter_context(closing(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)))
            held.sendall(begun[number % 3])
        for _ in range(5):
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as user:
                user.request("GET", "/")
                assert user.getresponse().read() == b"fine"


@pytest.mark.parametrize("begun", [b"GET / HTTP/1.1\r\nX-Slow: ", SLOW_BODY])
def test_requests_that_take_too_long_end_the_connection(monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(draining, "LATE_SECONDS", 0.0)
    monkeypatch.setattr(draining, "BODY_SECONDS", 0.0)
    with running(fine) as (_, port, _), socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as slow:
        slow.sendall(begun)
        assert slow.recv(1000) == b""


@pytest.mark.parametrize(("received", "due"), [(0, 102.0), (33, 102.033), (100_000, 202.0)])
def test_a_body_earns_time_with_what_has_come(received: int, due: float) -> None:
    """At 10 kB a second a client is ten times ahead of what is asked of it; at a byte in 0.3 s it is soon behind."""
    channel = draining._Channel.__new__(draining._Channel)
    channel.begun, channel.requests = 100.0, []
    channel.request = SimpleNamespace(body_bytes_received=received, headers_finished=True)
    assert channel.due() == pytest.approx(due)
    channel.request.headers_finished = False
    assert channel.due() == 100.0
    channel.requests = [channel.request]
    assert channel.due() is None


def test_the_next_request_on_a_connection_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((100.0, 200.0))
    monkeypatch.setattr(draining, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(draining.HTTPChannel, "received", lambda channel, data: setattr(channel, "request", data))
    channel = draining._Channel.__new__(draining._Channel)
    for data, begun in ((b"one", 100.0), (b"one", 100.0), (b"two", 200.0)):
        channel.received(data)
        assert channel.begun == begun
