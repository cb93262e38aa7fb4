"""Serving with waitress: many connections, and an end in which no request is lost that was sent on an open one.

Told to end, a server takes no new connection, answers what comes on those that are open, and says with each answer that
it was the last one there (`Connection: close`).
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import waitress
from waitress.channel import HTTPChannel
from waitress.task import ErrorTask, WSGITask

IDLE_SECONDS = 2.0
"""How long an open connection without a whole request is kept for one, once the server ends."""
CONNECTIONS = 2000
OTHER_FILES = 200
"""Files and sockets of the process besides the connections of its clients."""
KEPT_SECONDS = 120
"""How long a connection without a request is kept."""
LATE_SECONDS = 30.0
"""How long the headers of a request may take, and how far its body may be behind the slowest rate."""
BODY_SECONDS, BODY_RATE = 2.0, 1000.0
"""How long a body may take to begin, and its slowest rate in bytes a second; poor connections have ten times that."""
SPARED_SHARE = 10
"""One connection in so many gives way at once where there are too many."""


def room_for(connections: int) -> int:
    """How many connections this process may have, so many at most; its limit of open files is raised if need be."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return connections
    wanted = connections + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return connections
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    with suppress(OSError, ValueError):  # macOS has a further limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(1, min(connections, soft - OTHER_FILES))


class _Task(WSGITask):  # type: ignore[misc]
    def build_response_header(self) -> bytes:
        if self.channel.server.draining:
            self.request.headers["CONNECTION"] = "close"
        header: bytes = super().build_response_header()
        return header


class _Channel(HTTPChannel):  # type: ignore[misc]
    task_class = _Task
    error_task_class = ErrorTask
    begun = 0.0
    """When the request that is coming in began."""

    @property
    def is_idle(self) -> bool:
        return not (self.requests or self.request or self.total_outbufs_len)

    def due(self) -> float | None:
        """When more should have come of a request that is not complete: its headers at once, its body at the slowest
        rate. None where nothing is coming in.
        """
        request = self.request  # another thread may end it
        if not request or self.requests:
            return None
        begun = float(self.begun)
        return begun + BODY_SECONDS + request.body_bytes_received / BODY_RATE if request.headers_finished else begun

    def received(self, data: bytes) -> bool:
        before = self.request
        is_taken = bool(super().received(data))
        if self.request is not before:
            self.begun = time.monotonic()
        return is_taken


class DrainingServer:
    """A WSGI application on a listening socket. `options` are waitress's.

    So many connections may be open; where there are more, those that have waited longest give way: without a request,
    for the end of its headers, or for more of its body. With `channel_request_lookahead` the environment of a request
    has "waitress.client_disconnected", which tells whether its client has gone.
    """

    def __init__(self, app: Any, listener: Any, connections: int = CONNECTIONS, **options: Any) -> None:
        self._server: Any = waitress.create_server(
            app, sockets=[listener], ident=None, channel_timeout=KEPT_SECONDS, connection_limit=room_for(connections),
            asyncore_use_poll=True, **options,
        )  # fmt: skip
        self._server.channel_class = _Channel
        self._server.draining = False
        self._stopped = threading.Event()
        self._next_look = 0.0

    @property
    def draining(self) -> bool:
        return bool(self._server.draining)

    def stop(self, *_: Any) -> None:
        """Ends `run`, from any thread or a signal."""
        self._stopped.set()
        self._server.pull_trigger()

    def run(self) -> None:
        """Serves until SIGTERM, Ctrl-C or `stop`."""
        with self._signals():
            while not self._stopped.is_set():
                self._turn(1.0)

    def drain(self, seconds: float) -> None:
        """Answers what comes on the open connections, for so many seconds at most."""
        server = self._server
        before = -1
        while before != len(server.active_channels):  # those that were connecting are connections, too
            before = len(server.active_channels)
            server.handle_accept()
        server.del_channel()
        server.socket.close()
        server.draining = True  # only now: who is told to close comes back, and should be refused rather than cut off
        now = time.monotonic()
        patience, end = now + min(IDLE_SECONDS, seconds), now + seconds
        while server.active_channels and (now := time.monotonic()) < end:
            if now >= patience:
                for channel in list(server.active_channels.values()):
                    due = channel.due()
                    is_slow = due is not None and due < now
                    channel.will_close = channel.will_close or channel.is_idle or is_slow
            self._turn(min(end, patience if now < patience else end) - now)

    def close(self, seconds: float = 1.0) -> None:
        """Ends the threads that answer, and all connections."""
        server = self._server
        server.task_dispatcher.shutdown(cancel_pending=True, timeout=seconds)
        for channel in list(server.active_channels.values()):
            channel.handle_close()
        server.trigger.close()
        server.socket.close()

    def _turn(self, seconds: float) -> None:
        """Handles what happens on the sockets next, within so many seconds."""
        server = self._server
        self._make_room()
        server.asyncore.loop(seconds, server.adj.asyncore_use_poll, server._map, 1)

    def _make_room(self) -> None:
        """Closes connections whose requests come too slowly and, where there are too many, those that can be spared."""
        server, now = self._server, time.monotonic()
        is_full = len(server._map) >= server.adj.connection_limit
        if now < self._next_look and not is_full:
            return
        self._next_look = now + 1.0
        channels = list(server.active_channels.values())
        dues = [(due, channel) for channel in channels if (due := channel.due()) is not None]
        late = [channel for due, channel in dues if now - due > LATE_SECONDS]
        spared = []
        if is_full:  # one that has just come is the last to go, whatever the others are doing
            ago = now - time.time()
            idle = [(ago + float(one.last_activity), one) for one in channels if one.is_idle]
            waiting = sorted([*idle, *((due, one) for due, one in dues if due < now)], key=lambda one: one[0])
            spared = [one for _, one in waiting[: 1 + len(channels) // SPARED_SHARE]]
        for channel in (*late, *spared):
            channel.will_close = True

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """SIGTERM and Ctrl-C stop the server; an exception could be raised where a request has just been read."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = (signal.SIGTERM, signal.SIGINT)
        before = [signal.signal(number, self.stop) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)
