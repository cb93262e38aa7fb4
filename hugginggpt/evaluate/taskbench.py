"""TaskBench's names for the tasks of the task table, its tools, and its gold graphs (Hugging Face domain).

TaskBench's 23 tools are task types of Hugging Face under titles ("Image-to-Text"); a text-guided edit of a
picture is "Image Editing" there and `image-to-image` with a text here. Its arguments have no names: each is named by
its type of resource (text, image, audio, video), which a file's suffix or the generating tool determines.
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


def normalised_name(name: str) -> str:
    """A tool's name in lower case, with spaces for hyphens and underscores."""
    return re.sub(r"[-_\s]+", " ", name.strip().lower())


OUTPUTS = {normalised_name(name): output or "none" for name, (_, output) in tools.TOOLS.items()}
"""The type of resource that each of the 23 tools generates, by the tool's normalised name."""
OTHER_NAMES = {normalised_name(task): normalised_name(tool) for task, tool in tools.OTHER_NAMES.items()}
"""Tasks that TaskBench counts as another tool. "image editing" depends on the arguments: see `tool_name`."""


def tool_name(task: Mapping[str, Any]) -> str:
    """TaskBench's name of a planned task."""
    name = normalised_name(str(task["task"]))
    if name == "image to image" and str((task.get("args") or {}).get("text", "")).strip():
        return "image editing"
    return OTHER_NAMES.get(name, name)


def task_name(tool: str, table: TaskTable) -> str | None:
    """The task type for a tool ("Image Editing": image-to-image), None where the task table has none."""
    row = table.find(tool)
    return row.name if row else None


def tasks_of(tools: Mapping[str, str], table: TaskTable) -> frozenset[str]:
    """The task types that plans with these tools may use."""
    named = {task_name(tool, table) for tool in tools}
    return frozenset(
        name
        for name in table.names
        if normalised_name(name) in tools or OTHER_NAMES.get(normalised_name(name)) in tools or name in named
    )


def read_tools(file: Path, table: TaskTable) -> dict[str, str]:
    """The tools of a tool_desc.json and what they generate. Raises UserError for another file."""
    text = read_text(file)
    try:
        nodes = json.loads(text)["nodes"]
        tools = {normalised_name(node["id"]): (node.get("output-type") or ["none"])[0] for node in nodes}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f'{file} should be a tool_desc.json of TaskBench: {{"nodes": [{{"id": name, ...}}]}}.'
        ) from error
    if unknown := [tool for tool in tools if task_name(tool, table) is None]:
        log.warning("%s: there is no task type for %s; plans cannot use it.", file, ", ".join(unknown))
    return tools


def kind_of(content: str) -> str:
    """The type of resource in an argument's text: that of the file that it names, else text."""
    return next((kind for kind, suffix in _FILES if suffix.search(content)), "text")


def arguments(
    task: Mapping[str, Any], names: Sequence[str], positions: Mapping[Any, int], outputs: Mapping[str, str]
) -> list[Argument]:
    """The arguments of a planned task in TaskBench's form."""
    result = []
    for name, value in (task.get("args") or {}).items():
        if name in _EXTRA:
            continue
        text = " ".join(map(str, value)) if isinstance(value, list) else str(value).strip()
        result.append(_argument(text, source_of(text, positions), names, outputs))
    return result


def _argument(text: str, source: int | None, names: Sequence[str], outputs: Mapping[str, str]) -> Argument:
    if source is None:
        return Argument(kind_of(text), text)
    return Argument(outputs.get(names[source], "other"), text, source)


def gold_graph(
    nodes: Sequence[Mapping[str, Any]], links: Sequence[Mapping[str, str]], outputs: Mapping[str, str]
) -> Graph:
    """The graph of TaskBench's nodes and links; links refer to tools by name."""
    names = [normalised_name(node["task"]) for node in nodes]
    pairs = dict.fromkeys((normalised_name(link["source"]), normalised_name(link["target"])) for link in links)
    known = [pair for pair in pairs if set(pair) <= set(names)]
    edges = tuple((names.index(source), names.index(target)) for source, target in known)
    args = None
    if all("arguments" in node for node in nodes):
        gold_arguments = [
            [_gold_argument(value, names, outputs) for value in node["arguments"] or ()] for node in nodes
        ]
        args = tuple(
            tuple(arg for arg in node_args if arg.source != index) for index, node_args in enumerate(gold_arguments)
        )
    return Graph(tuple(names), edges, args, frozenset(pairs) - set(known))


def _gold_argument(value: Any, names: Sequence[str], outputs: Mapping[str, str]) -> Argument:
    """An argument from the data: a text, a list of texts, <node-2>, {"name", "value"} or {"deps": tool}."""
    name, source = "", None
    if isinstance(value, Mapping):
        name = str(value["name"]) if "value" in value else ""
        value = value["value"] if name else next(iter(value.values()), "")
        source = (
            names.index(normalised_name(value)) if isinstance(value, str) and normalised_name(value) in names else None
        )
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value).strip()
    if source is None:
        source = source_of(text, {index: index for index in range(len(names))})
    argument = _argument(text, source, names, outputs)
    return Argument(name, argument.value, argument.source) if name else argument
