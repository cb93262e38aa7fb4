"""The links by which conversations are shared, in the table `shares` of `chat_schema`, whatever the database."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Share:
    """A link to the branch of a conversation that ends at the turn `tip`; times in seconds since 1970."""

    id: str
    chat: str
    tip: int
    created: float
    expires: float

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

    def shares_of(self, chat: str) -> list[Share]:
        with self._using() as db:
            where = " WHERE chat = ? AND expires > ? ORDER BY created, id"
            return [Share(*row) for row in db.execute(self.COLUMNS + where, (chat, time.time())).fetchall()]

    def find_share(self, digest: str) -> Share | None:
        with self._using() as db:
            where = " WHERE digest = ? AND expires > ?"
            row = db.execute(self.COLUMNS + where, (digest, time.time())).fetchone()
        return Share(*row) if row else None

    def remove_share(self, chat: str, share: str) -> bool:
        with self._using() as db:
            return bool(db.execute("DELETE FROM shares WHERE chat = ? AND id = ?", (chat, share)).rowcount)
