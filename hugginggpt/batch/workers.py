"""The workers of a batch, and the pool that gives them the rows.

Experts of this machine run in processes of their own: a file that makes a library crash ends its worker, which costs
one row, and another worker takes the rest. What only asks other machines is run by threads of this process.
"""

from __future__ import annotations

import math
import multiprocessing
import queue
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import closing, suppress
from multiprocessing.connection import Connection
from typing import Any, Protocol

from hugginggpt.batch.work import Job, Outcome, run_row
from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.plan_files import PlanFile, read_plan_file
from hugginggpt.stages.run import Run, Runner

MakeController = Callable[[Config], Runner]
TRIES = 5
"""How often a row is run for which a service is asked too often."""
LONGEST_PAUSE = 300.0
USELESS = 5
"""After so many workers that died without any outcome, it is not the file's fault."""


class Worker(Protocol):
    """Runs one row after the other."""

    def run(self, job: Job) -> Outcome: ...

    def close(self) -> None: ...


class InProcess:
    """A worker in this process."""

    def __init__(self, controller: Runner, plan: PlanFile, slots: Mapping[str, str]) -> None:
        self.controller, self.plan, self.slots = controller, plan, slots
        self.media = MediaStore(controller.config)
        self._run: Run | None = None

    def run(self, job: Job) -> Outcome:
        return run_row(self.controller, self.media, self.plan, self.slots, job, self._begins)

    def _begins(self, run: Run) -> None:
        self._run = run

    def close(self) -> None:
        """Cancels the run under way."""
        if self._run:
            self._run.cancel()


class OwnProcess:
    """A worker in a process of its own, which is started anew when it has died."""

    def __init__(
        self, make_controller: MakeController, config: Config, plan: PlanFile, slots: Mapping[str, str]
    ) -> None:
        config = config.model_copy(update={"log_file": None})
        self._given = (make_controller, config, plan.to_json(), dict(slots))
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._deaths: float = 0

    def run(self, job: Job) -> Outcome:
        """Raises BackendError where no worker lives long enough to do anything."""
        try:
            connection = self._started()
            connection.send(job)
            outcome: Outcome = connection.recv()
        except (EOFError, OSError):
            reason = self._end()
            self._deaths += 1
            if self._deaths == USELESS and not self._closed:
                raise BackendError(f"{USELESS} workers died one after the other, before they did anything.") from None
            return failure(reason)
        self._deaths = -math.inf
        return outcome

    def _started(self) -> Connection:
        with self._lock:
            if self._closed:
                raise OSError("closed")
            if self._connection is None:
                context = multiprocessing.get_context("spawn")
                ours, its_end = context.Pipe()
                process = context.Process(target=_serve, args=(its_end, *self._given), daemon=True)
                with its_end:
                    process.start()
                self._connection, self._process = ours, process
            return self._connection

    def _end(self) -> str:
        """Ends the process; says how it ended."""
        with self._lock:
            process, self._process = self._process, None
            connection, self._connection = self._connection, None
        if connection:
            connection.close()
        if process is None:
            return "It was not run."
        process.join()
        code = process.exitcode or 0
        process.close()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"Its worker died ({how}): the file may have made a library crash."

    def close(self) -> None:
        """Ends the process at once."""
        with self._lock:
            self._closed = True
            if self._process:
                self._process.kill()
        self._end()


def _serve(
    connection: Connection,
    make_controller: MakeController,
    config: Config,
    plan: Mapping[str, Any],
    slots: Mapping[str, str],
) -> None:
    """The main function of a worker's process: it ends with the other end of the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that started it
    with connection, closing(make_controller(config)) as controller:
        worker = InProcess(controller, read_plan_file(plan), slots)
        with suppress(EOFError, OSError):
            while True:
                connection.send(worker.run(connection.recv()))


def failure(reason: str) -> Outcome:
    return {"seconds": 0.0, "error": reason, "wait": 0.0, "tasks": {}}


class Pool:
    """Gives rows to workers: at most as many are under way, or wait to be fetched, as there are workers."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self.workers = workers
        self._outcomes: queue.SimpleQueue[tuple[str, Job, Outcome] | BaseException | None] = queue.SimpleQueue()
        self._free = threading.Semaphore(len(workers))
        self._taking = threading.Lock()
        self._stop = threading.Event()
        self._pause = _Pause(self._stop)

    def run(self, jobs: Iterator[tuple[str, Job]]) -> Generator[tuple[str, Job, Outcome], None, None]:
        """The outcome of each (key, job), as it comes. A job is taken when it can be begun. Closes the workers."""
        threads = [spawn(self._work, worker, jobs, name="batch") for worker in self.workers]
        working = len(threads)
        try:
            while working:
                outcome = self._outcomes.get()
                if isinstance(outcome, BaseException):
                    raise outcome
                if outcome is None:
                    working -= 1
                    continue
                yield outcome
                self._free.release()
        finally:
            self.stop()
            wait(threads)

    def stop(self) -> None:
        """Ends the run early; what the workers are at is given as a failure. May be called by any thread."""
        self._stop.set()
        for worker in self.workers:
            worker.close()
            self._free.release()

    def _work(self, worker: Worker, jobs: Iterator[tuple[str, Job]]) -> None:
        try:
            while given := self._next(jobs):
                self._outcomes.put((*given, self._outcome(worker, given[1])))
            self._outcomes.put(None)
        except BaseException as error:
            self._outcomes.put(error)

    def _next(self, jobs: Iterator[tuple[str, Job]]) -> tuple[str, Job] | None:
        self._free.acquire()
        if self._stop.is_set():
            return None
        with self._taking:
            given = next(jobs, None)
        if given is None:
            self._free.release()  # the next one sees the end, too
        return given

    def _outcome(self, worker: Worker, job: Job) -> Outcome:
        """What comes of a row; one for which a service is asked too often is run again after a pause of all workers."""
        outcome = failure("It was not run.")
        for attempt in range(TRIES):
            self._pause.wait()
            if self._stop.is_set():
                break
            outcome = worker.run(job)
            if not (outcome["error"] and outcome["wait"]):
                break
            self._pause.ask_for(outcome["wait"] * 2**attempt)
        return outcome


class _Pause:
    """A time in which no worker begins a row."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._until = 0.0
        self._lock = threading.Lock()

    def ask_for(self, seconds: float) -> None:
        with self._lock:
            self._until = max(self._until, time.monotonic() + min(seconds, LONGEST_PAUSE))

    def wait(self) -> None:
        while (left := self._until - time.monotonic()) > 0 and not self._stop.wait(left):
            pass
