"""Invariants that hold under every fault. Each check raises Broken with the violation."""

from __future__ import annotations

import gc
import json
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil

from hugginggpt.core.events import Done, Event, Failed, Finished, Planned, RunRecord, Skipped
from hugginggpt.core.results import files_of
from tests.chaos.plans import Case
from tests.chaos.services import nonces_in

ENDS = (Finished, Failed, Skipped)
POLL_SECONDS = 0.2


class Broken(AssertionError):
    """An invariant does not hold."""


def check(holds: bool, said: str) -> None:
    if not holds:
        raise Broken(said)


def check_events(events: Iterable[Event], case: Case) -> Counter[str]:
    """A typed outcome, every task of the plan ended exactly once, nothing of another run. Gives what was counted."""
    events = list(events)
    check(isinstance(events[-1], Done), f"the last event is {type(events[-1]).__name__}")
    check(sum(isinstance(event, Done) for event in events) == 1, "it ended more than once")
    planned = next((at for at, event in enumerate(events) if isinstance(event, Planned)), None)
    record = RunRecord()
    for event in events:
        record.apply(event)
    if planned is not None:
        whole = events[planned]
        assert isinstance(whole, Planned)
        ended = Counter(
            event.task_id
            for at, event in enumerate(events)
            if isinstance(event, ENDS) and (at > planned or event.task_id in whole.kept)
        )
        expected = {task.id: 1 for task in whole.plan}
        check(dict(ended) == expected or record.stop == "planned", f"tasks ended {dict(ended)}, of {list(expected)}")
    open_tasks = [n for n, task in record.tasks.items() if task.state not in ("finished", "failed", "skipped")]
    check(not open_tasks or record.stop == "planned", f"the record leaves the tasks {open_tasks} open")
    counts: Counter[str] = Counter(task.state for task in record.tasks.values())
    counts[f"run {record.stop}"] += 1
    told = json.dumps(record.to_json(), default=str)
    check(nonces_in(told.encode()) <= {case.nonce}, f"it tells of another run: {nonces_in(told.encode())}")
    return counts


def check_files(record: RunRecord, case: Case, public: Path) -> None:
    """Every file that a run names is there, and is its own."""
    named = [path for task in record.tasks.values() if task.ok for path in files_of(task.value)]
    for path in named:
        file = public / path.lstrip("/")
        check(file.is_file(), f"it names {path}, which there is not")
        check(nonces_in(file.read_bytes()) <= {case.nonce}, f"{path} is of another run")


@dataclass
class Leaks:
    """Threads, sockets, open files and temporary files of a process before; `check` holds those after against them."""

    process: psutil.Process
    threads: int
    files: int
    temporary: set[Path]

    @classmethod
    def before(cls, process: psutil.Process | None = None) -> Leaks:
        process = process or psutil.Process()
        return cls(process, process.num_threads(), process.num_fds(), _temporary())

    def check(self, seconds: float, public: Path, spare_threads: int = 0, spare_files: int = 0) -> None:
        """Waits until all is given back, `seconds` at most: as long as the limits of a call allow."""
        deadline = time.monotonic() + seconds
        left = self._left(public, spare_threads, spare_files)
        while left and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            gc.collect()  # connections of a closed pool end with it, and it may be held by the error of a run
            left = self._left(public, spare_threads, spare_files)
        check(not left, f"left behind: {left}")

    def _left(self, public: Path, spare_threads: int, spare_files: int) -> str:
        left = []
        if (threads := self.process.num_threads() - self.threads) > spare_threads:
            own = self.process.pid == psutil.Process().pid
            left.append(f"{threads} threads {[t.name for t in threading.enumerate()] if own else ''}")
        if (files := self.process.num_fds() - self.files) > spare_files:
            left.append(f"{files} files or sockets {self.process.net_connections()} {self.process.open_files()}")
        if partial := list(public.rglob("*.part")):
            left.append(f"partial files {partial}")
        if temporary := _temporary() - self.temporary:
            left.append(f"temporary files {temporary}")
        return "; ".join(left)


def _temporary() -> set[Path]:
    return set(Path(tempfile.gettempdir()).iterdir())
