"""The requests that wait for a model."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from typing import Any

from hugginggpt.serving.model_pool import nobody_has_gone
from hugginggpt.serving.progress import Tell, to_nobody


@dataclass(slots=True)
class Job:
    """A queued request to a model. `has_gone` tells whether whoever asked has given up; it is over at the time `end` of
    the monotonic clock in any case. One that waits for the model to be loaded is told how far that is by `tell`.
    """

    task: str
    args: Mapping[str, Any]
    end: float = math.inf
    has_gone: Callable[[], bool] = nobody_has_gone
    tell: Tell = to_nobody
    done: Future[Any] = field(default_factory=Future)
    queued_at: float = field(default_factory=time.monotonic)

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits for it; else it is cancelled."""
        if not self.done.done() and (self.has_gone() or time.monotonic() > self.end):
            self.done.cancel()
        return not self.done.done()


def finish(job: Job, answer: Any) -> None:
    """Completes a job with a result or an error, unless nobody waits for it any more."""
    with contextlib.suppress(InvalidStateError):
        if isinstance(answer, Exception):
            job.done.set_exception(answer)
        else:
            job.done.set_result(answer)


def size_of(count: int) -> str:
    return f"{count / 1e6:,.0f} MB" if count >= 1e6 else f"{count / 1e3:,.0f} kB"
