"""Shared by the servers: the listening socket, and JSON bodies for HTTP errors."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import flask
from werkzeug.exceptions import HTTPException

from hugginggpt.config import Address, Guarded
from hugginggpt.core.errors import ConfigError

BACKLOG = 512


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """A socket that listens on a host name or an IPv4 or IPv6 address, and its URL; port 0 is any free port.

    Raises ConfigError if the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        raise ConfigError(f"Cannot listen on {host}:{port}: {getattr(error, 'strerror', '') or error}.") from error
    return listener, Address(host=host, port=listener.getsockname()[1]).url


def inherit(number: int) -> tuple[socket.socket, str]:
    """The socket, and its URL, that the parent of this process listens on under a number."""
    listener = socket.socket(fileno=number)
    host, port, *_ = listener.getsockname()
    return listener, Address(host=host, port=port).url


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a server at this host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_reachable(listen: Guarded, section: str = "http_listen") -> None:
    """Raises ConfigError for a server that other machines could use without a token."""
    if not is_loopback(listen.host) and not listen.token:
        raise ConfigError(
            f"{section}.host {listen.host} can be reached from other machines: set {section}.token, or host 127.0.0.1."
        )


def as_json(error: HTTPException, body: Any) -> Any:
    """An HTTP error with a JSON body, and the headers that belong to it: the allowed methods, the length of a
    file.
    """
    answer = error.get_response()
    answer.data = flask.json.dumps(body)
    answer.content_type = "application/json"
    return answer
