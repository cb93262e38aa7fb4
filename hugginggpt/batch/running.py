"""A batch: what it will take, and its run."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from hugginggpt.batch.journal import BatchFolder
from hugginggpt.batch.rows import Row
from hugginggpt.batch.work import Job, Outcome
from hugginggpt.batch.workers import InProcess, MakeController, OwnProcess, Pool, Worker
from hugginggpt.core.errors import UserError
from hugginggpt.core.events import Choice
from hugginggpt.endpoints.base import Tier
from hugginggpt.stages.plan_files import PlanFile
from hugginggpt.stages.run import Runner


@dataclass(frozen=True, slots=True)
class Effort:
    """What a batch takes: the calls of each place, and how many of them go to services of others."""

    calls: Mapping[str, int]
    paid: int
    needs_processes: bool

    def __str__(self) -> str:
        return ", ".join(f"{number} on {place}" for place, number in self.calls.items())

    def check(self, most: int) -> None:
        """Raises UserError where more calls to services of others are needed than are allowed."""
        if self.paid > most:
            raise UserError(
                f"This takes {self.paid} calls to services of others, which may cost money, and {most} are allowed: "
                f"allow {self.paid} (--max-calls; of a server, batches.max_calls), or take fewer files."
            )


def effort_of(controller: Runner, choices: Mapping[int, Choice], rows: int) -> Effort:
    """What it takes to run the chosen models for so many rows."""
    places = {endpoint.name: endpoint for endpoint in controller.endpoints}
    used = [places[choice.endpoint] for choice in choices.values()]
    calls = Counter(place.label for place in used for _ in range(rows))
    paid = rows * sum(not place.is_free for place in used)
    return Effort(dict(calls), paid, any(place.tier is Tier.EMBEDDED for place in used))


def with_choices(plan: PlanFile, choices: Mapping[int, Choice]) -> PlanFile:
    """The plan with the models that were chosen once, for all rows."""
    tasks: list[Mapping[str, Any]] = []
    for at, task in enumerate(plan.tasks):
        choice = choices.get(int(task.get("id", at)))
        tasks.append({**task, "model": choice.id} if choice else task)
    return PlanFile(tasks, plan.inputs, plan.request, plan.questions)


class Batch:
    """The rows of a folder that are still to be run, and the workers for them."""

    def __init__(self, folder: BatchFolder, controller: Runner, make_controller: MakeController) -> None:
        self.folder, self.controller, self.make_controller = folder, controller, make_controller
        self.began: set[str] = set()
        self._pool: Pool | None = None
        self._stopped = threading.Event()

    def run(self, workers: int, *, own_processes: bool) -> Generator[tuple[Job, Outcome], None, None]:
        """Each row with what came of it, which is kept before it is told. Closing it ends the workers."""
        pool = self._pool = Pool([self._worker(own_processes) for _ in range(workers)])
        with closing(pool.run(self._jobs())) as outcomes:
            for key, job, outcome in outcomes:
                if self._stopped.is_set():
                    return
                self.folder.add(key, outcome)
                yield job, outcome

    def stop(self) -> None:
        """Ends the run; rows under way count as not run. May be called by any thread."""
        self._stopped.set()
        if self._pool:
            self._pool.stop()

    def _worker(self, own_process: bool) -> Worker:
        if own_process:
            config = self.controller.config
            return OwnProcess(self.make_controller, config, self.folder.plan, self.folder.slots)
        return InProcess(self.controller, self.folder.plan, self.folder.slots)

    def _jobs(self) -> Iterator[tuple[str, Job]]:
        """The rows that are not done; those with the same content are run once."""
        for number, row in enumerate(self.folder.rows, 1):
            if self._stopped.is_set():
                return
            key = self.folder.key(row)
            if key not in self.began and not self.folder.is_done(key):
                self.began.add(key)
                yield key, Job(row, str(self.folder.files), _prefix(number, row), self.folder.is_public)


def _prefix(number: int, row: Row) -> str:
    """How the generated files of a row begin: its number and name."""
    stem = PurePath(row.name).stem if row.files else ""
    safe = "".join(char if char.isalnum() or char in "-_" else "-" for char in stem)[:60]
    return f"{number:05}-{safe}" if safe else f"{number:05}"


def usual_workers(cores: int, rows: Sequence[Row]) -> int:
    """How many rows are run at the same time by default."""
    return max(1, min(cores // 2, 4, len(rows)))
