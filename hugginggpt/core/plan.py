"""A plan: a directed acyclic graph of typed tasks, and how one is read from a model's answer.

The format is JARVIS's: a list of {"task", "id", "dep", "args"}; an argument `<GENERATED>-3` (JARVIS) or
`<resource>-3` (the paper) stands for what task 3 generates. `plan_repair.py` makes a `Plan` from the output
of a planner; a task that could not be repaired there keeps a `problem` and is not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hugginggpt.core.errors import ModelOutputError
from hugginggpt.core.lenient_json import NotJSON, find_values
from hugginggpt.core.tasks import TaskType

REFERENCE = re.compile(r"<(?:generated|resource|node)(?:>-|-)([A-Za-z0-9_]+)>?", re.IGNORECASE)


def reference(task_id: int) -> str:
    """The argument that stands for what a task generates."""
    return f"<GENERATED>-{task_id}"


@dataclass(frozen=True, slots=True)
class Task:
    """One node of the graph. `dep` holds the ids of the tasks it waits for, without JARVIS's -1.

    `row` is the task's row in the table; None for an unknown task, which always has a `problem`.
    """

    id: int
    task: str
    dep: tuple[int, ...] = ()
    args: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    row: TaskType | None = None

    @property
    def type(self) -> TaskType:
        """The task's row, of a task that can be run. Raises KeyError for an unknown task."""
        if self.row is None:
            raise KeyError(self.task)
        return self.row

    def to_json(self) -> dict[str, Any]:
        return {"task": self.task, "id": self.id, "dep": list(self.dep) or [-1], "args": dict(self.args)}


@dataclass(frozen=True, slots=True)
class Plan:
    """Tasks in an order in which each comes after its dependencies; `notes` say what was repaired."""

    tasks: tuple[Task, ...] = ()
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    def __getitem__(self, task_id: int) -> Task:
        return next(task for task in self.tasks if task.id == task_id)

    @property
    def problems(self) -> list[str]:
        return [f"task {task.id} ({task.task}): {task.problem}" for task in self.tasks if task.problem]

    def to_json(self) -> list[dict[str, Any]]:
        """The plan in JARVIS's format."""
        return [task.to_json() for task in self.tasks]


def urgent_first(tasks: Sequence[Task]) -> list[Task]:
    """The tasks with the longest chain of dependents first, which is also a topological order.

    Tasks that start first are answered first, so the critical path of a plan does not wait for the rest of it (Hu's
    highest level first, 1961). `tasks` must be in topological order.
    """
    level: dict[int, int] = {}
    for task in reversed(tasks):
        level.setdefault(task.id, 0)
        for number in task.dep:
            level[number] = max(level.get(number, 0), level[task.id] + 1)
    return sorted(tasks, key=lambda task: -level[task.id])


def references(args: Mapping[str, Any]) -> list[int]:
    """The ids of the tasks that the arguments refer to, without duplicates."""
    texts = [text for value in args.values() for text in (value if isinstance(value, list) else [value])]
    numbers = [match for text in texts if isinstance(text, str) for match in REFERENCE.findall(text)]
    return [int(number) for number in dict.fromkeys(numbers) if number.isdigit()]


def read_tasks(text: str) -> list[Any]:
    """The task objects in a language model's answer: a list, {"tasks": [...]} or single objects, in any prose.

    Of several lists the last is taken, since models correct themselves. Raises ModelOutputError.
    """
    plans: list[list[Any]] = []
    singles: list[Any] = []
    try:
        for value in find_values(text):
            if isinstance(value, dict) and isinstance(value.get("tasks"), list):
                value = value["tasks"]
            if isinstance(value, list) and (not value or any(_is_task(item) for item in value)):
                plans.append(value)
            elif _is_task(value):
                singles.append(value)
    except NotJSON as error:
        raise ModelOutputError(f"The plan could not be read: {error}.") from error
    tasks = next((plan for plan in reversed(plans) if plan), None) or singles
    if not tasks and not plans:
        raise ModelOutputError('The answer holds no JSON list of {"task", "id", "dep", "args"} objects.')
    return tasks


def _is_task(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("task"), str)
