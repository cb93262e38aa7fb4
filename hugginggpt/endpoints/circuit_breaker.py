"""Circuit breakers: an endpoint that is down is left alone for a while instead of being tried by every task.

The pattern is that of M. Nygard, Release It! (2007): closed, open after failures in a row, then one try.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FAILURES = 3
SECONDS = 15.0


class _Breaker:
    """The breaker of one endpoint."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures = 0
        self._open_until: float | None = None
        self._lock = threading.Lock()

    def allows(self) -> bool:
        with self._lock:
            if self._open_until is None:
                return True
            if self._clock() < self._open_until:
                return False
            self._open_until = self._clock() + SECONDS  # the other callers wait for this trial
            return True

    @property
    def is_closed(self) -> bool:
        return self._open_until is None

    def worked(self) -> None:
        with self._lock:
            self._failures, self._open_until = 0, None

    def was_down(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES:
                self._open_until = self._clock() + SECONDS


class Breakers:
    """One breaker for each endpoint, by name; shared by all runs."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._own: dict[str, _Breaker] = {}
        self._shared: dict[str, _Breaker] = {}
        self._lock = threading.Lock()

    def with_own(self, endpoint: str) -> Breakers:
        """The same breakers, but for a new one of this endpoint: of a language model that is asked with another key."""
        others = Breakers(self._clock)
        others._own = {**self._own, endpoint: _Breaker(self._clock)}
        others._shared, others._lock = self._shared, self._lock
        return others

    def allows(self, endpoint: str) -> bool:
        """Whether the endpoint may be tried: an open breaker allows one trial call after its time."""
        return self._of(endpoint).allows()

    def is_closed(self, endpoint: str) -> bool:
        """Whether the endpoint works, as far as is known; takes no trial call."""
        return self._of(endpoint).is_closed

    def worked(self, endpoint: str) -> None:
        self._of(endpoint).worked()

    def was_down(self, endpoint: str) -> None:
        """Records that the endpoint as a whole failed (refused, unreachable, key rejected)."""
        self._of(endpoint).was_down()

    def _of(self, endpoint: str) -> _Breaker:
        with self._lock:
            return self._own.get(endpoint) or self._shared.setdefault(endpoint, _Breaker(self._clock))
