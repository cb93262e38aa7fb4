"""The batches of the server: one plan over many files, each worked on in a thread of its own, or waiting for leave.

All of what a batch is stands in its folder: a server that was restarted knows its batches, and goes on with one when it
is told to.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from hugginggpt.batch.journal import BATCH, FILES, JOURNAL, PLAN, BatchBusy, BatchFolder
from hugginggpt.batch.planning import Planned, needs_processes
from hugginggpt.batch.results import Summary, write_results
from hugginggpt.batch.rows import Row
from hugginggpt.batch.running import Batch, Effort, usual_workers
from hugginggpt.batch.workers import MakeController
from hugginggpt.common.atomic_files import atomic_write_text
from hugginggpt.common.file_locks import lock
from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, HuggingGPTError, UserError
from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.results import files_of
from hugginggpt.records.feeds import Feed, TooManyRuns
from hugginggpt.stages.run import Runner
from hugginggpt.web.chats import NAMED

log = logging.getLogger(__name__)

WAITING, WORKING, STOPPED, INTERRUPTED, DONE = "waiting", "working", "stopped", "interrupted", "done"
"""The status of a batch: for leave, at work, stopped by a person, left by a server that ended, and through."""
BATCH_ID = re.compile(r"[0-9a-f]{12}")
STATE = "state.json"
LISTED_BATCHES = 200
KEPT_BATCHES = 4
"""How many batches that are not at work are kept open to be looked at."""
KEPT_EVENTS = 500
"""The events that are kept for clients that reconnect; one that has missed more asks for the rows again."""
SHOWN_CHARS = 300
REMOTE_WORKERS = 4
END_SECONDS = 10.0
Stamp = tuple[int, int]


class LiveBatch(Feed):
    """A batch, its rows, and the events of its run; `batch` while it is at work."""

    def __init__(
        self, batch_id: str, folder: BatchFolder, state: Mapping[str, Any], batch: Batch | None = None
    ) -> None:
        super().__init__()
        self.id, self.folder, self.state, self.batch = batch_id, folder, dict(state), batch
        self.is_stopped = False
        self.stamp: tuple[float, ...] = ()
        self._numbers: dict[str, list[int]] = {}
        self._good: set[int] = set()
        self._bad: set[int] = set()

    @property
    def working(self) -> bool:
        return self.batch is not None

    def begin(self) -> None:
        """Counts what was done before."""
        for number, row in enumerate(self.folder.rows, 1):
            key = self.folder.key(row)
            self._numbers.setdefault(key, []).append(number)
            if outcome := self.folder.outcome(key):
                (self._bad if outcome["error"] else self._good).add(number)
        self._count()

    def tell(self, row: Row, outcome: Mapping[str, Any]) -> None:
        """Tells clients what came of a row, and of those with the same content."""
        for number in self._numbers[self.folder.key(row)]:
            (self._bad if outcome["error"] else self._good).add(number)
            (self._good if outcome["error"] else self._bad).discard(number)
            self._count()
            counts = {"done": len(self._good), "failed": len(self._bad)}
            self.append({"event": "row", **row_json(number, self.folder.rows[number - 1], outcome), **counts})
        with self.changed:
            if (old := len(self.events) - KEPT_EVENTS) > 0:
                self.events[:old] = [None] * old

    def _count(self) -> None:
        self.state |= {"done": len(self._good), "failed": len(self._bad)}

    def rows(self, offset: int, most: int) -> list[dict[str, Any]]:
        """So many rows from a place in the table on."""
        some = self.folder.rows[offset : offset + most]
        outcomes = ((row, self.folder.outcome(self.folder.key(row))) for row in some)
        return [row_json(number, row, outcome) for number, (row, outcome) in enumerate(outcomes, offset + 1)]

    @property
    def summary(self) -> dict[str, Any]:
        return {"id": self.id, "title": _title(self.state), **self.state}


def _title(state: Mapping[str, Any]) -> str:
    return " ".join(str(state.get("request", "")).split())[:60]


def row_json(number: int, row: Row, outcome: Mapping[str, Any] | None) -> dict[str, Any]:
    """A row for clients, long texts cut: all of them are in the results. `state` is waiting, done or failed."""
    kept = outcome or {"seconds": None, "error": "", "tasks": {}}
    models = dict.fromkeys(str(task["model"]) for task in kept["tasks"].values() if task["model"])
    tasks = {
        number: {"state": task["state"], "text": task["text"][:SHOWN_CHARS], "files": _files(task)}
        for number, task in kept["tasks"].items()
    }
    return {
        "number": number,
        "name": row.name,
        "files": dict(row.files),
        "texts": dict(row.texts),
        "state": "waiting" if outcome is None else "failed" if kept["error"] else "done",
        "seconds": kept["seconds"],
        "model": ", ".join(models),
        "error": kept["error"],
        "tasks": tasks,
    }


def _files(task: Mapping[str, Any]) -> list[str]:
    """The public paths of what a task made."""
    return files_of(task["value"]) if task["state"] == "finished" else []


class Batches:
    """All batches of a server; few are at work at the same time."""

    def __init__(self, folder: Path, controller: Runner, make_controller: MakeController | None = None) -> None:
        self.folder, self.controller, self.make_controller = folder, controller, make_controller
        self.settings = controller.config.batches
        self._live: OrderedDict[str, LiveBatch] = OrderedDict()
        self._closed = False
        self._lock = threading.RLock()
        self._idle = threading.Condition(self._lock)
        self._writing = threading.Lock()
        self._written: dict[str, Stamp] = {}
        self._naming = threading.Lock()
        self._names: dict[str, tuple[tuple[Stamp, ...], frozenset[str]]] = {}

    # What there is

    def summaries(self) -> list[dict[str, Any]]:
        """Summaries, the latest first."""
        found = [file for file in self.folder.glob(f"*/{STATE}") if BATCH_ID.fullmatch(file.parent.name)]
        newest = sorted(found, key=_changed, reverse=True)[:LISTED_BATCHES]
        return [summary for file in newest if (summary := self._summary(file.parent))]

    def _summary(self, folder: Path) -> dict[str, Any] | None:
        live = self._live.get(folder.name)
        if live and live.working:
            return live.summary
        try:
            state = self._state(folder)
        except BackendError:
            return None
        return {"id": folder.name, "title": _title(state), **state}

    def _state(self, folder: Path) -> dict[str, Any]:
        """What is kept of a batch that this process does not work on. Raises BackendError."""
        try:
            state = read_json((folder / STATE).read_text(encoding="utf-8"))
            if not isinstance(state, dict):
                raise ValueError("no object")
        except (OSError, ValueError) as error:
            log.warning("batch %s: %s", folder.name, error)
            raise BackendError("The state of this batch is damaged; the server's log says where.") from error
        if state["status"] == WORKING and not _is_at_work(folder):
            state["status"] = INTERRUPTED
        return state

    def find(self, batch_id: str) -> LiveBatch | None:
        """A batch; None if there is no such one. Raises BackendError for one that is damaged."""
        folder = self.folder / batch_id
        if not BATCH_ID.fullmatch(batch_id) or not (folder / STATE).is_file():
            return None
        with self._lock:
            live = self._live.get(batch_id)
            stamp = tuple(_changed(folder / name) for name in (STATE, BATCH, JOURNAL))
            if live and (live.working or live.stamp == stamp):
                return live
            try:
                fresh = LiveBatch(batch_id, BatchFolder.read(folder).look(), self._state(folder))
            except HuggingGPTError as error:  # it names a path of this machine
                log.warning("batch %s: %s", batch_id, error)
                raise BackendError("This batch is damaged; the server's log says where.") from error
            fresh.begin()
            fresh.stamp = stamp
            fresh.end()
            return self._keep(fresh)

    def _keep(self, live: LiveBatch) -> LiveBatch:
        """Keeps a batch in memory, and forgets those that nobody asked for lately."""
        if before := self._live.pop(live.id, None):
            _close(before)
        self._live[live.id] = live
        idle = [one for one in self._live.values() if not one.working and one is not live]
        for old in idle[: max(0, len(idle) - KEPT_BATCHES)]:
            _close(self._live.pop(old.id))
        return live

    def names(self, path: str) -> bool:
        """Whether a batch has the file of a public path."""
        return any(path in named for named in self._all_names())

    def _all_names(self) -> Iterable[frozenset[str]]:
        """The public paths of the files of each batch. What a folder names is read again when its files change."""
        with self._naming:
            folders = {file.parent.name: file.parent for file in self.folder.glob(f"*/{BATCH}")}
            self._names = {batch_id: self._named(folder) for batch_id, folder in folders.items()}
            return [named for _, named in self._names.values()]

    def _named(self, folder: Path) -> tuple[tuple[Stamp, ...], frozenset[str]]:
        files = [folder / name for name in (BATCH, PLAN, JOURNAL)]
        stamps = tuple(map(_stamp, files))
        if (known := self._names.get(folder.name)) and known[0] == stamps:
            return known
        named: set[str] = set()
        for path in files:
            with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
                for line in file:
                    named.update(NAMED.findall(line))
        return stamps, frozenset(named)

    # What is done with them

    def create(self, request: str, planned: Planned, rows: Sequence[Row]) -> LiveBatch:
        """A batch that waits for leave. Raises BackendError where it cannot be kept."""
        batch_id = uuid.uuid4().hex[:12]
        with _kept(batch_id):
            BatchFolder.begin(self.folder / batch_id, planned.plan, planned.slots, rows, is_public=True).close()
        state = {"request": request, "status": WAITING, "began": time.time(), "rows": len(rows), "done": 0, "failed": 0}
        self._write(batch_id, {**state, **_effort(planned.effort), "findings": [], "error": "", "seconds": 0.0})
        live = self.find(batch_id)
        assert live
        return live

    def start(self, live: LiveBatch, planned: Planned | None, workers: int | None, max_calls: int | None) -> LiveBatch:
        """Runs what is missing or has failed, with another plan if one is given.

        Raises UserError beyond the calls that are allowed, TooManyRuns, BatchBusy, BackendError.
        """
        effort = planned.effort if planned else Effort(live.state["calls"], live.state["paid"], False)
        most = self.settings.max_calls
        effort.check(most if max_calls is None else min(most, max_calls))
        with self._lock:
            self._check_room()
            if (known := self._live.get(live.id)) and known.working:
                raise BatchBusy("This batch is being worked on already.")
            with _kept(live.id):
                folder = BatchFolder.resume(self.folder / live.id)
                if planned:
                    folder = folder.replan(planned.plan, planned.slots)
            own = self.make_controller is not None and needs_processes(self.controller, folder.plan)
            batch = Batch(folder, self.controller, self.make_controller or _none)
            fresh = LiveBatch(live.id, folder, {**live.state, **_effort(effort), "status": WORKING, "error": ""}, batch)
            fresh.begin()
            self._write(live.id, fresh.state)
            self._keep(fresh)
            spawn(self._work, fresh, self._workers(own, workers, folder.rows), own, name=f"batch {live.id}")
            return fresh

    def _workers(self, own: bool, wanted: int | None, rows: Sequence[Row]) -> int:
        usual = usual_workers(os.cpu_count() or 1, rows) if own else REMOTE_WORKERS
        most = self.settings.workers or usual
        return max(1, min(wanted or most, most, len(rows)))

    def stop(self, live: LiveBatch) -> None:
        """Stops a batch where it stands; it can go on."""
        with self._lock:
            if live.batch:
                live.is_stopped = True
                live.batch.stop()
        if live.working:
            live.ended.wait(END_SECONDS)

    def remove(self, live: LiveBatch) -> set[str]:
        """Removes a batch with its folder; gives the public paths of the files that no other batch has.

        Raises BatchBusy where another process works on it, or this one cannot end it, BackendError.
        """
        self.stop(live)
        folder = self.folder / live.id
        with self._naming:
            _, files = self._named(folder)
        with self._lock:
            if live.working or _is_at_work(folder):
                raise BatchBusy("This batch is being worked on: stop it first.")
            if known := self._live.pop(live.id, None):
                _close(known)
            try:
                shutil.rmtree(folder)
            except OSError as error:
                log.warning("batch %s: %s", live.id, error)
                raise BackendError("The folder of this batch cannot be removed; the server's log says why.") from error
        self._written.pop(live.id, None)
        return set(files).difference(*self._all_names())

    def results(self, live: LiveBatch) -> Path:
        """The folder of a batch, whose tables of results are as new as its journal. Raises BackendError."""
        folder = live.folder.folder
        with self._writing:
            if self._written.get(live.id) != _stamp(folder / JOURNAL) or not (folder / "results.csv").exists():
                try:
                    self._write_results(live)
                except OSError as error:
                    raise BackendError(f"The results cannot be written: {error.strerror or error}.") from error
        return folder

    def _write_results(self, live: LiveBatch) -> Summary:
        """Rows may come while the tables are written: they are as new as the journal was before. Raises OSError."""
        before = _stamp(live.folder.folder / JOURNAL)
        summary = write_results(live.folder)
        self._written[live.id] = before
        return summary

    def close(self, seconds: float = 0) -> None:
        """Stops all batches where they stand; they can go on."""
        with self._idle:
            self._closed = True
            working = [live for live in self._live.values() if live.batch]
            for live in working:
                assert live.batch
                live.batch.stop()
            self._idle.wait_for(lambda: not any(live.working for live in working), timeout=seconds)
            for live in self._live.values():
                if not live.working:
                    _close(live)

    # At work

    def _check_room(self) -> None:
        if self._closed:
            raise TooManyRuns("The server is ending; try again when it is back.")
        if sum(live.working for live in self._live.values()) >= self.settings.at_work:
            raise TooManyRuns("As many batches as may be at the same time are worked on already: wait, or stop one.")

    def _work(self, live: LiveBatch, workers: int, own_processes: bool) -> None:
        began, before, error = time.monotonic(), live.state["seconds"], ""
        assert live.batch
        try:
            with closing(live.batch.run(workers, own_processes=own_processes)) as outcomes:
                for job, outcome in outcomes:
                    live.state["seconds"] = before + time.monotonic() - began
                    live.tell(job.row, outcome)
        except HuggingGPTError as failed:
            error = str(failed)
        except Exception:  # a bug: the batch stands where it stood, and can go on
            log.exception("batch %s", live.id)
            error = "Something went wrong inside the server; its log says what."
        status = STOPPED if live.is_stopped or error else INTERRUPTED if self._closed else DONE
        self._finish(live, {"status": status, "error": error, "seconds": before + time.monotonic() - began})

    def _finish(self, live: LiveBatch, how: Mapping[str, Any]) -> None:
        """Ends a batch, whatever becomes of its tables: one that seemed to be at work could never be gone on with."""
        try:
            live.state |= {**how, **self._told(live)}
            with suppress(BackendError):
                self._write(live.id, live.state)
        finally:
            with self._idle:
                live.batch = None
                live.end()
                self._idle.notify_all()
                live.folder.close()

    def _told(self, live: LiveBatch) -> dict[str, Any]:
        """What the tables say of a batch when they are written; the error where they cannot be."""
        try:
            with self._writing:
                summary = self._write_results(live)
            findings = [one.to_json() for one in summary.findings]
        except OSError as error:
            log.warning("batch %s: %s", live.id, error)
            return {"error": f"The results cannot be written: {error.strerror or error}."}
        except Exception:  # a bug, or what a result holds that nobody thought of
            log.exception("batch %s", live.id)
            return {"error": "The results cannot be written; the server's log says why."}
        return {"done": summary.done, "failed": summary.failed, "findings": findings}

    def _write(self, batch_id: str, state: Mapping[str, Any]) -> None:
        kept = {**state, "updated": time.time()}
        with _kept(batch_id):
            atomic_write_text(self.folder / batch_id / STATE, json.dumps(kept, ensure_ascii=False, default=str))


def make_batches(controller: Runner, make_controller: MakeController | None = None) -> Batches:
    """The batches of a server; without `make_controller` all is done by threads of this process."""
    config: Config = controller.config
    return Batches(config.path(config.batches.folder), controller, make_controller)


@contextmanager
def _kept(batch_id: str) -> Iterator[None]:
    """Raises BackendError where the folder of a batch cannot be read or written, without its path."""
    try:
        yield
    except BatchBusy:
        raise
    except (OSError, UserError) as error:
        log.warning("batch %s: %s", batch_id, error)
        raise BackendError("The batch cannot be kept or read; the server's log says why.") from error


def _none(config: Config) -> Runner:
    raise BackendError("This server starts no processes.")


def _effort(effort: Effort) -> dict[str, Any]:
    return {"calls": dict(effort.calls), "paid": effort.paid}


def _close(live: LiveBatch) -> None:
    live.end()
    live.folder.close()


def _is_at_work(folder: Path) -> bool:
    """Whether a process works on a batch."""
    try:
        with (folder / JOURNAL).open("rb") as journal:
            lock(journal)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _stamp(file: Path) -> Stamp:
    """The time of the last change of a file, in nanoseconds, and its bytes; zeros where there is none."""
    try:
        state = file.stat()
    except OSError:
        return 0, 0
    return state.st_mtime_ns, state.st_size


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


RESULT_FILES = ("results.csv", "results.xlsx", "results.jsonl", PLAN)


def files_for_zip(folder: Path) -> list[tuple[str, Path]]:
    """What a person takes away of a batch: the tables, the plan, the generated files."""
    made = sorted((folder / FILES).iterdir()) if (folder / FILES).is_dir() else []
    tables = [folder / name for name in RESULT_FILES]
    return [(file.relative_to(folder).as_posix(), file) for file in (*tables, *made) if file.is_file()]
