"""The runs of several controllers, in Redis or Valkey.

Of each run there is a hash (who works on it, how it ended), a stream of its events, and the list that is its journal.
The sorted set of those that go on has the times at which their leases run out, by the clock of the service. What must
hold at once (no more than so many runs, no event of a controller that has lost the lease) is a script that the service
runs as a whole. A controller has a stream of its own, by which the others ask it to cancel a run.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any, ClassVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from hugginggpt.core.errors import ConfigError, brief
from hugginggpt.core.secrets import without_login
from hugginggpt.records import redis_scripts as scripts
from hugginggpt.records.feeds import HEARTBEAT_SECONDS
from hugginggpt.records.shared_runs import (
    CALL_SECONDS,
    KEPT_RUNS,
    KEPT_SECONDS,
    LEASE_SECONDS,
    Claimed,
    Entry,
    Kept,
    SharedRunStore,
)

log = logging.getLogger(__name__)

AT_ONCE = 500
"""Events that are read with one call."""


class RedisRunStore(SharedRunStore):
    """Raises ConfigError when the service refuses to be used; one that does not answer may be started later."""

    failures: ClassVar = (redis.RedisError,)
    advice = "Start the service, or try again in a moment."

    def __init__(self, url: str, to_text: Callable[[Any], str] = json.dumps, lease_seconds: float = LEASE_SECONDS):
        super().__init__(without_login(url), to_text, lease_seconds)
        self.lease_ms = int(lease_seconds * 1000)
        self._seen = "0-0"
        try:
            self._db, self._slow = _client(url, CALL_SECONDS), _client(url, HEARTBEAT_SECONDS + CALL_SECONDS)
        except ValueError as error:
            raise self._unusable(error) from error
        try:
            self._count()
        except (redis.AuthenticationError, redis.exceptions.AuthorizationError, redis.ResponseError) as error:
            self._db.close()
            raise self._unusable(error) from error
        except redis.RedisError as error:
            log.warning("%s Until then, requests are answered 503.", self._said(error))
        self._run = {name: self._db.register_script(text) for name, text in scripts.ALL.items()}

    def _unusable(self, error: Exception) -> ConfigError:
        what = f"The service {self.place} of run_store cannot be used ({brief(error)})"
        if isinstance(error, redis.exceptions.ClusterError | redis.exceptions.MovedError):
            return ConfigError(f"{what}: it is a Redis Cluster. Name a Redis or Valkey that is none.")
        return ConfigError(f"{what}: correct run_store, or leave it empty.")

    def _take_in(self, run_id: str, most: int, chat: str, head: str, again: str) -> str:
        said: str = self._call("begin", run_id, self.me, self.lease_ms, most, chat, head, again)
        return said

    def _append(self, run_id: str, first: int, events: Sequence[str], lines: Sequence[str], record: str | None) -> str:
        ending = [KEPT_RUNS, KEPT_SECONDS, record] if record is not None else []
        counts = (first, len(events), len(lines))
        said: str = self._call("add", run_id, self.me, *counts, *events, *lines, *ending)
        return said

    def _forget(self, run_id: str) -> None:
        self._call("discard", run_id, self.me)

    def _prolong(self, run_ids: Sequence[str]) -> Collection[str]:
        lost: list[str] = self._call("renew", self.me, self.lease_ms, *run_ids)
        return lost

    def _claim(self) -> Claimed | None:
        found = self._call("claim", self.me, self.lease_ms)
        if not found:
            return None
        run_id, head, again, lost, cancelled = found
        return Claimed(run_id, head, again, int(lost), bool(cancelled))

    def _give_up(self, run_id: str) -> None:
        self._call("hand_over", run_id, self.me)

    def _ask_to_cancel(self, run_id: str) -> None:
        self._call("cancel", run_id)

    def _others(self) -> int:
        return int(self._call("others", self.me))

    def _leave(self) -> None:
        self._call("leave", self.me)

    def _disconnect(self) -> None:
        for client in (self._db, self._slow):
            with suppress(redis.RedisError):
                client.connection_pool.disconnect()
                client.close()

    def _head(self, run_id: str) -> str | None:
        text: Any = self._db.hget(scripts.run(run_id), "head")
        return text or None

    def _heads(self, most: int) -> Sequence[str]:
        ids: Any = self._db.zrevrange(scripts.NEWEST, 0, most - 1)
        with self._db.pipeline(transaction=False) as calls:
            for run_id in ids:
                calls.hget(scripts.run(run_id), "head")
            return [text for text in calls.execute() if text]

    def _count(self) -> int:
        return int(self._db.zcard(scripts.GOING))

    def _run_of_chat(self, chat: str) -> str | None:
        run_id: Any = self._db.get(scripts.chat(chat))
        return run_id or None

    def _is_over(self, run_id: str) -> bool:
        return self._db.hget(scripts.run(run_id), "record") is not None

    def _kept(self, run_id: str) -> Kept:
        found: Any = self._db.hmget(scripts.run(run_id), "record", "again")
        text, again = found
        lines: Any = [] if text else self._db.lrange(scripts.journal(run_id), 0, -1)
        return Kept(text or "", again or "", lines)

    def _events(self, run_id: str, after: int, seconds: float) -> Sequence[Entry] | None:
        if not self._db.exists(scripts.run(run_id)):
            return None
        key = scripts.events(run_id)
        if seconds:
            entries = self._read(key, f"0-{after}", seconds)
        else:
            found: Any = self._db.xrange(key, f"(0-{after}")
            entries = found
        return [(int(entry.partition("-")[2]), fields.get("event")) for entry, fields in entries]

    def _cancellations(self, seconds: float) -> Iterable[str]:
        for entry, fields in self._read(scripts.inbox(self.me), self._seen, seconds):
            self._seen = entry
            yield fields.get("cancel", "")

    def _read(self, key: str, last: str, seconds: float) -> list[tuple[str, dict[str, str]]]:
        """Waits for entries of a stream, until this controller ends."""
        read: Any = self._slow.xread({key: last, scripts.end(self.me): "0-0"}, AT_ONCE, int(seconds * 1000))
        entries: list[tuple[str, dict[str, str]]] = dict(read or ()).get(key, [])
        return entries

    def _call(self, name: str, *args: Any) -> Any:
        return self._run[name](args=args)


def _client(url: str, seconds: float) -> redis.Redis:
    """Calls may take so many seconds; one that fails is repeated once, on a new connection."""
    return redis.Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=seconds,
        socket_connect_timeout=CALL_SECONDS,
        retry=Retry(NoBackoff(), 1),
    )
