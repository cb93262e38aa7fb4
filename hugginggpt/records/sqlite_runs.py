"""The runs of several controllers of one machine, in an SQLite file: no service is needed.

What must hold at once is a transaction that writes. Those who wait for something are told by a datagram on loopback
that there is something to look at; what it is stands in the file alone, so that one that is lost, or sent by someone
else, does no harm.
"""

from __future__ import annotations

import json
import logging
import socket
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import ConfigError
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

VERSION = 1
TABLES = (
    """CREATE TABLE runs (
        id TEXT PRIMARY KEY, number INTEGER NOT NULL, head TEXT NOT NULL, chat TEXT NOT NULL, again TEXT NOT NULL,
        owner TEXT NOT NULL, until REAL, lost INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0,
        record TEXT, ended REAL
    )""",
    "CREATE UNIQUE INDEX runs_by_number ON runs (number)",
    "CREATE INDEX runs_going ON runs (until) WHERE until IS NOT NULL",
    """CREATE TABLE events (
        run TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE, number INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (run, number)
    ) WITHOUT ROWID""",
    """CREATE TABLE lines (
        run TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE, number INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (run, number)
    ) WITHOUT ROWID""",
    "CREATE TABLE controllers (id TEXT PRIMARY KEY, port INTEGER NOT NULL, until REAL NOT NULL)",
    "CREATE TABLE followers (run TEXT NOT NULL, port INTEGER NOT NULL, PRIMARY KEY (run, port)) WITHOUT ROWID",
)
"""`until` is when the lease of a run ends (seconds since 1970), NULL once it is over; `number` counts the runs, `owner`
is the controller that has the lease. `lines` are the journal; `followers` the controllers that want to know of events.
"""
GONE_SECONDS = 60.0
"""After so long a controller that is not heard of is told of nothing any more."""
HOST = "127.0.0.1"
CANCEL = ""
"""What a datagram names instead of a run where runs of the controller are to be cancelled."""


class SqliteRunStore(SharedRunStore):
    """Raises ConfigError when the file cannot be used."""

    failures: ClassVar = (sqlite3.Error,)
    advice = "See that the disk has room and the file can be written."

    def __init__(self, file: Path, to_text: Callable[[Any], str] = json.dumps, lease_seconds: float = LEASE_SECONDS):
        super().__init__(str(file), to_text, lease_seconds)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._db = _open(file)
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"The file {file} of run_store cannot be used ({error}): name another one.") from error
        self._using, self._registering = threading.Lock(), threading.Lock()
        self._cancelled: set[str] = set()
        self._bell = Bell()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, in which nobody else writes."""
        with self._using:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        with self._using:
            return self._db.execute(sql, values).fetchall()

    def _until(self) -> float:
        return time.time() + self.lease_seconds

    # Steps

    def _take_in(self, run_id: str, most: int, chat: str, head: str, again: str) -> str:
        with self._writing() as db:
            others = db.execute("SELECT id, chat FROM runs WHERE until IS NOT NULL AND id != ?", [run_id]).fetchall()
            if len(others) >= most:
                return "full"
            for other, its_chat in others:
                if chat and its_chat == chat:
                    return str(other)
            db.execute("DELETE FROM runs WHERE id = ?", [run_id])
            db.execute(
                "INSERT INTO runs (id, number, head, chat, again, owner, until) "
                "SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ?, ?, ? FROM runs",
                [run_id, head, chat, again, self.me, self._until()],
            )
        return ""

    def _append(self, run_id: str, first: int, events: Sequence[str], lines: Sequence[str], record: str | None) -> str:
        with self._writing() as db:
            found = db.execute("SELECT owner FROM runs WHERE id = ?", [run_id]).fetchone()
            if found != (self.me,):
                return "lost" if found else "unknown"
            rows = [(run_id, number, text) for number, text in enumerate(events, first)]
            db.executemany("INSERT OR IGNORE INTO events VALUES (?, ?, ?)", rows)
            line = "INSERT INTO lines SELECT ?, coalesce(max(number), 0) + 1, ? FROM lines WHERE run = ?"
            db.executemany(line, [(run_id, text, run_id) for text in lines])
            if record is not None:
                self._keep(db, run_id, record)
            ports = db.execute("SELECT port FROM followers WHERE run = ?", [run_id]).fetchall()
        self._bell.ring(run_id, ports)
        return ""

    def _keep(self, db: sqlite3.Connection, run_id: str, record: str) -> None:
        """Keeps the record of a run that is over, and forgets the oldest ones."""
        now = time.time()
        db.execute(
            "UPDATE runs SET record = ?, ended = ?, until = NULL, owner = '', again = '' WHERE id = ?",
            [record, now, run_id],
        )
        db.execute("DELETE FROM lines WHERE run = ?", [run_id])
        oldest = "SELECT number FROM runs ORDER BY number DESC LIMIT 1 OFFSET ?"
        db.execute(
            f"DELETE FROM runs WHERE until IS NULL AND (number <= ({oldest}) OR ended < ?)",  # noqa: S608  it is ours
            [KEPT_RUNS, now - KEPT_SECONDS],
        )

    def _forget(self, run_id: str) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM runs WHERE id = ? AND owner = ?", [run_id, self.me])

    def _prolong(self, run_ids: Sequence[str]) -> Collection[str]:
        until, lost = self._until(), []
        with self._writing() as db:
            db.execute(
                "INSERT INTO controllers VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET until = excluded.until",
                [self.me, self._bell.port, until],
            )
            db.execute("DELETE FROM controllers WHERE until < ?", [until - GONE_SECONDS])
            db.execute("DELETE FROM followers WHERE port NOT IN (SELECT port FROM controllers)")
            for run_id in run_ids:
                mine = "UPDATE runs SET until = ? WHERE id = ? AND owner = ? AND until IS NOT NULL"
                if db.execute(mine, [until, run_id, self.me]).rowcount == 0:
                    lost.append(run_id)
        return lost

    def _claim(self) -> Claimed | None:
        now = time.time()
        if not self._rows("SELECT 1 FROM runs WHERE until < ? LIMIT 1", now):
            return None
        with self._writing() as db:
            row = db.execute(
                "UPDATE runs SET until = ?, lost = lost + (owner != ''), owner = ? "
                "WHERE id = (SELECT id FROM runs WHERE until < ? ORDER BY until LIMIT 1) "
                "RETURNING id, head, again, lost, cancelled",
                [self._until(), self.me, now],
            ).fetchall()
        if not row:
            return None
        run_id, head, again, lost, cancelled = row[0]
        return Claimed(run_id, head, again, lost, bool(cancelled))

    def _give_up(self, run_id: str) -> None:
        with self._writing() as db:
            db.execute("UPDATE runs SET owner = '', until = 0 WHERE id = ? AND owner = ?", [run_id, self.me])

    def _ask_to_cancel(self, run_id: str) -> None:
        with self._writing() as db:
            db.execute("UPDATE runs SET cancelled = 1 WHERE id = ?", [run_id])
            owner = "SELECT port FROM controllers JOIN runs ON owner = controllers.id WHERE runs.id = ?"
            ports = db.execute(owner, [run_id]).fetchall()
        self._bell.ring(CANCEL, ports)

    def _others(self) -> int:
        others = "SELECT count(*) FROM controllers WHERE until > ? AND id != ?"
        return int(self._rows(others, time.time(), self.me)[0][0])

    def _leave(self) -> None:
        self._bell.close()
        with self._writing() as db:
            db.execute("DELETE FROM followers WHERE port = ?", [self._bell.port])
            db.execute("DELETE FROM controllers WHERE id = ?", [self.me])

    def _disconnect(self) -> None:
        self._bell.close()
        with self._using:
            self._db.close()

    def _head(self, run_id: str) -> str | None:
        return next((head for (head,) in self._rows("SELECT head FROM runs WHERE id = ?", run_id)), None)

    def _heads(self, most: int) -> Sequence[str]:
        return [head for (head,) in self._rows("SELECT head FROM runs ORDER BY number DESC LIMIT ?", most)]

    def _count(self) -> int:
        return int(self._rows("SELECT count(*) FROM runs WHERE until IS NOT NULL")[0][0])

    def _run_of_chat(self, chat: str) -> str | None:
        rows = self._rows("SELECT id FROM runs WHERE until IS NOT NULL AND chat = ?", chat)
        return rows[0][0] if rows else None

    def _is_over(self, run_id: str) -> bool:
        return self._rows("SELECT 1 FROM runs WHERE id = ? AND until IS NOT NULL", run_id) == []

    def _kept(self, run_id: str) -> Kept:
        rows = self._rows("SELECT record, again FROM runs WHERE id = ?", run_id)
        record, again = rows[0] if rows else ("", "")
        lines = self._rows("SELECT text FROM lines WHERE run = ? ORDER BY number", run_id)
        return Kept(record or "", again, [text for (text,) in lines])

    # Waiting

    def _events(self, run_id: str, after: int, seconds: float) -> Sequence[Entry] | None:
        end = time.monotonic() + seconds
        while True:
            rung = self._bell.rung(run_id)
            found = self._entries(run_id, after)
            left = end - time.monotonic()
            if found or found is None or left <= 0 or self._ended.is_set():
                return found
            self._bell.wait(run_id, rung, left)

    def _entries(self, run_id: str, after: int) -> Sequence[Entry] | None:
        """The events after one; None of a run that is not kept. That it is over is read first: nothing follows."""
        state = self._rows("SELECT until IS NULL FROM runs WHERE id = ?", run_id)
        if not state:
            return None
        events = self._rows(
            "SELECT number, text FROM events WHERE run = ? AND number > ? ORDER BY number", run_id, after
        )
        entries: list[Entry] = [(number, text) for number, text in events]
        return [*entries, (after, None)] if state == [(1,)] else entries

    @contextmanager
    def _following(self, run_id: str) -> Iterator[None]:
        """The controllers that write to the run tell this one while any client of it follows."""
        self._register(run_id, "INSERT OR IGNORE INTO followers VALUES (?, ?)", self._bell.follow)
        try:
            yield
        finally:
            self._register(run_id, "DELETE FROM followers WHERE run = ? AND port = ?", self._bell.unfollow)

    def _register(self, run_id: str, sql: str, count: Callable[[str], bool]) -> None:
        """What cannot be noted costs time: events are then looked for once a heartbeat."""
        with self._registering:
            if count(run_id) and not self._ended.is_set():
                with suppress(sqlite3.Error), self._writing() as db:
                    db.execute(sql, [run_id, self._bell.port])

    def _cancellations(self, seconds: float) -> Iterable[str]:
        rung = self._bell.rung(CANCEL)
        if not (found := self._to_cancel()):
            self._bell.wait(CANCEL, rung, seconds)
            found = self._to_cancel()
        self._cancelled |= found
        return found

    def _to_cancel(self) -> set[str]:
        asked = self._rows("SELECT id FROM runs WHERE owner = ? AND cancelled AND until IS NOT NULL", self.me)
        self._cancelled &= {run_id for (run_id,) in asked}
        return {run_id for (run_id,) in asked} - self._cancelled


class Bell:
    """Tells the threads of this process that wait, and those of others by a datagram to their port, to look again."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((HOST, 0))
        self.port: int = self._socket.getsockname()[1]
        self._rung: Counter[str] = Counter()
        self._followed: Counter[str] = Counter()
        self._changed = threading.Condition()
        self._closed = False
        spawn(self._listen, name="bell")

    def _listen(self) -> None:
        with closing(self._socket):
            while not self._closed:
                with suppress(OSError, UnicodeDecodeError):
                    self._tell(self._socket.recv(100).decode("ascii"))

    def _tell(self, name: str) -> None:
        with self._changed:
            if name == CANCEL or name in self._followed:
                self._rung[name] += 1
                self._changed.notify_all()

    def ring(self, name: str, ports: Iterable[tuple[int]]) -> None:
        for (port,) in ports:
            with suppress(OSError):  # what is not told is found at the next look
                self._socket.sendto(name.encode(), (HOST, port))

    def rung(self, name: str) -> int:
        """How often it rang so far."""
        return self._rung[name]

    def wait(self, name: str, rung: int, seconds: float) -> None:
        """Until it rings once more than so often."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._rung[name] != rung, seconds)

    def follow(self, name: str) -> bool:
        """Whether it is the first that does."""
        with self._changed:
            self._followed[name] += 1
            return self._followed[name] == 1

    def unfollow(self, name: str) -> bool:
        """Whether it was the last that did."""
        with self._changed:
            self._followed[name] -= 1
            if self._followed[name] == 0:
                del self._followed[name], self._rung[name]
            return name not in self._followed

    def close(self) -> None:
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._changed.notify_all()
        self.ring(CANCEL, [(self.port,)])  # ends the thread that listens


def _open(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(file, timeout=CALL_SECONDS, check_same_thread=False, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")  # no event waits for the disk: only a power failure may cost the last
        db.execute("PRAGMA foreign_keys=ON")
        db.execute("BEGIN IMMEDIATE")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise ConfigError(
                f"A newer version of this program wrote the file {file} of run_store (schema {version}, known here is "
                f"{VERSION}): use that version, or name another file."
            )
        if version == 0:
            for table in TABLES:
                db.execute(table)
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db
