"""What both servers have in common: their socket, and how an error of HTTP is answered."""

from __future__ import annotations

import socket
from typing import Any

import flask
from werkzeug.exceptions import HTTPException

from hugginggpt.config import Address
from hugginggpt.core.errors import ConfigError

BACKLOG = 512


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """A socket that listens on a name or an address, of IPv4 or IPv6, and its URL; port 0 is any that is free.

    Raises ConfigError when it cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        raise ConfigError(f"Cannot listen on {host}:{port}: {getattr(error, 'strerror', '') or error}.") from error
    return listener, Address(host=host, port=listener.getsockname()[1]).url


def as_json(error: HTTPException, body: Any) -> Any:
    """An error of HTTP with a body of ours, and the headers that belong to it: which methods are allowed, how long a
    file is.
    """
    answer = error.get_response()
    answer.data = flask.json.dumps(body)
    answer.content_type = "application/json"
    return answer
