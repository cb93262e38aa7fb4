"""A plan: a directed acyclic graph of typed tasks.

The format is JARVIS's: a list of {"task", "id", "dep", "args"}; an argument `<GENERATED>-3` (JARVIS) or
`<resource>-3` (the paper) stands for what task 3 generates. `plan_repair.py` makes a `Plan` from the output
of a planner; a task that could not be repaired there keeps a `problem` and is not run. `plan_forms.py` reads other
forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hugginggpt.core.conversation import MissingInput
from hugginggpt.core.questions import Condition, Question
from hugginggpt.core.tasks import TaskType

REFERENCE = re.compile(r"<(?:generated|resource|node)(?:>-|-)([A-Za-z0-9_]+)>?", re.IGNORECASE)


def reference(task_id: int) -> str:
    """The argument that stands for what a task generates."""
    return f"<GENERATED>-{task_id}"


@dataclass(frozen=True, slots=True)
class Task:
    """One node of the graph. `dep` holds the ids of the tasks it waits for, without JARVIS's -1.

    `row` is the task's row in the table; None for an unknown task, which always has a `problem`. `when` is the
    condition under which it is run; the tasks of its question are among `dep`. `model` is the model that is to do it,
    where a person has said so; `save_as` is the name that the file which it makes is to have.
    """

    id: int
    task: str
    dep: tuple[int, ...] = ()
    args: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    row: TaskType | None = None
    when: Condition | None = None
    model: str = ""
    save_as: str = ""

    @property
    def type(self) -> TaskType:
        """The task's row, of a task that can be run. Raises KeyError for an unknown task."""
        if self.row is None:
            raise KeyError(self.task)
        return self.row

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"when": self.when.to_json()} if self.when else {}
        if self.model:
            told["model"] = self.model
        if self.save_as:
            told["save_as"] = self.save_as
        return {"task": self.task, "id": self.id, "dep": list(self.dep) or [-1], "args": dict(self.args), **told}


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be different of a task: its model ("" as before), and arguments; one that is empty is left out."""

    task: int
    model: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lack:
    """Why something cannot be done, as a sentence ("No expert here can …."), and what would let it be done ("set
    HF_TOKEN"), "" where nothing would.
    """

    why: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Unplanned:
    """A part of a request for which there is no task: `text` is the user's; `why` and `remedy` are those of a `Lack`,
    "" where the part was not understood.
    """

    text: str
    why: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Tasks in an order in which each comes after its dependencies; `notes` say what was repaired.

    `questions` are those that the request puts to the results; `unplanned` are its parts for which there is no task.
    `language` is the code of the request's language (ISO 639-1) where the planner understood one that is not English.
    Of a request without tasks, `missing` is the input that they lack, `small_talk` the kind of small talk that it is.
    `request` is the full request that a follow-up stands for, where the planner has read one.
    """

    tasks: tuple[Task, ...] = ()
    notes: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    unplanned: tuple[Unplanned, ...] = ()
    language: str = ""
    missing: MissingInput | None = None
    small_talk: str = ""
    request: str = ""

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
