"""Numbered events that are kept for clients, whoever serves them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any

from hugginggpt.core.errors import ErrorCode, HuggingGPTError

HEARTBEAT_SECONDS = 15.0
Numbered = tuple[int, dict[str, Any]]


class TooManyRuns(HuggingGPTError):
    """The maximum number of simultaneous runs, goals or followers is reached."""

    code = ErrorCode.BUSY


class ChatBusy(HuggingGPTError):
    """A run of the conversation is active: `run_id`."""

    code = ErrorCode.CHAT_BUSY

    def __init__(self, run_id: str) -> None:
        super().__init__(
            "Another request of this conversation is being worked on: wait until it is done, or cancel it."
        )
        self.run_id = run_id


class Feed:
    """Events as JSON, numbered from 1, which end at some time. Safe for several threads."""

    def __init__(self, events: Iterable[dict[str, Any]] = ()) -> None:
        self.events: list[dict[str, Any] | None] = list(events)  # None: dropped
        self.changed = threading.Condition()
        self.ended = threading.Event()

    @property
    def over(self) -> bool:
        return self.ended.is_set()

    def append(self, event: dict[str, Any]) -> None:
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()

    def drop(self, name: str) -> None:
        """Drops the events of that name, whose numbers stay taken: a later one holds what they told."""
        with self.changed:
            self.events = [None if event and event.get("event") == name else event for event in self.events]

    def end(self) -> None:
        with self.changed:
            self.ended.set()
            self.changed.notify_all()

    def follow(self, after: int = 0) -> Iterator[Numbered | None]:
        """(number, event) of all events after a given one, as they happen; None after a while without any."""
        at = after
        while True:
            fresh, over = self._news(at)
            for event in fresh:
                at += 1
                if event is not None:
                    yield at, event
            if over and at >= len(self.events):
                return
            if not fresh:
                yield None

    def _news(self, seen: int) -> tuple[list[dict[str, Any] | None], bool]:
        """Waits for further events; returns them, and whether there will be no more."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.events) > seen or self.over, timeout=HEARTBEAT_SECONDS)
            return self.events[seen:], self.over
