"""Detects whether the client of a long request has hung up.

Waitress can detect this itself (`channel_request_lookahead`), but then closes half-closed connections before it has
answered, although clients may half-close after sending their request. Here only connections that wait for a run are
checked.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any


def connection_of(environ: Mapping[str, Any]) -> socket.socket | None:
    """The connection of a WSGI request that waitress serves; None for another server."""
    channel = getattr(environ.get("waitress.client_disconnected"), "__self__", None)
    found = getattr(channel, "socket", None)
    return found if isinstance(found, socket.socket) else None


def is_open(connection: socket.socket) -> bool:
    """Whether the other end has not closed its half. Does not block, and leaves received data unread."""
    try:
        return connection.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
