"""What every store of conversations does: SQLite, and PostgreSQL for several controllers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import BackendError, ConfigError
from hugginggpt.web.chats import RUNNING, Chats, ChatStore

CAT = Attachment("my cat.jpg", "/examples/b.jpg", "image")
Connect = Callable[[], ChatStore]


@pytest.fixture
def connect_postgres(postgres_url: str) -> Connect:
    postgres_chats = pytest.importorskip("hugginggpt.web.postgres_chats")
    import psycopg

    with psycopg.connect(postgres_url) as db:
        db.execute("DROP TABLE IF EXISTS turns, chats, chat_schema")
    return lambda: postgres_chats.PostgresChats(postgres_url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connect]:
    """Opens the same store once more, as another controller does."""
    file = tmp_path / "chats.sqlite"
    make: Connect = lambda: Chats(file)  # noqa: E731
    if request.param == "postgres":
        make = request.getfixturevalue("connect_postgres")
    with ExitStack() as opened:

        def open_store() -> ChatStore:
            store = make()
            opened.callback(store.close)
            return store

        yield open_store


def test_a_conversation_is_kept_for_all(connect: Connect) -> None:
    a, b = connect(), connect()
    assert a.begin("c1", "run1", "What is\nin it?", [CAT]) == 1
    (turn,) = b.turns("c1")
    assert (turn.run_id, turn.request, turn.files, turn.status) == ("run1", "What is\nin it?", (CAT,), RUNNING)
    b.finish("c1", "run1", "answered", "A cat; 猫, ñ, 'quoted' \\ 100 %?", {"plan": [], "text": "\0"})
    (turn,) = a.turns("c1")
    assert (turn.status, turn.answer) == ("answered", "A cat; 猫, ñ, 'quoted' \\ 100 %?")
    assert turn.record == {"plan": [], "text": "\0"}
    head = a.get("c1")
    assert head and head["title"] == "What is in it?"
    assert b.list() == [head]
    assert a.get("none") is None and a.turns("none") == []


def test_the_turns_are_numbered_whoever_adds_them(connect: Connect) -> None:
    stores = [connect() for _ in range(3)]
    stores[0].begin("c1", "run0", "first")
    positions: list[int] = []
    threads = [
        threading.Thread(target=lambda at=at: positions.append(stores[at % 3].begin("c1", f"run{at}", "more")))
        for at in range(1, 9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(positions) == list(range(2, 10))
    assert [turn.position for turn in stores[1].turns("c1")] == list(range(1, 10))


def test_the_latest_comes_first_and_only_so_many_are_listed(connect: Connect) -> None:
    store = connect()
    for name in ("c1", "c2", "c3"):
        store.begin(name, f"run-{name}", "x")
    store.finish("c1", "run-c1", "answered", "y", {})
    assert [chat["id"] for chat in store.list()] == ["c1", "c3", "c2"]
    assert [chat["id"] for chat in store.list(1)] == ["c1"]


def test_another_run_goes_on_with_a_turn(connect: Connect) -> None:
    store = connect()
    store.begin("c1", "run1", "x")
    store.finish("c1", "run1", "cancelled", "", {})
    assert store.resume("c1", "run1", "run2") == 1
    assert store.resume("c1", "run1", "run3") is None
    assert [(turn.run_id, turn.status) for turn in store.turns("c1")] == [("run2", RUNNING)]


def test_nothing_is_left_of_what_is_deleted(connect: Connect) -> None:
    store = connect()
    store.begin("c1", "run1", "x")
    assert store.delete("c1") and not store.delete("c1")
    store.finish("c1", "run1", "answered", "late", {})
    assert store.turns("c1") == [] and store.list() == []


def test_a_store_that_is_closed_is_a_typed_error(connect: Connect) -> None:
    store = connect()
    store.close()
    with pytest.raises(BackendError, match="cannot be kept or read"):
        store.list()


@pytest.mark.slow
def test_the_tables_are_made_once(connect_postgres: Connect) -> None:
    opened: list[ChatStore] = []
    threads = [threading.Thread(target=lambda: opened.append(connect_postgres())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 4
    for store in opened:
        store.close()


@pytest.mark.slow
def test_a_database_of_a_newer_version_or_that_is_not_there(connect_postgres: Connect, postgres_url: str) -> None:
    import psycopg

    from hugginggpt.web.postgres_chats import PostgresChats

    connect_postgres().close()
    with psycopg.connect(postgres_url) as db:
        db.execute("UPDATE chat_schema SET version = 99")
    with pytest.raises(ConfigError, match="newer version"):
        connect_postgres()
    wrong = postgres_url.replace("jarvis@", "jarvis:secret-password@").replace("/test_", "/none_")
    with pytest.raises(ConfigError, match=r"postgresql://127.* cannot be used .*none.*does not exist") as error:
        PostgresChats(wrong)
    assert "secret" not in str(error.value)
