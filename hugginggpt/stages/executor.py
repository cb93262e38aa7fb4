"""Stage 3: runs the tasks of a plan, each as soon as its model is chosen and its dependencies are done.

One thread (the consumer of the events) holds the state; the planning, each selection and each task run in
other threads and report to it through a queue. Nothing polls. The model that ranks first may be at work before it is
chosen (`ahead`): that is told, and used, once the choice stands. Tasks of a plan that is still being streamed are
started early; the complete plan then decides which of them are kept. The condition of a task is decided when
the tasks that it waits for have ended; a task that is then not needed is skipped, which is no failure.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from hugginggpt.answers.evidence import Evidence
from hugginggpt.answers.findings import evidence_from, holds, names_of_args
from hugginggpt.common.ends import wanted_until
from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError, ErrorCode, HuggingGPTError, RunStopped
from hugginggpt.core.events import (
    Event,
    Failed,
    Finished,
    ModelsNamed,
    Notice,
    Planned,
    Progressed,
    RanAhead,
    Retried,
    Selected,
    Skipped,
    Started,
    TaskPlanned,
)
from hugginggpt.core.plan import REFERENCE, Plan, Task, references, urgent_first
from hugginggpt.core.results import FILE_KINDS, Kind, number_of
from hugginggpt.core.usage import Usage
from hugginggpt.endpoints.circuit_breaker import Breakers
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.ahead import Ahead
from hugginggpt.stages.documents import with_times
from hugginggpt.stages.named_models import Ended
from hugginggpt.stages.result_cache import ResultCache
from hugginggpt.stages.run import Run
from hugginggpt.stages.screening import Screening
from hugginggpt.stages.selector import Guess, Selecting, Selection
from hugginggpt.stages.task_runner import TaskRunner, TaskSuccess

NOTHING = Usage()


class Executor:
    """Runs plans."""

    def __init__(
        self,
        media: MediaStore,
        cache: ResultCache | None = None,
        breakers: Breakers | None = None,
        screening: Screening | None = None,
    ) -> None:
        self.media = media
        self.cache = cache
        self.breakers = breakers or Breakers()
        self.screening = screening

    def with_breaker_for(self, endpoint: str) -> Executor:
        """An executor that shares all but the breaker of one endpoint."""
        return Executor(self.media, self.cache, self.breakers.with_own(endpoint), self.screening)

    def execute(self, run: Run, planning: Iterator[Event], selecting: Selecting) -> Iterator[Event]:
        """The events of planning and of all tasks: each task is finished, failed or skipped exactly once.

        Raises RunStopped when the run reaches a limit or is cancelled, and the errors of the planning; finished
        tasks are kept.
        """
        task_runner = TaskRunner(run, self.media, self.breakers, self.cache, self.screening)
        yield from _Execution(run, selecting, task_runner).events(planning)


@dataclass(slots=True, eq=False)
class _Node:
    """The state of one task. `over` is done when nothing is expected of its threads any more. `may_not_be_needed` if
    it, or one before it, has a condition; `no_model` is why no model could be chosen for it, which matters once it is
    needed; `guess` is the model that may be begun until one is chosen, and `ahead` its work; `model` did it, and
    `retried` is why another one did not.
    """

    task: Task
    waits_for: set[int] = field(default_factory=set)
    may_not_be_needed: bool = False
    decided: bool = False
    not_needed: bool = False
    no_model: HuggingGPTError | None = None
    guess: Guess | None = None
    ahead: Ahead | None = None
    selection: Selection | None = None
    started: float | None = None
    ended: bool = False
    failed: bool = False
    args: dict[str, Any] = field(default_factory=dict)
    value: Any = None
    model: str = ""
    retried: str = ""
    over: Future[None] = field(default_factory=Future)

    def end(self, *, failed: bool = False) -> None:
        """Whatever its threads still report is not listened to."""
        self.ended, self.failed = True, failed
        if not self.over.done():
            self.over.set_result(None)

    @property
    def may_start_early(self) -> bool:
        """Whether the task may be run before the plan is complete, which may leave it out."""
        return self.selection is None or all(one.repeatable(self.task.type) for one in self.selection.candidates)


class _Execution:
    """One plan being run."""

    def __init__(self, run: Run, selecting: Selecting, task_runner: TaskRunner) -> None:
        self.run = run
        self.selecting = selecting
        self.task_runner = task_runner
        self.nodes: dict[int, _Node] = {}
        self.planned = False
        self.noticed: set[str] = set()
        self.reports: queue.SimpleQueue[tuple[_Node | None, Any]] = queue.SimpleQueue()

    def events(self, planning: Iterator[Event]) -> Iterator[Event]:
        spawn(self._plan, planning, name="plan")
        self.run.cancelled.add_done_callback(lambda _: self.reports.put((None, None)))
        try:
            while not self.planned or self._open_nodes():
                yield from self._next_report()
        except HuggingGPTError:
            for node in self._open_nodes():
                if node.selection is None:
                    yield from self._drop_ahead(node)
            raise
        if models := self.selecting.models_named([self._ended(node) for node in self.nodes.values()]):
            yield ModelsNamed(models)

    @staticmethod
    def _ended(node: _Node) -> Ended:
        return Ended(node.task, node.model, node.retried)

    def _plan(self, planning: Iterator[Event]) -> None:
        """Reports the events of the planning, or its error."""
        try:
            with wanted_until(self.run.cancelled):
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
        dropped = [self.nodes.pop(number) for number in sorted(set(self.nodes) - set(kept))]
        self.planned = True
        yield replace(planned, kept=tuple(kept))
        for node in dropped:
            if node.selection is None:
                yield from self._drop_ahead(node)
            node.end()  # its threads may continue, without a listener
        for number in kept:
            yield from self._start_if_ready(self.nodes[number])
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
        dependencies = [self.nodes[number] for number in task.dep]
        node.may_not_be_needed = bool(task.when) or any(one.may_not_be_needed for one in dependencies)
        for dependency in dependencies:
            if dependency.failed:
                yield from self._skip(node, dependency)
                return
            if not dependency.ended:
                node.waits_for.add(dependency.task.id)
        self._when_done(self.selecting.select(task, partial(self._report, node)), node)
        if not node.waits_for:
            yield from self._decide(node)
        if not node.waits_for and not node.ended:
            self.task_runner.fetch_early(task, partial(self.selecting.possible, task))

    # Tasks

    def _take(self, node: _Node, report: Any) -> Iterator[Event]:
        number = node.task.id
        match report:
            case Guess() if node.selection is None:
                node.guess = report
                yield from self._start_if_ready(node)
            case Selection():
                node.selection = report
                yield from self._notices(report)
                yield Selected(number, report.choice, report.usage)
                yield from self._judge_ahead(node, report)
                yield from self._start_if_ready(node)
            case Retried() | Progressed():
                if isinstance(report, Retried):
                    node.retried = node.retried or report.reason
                yield report
            case TaskSuccess():
                yield from self._finish(node, report.finished(node.task))
            case RunStopped():
                raise report
            case HuggingGPTError() if node.may_not_be_needed and node.started is None:
                node.no_model = report
                yield from self._start_if_ready(node)
            case HuggingGPTError():
                yield from self._fail(node, str(report), report.code, report.usage)
            case BaseException():
                raise report

    def _notices(self, selection: Selection) -> Iterator[Notice]:
        new = [notice for notice in selection.notices if notice not in self.noticed]
        self.noticed.update(new)
        yield from map(Notice, new)

    def _start_if_ready(self, node: _Node) -> Iterator[Event]:
        if node.waits_for or node.ended:
            return
        yield from self._decide(node)
        if node.ended or node.started is not None or not (self.planned or node.may_start_early):
            return
        if node.no_model:
            yield from self._fail(node, str(node.no_model), node.no_model.code)
        if node.selection is None:
            self._run_ahead(node)
            return
        node.started = time.monotonic()
        yield Started(node.task.id)
        try:
            node.args = self._resolved_args(node)
        except BackendError as error:
            yield from self._fail(node, str(error), error.code)
            return
        report = partial(self._report, node)
        given = (node.task, node.args, node.selection, report, node.over, node.ahead)
        self._when_done(spawn(self.task_runner.run_task, *given, name=node.task.task), node)

    def _finish(self, node: _Node, finished: Finished) -> Iterator[Event]:
        node.end()
        node.value, node.args, node.model = finished.value, dict(finished.args), finished.choice.id
        yield finished
        yield from self._go_on_after(node)

    def _go_on_after(self, node: _Node) -> Iterator[Event]:
        for dependent in self._dependents(node):
            dependent.waits_for.discard(node.task.id)
            yield from self._start_if_ready(dependent)

    # Ahead of the choice

    def _run_ahead(self, node: _Node) -> None:
        """Begins the task with the model that ranks first, if that may be; an error counts if that one is chosen."""
        if node.guess and not node.ahead:
            with suppress(BackendError):
                node.ahead = self.task_runner.run_ahead(node.task, self._resolved_args(node), node.guess, node.over)

    def _judge_ahead(self, node: _Node, selection: Selection) -> Iterator[Event]:
        """Keeps what was begun on the model that is chosen now; drops what was begun on another one."""
        if node.ahead and node.ahead.candidate == selection.candidates[0]:
            yield RanAhead(node.task.id, node.ahead.choice, True, node.ahead.worked)
        else:
            yield from self._drop_ahead(node)

    def _drop_ahead(self, node: _Node) -> Iterator[Event]:
        if ahead := node.ahead:
            node.ahead = None
            ahead.drop()
            yield RanAhead(node.task.id, ahead.choice, False, ahead.worked)

    # Conditions

    def _decide(self, node: _Node) -> Iterator[Event]:
        """Skips a task whose dependencies have ended if its condition does not hold, or if what it takes, or is decided
        by, was not needed.
        """
        if node.decided or node.ended:
            return
        node.decided = True
        number, when = node.task.id, node.task.when
        takes = [references({name: value}) for name, value in node.task.args.items()]
        for taken in [*takes, list(when.question.tasks if when else ())]:
            if taken and all(self.nodes[giver].not_needed for giver in taken):
                row = self.nodes[taken[0]].task.task
                yield from self._leave_out(node, Skipped(number, f"task {taken[0]} ({row}) was not needed."))
                return
        if when is None:
            return
        holding, reason = holds(when, self._evidence())
        if holding is False:
            yield from self._leave_out(node, Skipped(number, f"{reason}."))
        elif holding is None:
            node.ended = node.failed = True
            yield Skipped(number, f"its condition is undecided: {reason}.", ErrorCode.UNDECIDED)
            for dependent in self._dependents(node):
                yield from self._skip(dependent, node)

    def _leave_out(self, node: _Node, skipped: Skipped) -> Iterator[Event]:
        node.ended = node.not_needed = True
        yield replace(skipped, code=ErrorCode.NOT_NEEDED)
        yield from self._go_on_after(node)

    def _evidence(self) -> Iterator[Evidence]:
        """What the ended tasks gave that were needed."""
        ended = [node for node in self.nodes.values() if node.ended and not node.not_needed and node.task.row]
        args = [(node.task.type, node.args or node.task.args, node.task.args) for node in ended]
        names = names_of_args(args, self.run.known_files)
        for node, (row, given, _) in zip(ended, args, strict=True):
            yield evidence_from(node.task.id, row, given, names, node.value, ok=not node.failed)

    def _fail(self, node: _Node, reason: str, code: ErrorCode, usage: Usage = NOTHING) -> Iterator[Event]:
        """Marks the task as failed; all tasks that depend on it are skipped with the reason."""
        if node.selection is None:
            yield from self._drop_ahead(node)
        node.end(failed=True)
        yield Failed(node.task.id, reason, code, usage)
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

    def _resolved_args(self, node: _Node) -> dict[str, Any]:
        """The arguments with their references replaced by resources. Raises BackendError if one is missing."""
        return {name: self._resolved(node, name, value) for name, value in node.task.args.items()}

    def _resolved(self, node: _Node, name: str, value: Any) -> Any:
        """An argument with its references replaced by resources. Raises BackendError if one is missing."""
        if isinstance(value, list):
            return [self._resolved(node, name, item) for item in value]
        if not isinstance(value, str):
            return value
        arg = node.task.type.arg(name)
        kinds: tuple[Kind, ...] = arg.kinds if arg else ("text",)
        if node.task.type.wording == "calculation":
            return REFERENCE.sub(lambda match: self._number(int(match[1])), value)
        needed = self._of_needed(value)
        if alone := REFERENCE.fullmatch(needed):
            return self._resource(int(alone[1]), kinds)
        return REFERENCE.sub(lambda match: self._resource(int(match[1]), kinds), needed)

    def _of_needed(self, value: str) -> str:
        """An argument without the references to tasks that were not needed: of two branches one has a result."""
        if not any(self.nodes[number].not_needed for number in references({"": value})):
            return value
        rest = REFERENCE.sub(lambda match: "" if self.nodes[int(match[1])].not_needed else match[0], value)
        return rest.strip(" .,;\n")

    def _number(self, number: int) -> str:
        """The number that task `number` gave. Raises BackendError where it is none."""
        giver = self.nodes[number]
        if not (found := number_of(giver.value)):
            raise BackendError(f"task {number} ({giver.task.type.name}) gave no single number to calculate with.")
        return found

    def _resource(self, number: int, kinds: Sequence[Kind]) -> str:
        """The resource of one of the kinds that task `number` generated; else, as in JARVIS, its input of that kind."""
        giver = self.nodes[number]
        row = giver.task.type
        for kind in kinds:
            if kind in FILE_KINDS:
                if isinstance(giver.value, dict) and isinstance(path := giver.value.get(f"generated {kind}"), str):
                    return path
            elif kind in ("text", "table") and row.result.name == "document":
                return str(giver.value["generated document"])
            elif text := row.result.to_text(giver.value):
                return with_times(text, giver.value)
        for name, value in giver.args.items():
            if (arg := row.arg(name)) and arg.kind in kinds and isinstance(value, str):
                return value
        raise BackendError(f"task {number} ({row.name}) gave no {kinds[0]}.")
