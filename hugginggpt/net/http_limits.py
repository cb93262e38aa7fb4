"""Limits on the body of an HTTP response: its bytes, and the seconds it may take as a whole.

The timeouts of HTTP libraries are for a single read: a server that sends a byte now and then never exceeds
them, and one that sends without end fills the memory.
"""

from __future__ import annotations

import socket
import ssl
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from threading import Lock
from typing import Any
from urllib.request import getproxies

import httpx2
import requests
import urllib3

from hugginggpt.common.ends import is_unwanted, when_unwanted

PIECE_BYTES = 65536
KEPT_SECONDS = 5.0
"""How long a connection is kept for the next request, as httpx2 does."""


class AnswerTooLarge(requests.RequestException):
    """The body is larger than allowed."""


class AnswerTooSlow(requests.Timeout):
    """The body is not complete after the seconds it may take."""


def limited_body(response: requests.Response, most: int, deadline: float) -> bytes:
    """The body of a response, as `limited_pieces` gives it."""
    return b"".join(limited_pieces(response, most, deadline))


def limited_pieces(response: requests.Response, most: int, deadline: float) -> Iterator[bytes]:
    """The body of a response to a request with `stream=True`, in pieces as they arrive, at most `most` bytes in all.

    `deadline` is a time of the monotonic clock. Raises AnswerTooLarge, AnswerTooSlow, or requests' errors.
    """
    size = 0
    try:
        while chunk := response.raw.read1(PIECE_BYTES, decode_content=True):
            size += len(chunk)
            if size > most:
                raise AnswerTooLarge(f"the answer is larger than {most / 1e6:g} MB", response=response)
            if time.monotonic() > deadline:
                raise AnswerTooSlow("the answer came too slowly", response=response)
            yield chunk
    except urllib3.exceptions.ReadTimeoutError as error:
        raise requests.ReadTimeout(error, response=response) from error
    except urllib3.exceptions.HTTPError as error:
        raise requests.ConnectionError(error, response=response) from error


class BodyTooLarge(httpx2.RemoteProtocolError):
    """As AnswerTooLarge, for clients of httpx2."""


class BoundedClient(httpx2.Client):
    """An httpx2 client that limits bodies to `most` bytes and `seconds`, event streams to `stream_seconds`.

    Exceeding them raises BodyTooLarge or httpx2.ReadTimeout. Closing the client closes its connections; without a
    proxy, they come from a `ConnectionStack`, one for each concurrent request.
    """

    def __init__(self, most: int, seconds: float, stream_seconds: float, **options: Any) -> None:
        def bound(response: httpx2.Response) -> None:
            streamed = response.headers.get("content-type", "").startswith("text/event-stream")
            deadline = time.monotonic() + (stream_seconds if streamed else seconds)
            assert isinstance(response.stream, httpx2.SyncByteStream)
            response.stream = _Bounded(response.stream, most, deadline)

        if not options.get("proxy") and not getproxies().keys() - {"no"}:
            options["transport"] = ConnectionStack()
        super().__init__(follow_redirects=True, event_hooks={"response": [bound]}, **options)
        # Not by __del__: a collection may finalize the sockets of a client before the client itself.
        weakref.finalize(self, _close_all, [self._transport, *self._mounts.values()]).atexit = False


def _close_all(transports: Sequence[httpx2.BaseTransport | None]) -> None:
    for transport in transports:
        if transport:
            transport.close()


class ConnectionStack(httpx2.BaseTransport):
    """Connections to few hosts for many threads; the most recently used one is reused first.

    A pool of httpx2 polls each of its idle connections twice a request, which was a sixth of the CPU time of a plan
    of twenty tasks. Here each connection has its own pool. A request that nobody wants any more (`common.ends`) is cut
    off, so that the service sees it and stops; it fails as one whose connection is lost.
    """

    def __init__(self) -> None:
        self._free: list[tuple[float, _Line]] = []
        self._lock = Lock()
        self._closed = False

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if is_unwanted():
            raise httpx2.ConnectError("nobody waits for it any more", request=request)
        trusted = _trusted()
        with self._lock:
            line = self._free.pop()[1] if self._free else _Line(trusted)
        use = _Use(line)
        when_unwanted(use.cut)
        request.extensions = {**request.extensions, "trace": use.note}
        try:
            response = line.transport.handle_request(request)
        except BaseException:
            use.end()
            line.close()
            raise
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Lent(response.stream, partial(self._give_back, use))
        return response

    def _give_back(self, use: _Use) -> None:
        """Keeps the connection for the next request and closes those that have been idle too long."""
        use.end()
        now = time.monotonic()
        with self._lock:
            self._free.append((now, use.line))
            oldest = now if self._closed else now - KEPT_SECONDS
            unused = [old for since, old in self._free if since <= oldest]
            self._free = [(since, kept) for since, kept in self._free if since > oldest]
        for old in unused:
            old.close()

    def close(self) -> None:
        """Closes the idle connections; the others are closed when they are returned."""
        with self._lock:
            self._closed = True
            unused, self._free = self._free, []
        for _, old in unused:
            old.close()


class _Line:
    """A connection with a pool of its own, and its socket while it is open."""

    def __init__(self, trusted: ssl.SSLContext) -> None:
        self.transport = httpx2.HTTPTransport(verify=trusted)
        self.socket: socket.socket | None = None

    def close(self) -> None:
        self.transport.close()


class _Use:
    """One request on a connection, which can be cut off until it has ended."""

    def __init__(self, line: _Line) -> None:
        self.line = line
        self._cut = self._ended = False
        self._lock = Lock()

    def note(self, what: str, about: Mapping[str, Any]) -> None:
        """Takes note of the connection when it has been opened; called for every step of the request."""
        if what in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            with self._lock:
                self.line.socket = about["return_value"].get_extra_info("socket")
                self._shut_down()

    def cut(self) -> None:
        """Cuts it off; may be called from any thread, and more than once."""
        with self._lock:
            self._cut = True
            self._shut_down()

    def end(self) -> None:
        """From now on the connection may serve another request."""
        with self._lock:
            self._ended = True

    def _shut_down(self) -> None:
        if self._cut and not self._ended and self.line.socket:
            with suppress(OSError):
                socket.socket.shutdown(self.line.socket, socket.SHUT_RDWR)  # TLS's own would wait for an answer


@cache
def _trusted() -> ssl.SSLContext:
    """The system's CA bundle, loaded once for a process: loading takes 20 ms."""
    return httpx2.create_ssl_context()


class _Lent(httpx2.SyncByteStream):
    """The body of a response; closing it returns the connection."""

    def __init__(self, stream: httpx2.SyncByteStream, give_back: Callable[[], None]) -> None:
        self.stream = stream
        self.give_back = give_back

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.stream)

    def close(self) -> None:
        give_back, self.give_back = self.give_back, _nothing  # once, however often it is closed
        self.stream.close()
        give_back()


def _nothing() -> None:
    pass


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, most: int, deadline: float) -> None:
        self.stream = stream
        self.most = most
        self.deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self.stream:
            size += len(chunk)
            if size > self.most:
                raise BodyTooLarge(f"its answer is larger than {self.most / 1e6:g} MB")
            if time.monotonic() > self.deadline:
                raise httpx2.ReadTimeout("its answer came too slowly")
            yield chunk

    def close(self) -> None:
        self.stream.close()
