"""Stage 3: the tasks of a plan are run, each as soon as its model is chosen and its dependencies are done.

One thread (the one that consumes the events) keeps the books; each selection and each task runs in a
thread of its own and reports to it through a queue. Nothing polls.
"""

from __future__ import annotations

import itertools
import logging
import queue
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hugginggpt.concurrency import Remembered, spawn
from hugginggpt.endpoints.base import Inference
from hugginggpt.errors import BackendError, HuggingGPTError, ModelOutputError, RunStopped
from hugginggpt.events import Event, Failed, Finished, Retried, Selected, Skipped, Started
from hugginggpt.media import MediaStore
from hugginggpt.plan import REFERENCE, Plan, Task
from hugginggpt.results import FILE_KINDS, Kind
from hugginggpt.run import Run
from hugginggpt.selector import Candidate, Selection
from hugginggpt.tasks import TASKS

log = logging.getLogger(__name__)


class Executor:
    """Runs plans."""

    def __init__(self, media: MediaStore) -> None:
        self.media = media

    def execute(self, run: Run, plan: Plan, selections: Mapping[int, Future[Selection]]) -> Iterator[Event]:
        """The events of all tasks: each is finished, failed or skipped exactly once.

        Raises RunStopped when the run reaches a limit or is cancelled; what is done by then stays.
        """
        yield from _Execution(run, plan, selections, self.media).events()


@dataclass(slots=True)
class _Node:
    """The books on one task."""

    task: Task
    waits_for: set[int]
    selection: Selection | None = None
    started: float | None = None
    ended: bool = False
    args: dict[str, Any] = field(default_factory=dict)
    value: Any = None


class _Execution:
    """One plan being run."""

    def __init__(self, run: Run, plan: Plan, selections: Mapping[int, Future[Selection]], media: MediaStore) -> None:
        self.run = run
        self.selections = selections
        self.media = media
        self.nodes = {task.id: _Node(task, set(task.dep)) for task in plan}
        self.dependents: dict[int, list[int]] = {task.id: [] for task in plan}
        for task in plan:
            for dep in task.dep:
                self.dependents.setdefault(dep, []).append(task.id)
        self.reports: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self.fetched: Remembered[Path] = Remembered(self._open, float("inf"))

    def events(self) -> Iterator[Event]:
        for node in list(self.nodes.values()):
            if node.task.problem:
                yield from self._fail(node, node.task.problem)
        for node in self._open_nodes():
            self._when_done(self.selections[node.task.id], node.task.id)
        self.run.cancelled.add_done_callback(lambda _: self.reports.put((-1, None)))
        while self._open_nodes():
            yield from self._next_report()

    def _next_report(self) -> Iterator[Event]:
        """Waits for what happens next: a report of a thread, or the end of somebody's time."""
        self.run.check()
        due = [node.started + self.run.limits.task_seconds for node in self._open_nodes() if node.started is not None]
        wait = min([self.run.seconds_left(), *(at - time.monotonic() for at in due)])
        try:
            number, report = self.reports.get(timeout=max(0.0, wait))
        except queue.Empty:
            yield from self._time_out()
            return
        node = self.nodes.get(number)
        if node and not node.ended:
            yield from self._take(node, report)

    def _take(self, node: _Node, report: Any) -> Iterator[Event]:
        number = node.task.id
        match report:
            case Selection():
                node.selection = report
                yield Selected(number, report.choice, report.usage)
                yield from self._start_if_ready(node)
            case Retried():
                yield report
            case _Done():
                node.ended, node.value, node.args = True, report.inference.value, dict(report.args)
                yield Finished(number, report.args, node.value, report.choice, report.inference.usage)
                for dependent in self.dependents[number]:
                    self.nodes[dependent].waits_for.discard(number)
                    yield from self._start_if_ready(self.nodes[dependent])
            case RunStopped():
                raise report
            case HuggingGPTError():
                yield from self._fail(node, str(report))
            case BaseException():
                raise report

    def _start_if_ready(self, node: _Node) -> Iterator[Event]:
        if node.ended or node.started is not None or node.selection is None or node.waits_for:
            return
        node.started = time.monotonic()
        yield Started(node.task.id)
        try:
            node.args = {name: self._resolved(node, name, value) for name, value in node.task.args.items()}
        except BackendError as error:
            yield from self._fail(node, str(error))
            return
        self._when_done(spawn(self._perform, node, node.selection, name=node.task.task), node.task.id)

    def _fail(self, node: _Node, reason: str) -> Iterator[Event]:
        """The task fails, and all that depend on it are skipped with the reason."""
        node.ended = True
        yield Failed(node.task.id, reason)
        yield from self._skip_dependents(node)

    def _skip_dependents(self, node: _Node) -> Iterator[Event]:
        for number in self.dependents[node.task.id]:
            dependent = self.nodes[number]
            if not dependent.ended and not dependent.task.problem:
                dependent.ended = True
                yield Skipped(
                    number, f"it needs the result of task {node.task.id} ({node.task.task}), which there is not."
                )
                yield from self._skip_dependents(dependent)

    def _time_out(self) -> Iterator[Event]:
        self.run.check()
        now = time.monotonic()
        limit = self.run.limits.task_seconds
        for node in self._open_nodes():
            if node.started is not None and now >= node.started + limit and not node.ended:
                yield from self._fail(node, f"it took longer than {limit:g} s (limits.task_seconds).")

    def _open_nodes(self) -> list[_Node]:
        return [node for node in self.nodes.values() if not node.ended]

    def _when_done(self, future: Future[Any], number: int) -> None:
        """Has the result of a thread, or its error, reported."""
        future.add_done_callback(lambda done: self.reports.put((number, done.exception() or done.result())))

    # What the threads do

    def _perform(self, node: _Node, selection: Selection) -> _Done:
        """Runs the chosen model, then the next candidates, until one succeeds. Raises the last error."""
        args = self._opened(node)
        attempts = _attempts(selection.candidates, self.run.limits.attempts)
        down: set[str] = set()
        failures: list[str] = []
        choice = selection.choice
        for candidate in attempts:
            if candidate.endpoint.name in down:
                continue
            if failures:
                choice = candidate.choice(f"{failures[-1]} It is the next candidate.")
                self.reports.put((node.task.id, Retried(node.task.id, failures[-1], choice)))
            self.run.check()
            try:
                inference = candidate.endpoint.infer(candidate.card.id, node.task.type, args)
                self.run.spend(inference.usage)
                return _Done(inference, self._shown(node, args), choice)
            except (BackendError, ModelOutputError) as error:
                log.info("task %s: %s", node.task.id, error)
                failures.append(str(error))
                if isinstance(error, BackendError) and error.endpoint_down:
                    down.add(candidate.endpoint.name)
        raise BackendError(" ".join(dict.fromkeys(failures)))

    def _opened(self, node: _Node) -> dict[str, Any]:
        """The arguments with local files in place of paths and URLs. Raises MediaError."""
        row = node.task.type
        opened: dict[str, Any] = {}
        for name, value in node.args.items():
            arg = row.arg(name)
            if arg and isinstance(value, str) and (arg.kind in FILE_KINDS or (arg.kind == "table" and _is_file(value))):
                value = self.fetched.get((value, arg.kind)).result()
            opened[name] = value
        return opened

    def _open(self, key: tuple[str, Kind]) -> Path:
        return self.media.open(*key, named=self.run.files)

    def _shown(self, node: _Node, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the record shows them: public paths for files of the public folder."""
        return {
            name: self.media.public_path(args[name])
            if isinstance(args.get(name), Path) and "://" not in value
            else value
            for name, value in node.args.items()
        }

    # References

    def _resolved(self, node: _Node, name: str, value: Any) -> Any:
        """An argument with the resources that its references stand for. Raises BackendError if one is not there."""
        if isinstance(value, list):
            return [self._resolved(node, name, item) for item in value]
        if not isinstance(value, str):
            return value
        arg = node.task.type.arg(name)
        kind: Kind = arg.kind if arg else "text"
        return REFERENCE.sub(lambda match: self._resource(int(match[1]), kind), value)

    def _resource(self, number: int, kind: Kind) -> str:
        """What task `number` made of that kind; else, as in JARVIS, what it was itself given of that kind."""
        giver = self.nodes[number]
        row = TASKS[giver.task.task]
        if kind in FILE_KINDS:
            if isinstance(giver.value, dict) and isinstance(path := giver.value.get(f"generated {kind}"), str):
                return path
        elif text := row.form.text(giver.value):
            return text
        for name, value in giver.args.items():
            if (arg := row.arg(name)) and arg.kind == kind and isinstance(value, str):
                return value
        raise BackendError(f"task {number} ({row.name}) gave no {kind}.")


@dataclass(frozen=True, slots=True)
class _Done:
    """A task that succeeded."""

    inference: Inference
    args: Mapping[str, Any]
    choice: Any


def _attempts(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """The candidates to try in turn: the best ones, and of every further endpoint its best."""
    first = list(candidates[:most])
    seen = {candidate.endpoint.name for candidate in first}
    for candidate in itertools.islice(candidates, most, None):
        if candidate.endpoint.name not in seen:
            seen.add(candidate.endpoint.name)
            first.append(candidate)
    return first


def _is_file(value: str) -> bool:
    """Whether a table argument names a file and is not itself CSV text."""
    return "\n" not in value and value.lower().endswith((".csv", ".tsv", ".txt"))
