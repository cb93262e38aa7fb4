"""A graph of TaskBench's tools becomes a plan: ids, dependencies, and an input for every argument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hugginggpt.core.plan import reference
from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.references import Resource
from hugginggpt.offline.tool_network.scoring import ToolGraph
from hugginggpt.offline.tool_network.tools import EDITING
from hugginggpt.offline.wiring import Node


def tool_nodes(request: str, graph: ToolGraph, named: Sequence[Resource], table: TaskTable) -> list[Node]:
    """The tasks in an order in which each comes after those that it takes something from."""
    made = _Plan(request, graph, named, table)
    for tool in _ordered(graph):
        made.add(tool)
    return made.nodes


def has_inputs(node: Node, table: TaskTable) -> bool:
    """Whether a task has every argument that it must have."""
    return all(node.args.get(arg.name) for arg in table[node.task].required)


def _ordered(graph: ToolGraph) -> Iterator[str]:
    left = list(graph.tools)
    while left:
        ready = next(tool for tool in left if not any(b == tool and a in left for a, b in graph.links))
        left.remove(ready)
        yield ready


@dataclass(slots=True)
class _Plan:
    request: str
    graph: ToolGraph
    named: Sequence[Resource]
    table: TaskTable
    nodes: list[Node] = field(default_factory=list)
    _ids: dict[str, int] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)

    def add(self, tool: str) -> None:
        task = "image-to-image" if tool == EDITING else tool
        givers = [self.nodes[self._ids[a]] for a, b in self.graph.links if b == tool]
        args: dict[str, Any] = {}
        for arg in self.table[task].args:
            if arg.name != "language" and (tool != "image-to-image" or arg.name != "text"):
                args[arg.name] = self._input(task, arg.name, arg.kind, givers, args)
        self._ids[tool] = len(self.nodes)
        why = [f'"{self.graph.words[tool]}" ({self.graph.tools[tool]:.0%})']
        why += [f"{self.graph.links[a, b]:.0%} that it takes what {a} gives" for a, b in self.graph.links if b == tool]
        filled = {name: value for name, value in args.items() if value}
        self.nodes.append(Node(len(self.nodes), task, filled, 0, ", ".join(why), [giver.id for giver in givers]))

    def _input(self, task: str, name: str, kind: Kind, givers: Sequence[Node], args: dict[str, Any]) -> str:
        """What an argument is: made by a task before, named in the request, or the request's own words."""
        unused = [giver for giver in givers if reference(giver.id) not in args.values()]
        is_question = name == "text" and self.table[task].wording == "question"
        if is_question and (asked := [text for text in self._quoted() if text.endswith("?")]):
            return asked[0]
        for giver in unused:
            kinds = self.table[giver.task].result.kinds
            if kind in kinds or (kind == "table" and "text" in kinds):
                return reference(giver.id)
        files = [resource.text for resource in self.named if resource.is_file and _fits(resource.kind, kind)]
        if kind != "text" and (files or kind != "table"):
            makers = (node for node in reversed(self.nodes) if kind in self.table[node.task].result.kinds)
            return next(iter(files), "") or next((reference(node.id) for node in makers), "")
        texts = [text for text in [*self._quoted(), *files] if text not in args.values()]
        fresh = [text for text in texts if text not in self._used]
        if texts:
            self._used.add((fresh or texts)[0])
            return (fresh or texts)[0]
        return " ".join(self.request.split())

    def _quoted(self) -> list[str]:
        return [resource.text for resource in self.named if resource.kind == "text" and not resource.is_file]


def _fits(own: Kind | None, wanted: Kind) -> bool:
    if wanted == "audio":
        return own in ("audio", "video")
    if wanted == "table":
        return own in ("table", "image")
    return own == wanted or (own is None and wanted == "image")
