"""Task graphs of plans and of gold labels, for scoring."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hugginggpt.core.plan import REFERENCE

ALTERNATIVES = " || "
"""The separator of alternative texts of a gold argument."""
Name = Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: its name (for TaskBench, the type of resource), its value, and its source node, if generated."""

    name: str
    value: str
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by their task names, edges (source, target) as indices into `names`, and the arguments of each node.

    `args` is None where the data has no arguments. `stray` are links in the data whose ends are not among the nodes.
    """

    names: tuple[str, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    args: tuple[tuple[Argument, ...], ...] | None = ()
    stray: frozenset[tuple[str, str]] = frozenset()

    @property
    def nodes(self) -> set[str]:
        return set(self.names)

    @property
    def links(self) -> set[tuple[str, str]]:
        """The edges as (source task, target task)."""
        return {(self.names[source], self.names[target]) for source, target in self.edges} | self.stray

    @property
    def parameters(self) -> set[tuple[str, str]]:
        """The (task, argument name) of every argument."""
        return {(task, arg.name) for task, args in self.nodes_args() for arg in args}

    @property
    def values(self) -> set[tuple[str, str, str]]:
        """The (task, argument name, value) of every argument; the value of a generated one is its source task."""
        return {
            (task, arg.name, arg.value if arg.source is None else self.names[arg.source])
            for task, args in self.nodes_args()
            for arg in args
        }

    def nodes_args(self) -> zip[tuple[str, tuple[Argument, ...]]]:
        return zip(self.names, self.args or [()] * len(self.names), strict=True)

    def sequence(self) -> list[str]:
        """The task names in topological order, ties in the order of the nodes.

        Of a cycle the first node comes first.
        """
        remaining = dict.fromkeys(range(len(self.names)))
        order: list[str] = []
        while remaining:
            blocked = {target for source, target in self.edges if source in remaining and source != target}
            ready = next((node for node in remaining if node not in blocked), next(iter(remaining)))
            del remaining[ready]
            order.append(self.names[ready])
        return order

    def __str__(self) -> str:
        """The graph in one line: "image-to-text → translation; object-detection"."""
        connected = {node for edge in self.edges for node in edge}
        isolated = [name for index, name in enumerate(self.names) if index not in connected]
        if self.shape() == "chain":
            return " → ".join(self.sequence())
        arrows = [f"{self.names[source]} → {self.names[target]}" for source, target in self.edges]
        return "; ".join([*arrows, *isolated]) or "no task"

    def shape(self) -> str:
        """none, single, chain (each task feeds the next) or dag, as TaskBench calls them."""
        if len(self.names) < 2:
            return ("none", "single")[len(self.names)]
        links = set(self.edges)
        ends = [{edge[side] for edge in links} for side in (0, 1)]
        is_path = len(links) == len(self.names) - 1 and all(len(nodes) == len(links) for nodes in ends)
        return "chain" if is_path and len(ends[0] | ends[1]) == len(self.names) else "dag"


def graph_of_plan(plan: Sequence[Mapping[str, Any]], name: Name, arguments: Callable[..., list[Argument]]) -> Graph:
    """The graph of a plan in JARVIS's format; `name` names a task, `arguments` reads those of (task, names, positions).

    Of several tasks with one id the last is used, with the dependencies of all; a dependency on an unknown task or on
    itself is no edge.
    """
    tasks = list({task["id"]: task for task in plan}.values())
    positions = {task["id"]: index for index, task in enumerate(tasks)}
    names = [name(task) for task in tasks]
    edges = dict.fromkeys(
        (positions[dep], positions[task["id"]])
        for task in plan
        for dep in task.get("dep", [])
        if dep in positions and dep != task["id"]
    )
    return Graph(tuple(names), tuple(edges), tuple(tuple(arguments(task, names, positions)) for task in tasks))


def project_name(task: Mapping[str, Any]) -> str:
    return str(task["task"]).strip().lower()


def project_arguments(task: Mapping[str, Any], names: Sequence[str], positions: Mapping[Any, int]) -> list[Argument]:
    """The arguments of a task; each item of a list is one."""
    return [
        Argument(key, str(item), source_of(item, positions))
        for key, value in (task.get("args") or {}).items()
        for item in (value if isinstance(value, list) else [value])
    ]


def source_of(value: Any, positions: Mapping[Any, int]) -> int | None:
    """The index of the task that an argument refers to, None without a reference."""
    match = REFERENCE.search(value) if isinstance(value, str) else None
    return positions.get(int(match[1])) if match and match[1].isdigit() else None


def normalised(text: str) -> str:
    """A text normalised for comparison: without case, extra spaces, and outer quotes and punctuation."""
    return re.sub(r"^[\W_]+|[\W_]+$", "", " ".join(text.casefold().split())) or text.strip()


def resolve_alternatives(gold: Graph, plan: Graph) -> Graph:
    """The gold graph where alternative texts are replaced by the one in the plan, else by the first."""
    if not gold.args:
        return gold
    planned_values = {
        (task, arg.name, normalised(arg.value)): arg.value for task, args in plan.nodes_args() for arg in args
    }

    def choose(task: str, arg: Argument) -> Argument:
        texts = arg.value.split(ALTERNATIVES)
        values = (
            planned_values[key] for text in texts if (key := (task, arg.name, normalised(text))) in planned_values
        )
        return replace(arg, value=next(values, texts[0]))

    args = tuple(tuple(choose(task, arg) for arg in args) for task, args in gold.nodes_args())
    return replace(gold, args=args)


def same_graph(one: Graph, other: Graph, arguments: bool = False) -> bool:
    """Whether two graphs are isomorphic; with `arguments`, whether these are the same, too (by `normalised`)."""
    import networkx as nx

    def tagged(graph: Graph) -> Any:
        tagged_graph = nx.DiGraph()
        for index, (task, args) in enumerate(graph.nodes_args()):
            constants = sorted((arg.name, normalised(arg.value)) for arg in args if arg.source is None)
            tagged_graph.add_node(index, tag=(task, constants if arguments else None))
        for source, target in graph.edges:
            names = sorted(arg.name for arg in graph.args[target] if arg.source == source) if graph.args else []
            tagged_graph.add_edge(source, target, tag=names if arguments else None)
        return tagged_graph

    def same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
        return bool(a["tag"] == b["tag"])

    return bool(nx.is_isomorphic(tagged(one), tagged(other), node_match=same, edge_match=same))
