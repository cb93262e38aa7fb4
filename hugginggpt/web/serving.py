"""Serving the application with waitress."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import waitress

from hugginggpt.config import Config
from hugginggpt.errors import ConfigError
from hugginggpt.run import Runner
from hugginggpt.web.app import create_app
from hugginggpt.web.guard import is_loopback

BACKLOG = 512


def serve(controller: Runner, config: Config, ready: Callable[[str], None] = print) -> None:
    """Serves until the process is ended. Raises ConfigError when the address may not or cannot be used."""
    listen = config.http_listen
    if not is_loopback(listen.host) and not listen.token:
        raise ConfigError(
            f"http_listen.host {listen.host} can be reached from other machines: set http_listen.token, "
            "or host 127.0.0.1."
        )
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        listener = socket.create_server((listen.host, listen.port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ConfigError(f"Cannot listen on {listen.host}:{listen.port}: {error.strerror}.") from error
    server: Any = waitress.create_server(
        create_app(controller, config), sockets=[listener], threads=listen.threads, ident=None, channel_timeout=600
    )
    address = f"http://{listen.host}:{listener.getsockname()[1]}"
    ready(f"Listening on {address} (language model: {config.llm_name}). Ctrl-C ends it.")
    server.run()
