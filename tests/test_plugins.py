"""Packages bring task types, experts and endpoints; a broken one is left out with one warning."""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.common import plugins
from hugginggpt.common.plugins import ENDPOINT_GROUP, EXPERT_GROUP, TASK_GROUP, Plugin
from hugginggpt.config import Config
from hugginggpt.core.results import TEXT
from hugginggpt.core.tasks import Arg, TaskType
from hugginggpt.endpoints import registry as endpoints
from hugginggpt.experts import registry as experts
from hugginggpt.media.store import MediaStore
from hugginggpt.tables import make_task_table
from tests.conftest import TABLE, MakeConfig
from tests.plugins.checks import check_all

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "tests" / "plugins" / "hugginggpt_clips"
Install = Callable[[dict[str, list[Plugin]]], None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Has objects be those of plug-ins, in place of what is installed; what they register is forgotten again."""
    experts.all_experts()
    endpoints._load()
    known = defaultdict(dict, {task: dict(by_id) for task, by_id in experts._experts.items()})
    monkeypatch.setattr(experts, "_experts", known)
    monkeypatch.setattr(endpoints, "_factories", [*endpoints._factories])
    monkeypatch.setattr(plugins, "_reported", set())

    def install(objects: dict[str, list[Plugin]]) -> None:
        monkeypatch.setattr(plugins, "load", lambda group: tuple(objects.get(group, ())))
        endpoints._add_plugins()

    return install


def test_the_objects_of_a_plug_in_are_used_like_the_projects(
    install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The same as when the package is installed, without the installation."""
    monkeypatch.syspath_prepend(SOURCE)
    modules = {name: importlib.import_module(f"hugginggpt_clips.{name}") for name in ("tasks", "endpoints")}
    monkeypatch.delitem(sys.modules, "hugginggpt_clips.experts", raising=False)
    importlib.import_module("hugginggpt_clips.experts")  # registers its expert
    install(
        {
            TASK_GROUP: [Plugin("hugginggpt-clips", modules["tasks"].CLIP_CLASSIFICATION)],
            ENDPOINT_GROUP: [Plugin("hugginggpt-clips", modules["endpoints"].make_studio)],
        }
    )
    check_all(tmp_path)


@pytest.mark.slow
def test_a_package_that_is_installed_adds_a_task_an_expert_and_an_endpoint(tmp_path: Path) -> None:
    """pip installs the package into a folder; in a process that has it on its path, what it brings is used."""
    site, scratch = tmp_path / "site", tmp_path / "scratch"
    scratch.mkdir()
    source = tmp_path / "source"
    subprocess.run(["cp", "-r", SOURCE, source], check=True)  # a build writes beside the sources
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--disable-pip-version-check", "--target", site, source], check=True, timeout=120)
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}
    checks = [sys.executable, "-m", "tests.plugins.checks", scratch]
    done = subprocess.run(checks, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "The plug-in works.", done.stdout + done.stderr
    without = subprocess.run(checks, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert without.returncode, "it passes without the package, too"


# Broken plug-ins


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (TABLE["image-to-text"], "image-to-text: there is a task of that name already"),
        (TaskType("Odd Name", "x", (Arg("text"),), TEXT), "Odd Name: name should be lower-case words"),
        (TaskType("odd", "x", (Arg("text"),), TEXT, "{image}: {}"), "odd: answer should name arguments of the task"),
        ("clips", "its entry point should be a TaskType or a list of them"),
        (7, "is not iterable"),
    ],
)
def test_rows_that_cannot_be_used_are_left_out(
    install: Install, make_config: MakeConfig, caplog: pytest.LogCaptureFixture, value: Any, said: str
) -> None:
    good = TaskType("video-poetry", "write a poem about a video", (Arg("video", "video"),), TEXT)
    install({TASK_GROUP: [Plugin("broken-one", value), Plugin("good-one", [good])]})
    for _ in range(2):
        table = make_task_table(make_config())
        assert table.names == (*TABLE.names, "video-poetry")
    (warning,) = warnings_of(caplog)
    assert "The plug-in broken-one is left out: " in warning
    assert said in warning


def test_an_endpoint_that_cannot_be_made_is_left_out(
    install: Install, make_config: MakeConfig, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(config: Config, media: MediaStore) -> None:
        raise RuntimeError("no studio today")

    install({ENDPOINT_GROUP: [Plugin("broken-one", broken), Plugin("odd-one", lambda config, media: "an endpoint")]})
    config = make_config()
    for _ in range(2):
        made = endpoints.make_endpoints(config, MediaStore(config))
        assert [endpoint.name for endpoint in made] == ["huggingface", "embedded"]
    assert warnings_of(caplog) == [
        "The plug-in broken-one is left out: no studio today",
        "The plug-in odd-one is left out: its entry point should make an Endpoint, not str",
    ]


def test_a_package_that_cannot_be_imported_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its metadata is found as pip leaves it; of three entry points in one broken module one is told."""
    (tmp_path / "torn_clips.py").write_text("import no_such_package_of_anybody\n")
    metadata = tmp_path / "torn_clips-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: torn-clips\nVersion: 1.0\n")
    groups = (TASK_GROUP, EXPERT_GROUP, ENDPOINT_GROUP)
    (metadata / "entry_points.txt").write_text("".join(f"[{group}]\nclips = torn_clips\n" for group in groups))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_reported", set())
    plugins._entry_points.cache_clear()
    try:
        assert [plugins.load.__wrapped__(group) for group in groups] == [(), (), ()]
    finally:
        plugins._entry_points.cache_clear()
    (warning,) = warnings_of(caplog)
    assert warning == (
        "The plug-in torn-clips is left out: torn_clips cannot be imported: ModuleNotFoundError: "
        "No module named 'no_such_package_of_anybody'"
    )
