"""The attempt at a task that an endpoint is asked for: when its end is no longer waited for, how far it is, and the
request of the user that it is part of.

An endpoint whose work goes on elsewhere reads `current_call()` in `infer`, ends the work when the call is over, and
reports progress. One that does not need this ignores it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from hugginggpt.common.ends import wanted_until
from hugginggpt.core.results import visible

MOST_REPORTS = 100
"""Reports of one call that are passed on; further ones only when another whole percent is done."""
TEXT_CHARS = 200

Told = Callable[[float, float | None, str], None]
"""Takes what is done, of what total (None: unknown), and a text."""


@dataclass(slots=True)
class Call:
    """One attempt. One of `ends` is done when nobody waits for the result any more: the run was cancelled or has
    ended, the task took too long, or another model was faster.
    """

    ends: tuple[Future[None], ...] = ()
    told: Told | None = None
    request: str = ""
    _reports: int = 0
    _percent: int = -1

    @property
    def is_over(self) -> bool:
        return any(end.done() for end in self.ends)

    def when_over(self, stop: Callable[[], object]) -> None:
        """Calls `stop`, which may be called more than once, when the call is over, or at once if it is."""
        for end in self.ends:
            end.add_done_callback(lambda _: stop())

    def report(self, done: float, total: float | None = None, text: str = "") -> None:
        """Tells the listeners of the run how far the work is. What comes too often is left out."""
        if not self.told or self.is_over or not math.isfinite(done):
            return
        total = total if total and math.isfinite(total) else None
        percent = int(100 * done / total) if total else -1
        self._reports += 1
        if self._reports > MOST_REPORTS and percent <= self._percent:
            return
        self._percent = percent
        self.told(done, total, visible(text)[:TEXT_CHARS])


_call: ContextVar[Call | None] = ContextVar("_call", default=None)


@contextmanager
def calling(call: Call) -> Iterator[None]:
    """Within the block, `current_call()` is this one."""
    token = _call.set(call)
    try:
        with wanted_until(*call.ends):
            yield
    finally:
        _call.reset(token)


def current_call() -> Call:
    """The attempt that this thread was asked for; outside of a run one that nobody ends or listens to."""
    return _call.get() or Call()
