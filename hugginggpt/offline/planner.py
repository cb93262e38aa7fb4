"""A planner that works without a language model.

A request in free text is split into clauses (`clauses.py`), each is classified by task (`intents.py`), and the tasks
are connected by types and references (`wiring.py`). Where a plan is restricted to TaskBench's tools, a network trained
on its requests predicts tasks and links (`tool_network/`); so it does for a long request with unclear clauses.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Sequence
from typing import Any

from hugginggpt.core.conversation import MissingInput, Turn
from hugginggpt.core.events import Event, Planned
from hugginggpt.core.plan_repair import repair
from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.references import MAX_WORDS_OF_NAME, Resource, find_resources, find_texts
from hugginggpt.media.types import type_of
from hugginggpt.offline.clauses import Clause, split
from hugginggpt.offline.follow_ups import Request, in_full
from hugginggpt.offline.intents import Reading, find_intents, missing_input
from hugginggpt.offline.memory import Memory, find_selection, remember
from hugginggpt.offline.tool_network.plan import has_inputs, tool_nodes
from hugginggpt.offline.tool_network.scoring import tool_graph
from hugginggpt.offline.tool_network.tools import TOOL_TASKS
from hugginggpt.offline.wiring import Node, Wiring
from hugginggpt.stages.run import Run

log = logging.getLogger(__name__)
MIN_CONFIDENCE, LONG_REQUEST_WORDS = 0.8, 18
"""The minimum share of a clear clause's score, and the number of words from which a request counts as long."""


class OfflinePlanner:
    def __init__(self, table: TaskTable) -> None:
        self.table = table

    def plan(self, run: Run) -> Generator[Event, None, None]:
        tasks = plan_offline(run.request, self.table, run.turns, run.tasks, run.resources)
        yield Planned(repair(tasks, self.table, run.limits.max_tasks))


def plan_offline(
    text: str,
    table: TaskTable,
    turns: Sequence[Turn] = (),
    tasks: frozenset[str] | None = None,
    resources: Sequence[Resource] | None = None,
) -> list[dict[str, Any]]:
    """The tasks of a request, of the types in the table and in JARVIS's format; none where none is asked for, or where
    all files that they would use are of types that cannot be read. `turns` are the conversation before it, `tasks` limits the types of tasks,
    `resources` are what the request brings, where that is known.

    Why there is each task and each link is logged at the level debug.
    """
    if resources is None:
        resources = find_texts(text, find_resources(text))
    nodes = _nodes(in_full(Request.read(text, resources, turns), table), table, tasks)
    for node in nodes:
        log.debug("task %d, %s; reason: %s%s", node.id, node.task, node.why, _links(node))
    if _all_unreadable(nodes):
        return []
    return [node.to_json() for node in nodes]


def _all_unreadable(nodes: Sequence[Node]) -> bool:
    """Whether all files of the tasks have unreadable types, so that the answer can say so and nothing is run."""
    values = [value for node in nodes for value in node.args.values() if isinstance(value, str)]
    types = [type_of(value) for value in values if len(value.split()) <= MAX_WORDS_OF_NAME]
    readable = [file_type.readable for file_type in types if file_type is not None]
    return bool(readable) and not any(readable)


def find_missing_input(request: Request, table: TaskTable, tasks: frozenset[str] | None = None) -> MissingInput | None:
    """The input that a request without a plan lacks; None where it asks for no task."""
    return missing_input(split(request.text, request.placed), table, tasks)


def has_only_video(request: Request, table: TaskTable) -> bool:
    """Whether a video, of which only the sound can be used, is available."""
    available = list(request.named) or [item.resource for item in remember(request.turns, table).named]
    return any(resource.kind == "video" for resource in available)


def _nodes(request: Request, table: TaskTable, tasks: frozenset[str] | None) -> list[Node]:
    text, named = request.text, request.named
    if tasks is not None and tasks <= TOOL_TASKS and (graph := tool_graph(text, tasks)):
        return tool_nodes(text, graph, named, table)
    clauses = split(text, request.placed)
    memory = remember(request.turns, table)
    if request.attached and not find_selection(text):
        memory = memory.without_files()  # attached files take precedence over those of the conversation
    available = AvailableInputs(named, memory, clauses)
    reading = find_intents(clauses, available, table, tasks, memory.last_transcript(), request.attached)
    # the network was trained on requests without negated clauses
    is_clear = any(clause.is_negated for clause in clauses) or not _is_unclear(request, reading)
    if not is_clear and (graph := tool_graph(text, tasks or TOOL_TASKS)):
        confident_tasks = {intent.task for intent in reading.intents if intent.share > MIN_CONFIDENCE}
        nodes = tool_nodes(text, graph, named, table)
        if confident_tasks <= {node.task for node in nodes} and all(has_inputs(node, table) for node in nodes):
            return nodes
    wiring = Wiring(text, named, clauses, memory, table)
    for intent in reading.intents:
        wiring.add(intent)
    return wiring.nodes


def _is_unclear(request: Request, reading: Reading) -> bool:
    """Whether a request is long and has an unclear clause, like the requests that the network was trained on."""
    return reading.confidence < MIN_CONFIDENCE and len(re.findall(r"\w+", request.bare_words)) >= LONG_REQUEST_WORDS


class AvailableInputs:
    """Whether an input of a kind could be available after some tasks, as a callable."""

    def __init__(self, named: Sequence[Resource], memory: Memory, clauses: Sequence[Clause]) -> None:
        available = (*named, *(item.resource for item in memory.named))
        kinds = {resource.kind for resource in available if resource.is_file}
        self.kinds = kinds | ({"image"} if None in kinds else set()) | ({"audio"} if "video" in kinds else set())
        self.table = memory.table
        self.text = bool(clauses)

    def __call__(self, kind: Kind, before: Sequence[str]) -> bool:
        if kind == "text":
            return self.text
        return kind in self.kinds or any(kind in self.table[task].result.makes for task in before)


def _links(node: Node) -> str:
    """The inputs that a task takes from others, in words."""
    inputs = [
        f"{name} from task {value.rpartition('-')[2]}"
        for name, value in node.args.items()
        if str(value).startswith("<GENERATED>-")
    ]
    return f"; takes {' and '.join(inputs)}" if inputs else ""
