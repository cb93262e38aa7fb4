"""Shows the progress of a run on stderr: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import textwrap
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from hugginggpt.core.events import (
    Event,
    Failed,
    Finished,
    Notice,
    Planned,
    Progressed,
    PromptRead,
    Retried,
    RunRecord,
    Selected,
    Skipped,
)
from hugginggpt.goals.display import without_controls
from hugginggpt.stages.plan_files import GIVEN
from hugginggpt.stages.planner import OFFLINE

STYLES = {"waiting": "dim", "running": "yellow", "finished": "green", "failed": "red", "skipped": "magenta"}
SHORT = 70


class Progress(Protocol):
    """Called with each event, after the record has been updated."""

    def show(self, event: Event, record: RunRecord) -> None: ...

    def close(self, record: RunRecord | None = None) -> None:
        """Ends the display; with the record, its rows are shown once more as they ended."""


class Silent:
    """Shows nothing (-q)."""

    def show(self, event: Event, record: RunRecord) -> None:
        pass

    def close(self, record: RunRecord | None = None) -> None:
        pass


class Lines:
    """A line for each event."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def show(self, event: Event, record: RunRecord) -> None:
        if line := _line(event, record):
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def close(self, record: RunRecord | None = None) -> None:
        pass


class LiveTable:
    """A live table of the tasks; it remains on the screen at the end."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live: Live | None = None
        self.reading: Live | None = None

    def show(self, event: Event, record: RunRecord) -> None:
        if isinstance(event, Notice):
            self.console.print(Text(without_controls(event.text), style="yellow"))
        if isinstance(event, PromptRead):
            self._show_reading(event, record)
            return
        self._end_reading()
        if isinstance(event, Planned) and len(event.plan):
            if by := _planner(event, record):
                self.console.print(Text(f"Plan{by}", style="dim"))
            self.live = Live(_table(record), console=self.console, auto_refresh=False)
            self.live.start()
        if self.live:
            self.live.update(_table(record), refresh=True)

    def _show_reading(self, event: PromptRead, record: RunRecord) -> None:
        """How far the language model has read its prompt: below the table, or alone while there is none."""
        line = Text(f"The language model reads: {event.read} of {event.total} tokens", style="dim")
        if self.live:
            self.live.update(Group(_table(record), line), refresh=True)
            return
        if self.reading is None:
            self.reading = Live(console=self.console, auto_refresh=False, transient=True)
            self.reading.start()
        self.reading.update(line, refresh=True)

    def _end_reading(self) -> None:
        if self.reading:
            self.reading.stop()
            self.reading = None

    def close(self, record: RunRecord | None = None) -> None:
        self._end_reading()
        if self.live:
            if record:
                self.live.update(_table(record))
            self.live.stop()
            self.live = None


def make_progress(quiet: bool) -> Progress:
    """The display that suits stderr."""
    if quiet:
        return Silent()
    console = Console(stderr=True)
    return LiveTable(console) if console.is_terminal else Lines(console)


def _planner(event: Planned, record: RunRecord) -> str:
    """Who planned, and why, where that may be a language model; why it failed stands in a notice."""
    if event.planner == GIVEN:
        return f", as it was given{f' ({event.why})' if event.why else ''}"
    is_offline = event.planner == OFFLINE
    if not event.planner or (is_offline and record.llm == OFFLINE and not event.why):
        return ""
    sure = f"{math.floor(100 * event.confidence)} % sure" if event.confidence is not None else ""
    why = sure if is_offline else event.why
    return f", by the {'offline planner' if is_offline else 'language model'}{f' ({why})' if why else ''}"


def _line(event: Event, record: RunRecord) -> str:
    match event:
        case Notice():
            return event.text
        case Planned():
            tasks = ", ".join(f"{task.id} {task.task}" for task in event.plan)
            return f"Plan{_planner(event, record)}: {tasks or 'no task needed'}"
        case Selected():
            return f"Task {event.task_id}: {event.choice.id} ({event.choice.endpoint})"
        case Progressed():
            return f"Task {event.task_id}: {event.words}"
        case Retried():
            return f"Task {event.task_id}: {event.reason} Trying {event.choice.id} ({event.choice.endpoint})"
        case Finished():
            seconds = record.tasks[event.task_id].seconds or 0.0
            return f"Task {event.task_id} done in {seconds:.2f} s: {_reading(record, event.task_id)}"
        case Failed():
            return f"Task {event.task_id} failed: {event.reason}"
        case Skipped():
            return f"Task {event.task_id} {record.tasks[event.task_id].outcome}: {event.reason}"
    return ""


def _table(record: RunRecord) -> Table:
    table = Table("", "task", "after", "model", "state", "s", "result", box=None, padding=(0, 1))
    for number, task in record.tasks.items():
        deps = ", ".join(str(dep) for dep in task.task["dep"] if dep >= 0)
        seconds = "" if task.seconds is None else f"{task.seconds:.2f}"
        result = _reading(record, number) if task.ok else task.reason or task.progress
        state = Text(task.outcome, style="dim" if task.not_needed else STYLES[task.state])
        model = task.choice.id if task.choice else ""
        short = textwrap.shorten(without_controls(result), SHORT, placeholder=" …")
        name, by, shown = (Text(without_controls(cell)) for cell in (task.task["task"], model, short))
        table.add_row(str(number), name, deps, by, state, seconds, shown)
    return table


def _reading(record: RunRecord, number: int) -> str:
    reading = " ".join(record.tasks[number].reading.split())
    return textwrap.shorten(reading, SHORT, placeholder=" …") if " " in reading[:SHORT] else reading[:SHORT]
