"""What came of a batch: the tables of its results, and the answers to questions over all of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hugginggpt.answers.evidence import Evidence
from hugginggpt.answers.findings import answer
from hugginggpt.batch.journal import BatchFolder
from hugginggpt.batch.rows import Row
from hugginggpt.batch.sheets import Cell, Tables
from hugginggpt.common.atomic_files import PARTIAL
from hugginggpt.core.findings import Finding
from hugginggpt.stages.plan_files import PlanFile

RESULTS = "results"
NOT_RUN = "It was not run."
TASKS_OF_ROW = 10_000
"""The tasks of a row have their numbers from so many times the number of the row."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How many rows there are, and how many of them were done, failed, and not run; and the files of the results."""

    rows: int
    done: int
    failed: int
    files: tuple[Path, ...]
    findings: tuple[Finding, ...]


def write_results(batch: BatchFolder) -> Summary:
    """Writes results.csv, .xlsx and .jsonl, in the order of the rows; none is there in part. Raises OSError."""
    files = tuple(batch.folder / f"{RESULTS}.{kind}" for kind in ("csv", "xlsx", "jsonl"))
    csv_file, xlsx_file, lines = (file.with_name(f"{file.name}{PARTIAL}") for file in files)
    done = failed = 0
    evidence: list[Evidence] = []
    with Tables(csv_file, xlsx_file) as tables, lines.open("w", encoding="utf-8", errors="replace") as out:
        tables.add(_header(batch))
        for number, (row, outcome) in enumerate(batch.outcomes()):
            tables.add(_cells(batch, row, outcome))
            out.write(json.dumps(_line(row, outcome), ensure_ascii=False, default=str) + "\n")
            done += bool(outcome and not outcome["error"])
            failed += bool(outcome and outcome["error"])
            evidence.extend(_evidence(number, row, outcome, batch.plan))
    for file, partial in zip(files, (csv_file, xlsx_file, lines), strict=True):
        partial.replace(file)
    return Summary(len(batch.rows), done, failed, files, tuple(_findings(batch.plan, evidence)))


def _task_ids(plan: PlanFile) -> list[str]:
    return [str(task.get("id", at)) for at, task in enumerate(plan.tasks)]


def _header(batch: BatchFolder) -> list[Cell]:
    tasks = [f"{number} {task['task']}" for number, task in zip(_task_ids(batch.plan), batch.plan.tasks, strict=True)]
    texts = list(batch.rows[0].texts) if batch.rows else []
    return ["file", *texts, *tasks, "seconds", "model", "files", "error"]


def _cells(batch: BatchFolder, row: Row, outcome: Mapping[str, Any] | None) -> list[Cell]:
    tasks = outcome["tasks"] if outcome else {}
    of_plan = [tasks.get(number, {}) for number in _task_ids(batch.plan)]
    models = dict.fromkeys(task["model"] for task in of_plan if task.get("model"))
    files = [name for task in of_plan for name in task.get("files", ())]
    return [
        row.name,
        *row.texts.values(),
        *(str(task.get("text", "")) for task in of_plan),
        outcome["seconds"] if outcome else "",
        ", ".join(models),
        ", ".join(f"{batch.files.name}/{name}" for name in files),
        outcome["error"] if outcome else NOT_RUN,
    ]


def _line(row: Row, outcome: Mapping[str, Any] | None) -> dict[str, Any]:
    kept = outcome or {"seconds": None, "error": NOT_RUN, "tasks": {}}
    return {"file": row.name, **row.to_json(), **{name: kept[name] for name in ("seconds", "error", "tasks")}}


# Questions over all rows


def _evidence(number: int, row: Row, outcome: Mapping[str, Any] | None, plan: PlanFile) -> Iterator[Evidence]:
    """What the tasks of a row gave that questions ask about."""
    asked = {task for question in plan.questions for task in question.tasks}
    for task in sorted(asked):
        kept = (outcome or {"tasks": {}})["tasks"].get(str(task), {})
        is_done = kept.get("state") == "finished"
        given = (kept["form"], kept["value"]) if is_done else ("", None)
        if kept.get("state") != "not needed":
            yield Evidence(number * TASKS_OF_ROW + task, f"{number} {row.name}", row.name, *given)


def _findings(plan: PlanFile, evidence: Sequence[Evidence]) -> Iterator[Finding]:
    """The answers to the questions of the plan, over all rows."""
    given = [one for one in evidence if not one.missing]
    rows, with_results = ({one.task // TASKS_OF_ROW for one in some} for some in (evidence, given))
    lacking = len(rows - with_results)
    note = f" (There is no result for {lacking} of {len(rows)} files.)" if lacking else ""
    for question in plan.questions:
        if question.when:
            continue  # what is said under a condition is said of one file
        tasks = tuple(one.task for one in given if one.task % TASKS_OF_ROW in question.tasks)
        if finding := answer(replace(question, tasks=tasks), given):
            yield replace(finding, reading=f"{finding.reading}{note}")
