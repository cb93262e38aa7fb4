"""What the ways to reach a server have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any


def _nothing() -> None:
    pass


@dataclass(kw_only=True)
class Transport(ABC):
    """One connection's way to its server, not yet begun.

    It calls `gone` when the server has gone. `failure` says why the connection broke, as a clause; `last_words` is the
    last of what the server wrote to its errors, `status` the last HTTP status of an error.
    """

    gone: Callable[[], None] = _nothing
    failure: str = ""
    last_words: str = ""
    status: int | None = None

    @abstractmethod
    def streams(self) -> AbstractAsyncContextManager[Any]:
        """Begins it: the streams of messages from and to the server, for the package mcp."""

    def kill(self) -> None:  # noqa: B027  a server elsewhere is not ended
        """Ends the server's process, if there is one, at once."""
