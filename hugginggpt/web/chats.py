"""The conversations of the web page, in an SQLite database."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hugginggpt.core.errors import BackendError, ConfigError

TABLES = """
CREATE TABLE IF NOT EXISTS chats (id TEXT PRIMARY KEY, title TEXT NOT NULL, updated REAL NOT NULL);
CREATE TABLE IF NOT EXISTS turns (
    chat TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    role TEXT NOT NULL, content TEXT NOT NULL, record TEXT, at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS turns_of_chat ON turns(chat);
"""
AT_THE_END = "SELECT coalesce(max(rowid), 0) + 2 FROM turns"
"""The number of a further turn: the one before it is kept free for an answer."""
BEHIND_QUESTION = """
SELECT max(question.rowid) + 1 FROM turns AS question WHERE chat = ? AND role = 'user' AND content = ?
AND NOT EXISTS (SELECT 1 FROM turns AS behind WHERE behind.rowid = question.rowid + 1)
"""
"""The number of the answer to a question: NULL where there is no such question, or all of them are answered."""
TITLE_CHARS = 60
ATTACHED = "\n\nAttached: "
"""What stands in a request before the files that were attached to it."""


class Chats:
    """Conversations: made, listed (latest first), reopened, deleted."""

    def __init__(self, file: Path) -> None:
        """Raises ConfigError when the database cannot be opened."""
        self._lock = threading.Lock()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(file, check_same_thread=False)
            self._db.executescript("PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON;" + TABLES)
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(
                f"The database {file} cannot be opened ({error}): set `database` to another file."
            ) from error

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """Raises BackendError when the database cannot be read or written, as on a full disk."""
        try:
            with self._lock, self._db:
                yield self._db
        except sqlite3.Error as error:
            raise BackendError(f"The conversation cannot be kept or read: {error}.") from error

    def create(self, request: str) -> str:
        """A new conversation that begins with a request; returns its id."""
        chat = uuid.uuid4().hex
        title = " ".join(request.partition(ATTACHED)[0].split())[:TITLE_CHARS]
        with self._using() as db:
            db.execute("INSERT INTO chats VALUES (?, ?, ?)", (chat, title, time.time()))
        return chat

    def exists(self, chat: str) -> bool:
        with self._using() as db:
            return db.execute("SELECT 1 FROM chats WHERE id = ?", (chat,)).fetchone() is not None

    def add(self, chat: str, role: str, content: str, record: dict[str, Any] | None = None) -> None:
        """A further turn; nothing where the conversation was deleted meanwhile.

        An answer comes right behind its question, which `record` names: of several runs any may be the first to end.
        """
        saved = None if record is None else json.dumps(record, ensure_ascii=False, default=str)
        with self._using() as db:
            if db.execute("UPDATE chats SET updated = ? WHERE id = ?", (time.time(), chat)).rowcount:
                asked = record and db.execute(BEHIND_QUESTION, (chat, record["request"])).fetchone()[0]
                place = asked or db.execute(AT_THE_END).fetchone()[0]
                turn = (place, chat, role, content, saved, time.time())
                db.execute("INSERT INTO turns (rowid, chat, role, content, record, at) VALUES (?, ?, ?, ?, ?, ?)", turn)

    def list(self, most: int = 200) -> list[dict[str, Any]]:
        with self._using() as db:
            rows = db.execute("SELECT id, title, updated FROM chats ORDER BY updated DESC LIMIT ?", (most,)).fetchall()
        return [{"id": chat, "title": title, "updated": updated} for chat, title, updated in rows]

    def get(self, chat: str) -> dict[str, Any] | None:
        """A conversation with its turns, None where there is none."""
        with self._using() as db:
            head = db.execute("SELECT title, updated FROM chats WHERE id = ?", (chat,)).fetchone()
            rows = db.execute(
                "SELECT role, content, record FROM turns WHERE chat = ? ORDER BY rowid", (chat,)
            ).fetchall()
        if head is None:
            return None
        turns = [
            {"role": role, "content": content, **({"record": json.loads(record)} if record else {})}
            for role, content, record in rows
        ]
        return {"id": chat, "title": head[0], "updated": head[1], "turns": turns}

    def delete(self, chat: str) -> bool:
        with self._using() as db:
            return bool(db.execute("DELETE FROM chats WHERE id = ?", (chat,)).rowcount)

    def close(self) -> None:
        with self._lock:
            self._db.close()
