"""Plans in the terminal: kept as files, never over a file that is none, and run with the files that they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hugginggpt.core.conversation import Attachment
from hugginggpt.core.documents import split_name
from hugginggpt.core.errors import UserError
from hugginggpt.core.plan import Plan
from hugginggpt.media.named_files import file_here
from hugginggpt.media.store import MediaStore
from hugginggpt.media.types import kind_of
from hugginggpt.stages.plan_files import PlanFile, filled, load_plan_file, plan_file
from hugginggpt.stages.run import Run


def save_plan(plan: Plan, run: Run, file: Path) -> None:
    """Writes a plan with its files as inputs. Raises UserError where there is none, or it cannot be written."""
    if not plan.tasks:
        raise UserError("There is no plan to be saved: no task was found for the request.")
    write_plan(plan_file(plan, run.request, run.known_files), file)


def check_place(file: Path) -> None:
    """Raises UserError where a file stands that is no plan, such as the picture that is asked about."""
    try:
        if file.is_file() and file.stat().st_size:
            load_plan_file(file)
    except (UserError, OSError) as error:
        raise UserError(f"{file} is there already and is no plan: save the plan under another name.") from error


def write_plan(plan: PlanFile, file: Path) -> None:
    """Writes a plan, perhaps over another one. Raises UserError where it cannot be written."""
    check_place(file)
    try:
        file.write_text(plan.to_text(), encoding="utf-8")
    except OSError as error:
        raise UserError(f"The plan cannot be written to {file}: {error.strerror or error}.") from error


def local_files(plan: PlanFile, media: MediaStore) -> dict[str, Attachment]:
    """The files of this machine that arguments of a plan name, inputs left aside, as attached ones by their names.

    Only for a person at this machine. Raises MediaError for one that cannot be used.
    """
    inputs = {one.name for one in plan.inputs}
    names = {split_name(value)[0] for task in plan.tasks for value in _values(task.get("args"))} - inputs
    local = (name for name in sorted(names) if kind_of(name) and not media.has(name) and file_here(name))
    return {name: media.attachment(name) for name in local}


def _values(args: Any) -> Iterator[str]:
    for value in args.values() if isinstance(args, dict) else ():
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


def with_local_files(plan: PlanFile, media: MediaStore) -> PlanFile:
    """The plan with copies that any process of the controller reads in place of the files of this machine."""
    placed = filled(replace(plan, inputs=()), (), named=local_files(plan, media))
    return replace(placed, inputs=plan.inputs)
