"""Plans in the terminal: saved as files."""

from __future__ import annotations

from pathlib import Path

from hugginggpt.core.errors import UserError
from hugginggpt.core.plan import Plan
from hugginggpt.stages.plan_files import plan_file
from hugginggpt.stages.run import Run


def save_plan(plan: Plan, run: Run, file: Path) -> None:
    """Writes a plan with its files as inputs. Raises UserError where there is none, or it cannot be written."""
    if not plan.tasks:
        raise UserError("There is no plan to be saved: no task was found for the request.")
    try:
        file.write_text(plan_file(plan, run.request, run.known_files).to_text(), encoding="utf-8")
    except OSError as error:
        raise UserError(f"The plan cannot be written to {file}: {error.strerror or error}.") from error
