"""Does one task of a recorded run again, with another model or other arguments, and what depends on it; no other task.

The new run is a version of the old one, whose record stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hugginggpt.core.errors import UserError
from hugginggpt.core.plan import Change, Plan
from hugginggpt.core.tasks import TaskTable
from hugginggpt.stages.plan_files import GIVEN, PlanFile, checked_plan, refuse_problems
from hugginggpt.stages.run import Run


def with_change(run: Run, change: Change, version_of: str, table: TaskTable) -> Run:
    """A resumed run that does a task again. Raises UserError where there is no such task, or the change is none."""
    plan = run.plan or Plan()
    if change.task not in {task.id for task in plan}:
        there = ", ".join(f"{task.id} ({task.task})" for task in plan)
        raise UserError(f"That run has no task {change.task}: it has {there or 'none'}.")
    changed = [_changed(task, change) if task["id"] == change.task else task for task in plan.to_json()]
    run.plan = checked_plan(PlanFile(changed, questions=plan.questions), table, run)
    refuse_problems(run.plan)
    again = {change.task} | _dependents(run.plan, change.task)
    run.done = {number: done for number, done in run.done.items() if number not in again}
    run.is_resumed, run.version_of = False, version_of
    told = [f"with {change.model}"] if change.model else []
    told += [f"with another {name}" for name in change.args]
    run.planned_by = {"planner": GIVEN, "why": " ".join([f"task {change.task} is done again", ", ".join(told)]).strip()}
    return run


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
