"""Task graphs as they are scored: of a plan or of a gold label, under the names of the data they are held against."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hugginggpt.core.plan import REFERENCE

ALTERNATIVES = " || "
"""Between texts of a gold argument each of which is right."""
Name = Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: its name (of TaskBench's tools, the type of resource) and value, or the node that generates it."""

    name: str
    value: str
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by their task names, edges (source, target) as places in `names`, and each node's arguments.

    `args` is None where the data has no arguments. `stray` are links of the data whose ends are not among the nodes.
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
        """(task, argument's name) of every argument."""
        return {(task, arg.name) for task, args in self.nodes_args() for arg in args}

    @property
    def values(self) -> set[tuple[str, str, str]]:
        """(task, argument's name, value) of every argument; what a task generates is named by that task."""
        return {
            (task, arg.name, arg.value if arg.source is None else self.names[arg.source])
            for task, args in self.nodes_args()
            for arg in args
        }

    def nodes_args(self) -> zip[tuple[str, tuple[Argument, ...]]]:
        return zip(self.names, self.args or [()] * len(self.names), strict=True)

    def sequence(self) -> list[str]:
        """The task names in an order in which each comes after its sources, as they stand where that is free.

        Of a circle the first node comes first.
        """
        left = dict.fromkeys(range(len(self.names)))
        order: list[str] = []
        while left:
            waiting = {target for source, target in self.edges if source in left and source != target}
            at = next((node for node in left if node not in waiting), next(iter(left)))
            del left[at]
            order.append(self.names[at])
        return order

    def __str__(self) -> str:
        """The graph in one line: "image-to-text → translation; object-detection"."""
        inner = {node for edge in self.edges for node in edge}
        alone = [name for at, name in enumerate(self.names) if at not in inner]
        if self.shape() == "chain":
            return " → ".join(self.sequence())
        arrows = [f"{self.names[a]} → {self.names[b]}" for a, b in self.edges]
        return "; ".join([*arrows, *alone]) or "no task"

    def shape(self) -> str:
        """none, single, chain (each task feeds the next) or dag, as TaskBench calls them."""
        if len(self.names) < 2:
            return ("none", "single")[len(self.names)]
        links = set(self.edges)
        ends = [{edge[side] for edge in links} for side in (0, 1)]
        path = len(links) == len(self.names) - 1 and all(len(nodes) == len(links) for nodes in ends)
        return "chain" if path and len(ends[0] | ends[1]) == len(self.names) else "dag"


def graph_of_plan(plan: Sequence[Mapping[str, Any]], name: Name, arguments: Callable[..., list[Argument]]) -> Graph:
    """The graph of a plan in JARVIS's format; `name` names a task, `arguments` reads those of (task, names, positions).

    Of several tasks with one id the last counts, with the dependencies of all; one on nothing or itself is no edge.
    """
    tasks = list({task["id"]: task for task in plan}.values())
    positions = {task["id"]: at for at, task in enumerate(tasks)}
    names = [name(task) for task in tasks]
    edges = dict.fromkeys(
        (positions[dep], positions[task["id"]])
        for task in plan
        for dep in task.get("dep", [])
        if dep in positions and dep != task["id"]
    )
    return Graph(tuple(names), tuple(edges), tuple(tuple(arguments(task, names, positions)) for task in tasks))


def own_name(task: Mapping[str, Any]) -> str:
    return str(task["task"]).strip().lower()


def own_arguments(task: Mapping[str, Any], names: Sequence[str], positions: Mapping[Any, int]) -> list[Argument]:
    """The arguments under their names; each item of a list is one."""
    return [
        Argument(key, str(item), source_of(item, positions))
        for key, value in (task.get("args") or {}).items()
        for item in (value if isinstance(value, list) else [value])
    ]


def source_of(value: Any, positions: Mapping[Any, int]) -> int | None:
    """The place of the task that an argument refers to, None where it refers to none."""
    match = REFERENCE.search(value) if isinstance(value, str) else None
    return positions.get(int(match[1])) if match and match[1].isdigit() else None


def plain(text: str) -> str:
    """A text without what makes no difference between two spans: case, spaces, outer quotes and punctuation."""
    return re.sub(r"^[\W_]+|[\W_]+$", "", " ".join(text.casefold().split())) or text.strip()


def settled(gold: Graph, plan: Graph) -> Graph:
    """The gold graph with, of alternative texts, the one that the plan has, else the first."""
    if not gold.args:
        return gold
    had = {(task, arg.name, plain(arg.value)): arg.value for task, args in plan.nodes_args() for arg in args}

    def choose(task: str, arg: Argument) -> Argument:
        texts = arg.value.split(ALTERNATIVES)
        values = (had[key] for text in texts if (key := (task, arg.name, plain(text))) in had)
        return replace(arg, value=next(values, texts[0]))

    args = tuple(tuple(choose(task, arg) for arg in args) for task, args in gold.nodes_args())
    return replace(gold, args=args)


def same_graph(one: Graph, other: Graph, arguments: bool = False) -> bool:
    """Whether the graphs are the same but for the numbering; with `arguments`, these too (as `plain` reads them)."""
    import networkx as nx

    def tagged(graph: Graph) -> Any:
        made = nx.DiGraph()
        for at, (task, args) in enumerate(graph.nodes_args()):
            constants = sorted((arg.name, plain(arg.value)) for arg in args if arg.source is None)
            made.add_node(at, tag=(task, constants if arguments else None))
        for source, target in graph.edges:
            used = sorted(arg.name for arg in graph.args[target] if arg.source == source) if graph.args else []
            made.add_edge(source, target, tag=used if arguments else None)
        return made

    def same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
        return bool(a["tag"] == b["tag"])

    return bool(nx.is_isomorphic(tagged(one), tagged(other), node_match=same, edge_match=same))
