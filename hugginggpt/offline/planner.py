"""A planner that needs no language model.

A request in people's own words is divided into clauses (`clauses.py`), each asks for a task (`intents.py`), and
types and words wire them (`wiring.py`). Where a plan is limited to TaskBench's tools, a network that has learned
its conventions tells the tasks and their links (`toolnet.py`); so it does for a long request with unclear clauses.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from hugginggpt.core.events import Event, Planned
from hugginggpt.core.plan_repair import repair
from hugginggpt.core.results import Kind
from hugginggpt.llm.base import Message
from hugginggpt.media.references import MAX_WORDS_OF_NAME, Resource, find_resources, find_texts
from hugginggpt.media.types import type_of
from hugginggpt.offline.clauses import Clause, split, with_context
from hugginggpt.offline.cues import TASKS
from hugginggpt.offline.intents import Reading, find_intents, lacking
from hugginggpt.offline.memory import MAX_LENGTH, Memory, remember
from hugginggpt.offline.tool_network.plan import has_inputs, tool_nodes
from hugginggpt.offline.tool_network.scoring import tool_graph
from hugginggpt.offline.tool_network.tools import TOOL_TASKS
from hugginggpt.offline.wiring import Node, Wiring
from hugginggpt.stages.run import Run

log = logging.getLogger(__name__)
CLEAR, AT_LENGTH = 0.8, 18
"""A clause with a smaller share of its score than that is not clear; a request of so many words is a long one."""


@dataclass(frozen=True, slots=True)
class MissingInput:
    """The kind of input that was not found, and whether there is a video in place of a picture."""

    kind: Kind
    is_video: bool = False


class OfflinePlanner:
    def plan(self, run: Run) -> Generator[Event, None, None]:
        tasks = plan_offline(run.request, run.history, run.tasks, run.resources)
        yield Planned(repair(tasks, TASKS, run.limits.max_tasks))


def plan_offline(
    request: str,
    history: Sequence[Message] = (),
    tasks: frozenset[str] | None = None,
    named: Sequence[Resource] | None = None,
) -> list[dict[str, Any]]:
    """The tasks of a request, in JARVIS's format; none where none is asked for, or where all files that they would use
    are of types that cannot be read. `tasks` limits their types, `named` is what the request brings, where that is
    known.

    Why there is each task and each link is logged at the level debug.
    """
    nodes = _nodes(request[:MAX_LENGTH], history, tasks, named)
    for node in nodes:
        log.debug("task %d, %s, because of %s%s", node.id, node.task, node.why, _links(node))
    if _all_unreadable(nodes):
        return []
    return [node.to_json() for node in nodes]


def _all_unreadable(nodes: Sequence[Node]) -> bool:
    """Whether tasks would use files, and none of a type that can be read: that is said at once and nothing is run."""
    values = [value for node in nodes for value in node.args.values() if isinstance(value, str)]
    types = [type_of(value) for value in values if len(value.split()) <= MAX_WORDS_OF_NAME]
    readable = [file_type.readable for file_type in types if file_type is not None]
    return bool(readable) and not any(readable)


def restated(request: str, history: Sequence[Message], named: Sequence[Resource] | None = None) -> str:
    """The request, or for "And in b.jpg?" the one before it with that file in place of its own."""
    again = _again(request[:MAX_LENGTH], _named(request[:MAX_LENGTH], named), history)
    return request if again is None else restated(again, history[:-1])


def find_missing_input(
    request: str,
    history: Sequence[Message] = (),
    tasks: frozenset[str] | None = None,
    named: Sequence[Resource] | None = None,
) -> MissingInput | None:
    """What a request that has no plan is in want of; None where it asks for no task."""
    named = _named(request[:MAX_LENGTH], named)
    kind = lacking(split(request[:MAX_LENGTH], _placed(named)), tasks)
    at_hand = named or [one.resource for one in remember(history).named]
    return (
        MissingInput(kind, kind == "image" and any(resource.kind == "video" for resource in at_hand)) if kind else None
    )


def _nodes(
    request: str, history: Sequence[Message], tasks: frozenset[str] | None, named: Sequence[Resource] | None = None
) -> list[Node]:
    named = _named(request, named)
    if (again := _again(request, named, history)) is not None:
        return _nodes(again, history[:-1], tasks)
    if tasks is not None and tasks <= TOOL_TASKS and (graph := tool_graph(request, tasks)):
        return tool_nodes(request, graph, named)
    clauses = split(request, _placed(named))
    memory = remember(history)
    attached = [resource for resource in named if not resource.has_place]
    reading = find_intents(clauses, AvailableInputs(named, memory, clauses), tasks, memory.heard(), attached)
    # the network has learned from requests that say what is to be done, not what is not
    clear = any(clause.is_negated for clause in clauses) or not _is_unclear(request, named, reading)
    if not clear and (graph := tool_graph(request, tasks or TOOL_TASKS)):
        sure = {intent.task for intent in reading.intents if intent.share > CLEAR}
        nodes = tool_nodes(request, graph, named)
        if sure <= {node.task for node in nodes} and all(map(has_inputs, nodes)):
            return nodes
    wiring = Wiring(request, named, clauses, memory)
    for intent in reading.intents:
        wiring.add(intent)
    return wiring.nodes


def _named(request: str, named: Sequence[Resource] | None = None) -> list[Resource]:
    """What a request brings, `named` where that is known, and the statements beside a question."""
    known = find_texts(request, find_resources(request)) if named is None else list(named)
    return with_context(request, [one for one in known if one.end <= len(request)])


def _placed(named: Sequence[Resource]) -> list[Resource]:
    return [resource for resource in named if resource.has_place]


def _is_unclear(request: str, named: Sequence[Resource], reading: Reading) -> bool:
    """Whether a request is told at length and not clear clause by clause: the network has learned from such."""
    return reading.sureness < CLEAR and len(re.findall(r"\w+", _rest(request, named))) >= AT_LENGTH


class AvailableInputs:
    """Tells whether there could be an input of a kind after some tasks."""

    def __init__(self, named: Sequence[Resource], memory: Memory, clauses: Sequence[Clause]) -> None:
        at_hand = (*named, *(one.resource for one in memory.named))
        kinds = {resource.kind for resource in at_hand if resource.is_file}
        self.kinds = kinds | ({"image"} if None in kinds else set()) | ({"audio"} if "video" in kinds else set())
        self.text = bool(clauses)

    def __call__(self, kind: Kind, before: Sequence[str]) -> bool:
        if kind == "text":
            return self.text
        return kind in self.kinds or any(kind in TASKS[task].result.makes for task in before)


def _again(request: str, named: Sequence[Resource], history: Sequence[Message]) -> str | None:
    """For "And in b.jpg?" the user's last request with that file (or quoted text) in place of its own; else None."""
    words = re.sub(r"\W+", " ", _rest(request, named)).strip().lower()
    new = [resource for resource in named if resource.is_file] or list(named)
    if not new or not re.fullmatch(
        r"(?:(?:and|or|now|do|again|also|what|how|about|in|on|for|of|with|to|the|same|then|please|next) ?)+", words
    ):
        return None
    asked = [message["content"] for message in history if message["role"] == "user"]
    if not asked:
        return "" if "same" in words else None
    said = ", ".join(
        request[resource.start : resource.end] if resource.has_place else resource.text for resource in new
    )
    old = [resource for resource in _named(asked[-1]) if resource.is_file == new[0].is_file]
    return asked[-1][: old[0].start] + said + asked[-1][old[-1].end :] if old else f"{asked[-1]} {said}"


def _rest(request: str, named: Sequence[Resource]) -> str:
    pieces, at = [], 0
    for resource in _placed(named):
        pieces.append(request[at : resource.start])
        at = resource.end
    return " ".join((*pieces, request[at:]))


def _links(node: Node) -> str:
    """What a task waits for, in words."""
    waits = [
        f"{name} from task {value.rpartition('-')[2]}"
        for name, value in node.args.items()
        if str(value).startswith("<GENERATED>-")
    ]
    return f"; takes {' and '.join(waits)}" if waits else ""
