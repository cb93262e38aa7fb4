"""The plan of a batch with its models, and what it takes: made for the first row, or given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hugginggpt.batch.rows import Rows
from hugginggpt.batch.running import Effort, effort_of, with_choices
from hugginggpt.batch.template import slots_by_kind, template_of
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.plan import Plan
from hugginggpt.endpoints.base import Tier
from hugginggpt.stages.plan_files import PlanFile, refuse_problems, run_of_plan
from hugginggpt.stages.run import Run, Runner


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan for all rows, the input for each file column, and what running it takes."""

    plan: PlanFile
    slots: Mapping[str, str]
    effort: Effort


def made_for_all(controller: Runner, run: Run, request: str, rows: Rows, files: Mapping[str, Attachment]) -> Planned:
    """What a run of the first row was planned to do, for all rows; `files` are those of the first one.

    Raises UserError for a plan that cannot be run or takes nothing of a row, ExpertUnavailable for a task without a
    model.
    """
    plan = run.plan or Plan()
    refuse_problems(plan)
    choices = controller.choose(run)
    template = template_of(plan, request, rows, files, controller.table)
    slots = {column: column for column in files}
    return Planned(with_choices(template, choices), slots, effort_of(controller, choices, len(rows.rows)))


def as_given(controller: Runner, run: Run, given: PlanFile, slots: Mapping[str, str], rows: int) -> Planned:
    """A plan in hand, of which `run` is the one of the first row. Raises as `made_for_all`."""
    refuse_problems(run.plan or Plan())
    choices = controller.choose(run)
    return Planned(with_choices(given, choices), slots, effort_of(controller, choices, rows))


def run_of_first(
    controller: Runner, given: PlanFile, rows: Rows, files: Mapping[str, Attachment]
) -> tuple[Run, dict[str, str]]:
    """The run of a plan in hand for the first row, and the input for each file column. Raises UserError."""
    slots = slots_by_kind(given, rows, {column: file.kind for column, file in files.items()})
    named = {slots[column]: file for column, file in files.items()}
    return run_of_plan(controller, given, texts=rows.rows[0].texts, named=named), slots


def needs_processes(controller: Runner, plan: PlanFile) -> bool:
    """Whether a kept plan runs models in this process."""
    here = [endpoint for endpoint in controller.endpoints if endpoint.tier is Tier.EMBEDDED]
    planned = [(str(task.get("model", "")), controller.table.find(str(task["task"]))) for task in plan.tasks]
    return any(row and endpoint.offers(model, row) for endpoint in here for model, row in planned)
