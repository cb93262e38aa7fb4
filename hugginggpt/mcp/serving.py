"""Serving over stdio, for a program at this machine, and over HTTP."""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

import anyio
import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from hugginggpt.common.threads import spawn
from hugginggpt.config import HttpListen
from hugginggpt.core.errors import ConfigError
from hugginggpt.core.tasks import TaskType
from hugginggpt.mcp.inputs import Inputs
from hugginggpt.mcp.outputs import Outputs
from hugginggpt.mcp.server import Service
from hugginggpt.media.store import MediaStore
from hugginggpt.net import listener as listening
from hugginggpt.records.live_runs import Runs
from hugginggpt.records.run_log import RunLog
from hugginggpt.stages.run import Runner

PATH = "/mcp"
LAST_RUNS_SECONDS, LAST_ANSWERS_SECONDS = 10, 3
"""How long the shutdown waits for runs to end, and for the last responses to be sent, in seconds."""
MAX_SESSIONS = 1000
FORM_ROOM = 1_000_000
"""The size of a request without its files, in bytes."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def serve_stdio(
    controller: Runner, wire: tuple[BinaryIO, BinaryIO], typed: Sequence[TaskType] = (), root: Path | None = None
) -> None:
    """Serves one client over a pair of streams until it closes its end. `root` is the only folder whose files it may
    name; its relative paths start there. Raises ConfigError if there is no such folder.
    """
    if root and not root.is_dir():
        raise ConfigError(f"--root: there is no folder {root}.")
    if root:
        os.chdir(root)
        root = Path.cwd()
    service = _service(controller, typed, is_local=True, root=root)
    try:  # in another thread: the main one gets the signals, also while the client's next message is waited for
        spawn(anyio.run, _stdio, service, *wire).result()
    finally:
        service.runs.close(LAST_RUNS_SECONDS)


async def _stdio(service: Service, sent: BinaryIO, answers: BinaryIO) -> None:
    streams = (TextIOWrapper(sent, "utf-8", errors="replace"), TextIOWrapper(answers, "utf-8", newline="\n"))
    server = service.server()
    async with stdio_server(*map(anyio.wrap_file, streams)) as (read, write):
        await server.run(read, write, server.create_initialization_options())


_announce: Callable[[str], None] = partial(print, flush=True)  # a pipe would keep the line back


def serve_http(
    controller: Runner, port: int, typed: Sequence[TaskType] = (), ready: Callable[[str], None] = _announce
) -> None:
    """Serves streamable HTTP until SIGTERM or Ctrl-C; active runs are then cancelled. The host, token, origins and
    further names are those of `http_listen`. Raises ConfigError when the address is not allowed or cannot be used.
    """
    with http_serving(controller, port, typed) as (url, _, ended):
        ready(f"Listening on {url} (language model: {controller.config.llm_name}). Ctrl-C ends it.")
        ended.result()


@contextmanager
def http_serving(
    controller: Runner, port: int, typed: Sequence[TaskType] = ()
) -> Iterator[tuple[str, Service, Future[None]]]:
    """Serves in another thread until the block ends; gives the URL, the service, and the end of the server."""
    listen = controller.config.http_listen
    listening.check_reachable(listen)
    listener, url = listening.listen(listen.host, port)
    service = _service(controller, typed, is_local=False)
    settings = uvicorn.Config(
        make_app(service, listen, listener.getsockname()[1]),
        log_config=None,  # the program's own logging stays as it is
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=LAST_ANSWERS_SECONDS,
    )
    server = uvicorn.Server(settings)
    ended = spawn(server.run, [listener])
    try:
        yield f"{url}{PATH}", service, ended
    finally:
        service.runs.close(LAST_RUNS_SECONDS)
        server.should_exit = True
        wait([ended], timeout=2 * LAST_ANSWERS_SECONDS)
        listener.close()


def make_app(service: Service, listen: HttpListen, port: int) -> ASGIApp:
    """The ASGI application on a port, behind the checks of token, host and origin."""
    names = [*LOOPBACK, *map(_bracketed, [listen.host, *listen.hosts])]
    security = TransportSecuritySettings(
        allowed_hosts=[form for name in dict.fromkeys(names) for form in (name, f"{name}:*")],
        allowed_origins=[*listen.origins, *(f"http://{name}:{port}" for name in LOOPBACK)],
    )
    media = service.outputs.media
    app = service.server().streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security,
        max_request_body_size=4 * media.max_bytes // 3 + FORM_ROOM,
        max_sessions=MAX_SESSIONS,
    )
    guarded: ASGIApp = TokenGate(app, listen.token) if listen.token else app
    return CORSMiddleware(
        guarded,
        allow_origins=listen.origins,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],
        expose_headers=["Mcp-Session-Id"],
    )


class TokenGate:
    """Lets nobody in who does not send the server's token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and not self._is_known(Headers(scope=scope)):
            sentence = "This server needs its token: Authorization: Bearer TOKEN (http_listen.token)."
            refusal = JSONResponse({"error": sentence}, 401, {"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _is_known(self, headers: Headers) -> bool:
        """Whether the bearer token is correct, compared in constant time."""
        kind, _, sent = headers.get("Authorization", "").partition(" ")
        return kind.lower() == "bearer" and hmac.compare_digest(sent.strip().encode(), self.token)


def _service(controller: Runner, typed: Sequence[TaskType], is_local: bool, root: Path | None = None) -> Service:
    config = controller.config
    media, runs = MediaStore(config), Runs(config.http_listen.max_runs)
    return Service(controller, runs, Inputs(media, is_local, root), Outputs(media, RunLog(config), is_local), typed)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
