"""Has a planner plan requests, several at a time, and keeps each plan as soon as it is there."""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hugginggpt.common.text_files import numbered_lines, read_text
from hugginggpt.common.threads import spawn
from hugginggpt.config import Config, Limits
from hugginggpt.core.errors import BackendError, ConfigError, HuggingGPTError, UserError
from hugginggpt.core.events import Event, Notice, Planned
from hugginggpt.core.plan import Plan
from hugginggpt.core.usage import Usage
from hugginggpt.evaluate.formats import Sample
from hugginggpt.llm.base import LLM
from hugginggpt.llm.openai import make_llm
from hugginggpt.llm.prompts import Prompts
from hugginggpt.offline.planner import OfflinePlanner
from hugginggpt.stages.demonstrations import make_demonstrations
from hugginggpt.stages.planner import LLMPlanner, Planner
from hugginggpt.stages.run import Run, checked_messages
from hugginggpt.tables import make_task_table

T = TypeVar("T")
R = TypeVar("R")

UNUSABLE = "The language model wrote no usable plan."


@dataclass(frozen=True, slots=True)
class Prediction:
    """A plan for a request, in JARVIS's format, and what it took: seconds, tokens and calls of a language model."""

    id: str
    plan: Sequence[Mapping[str, Any]]
    planner: str = ""
    seconds: float | None = None
    usage: Usage = Usage()
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"id": self.id, "plan": list(self.plan), "planner": self.planner}
        if self.seconds is not None:
            row["seconds"] = round(self.seconds, 4)
        if self.usage.calls:
            row["usage"] = self.usage.to_json()
        return {**row, "note": self.note} if self.note else row


def prediction(row: Mapping[str, Any]) -> Prediction:
    """A line of a file of predictions; only `id` and `plan` have to be there. Raises what a wrong form raises."""
    plan = row["plan"]
    for task in plan:
        if not isinstance(task["task"], str) or not isinstance(task.get("dep", []), list):
            raise TypeError("a task of the plan")
        if not isinstance(task["id"], int | str) or not isinstance(task.get("args") or {}, dict):
            raise TypeError("a task of the plan")
    usage = row.get("usage") or {}
    spent = Usage(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0), usage.get("calls", 0))
    return Prediction(
        str(row["id"]), plan, row.get("planner", ""), row.get("seconds"), spent, row.get("note", "")
    )  # fmt: skip


class Kept:
    """A file of JSON objects, one a line, that grows; what is in it already is not done again.

    A last line that was only half written, because the program was ended, is cut off.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    def rows(self) -> Iterator[Any]:
        """Raises UserError for a line that is not JSON."""
        for number, line in numbered_lines(self._text()):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise UserError(f"{self.file}, line {number}: this is not JSON ({error}).") from error

    def repair(self) -> None:
        text = self._text()
        head, newline, last = text.rpartition("\n")
        if not last:
            return
        try:
            json.loads(last)
            whole = text + "\n"
        except ValueError:
            whole = head + newline
        self.file.write_text(whole, encoding="utf-8")

    def append(self, row: Mapping[str, Any]) -> None:
        try:
            with self.file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise UserError(f"Cannot write to {self.file}: {error.strerror}.") from error

    def _text(self) -> str:
        return read_text(self.file, if_missing="")


def read_predictions(file: Path) -> dict[str, Prediction]:
    """The predictions of a file by id, of several the last. Raises UserError, naming the line."""
    predictions: dict[str, Prediction] = {}
    for number, row in enumerate(Kept(file).rows(), 1):
        try:
            made = prediction(row)
        except (KeyError, TypeError, AttributeError) as error:
            raise UserError(f'{file}, line {number}: this should be {{"id", "plan": [tasks]}} ({error!r}).') from error
        predictions[made.id] = made
    return predictions


@dataclass(slots=True)
class Bench:
    """A planner under test. `tasks` are the task types that a plan is held to, None for all."""

    name: str
    planner: Planner
    limits: Limits
    tasks: frozenset[str] | None = None
    failures: list[str] = field(default_factory=list)

    def plan(self, sample: Sample) -> Prediction:
        """Plans one request. Raises BackendError and the like where that fails."""
        messages = checked_messages([*sample.history, {"role": "user", "content": sample.request}], self.limits)
        run = Run(messages, self.limits, tasks=self.tasks)
        plan, note = Plan(), ""
        begin = time.perf_counter()
        for event in self.planner.plan(run):
            if isinstance(event, Planned):
                plan = event.plan
            elif isinstance(event, Notice):
                note = event.text
        seconds = time.perf_counter() - begin
        return Prediction(sample.id, held_to(plan.to_json(), self.tasks), self.name, seconds, run.spent, note)

    def plan_all(self, samples: Iterable[Sample], workers: int) -> Iterator[Prediction]:
        """The predictions as they come. A request that fails is left out, its reason is in `failures`.

        Raises what `in_threads` does.
        """
        for sample, made in in_threads(self.plan, samples, workers):
            if isinstance(made, Prediction):
                yield made
            else:
                self.failures.append(f"{sample.id}: {made}")


def in_threads(work: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[tuple[T, R | HuggingGPTError]]:
    """Each item with what `work` makes of it, or with the error that it failed with, as they come.

    Raises BackendError when a service as a whole fails, ConfigError for a wrong set-up, and bugs. What is running when
    the iterator is left is not waited for.
    """
    todo: queue.SimpleQueue[T | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[T, Any]] = queue.SimpleQueue()

    def worker() -> None:
        while (item := todo.get()) is not None:
            try:
                done.put((item, work(item)))
            except Exception as error:
                error.add_note(f"It happened with {item!r}"[:500])
                done.put((item, error))

    for item in (items := list(items)):
        todo.put(item)
    threads = [spawn(worker, name="evaluate") for _ in range(min(workers, len(items)))]
    try:
        for _ in items:
            item, result = done.get()
            down = isinstance(result, BackendError) and result.endpoint_down
            if isinstance(result, Exception) and (
                down or isinstance(result, ConfigError) or not isinstance(result, HuggingGPTError)
            ):
                raise result
            yield item, result
    finally:
        while not todo.empty():
            with suppress(queue.Empty):
                todo.get_nowait()
        for _ in threads:
            todo.put(None)


def held_to(plan: Sequence[Mapping[str, Any]], tasks: frozenset[str] | None) -> list[Mapping[str, Any]]:
    """The plan without tasks of other types; what waited for one of these no longer does."""
    kept = [task for task in plan if tasks is None or task["task"] in tasks]
    ids = {task["id"] for task in kept}
    return [{**task, "dep": [dep for dep in task["dep"] if dep in ids] or [-1]} for task in kept]


class Unusable:
    """Stands in for the offline planner where a language model is measured: what it cannot plan is no plan."""

    def plan(self, run: Run) -> Generator[Event, None, None]:
        yield Notice(UNUSABLE)
        yield Planned(Plan())


def make_bench(kind: str, config: Config, tasks: frozenset[str] | None) -> Bench:
    """The offline planner or a language model, as the configuration says. Raises ConfigError where there is none."""
    if kind == "offline":
        return Bench("offline", OfflinePlanner(make_task_table(config)), config.limits, tasks)
    llm = needed_llm(config, "--planner llm")
    demonstrations = make_demonstrations(config)
    planner = LLMPlanner(
        llm, Prompts(config, llm.count, make_task_table(config)), Unusable(), demonstrations=demonstrations
    )
    suffix = f" with the {demonstrations.count} nearest demonstrations" if demonstrations else ""
    return Bench(f"{llm.name}:{llm.model}{suffix}", planner, config.limits, tasks)


def needed_llm(config: Config, purpose: str) -> LLM:
    llm = make_llm(config)
    if llm is None:
        raise ConfigError(
            f"{purpose} needs a language model: set OPENAI_API_KEY, local.endpoint in a --config file or another "
            "service (see the README), or name one with --llm."
        )
    return llm
