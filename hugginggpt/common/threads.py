"""Threads that never hold up the end of the program, and values that are computed once."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Generic, TypeVar

T = TypeVar("T")

IDLE_SECONDS = 2.0
"""How long an idle thread waits for work: starting one takes 0.1 ms, and a run of 20 tasks needs fifty."""


class _Threads:
    """A pool of daemon threads; the thread that became idle last is reused first."""

    def __init__(self) -> None:
        self._idle: list[queue.SimpleQueue[Callable[[], None]]] = []
        self._lock = threading.Lock()

    def run(self, work: Callable[[], None]) -> None:
        """Runs `work`, which must not raise, in a thread that is idle or a new one."""
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = queue.SimpleQueue()
            threading.Thread(target=self._live, args=[inbox], daemon=True).start()
        inbox.put(work)

    def _live(self, inbox: queue.SimpleQueue[Callable[[], None]]) -> None:
        work: Callable[[], None] | None = inbox.get()
        while work:
            work()
            with self._lock:
                self._idle.append(inbox)
            work = None  # release what it references while this thread waits
            with suppress(queue.Empty):
                work = inbox.get(timeout=IDLE_SECONDS)
            if work is None:
                with self._lock:
                    given = inbox not in self._idle
                    if not given:
                        self._idle.remove(inbox)
                work = inbox.get() if given else None  # work that was handed over at the last moment


_threads = _Threads()


def spawn(work: Callable[..., T], *args: Any, name: str = "") -> Future[T]:
    """Runs `work` at once in a daemon thread that does nothing else meanwhile.

    Unlike those of concurrent.futures' pools, these threads are as many as are needed, and they are not joined when
    the interpreter ends: a service that hangs can keep neither other work nor the program's end waiting.
    """
    future: Future[T] = Future()

    def run() -> None:
        threading.current_thread().name = name or getattr(work, "__name__", "work")
        fulfil(future, work, *args)

    _threads.run(run)
    return future


def fulfil(future: Future[T], work: Callable[..., T], *args: Any) -> None:
    """Sets the future to the result of the work or to its exception."""
    try:
        future.set_result(work(*args))
    except BaseException as error:
        future.set_exception(error)


class TTLCache(Generic[T]):
    """A cache of values by key, each computed once and again after `seconds`: in a new thread, or by the first caller.

    Callers that arrive while a value is being computed share the computation. A failed one is repeated after
    `failed_seconds` (None: after `seconds`).
    """

    def __init__(
        self,
        compute: Callable[[Any], T],
        seconds: float,
        failed_seconds: float | None = None,
        *,
        own_thread: bool = True,
    ) -> None:
        self._compute = compute
        self._own_thread = own_thread
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
            future: Future[T] = Future()
            self._entries[key] = (now, future)
        if not self._own_thread:
            fulfil(future, self._compute, key)
            return future
        try:
            spawn(fulfil, future, self._compute, key, name="lookup")
        except BaseException as error:  # no thread can be started: the callers must not wait for ever
            future.set_exception(error)
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
