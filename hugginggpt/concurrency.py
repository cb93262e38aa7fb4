"""Threads that never hold up the end of the program, and values that are computed once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

T = TypeVar("T")


def spawn(work: Callable[..., T], *args: Any, name: str = "") -> Future[T]:
    """Runs `work` in a daemon thread of its own.

    Unlike a pool of concurrent.futures it is not joined when the interpreter ends, so that a service
    that hangs cannot keep the program from exiting.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work(*args))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name=name or getattr(work, "__name__", "work"), daemon=True).start()
    return future


class Remembered(Generic[T]):
    """Values by key, each computed in a thread of its own, once, and anew after `seconds`.

    Those who ask while a value is being computed share the one computation. One that failed is tried anew after
    `failed_seconds` (None: as long as a value is kept).
    """

    def __init__(self, compute: Callable[[Any], T], seconds: float, failed_seconds: float | None = None) -> None:
        self._compute = compute
        self._seconds = seconds
        self._failed_seconds = seconds if failed_seconds is None else min(failed_seconds, seconds)
        self._entries: dict[Hashable, tuple[float, Future[T]]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Future[T]:
        now = time.monotonic()
        with self._lock:
            known = self._entries.get(key)
            if known and now < known[0] + (self._failed_seconds if _failed(known[1]) else self._seconds):
                return known[1]
            future = spawn(self._compute, key, name="lookup")
            self._entries[key] = (now, future)
            return future


def _failed(future: Future[Any]) -> bool:
    return future.done() and future.exception() is not None


def once(load: Callable[[], T]) -> Callable[[], T]:
    """A function that loads its value at the first call, once even when several threads call it at the same time.

    A load that fails is tried again at the next call.
    """
    lock = threading.Lock()
    loaded: list[T] = []

    def get() -> T:
        if not loaded:
            with lock:
                if not loaded:
                    loaded.append(load())
        return loaded[0]

    get.__name__ = load.__name__
    get.__doc__ = load.__doc__
    return get
