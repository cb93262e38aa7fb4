"""An HTTP session whose requests can be ended from another thread, wherever they are.

The time-outs of libraries are for a single read: headers that come byte by byte, or a body that nobody takes, go on for
as long as the other side likes. A watch ends them by shutting the connection down.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from http.cookiejar import DefaultCookiePolicy
from threading import Lock, Timer
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.poolmanager import PoolManager

from hugginggpt.net.public_http import service_session

CONNECTIONS = 64


class Watch:
    """The request of a block `watched`; `stopped` tells that it was ended, and what came of it is not whole; `begun`
    that it may have been sent in part.
    """

    def __init__(self) -> None:
        self.stopped = False
        self.begun = False
        self._socket: socket.socket | None = None
        self._lock = Lock()

    def stop(self) -> None:
        """Ends the request; may be called from any thread, and more than once."""
        with self._lock:
            self.stopped = True
            self._shut_down()

    def uses(self, sock: socket.socket | None) -> None:
        """Takes note of the connection; None when the request has ended and the connection may serve another one."""
        with self._lock:
            self._socket = sock
            if self.stopped:
                self._shut_down()

    def _shut_down(self) -> None:
        if self._socket:
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # TLS's own shutdown would wait for an answer


_watch: ContextVar[Watch | None] = ContextVar("_watch", default=None)


@contextmanager
def watched(seconds: float, when_over: Callable[[Callable[[], None]], None]) -> Iterator[Watch]:
    """Ends the requests in the block after so many seconds, or when `when_over` calls the function that it is given."""
    watch = Watch()
    timer = Timer(seconds, watch.stop)
    timer.daemon = True
    timer.start()
    when_over(watch.stop)
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)
        timer.cancel()
        watch.uses(None)


class _Watched:
    """A connection that tells the watch of the thread that uses it."""

    sock: socket.socket | None

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]
        self._tell()

    def request(self, *args: Any, **kwargs: Any) -> None:
        self._tell()  # of a connection that was kept
        if watch := _watch.get():
            watch.begun = True
        super().request(*args, **kwargs)  # type: ignore[misc]

    def _tell(self) -> None:
        if watch := _watch.get():
            watch.uses(self.sock)


_POOLS: dict[str, type] = {
    "http": type(
        "WatchedHTTPPool", (HTTPConnectionPool,), {"ConnectionCls": type("WatchedHTTP", (_Watched, HTTPConnection), {})}
    ),
    "https": type(
        "WatchedHTTPSPool",
        (HTTPSConnectionPool,),
        {"ConnectionCls": type("WatchedHTTPS", (_Watched, HTTPSConnection), {})},
    ),
}


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        self.poolmanager = PoolManager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(*args, **kwargs)
        manager.pool_classes_by_scheme = _POOLS
        return manager


def watched_session() -> requests.Session:
    """A session for a service of the configuration and for many threads; it keeps no cookies."""
    session = service_session()
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Adapter(pool_connections=4, pool_maxsize=CONNECTIONS))
    return session
