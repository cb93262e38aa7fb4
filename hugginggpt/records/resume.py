"""Resumes a run from its record: the plan stays, and only unfinished tasks are run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment, Turn
from hugginggpt.core.errors import ModelOutputError, UserError
from hugginggpt.core.events import Choice, Finished
from hugginggpt.core.plan import Task
from hugginggpt.core.plan_repair import parse_plan, with_models
from hugginggpt.core.questions import Question
from hugginggpt.core.results import INVALID_RESULT_ERRORS, files_of
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.store import MediaStore
from hugginggpt.media.types import kind_of
from hugginggpt.records.run_log import RunLog
from hugginggpt.stages.run import Run, checked_messages


def recorded(runs: RunLog, run_id: str) -> dict[str, Any]:
    """The record of a run. Raises UserError if there is none."""
    record = runs.load(run_id)
    if record is None:
        kept = f"the newest {runs.keep} are kept (keep_runs)" if runs.folder else "none are kept (log_file)"
        raise UserError(f"There is no record of the run {run_id}: {kept}.")
    return record


def resumed(record: Mapping[str, Any], run_id: str, media: MediaStore, config: Config, table: TaskTable) -> Run:
    """A new run that continues a recorded one. Raises UserError if the record is damaged."""
    try:
        return _run(record, media, config, table)
    except (*INVALID_RESULT_ERRORS, ModelOutputError) as error:
        raise UserError(
            f"The record of the run {run_id} is damaged and cannot be resumed: give its request anew."
        ) from error


def _run(record: Mapping[str, Any], media: MediaStore, config: Config, table: TaskTable) -> Run:
    messages = record.get("messages") or [{"role": "user", "content": record["request"]}]
    turns = [Turn.from_json(turn) for turn in record.get("turns", ())]
    run = Run(checked_messages(messages, config.limits), config.limits, _attachments(record), turns)
    run.planner = config.planner
    run.offline_fallback = config.llm_fallback == "offline"
    if record["plan"]:
        plan = with_models(parse_plan(json.dumps(record["plan"]), table, config.limits.max_tasks), record["plan"])
        run.plan = replace(plan, questions=tuple(map(Question.from_json, record.get("questions", ()))))
        run.is_resumed = True
        run.planned_by = _planned_by(record)
        run.done = {task.id: done for task in run.plan if (done := _finished(record, task, media))}
    return run


def _planned_by(record: Mapping[str, Any]) -> dict[str, Any]:
    """Who made the plan; {} in records of older versions."""
    told = record.get("planned_by", {})
    return {name: told[name] for name in ("planner", "why", "confidence") if name in told}


def _attachments(record: Mapping[str, Any]) -> list[Attachment]:
    """The files that came with the request; records of older versions have names and paths of this machine."""
    older = record.get("named_files", {}).items()
    files = [Attachment(name, Path(path).as_uri(), kind_of(name)) for name, path in older]
    return files + [Attachment.from_json(file) for file in record.get("attachments", ())]


def _finished(record: Mapping[str, Any], task: Task, media: MediaStore) -> Finished | None:
    """The recorded result of a task; None if it has none, or a file of it is gone."""
    result = record["results"].get(str(task.id))
    if record["states"].get(str(task.id)) != "finished":
        return None
    schema = task.type.result
    value = schema.validate(result["inference result"])
    if not all(map(media.has, files_of(value))):
        return None
    choice = Choice(**result["choose model result"])
    return Finished(task.id, result["task"]["args"], value, choice, form=schema.name, reading=schema.describe(value))
