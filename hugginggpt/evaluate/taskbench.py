"""TaskBench's names for the tasks of the task table, its tools, and its gold graphs (Hugging Face domain).

TaskBench's 23 tools are task types of Hugging Face under titles ("Image-to-Text"); a change of a picture that a
text describes is "Image Editing" there and `image-to-image` with a text here. Its arguments have no names: the
type of a resource (text, image, audio, video) stands for one, told by a file's suffix or the tool that generates it.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hugginggpt.common.text_files import read_text
from hugginggpt.core.errors import UserError
from hugginggpt.core.tasks import TaskTable
from hugginggpt.evaluate.graph import Argument, Graph, source_of
from hugginggpt.offline.tool_network import tools

log = logging.getLogger(__name__)

SUFFIXES = {
    "image": "jpg|jpeg|png|gif|bmp|tiff|svg|ico|webp",
    "audio": "mp3|wav|wma|ogg|aac|flac|aiff|au|m4a",
    "video": "mp4|avi|mov|flv|wmv|mkv|webm|m4v|mpg|mpeg",
}
_FILES = [(kind, re.compile(rf"\.(?:{suffixes})\b", re.IGNORECASE)) for kind, suffixes in SUFFIXES.items()]
_EXTRA = ("language", "labels")
"""Arguments of the task table that TaskBench's tools do not have."""


def normal(name: str) -> str:
    """A tool's name in lower case, with spaces for hyphens and underscores."""
    return re.sub(r"[-_\s]+", " ", name.strip().lower())


OUTPUTS = {normal(name): made or "none" for name, (_, made) in tools.TOOLS.items()}
"""The 23 tools by their names as `normal` writes them, and the type of resource that each generates."""
OTHER_NAMES = {normal(task): normal(tool) for task, tool in tools.OTHER_NAMES.items()}
"""Tasks that TaskBench has under another tool's name. "image editing" depends on the arguments: see `tool_name`."""


def tool_name(task: Mapping[str, Any]) -> str:
    """TaskBench's name of a planned task."""
    name = normal(str(task["task"]))
    if name == "image to image" and str((task.get("args") or {}).get("text", "")).strip():
        return "image editing"
    return OTHER_NAMES.get(name, name)


def task_name(tool: str, table: TaskTable) -> str | None:
    """The task type for a tool ("Image Editing": image-to-image), None where the task table has none."""
    row = table.find(tool)
    return row.name if row else None


def tasks_of(tools: Mapping[str, str], table: TaskTable) -> frozenset[str]:
    """The task types with which plans of these tools can be made."""
    named = {task_name(tool, table) for tool in tools}
    return frozenset(
        name for name in table.names if normal(name) in tools or OTHER_NAMES.get(normal(name)) in tools or name in named
    )


def read_tools(file: Path, table: TaskTable) -> dict[str, str]:
    """The tools of a tool_desc.json and what they generate. Raises UserError for another file."""
    text = read_text(file)
    try:
        nodes = json.loads(text)["nodes"]
        tools = {normal(node["id"]): (node.get("output-type") or ["none"])[0] for node in nodes}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f'{file} should be a tool_desc.json of TaskBench: {{"nodes": [{{"id": name, ...}}]}}.'
        ) from error
    if unknown := [tool for tool in tools if task_name(tool, table) is None]:
        log.warning("%s: there is no task type for %s; plans cannot have it.", file, ", ".join(unknown))
    return tools


def kind_of(content: str) -> str:
    """The type of resource that an argument's text is: that of a file that it names, else text."""
    return next((kind for kind, suffix in _FILES if suffix.search(content)), "text")


def arguments(
    task: Mapping[str, Any], names: Sequence[str], positions: Mapping[Any, int], outputs: Mapping[str, str]
) -> list[Argument]:
    """The arguments of a planned task as TaskBench has them."""
    made = []
    for name, value in (task.get("args") or {}).items():
        if name in _EXTRA:
            continue
        text = " ".join(map(str, value)) if isinstance(value, list) else str(value).strip()
        made.append(_argument(text, source_of(text, positions), names, outputs))
    return made


def _argument(text: str, source: int | None, names: Sequence[str], outputs: Mapping[str, str]) -> Argument:
    if source is None:
        return Argument(kind_of(text), text)
    return Argument(outputs.get(names[source], "other"), text, source)


def gold_graph(
    nodes: Sequence[Mapping[str, Any]], links: Sequence[Mapping[str, str]], outputs: Mapping[str, str]
) -> Graph:
    """The graph of TaskBench's nodes and links, the links by the names of the tools."""
    names = [normal(node["task"]) for node in nodes]
    pairs = dict.fromkeys((normal(link["source"]), normal(link["target"])) for link in links)
    known = [pair for pair in pairs if set(pair) <= set(names)]
    edges = tuple((names.index(source), names.index(target)) for source, target in known)
    args = None
    if all("arguments" in node for node in nodes):
        read = [[_gold_argument(value, names, outputs) for value in node["arguments"] or ()] for node in nodes]
        args = tuple(tuple(arg for arg in of_node if arg.source != at) for at, of_node in enumerate(read))
    return Graph(tuple(names), edges, args, frozenset(pairs) - set(known))


def _gold_argument(value: Any, names: Sequence[str], outputs: Mapping[str, str]) -> Argument:
    """An argument as it stands in the data: a text, a list of texts, <node-2>, {"name", "value"} or {"deps": tool}."""
    name, source = "", None
    if isinstance(value, Mapping):
        name = str(value["name"]) if "value" in value else ""
        value = value["value"] if name else next(iter(value.values()), "")
        source = names.index(normal(value)) if isinstance(value, str) and normal(value) in names else None
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value).strip()
    if source is None:
        source = source_of(text, {at: at for at in range(len(names))})
    argument = _argument(text, source, names, outputs)
    return Argument(name, argument.value, argument.source) if name else argument
