"""Resumes a run from its record: the same plan, and only what is not finished is run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hugginggpt.config import Config
from hugginggpt.errors import UserError
from hugginggpt.events import Choice, Finished
from hugginggpt.repair import parse_plan
from hugginggpt.results import files_of
from hugginggpt.run import Run
from hugginggpt.runlog import RunLog


def resumed(runs: RunLog, run_id: str, config: Config) -> Run:
    """A new run that goes on where the recorded one ended. Raises UserError where there is no record of it."""
    record = runs.load(run_id)
    if record is None:
        where = f"in {runs.folder}" if runs.folder else "as none are kept (log_file in the configuration)"
        raise UserError(f"There is no record of the run {run_id} {where}.")
    run = Run(record.get("messages") or [{"role": "user", "content": record["request"]}], config.limits)
    run.files = {name: Path(path) for name, path in record.get("named_files", {}).items()}  # none of a server's run
    if record["plan"]:
        run.plan = parse_plan(json.dumps(record["plan"]), config.limits.max_tasks)
        run.done = {task.id: done for task in run.plan if (done := _finished(record, task.id, config))}
    return run


def _finished(record: Mapping[str, Any], number: int, config: Config) -> Finished | None:
    """The result of a task as it was; None if it has none, or a file of it is gone."""
    result = record["results"].get(str(number))
    if record["states"].get(str(number)) != "finished":
        return None
    value = result["inference result"]
    if not all((config.public_dir / path.lstrip("/")).is_file() for path in files_of(value)):
        return None
    return Finished(number, result["task"]["args"], value, Choice(**result["choose model result"]))
