"""Plans what a request in another language asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hugginggpt.core.conversation import MissingInput
from hugginggpt.core.plan import Unplanned
from hugginggpt.core.questions import Question
from hugginggpt.core.tasks import TaskTable
from hugginggpt.offline.languages.reading import ForeignRequest, Step
from hugginggpt.offline.memory import Memory
from hugginggpt.offline.nodes import Node
from hugginggpt.offline.wiring import Wiring


@dataclass(frozen=True, slots=True)
class ForeignPlan:
    """Tasks with the questions to their results; `missing` is the input of a task that could not be planned."""

    nodes: Sequence[Node]
    questions: tuple[Question, ...]
    unplanned: tuple[Unplanned, ...]
    missing: MissingInput | None


def plan(foreign: ForeignRequest, memory: Memory, table: TaskTable) -> ForeignPlan:
    """The tasks of the steps, connected by types like those of an English request."""
    request = foreign.request
    wiring = Wiring(request.text, request.named, foreign.clauses, memory, table)
    questions: list[Question] = []
    missing = foreign.missing
    for step in foreign.steps:
        nodes = _add(wiring, step)
        if not nodes:
            row = table[step.intent.task]
            missing = missing or MissingInput(row.input_kind, row.name, row.input_arg.name)
        elif step.question:
            questions.append(replace(step.question, tasks=tuple(node.id for node in nodes)))
    return ForeignPlan(wiring.nodes, tuple(questions), foreign.unplanned, None if wiring.nodes else missing)


def _add(wiring: Wiring, step: Step) -> list[Node]:
    """Adds a step's tasks, with its arguments; the tasks of its type that it asks for, also where they were planned."""
    before = len(wiring.nodes)
    wiring.add(step.intent)
    new = [node for node in wiring.nodes[before:] if node.task == step.intent.task]
    for node in new:
        node.args.update(step.args)
    return new or [node for node in wiring.nodes if node.task == step.intent.task]
