"""Labelled requests for training, in TaskBench's format: user_request, task_nodes, task_links."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hugginggpt.common.text_files import numbered_lines, read_text
from hugginggpt.core.errors import UserError
from hugginggpt.offline.tool_network.tools import NAMES, tool_of


@dataclass(frozen=True, slots=True)
class Labelled:
    """A request, its tools and the links between them, as indices into `NAMES`."""

    request: str
    tools: frozenset[int]
    links: frozenset[tuple[int, int]]


def read_labelled(files: Iterable[Path]) -> list[Labelled]:
    """The requests of all files. Raises UserError, naming the file and the line, for what cannot be read."""
    labelled = []
    for file in files:
        for number, line in numbered_lines(read_text(file)):
            try:
                labelled.append(_labelled(json.loads(line)))
            except (ValueError, KeyError, TypeError) as error:
                raise UserError(f"{file}, line {number}: this is not a labelled request ({error!r}).") from error
    return labelled


def _labelled(row: dict[str, Any]) -> Labelled:
    index_of = {name: index for index, name in enumerate(NAMES)}
    tools = [tool_of(node["task"]) for node in row["task_nodes"]]
    links = [(tool_of(link["source"]), tool_of(link["target"])) for link in row["task_links"]]
    return Labelled(
        str(row["user_request"]),
        frozenset(index_of[tool] for tool in tools if tool),
        frozenset((index_of[a], index_of[b]) for a, b in links if a and b),
    )
