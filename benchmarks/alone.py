"""The duration of the calls on a plan's critical path on an idle machine, measured one after the other.

A call to a backend that answers after 100 ms takes longer than 100 ms: a picture is read, encoded and sent, an answer
is parsed. The sum along the longest path is a lower bound for any controller that uses these SDKs.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.loopback import picture
from benchmarks.shapes import Shape
from hugginggpt import config as settings
from hugginggpt.build import build
from hugginggpt.core.plan import REFERENCE
from hugginggpt.core.tasks import default_table
from hugginggpt.llm.base import Message
from hugginggpt.stages.selector import Selector

REPEATS = 5
TAG = "tag00000000"


class CallTimes:
    """Measures calls with a controller's language model and endpoints, and caches the median by kind of call."""

    def __init__(self, config_file: Path) -> None:
        self.config = settings.load(config_file, environment={})
        parts = build(self.config)
        self.selector: Selector = parts.selector
        self.media = parts.executor.media
        self._seconds: dict[Any, float] = {}

    def path(self, shape: Shape, plan_messages: list[Message], *, asks: bool = True, ahead: bool = False) -> float:
        """Seconds for planning, one selection if it `asks`, the longest chain of experts and the answer; `ahead`: the
        first experts of the chains work during the selection.
        """
        tasks = {task["id"]: task for task in shape.plan(TAG)}
        answer: list[Message] = [{"role": "system", "content": "#4"}, {"role": "user", "content": "answer"}]
        choose: list[Message] = [{"role": "system", "content": "#2"}, {"role": "user", "content": "choose"}]
        plan = self._median(("plan", shape.name), lambda: self._stream(plan_messages))
        select = self._median("select", lambda: self._llm.complete(choose, stage="select")) if asks else 0.0
        respond = self._median("respond", lambda: self._stream(answer))
        end_times: dict[int, float] = {}
        for task_id, task in tasks.items():
            start = max((end_times[dep] for dep in task["dep"] if dep in end_times), default=0.0 if ahead else select)
            end_times[task_id] = max(start + self._expert(task, tasks), select)
        return plan + max(end_times.values()) + respond

    @property
    def _llm(self) -> Any:
        return self.selector.llm

    def _stream(self, messages: list[Message]) -> None:
        for _ in self._llm.stream(messages, stage="plan"):
            pass

    def _expert(self, task: Mapping[str, Any], tasks: Mapping[int, Mapping[str, Any]]) -> float:
        """Seconds of a task's call, with the file that it names or one like its dependency's result."""
        row = default_table()[task["task"]]
        args: dict[str, Any] = {}
        for name, value in task["args"].items():
            arg = row.arg(name)
            if arg is None:
                continue
            if reference := REFERENCE.fullmatch(value):
                args[name] = self._generated(tasks[int(reference[1])]) if arg.kind == "image" else "a text"
            else:
                args[name] = self.media.resolve(value) if arg.kind == "image" else value
        candidate = next(c for c in self.selector.candidates(row) if c.endpoint.name == "huggingface")
        key = (row.name, *(str(value) for value in args.values()))
        return self._median(key, lambda: candidate.endpoint.infer(candidate.card.id, row, args))

    def _generated(self, producer: Mapping[str, Any]) -> Path:
        """A picture as the fakes return it; for a detection its input picture, into which the boxes are drawn."""
        source = producer["args"].get("image", "")
        if producer["task"] == "object-detection" and not REFERENCE.search(source):
            return self.media.resolve(source)
        return self._picture

    @cached_property
    def _picture(self) -> Path:
        return self.media.resolve(self.media.save("image", picture(TAG)))

    def _median(self, key: Any, call: Callable[[], Any]) -> float:
        if key not in self._seconds:
            call()  # opens the connection
            self._seconds[key] = statistics.median(_timed(call) for _ in range(REPEATS))
        return self._seconds[key]


def _timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
