"""What a tool answered, as the raw result of a task: pictures, sounds, rows or texts, whatever block they came in.

Everything here is data of somebody else: files are known by their content, links lead to the server itself or to public
addresses, and no text is an instruction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import BackendError
from hugginggpt.core.lenient_json import NotJSON, find_values
from hugginggpt.core.result_paths import Paths, ResultMap
from hugginggpt.core.results import visible
from hugginggpt.core.tasks import TaskType

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ReadResourceResult

MOST_TEXT = 100_000
"""Characters of a text that a tool may answer."""
SHOWN_CHARS = 300
_URL = re.compile(r"(?:https?://|data:)\S+", re.IGNORECASE)
Read = Callable[[str], "ReadResourceResult"]
"""Reads a resource of the server."""


def raw_result(result: CallToolResult, task: TaskType, paths: Paths | None, read: Read) -> Any:
    """The result for `settle`, its files as base64 or URL. Raises BackendError for what the task has no use for."""
    texts = list(_texts(result))
    if result.is_error:
        said = visible(" ".join(" ".join(texts).split()))[:SHOWN_CHARS].rstrip(".")
        raise BackendError(f"The tool failed: {said or 'it does not say why'}.")
    if sum(map(len, texts)) > MOST_TEXT and not task.result.makes:
        raise BackendError(f"The tool answered a text of more than {MOST_TEXT // 1000} kB.")
    if paths is not None:
        return _mapped(result, texts, task, paths)
    if task.result.kinds == task.result.makes:
        return _file(result, texts, task, read)
    if task.result.name == "text":
        data = _data(result, [])
        return "\n".join(texts) if texts else json.dumps(data, ensure_ascii=False) if data is not None else None
    data = _data(result, texts)
    return {"answer": "\n".join(texts)} if data is None and task.result.name == "answer" and texts else data


def _texts(result: CallToolResult) -> Iterator[str]:
    for block in result.content:
        if block.type == "text":
            yield block.text
        elif block.type == "resource" and isinstance(text := getattr(block.resource, "text", None), str):
            yield text


def _data(result: CallToolResult, texts: list[str]) -> Any:
    """The structured content, else the first list or object in the texts (JSON, or what Python prints of one)."""
    found = result.structured_content
    if isinstance(found, dict) and set(found) == {"result"}:
        return found["result"]  # what is no object comes wrapped in one
    if found is not None:
        return found
    try:
        return next(find_values("\n".join(texts)), None)
    except NotJSON:
        return None


def _mapped(result: CallToolResult, texts: list[str], task: TaskType, paths: Paths) -> Any:
    data = _data(result, texts)
    if data is None:
        raise BackendError("The tool answered neither structured content nor JSON.")
    try:
        return ResultMap(task.result, paths).read(data)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        reason = error.args[0] if error.args else error
        raise BackendError(
            f"The tool's answer is no result of {task.name}: {visible(str(reason))[:SHOWN_CHARS]}."
        ) from None


def _file(result: CallToolResult, texts: list[str], task: TaskType, read: Read) -> str:
    """The file of the result, as base64 or URL."""
    kind = task.result.makes[0]
    for block in result.content:
        if block.type == kind and block.type in ("image", "audio"):
            return block.data
        if block.type == "resource" and isinstance(blob := getattr(block.resource, "blob", None), str):
            return blob
        if block.type == "resource_link":
            return _linked(str(block.uri), read)
    for text in texts:
        if _URL.fullmatch(text.strip()):  # as Gradio gives a sound
            return text.strip()
    raise BackendError(f"The tool answered without {_article(kind)} {kind}.")


def _article(kind: str) -> str:
    return "an" if kind[0] in "aio" else "a"


def _linked(uri: str, read: Read) -> str:
    """What a link leads to: a URL, or the content of a resource of the server, in base64."""
    scheme = uri.partition(":")[0].lower()
    if scheme in ("http", "https", "data"):
        return uri
    if scheme == "file":
        raise BackendError("The tool answered the name of a file of its machine, which is not opened.")
    for content in read(uri).contents:
        if isinstance(blob := getattr(content, "blob", None), str):
            return blob
    raise BackendError("The tool answered a link to what is no file.")
