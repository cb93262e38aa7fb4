"""Tasks of a language model's plan that are put to a file of another kind than theirs, and the tasks that are meant.

A PDF or a presentation looks like pages to a model, which asks about it as about a picture, or has it read first. To
the table of tasks it is a text (or a table), which needs no reading. So a question goes to the task for questions about
the file's kind, and a task that would read it is left out: those that wait for it get the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from hugginggpt.core.plan import references
from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.core.task_types import TaskType
from hugginggpt.core.tasks import TaskTable

_READ_AS: dict[Kind, str] = {"text": "a text", "table": "a table"}


class Draft(Protocol):
    """What is changed of a task whose plan is being repaired."""

    id: int
    name: str
    row: TaskType | None
    dep: list[int]
    args: dict[str, Any]


D = TypeVar("D", bound=Draft)


def put_to_their_kinds(
    drafts: Sequence[D], table: TaskTable, kind_of: Callable[[str], Kind | None], notes: list[str]
) -> list[D]:
    """The tasks, where those that are put to a file of another kind are the ones that are meant."""
    left = list(drafts)
    for draft in drafts:
        row = draft.row
        if (
            row is None
            or row.input_kind not in FILE_KINDS
            or not (found := _other_file(row, draft.args, table, kind_of))
        ):
            continue
        name, file, kind = found
        about = f"{file[:80]} is {_READ_AS[kind]}"
        users = [other for other in drafts if draft.id in (*other.dep, *references(other.args))]
        if row.wording == "question" and (task := table.question_task(kind)):
            _ask(draft, table[task], row, name, table)
            notes.append(f"task {draft.id}: {about}, which {task} is asked about")
        elif row.reads_files and kind == "text" and users:
            for user in users:
                user.args = {key: _replaced(value, draft.id, file) for key, value in user.args.items()}
                user.dep = [number for number in user.dep if number != draft.id]
            left.remove(draft)
            notes.append(f"task {draft.id} ({row.name}) was left out: {about}, which needs no reading")
    return left


def _other_file(
    row: TaskType, args: dict[str, Any], table: TaskTable, kind_of: Callable[[str], Kind | None]
) -> tuple[str, str, Kind] | None:
    """The name and value of the argument for a task's file that is a text or table instead, and that kind."""
    for name, value in args.items():
        arg = row.arg(table.arg_aliases.get(name.lower(), name.lower()))
        kind = kind_of(value.strip()) if isinstance(value, str) and arg in (row.input_arg, None) else None
        if kind in _READ_AS:
            return name, value.strip(), kind
    return None


def _ask(draft: Draft, task: TaskType, row: TaskType, name: str, table: TaskTable) -> None:
    """Makes a question about a file one of the task for the file's kind."""
    file_arg = next(arg for arg in task.required if arg is not task.text_arg)
    args: dict[str, Any] = {}
    for key, value in draft.args.items():
        is_question = row.arg(table.arg_aliases.get(key.lower(), key.lower())) is row.text_arg
        new = file_arg.name if key == name else task.text_arg.name if is_question and task.text_arg else key
        args[new] = value
    draft.row, draft.name, draft.args = task, task.name, args


def _replaced(value: Any, number: int, file: str) -> Any:
    """The file in place of a reference to a task that is nothing else."""
    return file if isinstance(value, str) and value.strip() == f"<GENERATED>-{number}" else value
