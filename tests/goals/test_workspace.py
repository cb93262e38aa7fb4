"""The workspace: what is refused, and that nothing is lost."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hugginggpt.goals import folders
from hugginggpt.goals.workspace import Match, Workspace, WorkspaceError, WorkspaceLimits

SECRET = "the secret of the host"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file beside the workspace, in a folder whose name begins alike."""
    sibling = tmp_path / "space-secret"
    sibling.mkdir()
    file = sibling / "key.txt"
    file.write_text(SECRET)
    return file


@pytest.fixture
def workspace(tmp_path: Path, outside: Path) -> Workspace:
    return Workspace(tmp_path / "space", WorkspaceLimits(page_chars=10))


@contextmanager
def within_a_second() -> Iterator[None]:
    begin = time.monotonic()
    yield
    assert time.monotonic() - begin < 1


def refuses(workspace: Workspace, path: str) -> None:
    """All commands refuse the path, each within a second."""
    for command in (
        lambda: workspace.write(path, "mine"),
        lambda: workspace.append(path, "mine"),
        lambda: workspace.read(path),
        lambda: workspace.delete(path),
        lambda: workspace.read_bytes(path),
    ):
        with within_a_second(), pytest.raises(WorkspaceError) as error:
            command()
        assert SECRET not in str(error.value)
        assert str(error.value).isprintable()


def test_a_file_is_written_whole_read_back_and_kept(workspace: Workspace) -> None:
    first = workspace.write("notes/a.txt", "one")
    assert first == type(first)("notes/a.txt", 3, hashlib.sha256(b"one").hexdigest())
    assert workspace.write("notes\\a.txt", "one").former == ""  # the same content: nothing to keep
    second = workspace.write("./notes//a.txt", "two, zwei, 二")
    assert (second.path, second.size) == ("notes/a.txt", len("two, zwei, 二".encode()))
    assert workspace.read_text(second.former) == "one"
    assert workspace.read("notes/a.txt", 2).text == " 二"
    assert (workspace.read("notes/a.txt").page, workspace.read("notes/a.txt").pages) == (1, 2)
    assert [file.path for file in workspace.files()] == ["notes/a.txt"]
    assert not list((workspace.root / ".history" / "unfinished").iterdir())


def test_appending_and_deleting(workspace: Workspace) -> None:
    assert workspace.append("log.txt", "a\n").size == 2
    assert workspace.append("log.txt", "b\n").size == 4
    kept = workspace.delete("log.txt")
    assert workspace.read_text(kept) == "a\nb\n"
    with pytest.raises(WorkspaceError, match=r"There is no file log\.txt"):
        workspace.read("log.txt")
    workspace.write("log.txt", "c")
    assert workspace.delete("log.txt") != kept


def test_the_history_can_be_read_but_not_changed(workspace: Workspace) -> None:
    workspace.write("a.txt", "1")
    kept = workspace.delete("a.txt")
    for path in (kept, ".history/x", ".HISTORY/x"):
        for command in (workspace.delete, lambda p: workspace.write(p, ""), lambda p: workspace.append(p, "")):
            with pytest.raises(WorkspaceError, match="keeps what was"):
                command(path)


def test_pages_and_what_is_no_text(workspace: Workspace) -> None:
    workspace.write("a.txt", "x" * 25)
    assert [workspace.read("a.txt", n).text for n in (1, 2, 3)] == ["x" * 10, "x" * 10, "x" * 5]
    for page in (0, 4, -1):
        with pytest.raises(WorkspaceError, match="pages 1 to 3"):
            workspace.read("a.txt", page)
    workspace.write("p.png", b"\x89PNG\xff")
    with pytest.raises(WorkspaceError, match="not a text file"):
        workspace.read("p.png")
    assert workspace.write("odd.txt", "\ud800").size == 1
    with pytest.raises(WorkspaceError, match="it is a folder|no regular file"):
        workspace.read(".history")


def test_searching_by_name_and_content(workspace: Workspace) -> None:
    workspace.write("a/one.txt", "Apples\nand PEARS\n")
    workspace.write("two-pears.csv", "n\n1\n")
    workspace.write("b.png", b"\xff pears")
    assert workspace.search("", "pears").matches == (
        Match("a/one.txt", 17, 2, "and PEARS"),
        Match("two-pears.csv", 4),
    )
    assert [m.path for m in workspace.search(".").matches] == ["a/one.txt", "b.png", "two-pears.csv"]
    assert [m.path for m in workspace.search("a").matches] == ["a/one.txt"]
    few = Workspace(workspace.root, WorkspaceLimits(matches=2)).search()
    assert (len(few.matches), few.complete) == (2, False)
    with pytest.raises(WorkspaceError, match="There is no"):
        workspace.search("nowhere")
    with pytest.raises(WorkspaceError, match="upwards"):
        workspace.search("..")


@pytest.mark.parametrize(
    "path",
    ["", ".", "/", "../space-secret/key.txt", "a/../../space-secret/key.txt", "..", "..\\space-secret\\key.txt",
     "/etc/passwd", "/dev/zero", "~/.ssh/id_rsa", "C:\\x.txt", "a\0b", "key.txt\0.png", "a\nb", "\x1b[2Ja", "a\u202egpj.exe",
     "\ud800", "x" * 300, "x/" * 17 + "y", "file:///etc/passwd/../../../x"],
)  # fmt: skip
def test_paths_that_could_lead_out_are_refused(workspace: Workspace, path: str) -> None:
    refuses(workspace, path)


def test_the_absolute_path_of_a_sibling_with_the_same_beginning(workspace: Workspace, outside: Path) -> None:
    refuses(workspace, str(outside))
    refuses(workspace, f"{workspace.root}-secret/key.txt")
    assert outside.read_text() == SECRET


def test_links_are_not_followed(workspace: Workspace, outside: Path) -> None:
    (workspace.root / "link.txt").symlink_to(outside)
    (workspace.root / "away").symlink_to(outside.parent)
    (workspace.root / "inner").mkdir()
    (workspace.root / "inner" / "up").symlink_to("..")
    (workspace.root / "dangling").symlink_to(outside.parent / "new.txt")
    for path in ("link.txt", "away/key.txt", "inner/up/link.txt", "dangling"):
        refuses(workspace, path)
    assert workspace.search("", "secret").matches == ()
    with pytest.raises(WorkspaceError):
        workspace.search("away", "secret")
    assert outside.read_text() == SECRET
    assert [file.name for file in outside.parent.iterdir()] == ["key.txt"]
    assert workspace.files() == []


def test_a_link_in_place_of_the_history_is_not_followed(workspace: Workspace, outside: Path) -> None:
    (workspace.root / ".history").symlink_to(outside.parent)
    with pytest.raises(WorkspaceError, match="link"):
        workspace.write("a.txt", "x")
    with pytest.raises(WorkspaceError, match="link"):
        Workspace(workspace.root)
    assert [file.name for file in outside.parent.iterdir()] == ["key.txt"]


def test_pipes_sockets_and_devices_are_neither_opened_nor_waited_for(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "pipe")
    paths = ["pipe"]
    if sys.platform == "linux" and os.geteuid() == 0:
        os.mknod(workspace.root / "zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        paths.append("zero")
    for path in paths:
        refuses(workspace, path)
    assert workspace.search("", "x").matches == ()


def test_what_is_exchanged_for_a_link_in_between(workspace: Workspace, outside: Path) -> None:
    """A thread exchanges a file and a folder for links and back, as fast as it can: nothing outside is touched."""
    root, over = workspace.root, threading.Event()
    (root / "folder").mkdir()
    (root / "folder" / "key.txt").write_text("inside")
    for name, target in (("file-link", outside), ("folder-link", outside.parent)):
        (root / name).symlink_to(target)

    def exchange() -> None:
        while not over.is_set():
            for real, link in (("folder", "folder-link"), ("key.txt", "file-link")):
                for a, b in ((real, "aside"), (link, real), (real, link), ("aside", real)):
                    try:
                        (root / a).rename(root / b)
                    except OSError:  # not there at the moment
                        pass

    thread = threading.Thread(target=exchange)
    thread.start()
    seen, refused = set(), 0
    begin = time.monotonic()
    try:
        while time.monotonic() - begin < 0.4:
            for path in ("folder/key.txt", "key.txt"):
                for command in (workspace.read_text, lambda p: workspace.append(p, "+"), workspace.delete):
                    try:
                        seen.add(str(command(path)))
                    except WorkspaceError:
                        refused += 1
    finally:
        over.set()
        thread.join()
    assert refused
    assert not any(SECRET in text for text in seen)
    assert outside.read_text() == SECRET
    assert [file.name for file in outside.parent.iterdir()] == ["key.txt"]


def test_a_file_that_is_exchanged_after_it_was_looked_at(
    tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exchange comes just between the look and the opening, where a check of paths would not see it."""
    (tmp_path / "a").write_text("inside")
    open_file = os.open

    def exchange_and_open(name: str, *args: int, **folder: int) -> int:
        if name == "a":
            (tmp_path / "a").unlink()
            (tmp_path / "a").symlink_to(outside)
        return open_file(name, *args, **folder)

    monkeypatch.setattr(os, "open", exchange_and_open)
    with folders.opened(tmp_path) as folder, pytest.raises(OSError, match="symbolic links"):
        folders.read_file("a", folder, 100)
    assert (tmp_path / "a").is_symlink()


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("size", [20_000_001, pytest.param(1_000_000_000, marks=pytest.mark.slow)])
def test_a_gigabyte_is_refused_before_anything_is_written(workspace: Workspace, size: int) -> None:
    workspace.write("a.txt", "kept")
    before = sorted(workspace.root.rglob("*"))
    text = "x" * size
    for command in (workspace.write, workspace.append):
        for path in ("new/large.txt", "a.txt"):
            with within_a_second(), pytest.raises(WorkspaceError, match="more than the 20000000 bytes"):
                command(path, text)
    assert sorted(workspace.root.rglob("*")) == before
    assert workspace.read_text("a.txt") == "kept"


def test_a_hundred_thousand_files_are_refused_at_the_limit(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "space", WorkspaceLimits(files=100))
    written = 0
    for number in range(100_000):
        try:
            workspace.write(f"{number}.txt", "x")
            written += 1
        except WorkspaceError as error:
            assert "holds 100 files, its limit" in str(error)
            if number == 3000:  # each further one would take as long
                break
    assert written <= 100
    assert len(list(workspace.root.rglob("*"))) <= 102


def test_the_total_counts_what_is_kept(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "space", WorkspaceLimits(file_bytes=1000, total_bytes=2500))
    for number in range(2):
        workspace.write("a.txt", str(number) * 1000)
    with pytest.raises(WorkspaceError, match="more than the 500 bytes left"):
        workspace.write("a.txt", "2" * 1000)
    workspace.append("b.txt", "x" * 400)
    with pytest.raises(WorkspaceError, match="than the 100 bytes left"):
        workspace.append("b.txt", "x" * 200)
    assert size_of(workspace.root) == 2400
    assert workspace.room() == (5000 - 3, 100)


def test_files_that_others_put_there_are_counted_and_bounded(tmp_path: Path) -> None:
    (tmp_path / "space").mkdir()
    (tmp_path / "space" / "data.csv").write_bytes(b"x" * 5000)
    workspace = Workspace(tmp_path / "space", WorkspaceLimits(file_bytes=1000, total_bytes=5500))
    with pytest.raises(WorkspaceError, match="larger than the 1000 bytes"):
        workspace.read("data.csv")
    with pytest.raises(WorkspaceError, match="500 bytes left"):
        workspace.write("a.txt", "x" * 600)


def test_a_write_that_was_killed_leaves_nothing_for_good(workspace: Workspace) -> None:
    workspace.write("a.txt", "x")
    left = workspace.root / ".history" / "unfinished" / "other-1.part"
    left.write_text("half")
    Workspace(workspace.root)
    assert left.exists()  # it may still be written
    os.utime(left, (0, 0))
    Workspace(workspace.root)
    assert not left.exists()


def test_a_workspace_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="cannot be used"):
        Workspace(tmp_path / "file")
