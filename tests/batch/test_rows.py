"""Which rows folders, patterns, lists and tables stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from hugginggpt.batch.rows import Row, is_many, read_rows
from hugginggpt.core.errors import UserError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("in/b.jpg", "in/a.png", "in/deep/a.png", "in/.hidden.png", "in/notes.txt", "in/.git/x.png", "in/data"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


def test_a_folder_stands_for_the_files_of_its_usual_kind(folder: Path) -> None:
    rows = read_rows(["in"])
    assert [row.name for row in rows.rows] == ["a.png", "b.jpg", "deep/a.png"]
    assert rows.rows[2].files == {"file": "in/deep/a.png"}
    assert rows.notes == ("1 of the files in in are left out: most are of the kind of a picture.",)


def test_a_pattern_and_single_files(folder: Path) -> None:
    rows = read_rows(["in/*.png", "in/deep/*.png", "https://x.example/c.png"]).rows
    assert [row.name for row in rows] == ["in/a.png", "in/deep/a.png", "c.png"]
    assert [is_many(item) for item in ("in", "in/*.png", "in/a.png", "https://x.example/*", "no*ne.png")] == [
        True, True, False, False, True,
    ]  # fmt: skip


def test_a_list_has_a_file_a_line_from_here_or_from_its_folder(folder: Path) -> None:
    (folder / "in" / "list.txt").write_text("# pictures\nb.jpg\n\nin/a.png\nhttps://x.example/c.png\nnone.png\n")
    rows = read_rows([], "in/list.txt").rows
    assert [row.files["file"] for row in rows] == ["in/b.jpg", "in/a.png", "https://x.example/c.png", "none.png"]


def test_a_table_has_columns_of_files_and_of_texts(folder: Path) -> None:
    (folder / "in" / "list.csv").write_text("picture;question\nb.jpg;What is it?\na.png;Who?\n")
    rows = read_rows([], "in/list.csv")
    assert (rows.file_columns, rows.text_columns) == (["picture"], ["question"])
    assert rows.rows[1] == Row("a.png", {"picture": "in/a.png"}, {"question": "Who?"})
    assert Row.from_json(rows.rows[1].to_json()) == rows.rows[1]


@pytest.mark.parametrize("items", [["none*.png"], ["empty"]])
def test_without_files_there_is_nothing_to_do(folder: Path, items: list[str]) -> None:
    (folder / "empty").mkdir()
    with pytest.raises(UserError, match="no files that can be read"):
        read_rows(items)


def test_lists_that_cannot_be_read(folder: Path) -> None:
    for name in ("none.txt", "none.csv"):
        with pytest.raises(UserError, match="cannot be read"):
            read_rows([], name)
    with pytest.raises(UserError, match="either by -a or by --files"):
        read_rows(["in"], "list.txt")
