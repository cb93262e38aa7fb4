"""The links by which conversations are shared, in two tables of `chat_schema`, whatever the database."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Share:
    """A link to the branch of a conversation that ends at the turn `tip`; times in seconds since 1970. `runs` are the
    ids of the runs that the branch had when the link was made: another may take the place of one in its turn.
    """

    id: str
    chat: str
    tip: int
    created: float
    expires: float
    runs: frozenset[str] = frozenset()

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "created": self.created, "expires": self.expires}


class ShareStore(Protocol):
    """Links are known by the digest of what is secret in them; the secret itself is kept nowhere."""

    def add_share(self, share: Share, digest: str) -> None: ...

    def shares_of(self, chat: str) -> list[Share]:
        """Those of a conversation that are not over, the oldest first."""

    def find_share(self, digest: str) -> Share | None:
        """The link of a digest, if it is not over."""

    def remove_share(self, chat: str, share: str) -> bool:
        """Whether there was one."""


class SqlShares:
    """Links in a database. They go with their conversation; those that are over go when one is added."""

    COLUMNS = "SELECT id, chat, tip, created, expires FROM shares"

    def _using(self) -> AbstractContextManager[Any]:
        """One transaction. Raises BackendError."""
        raise NotImplementedError

    def add_share(self, share: Share, digest: str) -> None:
        row = (share.id, digest, share.chat, share.tip, share.created, share.expires)
        with self._using() as db:
            db.execute("DELETE FROM shares WHERE expires <= ?", (time.time(),))
            db.execute("INSERT INTO shares (id, digest, chat, tip, created, expires) VALUES (?, ?, ?, ?, ?, ?)", row)
            for run in share.runs:
                db.execute("INSERT INTO share_runs (share, run_id) VALUES (?, ?)", (share.id, run))

    def shares_of(self, chat: str) -> list[Share]:
        with self._using() as db:
            where = " WHERE chat = ? AND expires > ? ORDER BY created, id"
            rows = db.execute(self.COLUMNS + where, (chat, time.time())).fetchall()
            return [self._share(db, row) for row in rows]

    def find_share(self, digest: str) -> Share | None:
        with self._using() as db:
            where = " WHERE digest = ? AND expires > ?"
            row = db.execute(self.COLUMNS + where, (digest, time.time())).fetchone()
            return self._share(db, row) if row else None

    @staticmethod
    def _share(db: Any, row: tuple[str, str, int, float, float]) -> Share:
        runs = db.execute("SELECT run_id FROM share_runs WHERE share = ?", (row[0],)).fetchall()
        return Share(*row, frozenset(run for (run,) in runs))

    def remove_share(self, chat: str, share: str) -> bool:
        with self._using() as db:
            return bool(db.execute("DELETE FROM shares WHERE chat = ? AND id = ?", (chat, share)).rowcount)
