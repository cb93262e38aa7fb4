"""Plans in the terminal: saved as files, never over a file that is none."""

from __future__ import annotations

from pathlib import Path

from hugginggpt.core.errors import UserError
from hugginggpt.core.plan import Plan
from hugginggpt.stages.plan_files import PlanFile, load_plan_file, plan_file
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
