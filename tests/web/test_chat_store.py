"""What every store of conversations does: SQLite, and PostgreSQL for several controllers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import BackendError, ConfigError
from hugginggpt.web.chats import RUNNING, Chats, ChatStore, branch_of, newest_tip
from hugginggpt.web.share_store import Share

CAT = Attachment("my cat.jpg", "/examples/b.jpg", "image")
Connect = Callable[[], ChatStore]


@pytest.fixture
def connect_postgres(postgres_url: str) -> Connect:
    postgres_chats = pytest.importorskip("hugginggpt.web.postgres_chats")
    import psycopg

    with psycopg.connect(postgres_url) as db:
        db.execute("DROP TABLE IF EXISTS share_runs, shares, turns, chats, chat_schema")
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


def test_a_conversation_branches(connect: Connect) -> None:
    chats = connect()
    assert [chats.begin("c", run, run) for run in ("one", "two", "three")] == [1, 2, 3]
    assert chats.begin("c", "two again", "two, in other words", after=1) == 4
    turns = chats.turns("c")
    assert [turn.parent for turn in turns] == [0, 1, 2, 1]
    assert (
        chats.get(
            "c",
        )["tip"]
        == 4
    )  # type: ignore[index]
    assert [turn.position for turn in branch_of(turns, 4)] == [1, 4]
    assert [turn.position for turn in branch_of(turns, 3)] == [1, 2, 3]
    assert branch_of(turns, 0) == [] == branch_of(turns, 9)
    assert (newest_tip(turns, 2), newest_tip(turns, 1), newest_tip(turns, 4)) == (3, 4, 4)
    assert chats.begin("c", "five", "it follows what is shown") == 5
    assert chats.turns("c")[-1].parent == 4
    assert chats.change("c", tip=3)
    assert chats.begin("c", "six", "it follows what is shown now") == 6
    assert chats.turns("c")[-1].parent == 3
    assert chats.begin("c", "first", "another first one", after=0) == 7
    assert [turn.position for turn in branch_of(chats.turns("c"), 7)] == [7]


def test_conversations_are_renamed_pinned_and_found(connect: Connect) -> None:
    chats = connect()
    for chat, request in (("a", "Wie viele ÄPFEL?"), ("b", "Summarise 100 %_ of it"), ("c", "Hello")):
        chats.begin(chat, f"run-{chat}", request)
    chats.finish("c", "run-c", "answered", "I am JARVIS.", {})
    assert chats.change("a", title="Fruit", pinned=True)
    assert not chats.change("none", title="x")
    assert [(head["id"], head["title"], head["pinned"]) for head in chats.list()] == [
        ("a", "Fruit", True), ("c", "Hello", False), ("b", "Summarise 100 %_ of it", False),
    ]  # fmt: skip
    assert chats.change("a", pinned=False) and not chats.list()[0]["pinned"] and chats.get("a")["title"] == "Fruit"  # type: ignore[index]
    found = {
        words: [head["id"] for head in chats.list(search=words)]
        for words in ("äpfel", "FRUIT", "jarvis", "%_", "100_%", "x")
    }
    assert found == {"äpfel": ["a"], "FRUIT": ["a"], "jarvis": ["c"], "%_": ["b"], "100_%": [], "x": []}
    assert [head["id"] for head in chats.list(1, offset=1)] == [chats.list()[1]["id"]]


def test_files_are_those_of_one_conversation_or_of_several(connect: Connect) -> None:
    chats = connect()
    own, shared = (Attachment(name, f"/uploads/{name}", "image") for name in ("own_1-0a.jpg", "shared-0b.jpg"))
    chats.begin("a", "one", "x", [own, shared, CAT])
    chats.begin("b", "two", "y", [shared])
    chats.finish("a", "one", "answered", "z", {"results": {"0": {"files": ["/images/0c.png"]}}})
    assert sorted(chats.own_files("a")) == ["/images/0c.png", "/uploads/own_1-0a.jpg"]
    assert chats.own_files("b") == [] == chats.own_files("none")
    assert chats.is_named("/uploads/own_1-0a.jpg") and not chats.is_named("/uploads/ownX1-0a.jpg")


def test_links_are_known_by_their_digest_until_they_end(connect: Connect) -> None:
    chats, other = connect(), connect()
    now = time.time()
    for chat in ("a", "b"):
        chats.begin(chat, f"run-{chat}", "x")
    runs = frozenset({"run-a", "another"})
    one, two = Share("1", "a", 1, now, now + 1000), Share("2", "a", 1, now + 1, now + 1000, runs)
    over = Share("3", "a", 1, now - 10, now - 1)
    chats.add_share(over, "over")
    for share, digest in ((one, "one"), (two, "two"), (Share("4", "b", 1, now, now + 1000), "four")):
        chats.add_share(share, digest)
    assert other.shares_of("a") == [one, two]
    assert (other.find_share("two"), other.find_share("over"), other.find_share("five")) == (two, None, None)
    assert not chats.remove_share("b", "1")
    assert chats.remove_share("a", "1") and not chats.remove_share("a", "1")
    assert other.find_share("one") is None
    assert chats.delete("a")
    assert other.find_share("two") is None and other.shares_of("b") != []


@pytest.mark.slow
def test_tables_of_version_2_get_that_of_links(connect_postgres: Connect, postgres_url: str) -> None:
    import psycopg

    connect_postgres().close()
    with psycopg.connect(postgres_url) as db:
        db.execute("DROP TABLE share_runs, shares")
        db.execute("UPDATE chat_schema SET version = 2")
    store = connect_postgres()
    store.begin("a", "run", "x")
    share = Share("1", "a", 1, 1.0, 9e9, frozenset({"run"}))
    store.add_share(share, "digest")
    assert store.find_share("digest") == share
    store.close()


@pytest.mark.slow
def test_links_of_version_3_show_the_runs_of_their_branches(connect_postgres: Connect, postgres_url: str) -> None:
    import psycopg

    store = connect_postgres()
    for run, after in (("one", 0), ("two", 1), ("beside", 1)):
        store.begin("a", run, "x", after=after)
    store.add_share(Share("1", "a", 2, 1.0, 9e9), "digest")
    store.close()
    with psycopg.connect(postgres_url) as db:
        db.execute("DROP TABLE share_runs")
        db.execute("UPDATE chat_schema SET version = 3")
    store = connect_postgres()
    assert store.find_share("digest") == Share("1", "a", 2, 1.0, 9e9, frozenset({"one", "two"}))
    store.close()
