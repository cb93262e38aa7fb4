"""What runs the models of the server, as its routes see it: `pool.Pool` in this process, or `ray_pool.RayPool`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from hugginggpt.core.errors import BackendError
from hugginggpt.experts.source import Placement
from hugginggpt.serving.model_registry import Entry
from hugginggpt.serving.progress import Tell

State = Literal["available", "loading", "loaded", "failed"]


class Busy(BackendError):
    """The queue of a model, or the server, is full."""


@dataclass(slots=True)
class Status:
    """The state of a model, as GET /models reports it: where it is loaded ("" for nowhere), in which type and how it is
    quantised, `bytes` of its weights, and the most that a batch takes besides (`working`), as far as that is known.
    """

    state: State = "available"
    bytes: int = 0
    working: int = 0
    uses: int = 0
    error: str = ""
    last_used: float = 0.0
    device: str = ""
    dtype: str = ""
    quantize: str = ""


def nobody_has_gone() -> bool:
    return False


class ModelPool(Protocol):
    """Models that are loaded at their first use, within a budget of bytes, and run requests."""

    on_done: Callable[[str, float, float, str], None]
    """Called after each request: model, seconds queued, seconds run, "ok" or the error's type."""

    @property
    def budget(self) -> int:
        """The bytes that models may use."""

    @property
    def placement(self) -> Placement:
        """Where models are loaded."""

    def start(self) -> None:
        """Makes it ready for requests, which may take a minute. Raises ConfigError or BackendError where it cannot."""

    def submit(
        self,
        entry: Entry,
        task: str,
        args: Mapping[str, Any],
        seconds: float = ...,
        has_gone: Callable[[], bool] = ...,
    ) -> Future[Any]:
        """Queues a request, which is dropped when whoever asked `has_gone`, or after so many seconds. Cancelling the
        future drops it, too. Busy, when a queue is full, is raised at once or by the future.
        """

    def load(self, entry: Entry, tell: Tell = ..., has_gone: Callable[[], bool] = ...) -> Future[Any]:
        """Starts to load a model; the future is done when it is loaded. `tell` is called with the bytes that have been
        read of its weights, as far as it is known. Whoever asked and `has_gone` takes up no place in the queue.
        """

    def unload(self, model: str) -> bool:
        """Frees a model's memory after the requests that wait for it; False if it was not loaded."""

    def status(self, model: str) -> Status: ...

    def statuses(self) -> Mapping[str, Status]:
        """The status of every model that was ever requested."""

    def waiting(self) -> int:
        """The number of waiting requests, over all models."""

    def drop_unwanted(self) -> None:
        """Cancels the requests for which nobody waits any more."""

    def close(self) -> None:
        """Finishes the running and queued requests, then frees all memory."""
