"""A task that is to be done to a part of a text gets that part: "read only the bit about the hotline aloud"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from hugginggpt.core.plan import reference
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.experts import text_parts
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.nodes import Node


class Plan(Protocol):
    """What the plan under construction (`wiring.Wiring`) gives to know and to do."""

    request: str

    @property
    def table(self) -> TaskTable: ...

    def append(self, task: str, args: dict[str, Any]) -> Node: ...


def narrowed(plan: Plan, row: TaskType, clause: Clause, sources: Sequence[str]) -> list[str]:
    """The texts of a task, or references to the tasks that take the part out of each that the clause names."""
    words = plan.request[clause.start : clause.end].strip(" \n,;:")
    is_part = text_parts.topic_of(words) or (row.wording == "speech" and text_parts.names_part(words))
    if row.wording == "question" or not is_part:
        return list(sources)
    task = plan.table.question_task("text")
    return [reference(plan.append(task, {"text": words, "context": source}).id) for source in sources]
