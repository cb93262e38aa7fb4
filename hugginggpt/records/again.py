"""Does one task of a recorded run again, with another model or other arguments, and what depends on it; no other task.

The new run is a version of the old one, whose record stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hugginggpt.core.errors import UserError
from hugginggpt.core.plan import Change, Plan, Task
from hugginggpt.core.tasks import TaskTable
from hugginggpt.endpoints.base import Endpoint
from hugginggpt.stages.plan_files import GIVEN, PlanFile, checked_plan, refuse_problems
from hugginggpt.stages.run import Run


def with_change(run: Run, change: Change, version_of: str, table: TaskTable, endpoints: Sequence[Endpoint]) -> Run:
    """A resumed run that does a task again. Raises UserError where there is no such task, or no endpoint has the model
    for it, or the change is none.
    """
    plan = run.plan or Plan()
    if change.task not in {task.id for task in plan}:
        there = ", ".join(f"{task.id} ({task.task})" for task in plan)
        raise UserError(f"That run has no task {change.task}: it has {there or 'none'}.")
    changed = [_changed(task, change) if task["id"] == change.task else task for task in plan.to_json()]
    run.plan = checked_plan(PlanFile(changed, questions=plan.questions), table, run)
    refuse_problems(run.plan)
    _check_model(next(task for task in run.plan if task.id == change.task), change.model, endpoints)
    again = {change.task} | _dependents(run.plan, change.task)
    run.done = {number: done for number, done in run.done.items() if number not in again}
    run.is_resumed, run.version_of = False, version_of
    told = [f"with {change.model}"] if change.model else []
    told += [f"with another {name}" for name in change.args]
    run.planned_by = {"planner": GIVEN, "why": " ".join([f"task {change.task} is done again", ", ".join(told)]).strip()}
    return run


def _check_model(task: Task, model: str, endpoints: Sequence[Endpoint]) -> None:
    if model and not any(endpoint.offers(model, task.type) for endpoint in endpoints):
        raise UserError(f"Nothing that is set up here has the model {model} for {task.task}: name another one.")


def _changed(task: Mapping[str, Any], change: Change) -> dict[str, Any]:
    """A task in JARVIS's format with the change. What it waits for follows from its arguments."""
    args = {name: value for name, value in {**task["args"], **change.args}.items() if value not in (None, "")}
    return {**task, "args": args, **({"model": change.model} if change.model else {})}


def _dependents(plan: Plan, task: int) -> set[int]:
    """The tasks that depend on one, directly or not; a plan is in the order of its dependencies."""
    found = {task}
    for one in plan:
        if found.intersection(one.dep):
            found.add(one.id)
    return found - {task}
