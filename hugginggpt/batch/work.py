"""What a worker does: it runs the plan of a batch for one row, and gives what came of it as JSON."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hugginggpt.batch.rows import Row
from hugginggpt.batch.template import attachments_of
from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.core.events import RunRecord, TaskRecord
from hugginggpt.core.results import files_of
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.plan_files import PlanFile, refuse_problems, run_of_plan
from hugginggpt.stages.run import Run, Runner

Outcome = dict[str, Any]
"""{"seconds", "error", "wait", "tasks"}: of each task by its id {"task", "state", "model", "text", "form", "value",
"files", "reason"}.
"""


@dataclass(frozen=True, slots=True)
class Job:
    """A row to be run; generated files are copied to `folder`, their names begin with `prefix`."""

    row: Row
    folder: str
    prefix: str
    is_public: bool = False


def run_row(
    controller: Runner,
    media: MediaStore,
    plan: PlanFile,
    slots: Mapping[str, str],
    job: Job,
    begins: Callable[[Run], None],
) -> Outcome:
    """Runs the plan for a row, which `begins` is told; a failure is an outcome, too."""
    began, record, wait = time.monotonic(), RunRecord(), 0.0
    error = ""
    try:
        files = {slots[column]: file for column, file in attachments_of(job.row, media, job.is_public).items()}
        run = run_of_plan(controller, plan, texts=job.row.texts, named=files)
        begins(run)
        record, wait = _run_to_its_end(controller, run)
        error = "; ".join(record.errors)
    except HuggingGPTError as failed:
        error = str(failed)
    tasks = {str(number): task for number, task in _tasks(record, controller, job).items()}
    return {"seconds": round(time.monotonic() - began, 3), "error": error, "wait": wait, "tasks": tasks}


def _run_to_its_end(controller: Runner, run: Run) -> tuple[RunRecord, float]:
    """The record of a run, which is kept nowhere else, and for how long a service wants to be left alone."""
    if run.plan is not None:
        refuse_problems(run.plan)
    run.is_kept = False
    record = RunRecord()
    for event in controller.run(run, "results"):
        record.apply(event)
    return record, run.wait_seconds


def _tasks(record: RunRecord, controller: Runner, job: Job) -> dict[int, dict[str, Any]]:
    return {number: _task(number, task, controller, job) for number, task in record.tasks.items()}


def _task(number: int, task: TaskRecord, controller: Runner, job: Job) -> dict[str, Any]:
    copies = {path: _copied(path, number, controller, job) for path in files_of(task.value)} if task.ok else {}
    text = task.reading
    for path, name in copies.items():
        text = text.replace(path, name)
    return {
        "task": task.task["task"],
        "state": task.outcome,
        "model": task.choice.id if task.choice else "",
        "text": text,
        "form": task.form,
        "value": task.value,
        "files": list(copies.values()),
        "reason": task.reason,
    }


def _copied(public_path: str, number: int, controller: Runner, job: Job) -> str:
    """A generated file copied to the folder of the batch; gives its name there."""
    source = controller.config.public_file(public_path)
    target = Path(job.folder) / f"{job.prefix}-{number}{source.suffix}"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return target.name
