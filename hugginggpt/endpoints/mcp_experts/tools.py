"""What a server says of a tool, held against what the configuration expects of it; and the arguments of a call.

Descriptions, defaults and annotations of servers are not read: what a planner or a person sees of a tool comes from the
configuration.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import filetype

from hugginggpt.config.mcp import McpServer, McpTool
from hugginggpt.core.errors import BackendError
from hugginggpt.core.results import FILE_KINDS
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Args
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import csv_of

if TYPE_CHECKING:
    from mcp_types import Tool

MOST_SCHEMA_BYTES = 64_000
MOST_DEPTH = 10
GRADIO_FILE = "gradio file input"
"""How the format of a parameter begins that takes a file of Gradio's."""
FORMATS = {"uri": "url", "url": "url", "byte": "base64", "base64": "base64"}
"""How a file is sent for a parameter of this format, where the configuration does not say it."""


@dataclass(frozen=True, slots=True)
class ToolState:
    """A tool of the configuration: why it is off, as a clause, if it is, and a digest of what the server says of it."""

    config: McpTool
    problem: str = ""
    digest: str = ""
    changed: bool = False
    listed: Tool | None = None

    @property
    def parameters(self) -> Mapping[str, Any]:
        return _properties(self.listed.input_schema) if self.listed else {}


def digest_of(tool: Tool) -> str:
    """The SHA-256 of a tool's name, description and schemas, in hexadecimal."""
    said = tool.model_dump(by_alias=True, include={"name", "description", "input_schema", "output_schema"})
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def state_of(config: McpTool, listed: Mapping[str, Tool]) -> ToolState:
    """Whether a tool of the configuration can be used."""
    tool = listed.get(config.tool)
    if tool is None:
        return ToolState(config, "the server has no such tool")
    if problem := next(_schema_problems(tool), ""):
        return ToolState(config, problem, listed=tool)
    digest = digest_of(tool)
    if config.sha256 and config.sha256 != digest:
        return ToolState(config, f"it has changed since it was pinned (sha256 is {digest} now)", digest, True, tool)
    return ToolState(config, next(_mapping_problems(config, tool), ""), digest, listed=tool)


def _schema_problems(tool: Tool) -> Iterator[str]:
    for name, schema in (("inputSchema", tool.input_schema), ("outputSchema", tool.output_schema)):
        if schema is None:
            continue
        if _deeper_than(MOST_DEPTH, schema):
            yield f"its {name} is nested more than {MOST_DEPTH} levels deep"
        elif (size := len(json.dumps(schema))) > MOST_SCHEMA_BYTES:
            yield f"its {name} has {size // 1000} kB, more than {MOST_SCHEMA_BYTES // 1000}"
        elif _refers_elsewhere(schema):
            yield f"its {name} refers to another document"
    if tool.execution and tool.execution.task_support == "required":
        yield "it runs as a task of the protocol only, which is not supported"


def _deeper_than(depth: int, value: Any) -> bool:
    """Whether schemas stand within schemas more than so many levels deep; a level is two of the value's."""
    level = [value]
    for _ in range(2 * depth):
        level = [item for each in level for item in _inner(each) if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _inner(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value


def _walk(value: Any) -> Iterator[tuple[str, Any]]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield str(key), inner
        if isinstance(inner, dict | list):
            yield from _walk(inner)


def _refers_elsewhere(schema: Any) -> bool:
    return any(key in ("$ref", "$dynamicRef") and str(value)[:1] != "#" for key, value in _walk(schema))


def _mapping_problems(config: McpTool, tool: Tool) -> Iterator[str]:
    schema = tool.input_schema
    properties = _properties(schema)
    given = [*config.args.values(), *config.const]
    if schema.get("additionalProperties") is not True:
        yield from (f"it has no parameter {name}" for name in given if name not in properties)
    required = schema.get("required")
    lacking = [name for name in required if name not in given] if isinstance(required, list) else []
    if lacking:
        yield f"it requires {', '.join(map(str, lacking))[:200]}, which neither args nor const gives"


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


# The arguments of a call


def arguments(state: ToolState, server: McpServer, task: TaskType, args: Args, media: MediaStore) -> dict[str, Any]:
    """The arguments of a call: those of the task that the configuration names, by the tool's names, and the fixed ones.

    Raises BackendError for one that cannot be given.
    """
    given: dict[str, Any] = dict(state.config.const)
    for ours, its in state.config.args.items():
        value = args.get(ours)
        if value is None or value == "":
            continue
        schema = state.parameters.get(its)
        schema = schema if isinstance(schema, dict) else {}
        arg = task.arg(ours)
        if isinstance(value, list) and arg and arg.kind in FILE_KINDS:
            given[its] = _files([Path(each) for each in value], state.config, server, its, schema, media)
        elif isinstance(value, Path):
            if arg and arg.kind == "table" and state.config.files == "auto":
                given[its] = csv_of(value) or value.read_text(encoding="utf-8", errors="replace")
            else:
                given[its] = _file(value, state.config, server, its, schema, media)
        else:
            given[its] = _typed(value, its, schema)
    return given


def _files(
    paths: Sequence[Path], config: McpTool, server: McpServer, its: str, schema: Mapping[str, Any], media: MediaStore
) -> list[str]:
    types = _types(schema)
    if types and "array" not in types:
        raise BackendError(f"{config.tool} takes one file for {its}, and there are {len(paths)}.")
    each = next((items for way in _ways(schema) if isinstance(items := way.get("items"), dict)), {})
    return [_file(path, config, server, its, each, media) for path in paths]


def _file(
    path: Path, config: McpTool, server: McpServer, its: str, schema: Mapping[str, Any], media: MediaStore
) -> str:
    way: str = config.files
    if way == "auto":
        named = str(schema.get("format", "")).lower()
        found = "data" if named.startswith(GRADIO_FILE) else FORMATS.get(named)
        if schema.get("contentEncoding") == "base64":
            found = "base64"
        if found is None or (found == "url" and not server.public_url):
            raise BackendError(
                f"{config.tool} does not say how it takes a file for {its}: set files to data, base64, url or path."
            )
        way = found
    if way == "path":
        return str(path)
    if way == "url":
        assert server.public_url  # the configuration was checked
        return server.public_url.rstrip("/") + quote(media.public_path(path))
    data = path.read_bytes()
    text = base64.b64encode(data).decode()
    if way == "base64":
        return text
    kind = filetype.guess_mime(data) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"data:{kind};base64,{text}"


def _typed(value: Any, its: str, schema: Mapping[str, Any]) -> Any:
    """A text, or a list of texts, as the type that the parameter has."""
    types = _types(schema)
    if isinstance(value, list):
        return value if not types or "array" in types else ", ".join(map(str, value))
    if not isinstance(value, str) or not types or "string" in types:
        return value
    text = value.strip()
    try:
        if "integer" in types and text.lstrip("+-").isdigit():
            return int(text)
        if "number" in types and math.isfinite(number := float(text)):
            return number
        if "boolean" in types:
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]
        if "array" in types and not text.startswith("["):
            return [text]
        if types & {"array", "object"}:
            return json.loads(text)
    except (ValueError, LookupError, RecursionError):
        pass
    raise BackendError(f'The argument {its} should be of the type {" or ".join(sorted(types))}, not "{text[:60]}".')


def _types(schema: Mapping[str, Any]) -> set[str]:
    """The types that a parameter may have; none where the schema does not say."""
    types: set[str] = set()
    for one in _ways(schema):
        said = one.get("type")
        types.update(map(str, said if isinstance(said, list) else [said] if said else []))
    return types - {"null"}


def _ways(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A schema, and those that it offers a choice of."""
    ways = schema.get("anyOf") or schema.get("oneOf")
    return [schema, *(way for way in ways if isinstance(way, dict))] if isinstance(ways, list) else [schema]
