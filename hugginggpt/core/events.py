"""The events of a run, and the run record that is folded from them.

A run is a stream of events; the terminal, the HTTP answers and the log are folds over it. Every event
carries its time (`at`, seconds of the monotonic clock).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

from hugginggpt.core.conversation import Attachment, MissingInput
from hugginggpt.core.errors import ErrorCode, StopReason
from hugginggpt.core.findings import Finding
from hugginggpt.core.model_uses import ModelUse
from hugginggpt.core.plan import Plan, Task
from hugginggpt.core.results import files_of
from hugginggpt.core.tasks import TaskType
from hugginggpt.core.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events."""

    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class Choice:
    """The model chosen for a task, where it runs, and why it was chosen."""

    id: str
    endpoint: str
    reason: str
    place: str = ""

    def to_json(self) -> dict[str, str]:
        """JARVIS's "choose model result", and where the model runs."""
        place = {"place": self.place} if self.place else {}
        return {"id": self.id, "reason": self.reason, "endpoint": self.endpoint, **place}


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    """`files` are those attached to the request. A run that does a task of another one again is a `version_of` it."""

    run_id: str
    request: str
    llm: str
    files: tuple[Attachment, ...] = ()
    version_of: str = ""


@dataclass(frozen=True, slots=True)
class Notice(Event):
    """Information for the user: a fallback, a repair."""

    text: str


@dataclass(frozen=True, slots=True)
class PromptRead(Event):
    """A language model on this machine has read so many of the `total` tokens of its prompt."""

    read: int
    total: int


@dataclass(frozen=True, slots=True)
class TaskPlanned(Event):
    """A task of a plan that is still being streamed; it has already been started."""

    task: Task


@dataclass(frozen=True, slots=True)
class Planned(Event):
    """The complete plan. Of the tasks started early, those in `kept` agree with it; the others are dropped.

    `planner` is who planned ("llm", "offline"; "" of a run resumed from a record that does not say), `why` the reason
    where there was a choice, or another had failed. `confidence` is how likely the offline planner held its plan to be
    right, where that decided.
    """

    plan: Plan
    usage: Usage = Usage()
    kept: tuple[int, ...] = ()
    planner: str = ""
    why: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Selected(Event):
    task_id: int
    choice: Choice
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class RanAhead(Event):
    """A model that was begun while the language model still chose, told when the choice stands: it was chosen and its
    work is `kept`, or another was, and it is dropped. `worked` is for how many seconds it had been at it.
    """

    task_id: int
    choice: Choice
    kept: bool
    worked: float


@dataclass(frozen=True, slots=True)
class Started(Event):
    task_id: int


@dataclass(frozen=True, slots=True)
class Progressed(Event):
    """How far a running task is: what is `done` of a `total`, None where it is not known, and a text."""

    task_id: int
    done: float
    total: float | None = None
    text: str = ""

    @property
    def words(self) -> str:
        """How far it is, for people: "50 %, part 1"."""
        share = f"{100 * self.done / self.total:.0f} %" if self.total else ""
        return ", ".join(filter(None, (share, self.text))) or f"{self.done:g}"


@dataclass(frozen=True, slots=True)
class Retried(Event):
    """A model failed and another one is tried."""

    task_id: int
    reason: str
    choice: Choice


@dataclass(frozen=True, slots=True)
class Finished(Event):
    """`args` are the arguments with the references replaced, `value` the result in the form of its task.

    `form` is the name of that form (`ResultSchema.name`), `reading` the result in a line of words.
    """

    task_id: int
    args: Mapping[str, Any]
    value: Any
    choice: Choice
    usage: Usage = Usage()
    form: str = ""
    reading: str = ""


@dataclass(frozen=True, slots=True)
class Failed(Event):
    task_id: int
    reason: str
    code: ErrorCode = ErrorCode.ERROR
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Skipped(Event):
    """A task that was not run: one that it depends on failed, or, by `code`, its condition is undecided (UNDECIDED) or
    does not hold (NOT_NEEDED), which is no failure.
    """

    task_id: int
    reason: str
    code: ErrorCode = ErrorCode.DEPENDENCY


@dataclass(frozen=True, slots=True)
class ModelsNamed(Event):
    """What became of the models that the request names; told when all tasks have ended."""

    models: tuple[ModelUse, ...]


@dataclass(frozen=True, slots=True)
class AnswerDelta(Event):
    """The next piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Corrected(Event):
    """A sentence of the language model's answer that the results do not bear out, why, and what code says in its place;
    "" where nothing needs to be said.
    """

    said: str
    instead: str
    why: str

    def to_json(self) -> dict[str, str]:
        return {"said": self.said, "instead": self.instead, "why": self.why}


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """The complete answer; it replaces the pieces if they differ. `refused` says that nothing could be planned: the
    message says why. `answer` is what of it answers the request; `reply`, of a run without one, what is said instead:
    small talk, or the question for an input that is `missing`. `findings` are the answers to the plan's questions.
    """

    message: str
    usage: Usage = Usage()
    stage: str = "respond"
    answer: str = ""
    reply: str = ""
    missing: MissingInput | None = None
    refused: bool = False
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Done(Event):
    """The last event of every run; `code` goes with the error and with a run in which nothing was done. `usage` is what
    the language model used at each stage, also for replies that nobody could use.
    """

    stop: StopReason
    error: str = ""
    code: ErrorCode | None = None
    usage: Mapping[str, Usage] = field(default_factory=dict)


EVENT_NAMES = {
    "RunStarted": "run", "PromptRead": "reading", "TaskPlanned": "task", "Planned": "plan", "AnswerDelta": "token",
    "Answered": "answer", "Progressed": "progress", "ModelsNamed": "models",
    "RanAhead": "ahead",
}  # fmt: skip
"""The names of some events on the wire; the others have their class names in lower case."""


def to_json(event: Event, record: RunRecord) -> dict[str, Any]:
    """An event for a client: its name, the seconds since the run began, and its fields."""
    kind = type(event).__name__
    told: dict[str, Any] = {"event": EVENT_NAMES.get(kind, kind.lower()), "seconds": round(event.at - record.began, 4)}
    for slot in fields(event):
        if slot.name in ("at", "usage"):
            continue
        value = getattr(event, slot.name)
        told[slot.name] = value.to_json() if isinstance(value, Plan | Task | Choice | MissingInput) else value
    if isinstance(event, RunStarted):
        told["files"] = [file.to_json() for file in event.files]
    if isinstance(event, Finished):
        told["files"] = files_of(event.value)
    if isinstance(event, ModelsNamed):
        told["models"] = [use.to_json() for use in event.models]
    if isinstance(event, Answered):
        told["findings"] = [finding.to_json() for finding in event.findings]
    if isinstance(event, Planned):
        told["problems"] = event.plan.problems
        told["notes"] = list(event.plan.notes)
        told["language"] = event.plan.language
    if isinstance(event, Done):
        told["usage"] = usage_to_json(event.usage)
    return told


def usage_to_json(usage: Mapping[str, Usage]) -> dict[str, dict[str, int]]:
    """What a language model used at each stage, and in "total"."""
    total = sum(usage.values(), Usage())
    return {**{stage: used.to_json() for stage, used in usage.items()}, "total": total.to_json()}


@dataclass(slots=True)
class TaskRecord:
    """The state of one task: waiting, running, finished, failed or skipped.

    `task` is the task in JARVIS's format, `row` its row in the task table, if it is a known one. `ahead` are the
    seconds for which its model had worked when it was chosen; `started` counts from their beginning.
    """

    task: dict[str, Any]
    row: TaskType | None = None
    state: str = "waiting"
    choice: Choice | None = None
    value: Any = None
    form: str = ""
    reading: str = ""
    reason: str = ""
    code: ErrorCode | None = None
    progress: str = ""
    retries: list[str] = field(default_factory=list)
    selected: float | None = None
    ahead: float = 0.0
    started: float | None = None
    ended: float | None = None

    @classmethod
    def of(cls, task: Task) -> TaskRecord:
        return cls(task.to_json(), task.row)

    @property
    def type(self) -> TaskType:
        """The row, of a task that was run. Raises KeyError for an unknown task."""
        if self.row is None:
            raise KeyError(self.task["task"])
        return self.row

    @property
    def seconds(self) -> float | None:
        return None if self.started is None or self.ended is None else self.ended - self.started

    @property
    def ok(self) -> bool:
        return self.state == "finished"

    @property
    def not_needed(self) -> bool:
        """Whether its condition, or that of a task before it, does not hold."""
        return self.state == "skipped" and self.code == ErrorCode.NOT_NEEDED

    @property
    def outcome(self) -> str:
        """The state in words, for people."""
        return "not needed" if self.not_needed else self.state

    @property
    def undone(self) -> bool:
        """Whether it should have been run and has no result in the end."""
        return self.state in ("failed", "skipped") and not self.not_needed

    def to_json(self) -> dict[str, Any]:
        """JARVIS's result of a task, with the reason in place of the inference result where there is none."""
        error = {"message": self.reason, "type": self.state, "code": self.code}
        value = self.value if self.ok else {"error": error}
        choice = self.choice.to_json() if self.choice else {}
        return {"task": self.task, "inference result": value, "choose model result": choice}

    def to_wire(self) -> dict[str, Any]:
        """JARVIS's result of a task; of one that is finished also how the result is to be read, and its files."""
        if not self.ok:
            return self.to_json()
        return {**self.to_json(), "form": self.form, "reading": self.reading, "files": files_of(self.value)}


@dataclass(slots=True)
class RunRecord:
    """The record of a run, built from its events by `apply`."""

    run_id: str = ""
    request: str = ""
    llm: str = ""
    attachments: tuple[Attachment, ...] = ()
    version_of: str = ""
    started_at: str = ""
    plan: Plan = field(default_factory=Plan)
    planner: str = ""
    planner_reason: str = ""
    confidence: float | None = None
    tasks: dict[int, TaskRecord] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    models: tuple[ModelUse, ...] = ()
    ahead: list[RanAhead] = field(default_factory=list)
    message: str = ""
    answer: str = ""
    reply: str = ""
    missing: MissingInput | None = None
    refused: bool = False
    findings: tuple[Finding, ...] = ()
    corrections: list[Corrected] = field(default_factory=list)
    usage: dict[str, Usage] = field(default_factory=dict)
    stop: StopReason | None = None
    error: str = ""
    code: ErrorCode | None = None
    began: float = 0.0
    _marks: dict[str, float] = field(default_factory=dict)

    def apply(self, event: Event) -> RunRecord:
        """Updates the record with an event; returns the record itself."""
        match event:
            case RunStarted():
                self.run_id, self.request, self.llm, self.began = event.run_id, event.request, event.llm, event.at
                self.attachments, self.version_of = event.files, event.version_of
                self.started_at = datetime.now(UTC).isoformat(timespec="microseconds")
            case Notice():
                self.notices.append(event.text)
            case TaskPlanned():
                self.tasks[event.task.id] = TaskRecord.of(event.task)
            case Planned():
                self.plan, self.planner, self.planner_reason = event.plan, event.planner, event.why
                self.confidence = event.confidence
                begun = {number: self.tasks[number] for number in event.kept}
                self.tasks = {task.id: begun.get(task.id) or TaskRecord.of(task) for task in event.plan}
                self.notices.extend(event.plan.notes)
                self._count("plan", event.usage)
            case ModelsNamed():
                self.models = event.models
            case RanAhead():
                self.ahead.append(event)
                if event.kept:
                    self._change(event.task_id, ahead=event.worked)
            case Corrected():
                self.corrections.append(event)
            case Answered():
                self.message, self.answer, self.reply = event.message, event.answer, event.reply
                self.missing, self.refused, self.findings = event.missing, event.refused, event.findings
                self._count(event.stage, event.usage)
            case Done():
                self.stop, self.error, self.code = event.stop, event.error, event.code
                self.usage = dict(event.usage) or self.usage
            case _:
                self._apply_to_task(event)
        if isinstance(event, Planned | Answered | Done):
            self._marks[type(event).__name__] = event.at
        return self

    def _apply_to_task(self, event: Event) -> None:
        match event:
            case Selected():
                self._count("select", event.usage)
                self._change(event.task_id, choice=event.choice, selected=event.at)
            case Started():
                self._change(event.task_id, state="running", started=event.at - self.tasks[event.task_id].ahead)
            case Progressed():
                self._change(event.task_id, progress=event.words)
            case Retried():
                self.tasks[event.task_id].retries.append(event.reason)
                self._change(event.task_id, choice=event.choice)
            case Finished():
                self._count("task", event.usage)
                done = self.tasks[event.task_id]
                task = {**done.task, "args": dict(event.args)}
                told = {"value": event.value, "form": event.form, "reading": event.reading, "choice": event.choice}
                self._change(event.task_id, state="finished", task=task, ended=event.at, **told)
            case Failed() | Skipped():
                state = "failed" if isinstance(event, Failed) else "skipped"
                self._count("task", event.usage if isinstance(event, Failed) else Usage())
                self._change(event.task_id, state=state, reason=event.reason, code=event.code, ended=event.at)

    def _change(self, task_id: int, **changes: Any) -> None:
        for name, value in changes.items():
            setattr(self.tasks[task_id], name, value)

    def _count(self, stage: str, usage: Usage) -> None:
        if usage.calls:
            self.usage[stage] = self.usage.get(stage, Usage()) + usage

    def closing_events(self, reason: str, code: ErrorCode) -> Iterator[Event]:
        """The events that end the open tasks of a run that is stopped early."""
        for number, task in self.tasks.items():
            if task.state == "running":
                yield Failed(number, reason, code)
            elif task.state == "waiting":
                yield Skipped(number, reason, code)

    def cut_off(self) -> None:
        """Ends the open tasks of a run that was abandoned (Ctrl-C, a bug) and has no listener any more."""
        if self.stop is None:
            reason = "The request was cancelled."
            for event in list(self.closing_events(reason, ErrorCode.CANCELLED)):
                self.apply(event)
            self.apply(Done(StopReason.CANCELLED, reason, ErrorCode.CANCELLED))

    @property
    def nothing_done(self) -> bool:
        """Whether nothing could be planned, or all tasks of the plan that were needed failed or were skipped, and
        nothing was answered without them.
        """
        needed = [task for task in self.tasks.values() if not task.not_needed]
        return self.refused or (bool(needed) and not self.answer and all(task.undone for task in needed))

    @property
    def files(self) -> list[str]:
        """The public paths of the generated files, in the order of the plan, without duplicates."""
        return list(dict.fromkeys(path for task in self.tasks.values() if task.ok for path in files_of(task.value)))

    @property
    def errors(self) -> list[str]:
        """The error of the run itself, or why nothing could be planned, and each task that failed or was skipped though
        it was needed, with the reason.
        """
        tasks = [
            f"task {number} ({task.task['task']}) {task.state}: {task.reason}"
            for number, task in self.tasks.items()
            if task.undone
        ]
        error = self.error or (self.message if self.refused else "")
        return [error, *tasks] if error else tasks

    @property
    def results(self) -> dict[str, Any]:
        """JARVIS's /results, by task id (strings, as JSON requires)."""
        return {str(number): task.to_wire() for number, task in sorted(self.tasks.items())}

    @property
    def ran_ahead(self) -> dict[str, Any]:
        """What was begun before it was chosen: the calls and seconds of work that were kept, which were saved at most,
        and those that were for nothing.
        """
        told: dict[str, Any] = {}
        for name, kept in (("kept", True), ("dropped", False)):
            seconds = [one.worked for one in self.ahead if one.kept == kept]
            told[name] = {"calls": len(seconds), "seconds": round(sum(seconds), 4)}
        return told

    @property
    def timings(self) -> dict[str, Any]:
        """Seconds from the start of the run to the end of each stage, and the duration of each task."""
        marks = {name.lower(): round(at - self.began, 4) for name, at in self._marks.items()}
        tasks = {str(n): round(s, 4) for n, task in self.tasks.items() if (s := task.seconds) is not None}
        return {**marks, "tasks": tasks}

    @property
    def planned_by(self) -> dict[str, Any]:
        """Who planned, and why."""
        chance = {} if self.confidence is None else {"confidence": self.confidence}
        return {"planner": self.planner, "why": self.planner_reason, **chance}

    def to_json(self) -> dict[str, Any]:
        """The JSON that `--json` prints."""
        return {
            "message": self.message,
            "missing": self.missing.to_json() if self.missing else None,
            "plan": self.plan.to_json(),
            "planned_by": self.planned_by,
            "results": self.results,
            "findings": [finding.to_json() for finding in self.findings],
            "corrections": [correction.to_json() for correction in self.corrections],
            "models": [use.to_json() for use in self.models],
            "files": self.files,
            "timings": self.timings,
            "ahead": self.ran_ahead,
            "usage": usage_to_json(self.usage),
            "errors": self.errors,
            "error": {"message": self.error, "code": self.code} if self.error else None,
            "notices": self.notices,
            "run_id": self.run_id,
            "stop": self.stop,
        }

    def to_log(self) -> dict[str, Any]:
        """The run record that is kept in the log folder."""
        retries = {str(number): task.retries for number, task in self.tasks.items() if task.retries}
        return {
            "started_at": self.started_at,
            "request": self.request,
            "attachments": [file.to_json() for file in self.attachments],
            "version_of": self.version_of,
            "llm": self.llm,
            "answer": self.answer,
            "reply": self.reply,
            **self.to_json(),
            "questions": [question.to_json() for question in self.plan.questions],
            "states": {str(number): task.state for number, task in self.tasks.items()},
            "retries": retries,
        }
