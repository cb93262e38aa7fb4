"""One run: a request on its way through the four stages, with its limits."""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hugginggpt.common.threads import spawn
from hugginggpt.config import Config, Limits
from hugginggpt.core.errors import RunStopped, StopReason, UserError
from hugginggpt.core.results import well_formed
from hugginggpt.core.usage import Usage
from hugginggpt.llm.base import LLM, Message

if TYPE_CHECKING:
    from hugginggpt.core.events import Event, Finished
    from hugginggpt.core.plan import Plan

P = TypeVar("P")
T = TypeVar("T")


class Runner(Protocol):
    """A controller, as terminal and server see it."""

    config: Config

    def prepare(self, messages: Sequence[Message], files: Mapping[str, Path] | None = None) -> Run: ...

    def resume(self, run_id: str) -> Run: ...

    def run(self, run: Run, until: Any = ...) -> Generator[Event, None, None]: ...

    def with_llm(self, llm: LLM) -> Runner: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class Run:
    """What the stages share. `files` are files of this machine that the user named in the request; `tasks` the task
    types that a plan should keep to, None for all of the task table.

    A run that is resumed has its `plan` already, and results in `done` that are not made again.
    """

    messages: Sequence[Message]
    limits: Limits
    files: Mapping[str, Path] = field(default_factory=dict)
    plan: Plan | None = None
    done: Mapping[int, Finished] = field(default_factory=dict)
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    cancelled: Future[None] = field(default_factory=Future)
    spent: Usage = Usage()
    retries: int = 0
    tasks: frozenset[str] | None = None
    _deadline: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.limits.max_seconds

    @property
    def request(self) -> str:
        """The last message of the user."""
        return self.messages[-1]["content"]

    @property
    def history(self) -> Sequence[Message]:
        return self.messages[:-1]

    def seconds_left(self) -> float:
        return self._deadline - time.monotonic()

    def spend(self, usage: Usage) -> Usage:
        """Counts what a call of the language model used up; returns it. Raises RunStopped beyond the limit."""
        with self._lock:
            self.spent += usage
        self.check()
        return usage

    def may_retry(self) -> bool:
        """Takes one of the run's further tries; False when they are used up."""
        with self._lock:
            self.retries += 1
            return self.retries <= self.limits.retries

    def check(self) -> None:
        """Raises RunStopped when the run was cancelled or a limit is passed."""
        if self.cancelled.done():
            raise RunStopped(StopReason.CANCELLED, "The request was cancelled.")
        if self.seconds_left() <= 0:
            raise self.out_of_time()
        if self.spent.total_tokens > self.limits.max_tokens:
            raise RunStopped(
                StopReason.MAX_TOKENS,
                f"The request used more than {self.limits.max_tokens} tokens (limits.max_tokens).",
            )

    def out_of_time(self) -> RunStopped:
        return RunStopped(
            StopReason.MAX_SECONDS, f"The request took longer than {self.limits.max_seconds:g} s (limits.max_seconds)."
        )

    def cancel(self) -> None:
        """Ends the run: what waits wakes up, what is running is no longer waited for. Once is enough."""
        with self._lock:
            if not self.cancelled.done():
                self.cancelled.set_result(None)

    def stream(self, pieces: Generator[P, None, T]) -> Generator[P, None, T]:
        """The items of a generator as they come, and what it returns.

        Raises RunStopped when that outlasts the run; the thread that reads it then ends with the next item.
        """
        arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def pump() -> T:
            with closing(pieces):
                while True:
                    try:
                        arrived.put(next(pieces))
                        self.check()
                    except StopIteration as end:
                        result: T = end.value
                        return result

        done = spawn(pump, name="stream")
        for ending in (done, self.cancelled):
            ending.add_done_callback(lambda _: arrived.put(None))
        while True:
            self.check()
            try:
                piece = arrived.get(timeout=max(0.0, self.seconds_left()))
            except queue.Empty:
                raise self.out_of_time() from None
            if piece is not None:
                yield piece
            elif done.done():
                return done.result()


def checked_messages(messages: Any, limits: Limits) -> list[Message]:
    """The chat, held to its form: {"role", "content"} messages, the request last. Raises UserError."""
    form = 'messages should be a list of {"role": "user" or "assistant", "content": text}, the request last'
    if not isinstance(messages, Sequence) or isinstance(messages, str) or not messages:
        raise UserError(f"There is no request: {form}.")
    checked: list[Message] = []
    for message in messages:
        role, content = (message.get("role"), message.get("content")) if isinstance(message, Mapping) else (None, None)
        if role not in ("user", "assistant", "system") or not isinstance(content, str):
            raise UserError(f"A message cannot be read: {form}.")
        checked.append({"role": role, "content": well_formed(content)})
    request = checked[-1]["content"]
    if checked[-1]["role"] != "user" or not request.strip():
        raise UserError("The request is empty: say what is to be done.")
    if len(request) > limits.max_request_chars:
        raise UserError(
            f"The request has {len(request)} characters, more than the {limits.max_request_chars} allowed "
            "(limits.max_request_chars): shorten it."
        )
    return checked
