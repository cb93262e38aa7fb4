"""The process that reads a document: what it may take, and that it ends with whoever started it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.common.ends import wanted_until
from hugginggpt.core.errors import MediaError
from hugginggpt.media import documents, reader_process
from hugginggpt.media.documents import Document, read_document
from hugginggpt.media.formats import Limits, Unreadable, sheets, web
from hugginggpt.media.formats import __main__ as child
from tests.media import samples

PATIENCE = 60
LIMITS = Limits(pages=100, rows=100_000, unpacked=300_000_000)
ORDER = {"reader": "json", "limits": {"pages": 1, "rows": 1, "unpacked": 1}}
PARENT = f"""
import sys
from pathlib import Path
from hugginggpt.media.reader_process import asked
asked(Path(sys.argv[1]), {ORDER})
"""


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A file whose reader waits for ever."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes")
    os.mkfifo(tmp_path / "a.json")
    return tmp_path / "a.json"


@contextmanager
def held(file: Path) -> Iterator[int]:
    """The other end of a named pipe, once something reads it."""
    end = os.open(file, os.O_WRONLY)
    try:
        yield end
    finally:
        os.close(end)


def is_left(end: int) -> bool:
    """Whether the reader of a pipe is gone, within a minute."""
    poll = select.poll()
    poll.register(end, 0)
    return bool(poll.poll(1000 * PATIENCE))


def test_it_ends_with_a_parent_that_is_killed(endless: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, str(endless)]) as parent, held(endless) as end:
        parent.kill()
        assert is_left(end)


def test_it_ends_when_nobody_waits_for_it(endless: Path) -> None:
    cancelled: Future[None] = Future()

    def ask() -> None:
        with wanted_until(cancelled):
            reader_process.asked(endless, ORDER)

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        with held(endless) as end:
            cancelled.set_result(None)
            assert is_left(end)
        with pytest.raises(MediaError, match=r"was not read: the request was cancelled\.$"):
            asking.result(PATIENCE)


def test_it_may_write_so_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_process, "TOLD_BYTES", 100)
    with pytest.raises(MediaError, match="takes more memory than a document may"):
        read_document(samples.write_docx(tmp_path / "a.docx"), "word")


def test_a_small_workbook_of_long_cells_is_refused(tmp_path: Path) -> None:
    file = samples.sheet_of_one_text(tmp_path / "a.xlsx", "é" * 32_000, rows=400)
    with pytest.raises(Unreadable, match="more than 20,000,000 characters in its tables"):
        sheets.sheets(file, LIMITS)


def test_the_cells_that_short_rows_lack_count(tmp_path: Path) -> None:
    """They are filled in where a table is used."""
    (tmp_path / "a.html").write_text("<table><tr>" + "<td>" * 3_000 + "<tr><td>" * 2_000 + "</table>")
    with pytest.raises(Unreadable, match="more than 5,000,000 cells"):
        web.html(tmp_path / "a.html", LIMITS)


def test_a_document_is_read_by_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders, all_wait = [], threading.Barrier(9)

    def noted(path: Path, order: dict[str, Any]) -> dict[str, Any]:
        orders.append(order)
        return child.read(order | {"path": str(path)})

    def ask(file: Path) -> Document | str:
        all_wait.wait(PATIENCE)
        try:
            return read_document(file, "json")
        except MediaError as error:
            return str(error)

    monkeypatch.setattr(documents, "asked", noted)
    (tmp_path / "a.json").write_text(samples.JSON)
    (tmp_path / "b.json").write_text("{")
    with ThreadPoolExecutor(8) as pool:
        for name in ("a.json", "b.json"):
            asking = [pool.submit(ask, tmp_path / name) for _ in range(8)]
            all_wait.wait(PATIENCE)
            assert len({one.result(PATIENCE) for one in asking}) == 1
    assert len(orders) == 2


def test_large_documents_are_not_kept_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "asked", lambda path, order: child.read(order | {"path": str(path)}))
    monkeypatch.setattr(documents, "KEPT_BYTES", 1)
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(samples.JSON)
    first, second = (read_document(tmp_path / name, "json") for name in ("a.json", "b.json"))
    assert read_document(tmp_path / "b.json", "json") is second
    assert read_document(tmp_path / "a.json", "json") is not first


def test_what_it_may_take_grows_with_the_document(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(bytes(1_000))
    with large.open("wb") as file:
        file.truncate(60_000_000)
    bounds = reader_process._bounds
    assert bounds(small, ORDER) == {"memory": 400_020_000, "cpu": 3}
    assert bounds(small, ORDER | {"pages": [1, 2]}) == {"memory": 440_020_000, "cpu": 9}
    assert bounds(small, ORDER | {"pixels": 8_000_000})["memory"] == 720_020_000
    assert bounds(large, ORDER) == {"memory": reader_process.MEMORY_BYTES, "cpu": reader_process.READ_SECONDS}


@pytest.mark.slow
def test_a_small_document_that_takes_long_is_ended(tmp_path: Path) -> None:
    """One page that is named 900 times, of which each has to be read."""
    if not hasattr(signal, "SIGXCPU"):
        pytest.skip("no bound of the time of a processor")
    (tmp_path / "a.pdf").write_bytes(samples.slow_pages(900))
    with pytest.raises(
        MediaError, match=r"^a\.pdf cannot be read: it takes far longer than a document of its size does\.$"
    ):
        read_document(tmp_path / "a.pdf", "pdf")
