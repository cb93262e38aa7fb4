"""Clients of the protocol for tests: within the process, and over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from awesome_chat import Controller
from hugginggpt.core.tasks import TaskType
from hugginggpt.mcp.inputs import Inputs
from hugginggpt.mcp.outputs import Outputs
from hugginggpt.mcp.server import Service
from hugginggpt.media.store import MediaStore
from hugginggpt.records.live_runs import Runs
from hugginggpt.records.run_log import RunLog

ERAS = ("legacy", "auto")
"""The handshake of the protocols up to 2025-11-25, and the stateless one of 2026-07-28."""
SECONDS = 60
Dialogue = Callable[[Client], Awaitable[Any]]


def service_of(
    controller: Controller,
    is_local: bool = True,
    root: Path | None = None,
    typed: Sequence[TaskType] = (),
    most: int = 4,
) -> Service:
    media = MediaStore(controller.config)
    outputs = Outputs(media, RunLog(controller.config), is_local)
    return Service(controller, Runs(most), Inputs(media, is_local, root), outputs, typed)


def talk(service: Service, dialogue: Dialogue, era: str = "auto") -> Any:
    """What a dialogue with the service comes to, without a transport between. Raises MCPError."""

    async def main() -> Any:
        async with Client(service.server(), mode=era, read_timeout_seconds=SECONDS) as client:
            return await outcome(dialogue, client)

    return anyio.run(main)()


def talk_over_http(url: str, dialogue: Dialogue, era: str = "auto", token: str | None = None) -> Any:
    """What a dialogue with a server comes to. Raises MCPError."""
    headers = {"Authorization": f"Bearer {token}"} if token else None

    async def main() -> Any:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http,
            Client(streamable_http_client(url, http_client=http), mode=era, read_timeout_seconds=SECONDS) as client,
        ):
            return await outcome(dialogue, client)

    return anyio.run(main)()


async def outcome(dialogue: Dialogue, client: Client) -> Callable[[], Any]:
    """What comes of a dialogue, to be called outside the client, whose groups of tasks would wrap an error."""
    try:
        result = await dialogue(client)
        return lambda: result
    except MCPError as error:
        problem = error

    def fail() -> Any:
        raise problem

    return fail


def call(service: Service, tool: str, **args: Any) -> CallToolResult:
    return talk(service, lambda client: client.call_tool(tool, args))


def text(result: CallToolResult) -> str:
    return result.content[0].text
