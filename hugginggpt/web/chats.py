"""The conversations of the web page: in an SQLite database, or in one that several controllers share."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from hugginggpt.core.conversation import Attachment, Turn
from hugginggpt.core.errors import BackendError, ConfigError
from hugginggpt.core.results import INVALID_RESULT_ERRORS
from hugginggpt.records.turns import turn_from_record
from hugginggpt.web import chat_schema

TITLE_CHARS = 60
TURNS = "SELECT position, run_id, request, files, status, answer, record FROM turns WHERE chat = ? ORDER BY position"
RUNNING = "running"
"""The status of a turn whose end is not stored: its run goes on, or its server was killed."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A request of a conversation and what came of it.

    `position` counts from 1. `status` is RUNNING, or why the run ended (`StopReason`); the page is also told
    "interrupted", of a run that ended with its server. `record` is the run record, None where there is none yet.
    """

    position: int
    run_id: str
    request: str
    files: tuple[Attachment, ...]
    status: str
    answer: str
    record: dict[str, Any] | None

    def to_json(self) -> dict[str, Any]:
        return {
            "position": self.position,
            "run_id": self.run_id,
            "request": self.request,
            "files": [file.to_json() for file in self.files],
            "status": self.status,
            "answer": self.answer,
            "record": self.record,
        }

    def as_turn(self) -> Turn:
        """What a later request gets to know of it; without the tasks where the record is damaged."""
        turn = Turn(self.request, self.run_id, self.files, message=self.answer)
        try:
            kept = turn_from_record(self.record) if self.record else turn
        except INVALID_RESULT_ERRORS:
            return turn
        return replace(kept, request=turn.request, run_id=turn.run_id, files=turn.files, message=turn.message)


class ChatStore(Protocol):
    """Conversations: made, listed (latest first), reopened, deleted. Safe for several threads.

    All methods raise BackendError when what they need cannot be read or written.
    """

    def begin(self, chat: str, run_id: str, request: str, files: Sequence[Attachment] = ()) -> int:
        """Adds a turn whose run begins to a conversation, which is made if there is none; returns its position."""

    def resume(self, chat: str, run_id: str, by: str) -> int | None:
        """Has the turn of a run gone on with by another run; returns its position, None where there is none."""

    def finish(self, chat: str, run_id: str, status: str, answer: str, record: Mapping[str, Any]) -> None:
        """Keeps how a run ended; nothing where the conversation was deleted meanwhile."""

    def list(self, most: int = 200) -> list[dict[str, Any]]:
        """The id, title and time of the last change of each conversation."""

    def get(self, chat: str) -> dict[str, Any] | None:
        """As `list`, of one; None where there is none."""

    def turns(self, chat: str) -> Sequence[StoredTurn]:
        """The turns of a conversation, in their order."""

    def delete(self, chat: str) -> bool:
        """Whether there was one."""

    def close(self) -> None: ...


class Database(Protocol):
    """What `sqlite3` and `psycopg` have in common."""

    def execute(self, sql: str, values: Sequence[Any], /) -> Any: ...


class SqlChats:
    """Conversations in the two tables of `chat_schema`, whatever the database."""

    def _using(self) -> AbstractContextManager[Database]:
        """One transaction. Raises BackendError."""
        raise NotImplementedError

    def begin(self, chat: str, run_id: str, request: str, files: Sequence[Attachment] = ()) -> int:
        title, now = " ".join(request.split())[:TITLE_CHARS], time.time()
        attached = json.dumps([file.to_json() for file in files], ensure_ascii=False)
        with self._using() as db:
            db.execute(
                "INSERT INTO chats VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET updated = excluded.updated",
                (chat, title, now),
            )
            (position,) = db.execute(
                "INSERT INTO turns SELECT ?, coalesce(max(position), 0) + 1, ?, ?, ?, ?, '', NULL, ? "
                "FROM turns WHERE chat = ? RETURNING position",
                (chat, run_id, request, attached, RUNNING, now, chat),
            ).fetchone()
        return int(position)

    def resume(self, chat: str, run_id: str, by: str) -> int | None:
        with self._using() as db:
            row = db.execute(
                "UPDATE turns SET run_id = ?, status = ? WHERE chat = ? AND run_id = ? RETURNING position",
                (by, RUNNING, chat, run_id),
            ).fetchone()
        return int(row[0]) if row else None

    def finish(self, chat: str, run_id: str, status: str, answer: str, record: Mapping[str, Any]) -> None:
        text = json.dumps(record, ensure_ascii=False, default=str)
        with self._using() as db:
            db.execute("UPDATE chats SET updated = ? WHERE id = ?", (time.time(), chat))
            db.execute(
                "UPDATE turns SET status = ?, answer = ?, record = ? WHERE chat = ? AND run_id = ?",
                (status, answer, text, chat, run_id),
            )

    def list(self, most: int = 200) -> list[dict[str, Any]]:
        with self._using() as db:
            rows = db.execute("SELECT id, title, updated FROM chats ORDER BY updated DESC LIMIT ?", (most,)).fetchall()
        return [{"id": chat, "title": title, "updated": updated} for chat, title, updated in rows]

    def get(self, chat: str) -> dict[str, Any] | None:
        with self._using() as db:
            row = db.execute("SELECT title, updated FROM chats WHERE id = ?", (chat,)).fetchone()
        return {"id": chat, "title": row[0], "updated": row[1]} if row else None

    def turns(self, chat: str) -> Sequence[StoredTurn]:
        with self._using() as db:
            rows = db.execute(TURNS, (chat,)).fetchall()
        return [
            StoredTurn(
                position, run_id, request, tuple(map(Attachment.from_json, json.loads(files))), status, answer,
                json.loads(record) if record else None,
            )
            for position, run_id, request, files, status, answer, record in rows
        ]  # fmt: skip

    def delete(self, chat: str) -> bool:
        with self._using() as db:
            return bool(db.execute("DELETE FROM chats WHERE id = ?", (chat,)).rowcount)


class Chats(SqlChats):
    """Conversations in an SQLite database."""

    def __init__(self, file: Path) -> None:
        """Opens the database; one of an earlier version is migrated. Raises ConfigError when it cannot be used."""
        self._lock = threading.Lock()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._db = _open(file)
        except chat_schema.NewerSchema as newer:
            raise ConfigError(
                f"A newer version of this program wrote the database {file} ({newer}): use that version, "
                "or set `database` to another file."
            ) from newer
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(
                f"The database {file} cannot be opened ({error}): set `database` to another file."
            ) from error

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """One transaction. Raises BackendError when the database cannot be read or written, as on a full disk."""
        try:
            with self._lock, self._db:
                yield self._db
        except sqlite3.Error as error:
            raise BackendError(f"The conversation cannot be kept or read: {error}.") from error

    def close(self) -> None:
        with self._lock:
            self._db.close()


def _open(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(file, check_same_thread=False)
    try:
        chat_schema.prepare(db)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA foreign_keys=ON")
    except BaseException:
        db.close()
        raise
    return db
