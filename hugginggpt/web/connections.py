"""Whether the client of a request that takes long is still there.

Waitress can tell by itself (`channel_request_lookahead`), but then ends each connection that is closed halfway, which
clients may do when they have sent their request, before it has answered. Here that is only looked for where a run is
waited for.
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
    """Whether the other end may still send something. What it has sent is left to be read; this does not wait."""
    try:
        return connection.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
