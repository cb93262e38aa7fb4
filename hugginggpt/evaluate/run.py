"""Runs a planner on requests, in parallel, and saves each plan as soon as it is finished."""

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
from hugginggpt.llm.prompts import Prompts
from hugginggpt.llm.services import make_llm
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
    """A plan for a request, in JARVIS's format, with its cost: seconds, tokens and calls of a language model."""

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
    """A prediction from a line of a file; only `id` and `plan` are required.

    Raises KeyError, TypeError or AttributeError for a wrong format.
    """
    plan = row["plan"]
    for task in plan:
        if not isinstance(task["task"], str) or not isinstance(task.get("dep", []), list):
            raise TypeError("a task of the plan")
        if not isinstance(task["id"], int | str) or not isinstance(task.get("args") or {}, dict):
            raise TypeError("a task of the plan")
    usage = row.get("usage") or {}
    used = Usage(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0), usage.get("calls", 0))
    return Prediction(
        str(row["id"]), plan, row.get("planner", ""), row.get("seconds"), used, row.get("note", "")
    )  # fmt: skip


class JsonLinesFile:
    """An append-only file of JSON objects, one per line, from which a stopped run continues.

    `repair` removes an incomplete last line, which a killed program may leave.
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
        head, newline, last_line = text.rpartition("\n")
        if not last_line:
            return
        try:
            json.loads(last_line)
            text_repaired = text + "\n"
        except ValueError:
            text_repaired = head + newline
        self.file.write_text(text_repaired, encoding="utf-8")

    def append(self, row: Mapping[str, Any]) -> None:
        try:
            with self.file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise UserError(f"Cannot write to {self.file}: {error.strerror}.") from error

    def _text(self) -> str:
        return read_text(self.file, if_missing="")


def read_predictions(file: Path) -> dict[str, Prediction]:
    """The predictions in a file by id; of several with one id the last. Raises UserError, naming the line."""
    predictions: dict[str, Prediction] = {}
    for number, row in enumerate(JsonLinesFile(file).rows(), 1):
        try:
            one = prediction(row)
        except (KeyError, TypeError, AttributeError) as error:
            raise UserError(f'{file}, line {number}: this should be {{"id", "plan": [tasks]}} ({error!r}).') from error
        predictions[one.id] = one
    return predictions


@dataclass(slots=True)
class Bench:
    """A planner under evaluation. `tasks` are the task types that plans are restricted to, None for all."""

    name: str
    planner: Planner
    limits: Limits
    tasks: frozenset[str] | None = None
    failures: list[str] = field(default_factory=list)

    def plan(self, sample: Sample) -> Prediction:
        """Plans one request. Raises HuggingGPTError, such as BackendError, on failure."""
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
        return Prediction(sample.id, restricted_to(plan.to_json(), self.tasks), self.name, seconds, run.spent, note)

    def plan_all(self, samples: Iterable[Sample], workers: int) -> Iterator[Prediction]:
        """Yields predictions as they are finished. A failed request is skipped, and its error added to `failures`.

        Raises the errors of `in_threads`.
        """
        for sample, result in in_threads(self.plan, samples, workers):
            if isinstance(result, Prediction):
                yield result
            else:
                self.failures.append(f"{sample.id}: {result}")


def in_threads(work: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[tuple[T, R | HuggingGPTError]]:
    """Yields each item with its result of `work`, or with its error, as they are finished.

    Raises BackendError when a service as a whole fails, ConfigError, and unexpected exceptions. Closing the iterator
    does not wait for running items.
    """
    pending: queue.SimpleQueue[T | None] = queue.SimpleQueue()
    completed: queue.SimpleQueue[tuple[T, Any]] = queue.SimpleQueue()

    def worker() -> None:
        while (item := pending.get()) is not None:
            try:
                completed.put((item, work(item)))
            except Exception as error:
                error.add_note(f"It happened with {item!r}"[:500])
                completed.put((item, error))

    for item in (items := list(items)):
        pending.put(item)
    threads = [spawn(worker, name="evaluate") for _ in range(min(workers, len(items)))]
    try:
        for _ in items:
            item, result = completed.get()
            endpoint_down = isinstance(result, BackendError) and result.endpoint_down
            if isinstance(result, Exception) and (
                endpoint_down or isinstance(result, ConfigError) or not isinstance(result, HuggingGPTError)
            ):
                raise result
            yield item, result
    finally:
        while not pending.empty():
            with suppress(queue.Empty):
                pending.get_nowait()
        for _ in threads:
            pending.put(None)


def restricted_to(plan: Sequence[Mapping[str, Any]], tasks: frozenset[str] | None) -> list[Mapping[str, Any]]:
    """The plan without tasks of other types and without dependencies on them."""
    kept = [task for task in plan if tasks is None or task["task"] in tasks]
    ids = {task["id"] for task in kept}
    return [{**task, "dep": [dep for dep in task["dep"] if dep in ids] or [-1]} for task in kept]


class NoPlanFallback:
    """Replaces the offline planner as fallback when a language model is evaluated: it returns an empty plan."""

    def plan(self, run: Run) -> Generator[Event, None, None]:
        yield Notice(UNUSABLE)
        yield Planned(Plan())


def make_bench(kind: str, config: Config, tasks: frozenset[str] | None) -> Bench:
    """A bench for the offline planner or the configured language model. Raises ConfigError without a language model."""
    if kind == "offline":
        return Bench("offline", OfflinePlanner(make_task_table(config)), config.limits, tasks)
    llm = required_llm(config, "--planner llm")
    demonstrations = make_demonstrations(config)
    planner = LLMPlanner(
        llm, Prompts(config, llm.count, make_task_table(config)), NoPlanFallback(), demonstrations=demonstrations
    )
    suffix = f" with the {demonstrations.count} nearest demonstrations" if demonstrations else ""
    return Bench(f"{llm.name}:{llm.model}{suffix}", planner, config.limits, tasks)


def required_llm(config: Config, purpose: str) -> LLM:
    llm = make_llm(config)
    if llm is None:
        raise ConfigError(
            f"{purpose} needs a language model: set OPENAI_API_KEY, local.endpoint in a --config file or another "
            "service (see the README), or name one with --llm."
        )
    return llm
