"""What every store of files does: one of fsspec in memory, and S3."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ConfigError, MediaError
from hugginggpt.media.file_store import PublicFolder, RemoteFiles, make_file_store
from hugginggpt.media.store import MediaStore
from hugginggpt.testing.fakes import png
from hugginggpt.testing.services import s3_service
from tests.conftest import MakeConfig, Start
from tests.services import needed

BUCKET = "jarvis-files"


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a folder of an empty bucket, with the keys for it in the environment."""
    keys = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "us-east-1"}
    with needed(lambda: s3_service(BUCKET)) as url:
        for name, value in {**keys, "AWS_ENDPOINT_URL": url}.items():
            monkeypatch.setenv(name, value)
        yield f"s3://{BUCKET}/public"
        _forget_connections()


def _forget_connections() -> None:
    """Those of s3fs, which keeps them as long as the process lives."""
    from fsspec.asyn import sync
    from s3fs import S3FileSystem

    for files in S3FileSystem._cache.values():
        if files._s3 is not None:
            sync(files.loop, files._s3.close)
    S3FileSystem.clear_instance_cache()


@pytest.fixture(params=["memory", pytest.param("s3", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "s3":
        return str(request.getfixturevalue("s3"))
    return f"memory://{tmp_path.name}"


@pytest.fixture
def controller(make_config: MakeConfig, tmp_path: Path, address: str) -> Callable[[str], MediaStore]:
    """The files of a controller with a public folder of its own."""

    def make(name: str) -> MediaStore:
        media = MediaStore(make_config(public=tmp_path / name))
        media.files = RemoteFiles(address)
        return media

    return make


def test_what_one_writes_the_other_reads(controller: Callable[[str], MediaStore], tmp_path: Path) -> None:
    a, b = controller("a"), controller("b")
    (tmp_path / "cat.png").write_bytes(png())
    upload = a.public_path(a.receive(tmp_path / "cat.png"))
    written = [upload, a.save("image", png()), a.save("image", iter([png()[:20], png()[20:]]))]
    for path in written:
        assert not (b.public / path[1:]).exists()
        assert b.has(path)
        assert b.open(path, "image").read_bytes() == png()
        assert (b.public / path[1:]).is_file()
    assert not list(tmp_path.rglob("*.part"))


def test_only_what_was_written_is_looked_for(controller: Callable[[str], MediaStore]) -> None:
    media = controller("a")
    for path in ("/images/none.png", "/secret/x.png", "/images/../../x.png", "/images/.hidden", "/images/a/b.png", "/"):
        assert not media.has(path)


def test_what_is_refused_is_kept_nowhere(controller: Callable[[str], MediaStore], tmp_path: Path) -> None:
    a, b = controller("a"), controller("b")
    (tmp_path / "cat.png").write_bytes(png())
    kept = a.public_path(a.receive(tmp_path / "cat.png"))
    b.max_pixels = 10
    with pytest.raises(MediaError, match="megapixels"):
        b.receive(tmp_path / "cat.png")
    (a.public / kept[1:]).unlink()
    assert not a.has(kept)


def test_a_store_that_cannot_be_written_to_is_an_error_and_leaves_no_file(
    make_config: MakeConfig, tmp_path: Path
) -> None:
    media = MediaStore(make_config(public=tmp_path / "a"))
    media.files = RemoteFiles((tmp_path / "shared").as_uri())
    with pytest.raises(BackendError, match="A file cannot be kept in file://"):
        media.save("image", png())
    assert list((tmp_path / "a" / "images").iterdir()) == []


def test_without_the_setting_the_public_folder_is_all_there_is(make_config: MakeConfig) -> None:
    assert isinstance(make_file_store(make_config()), PublicFolder)
    with pytest.raises(ConfigError, match="file_store begins with s3://"):
        make_file_store(make_config(file_store="ftp://host/x"))


def test_a_missing_package_is_one_sentence(make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(ConfigError, match=r'file_store needs the package s3fs: pip install -e "\.\[s3\]"'):
        make_file_store(make_config(file_store="s3://bucket/x"))


@pytest.mark.slow
def test_two_controllers_over_s3(make_config: MakeConfig, start: Start, s3: str, tmp_path: Path) -> None:
    """An upload to one is used, and what comes of it shown, at the other."""
    configs: list[Config] = [make_config(public=tmp_path / name, file_store=s3, planner="auto") for name in "ab"]
    a, b = map(start, configs)
    sent = requests.post(f"{a}/v1/files", files={"file": ("my cat.png", png())}, timeout=60).json()
    body = {"messages": [{"role": "user", "content": "Show me its edges"}], "files": [sent["path"]]}
    answer = requests.post(f"{b}/hugginggpt", json=body, timeout=60).json()
    assert answer["errors"] == []
    (path,) = answer["files"]
    shown = requests.get(f"{a}{path}", timeout=60)
    assert shown.ok and shown.headers["Content-Type"] == "image/png"
    assert requests.get(f"{a}/images/none.png", timeout=60).status_code == 404


def test_a_picture_that_is_withheld_is_gone_everywhere(controller: Callable[[str], MediaStore]) -> None:
    a, b = controller("a"), controller("b")
    path = a.save("image", png())
    a.discard(path)
    assert not a.has(path) and not b.has(path)
