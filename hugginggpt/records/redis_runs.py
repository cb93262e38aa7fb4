"""The runs of several controllers, in Redis or Valkey.

Of each run there is a hash (who works on it, how it ended), a stream of its events, and the list that is its journal.
The sorted set of those that go on has the times at which their leases run out, by the clock of the service. What must
hold at once (no more than so many runs, no event of a controller that has lost the lease) is a script that the service
runs as a whole. A controller has a stream of its own, by which the others ask it to cancel a run.
"""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError, ConfigError, brief
from hugginggpt.core.secrets import without_login
from hugginggpt.records import redis_scripts as scripts
from hugginggpt.records.feeds import HEARTBEAT_SECONDS, ChatBusy, Numbered, TooManyRuns
from hugginggpt.records.run_log import record_of
from hugginggpt.records.run_store import KnownRun, LeaseLost, Orphan, OwnRun, RunHead

log = logging.getLogger(__name__)

LEASE_SECONDS = 5.0
"""How long a controller may not be heard of before others go on with its runs."""
CALL_SECONDS = 3.0
"""How long a call of the service may take."""
KEPT_RUNS = 1000
KEPT_SECONDS = 24 * 3600
"""How many runs that are over are kept, and for how long."""
AT_ONCE = 500
"""Events that are read with one call."""
LAST = 2**62
"""A number beyond that of any event."""


class RedisRunStore:
    """`to_text` writes JSON without secrets. Raises ConfigError when the service cannot be used."""

    is_shared = True

    def __init__(self, url: str, to_text: Callable[[Any], str] = json.dumps, lease_seconds: float = LEASE_SECONDS):
        self.place = without_login(url)
        self.me = uuid.uuid4().hex[:12]
        self.lease_ms = int(lease_seconds * 1000)
        self._to_text = to_text
        self._own: dict[str, _Own] = {}
        self._claimed: set[str] = set()
        self._lock = threading.Lock()
        self._left = threading.Condition(self._lock)
        self._readers = 0
        self._ended = threading.Event()
        try:
            self._db, self._slow = _client(url, CALL_SECONDS), _client(url, HEARTBEAT_SECONDS + CALL_SECONDS)
        except ValueError as error:
            raise self._unusable(error) from error
        try:
            self._db.ping()
        except redis.RedisError as error:
            self._db.close()
            raise self._unusable(error) from error
        self._run = {name: self._db.register_script(text) for name, text in scripts.ALL.items()}

    def _unusable(self, error: Exception) -> ConfigError:
        what = f"The service {self.place} of run_store cannot be used ({brief(error)})"
        return ConfigError(f"{what}: start it, or leave run_store empty.")

    # This controller's runs

    def begin(self, run: OwnRun, most: int) -> None:
        own = _Own(run)
        with self._calling():
            said = self._begin(own, most)
        if said == "full":
            raise TooManyRuns(f"{most} requests are being worked on already; try again in a moment.")
        if said:
            raise ChatBusy(said)
        with self._lock:
            self._own[run.head.id] = own

    def _begin(self, own: _Own, most: int) -> str:
        head = own.run.head
        again = self._to_text(head.again) if head.again is not None else ""
        text = self._to_text(head.to_json())
        said: str = self._call("begin", head.id, self.me, self.lease_ms, most, head.chat or "", text, again)
        return said

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
            self._call("discard", run.head.id, self.me)

    def adopt(self, run: OwnRun) -> None:
        own = _Own(run, written=len(run.events))
        with self._lock:
            self._claimed.discard(run.head.id)
            self._own[run.head.id] = own

    def hand_over(self, runs: Sequence[OwnRun]) -> None:
        with suppress(redis.RedisError):
            if self._call("others", self.me) == 0:
                return
            for run in runs:
                if run.head.again is not None and not run.over:
                    with run.changed:
                        self._drop(run)
                        self._call("hand_over", run.head.id, self.me)

    def _write(self, own: _Own) -> None:
        """Writes what is not written yet; what fails now is tried again later. Raises LeaseLost."""
        run = own.run
        fresh, lines = run.events[own.written :], own.lines[own.written_lines :]
        texts = [*map(self._to_text, fresh), *lines]
        ending = [KEPT_RUNS, KEPT_SECONDS, own.last] if own.last is not None else []
        try:
            said = self._call("add", run.head.id, self.me, own.written + 1, len(fresh), len(lines), *texts, *ending)
            if said == "unknown" and not own.is_anew:  # the service was started anew, without what it had
                own.written = own.written_lines = 0
                own.is_anew = True
                self._begin(own, LAST)
                self._write(own)
                return
        except redis.RedisError as error:
            self._tell_once(own, error)
            return
        own.written, own.written_lines = own.written + len(fresh), own.written_lines + len(lines)
        own.is_told = own.is_anew = False
        if said or own.last is not None:
            self._drop(run)
        if said:
            raise LeaseLost(f"The run {run.head.id} is another controller's now.")

    def _tell_once(self, own: _Own, error: Exception) -> None:
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
            text = self._db.hget(scripts.run(run_id), "head")
        return SharedRun(self, _head(str(text))) if text else None

    def newest(self, most: int) -> Sequence[KnownRun]:
        with self._calling():
            ids: Any = self._db.zrevrange(scripts.NEWEST, 0, most - 1)
            with self._db.pipeline(transaction=False) as calls:
                for run_id in ids:
                    calls.hget(scripts.run(run_id), "head")
                heads = calls.execute()
        return [SharedRun(self, _head(text)) for text in heads if text]

    def count(self) -> int:
        with self._calling():
            return int(self._db.zcard(scripts.GOING))

    def of_chat(self, chat: str) -> KnownRun | None:
        with self._calling():
            run_id: Any = self._db.get(scripts.chat(chat))
        known = self.find(run_id) if run_id else None
        return known if known and not known.over else None

    def is_over(self, run_id: str) -> bool:
        with self._calling():
            return self._db.hget(scripts.run(run_id), "record") is not None

    def cancel(self, run_id: str) -> None:
        with self._calling():
            self._call("cancel", run_id)

    def record(self, run_id: str) -> dict[str, Any]:
        """The record of a run that is over; of another what its journal holds."""
        with self._calling():
            text, again = self._db.hmget(scripts.run(run_id), "record", "again")
            lines: Any = [] if text else self._db.lrange(scripts.journal(run_id), 0, -1)
        record = json.loads(text) if text else record_of(map(json.loads, lines))
        return record or (json.loads(again) if again else {})

    def follow(self, run_id: str, after: int) -> Iterator[Numbered | None]:
        """The events of a run that another controller works on, or that is over."""
        key, last = scripts.events(run_id), f"0-{min(after, LAST)}"
        with self._reading():
            while not self._ended.is_set():
                try:
                    if not self._db.exists(scripts.run(run_id)):
                        return
                    entries = self._read(key, last, HEARTBEAT_SECONDS)
                except redis.RedisError as error:
                    log.warning("run %s: it cannot be followed: %s", run_id, brief(error))
                    return  # the client comes back
                for entry, fields in entries:
                    if "event" not in fields:
                        return
                    last = entry
                    yield int(entry.partition("-")[2]), json.loads(fields["event"])
                if not entries:
                    yield None

    def _read(self, key: str, last: str, seconds: float) -> list[tuple[str, dict[str, str]]]:
        """Waits for entries of a stream, until this controller ends."""
        read: Any = self._slow.xread({key: last, scripts.end(self.me): "0-0"}, AT_ONCE, int(seconds * 1000))
        entries: list[tuple[str, dict[str, str]]] = dict(read or ()).get(key, [])
        return entries

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
        inbox, seen, pause = scripts.inbox(self.me), "0-0", self.lease_ms / 3000
        with self._reading():
            while not self._ended.is_set():
                try:
                    self._renew()
                    while found := self._call("claim", self.me, self.lease_ms):
                        self._give(take_over, *found)
                    for entry, fields in self._read(inbox, seen, pause):
                        seen = entry
                        if own := self._own.get(fields.get("cancel", "")):
                            own.run.cancel()
                except Exception as error:
                    expected = isinstance(error, redis.RedisError)
                    log.warning("The runs cannot be kept in %s: %s", self.place, brief(error), exc_info=not expected)
                    self._ended.wait(pause)

    def _give(self, take_over: Callable[[Orphan], object], run_id: str, *found: Any) -> None:
        """Hands over a run that was claimed. Its lease is renewed meanwhile, but not where it cannot be handed over."""
        with self._lock:
            self._claimed.add(run_id)
        try:
            take_over(self._orphan(run_id, *found))
        except BaseException:
            with self._lock:
                self._claimed.discard(run_id)
            raise

    def _renew(self) -> None:
        with self._lock:
            mine, claimed = list(self._own.values()), tuple(self._claimed)
        lost = self._call("renew", self.me, self.lease_ms, *claimed, *[own.run.head.id for own in mine])
        for own in mine:
            with own.run.changed:
                try:
                    if own.run.head.id in lost or own.is_behind:
                        self._write(own)
                except LeaseLost:
                    own.run.cancel()

    def _orphan(self, run_id: str, head: str, again: str, lost: int, cancelled: str) -> Orphan:
        """What is known of a run that was claimed."""
        lines: Any = self._db.lrange(scripts.journal(run_id), 0, -1)
        entries: Any = self._db.xrange(scripts.events(run_id))
        events = [json.loads(fields["event"]) for _, fields in entries if "event" in fields]
        first = json.loads(again) if again else None
        record = record_of(map(json.loads, lines)) or {}
        if first and not record.get("plan"):  # it may have had a plan before it began
            record = {**record, **first}
        return Orphan(_head(head, first), events, record, int(lost), bool(cancelled))

    def close(self) -> None:
        self._ended.set()
        with suppress(redis.RedisError):
            self._call("leave", self.me)
            with self._lock:
                self._left.wait_for(lambda: not self._readers, CALL_SECONDS)
        for client in (self._db, self._slow):
            client.connection_pool.disconnect()
            client.close()

    def _call(self, name: str, *args: Any) -> Any:
        return self._run[name](args=args)

    @contextmanager
    def _calling(self) -> Iterator[None]:
        try:
            yield
        except redis.RedisError as error:
            raise BackendError(f"The runs cannot be looked up in {self.place}: {brief(error)}.") from error


class _Own:
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

    def __init__(self, store: RedisRunStore, head: RunHead) -> None:
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


def _client(url: str, seconds: float) -> redis.Redis:
    """Calls may take so many seconds; one that fails is repeated once, on a new connection."""
    return redis.Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=seconds,
        socket_connect_timeout=CALL_SECONDS,
        retry=Retry(NoBackoff(), 1),
    )


def _head(text: str, again: Mapping[str, Any] | None = None) -> RunHead:
    return RunHead(**{**json.loads(text), "again": again})
