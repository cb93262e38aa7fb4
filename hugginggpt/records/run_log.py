"""Run records on disk: one JSON file a run, the newest ones kept.

During a run, finished tasks are appended to a journal (one JSON object a line) beside the records, so that a run
that was killed can be resumed as well. At the end the record replaces the journal.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from hugginggpt.common.atomic_files import atomic_write_text, remove_partial
from hugginggpt.config import Config
from hugginggpt.core.errors import masked
from hugginggpt.core.events import Event, Finished, Planned, RunRecord, RunStarted
from hugginggpt.core.lenient_json import read_json
from hugginggpt.stages.run import Run

log = logging.getLogger(__name__)

KEPT_TURNS = 20
"""Earlier turns that a record has: with all of them the records of a long conversation would grow with its square."""


class RunLog:
    """The folder runs/ beside the log file; nowhere without a log file."""

    def __init__(self, config: Config) -> None:
        self.folder = config.path(config.log_file).parent / "runs" if config.log_file else None
        self.keep = config.keep_runs
        self.secrets = config.secrets

    def open(self, run: Run) -> Journal:
        """Opens the journal of a new run."""
        return Journal(self, run.id, conversation_of(run), run.is_kept)

    def load(self, run_id: str) -> dict[str, Any] | None:
        """The record of that id ("last": the newest); of a run that was killed, the content of its journal.

        None if there is no readable one.
        """
        if self.folder is None or not re.fullmatch(r"[0-9a-f]{1,32}|last", run_id):
            return None
        wanted = "*" if run_id == "last" else run_id
        files: list[Path] = sorted(self.folder.glob(f"*-{wanted}.json*"))
        try:
            record = _read(files[-1]) if files else None
            if not isinstance(record, dict | None):
                raise TypeError(f"it holds a {type(record).__name__}")
            return record
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("The run record %s cannot be read: %s", files[-1], error)
            return None

    def to_text(self, value: Any, indent: int | None = None) -> str:
        """The value as JSON, without secrets."""
        text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
        if masked(text, self.secrets) == text:
            return text
        return json.dumps(self.secrets.mask(json.loads(text)), ensure_ascii=False, indent=indent)

    def remove_old(self, newest: str) -> None:
        """Removes the oldest files beyond `keep_runs`, never the newest, even if the clock was wrong."""
        if self.folder is None:
            return
        remove_partial(self.folder)
        names = os.listdir(self.folder)  # noqa: PTH208  by name: a hundred times as fast as paths
        others = sorted((name for name in names if ".json" in name and name != newest), reverse=True)
        for old in others[self.keep - 1 :]:
            (self.folder / old).unlink(missing_ok=True)


class Journal:
    """The journal and record of one run. A failure to write is logged once and does not stop the run."""

    def __init__(self, runs: RunLog, run_id: str, conversation: Mapping[str, Any], kept: bool = True) -> None:
        self.runs = runs
        self.conversation = conversation
        moment = datetime.now(UTC).strftime("%Y%m%d%H%M%S%f")
        self.path = runs.folder / f"{moment}-{run_id}.jsonl" if runs.folder and kept else None
        self._file: TextIO | None = None

    def add(self, event: Event, record: RunRecord) -> None:
        """Writes the request, the plan, and each result as it arrives; with a streamed plan some arrive before it."""
        if (line := journal_line(event, record, self.conversation)) is not None:
            self._write(line)

    def close(self, record: RunRecord) -> None:
        """Replaces the journal by the record."""
        self._end_journal()
        if self.path is None or not record.run_id:
            return
        kept_record = {**record.to_log(), **self.conversation}
        text = self.runs.to_text(kept_record, indent=1)
        kept = self.path.with_suffix(".json")
        try:
            kept.parent.mkdir(parents=True, exist_ok=True)
            atomic_write_text(kept, text)
            self.path.unlink(missing_ok=True)
            self.runs.remove_old(kept.name)
        except OSError as error:
            self._give_up(error)

    def _write(self, value: Any) -> None:
        if self.path is None:
            return
        try:
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("w", encoding="utf-8", errors="replace")
            self._file.write(self.runs.to_text(value) + "\n")
            self._file.flush()
        except OSError as error:
            self._give_up(error)

    def _end_journal(self) -> None:
        if self._file:
            with suppress(OSError):  # a full disk, which the next write will report
                self._file.close()

    def _give_up(self, error: OSError) -> None:
        """Closes the journal. It is kept for resuming, unless it is empty."""
        log.warning("The run record cannot be written to %s: %s", self.runs.folder, error.strerror)
        self._end_journal()
        with suppress(OSError):
            if self.path and not list(_whole_lines(self.path.read_text(encoding="utf-8", errors="replace"))):
                self.path.unlink()
        self.path = None


def conversation_of(run: Run) -> dict[str, Any]:
    """What a run needs to be resumed besides its record: the latest messages and turns."""
    turns = [turn.to_json() for turn in run.turns[-KEPT_TURNS:]]
    return {"messages": run.messages[-2 * KEPT_TURNS - 1 :], "turns": turns}


def journal_line(event: Event, record: RunRecord, conversation: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the journal says of an event that was just applied to the record: the record where it begins and where it
    is planned, then each result; None for any other event.
    """
    match event:
        case RunStarted() | Planned():
            return {**record.to_log(), **conversation}
        case Finished():
            return {"id": str(event.task_id), "result": record.tasks[event.task_id].to_wire()}
    return None


def _read(path: Path) -> Any:
    text = path.read_text(encoding="utf-8", errors="replace")
    return read_json(text) if path.suffix == ".json" else record_of(_whole_lines(text))


def record_of(lines: Iterable[Any]) -> Any:
    """The record that the lines of a journal come to; None if there is no whole one."""
    record = None
    for line in lines:
        if "plan" in line:
            record = line  # it holds the results that arrived before the complete plan
        elif record:
            record["results"][line["id"]] = line["result"]
            record["states"][line["id"]] = "finished"
    return record


def _whole_lines(text: str) -> Iterator[Any]:
    """The lines of a journal; the last may be truncated."""
    for line in text.split("\n"):
        try:
            yield read_json(line)
        except ValueError:
            return
