"""When nobody waits any more for what a thread asks another service for: its calls are then cut off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar

_ends: ContextVar[tuple[Future[None], ...]] = ContextVar("_ends", default=())


@contextmanager
def wanted_until(*ends: Future[None]) -> Iterator[None]:
    """What this thread asks for within the block is wanted until one of these is done."""
    token = _ends.set(ends)
    try:
        yield
    finally:
        _ends.reset(token)


def is_unwanted() -> bool:
    """Whether nobody waits any more for what this thread does."""
    return any(end.done() for end in _ends.get())


def when_unwanted(stop: Callable[[], object]) -> None:
    """Calls `stop`, perhaps more than once and in another thread, when nobody waits any more for what this thread does;
    at once if nobody does.
    """
    for end in _ends.get():
        end.add_done_callback(lambda _: stop())
