"""Files that come with a request to the model server."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from werkzeug.datastructures import FileStorage, MultiDict

from hugginggpt.serving.uploads import remove_abandoned_uploads, saved_uploads


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def upload(*names: str) -> MultiDict[str, FileStorage]:
    return MultiDict([("table", FileStorage(io.BytesIO(b"a,b"), name)) for name in names or ["a.csv"]])


def test_files_are_there_as_long_as_the_request(folder: Path) -> None:
    with saved_uploads(upload("../../a.csv")) as saved:
        assert saved["table"].read_bytes() == b"a,b"
        assert saved["table"].suffix == ".csv" and folder in saved["table"].parents
    assert not list(folder.iterdir())
    with saved_uploads(MultiDict()) as saved:
        assert saved == {} and not list(folder.iterdir())


def test_several_files_of_one_name_are_a_list_in_their_order() -> None:
    with saved_uploads(upload("a.csv", "b.tsv")) as saved:
        assert [path.suffix for path in saved["table"]] == [".csv", ".tsv"]


@pytest.mark.parametrize("name", ["a.p\0ng", "a.c\nsv", "a./..", "a.\ud800", ".", "a." + "x" * 5000])
def test_any_name_can_be_saved(name: str) -> None:
    with saved_uploads(upload(name)) as saved:
        assert saved["table"].read_bytes() == b"a,b"


def test_what_a_killed_server_left_is_removed_and_nothing_else(folder: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with saved_uploads(upload()) as saved:
        mine = saved["table"].parent
        left = mine.with_name(mine.name.replace(f"-{os.getpid()}-", f"-{ended.pid}-"))
        left.mkdir()
        (left / "0.csv").write_text("a,b")
        others = [folder / "models-server-00000000-1-x", folder / "models-server-x", folder / "another"]
        for other in others:
            other.mkdir()
        remove_abandoned_uploads()
        assert sorted(folder.iterdir()) == sorted([mine, *others])
        assert saved["table"].exists()
