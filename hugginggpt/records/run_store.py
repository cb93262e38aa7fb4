"""Where the runs of a server are registered: how many there are, their events, and who works on them.

`MemoryRunStore` is the embedded one: the runs of this process. A shared one (`shared_runs`) knows those of all
controllers. A controller works on a run while it holds its lease; it renews the leases of its runs, and when one
runs out, another controller takes the run over.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.records.feeds import ChatBusy, Feed, Numbered, TooManyRuns

KEPT_PIECES = 500
"""Of a run with more events, the pieces of its answer are dropped when that is there."""
KEPT_RUNS = 200
"""The number of finished runs whose events are kept in memory."""


class LeaseLost(HuggingGPTError):
    """Another controller has taken the run over: this one was not heard of for too long."""


@dataclass(frozen=True, slots=True)
class RunHead:
    """What is known of a run when it begins.

    `chat` is the conversation that it belongs to. `again` is what another controller needs to go on with it, in the
    form of a run record; None where none can: its client would be gone, or it has a key of its own.
    """

    id: str
    request: str = ""
    until: str = "answer"
    chat: str | None = None
    again: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """All but `again`, which is long."""
        return {"id": self.id, "request": self.request, "until": self.until, "chat": self.chat}


class OwnRun(Feed):
    """A run that this process works on: its events, numbered from 1, and how it is cancelled."""

    def __init__(self, head: RunHead, events: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(events)
        self.head = head

    def cancel(self) -> None:
        raise NotImplementedError

    def until_over(self) -> str | None:
        raise NotImplementedError

    def told(self) -> dict[str, Any]:
        raise NotImplementedError


class KnownRun(Protocol):
    """A run, whoever works on it."""

    @property
    def head(self) -> RunHead: ...

    @property
    def over(self) -> bool: ...

    def follow(self, after: int = 0) -> Iterator[Numbered | None]:
        """(number, event) of all events after a given one, as they happen; None after a while without any."""

    def cancel(self) -> None:
        """Asks whoever works on it to end it."""

    def until_over(self) -> str | None:
        """Waits for its end; gives the reason of it (`StopReason`)."""

    def told(self) -> dict[str, Any]:
        """The run record as far as it is known."""


@dataclass(frozen=True, slots=True)
class Orphan:
    """A run whose controller was lost and which this one is to go on with; it holds the lease already.

    `events` are those told so far, `record` what is known of it, `lost` how many controllers have been lost with it.
    """

    head: RunHead
    events: Sequence[dict[str, Any]]
    record: Mapping[str, Any]
    lost: int
    is_cancelled: bool


class RunStore(Protocol):
    """The runs of all controllers that share it. Safe for several threads.

    What a service is needed for raises StoreUnavailable where it cannot be reached, but for `add` and `end`: a run goes
    on, and what was to be stored is stored later.
    """

    is_shared: bool
    """Whether other controllers may go on with the runs, for which a journal is kept."""

    def begin(self, run: OwnRun, most: int) -> None:
        """Takes a run in, and its lease. Raises TooManyRuns if `most` are going on, ChatBusy for a second one of a
        conversation.
        """

    def add(self, run: OwnRun, event: dict[str, Any], line: Mapping[str, Any] | None = None) -> None:
        """Adds an event, and a line to the journal of the run. Raises LeaseLost."""

    def end(self, run: OwnRun) -> None:
        """Gives the lease back, keeps the record, and lets those know who follow. Does not raise."""

    def discard(self, run: OwnRun) -> None:
        """Forgets a run that was taken in but did not begin."""

    def find(self, run_id: str) -> KnownRun | None:
        """A run that goes on, or that ended lately."""

    def newest(self, most: int) -> Sequence[KnownRun]:
        """The runs that are known, the newest first."""

    def count(self) -> int:
        """How many go on."""

    def of_chat(self, chat: str) -> KnownRun | None:
        """The run of a conversation that goes on, if there is one."""

    def watch(self, take_over: Callable[[Orphan], object]) -> None:
        """From now on, hands over the runs whose controllers are lost."""

    def adopt(self, run: OwnRun) -> None:
        """Takes a run in that was handed over; it has its lease."""

    def hand_over(self, runs: Sequence[OwnRun]) -> None:
        """Lets other controllers, if there are any, go on with runs that they can go on with."""

    def close(self) -> None:
        """Lets go of the service and ends what follows the runs of others."""


class MemoryRunStore:
    """The runs of this process, which end with it."""

    is_shared = False

    def __init__(self) -> None:
        self._runs: OrderedDict[str, OwnRun] = OrderedDict()
        self._going = 0
        self._lock = threading.Lock()

    def begin(self, run: OwnRun, most: int) -> None:
        with self._lock:
            if self._going >= most:
                raise TooManyRuns(f"{most} requests are being worked on already; try again in a moment.")
            if run.head.chat and (going := self._of_chat(run.head.chat)):
                raise ChatBusy(going.head.id)
            self._going += 1
            self._runs[run.head.id] = run
            for old in [run_id for run_id, known in self._runs.items() if known.over][: -KEPT_RUNS or None]:
                del self._runs[old]

    def add(self, run: OwnRun, event: dict[str, Any], line: Mapping[str, Any] | None = None) -> None:
        run.append(event)
        if (
            event.get("event") == "answer" and len(run.events) > KEPT_PIECES
        ):  # they take megabytes, and 200 runs are kept
            run.drop("token")

    def end(self, run: OwnRun) -> None:
        with self._lock:
            self._going -= 1
        run.end()

    def discard(self, run: OwnRun) -> None:
        with self._lock:
            self._going -= 1
            del self._runs[run.head.id]

    def find(self, run_id: str) -> KnownRun | None:
        with self._lock:
            return self._runs.get(run_id)

    def newest(self, most: int) -> Sequence[KnownRun]:
        with self._lock:
            return list(reversed(self._runs.values()))[:most]

    def count(self) -> int:
        return self._going

    def of_chat(self, chat: str) -> KnownRun | None:
        with self._lock:
            return self._of_chat(chat)

    def _of_chat(self, chat: str) -> OwnRun | None:
        return next((run for run in reversed(self._runs.values()) if run.head.chat == chat and not run.over), None)

    def watch(self, take_over: Callable[[Orphan], object]) -> None:
        """There are no other controllers."""

    def adopt(self, run: OwnRun) -> None:
        """There are no other controllers."""

    def hand_over(self, runs: Sequence[OwnRun]) -> None:
        """There are no other controllers."""

    def close(self) -> None:
        """There is nothing to let go of."""
