"""Stage 3: runs the tasks of a plan, each as soon as its model is chosen and its dependencies are done.

One thread (the consumer of the events) holds the state; the planning, each selection and each task run in
other threads and report to it through a queue. Nothing polls. Tasks of a plan that is still being streamed
are started early; the complete plan then decides which of them are kept.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError, ErrorCode, HuggingGPTError, RunStopped
from hugginggpt.core.events import Event, Failed, Finished, Planned, Retried, Selected, Skipped, Started, TaskPlanned
from hugginggpt.core.plan import REFERENCE, Plan, Task, urgent_first
from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.endpoints.circuit_breaker import Breakers
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.result_cache import ResultCache
from hugginggpt.stages.run import Run
from hugginggpt.stages.selector import Selecting, Selection
from hugginggpt.stages.task_runner import TaskRunner, TaskSuccess


class Executor:
    """Runs plans."""

    def __init__(self, media: MediaStore, cache: ResultCache | None = None, breakers: Breakers | None = None) -> None:
        self.media = media
        self.cache = cache
        self.breakers = breakers or Breakers()

    def with_breaker_for(self, endpoint: str) -> Executor:
        """An executor that shares all but the breaker of one endpoint."""
        return Executor(self.media, self.cache, self.breakers.with_own(endpoint))

    def execute(self, run: Run, planning: Iterator[Event], selecting: Selecting) -> Iterator[Event]:
        """The events of planning and of all tasks: each task is finished, failed or skipped exactly once.

        Raises RunStopped when the run reaches a limit or is cancelled, and the errors of the planning; finished
        tasks are kept.
        """
        task_runner = TaskRunner(run, self.media, self.breakers, self.cache)
        yield from _Execution(run, selecting, task_runner).events(planning)


@dataclass(slots=True, eq=False)
class _Node:
    """The state of one task."""

    task: Task
    waits_for: set[int] = field(default_factory=set)
    selection: Selection | None = None
    started: float | None = None
    ended: bool = False
    failed: bool = False
    args: dict[str, Any] = field(default_factory=dict)
    value: Any = None


class _Execution:
    """One plan being run."""

    def __init__(self, run: Run, selecting: Selecting, task_runner: TaskRunner) -> None:
        self.run = run
        self.selecting = selecting
        self.task_runner = task_runner
        self.nodes: dict[int, _Node] = {}
        self.planned = False
        self.reports: queue.SimpleQueue[tuple[_Node | None, Any]] = queue.SimpleQueue()

    def events(self, planning: Iterator[Event]) -> Iterator[Event]:
        spawn(self._plan, planning, name="plan")
        self.run.cancelled.add_done_callback(lambda _: self.reports.put((None, None)))
        while not self.planned or self._open_nodes():
            yield from self._next_report()

    def _plan(self, planning: Iterator[Event]) -> None:
        """Reports the events of the planning, or its error."""
        try:
            for event in planning:
                self.reports.put((None, event))
        except BaseException as error:
            self.reports.put((None, error))

    def _next_report(self) -> Iterator[Event]:
        """Waits for the next report of a thread, or the next deadline."""
        self.run.check()
        due = [node.started + self.run.limits.task_seconds for node in self._open_nodes() if node.started is not None]
        patience = min([self.run.seconds_left(), *(at - time.monotonic() for at in due)])
        try:
            node, report = self.reports.get(timeout=max(0.0, patience))
        except queue.Empty:
            yield from self._time_out()
            return
        if isinstance(report, Event):  # made in another thread, perhaps before events that this one has told since
            report = replace(report, at=time.monotonic())
        if node is None:
            yield from self._take_plan(report)
        elif not node.ended:
            yield from self._take(node, report)

    # The plan

    def _take_plan(self, report: Any) -> Iterator[Event]:
        match report:
            case TaskPlanned():
                yield report
                yield from self._add(report.task)
            case Planned():
                yield from self._settle(report)
            case Event():
                yield report
            case BaseException():
                raise report

    def _settle(self, planned: Planned) -> Iterator[Event]:
        """Compares the started tasks with the complete plan: those that differ are dropped, missing ones are added."""
        plan: Plan = planned.plan
        kept: list[int] = []
        for task in plan:
            begun = self.nodes.get(task.id)
            if begun and begun.task == task and set(task.dep) <= set(kept):
                kept.append(task.id)
        for number in set(self.nodes) - set(kept):
            self.nodes.pop(number).ended = True  # its threads may continue, without a listener
        self.planned = True
        yield replace(planned, kept=tuple(kept))
        for task in urgent_first(plan.tasks):
            if task.id not in self.nodes:
                yield from self._add(task)
        self.selecting.all_known(plan)

    def _add(self, task: Task) -> Iterator[Event]:
        """Accepts a task: its model is chosen now, it starts when its dependencies are done."""
        node = self.nodes[task.id] = _Node(task)
        if task.problem:
            yield from self._fail(node, task.problem, ErrorCode.INVALID_TASK)
            return
        if task.id in self.run.done:
            yield from self._finish(node, replace(self.run.done[task.id], at=time.monotonic()))
            return
        for number in task.dep:
            dependency = self.nodes[number]
            if dependency.failed:
                yield from self._skip(node, dependency)
                return
            if not dependency.ended:
                node.waits_for.add(number)
        self._when_done(self.selecting.select(task), node)
        if not node.waits_for:
            self.task_runner.fetch_early(task, partial(self.selecting.possible, task))

    # Tasks

    def _take(self, node: _Node, report: Any) -> Iterator[Event]:
        number = node.task.id
        match report:
            case Selection():
                node.selection = report
                yield Selected(number, report.choice, report.usage)
                yield from self._start_if_ready(node)
            case Retried():
                yield report
            case TaskSuccess():
                yield from self._finish(node, report.finished(node.task))
            case RunStopped():
                raise report
            case HuggingGPTError():
                yield from self._fail(node, str(report), report.code)
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
            yield from self._fail(node, str(error), error.code)
            return
        report = partial(self._report, node)
        work = spawn(self.task_runner.run_task, node.task, node.args, node.selection, report, name=node.task.task)
        self._when_done(work, node)

    def _finish(self, node: _Node, finished: Finished) -> Iterator[Event]:
        node.ended, node.value, node.args = True, finished.value, dict(finished.args)
        yield finished
        for dependent in self._dependents(node):
            dependent.waits_for.discard(node.task.id)
            yield from self._start_if_ready(dependent)

    def _fail(self, node: _Node, reason: str, code: ErrorCode) -> Iterator[Event]:
        """Marks the task as failed; all tasks that depend on it are skipped with the reason."""
        node.ended = node.failed = True
        yield Failed(node.task.id, reason, code)
        for dependent in self._dependents(node):
            yield from self._skip(dependent, node)

    def _skip(self, node: _Node, missing: _Node) -> Iterator[Event]:
        if node.ended:
            return
        node.ended = node.failed = True
        task = missing.task
        yield Skipped(node.task.id, f"it needs the result of task {task.id} ({task.task}), which there is not.")
        for dependent in self._dependents(node):
            yield from self._skip(dependent, node)

    def _time_out(self) -> Iterator[Event]:
        self.run.check()
        now = time.monotonic()
        limit = self.run.limits.task_seconds
        for node in self._open_nodes():
            if node.started is not None and now >= node.started + limit and not node.ended:
                reason = f"it took longer than {limit:g} s (limits.task_seconds)."
                yield from self._fail(node, reason, ErrorCode.TASK_SECONDS)

    def _open_nodes(self) -> list[_Node]:
        return [node for node in self.nodes.values() if not node.ended]

    def _dependents(self, node: _Node) -> list[_Node]:
        return [other for other in self.nodes.values() if node.task.id in other.task.dep]

    def _when_done(self, future: Future[Any], node: _Node) -> None:
        """Reports the result of a thread, or its error, when it is there."""
        future.add_done_callback(lambda done: self._report(node, done.exception() or done.result()))

    def _report(self, node: _Node, report: Any) -> None:
        self.reports.put((node, report))

    # References

    def _resolved(self, node: _Node, name: str, value: Any) -> Any:
        """An argument with its references replaced by resources. Raises BackendError if one is missing."""
        if isinstance(value, list):
            return [self._resolved(node, name, item) for item in value]
        if not isinstance(value, str):
            return value
        arg = node.task.type.arg(name)
        kind: Kind = arg.kind if arg else "text"
        return REFERENCE.sub(lambda match: self._resource(int(match[1]), kind), value)

    def _resource(self, number: int, kind: Kind) -> str:
        """The resource of that kind that task `number` generated; else, as in JARVIS, its input of that kind."""
        giver = self.nodes[number]
        row = giver.task.type
        if kind in FILE_KINDS:
            if isinstance(giver.value, dict) and isinstance(path := giver.value.get(f"generated {kind}"), str):
                return path
        elif text := row.result.to_text(giver.value):
            return text
        for name, value in giver.args.items():
            if (arg := row.arg(name)) and arg.kind == kind and isinstance(value, str):
                return value
        raise BackendError(f"task {number} ({row.name}) gave no {kind}.")
