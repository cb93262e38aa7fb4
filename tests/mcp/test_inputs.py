"""What the arguments of a call may name as a file."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from hugginggpt.core.errors import MediaError
from hugginggpt.core.tasks import default_table
from hugginggpt.mcp.inputs import Inputs
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.run import Run
from tests.conftest import EXAMPLES, MakeConfig

PICTURE = base64.b64encode((EXAMPLES / "a.jpg").read_bytes()).decode()


def inputs(make_config: MakeConfig, is_local: bool = True, root: Path | None = None) -> Inputs:
    return Inputs(MediaStore(make_config(limits={"max_file_mb": 1})), is_local, root)


@pytest.mark.parametrize("is_local", [True, False])
def test_what_everybody_may_name(make_config: MakeConfig, is_local: bool) -> None:
    files = inputs(make_config, is_local)
    for item in ("/examples/a.jpg", "hugginggpt://files/examples/a.jpg", "hugginggpt://files/%65xamples/a.jpg"):
        assert files.attachment(item).source == "/examples/a.jpg"
    url = "https://example.org/cat.png"
    assert (files.attachment(url).source, files.attachment(url).kind) == (url, "image")
    uploaded = files.attachment(f"data:image/png;name=x.png;base64,{PICTURE}")
    assert uploaded.source.startswith("/uploads/data-") and uploaded.source.endswith(".jpg")  # by its content
    assert files.media.resolve(uploaded.source).read_bytes() == (EXAMPLES / "a.jpg").read_bytes()
    assert files.attachment("data:text/csv,a%2Cb%0A1%2C2").kind == "table"
    assert files.attachment("data:,a%20text").kind == "text"


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("data:image/png;base64,A*==", "no base64"),
        ("data:image/png", "cannot be read"),
        ("data:image/png;base64,AAAA", "unknown type"),
        ("data:application/pdf;base64,JVBERi0xLjQ=", "damaged"),
        ("data:application/rtf;base64,e1xydGYxfQ==", "give a picture"),
        (f"data:image/png;base64,{'A' * 2_000_000}", "limits.max_file_mb"),
        (f"data:text/plain,{'a' * 2_000_000}", "limits.max_file_mb"),
    ],
)
def test_data_that_is_refused(make_config: MakeConfig, public: Path, url: str, sentence: str) -> None:
    with pytest.raises(MediaError, match=sentence):
        inputs(make_config).attachment(url)
    assert not list((public / "uploads").glob("*"))


def test_files_of_this_machine(make_config: MakeConfig, tmp_path: Path) -> None:
    """By path or file: URL, at this machine alone; below a folder, if one is given, wherever a link leads."""
    photos, photo = tmp_path / "photos", tmp_path / "photos" / "cat.jpg"
    photos.mkdir()
    photo.write_bytes((EXAMPLES / "a.jpg").read_bytes())
    (photos / "link.jpg").symlink_to(tmp_path / "other.jpg")
    (tmp_path / "other.jpg").write_bytes((EXAMPLES / "b.jpg").read_bytes())
    anywhere, below = inputs(make_config), inputs(make_config, root=photos)
    for files, item in ((anywhere, str(photo)), (anywhere, photo.as_uri()), (below, str(photo)), (below, "cat.jpg")):
        found = files.attachment(item)
        assert found.name == "cat.jpg" and found.source.startswith("/uploads/cat-")
    for item in ("../other.jpg", str(tmp_path / "other.jpg"), "link.jpg", (tmp_path / "other.jpg").as_uri()):
        with pytest.raises(MediaError, match=r"not below the folder .* \(--root\)"):
            below.attachment(item)
    run = Run([{"role": "user", "content": f"Compare {photo} and {tmp_path / 'other.jpg'}"}], make_config().limits)
    assert [file.local_path for file in anywhere.named(run)] == [photo, tmp_path / "other.jpg"]
    with pytest.raises(MediaError, match="--root"):
        below.named(run)


def test_over_http_no_files_of_the_server_s_machine(make_config: MakeConfig, tmp_path: Path) -> None:
    (tmp_path / "cat.jpg").write_bytes((EXAMPLES / "a.jpg").read_bytes())
    files = inputs(make_config, is_local=False)
    for item in (str(tmp_path / "cat.jpg"), (tmp_path / "cat.jpg").as_uri(), "/etc/passwd", "../cat.jpg", "~/x.png"):
        with pytest.raises(MediaError, match="is no file that can be named here: give an"):
            files.attachment(item)
    run = Run([{"role": "user", "content": f"What is in {tmp_path / 'cat.jpg'}?"}], make_config().limits)
    assert files.named(run) == []


def test_the_arguments_of_a_task(make_config: MakeConfig, tmp_path: Path) -> None:
    """Only what is a file is looked for: texts and CSV texts stay what they are."""
    table = default_table()
    (tmp_path / "notes.txt").write_text("a text")
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    files = inputs(make_config)
    args = files.arguments(
        table["visual-question-answering"], {"image": "/examples/a.jpg", "text": "Is cat.txt there?"}
    )
    assert args == {"image": "/examples/a.jpg", "text": "Is cat.txt there?"}
    read = files.arguments(table["summarization"], {"text": str(tmp_path / "notes.txt")})
    assert read["text"].startswith("/uploads/notes-")
    asked = {"table": str(tmp_path / "rows.csv"), "text": "How many?"}
    assert files.arguments(table["table-question-answering"], asked)["table"].startswith("/uploads/rows-")
    (tmp_path / "cat.jpg").write_bytes((EXAMPLES / "a.jpg").read_bytes())
    joined = files.arguments(table["join-images"], {"images": [str(tmp_path / "cat.jpg"), "/examples/b.jpg"]})
    assert joined["images"][0].startswith("/uploads/cat-") and joined["images"][1] == "/examples/b.jpg"
    labels = {"text": "a text", "labels": ["notes.txt", "cat"]}
    assert files.arguments(table["zero-shot-classification"], labels) == labels
    asked = {"table": "a,b\n1,2", "text": "How many?"}
    assert files.arguments(table["table-question-answering"], asked) == asked
