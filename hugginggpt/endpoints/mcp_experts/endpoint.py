"""The tools of an MCP server as experts: each that the configuration lists is a candidate for its task."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.common.paths import install_command
from hugginggpt.config import Config
from hugginggpt.config.mcp import McpServer
from hugginggpt.core.errors import BackendError
from hugginggpt.core.results import visible
from hugginggpt.core.secrets import Secrets
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.answered_files import with_files
from hugginggpt.endpoints.base import Args, Endpoint, EndpointStatus, Inference, Tier, picture_to_draw_on, settle
from hugginggpt.endpoints.calls import current_call
from hugginggpt.endpoints.mcp_experts.connection import Connection
from hugginggpt.endpoints.mcp_experts.results import raw_result
from hugginggpt.endpoints.mcp_experts.schema import contradiction
from hugginggpt.endpoints.mcp_experts.tools import ToolState, arguments, state_of
from hugginggpt.endpoints.mcp_experts.transport import Transport
from hugginggpt.endpoints.registry import register_endpoint
from hugginggpt.media.store import MediaStore

PREFIX = "mcp:"
BYTES_PER_MB = 1_400_000
"""Of a message, for a megabyte of the largest file: files come in base64."""
SHOWN_CHARS = 300
MODES = {"auto": "auto", "old": "legacy"}


class McpExperts(Endpoint):
    """The listed tools of one server. It is connected when one of them is a candidate for the first time."""

    def __init__(self, server: McpServer, config: Config, media: MediaStore) -> None:
        self.server = server
        self.config = config
        self.media = media
        self.name = PREFIX + server.name
        self.label = f"the MCP server {server.name}"
        self.tier = Tier.OWN_SERVER if server.command else Tier.REMOTE
        self._secrets: Secrets = config.secrets
        self.connection = Connection(
            self.label,
            self._transport,
            self._secrets.mask,
            mode=MODES[server.protocol],
            start_seconds=server.start_seconds,
            fresh_seconds=config.limits.status_seconds,
        )

    def close(self) -> None:
        self.connection.close()

    # What there is

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        if not self._does(task) or self._lacking():
            return []
        try:
            states = self._states(task)
        except BackendError:
            return []
        return [
            ModelCard(
                f"{self.name}/{state.config.tool}",
                task.name,
                state.config.about or f"A tool of {self.label}.",
                is_own=True,
            )
            for state in states
            if not state.problem
        ][:top]

    def covers(self, task: TaskType, aspect: str = "") -> bool:
        return self._does(task) and not self._lacking() and not self.connection.problem

    def configured(self, model: str, task: TaskType) -> str:
        server = self.server.model_dump_json(exclude={"tools", "start_seconds", "seconds"})
        tools = [tool for tool in self.server.tools if (f"{self.name}/{tool.tool}", tool.task) == (model, task.name)]
        return server + "".join(tool.model_dump_json(exclude={"about", "seconds"}) for tool in tools)

    def repeatable(self, model: str, task: TaskType) -> bool:
        return all(tool.repeatable for tool in self.server.tools if f"{self.name}/{tool.tool}" == model)

    def notices(self, task: TaskType) -> list[str]:
        if not self._does(task) or self._lacking() or self.connection.problem:
            return []
        try:
            changed = [state.config.tool for state in self._states(task) if state.changed]
        except BackendError:
            return []
        return [
            f"The tool {name} of {self.label} has changed since it was pinned and is off: look at it, and pin it anew."
            for name in changed
        ]

    def status(self) -> EndpointStatus:
        about = f"MCP server {' '.join(self.server.command)[:80] if self.server.command else self._host()}"
        if lacking := self._lacking():
            return EndpointStatus(about, "not set up", f"For {self.label}: {lacking}.")
        try:
            states = self._states(seconds=self.config.limits.connect_seconds)
        except BackendError as error:
            return EndpointStatus(about, "not reached", str(error))
        details = tuple(_described(state) for state in states)
        off = sum(bool(state.problem) for state in states)
        return EndpointStatus(about, f"{off} of {len(states)} tools are off" if off else "", details=details)

    def what_to_set(self, task: TaskType) -> str:
        if not self._does(task):
            return ""
        if lacking := self._lacking():
            return lacking
        if problem := self.connection.problem:
            return f"see to {self.label}: {problem[0].lower()}{problem[1:].rstrip('.')}"
        try:
            off = [state for state in self._states(task) if state.problem]
        except BackendError as error:
            return f"see to {self.label}: {str(error).rstrip('.')}"
        return f"see to the tool {off[0].config.tool} of {self.label}: {off[0].problem}" if off else ""

    def _does(self, task: TaskType) -> bool:
        return any(tool.task == task.name for tool in self.server.tools)

    def _states(self, task: TaskType | None = None, seconds: float | None = None) -> list[ToolState]:
        """The tools of the configuration, of a task or all. Raises BackendError."""
        listed = {tool.name: tool for tool in self.connection.tools(seconds)}
        return [state_of(tool, listed) for tool in self.server.tools if task is None or tool.task == task.name]

    def _lacking(self) -> str:
        """What has to be installed or set before the server can be connected, as an imperative; "" if nothing."""
        if not importlib.util.find_spec("mcp"):
            return f"install the package mcp: {install_command('mcp')}"
        if missing := self.config.variables.what_to_set(self.server.url, self.server.headers, self.server.env):
            return missing
        command = self.server.command
        if command and not shutil.which(Path(command[0]).expanduser()):
            return f"install {command[0]}, with which {self.label} is started"
        return ""

    def _host(self) -> str:
        return urlsplit(self.server.url or "").hostname or ""

    # What is done

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        name = model.removeprefix(f"{self.name}/")
        state = next((one for one in self._states(task) if one.config.tool == name), None)
        if state is None or state.listed is None or state.problem:
            raise BackendError(f"{model} is off: {state.problem if state else 'it is not in the configuration'}.")
        given = arguments(state, self.server, task, args, self.media)
        picture = picture_to_draw_on(task, args)
        seconds = state.config.seconds or self.server.seconds
        try:
            again = state.config.repeatable and bool(self.server.url)
            result = self.connection.call(state.listed, given, seconds, current_call(), again=again)
            if not result.is_error:
                self._check(state, result.structured_content)
            raw = raw_result(result, task, state.config.result, lambda uri: self.connection.read(uri, seconds))
            raw = with_files(task, raw, self.media, self._url())
            return Inference(settle(task, raw, args, self.media, picture))
        except BackendError as error:
            raise BackendError(
                self._secrets.mask(f"{model}: {error}"),
                endpoint_down=error.endpoint_down,
                status=error.status,
                may_have_acted=not state.config.repeatable,
            ) from error

    def _check(self, state: ToolState, content: Any) -> None:
        """Raises BackendError for structured content that contradicts what the server says of the tool."""
        schema = state.listed.output_schema if state.listed else None
        if schema is None:
            return
        problem = contradiction(schema, content) if content is not None else "it has no structured content"
        if problem:
            problem = " ".join(visible(problem).split())[:SHOWN_CHARS]
            raise BackendError(f"{self.label[0].upper()}{self.label[1:]} answered what it may not: {problem}.")

    def _url(self) -> str:
        """The server's URL, variables filled in; "" of one that is a child."""
        return str(self.config.variables.filled(self.server.url)) if self.server.url else ""

    def _transport(self) -> Transport:
        most = int(self.config.limits.max_file_mb * BYTES_PER_MB)
        if self.server.command:
            from hugginggpt.endpoints.mcp_experts.stdio import Child

            env: Mapping[str, Any] = self.config.variables.filled(self.server.env)
            folder = self.config.path(self.server.folder) if self.server.folder else None
            program, *rest = self.server.command
            return Child([str(Path(program).expanduser()), *rest], env, folder, most)
        from hugginggpt.endpoints.mcp_experts.http import Remote

        headers = self.config.variables.filled(self.server.headers)
        seconds = max([self.server.seconds, *(tool.seconds or 0 for tool in self.server.tools)])
        is_here = self._host() in ("localhost", "127.0.0.1", "::1")
        proxy = None if is_here else self.config.proxy
        return Remote(self._url(), headers, seconds, self.config.limits.connect_seconds, most, proxy, is_here)


def _described(state: ToolState) -> str:
    """A line on a tool, for the doctor; the digest is what `sha256` pins."""
    pinned = "pinned" if state.config.sha256 else f"sha256 {state.digest}" if state.digest else ""
    return f"{state.config.tool} ({state.config.task}): " + (
        state.problem or ", ".join(filter(None, ("ready", pinned)))
    )


@register_endpoint
def make_mcp_experts(config: Config, media: MediaStore) -> list[McpExperts]:
    return [McpExperts(server, config, media) for server in config.mcp]
