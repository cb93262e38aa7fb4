"""Circuit breakers: an endpoint that is down is left alone for a while instead of being tried by every task.

The pattern is that of M. Nygard, Release It! (2007): closed, open after failures in a row, then one try.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FAILURES = 3
SECONDS = 15.0


class Breakers:
    """One breaker for each endpoint, by name; shared by all runs."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, int] = {}
        self._open_until: dict[str, float] = {}
        self._lock = threading.Lock()

    def allows(self, endpoint: str) -> bool:
        """Whether the endpoint may be tried: an open breaker allows one trial call after its time."""
        with self._lock:
            until = self._open_until.get(endpoint)
            if until is None:
                return True
            if self._clock() < until:
                return False
            self._open_until[endpoint] = self._clock() + SECONDS  # the other callers wait for this trial
            return True

    def worked(self, endpoint: str) -> None:
        with self._lock:
            self._failures.pop(endpoint, None)
            self._open_until.pop(endpoint, None)

    def was_down(self, endpoint: str) -> None:
        """Records that the endpoint as a whole failed (refused, unreachable, key rejected)."""
        with self._lock:
            self._failures[endpoint] = self._failures.get(endpoint, 0) + 1
            if self._failures[endpoint] >= FAILURES:
                self._open_until[endpoint] = self._clock() + SECONDS
