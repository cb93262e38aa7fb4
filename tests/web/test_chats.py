"""The database of conversations: what it keeps, and how a file of an earlier version gets there."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.core.conversation import Attachment, MissingInput
from hugginggpt.core.errors import ConfigError
from hugginggpt.web import chat_schema
from hugginggpt.web.chats import RUNNING, Chats
from hugginggpt.web.share_store import Share

CAT = Attachment("my cat.jpg", "/uploads/my_cat-0123456789.jpg", "image")


def test_turns_are_kept_with_their_runs(tmp_path: Path) -> None:
    chats = Chats(tmp_path / "chats.sqlite")
    assert chats.begin("a", "run1", " What is \n in it? ", [CAT]) == 1
    assert chats.begin("b", "run2", "x") == 1
    assert chats.begin("a", "run3", "What is in it?") == 2  # the same words are another turn
    chats.finish("a", "run3", "answered", "Nothing.", {"run_id": "run3"})
    first, second = chats.turns("a")
    assert (first.status, first.answer, first.files, first.record) == (RUNNING, "", (CAT,), None)
    assert (second.status, second.answer, second.files, second.record) == (
        "answered",
        "Nothing.",
        (),
        {"run_id": "run3"},
    )
    assert [(chat["id"], chat["title"]) for chat in chats.list()] == [("a", "What is in it?"), ("b", "x")]
    assert chats.resume("a", "run1", "run4") == 1
    assert chats.resume("b", "run1", "run5") is None  # of another conversation
    assert [turn.run_id for turn in chats.turns("a")] == ["run4", "run3"]
    chats.close()
    again = Chats(tmp_path / "chats.sqlite")
    assert [turn.position for turn in again.turns("a")] == [1, 2]
    assert again.delete("a") and not again.delete("a")
    assert (again.get("a"), again.turns("a")) == (None, [])
    again.finish("a", "run4", "answered", "", {})  # it was deleted meanwhile
    assert [chat["id"] for chat in again.list()] == ["b"]
    again.close()


def test_positions_are_given_once(tmp_path: Path) -> None:
    chats = Chats(tmp_path / "chats.sqlite")
    given: list[int] = []
    threads = [threading.Thread(target=lambda: given.append(chats.begin("a", "run", "x"))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(given) == list(range(1, 21))
    chats.close()


def test_a_stored_turn_is_told_to_a_later_request_as_data(tmp_path: Path) -> None:
    chats = Chats(tmp_path / "chats.sqlite")
    chats.begin("a", "run1", "What is in it?", [CAT])
    finished = {"task": "image-to-text", "id": 0, "dep": [-1], "args": {"image": CAT.source}}
    skipped = {"task": "text-to-speech", "id": 1, "dep": [0], "args": {"text": "<GENERATED>-0"}}
    error = {"message": "It broke.", "type": "skipped", "code": "dependency"}
    record = {
        "results": {
            "0": {"task": finished, "inference result": {"generated text": "a cat"}, "form": "text"},
            "1": {"task": skipped, "inference result": {"error": error}},
        },
        "states": {"0": "finished", "1": "skipped"},
        "notices": ["Beware."],
        "missing": {"kind": "audio", "task": "audio-to-audio", "argument": "audio"},
        "answer": "A cat.",
    }
    chats.finish("a", "run1", "answered", "Eine Katze.", record)
    (stored,) = chats.turns("a")
    turn = stored.as_turn()
    assert (turn.request, turn.run_id, turn.files, turn.message) == ("What is in it?", "run1", (CAT,), "Eine Katze.")
    assert [(task.task, task.value, task.error, task.dep) for task in turn.tasks] == [
        ("image-to-text", {"generated text": "a cat"}, "", ()),
        ("text-to-speech", None, "It broke.", (0,)),
    ]
    assert [(task.text, task.code) for task in turn.tasks] == [("a cat", ""), ("", "dependency")]
    assert (turn.answer, turn.missing) == ("A cat.", MissingInput("audio", "audio-to-audio", "audio"))
    chats.finish("a", "run1", "answered", "Eine Katze.", {"results": {"0": {}}})  # damaged
    assert chats.turns("a")[0].as_turn().tasks == ()
    chats.close()


# Files of version 0


OLD_TABLES = """
PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON;
CREATE TABLE IF NOT EXISTS chats (id TEXT PRIMARY KEY, title TEXT NOT NULL, updated REAL NOT NULL);
CREATE TABLE IF NOT EXISTS turns (
    chat TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    role TEXT NOT NULL, content TEXT NOT NULL, record TEXT, at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS turns_of_chat ON turns(chat);
"""
DETECT = {"task": "object-detection", "id": 0, "dep": [-1], "args": {"image": CAT.source}}
PAINT = {"task": "text-to-image", "id": 1, "dep": [0], "args": {"text": "<GENERATED>-0"}}
ASKED = f"What is in it?\n\nAttached: {CAT.source}, /examples/a.jpg"
OLD_RECORD = {
    "started_at": "2026-01-01T00:00:00.000000+00:00",
    "request": ASKED,
    "llm": "offline",
    "message": "Two cats.",
    "plan": [DETECT, PAINT],
    "results": {
        "0": {
            "task": DETECT,
            "inference result": {"predicted": [{"label": "cat", "score": 0.9}, {"label": "cat", "score": 0.8}]},
            "choose model result": {"id": "nanodet-coco", "reason": "It fits.", "endpoint": "embedded"},
        },
        "1": {
            "task": PAINT,
            "inference result": {"error": {"message": "No.", "type": "failed"}},
            "choose model result": {},
        },
    },
    "errors": ["task 1 (text-to-image) failed: No."],
    "notices": [],
    "run_id": "0123456789ab",
    "stop": "answered",
    "states": {"0": "finished", "1": "failed"},
}
FAILED = {
    **OLD_RECORD, "request": "y", "message": "", "stop": "max_seconds", "run_id": "ab",
    "errors": ["task 9 (is how a request of ours may begin.", "task 1 (text-to-image) failed: No."],
}  # fmt: skip


def old_database(file: Path) -> None:
    """As the server of version 0 left it: three turns and one whose server was killed, in between those of another chat."""
    rows: list[tuple[int, str, str, str, Any]] = [
        (2, "a", "user", ASKED, None),
        (3, "a", "assistant", "Two cats.", OLD_RECORD),
        (4, "b", "user", "x", None),
        (6, "a", "user", "y", None),
        (8, "b", "user", "Is it\n\nAttached: to what?\n\nNo.", None),
        (9, "b", "assistant", "It is.", "{"),
        (7, "a", "assistant", FAILED["errors"][0], FAILED),
        (11, "b", "assistant", "to another", {"request": "another"}),
        (13, "b", "user", "again", None),
    ]
    db = sqlite3.connect(file)
    db.executescript(OLD_TABLES)
    db.executemany("INSERT INTO chats VALUES (?, ?, ?)", [("a", "What is in it?", 5.0), ("b", "x", 6.0)])
    for rowid, chat, role, content, record in rows:
        text = record if record is None or isinstance(record, str) else json.dumps(record)
        db.execute(
            "INSERT INTO turns (rowid, chat, role, content, record, at) VALUES (?, ?, ?, ?, ?, ?)",
            (rowid, chat, role, content, text, float(rowid)),
        )
    db.commit()
    db.close()


def test_a_database_of_version_0_is_migrated(tmp_path: Path) -> None:
    old_database(tmp_path / "chats.sqlite")
    Chats(tmp_path / "chats.sqlite").close()
    chats = Chats(tmp_path / "chats.sqlite")  # the second time there is nothing to do
    assert chats.list() == [
        {"id": "b", "title": "x", "updated": 6.0, "pinned": False, "tip": 4},
        {"id": "a", "title": "What is in it?", "updated": 5.0, "pinned": False, "tip": 2},
    ]
    first, second = chats.turns("a")
    assert (first.position, first.request, first.run_id) == (1, "What is in it?", "0123456789ab")
    assert first.files == (
        Attachment("my_cat.jpg", CAT.source, "image"),
        Attachment("a.jpg", "/examples/a.jpg", "image"),
    )
    assert (first.status, first.answer) == ("answered", "Two cats.")
    assert first.record and first.record["error"] is None
    assert first.record["results"]["0"].items() >= OLD_RECORD["results"]["0"].items()
    assert first.record["results"]["0"]["form"] == "boxes"
    assert first.record["results"]["0"]["reading"] == "2 cats (90 %, 80 %)"
    assert {task.task: task.error for task in first.as_turn().tasks} == {"object-detection": "", "text-to-image": "No."}
    assert (second.request, second.status, second.answer) == ("y", "max_seconds", "")
    assert second.record and second.record["error"] == {"message": FAILED["errors"][0], "code": "error"}
    assert [(turn.position, turn.request, turn.answer, turn.status) for turn in chats.turns("b")] == [
        (1, "x", "", "interrupted"),
        (2, "Is it\n\nAttached: to what?\n\nNo.", "It is.", "answered"),  # these words were the person's
        (3, "another", "to another", "answered"),
        (4, "again", "", "interrupted"),
    ]
    assert chats.begin("a", "new", "And now?") == 3
    assert chats.delete("a") and chats.turns("a") == []
    chats.close()


@pytest.mark.parametrize(
    "line", ["file:///etc/secret.jpg", "https://a.example/x, file:///etc/secret.jpg", "/etc/secret.jpg", "my cat"]
)
def test_a_line_that_the_page_did_not_write_names_no_file(tmp_path: Path, line: str) -> None:
    """A client may have sent it: with a file: URL it would open any file of this machine."""
    file, request = tmp_path / "chats.sqlite", f"Describe it\n\nAttached: {line}"
    db = sqlite3.connect(file)
    db.executescript(OLD_TABLES)
    db.execute("INSERT INTO chats VALUES ('a', 'Describe it', 5.0)")
    db.execute("INSERT INTO turns VALUES ('a', 'user', ?, NULL, 1.0)", (request,))
    db.commit()
    db.close()
    chats = Chats(file)
    assert [(turn.request, turn.files) for turn in chats.turns("a")] == [(request, ())]
    chats.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "chats.sqlite"
    old_database(file)
    before = file.read_bytes()

    def broken(record: Any) -> Any:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(chat_schema, "_with_codes_and_forms", broken)
    with pytest.raises(ConfigError, match="disk I/O error"):
        Chats(file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    monkeypatch.undo()
    chats = Chats(file)
    assert len(chats.turns("a")) == 2
    chats.close()


@pytest.mark.parametrize("newer", [chat_schema.VERSION + 1, 1000])
def test_a_database_of_a_newer_version_is_refused_in_a_sentence(tmp_path: Path, newer: int) -> None:
    file = tmp_path / "chats.sqlite"
    Chats(file).close()
    db = sqlite3.connect(file)
    db.execute(f"PRAGMA user_version = {newer}")
    db.close()
    before = file.read_bytes()
    with pytest.raises(ConfigError, match=rf"newer version .* \(schema {newer}, known here is \d+\): use that"):
        Chats(file)
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"no database at all, but a text", b"SQLite format 3\0" + b"x" * 200])
def test_what_is_no_database_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "chats.sqlite"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match="cannot be opened"):
        Chats(file)
    assert file.read_bytes() == content


def test_a_table_of_another_program_is_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "chats.sqlite"
    db = sqlite3.connect(file)
    db.execute("CREATE TABLE turns (of TEXT)")
    db.close()
    before = file.read_bytes()
    with pytest.raises(ConfigError, match="cannot be opened"):
        Chats(file)
    assert file.read_bytes() == before


def test_two_servers_that_start_at_once_migrate_once(tmp_path: Path) -> None:
    old_database(tmp_path / "chats.sqlite")
    opened: list[Chats] = []
    threads = [threading.Thread(target=lambda: opened.append(Chats(tmp_path / "chats.sqlite"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(chats.turns("a")) for chats in opened] == [2] * 4
    for chats in opened:
        chats.close()


def test_a_database_of_version_1_is_migrated(tmp_path: Path) -> None:
    file = tmp_path / "chats.sqlite"
    db = sqlite3.connect(file)
    db.execute("CREATE TABLE chats (id TEXT PRIMARY KEY, title TEXT NOT NULL, updated REAL NOT NULL)")
    db.execute(
        "CREATE TABLE turns (chat TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, position INTEGER NOT NULL, "
        "run_id TEXT NOT NULL, request TEXT NOT NULL, files TEXT NOT NULL, status TEXT NOT NULL, answer TEXT NOT NULL, "
        "record TEXT, at REAL NOT NULL, PRIMARY KEY (chat, position))"
    )
    db.execute("INSERT INTO chats VALUES ('a', 'Two', 5.0), ('b', 'None', 6.0)")
    for position in (1, 2):
        db.execute("INSERT INTO turns VALUES ('a', ?, 'run', 'x', '[]', 'answered', 'y', NULL, 1.0)", (position,))
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()
    Chats(file).close()
    chats = Chats(file)
    assert [(turn.position, turn.parent, turn.answer) for turn in chats.turns("a")] == [(1, 0, "y"), (2, 1, "y")]
    assert [(head["id"], head["tip"], head["pinned"]) for head in chats.list()] == [("b", 0, False), ("a", 2, False)]
    assert chats.begin("a", "next", "And now?") == 3
    assert chats.turns("a")[-1].parent == 2
    assert chats.shares_of("a") == []
    chats.close()


def test_a_database_of_version_2_gets_the_table_of_links(tmp_path: Path) -> None:
    file = tmp_path / "chats.sqlite"
    chats = Chats(file)
    chats.begin("a", "run", "x")
    chats.close()
    db = sqlite3.connect(file)
    db.execute("DROP TABLE share_runs")
    db.execute("DROP TABLE shares")
    db.execute("PRAGMA user_version = 2")
    db.commit()
    db.close()
    chats = Chats(file)
    share = Share("1", "a", 1, 1.0, 9e9, frozenset({"run"}))
    chats.add_share(share, "digest")
    assert [turn.request for turn in chats.turns("a")] == ["x"]
    assert chats.find_share("digest") == share
    chats.close()


def test_links_of_version_3_show_the_runs_of_their_branches(tmp_path: Path) -> None:
    file = tmp_path / "chats.sqlite"
    chats = Chats(file)
    for run, after in (("one", 0), ("two", 1), ("beside", 1)):
        chats.begin("a", run, "x", after=after)
    chats.add_share(Share("1", "a", 2, 1.0, 9e9), "digest")
    chats.close()
    db = sqlite3.connect(file)
    db.execute("DROP TABLE share_runs")
    db.execute("PRAGMA user_version = 3")
    db.commit()
    db.close()
    chats = Chats(file)
    assert chats.find_share("digest") == Share("1", "a", 2, 1.0, 9e9, frozenset({"one", "two"}))
    chats.close()
