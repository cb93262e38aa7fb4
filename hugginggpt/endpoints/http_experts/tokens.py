"""Tokens that services give out for a while: fetched once for all threads, and anew when they have expired."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from hugginggpt.common.threads import fulfil

EARLY = 0.1
"""The part of its life before whose end a token is renewed, 60 seconds at most: a call takes time, too."""
EARLY_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Token:
    """A token, and for how many seconds it is valid; None: until it is refused."""

    text: str
    seconds: float | None = None


class TokenSource:
    """One token for many threads. `fetch` may raise BackendError, which all that wait for it get."""

    def __init__(self, fetch: Callable[[], Token], clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._current: Future[tuple[Token, float]] | None = None

    def get(self) -> str:
        """The token that is valid now; whoever asks while it is being fetched waits for the same one."""
        with self._lock:
            current = self._current
            mine = current is None or (current.done() and not self._is_valid(current))
            if mine:
                self._current = current = Future()
        assert current
        if mine:
            fulfil(current, self._new)
        return current.result()[0].text

    def refused(self, token: str) -> None:
        """Forgets a token that the service has refused, unless another thread has a new one already."""
        with self._lock:
            current = self._current
            if current and current.done() and not current.exception() and current.result()[0].text == token:
                self._current = None

    def _new(self) -> tuple[Token, float]:
        asked = self._clock()
        token = self._fetch()
        if token.seconds is None:
            return token, float("inf")
        return token, asked + token.seconds - min(EARLY_SECONDS, EARLY * token.seconds)

    def _is_valid(self, current: Future[tuple[Token, float]]) -> bool:
        return not current.exception() and self._clock() < current.result()[1]
