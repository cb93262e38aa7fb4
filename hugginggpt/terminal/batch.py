"""One plan over many files, in a terminal: planned for the first, looked at, run for each."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import deque
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from hugginggpt.batch.journal import BatchFolder, is_batch
from hugginggpt.batch.planning import Planned, as_given, made_for_all, needs_processes, run_of_first
from hugginggpt.batch.results import Summary, write_results
from hugginggpt.batch.rows import Rows, is_many, read_rows
from hugginggpt.batch.running import Batch, effort_of, usual_workers
from hugginggpt.batch.template import attachments_of, request_for
from hugginggpt.batch.work import Job, Outcome
from hugginggpt.batch.workers import MakeController
from hugginggpt.common.signals import DONE, NOTHING_DONE
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import UserError
from hugginggpt.goals.display import escaped, without_controls
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.plan_files import load_plan_file
from hugginggpt.stages.run import Run, Runner
from hugginggpt.terminal.approval import Approval, proposed
from hugginggpt.terminal.follow import prepared
from hugginggpt.terminal.plans import with_local_files, write_plan

WITHOUT_LEAVE = 20
"""So many files are run without leave."""
MOST_CALLS = 1000
"""So many calls to services of others are made unless --max-calls allows more."""
SHOWN_ROWS, SHOWN_CHARS, SHOWN_ANSWER = 8, 80, 1500


def is_for_many(args: argparse.Namespace) -> bool:
    """Whether the arguments ask for a batch, or go on with one."""
    return bool(args.files or any(map(is_many, args.attach)) or (args.resume and is_batch(args.resume)))


def run_batch(args: argparse.Namespace, controller: Runner, make_controller: MakeController) -> int:
    """Plans, asks, runs, and writes the results. Exit code 1 if no row was done. Raises UserError and BackendError."""
    console = Console(stderr=True)
    if args.resume:
        rows = read_rows(args.attach, args.files).rows if args.attach or args.files else ()
        folder = BatchFolder.resume(Path(args.resume).expanduser(), rows)
        own_processes = needs_processes(controller, folder.plan)
    else:
        found = read_rows(args.attach, args.files)
        for note in found.notes:
            _say(console, note)
        planned = _planned(args, controller, found, console)
        if planned is None:
            return NOTHING_DONE
        if args.save_plan:
            write_plan(planned.plan, Path(args.save_plan))
        if args.plan:
            print(planned.plan.to_text(), end="")
            return DONE
        where = Path(args.output or f"batch-{datetime.now():%Y%m%d-%H%M%S}").expanduser()
        folder = BatchFolder.begin(where, planned.plan, planned.slots, found.rows)
        own_processes = planned.effort.needs_processes
    with closing(folder):
        batch = Batch(folder, controller, make_controller)
        summary = _run(args, batch, own_processes, console)
    _tell(args, summary, folder)
    return DONE if summary.done else NOTHING_DONE


# The plan


def _planned(args: argparse.Namespace, controller: Runner, rows: Rows, console: Console) -> Planned | None:
    """The plan for all rows, made for the first; None where it was not agreed to."""
    first = rows.rows[0]
    media = MediaStore(controller.config)
    files = attachments_of(first, media)
    given = with_local_files(load_plan_file(Path(args.run_plan)), media) if args.run_plan else None
    slots: dict[str, str] = {}
    if given:
        run, slots = run_of_first(controller, given, rows, files)
    else:
        run = _first_run(controller, args.request, rows, files)
    agreed = _agreed(args, controller, run, len(rows.rows), console)
    if agreed is None:
        _say(console, "Nothing was run.")
        return None
    if given is None or agreed.planned_by.get("why"):  # it was edited
        request = args.request or (given.request if given else "")
        planned = made_for_all(controller, agreed, request, rows, files)
    else:
        planned = as_given(controller, agreed, given, slots, len(rows.rows))
    planned.effort.check(args.max_calls or MOST_CALLS)
    return planned


def _first_run(controller: Runner, request: str | None, rows: Rows, files: Mapping[str, Attachment]) -> Run:
    """A run for the first row. Other files that the request names are the same for all rows."""
    if not request or request == "-":
        raise UserError("Say what is to be done with each of the files, or give a plan: --run-plan FILE.")
    media = MediaStore(controller.config)
    run = prepared(controller, request_for(request, rows.rows[0], files), list(files.values()))
    run.files = tuple(
        replace(media.attachment(str(file.local_path)), name=file.name) if file.local_path else file
        for file in run.files
    )
    return run


def _agreed(args: argparse.Namespace, controller: Runner, run: Run, rows: int, console: Console) -> Run | None:
    """The run with its plan: agreed to by a person where that is wanted, or where there are many files."""
    if not (args.approve or (rows > WITHOUT_LEAVE and not args.yes)) or args.plan:
        return proposed(controller, run, lambda text: _say(console, text)).to_run(controller)
    if not sys.stdin.isatty():
        raise UserError(
            f"These are {rows} files, which need your leave, and the input is no terminal: look at the plan with "
            "--plan, then run it with --yes."
        )

    def about(planned: Run) -> str:
        effort = effort_of(controller, controller.choose(planned), rows)
        effort.check(args.max_calls or MOST_CALLS)
        paid = f"; {effort.paid} of them go to services of others and may cost money" if effort.paid else ""
        return f"It is run for each of {rows} files: {effort} (calls){paid}."

    return Approval(controller, console, about=about).run_of(run)


# The run


def _run(args: argparse.Namespace, batch: Batch, own_processes: bool, console: Console) -> Summary:
    rows = batch.folder.rows
    workers = args.workers or (usual_workers(os.cpu_count() or 1, rows) if own_processes else min(4, len(rows)))
    progress = Progress(console, batch.folder, args.quiet)
    try:
        with closing(progress), closing(batch.run(workers, own_processes=own_processes)) as outcomes:
            for job, outcome in outcomes:
                progress.show(job, outcome)
    except BaseException:
        write_results(batch.folder)
        _say(console, f"Stopped. To go on: --resume {batch.folder.folder}")
        raise
    return write_results(batch.folder)


class Progress:
    """A live table of the latest rows on a terminal, a line for each elsewhere."""

    def __init__(self, console: Console, folder: BatchFolder, quiet: bool) -> None:
        self.console, self.quiet = console, quiet
        self.rows = len(folder.rows)
        self.done = sum(folder.is_done(folder.key(row)) for row in folder.rows)
        self.begun, self.before, self.failed = time.monotonic(), self.done, 0
        self.latest: deque[tuple[str, str, str]] = deque(maxlen=SHOWN_ROWS)
        self.live: Live | None = None
        if self.done and not quiet:
            _say(console, f"{self.done} of {self.rows} were done before.")
        if console.is_terminal and not quiet:
            self.live = Live(console=console, auto_refresh=False)
            self.live.start()

    def show(self, job: Job, outcome: Outcome) -> None:
        self.done += 1
        self.failed += bool(outcome["error"])
        texts = "; ".join(task["text"] for task in outcome["tasks"].values() if task["text"])
        what = _short(outcome["error"] or texts)
        self.latest.append((job.row.name, f"{outcome['seconds']:.2f}", what))
        if self.live:
            self.live.update(self._table(), refresh=True)
        elif not self.quiet:
            _say(self.console, f"[{self.done}/{self.rows}] {job.row.name}: {what}")

    def _table(self) -> Table:
        left = self.rows - self.done
        each = (time.monotonic() - self.begun) / max(1, self.done - self.before)
        title = f"{self.done} of {self.rows}, {self.failed} failed, about {left * each:.0f} s left"
        table = Table("file", "s", "result", box=None, padding=(0, 1), title=title, title_justify="left")
        for cells in self.latest:
            table.add_row(*(Text(escaped(cell)) for cell in cells))
        return table

    def close(self) -> None:
        if self.live:
            self.live.stop()


def _tell(args: argparse.Namespace, summary: Summary, folder: BatchFolder) -> None:
    findings = [without_controls(finding.reading) for finding in summary.findings]
    if args.json:
        told: dict[str, Any] = {"rows": summary.rows, "done": summary.done, "failed": summary.failed}
        told |= {"findings": [one.to_json() for one in summary.findings], "folder": str(folder.folder)}
        print(json.dumps(told, ensure_ascii=False, indent=2, default=str))
        return
    for reading in findings:
        print(reading if len(reading) <= SHOWN_ANSWER else f"{reading[:SHOWN_ANSWER]} … (the rest is in the table)")
    print(f"{summary.done} of {summary.rows} done, {summary.failed} failed.")
    print(f"Results: {', '.join(map(str, summary.files))}")
    if summary.done < summary.rows:
        print(f"To run what is missing: --resume {folder.folder}", file=sys.stderr)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else f"{line[: SHOWN_CHARS - 1]}…"


def _say(console: Console, text: str) -> None:
    console.print(Text(escaped(text)), soft_wrap=True)
