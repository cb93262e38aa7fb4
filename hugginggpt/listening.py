"""The socket of a server."""

from __future__ import annotations

import socket

from hugginggpt.config import Address
from hugginggpt.errors import ConfigError

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
