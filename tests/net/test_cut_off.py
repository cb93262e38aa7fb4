"""A request that nobody wants any more is cut off, and no other one."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from threading import Event

import httpx2
import pytest

from hugginggpt.common.ends import is_unwanted, wanted_until, when_unwanted
from hugginggpt.common.threads import spawn
from hugginggpt.net.http_limits import BoundedClient

PATIENCE = 30


@pytest.fixture
def client() -> Iterator[BoundedClient]:
    with closing(BoundedClient(1000, PATIENCE, PATIENCE, trust_env=False)) as client:
        yield client


def get(client: BoundedClient, url: str, *ends: Future[None]) -> str:
    with wanted_until(*ends):
        return client.get(url).text


def test_a_service_sees_that_nobody_waits_for_its_answer(client: BoundedClient) -> None:
    end: Future[None] = Future()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        asked = spawn(get, client, f"http://127.0.0.1:{listening.getsockname()[1]}/", end)
        connection, _ = listening.accept()
        with connection:
            connection.settimeout(PATIENCE)
            assert connection.recv(1000)
            end.set_result(None)
            assert connection.recv(1000) == b""
    with pytest.raises(httpx2.TransportError):
        asked.result(PATIENCE)


def test_what_nobody_wants_is_not_asked(client: BoundedClient) -> None:
    end: Future[None] = Future()
    end.set_result(None)
    with socket.create_server(("127.0.0.1", 0)) as listening, pytest.raises(httpx2.ConnectError):
        get(client, f"http://127.0.0.1:{listening.getsockname()[1]}/", end)


def test_the_next_request_on_the_connection_goes_on(client: BoundedClient) -> None:
    """Also when it turns out that nobody wants the one before it any more, which had its answer."""
    entered, go_on = Event(), Event()
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            connection.settimeout(PATIENCE)
            assert connection.recv(1000)
            connection.sendall(answer)
            assert connection.recv(1000)  # on the same connection
            entered.set()
            assert go_on.wait(PATIENCE)
            connection.sendall(answer)

    first: Future[None] = Future()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        serving = spawn(serve)
        assert get(client, url, first) == "ok"
        second = spawn(get, client, url, Future())
        assert entered.wait(PATIENCE)
        first.set_result(None)
        go_on.set()
        assert second.result(PATIENCE) == "ok"
        serving.result(PATIENCE)


def test_outside_of_a_block_everything_is_wanted() -> None:
    end: Future[None] = Future()
    told: list[bool] = []
    with wanted_until(end):
        when_unwanted(lambda: told.append(True))
        assert not is_unwanted()
        end.set_result(None)
        assert is_unwanted() and told == [True]
    assert not is_unwanted()
