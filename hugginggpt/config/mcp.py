"""The section `mcp`: servers whose tools are experts."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from hugginggpt.config.base import Row, Seconds
from hugginggpt.core.result_paths import Paths
from hugginggpt.core.secrets import FROM_ENVIRONMENT, secret_in_url, written_secret


def _task_name(name: str) -> str:
    """The name of a task as the table spells it."""
    return "-".join(re.split(r"[\s_-]+", name.strip().lower()))


class McpTool(Row):
    """A tool that is used: for which task, and how its parameters are filled."""

    tool: str = Field(min_length=1, max_length=200)
    task: Annotated[str, AfterValidator(_task_name)]
    about: str = ""
    args: dict[str, str]
    const: dict[str, Any] = Field({})
    files: Literal["auto", "data", "base64", "url", "path"] = "auto"
    result: Paths | None = None
    repeatable: bool = True
    seconds: Seconds | None = None
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None


class McpServer(Row):
    """A server, at a URL or started by a command, and those of its tools that are used."""

    name: str = Field(pattern=r"^[a-z0-9]+([-_.][a-z0-9]+)*$")
    url: str | None = None
    headers: dict[str, str] = Field({})
    command: list[str] = Field([])
    env: dict[str, str] = Field({})
    folder: str | None = None
    protocol: Literal["auto", "old"] = "auto"
    start_seconds: Seconds = 30.0
    seconds: Seconds = 60.0
    public_url: str | None = None
    tools: list[McpTool] = Field(min_length=1)

    @property
    def sent(self) -> list[Any]:
        """Whatever may name variables of the environment."""
        return [self.url, self.headers, self.env]

    @model_validator(mode="after")
    def _is_whole(self) -> McpServer:
        if wrong := self._mistake():
            raise PydanticCustomError("mcp", "{wrong}", {"wrong": wrong})
        return self

    def _mistake(self) -> str:
        if bool(self.url) == bool(self.command):
            return "should have either a url or a command"
        if self.url and urlsplit(self.url).scheme not in ("http", "https"):
            return "url should begin with http:// or https://"
        if self.url and (found := secret_in_url(self.url)):
            return f"url: {found} {FROM_ENVIRONMENT}"
        if self.command and self.headers:
            return "headers are for a server with a url"
        if self.url and (self.env or self.folder):
            return "env and folder are for a server with a command"
        if found := written_secret({"headers": self.headers, "env": self.env, "command": self.command}):
            return f"{found} {FROM_ENVIRONMENT}"
        ways = {tool.files for tool in self.tools}
        if self.url and "path" in ways:
            return "files: path is for a server with a command, which sees the files of this machine"
        if "url" in ways and not self.public_url:
            return (
                "files: url needs public_url, the address at which the server can fetch the files of the public folder"
            )
        pairs = [(tool.tool, tool.task) for tool in self.tools]
        doubles = [tool for tool, task in pairs if pairs.count((tool, task)) > 1]
        return f"tools should list {doubles[0]} once for a task" if doubles else ""
