"""The conversations of several controllers, in PostgreSQL."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
import psycopg.conninfo
from psycopg_pool import ConnectionPool

from hugginggpt.core.errors import BackendError, ConfigError, StoreUnavailable, brief
from hugginggpt.core.secrets import login_of, masked_value, without_login
from hugginggpt.records.outage import Outage
from hugginggpt.web.chat_schema import SHARE_RUNS, SHARES, STEPS, VERSION
from hugginggpt.web.chats import SqlChats

log = logging.getLogger(__name__)

TABLES = (
    """CREATE TABLE chats (
        id text PRIMARY KEY,
        title text NOT NULL,
        updated double precision NOT NULL,
        pinned integer NOT NULL DEFAULT 0,
        tip integer NOT NULL DEFAULT 0
    )""",
    """CREATE TABLE turns (
        chat text NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
        position integer NOT NULL,
        run_id text NOT NULL,
        request text NOT NULL,
        files text NOT NULL,
        status text NOT NULL,
        answer text NOT NULL,
        record text,
        at double precision NOT NULL,
        parent integer NOT NULL DEFAULT 0,
        PRIMARY KEY (chat, position)
    )""",
    SHARES,
    SHARE_RUNS,
    "CREATE INDEX turns_of_runs ON turns (run_id)",
    "CREATE TABLE chat_schema (version integer NOT NULL)",
)
"""As those of `chat_schema`."""
LOCK = 0x68756767
"""The number of the lock that is held while the tables are made: several controllers may start at once."""
CONNECTIONS = 8
WAIT_SECONDS = 5.0
"""How long a call waits for a connection."""
AGAIN_SECONDS = 2.0
"""How long a database that does not answer is left alone."""
ALL_LETTERS = "und-x-icu"
"""The collation by which `lower` knows all letters; by that of the locale "C" it knows those of ASCII alone."""
HAS_ALL_LETTERS = "SELECT 1 FROM pg_collation WHERE collname = %s AND getdatabaseencoding() = 'UTF8'"
"""Whether it can be used: PostgreSQL may be built without it."""
LIMITS: dict[str, Any] = {
    "connect_timeout": int(WAIT_SECONDS),
    "tcp_user_timeout": int(WAIT_SECONDS * 1000),
    "options": "-c statement_timeout=10s",
}
"""Of each connection: the network may be cut, another program may hold a lock."""


class PostgresChats(SqlChats):
    """Conversations in a database of PostgreSQL; its tables are made where there are none."""

    def __init__(self, url: str) -> None:
        """Raises ConfigError when the database refuses to be used; one that does not answer may be started later."""
        self.url = url
        self._outage = Outage(AGAIN_SECONDS)
        self._is_prepared = False
        self._pool = ConnectionPool(
            url, min_size=1, max_size=CONNECTIONS, timeout=WAIT_SECONDS, check=ConnectionPool.check_connection,
            kwargs=LIMITS, open=False, num_workers=1, reconnect_timeout=AGAIN_SECONDS,
        )  # fmt: skip
        try:
            with psycopg.connect(url, **LIMITS) as db:  # the pool would not say what is wrong
                self._prepare(db)
        except psycopg.Error as error:
            if self._is_there():
                raise ConfigError(
                    f"The database {without_login(url)} cannot be used ({self._masked(error)}): correct `database`, or "
                    "set it to a file."
                ) from error
            log.warning("%s Until then, requests that need it are answered 503.", self._said(error))
        self._pool.open()

    def _is_there(self) -> bool:
        """Whether it takes connections, if not this one."""
        return psycopg.pq.PGconn.ping(psycopg.conninfo.make_conninfo(self.url, **LIMITS).encode()) == psycopg.pq.Ping.OK

    def _prepare(self, db: psycopg.Connection[Any]) -> None:
        _prepare(db)
        knows_all = db.execute(HAS_ALL_LETTERS, [ALL_LETTERS]).fetchone() is not None
        self._collate = f' COLLATE "{ALL_LETTERS}"' if knows_all else ""
        self._is_prepared = True

    @contextmanager
    def _using(self) -> Iterator[_Connection]:
        self._outage.refuse()
        try:
            with self._pool.connection() as db:
                if not self._is_prepared:
                    self._prepare(db)
                yield _Connection(db)
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:  # a PoolTimeout is one, too
            self._outage.begin(self._said(error))
            self._is_prepared = False  # it may come back as an empty one
            raise StoreUnavailable(self._said(error)) from error
        except psycopg.Error as error:
            raise BackendError(f"The conversation cannot be kept or read: {self._masked(error)}.") from error

    def _said(self, error: Exception) -> str:
        why = f"The conversation cannot be kept or read in {without_login(self.url)}: {self._masked(error)}."
        return f"{why} Start the database, or try again in a moment."

    def _masked(self, error: Exception) -> str:
        text: str = masked_value(brief(error), login_of(self.url))
        return text

    def close(self) -> None:
        self._pool.close()


class _Connection:
    """A connection that takes SQL as SQLite writes it."""

    def __init__(self, db: psycopg.Connection[Any]) -> None:
        self._db = db

    def execute(self, sql: str, values: Sequence[Any], /) -> Any:
        """A text of PostgreSQL holds no NUL, which becomes the sign for what cannot be shown."""
        clean = [value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in values]
        return self._db.execute(sql.replace("?", "%s").encode(), clean)


def _prepare(db: psycopg.Connection[Any]) -> None:
    db.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    if db.execute("SELECT to_regclass('chat_schema')").fetchone() == (None,):
        for table in TABLES:
            db.execute(table.encode())
        db.execute("INSERT INTO chat_schema VALUES (%s)", [VERSION])
        return
    found = db.execute("SELECT version FROM chat_schema").fetchone()
    if found is not None and found[0] in STEPS:
        for version in range(found[0], VERSION):
            for step in STEPS[version]:
                db.execute(step.encode())
        db.execute("UPDATE chat_schema SET version = %s", [VERSION])
        return
    if found is None or found[0] > VERSION:
        raise ConfigError(
            f"A newer version of this program wrote the conversations (schema {found and found[0]}, known here is "
            f"{VERSION}): use that version, or set `database` to another one."
        )
