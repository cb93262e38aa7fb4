"""The conversations of the web page: in an SQLite database, or in one that several controllers share."""

from __future__ import annotations

import json
import re
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
from hugginggpt.web.share_store import ShareStore, SqlShares

TITLE_CHARS = 60
TURNS = """
    SELECT position, run_id, request, files, status, answer, record, parent FROM turns WHERE chat = ? ORDER BY position
"""
HEAD = "SELECT id, title, updated, pinned, tip FROM chats"
FOUND = (
    " WHERE lower(title{0}) LIKE ? ESCAPE '!' OR id IN "
    "(SELECT chat FROM turns WHERE lower(request{0}) LIKE ? ESCAPE '!' OR lower(answer{0}) LIKE ? ESCAPE '!')"
)
"""What a search finds; a clause COLLATE may come after each text."""
NAMED = re.compile(r"/(?:uploads|images|audios|videos|documents)/[\w-][\w.-]*")
"""The public paths of uploads and results, in the JSON of a turn."""
NAMING = "SELECT 1 FROM turns WHERE chat <> ? AND (files LIKE ? ESCAPE '!' OR record LIKE ? ESCAPE '!') LIMIT 1"
RUNNING = "running"
"""The status of a turn whose end is not stored: its run goes on, or its server was killed."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A request of a conversation and what came of it.

    `position` counts from 1; `parent` is the position of the turn that it follows, 0 for none. `status` is RUNNING, or
    why the run ended (`StopReason`); the page is also told "interrupted", of a run that ended with its server. `record`
    is the run record, None where there is none yet.
    """

    position: int
    run_id: str
    request: str
    files: tuple[Attachment, ...]
    status: str
    answer: str
    record: dict[str, Any] | None
    parent: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "position": self.position,
            "parent": self.parent,
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


def branch_of(turns: Sequence[StoredTurn], position: int) -> list[StoredTurn]:
    """The turns from the first one to that of a position, each followed by the next; none for the position 0."""
    known = {turn.position: turn for turn in turns}
    branch: list[StoredTurn] = []
    while turn := known.pop(position, None):
        branch.append(turn)
        position = turn.parent
    return branch[::-1]


def newest_tip(turns: Sequence[StoredTurn], position: int) -> int:
    """The end of the newest branch through a turn; the turns are in the order in which they were made."""
    through = {position}
    for turn in turns:
        if turn.parent in through:
            through.add(turn.position)
    return max(through)


class ChatStore(ShareStore, Protocol):
    """Conversations: made, listed (pinned ones first, then the latest), reopened, deleted. Safe for several threads.

    All methods raise BackendError when what they need cannot be read or written.
    """

    def begin(
        self, chat: str, run_id: str, request: str, files: Sequence[Attachment] = (), after: int | None = None
    ) -> int:
        """Adds a turn whose run begins to a conversation, which is made if there is none; returns its position.

        It follows the turn of the position `after` (0: it is a first one), or the last of the branch that is shown; its
        own branch is shown from then on.
        """

    def resume(self, chat: str, run_id: str, by: str) -> int | None:
        """Has the turn of a run gone on with by another run; returns its position, None where there is none."""

    def finish(self, chat: str, run_id: str, status: str, answer: str, record: Mapping[str, Any]) -> None:
        """Keeps how a run ended; nothing where the conversation was deleted meanwhile."""

    def list(self, most: int = 200, search: str = "", offset: int = 0) -> list[dict[str, Any]]:
        """The id, title and time of the last change of each conversation, whether it is pinned, and its tip; of those
        only that have `search` in a title, request or answer.
        """

    def change(self, chat: str, title: str | None = None, pinned: bool | None = None, tip: int | None = None) -> bool:
        """Renames or pins a conversation, or shows the branch that ends at the turn `tip`; whether there is one."""

    def get(self, chat: str) -> dict[str, Any] | None:
        """As `list`, of one; None where there is none."""

    def turns(self, chat: str) -> Sequence[StoredTurn]:
        """The turns of a conversation, in their order."""

    def delete(self, chat: str) -> bool:
        """Whether there was one."""

    def own_files(self, chat: str) -> Sequence[str]:
        """The public paths of the files that this conversation names, and no other one."""

    def is_named(self, path: str) -> bool:
        """Whether a conversation names the file of a public path."""

    def close(self) -> None: ...


class Database(Protocol):
    """What `sqlite3` and `psycopg` have in common."""

    def execute(self, sql: str, values: Sequence[Any], /) -> Any: ...


class SqlChats(SqlShares):
    """Conversations in the tables of `chat_schema`, whatever the database."""

    _collate = ""
    """A clause that has `lower` know the letters of all languages, where the database needs one."""

    def _using(self) -> AbstractContextManager[Database]:
        """One transaction. Raises BackendError."""
        raise NotImplementedError

    def begin(
        self, chat: str, run_id: str, request: str, files: Sequence[Attachment] = (), after: int | None = None
    ) -> int:
        title, now = " ".join(request.split())[:TITLE_CHARS], time.time()
        attached = json.dumps([file.to_json() for file in files], ensure_ascii=False)
        with self._using() as db:
            db.execute(
                "INSERT INTO chats (id, title, updated) VALUES (?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET updated = excluded.updated",
                (chat, title, now),
            )
            (tip,) = db.execute("SELECT tip FROM chats WHERE id = ?", (chat,)).fetchone()
            (position,) = db.execute(
                "INSERT INTO turns (chat, position, run_id, request, files, status, answer, record, at, parent) "
                "SELECT ?, coalesce(max(position), 0) + 1, ?, ?, ?, ?, '', NULL, ?, ? "
                "FROM turns WHERE chat = ? RETURNING position",
                (chat, run_id, request, attached, RUNNING, now, tip if after is None else after, chat),
            ).fetchone()
            db.execute("UPDATE chats SET tip = ? WHERE id = ?", (position, chat))
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

    def list(self, most: int = 200, search: str = "", offset: int = 0) -> list[dict[str, Any]]:
        order = " ORDER BY pinned DESC, updated DESC, id LIMIT ? OFFSET ?"
        with self._using() as db:
            where, values = (FOUND.format(self._collate), [_containing(search.lower())] * 3) if search else ("", [])
            return [_head(row) for row in db.execute(HEAD + where + order, (*values, most, offset)).fetchall()]

    def get(self, chat: str) -> dict[str, Any] | None:
        with self._using() as db:
            row = db.execute(f"{HEAD} WHERE id = ?", (chat,)).fetchone()
        return _head(row) if row else None

    def change(self, chat: str, title: str | None = None, pinned: bool | None = None, tip: int | None = None) -> bool:
        values = (title, None if pinned is None else int(pinned), tip, chat)
        with self._using() as db:
            sql = (
                "UPDATE chats SET title = coalesce(?, title), pinned = coalesce(?, pinned), tip = coalesce(?, tip) "
                "WHERE id = ?"
            )
            return bool(db.execute(sql, values).rowcount)

    def turns(self, chat: str) -> Sequence[StoredTurn]:
        with self._using() as db:
            rows = db.execute(TURNS, (chat,)).fetchall()
        return [
            StoredTurn(
                position, run_id, request, tuple(map(Attachment.from_json, json.loads(files))), status, answer,
                json.loads(record) if record else None, parent,
            )
            for position, run_id, request, files, status, answer, record, parent in rows
        ]  # fmt: skip

    def delete(self, chat: str) -> bool:
        with self._using() as db:
            return bool(db.execute("DELETE FROM chats WHERE id = ?", (chat,)).rowcount)

    def own_files(self, chat: str) -> Sequence[str]:
        with self._using() as db:
            rows = db.execute("SELECT files, record FROM turns WHERE chat = ?", (chat,)).fetchall()
            named = dict.fromkeys(path for row in rows for text in row if text for path in NAMED.findall(text))
            return [path for path in named if not self._naming(db, path, chat)]

    def is_named(self, path: str) -> bool:
        with self._using() as db:
            return self._naming(db, path)

    @staticmethod
    def _naming(db: Database, path: str, besides: str = "") -> bool:
        """Whether a conversation besides that one names a file."""
        pattern = _containing(path)
        return db.execute(NAMING, (besides, pattern, pattern)).fetchone() is not None


def _head(row: Sequence[Any]) -> dict[str, Any]:
    chat, title, updated, pinned, tip = row
    return {"id": chat, "title": title, "updated": updated, "pinned": bool(pinned), "tip": tip}


def _containing(text: str) -> str:
    """The pattern of LIKE for what contains a text."""
    return "%" + re.sub(r"[!%_]", r"!\g<0>", text) + "%"


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


def _lower(text: str | None) -> str | None:
    return text and text.lower()


def _open(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(file, check_same_thread=False)
    try:
        chat_schema.prepare(db)
        db.create_function("lower", 1, _lower, deterministic=True)  # SQLite's own knows ASCII alone
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA foreign_keys=ON")
    except BaseException:
        db.close()
        raise
    return db
