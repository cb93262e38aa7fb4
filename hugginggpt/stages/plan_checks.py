"""Checks a plan that a language model wrote against what is there: the kinds of its files, and whether they exist.

A file of a kind that a task does not take is a problem of that task. A file that is nowhere, and that nobody has spoken
of, was made up where the request brings others: a task that needs it is left out with a note, unless another waits for
it or nothing else is planned (then it fails when it is run). Of a file that the request names and no task uses, a note
tells.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, cached_property

from hugginggpt.core.conversation import find_attachment
from hugginggpt.core.plan import REFERENCE, Plan, Task
from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.core.tasks import Arg
from hugginggpt.media.names import base_name
from hugginggpt.media.tables import is_file
from hugginggpt.stages.run import Run

Exists = Callable[[str], bool]
"""Whether a path of the public folder names a file."""

_ALSO: dict[Kind, tuple[Kind, ...]] = {
    "audio": ("video",), "table": ("text",), "document": ("text", "table", "image"),
}  # fmt: skip
"""Kinds of files that are taken for another, too: of a video the sound, a text file that holds a table, and for a
document any file with pages.
"""


class PlanChecks:
    """The checks of the plans for one run; each file is looked for once, also while a plan is still being streamed."""

    def __init__(self, run: Run, exists: Exists) -> None:
        self.run = run
        self.exists = exists
        self.told: list[str] = []
        """The mistakes that the model was told of: a small one copies them into arguments."""
        self._is_there = cache(self._look_for)

    @cached_property
    def named(self) -> list[str]:
        """The files of the request."""
        return [resource.text for resource in self.run.resources if resource.is_file]

    def checked(self, plan: Plan) -> Plan:
        """The plan with the problems and notes of the checks."""
        problems = {task.id: reason for task in plan if (reason := self.problem(task))}
        needed = {number for task in plan for number in task.dep}
        made_up = [task for task in plan if task.id not in needed and not problems.get(task.id) and self._made_up(task)]
        left_out = {task.id for task in made_up} if len(made_up) < len(plan) else set()
        kept = [_with_problem(task, problems.get(task.id, "")) for task in plan if task.id not in left_out]
        notes = [f"task {one.id} ({one.task}) was left out: {_missing(self._made_up(one))}" for one in made_up]
        notes = notes if left_out else []
        return replace(plan, tasks=tuple(kept), notes=(*plan.notes, *notes, *(self._unused(plan) if kept else ())))

    def may_begin(self, task: Task) -> bool:
        """Whether nothing speaks against a task of a plan that is not complete yet."""
        return not self.problem(task) and not self._made_up(task)

    def problem(self, task: Task) -> str:
        """Why a task cannot be run: its own problem, a file of a kind that it does not take, or words that were
        said of the plan, in place of the user's; "" for none.
        """
        if task.problem:
            return task.problem
        for arg, value in _files(task):
            kind = self.run.kind_of(value)
            if kind and kind not in (*arg.kinds, *_ALSO.get(arg.kind, ())):
                return f"its argument {arg.name} wants {_a(arg.kind)}, but {value[:80]} is {_a(kind)}"
        if any(mistake in text for text in _texts(task) for mistake in self.told if mistake not in self.run.request):
            return "an argument of it repeats what was wrong in the plan before"
        return ""

    def _made_up(self, task: Task) -> str:
        """The first file of a task that there is not, where the request brings files of its own; "" for none."""
        if not self.named:
            return ""
        return next((value for arg, value in _files(task) if arg.kind in FILE_KINDS and not self._is_there(value)), "")

    def has_inputs(self, task: Task) -> bool:
        """Whether the files of a task are there, or somebody has spoken of them."""
        return all(self._is_there(value) for arg, value in _files(task) if arg.kind in FILE_KINDS or is_file(value))

    def _look_for(self, name: str) -> bool:
        """Whether a file exists, or somebody has spoken of it; what an address leads to is seen when it is fetched."""
        if "://" in name or find_attachment(name, self.run.known_files) or self.exists(name):
            return True
        return base_name(name).lower() in self._spoken_of

    @cached_property
    def _spoken_of(self) -> str:
        """All texts of the conversation, in lower case: messages, arguments and results of earlier tasks, files."""
        said = [message["content"] for message in self.run.messages]
        done = [[task.args, task.value] for turn in self.run.turns for task in turn.tasks]
        files = [file.to_json() for file in self.run.known_files]
        return " ".join([*said, json.dumps([done, files], ensure_ascii=False, default=str)]).lower()

    def _unused(self, plan: Plan) -> Iterator[str]:
        """Notes on the files of the request that stand in no argument."""
        if not self.named:
            return
        files = self.run.known_files
        used = json.dumps([dict(task.args) for task in plan], ensure_ascii=False, default=str).lower()
        meant = {find_attachment(text, files) for task in plan for text in _texts(task)} - {None}
        for name in self.named:
            if base_name(name).lower() not in used and find_attachment(name, files) not in meant:
                yield f"{name[:80]}, which belongs to the request, is used in no task"


def _files(task: Task) -> Iterator[tuple[Arg, str]]:
    """The arguments of a task that should be files or tables, and are no references."""
    for name, value in task.args.items():
        arg = task.row.arg(name) if task.row else None
        for item in value if isinstance(value, list) else [value]:
            if arg and arg.kind != "text" and isinstance(item, str) and not REFERENCE.search(item):
                yield arg, item.strip()


def _texts(task: Task) -> Iterator[str]:
    """The texts in the arguments of a task, also those of lists."""
    for value in task.args.values():
        yield from (one.strip() for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


def _with_problem(task: Task, problem: str) -> Task:
    return task if task.problem or not problem else replace(task, problem=problem)


def _missing(name: str) -> str:
    return f"there is no file {name[:80]}, and nobody has spoken of one"


def _a(kind: Kind) -> str:
    return f"an {kind}" if kind[0] in "ai" else f"a {kind}"
