"""A plan as a file: the tasks in JARVIS's format, the inputs that they take, and the request that they answer.

    {"request": "How many people are in photo.jpg?",
     "inputs": [{"name": "photo.jpg", "kind": "image"}],
     "tasks": [{"task": "object-detection", "id": 0, "dep": [-1], "args": {"image": "photo.jpg"}}],
     "questions": [...]}

An input is a slot: where an argument is its name, the file stands that takes the slot, which the request then names,
too. In an argument, `{name}` stands for an input that is a text. A task may name its "model". A bare list of tasks, as
JARVIS's /tasks gives it, is a plan without inputs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hugginggpt.core.conversation import Attachment, Turn, find_attachment
from hugginggpt.core.documents import split_name
from hugginggpt.core.errors import UserError
from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.plan import Plan, Task
from hugginggpt.core.plan_repair import repair, with_models
from hugginggpt.core.questions import Question, read_question
from hugginggpt.core.results import INVALID_RESULT_ERRORS, Kind, well_formed
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.names import base_name
from hugginggpt.media.store import ACCEPTED
from hugginggpt.media.types import KIND_NAMES
from hugginggpt.stages.plan_checks import PlanChecks
from hugginggpt.stages.run import Run, Runner
from hugginggpt.stages.task_runner import file_of

GIVEN = "given"
"""The planner of a plan that came with the request."""
_FORM = 'a plan is {"tasks": [{"task", "id", "dep", "args"}], "inputs": [{"name", "kind"}]}, or the list of tasks alone'


@dataclass(frozen=True, slots=True)
class Input:
    """A file, or a text, that a plan takes. `name` stands for it in the arguments."""

    name: str
    kind: Kind

    def accepts(self, file: Attachment) -> bool:
        return file.kind is None or file.kind in ACCEPTED.get(self.kind, (self.kind,))

    def to_json(self) -> dict[str, str]:
        return {"name": self.name, "kind": self.kind}


@dataclass(frozen=True, slots=True)
class PlanFile:
    """`tasks` are objects in JARVIS's format, as a person may have written them; `questions` those to their results."""

    tasks: Sequence[Mapping[str, Any]]
    inputs: tuple[Input, ...] = ()
    request: str = ""
    questions: tuple[Question, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "request": self.request,
            "inputs": [one.to_json() for one in self.inputs],
            "tasks": list(self.tasks),
            "questions": [question.to_json() for question in self.questions],
        }

    def to_text(self) -> str:
        return json.dumps(self.to_json(), ensure_ascii=False, indent=2) + "\n"


# Out


def plan_file(
    plan: Plan,
    request: str,
    files: Sequence[Attachment] = (),
    called: Callable[[str], str | None] | None = None,
) -> PlanFile:
    """A plan whose files are inputs by their names alone; `files` came with the request or earlier.

    With `called`, only the files become inputs for whose references it gives a name.
    """
    slots: dict[str, Input] = {}
    tasks = [_with_slots(task, files, slots, called) for task in plan]
    names: dict[str, str] = {}
    for source, one in slots.items():
        attached = find_attachment(source, files)
        known = (source, attached.source, attached.name) if attached else (source,)
        names |= dict.fromkeys(known, one.name)
    questions = tuple(replace(one, text=renamed(one.text, names)) for one in plan.questions)
    return PlanFile(tasks, tuple(slots.values()), renamed(request, names), questions)


def _with_slots(
    task: Task, files: Sequence[Attachment], slots: dict[str, Input], called: Callable[[str], str | None] | None
) -> dict[str, Any]:
    """A task in JARVIS's format with the names of inputs in place of its files; new ones are added to the `slots`."""

    def slot(name: str, value: Any) -> Any:
        found = file_of(task, name, value, files) if task.row else None
        if found is None:
            return value
        source, kind = found
        if source not in slots:
            attached = find_attachment(source, files)
            name = _free(base_name(attached.name if attached else source), slots)
            if called and not (name := called(attached.reference if attached else source) or ""):
                return value
            slots[source] = Input(name, kind)
        return slots[source].name + value[len(source) :]

    args = {
        name: [slot(name, item) for item in value] if isinstance(value, list) else slot(name, value)
        for name, value in task.args.items()
    }
    return {**task.to_json(), "args": args}


def _free(name: str, slots: Mapping[str, Input]) -> str:
    """The name, with a number where another input is called so."""
    taken = {one.name for one in slots.values()}
    stem, dot, suffix = name.rpartition(".")
    others = (f"{stem or name}-{number}{dot}{suffix if stem else ''}" for number in range(2, len(taken) + 3))
    return next(one for one in (name, *others) if one not in taken)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with other names for files, the longest first; each name is a word by itself."""
    if not names:
        return text
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\w/.\\])(?:{either})(?![\w/])", lambda match: names[match[0]], text)


# In


def load_plan_file(path: Path) -> PlanFile:
    """Raises UserError for a file that cannot be read, or holds no plan."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The plan {path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    return plan_of_text(text, str(path))


def plan_of_text(text: str, name: str = "") -> PlanFile:
    """Raises UserError for a text that is no plan."""
    try:
        value = read_json(text)
    except ValueError as error:
        raise UserError(f"{name or 'The plan'} is no JSON: {error}.") from error
    return read_plan_file(value)


def read_plan_file(value: Any) -> PlanFile:
    """A plan from its JSON. Raises UserError."""
    value = well_formed(value)
    value = {"tasks": value} if isinstance(value, list) else value
    tasks = value.get("tasks") if isinstance(value, dict) else None
    if not isinstance(tasks, list) or not all(isinstance(task, dict) and task.get("task") for task in tasks):
        raise UserError(f"That is no plan: {_FORM}.")
    try:
        inputs = tuple(_input(one) for one in value.get("inputs") or ())
        questions = tuple(map(read_question, value.get("questions") or ()))
    except INVALID_RESULT_ERRORS as error:
        raise UserError(f"The inputs or questions of the plan cannot be read ({error!r}): {_FORM}.") from error
    if len({one.name for one in inputs}) < len(inputs):
        raise UserError("Two inputs of the plan have the same name: give each one of its own.")
    return PlanFile(tasks, inputs, str(value.get("request") or ""), questions)


def _input(raw: Any) -> Input:
    """Raises one of INVALID_RESULT_ERRORS."""
    name, kind = raw["name"], raw["kind"]
    if not isinstance(name, str) or not name or kind not in KIND_NAMES:
        raise ValueError(f"an input has a name and one of the kinds {', '.join(KIND_NAMES)}")
    return Input(name, kind)


def filled(
    plan: PlanFile,
    files: Sequence[Attachment],
    texts: Mapping[str, str] | None = None,
    named: Mapping[str, Attachment] | None = None,
) -> PlanFile:
    """The plan with files, and with texts and `named` files by their names, in place of its inputs.

    A file goes to the input that is called like it, else to the first of its kind. Raises UserError for an input
    without a file, and for a file without an input.
    """
    texts, named = texts or {}, named or {}
    open_inputs = [one for one in plan.inputs if one.name not in texts and one.name not in named]
    taken = {**named, **_assigned(open_inputs, files)}
    values = {name: file.reference for name, file in taken.items()}
    braces = {f"{{{name}}}": text for name, text in {**texts, **values}.items()}

    def fill(value: Any) -> Any:
        if isinstance(value, list):
            return [fill(item) for item in value]
        if not isinstance(value, str):
            return value
        name = split_name(value)[0]
        return values[name] + value[len(name) :] if name in values else _with_texts(value, braces)

    names = {name: file.name for name, file in taken.items()}
    tasks = [
        {**task, "args": {key: fill(one) for key, one in task["args"].items()}}
        if isinstance(task.get("args"), dict)
        else task
        for task in plan.tasks
    ]
    questions = tuple(replace(one, text=renamed(one.text, names)) for one in plan.questions)
    return PlanFile(tasks, (), renamed(_with_texts(plan.request, braces), names), questions)


def _with_texts(text: str, texts: Mapping[str, str]) -> str:
    if not texts or "{" not in text:
        return text
    return re.sub("|".join(map(re.escape, texts)), lambda match: texts[match[0]], text)


def _assigned(wanted: Sequence[Input], files: Sequence[Attachment]) -> dict[str, Attachment]:
    """The file of each input."""
    left: list[Attachment] = list(files)
    taken: dict[str, Attachment] = {}
    fits: tuple[Callable[[Input, Attachment], bool], ...] = (
        lambda one, file: base_name(file.name).lower() == one.name.lower() and one.accepts(file),
        lambda one, file: file.kind == one.kind,
        Input.accepts,
    )
    for fit in fits:
        for one in wanted:
            if one.name not in taken and (file := next((file for file in left if fit(one, file)), None)):
                taken[one.name] = file
                left.remove(file)
    lacking = [one for one in wanted if one.name not in taken]
    if lacking:
        others = "".join(f", and {file.name} is {KIND_NAMES[file.kind]}" for file in left[:1] if file.kind)
        raise UserError(f"The plan needs {_listed(lacking)}{others}: attach what it needs.")
    if left:
        takes = f"which takes {_listed(wanted)}" if wanted else "which takes none"
        raise UserError(f"There is no input for {left[0].name} in the plan, {takes}.")
    return taken


def _listed(inputs: Sequence[Input]) -> str:
    return " and ".join(f"{KIND_NAMES[one.kind]} in place of {one.name}" for one in inputs)


# Runs


def checked_plan(plan: PlanFile, table: TaskTable, run: Run) -> Plan:
    """The plan without inputs that a filled file holds, repaired and checked: what is wrong is in its problems."""
    repaired = repair(plan.tasks, table, run.limits.max_tasks, run.kind_of)
    checks = PlanChecks(run, lambda name: True)
    ids = {task.id for task in repaired}
    tasks = tuple(replace(task, problem=checks.problem(task)) for task in with_models(repaired, plan.tasks))
    questions = tuple(one for one in plan.questions if ids.issuperset(one.tasks))
    return replace(repaired, tasks=tasks, questions=questions)


def run_of_plan(
    controller: Runner,
    plan: PlanFile,
    files: Sequence[Attachment] = (),
    texts: Mapping[str, str] | None = None,
    named: Mapping[str, Attachment] | None = None,
    request: str = "",
    turns: Sequence[Turn] = (),
) -> Run:
    """A run of a plan with these files and texts for its inputs; `request` in place of the plan's own.

    Raises UserError for inputs that do not fit; the plan of the run may have problems.
    """
    complete = filled(plan, files, texts, named)
    files = [*files, *(named or {}).values()]
    asked = request or complete.request or f"Run this plan: {', '.join(str(task['task']) for task in plan.tasks)}"
    run = controller.prepare([{"role": "user", "content": asked}], files, turns)
    run.plan = checked_plan(complete, controller.table, run)
    run.planned_by = {"planner": GIVEN}
    return run


def refuse_problems(plan: Plan) -> None:
    """Raises UserError where tasks of a plan cannot be run."""
    if not plan.tasks:
        raise UserError("The plan has no task.")
    if plan.problems:
        raise UserError(f"The plan cannot be run: {'; '.join(plan.problems)}.")
