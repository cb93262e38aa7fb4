"""Serving with waitress, and an end in which no request is lost that was sent on an open connection.

Told to end, a server takes no new connection, answers what comes on those that are open, and says with each answer that
it was the last one there (`Connection: close`).
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import waitress
from waitress.channel import HTTPChannel
from waitress.task import ErrorTask, WSGITask

IDLE_SECONDS = 2.0
"""How long an open connection without a request is kept for one, once the server ends."""


class _Task(WSGITask):  # type: ignore[misc]
    def build_response_header(self) -> bytes:
        if self.channel.server.draining:
            self.request.headers["CONNECTION"] = "close"
        header: bytes = super().build_response_header()
        return header


class _Channel(HTTPChannel):  # type: ignore[misc]
    task_class = _Task
    error_task_class = ErrorTask

    @property
    def is_idle(self) -> bool:
        return not (self.requests or self.request or self.total_outbufs_len)


class DrainingServer:
    """A WSGI application on a listening socket. `options` are waitress's.

    The environment of a request has "waitress.client_disconnected", which tells whether its client has gone.
    """

    def __init__(self, app: Any, listener: Any, **options: Any) -> None:
        self._server: Any = waitress.create_server(
            app, sockets=[listener], ident=None, channel_timeout=600, channel_request_lookahead=1, **options
        )
        self._server.channel_class = _Channel
        self._server.draining = False
        self._stopped = threading.Event()

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
                    channel.will_close = channel.will_close or channel.is_idle
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
        server.asyncore.loop(seconds, server.adj.asyncore_use_poll, server._map, 1)

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
