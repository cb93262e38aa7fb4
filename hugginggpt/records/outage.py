"""A service that does not answer: for a moment it is not asked again, so that not every request waits for it."""

from __future__ import annotations

import time

from hugginggpt.core.errors import StoreUnavailable


class Outage:
    """Lasts so many seconds after the last failure, unless it is ended before. Safe for several threads."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = 0.0
        self._why = ""

    @property
    def is_on(self) -> bool:
        return time.monotonic() < self._until

    def begin(self, why: str) -> None:
        self._why, self._until = why, time.monotonic() + self._seconds

    def end(self) -> None:
        self._until = 0.0

    def refuse(self) -> None:
        """Raises StoreUnavailable while it lasts."""
        if self.is_on:
            raise StoreUnavailable(self._why)
