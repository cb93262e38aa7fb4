"""The schema of the conversations' database, and how files of earlier versions get there.

`PRAGMA user_version` says which version a file has; 0 is also a file that was just made. A migration is one
transaction: when it fails, the file is what it was before.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from hugginggpt.core.errors import ErrorCode
from hugginggpt.core.results import INVALID_RESULT_ERRORS, files_of
from hugginggpt.core.tasks import TaskTable, default_table
from hugginggpt.media.types import kind_of

VERSION = 4
SHARES = """CREATE TABLE shares (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    chat TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    tip INTEGER NOT NULL,
    created double precision NOT NULL,
    expires double precision NOT NULL
)"""
SHARE_RUNS = """CREATE TABLE share_runs (
    share TEXT NOT NULL REFERENCES shares(id) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    PRIMARY KEY (share, run_id)
)"""
"""The links by which conversations are shared, and the runs that they show, as SQLite and PostgreSQL understand it (see
share_store.py).
"""
TABLES = (
    """CREATE TABLE chats (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        updated REAL NOT NULL,
        pinned INTEGER NOT NULL DEFAULT 0,
        tip INTEGER NOT NULL DEFAULT 0
    )""",
    """CREATE TABLE turns (
        chat TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        run_id TEXT NOT NULL,
        request TEXT NOT NULL,
        files TEXT NOT NULL,
        status TEXT NOT NULL,
        answer TEXT NOT NULL,
        record TEXT,
        at REAL NOT NULL,
        parent INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (chat, position)
    )""",
    SHARES,
    SHARE_RUNS,
)
"""A turn is a request and what came of it. `position` counts from 1 in its chat, `parent` is the turn that it follows
(0: none): a conversation is a tree, of which the branch that ends at `tip` is shown. `files` is a JSON list of
attachments; `status` is "running", or why the run ended; `record` the run record as JSON, once it has ended.
"""


FROM_VERSION_1 = (
    "ALTER TABLE chats ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE chats ADD COLUMN tip INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE turns ADD COLUMN parent INTEGER NOT NULL DEFAULT 0",
    "UPDATE turns SET parent = position - 1",
    "UPDATE chats SET tip = (SELECT coalesce(max(position), 0) FROM turns WHERE chat = chats.id)",
)
"""In version 1 a conversation was a list. SQLite and PostgreSQL understand these alike."""
FROM_VERSION_2 = (SHARES,)
FROM_VERSION_3 = (
    SHARE_RUNS,
    """INSERT INTO share_runs (share, run_id)
    WITH RECURSIVE branch (share, chat, run_id, parent) AS (
        SELECT shares.id, turns.chat, turns.run_id, turns.parent FROM shares
        JOIN turns ON turns.chat = shares.chat AND turns.position = shares.tip
        UNION
        SELECT branch.share, turns.chat, turns.run_id, turns.parent FROM branch
        JOIN turns ON turns.chat = branch.chat AND turns.position = branch.parent
    )
    SELECT DISTINCT share, run_id FROM branch""",
)
"""Links of version 3 show the runs that their branches have when the file is migrated."""
STEPS = {1: FROM_VERSION_1, 2: FROM_VERSION_2, 3: FROM_VERSION_3}
"""What leads from a version to the next."""


class NewerSchema(Exception):
    """The file was written by a newer version of this program."""


def prepare(db: sqlite3.Connection) -> None:
    """Makes the tables, or brings those of an earlier version to this one.

    Raises NewerSchema for a version that is not known here, sqlite3.Error when the file is damaged.
    """
    version = _version(db)
    if version == VERSION:
        return
    if version > VERSION:
        raise NewerSchema(f"schema {version}, known here is {VERSION}")
    db.execute("BEGIN IMMEDIATE")
    try:
        _migrate(db)
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _migrate(db: sqlite3.Connection) -> None:
    """The steps from the version of the file, which another program may have migrated a moment ago."""
    if _version(db) == VERSION:
        return
    if _version(db) in STEPS:
        for version in range(_version(db), VERSION):
            for step in STEPS[version]:
                db.execute(step)
    elif db.execute("SELECT 1 FROM sqlite_master WHERE name = 'turns'").fetchone():
        _from_version_0(db)
    else:
        for table in TABLES:
            db.execute(table)
    db.execute(f"PRAGMA user_version = {VERSION}")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


# Version 0: a row for each message, in the order of their rowids; attached files named at the end of a request


_ATTACHED = re.compile(r"\A(.*?)\n\nAttached: ([^\n]+)\Z", re.DOTALL)
_PUBLIC = re.compile(r"https?://|/(?:uploads|examples|images|audios|videos|documents)/")
"""How the paths begin that the page wrote there; a line with any other is a person's, and names no file."""
_UPLOADED = re.compile(r"-[0-9a-f]{10,12}(?=\.\w+\Z)")
"""What taking a file in added to its name."""


def _from_version_0(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE chats RENAME TO old_chats")
    db.execute("ALTER TABLE turns RENAME TO old_turns")
    for table in TABLES:
        db.execute(table)
    db.execute("INSERT INTO chats (id, title, updated) SELECT id, title, updated FROM old_chats")
    for (chat,) in db.execute("SELECT id FROM old_chats").fetchall():
        for position, turn in enumerate(_old_turns(db, chat), 1):
            row = (chat, position, *turn, position - 1)
            db.execute("INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            db.execute("UPDATE chats SET tip = ? WHERE id = ?", (position, chat))
    db.execute("DROP TABLE old_turns")
    db.execute("DROP TABLE old_chats")


def _old_turns(db: sqlite3.Connection, chat: str) -> Iterator[tuple[Any, ...]]:
    """(run_id, request, files, status, answer, record, at) of each turn; a request may be without an answer, of a
    server that was killed, and an answer without its request.
    """
    columns = "SELECT role, content, record, at FROM old_turns WHERE chat = ? ORDER BY rowid"
    open_request: tuple[str, float] | None = None
    for role, content, text, at in db.execute(columns, (chat,)).fetchall():
        if role == "user":
            if open_request:
                yield _old_turn(*open_request)
            open_request = (content, at)
            continue
        record = _read(text)
        request, at = open_request or (str(record.get("request", "")), at)
        open_request = None
        yield _old_turn(request, at, content, record)
    if open_request:
        yield _old_turn(*open_request)


def _read(text: str | None) -> dict[str, Any]:
    """A record; an empty one for what cannot be read, of which the answer is still there."""
    try:
        record = json.loads(text or "{}")
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _old_turn(request: str, at: float, answer: str = "", record: dict[str, Any] | None = None) -> tuple[Any, ...]:
    match = _ATTACHED.match(request)
    words, paths = (match[1], match[2].split(", ")) if match else (request, [])
    if not all(map(_PUBLIC.match, paths)):
        words, paths = request, []
    files = [{"name": _old_name(path), "path": path, "kind": kind_of(path)} for path in paths]
    if record is None:
        return "", words, json.dumps(files), "interrupted", "", None, at
    record = {**_with_codes_and_forms(record), "request": words, "attachments": files} if record else {}
    text = json.dumps(record, ensure_ascii=False) if record else None
    status = str(record.get("stop") or "answered")
    error = (record.get("error") or {}).get("message", "")
    kept = "" if answer == error else answer  # of a run without an answer, its error stood there
    return str(record.get("run_id", "")), words, json.dumps(files, ensure_ascii=False), status, kept, text, at


def _old_name(path: str) -> str:
    name = PurePosixPath(path).name
    return _UPLOADED.sub("", name) if path.startswith("/uploads/") else name


def _with_codes_and_forms(record: Mapping[str, Any]) -> dict[str, Any]:
    """A run record with what records of version 0 lack: the forms of the results, and the error of the run itself."""
    states = record.get("states") or {}
    table = default_table()  # in version 0 there was no other
    results = {number: _with_form(result, table) for number, result in (record.get("results") or {}).items()}
    undone = [state for state in states.values() if state in ("failed", "skipped")]
    errors = record.get("errors") or []
    error = {"message": errors[0], "code": ErrorCode.ERROR} if len(errors) > len(undone) else None
    return {**record, "results": results, "error": error}


def _with_form(result: dict[str, Any], table: TaskTable) -> dict[str, Any]:
    """A result with its form and reading; as it is where it has none, or is of a task that there no longer is."""
    try:
        schema, value = table[result["task"]["task"]].result, result["inference result"]
        reading = schema.describe(schema.validate(value))
    except INVALID_RESULT_ERRORS:
        return result
    return {**result, "form": schema.name, "reading": reading, "files": files_of(value)}
