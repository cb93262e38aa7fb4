"""The runs of several controllers, wherever they are kept.

A controller works on a run while it holds its lease, which it renews three times a lease. What cannot be written at
once is kept and written later. A store says how each of the steps below is done so that they hold for all controllers
at once: `redis_runs` in Redis or Valkey, `sqlite_runs` in a file of this machine.
"""

from __future__ import annotations

import json
import logging
import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, NamedTuple

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import StoreUnavailable, brief
from hugginggpt.records.feeds import HEARTBEAT_SECONDS, ChatBusy, Numbered, TooManyRuns
from hugginggpt.records.outage import Outage
from hugginggpt.records.run_log import record_of
from hugginggpt.records.run_store import KnownRun, LeaseLost, Orphan, OwnRun, RunHead

log = logging.getLogger(__name__)

LEASE_SECONDS = 5.0
"""How long a controller may not be heard of before others go on with its runs."""
CALL_SECONDS = 3.0
"""How long one step may take."""
KEPT_RUNS = 1000
KEPT_SECONDS = 24 * 3600
"""How many runs that are over are kept, and for how long."""
LAST = 2**62
"""A number beyond that of any event."""

Entry = tuple[int, str | None]
"""The number of an event and its text; None for what says that there will be no more."""


class Claimed(NamedTuple):
    """A run whose lease ran out, as it is kept; its lease is this controller's now."""

    id: str
    head: str
    again: str
    lost: int
    is_cancelled: bool


class Kept(NamedTuple):
    """What is kept of a run: its record once it is over, what it began with, the lines of its journal before."""

    record: str
    again: str
    lines: Sequence[str]


class SharedRunStore(ABC):
    """What the stores have in common. `to_text` writes JSON without secrets.

    `place` names the store in errors, `failures` are the errors of a store that cannot be used at the moment.
    """

    is_shared = True
    failures: ClassVar[tuple[type[Exception], ...]]
    advice: ClassVar[str]
    """What to do when the store cannot be used."""

    def __init__(self, place: str, to_text: Callable[[Any], str], lease_seconds: float) -> None:
        self.place = place
        self.me = uuid.uuid4().hex[:12]
        self.lease_seconds = lease_seconds
        self._to_text = to_text
        self._own: dict[str, Own] = {}
        self._claimed: set[str] = set()
        self._lock = threading.Lock()
        self._left = threading.Condition(self._lock)
        self._readers = 0
        self._ended = threading.Event()
        self._outage = Outage(lease_seconds / 3)

    # The steps; each is done as a whole, and raises one of `failures` where it cannot be done

    @abstractmethod
    def _take_in(self, run_id: str, most: int, chat: str, head: str, again: str) -> str:
        """ "", "full" where `most` go on, or the id of the run of the conversation that goes on."""

    @abstractmethod
    def _append(self, run_id: str, first: int, events: Sequence[str], lines: Sequence[str], record: str | None) -> str:
        """Adds events with numbers from `first`, lines to the journal, and the record of a run that is over; gives "",
        "unknown" for a run that is not kept, or "lost" where another controller has the lease.
        """

    @abstractmethod
    def _forget(self, run_id: str) -> None: ...

    @abstractmethod
    def _prolong(self, run_ids: Sequence[str]) -> Collection[str]:
        """Renews leases, and that this controller is there; gives the runs whose lease it does not have."""

    @abstractmethod
    def _claim(self) -> Claimed | None: ...

    @abstractmethod
    def _give_up(self, run_id: str) -> None:
        """Gives the lease of a run to whoever wants it."""

    @abstractmethod
    def _ask_to_cancel(self, run_id: str) -> None: ...

    @abstractmethod
    def _others(self) -> int:
        """How many other controllers there are."""

    @abstractmethod
    def _leave(self) -> None:
        """This controller is no more; ends its threads that wait."""

    @abstractmethod
    def _disconnect(self) -> None: ...

    @abstractmethod
    def _head(self, run_id: str) -> str | None: ...

    @abstractmethod
    def _heads(self, most: int) -> Sequence[str]:
        """The newest first."""

    @abstractmethod
    def _count(self) -> int: ...

    @abstractmethod
    def _run_of_chat(self, chat: str) -> str | None: ...

    @abstractmethod
    def _is_over(self, run_id: str) -> bool: ...

    @abstractmethod
    def _kept(self, run_id: str) -> Kept: ...

    @abstractmethod
    def _events(self, run_id: str, after: int, seconds: float) -> Sequence[Entry] | None:
        """The events after one, for which it waits so long; None of a run that is not kept."""

    @abstractmethod
    def _cancellations(self, seconds: float) -> Iterable[str]:
        """Waits so long for runs of this controller that are to be cancelled."""

    # This controller's runs

    def begin(self, run: OwnRun, most: int) -> None:
        own = Own(run)
        with self._calling():
            said = self._begin(own, most)
        if said == "full":
            raise TooManyRuns(f"{most} requests are being worked on already; try again in a moment.")
        if said:
            raise ChatBusy(said)
        with self._lock:
            self._own[run.head.id] = own

    def _begin(self, own: Own, most: int) -> str:
        head = own.run.head
        again = self._to_text(head.again) if head.again is not None else ""
        return self._take_in(head.id, most, head.chat or "", self._to_text(head.to_json()), again)

    def add(self, run: OwnRun, event: dict[str, Any], line: Mapping[str, Any] | None = None) -> None:
        """What cannot be written now is written with the next event, or when the lease is renewed."""
        own = self._own.get(run.head.id)
        with run.changed:
            if own is None:
                raise LeaseLost(f"The run {run.head.id} is another controller's now.")
            run.events.append(event)
            if line is not None:
                own.lines.append(self._to_text(line))
            try:
                self._write(own)
            except LeaseLost:  # nobody is told of it: its number is that of another event now
                run.events.pop()
                raise
            run.changed.notify_all()

    def end(self, run: OwnRun) -> None:
        if own := self._own.get(run.head.id):
            with run.changed:
                own.last = self._to_text(run.told())
                with suppress(LeaseLost):
                    self._write(own)
        run.end()

    def discard(self, run: OwnRun) -> None:
        self._drop(run)
        with self._calling():
            self._forget(run.head.id)

    def adopt(self, run: OwnRun) -> None:
        own = Own(run, written=len(run.events))
        with self._lock:
            self._claimed.discard(run.head.id)
            self._own[run.head.id] = own

    def hand_over(self, runs: Sequence[OwnRun]) -> None:
        with suppress(*self.failures):
            if self._others() == 0:
                return
            for run in runs:
                if run.head.again is not None and not run.over:
                    with run.changed:
                        self._drop(run)
                        self._give_up(run.head.id)

    def _write(self, own: Own) -> None:
        """Writes what is not written yet; what fails now is tried again later. Raises LeaseLost."""
        run = own.run
        if self._outage.is_on:
            return
        fresh, lines = run.events[own.written :], own.lines[own.written_lines :]
        try:
            said = self._append(run.head.id, own.written + 1, list(map(self._to_text, fresh)), lines, own.last)
            if said == "unknown" and not own.is_anew:  # the store was started anew, without what it had
                own.written = own.written_lines = 0
                own.is_anew = True
                self._begin(own, LAST)
                self._write(own)
                return
        except self.failures as error:
            self._tell_once(own, error)
            return
        own.written, own.written_lines = own.written + len(fresh), own.written_lines + len(lines)
        own.is_told = own.is_anew = False
        if said or own.last is not None:
            self._drop(run)
        if said:
            raise LeaseLost(f"The run {run.head.id} is another controller's now.")

    def _tell_once(self, own: Own, error: Exception) -> None:
        self._outage.begin(self._said(error))
        if not own.is_told:
            log.warning("run %s: %s cannot be written to: %s", own.run.head.id, self.place, brief(error))
            own.is_told = True

    def _drop(self, run: OwnRun) -> None:
        with self._lock:
            self._own.pop(run.head.id, None)

    # All runs

    def find(self, run_id: str) -> KnownRun | None:
        own = self._own.get(run_id)
        if own and not own.run.over:
            return own.run
        with self._calling():
            text = self._head(run_id)
        return SharedRun(self, head_of(text)) if text else None

    def newest(self, most: int) -> Sequence[KnownRun]:
        with self._calling():
            return [SharedRun(self, head_of(text)) for text in self._heads(most)]

    def count(self) -> int:
        with self._calling():
            return self._count()

    def of_chat(self, chat: str) -> KnownRun | None:
        with self._calling():
            run_id = self._run_of_chat(chat)
        known = self.find(run_id) if run_id else None
        return known if known and not known.over else None

    def is_over(self, run_id: str) -> bool:
        with self._calling():
            return self._is_over(run_id)

    def cancel(self, run_id: str) -> None:
        with self._calling():
            self._ask_to_cancel(run_id)

    def record(self, run_id: str) -> dict[str, Any]:
        """The record of a run that is over; of another what its journal holds."""
        with self._calling():
            kept = self._kept(run_id)
        record = json.loads(kept.record) if kept.record else record_of(map(json.loads, kept.lines))
        return record or (json.loads(kept.again) if kept.again else {})

    def follow(self, run_id: str, after: int) -> Iterator[Numbered | None]:
        """The events of a run that another controller works on, or that is over."""
        last = min(after, LAST)
        with self._reading(), self._following(run_id):
            while not self._ended.is_set():
                try:
                    entries = self._events(run_id, last, HEARTBEAT_SECONDS)
                except self.failures as error:
                    log.warning("run %s: it cannot be followed: %s", run_id, brief(error))
                    return  # the client comes back
                if entries is None:
                    return
                for number, text in entries:
                    if text is None:
                        return
                    last = number
                    yield number, json.loads(text)
                if not entries:
                    yield None

    @contextmanager
    def _following(self, run_id: str) -> Iterator[None]:
        """While a run is followed here."""
        yield

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._lock:
            self._readers += 1
        try:
            yield
        finally:
            with self._lock:
                self._readers -= 1
                self._left.notify_all()

    # Leases

    def watch(self, take_over: Callable[[Orphan], object]) -> None:
        spawn(self._watch, take_over, name="leases")

    def _watch(self, take_over: Callable[[Orphan], object]) -> None:
        """Renews leases and looks for those that ran out, three times a lease; between, waits for cancellations."""
        pause = self.lease_seconds / 3
        with self._reading():
            while not self._ended.is_set():
                try:
                    self._renew()
                    while claimed := self._claim():
                        self._give(take_over, claimed)
                    for run_id in self._cancellations(pause):
                        if own := self._own.get(run_id):
                            own.run.cancel()
                except Exception as error:
                    expected = isinstance(error, self.failures)
                    log.warning("The runs cannot be kept in %s: %s", self.place, brief(error), exc_info=not expected)
                    self._ended.wait(pause)

    def _give(self, take_over: Callable[[Orphan], object], claimed: Claimed) -> None:
        """Hands over a run that was claimed. Its lease is renewed meanwhile, but not where it cannot be handed over."""
        with self._lock:
            self._claimed.add(claimed.id)
        try:
            take_over(self._orphan(claimed))
        except BaseException:
            with self._lock:
                self._claimed.discard(claimed.id)
            raise

    def _renew(self) -> None:
        with self._lock:
            mine, claimed = list(self._own.values()), tuple(self._claimed)
        lost = self._prolong([*claimed, *[own.run.head.id for own in mine]])
        self._outage.end()
        for own in mine:
            with own.run.changed:
                try:
                    if own.run.head.id in lost or own.is_behind:
                        self._write(own)
                except LeaseLost:
                    own.run.cancel()

    def _orphan(self, claimed: Claimed) -> Orphan:
        """What is known of a run that was claimed."""
        lines = self._kept(claimed.id).lines
        entries = self._events(claimed.id, 0, 0) or ()
        events = [json.loads(text) for _, text in entries if text is not None]
        first = json.loads(claimed.again) if claimed.again else None
        record = record_of(map(json.loads, lines)) or {}
        if first and not record.get("plan"):  # it may have had a plan before it began
            record = {**record, **first}
        return Orphan(head_of(claimed.head, first), events, record, claimed.lost, claimed.is_cancelled)

    def close(self) -> None:
        self._ended.set()
        with suppress(*self.failures):
            self._leave()
            with self._lock:
                self._left.wait_for(lambda: not self._readers, CALL_SECONDS)
        self._disconnect()

    @contextmanager
    def _calling(self) -> Iterator[None]:
        self._outage.refuse()
        try:
            yield
        except self.failures as error:
            self._outage.begin(self._said(error))
            raise StoreUnavailable(self._said(error)) from error

    def _said(self, error: Exception) -> str:
        return f"The runs cannot be looked up in {self.place}: {brief(error)}. {self.advice}"


class Own:
    """A run of this controller, and how much of it is written. `last` is its record, once it is over."""

    def __init__(self, run: OwnRun, written: int = 0) -> None:
        self.run = run
        self.written = written
        self.lines: list[str] = []
        self.written_lines = 0
        self.last: str | None = None
        self.is_told = self.is_anew = False

    @property
    def is_behind(self) -> bool:
        return self.last is not None or self.written < len(self.run.events) or self.written_lines < len(self.lines)


class SharedRun:
    """A run that another controller works on, or that is over."""

    def __init__(self, store: SharedRunStore, head: RunHead) -> None:
        self.store, self.head = store, head

    @property
    def over(self) -> bool:
        return self.store.is_over(self.head.id)

    def follow(self, after: int = 0) -> Iterator[Numbered | None]:
        return self.store.follow(self.head.id, after)

    def cancel(self) -> None:
        self.store.cancel(self.head.id)

    def until_over(self) -> str | None:
        for _ in self.follow(LAST):
            pass
        stop: str | None = self.told().get("stop")
        return stop

    def told(self) -> dict[str, Any]:
        return self.store.record(self.head.id)


def head_of(text: str, again: Mapping[str, Any] | None = None) -> RunHead:
    return RunHead(**{**json.loads(text), "again": again})
