"""Which rows folders, patterns, lists and tables stand for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hugginggpt.batch import rows as rows_of_batch
from hugginggpt.batch.journal import is_batch
from hugginggpt.batch.rows import Row, is_many, read_rows
from hugginggpt.core.errors import UserError

posix = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


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


@posix
def test_a_pattern_follows_no_links_to_folders(folder: Path) -> None:
    for name in ("one", "two"):
        (folder / "in" / name).symlink_to(folder / "in")  # each way around is another path: there are 2**40 of them
    assert [row.name for row in read_rows(["in/**/*.png"]).rows] == ["in/a.png", "in/deep/a.png"]
    assert [row.name for row in read_rows([f"{folder}/in/d**p/*.png"]).rows] == [f"{folder}/in/deep/a.png"]


@pytest.mark.parametrize("item", ["~nobody-is-called-so/x.png", "x" * 5000, "none.png"])
def test_what_is_no_name_of_a_file_is_one_file(item: str) -> None:
    assert not is_many(item) and not is_batch(item)
    with pytest.raises(UserError, match="The list .* cannot be read"):
        read_rows([], f"{item}.txt")


def test_of_too_many_lines_no_file_is_looked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_of_batch, "MOST_ROWS", 2)
    monkeypatch.setattr(rows_of_batch, "_placed", None)
    (folder / "list.txt").write_text("a.png\nb.png\nc.png\n")
    with pytest.raises(UserError, match="These are 3 rows, more than the 2"):
        read_rows([], "list.txt")


@pytest.mark.parametrize("raw", [{"name": 1}, {"files": {"file": 2}}, {"texts": {"a": []}}])
def test_a_row_of_another_form_is_refused(raw: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="should be texts"):
        Row.from_json({"name": "a", "files": {"file": "a"}, "texts": {"a": "b"}, **raw})
