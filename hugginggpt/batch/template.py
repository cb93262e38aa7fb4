"""The plan of a batch: made for its first row, with slots for what differs from row to row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hugginggpt.batch.rows import Row, Rows
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import UserError
from hugginggpt.core.plan import Plan
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.plan_files import Input, PlanFile, plan_file

_COLUMN = re.compile(r"\{([^{}]+)\}")


def attachments_of(row: Row, media: MediaStore, is_public: bool = False) -> dict[str, Attachment]:
    """The files of a row by their columns; of a public row only what anybody may attach. Raises MediaError for one that
    cannot be used.
    """
    if not is_public:
        return {column: media.attachment(path) for column, path in row.files.items()}
    name = row.name if len(row.files) == 1 else ""
    return {column: media.public_attachment(path, name) for column, path in row.files.items()}


def request_for(request: str, row: Row, files: Mapping[str, Attachment]) -> str:
    """The request with the texts and file names of a row in place of "{column}". Raises UserError for another name."""
    known = {**row.texts, **{column: file.name for column, file in files.items()}}

    def value(match: re.Match[str]) -> str:
        if match[1] not in known:
            raise UserError(f"There is no column {match[1]}: there are {', '.join(known) or 'none'}.")
        return known[match[1]]

    return _COLUMN.sub(value, request) if row.texts or "{" in request else request


def template_of(plan: Plan, request: str, rows: Rows, files: Mapping[str, Attachment], table: TaskTable) -> PlanFile:
    """A plan for the first row as one for all: an input for each column, called like it.

    `request` is the one with "{column}", `files` are those of the first row. Raises UserError for a file column of
    which the plan uses nothing, and for a column that the request names and the plan does not use.
    """
    by_source = {file.reference: column for column, file in files.items()}
    whole = plan_file(plan, request, list(files.values()), by_source.get)
    tasks = [_with_texts(task, request, rows.rows[0].texts, table) for task in whole.tasks]
    used = str(tasks)
    named = {column for column in _COLUMN.findall(request) if column in rows.rows[0].texts}
    texts = tuple(Input(column, "text") for column in rows.text_columns if f"{{{column}}}" in used)
    found = {one.name for one in (*whole.inputs, *texts)}
    if lacking := [column for column in (*rows.file_columns, *named) if column not in found]:
        raise UserError(
            f"The plan takes nothing from the column {lacking[0]}: say in the request what is to be done with it, or "
            f"give a plan that has {{{lacking[0]}}} in an argument (--run-plan)."
        )
    return replace(whole, tasks=tasks, inputs=(*whole.inputs, *texts))


def _with_texts(task: Mapping[str, Any], request: str, texts: Mapping[str, str], table: TaskTable) -> Mapping[str, Any]:
    """A task with "{column}" for the texts of the first row that the request names, and in arguments called so."""
    row = table.find(str(task["task"]))
    named = {text: f"{{{column}}}" for column, text in texts.items() if text and f"{{{column}}}" in request}

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(item) for item in value]
        if not isinstance(value, str) or not named:
            return value
        either = "|".join(re.escape(text) for text in sorted(named, key=len, reverse=True))
        return re.sub(rf"(?<!\w)(?:{either})(?!\w)", lambda match: named[match[0]], value)

    args = {name: filled(value) for name, value in task["args"].items()}
    own = {column: f"{{{column}}}" for column in texts if column not in _COLUMN.findall(request)}
    args |= {name: slot for name, slot in own.items() if row and row.arg(name)}
    return {**task, "args": args}


def slots_by_kind(plan: PlanFile, rows: Rows, kinds: Mapping[str, str | None]) -> dict[str, str]:
    """The input of a plan that was kept for each file column: the one called so, else the first of its kind.

    Raises UserError where the inputs and the columns do not fit.
    """
    slots: dict[str, str] = {}
    left: Sequence[Input] = plan.inputs
    texts = set(rows.text_columns)
    for column, kind in kinds.items():
        found = next((one for one in left if one.name == column), None)
        fitting = (one for one in left if one.accepts(Attachment(column, "", kind)) and one.name not in texts)  # type: ignore[arg-type]
        found = found or next(fitting, None)
        if found is None:
            raise UserError(f"There is no input in the plan for the files of the column {column}.")
        slots[column] = found.name
        left = [one for one in left if one is not found]
    if lacking := [one.name for one in left if one.name not in texts]:
        raise UserError(f"The plan needs more than the files: nothing is given for {', '.join(lacking)}.")
    return slots
