"""Packages bring task types, experts and endpoints; a broken one is left out with one warning."""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.catalog.catalog import ModelCard, make_catalog
from hugginggpt.common import plugins
from hugginggpt.common.plugins import ENDPOINT_GROUP, EXPERT_GROUP, TASK_GROUP, Plugin
from hugginggpt.config import Config
from hugginggpt.core.results import TEXT
from hugginggpt.core.tasks import Arg, TaskType
from hugginggpt.endpoints import registry as endpoints
from hugginggpt.endpoints.base import Args, Endpoint, EndpointStatus, Inference, Tier
from hugginggpt.endpoints.embedded import make_embedded
from hugginggpt.experts import registry as experts
from hugginggpt.media.store import MediaStore
from hugginggpt.serving.model_registry import ModelRegistry
from hugginggpt.status import status_of
from hugginggpt.tables import make_task_table
from hugginggpt.testing import FakeEndpoint, run, says
from tests.conftest import TABLE, MakeConfig, controller_with
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
        (7, "its entry point should be a TaskType or a list of them"),
        (TaskType("odd", "x", (Arg("film", "film"),), TEXT), "odd: the argument film is of no kind of text, image"),  # type: ignore[arg-type]
        (TaskType("odd", "x", (Arg("image", "image"),), TEXT, llm=True), "odd: llm is for tasks that take and give"),
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

    def called(name: str, tier: Tier = Tier.REMOTE) -> FakeEndpoint:
        endpoint = FakeEndpoint(name, {}, says(""))
        endpoint.tier = tier
        return endpoint

    install(
        {
            ENDPOINT_GROUP: [
                Plugin("broken-one", broken),
                Plugin("odd-one", lambda config, media: "an endpoint"),
                Plugin("copied-one", lambda config, media: called("embedded")),
                Plugin("chat-one", lambda config, media: called("chat", Tier.LANGUAGE_MODEL)),
                Plugin("own-model", lambda config, media: called("llm")),
            ]
        }
    )
    config = make_config()
    for _ in range(2):
        made = endpoints.make_endpoints(config, MediaStore(config))
        assert [endpoint.name for endpoint in made] == ["huggingface", "embedded"]
    assert warnings_of(caplog) == [
        "The plug-in broken-one is left out: no studio today",
        "The plug-in odd-one is left out: its entry point should make an Endpoint, not str",
        "The plug-in copied-one is left out: there is an endpoint called embedded already",
        "The plug-in chat-one is left out: the tier LANGUAGE_MODEL is for the controller's own language model",
        "The plug-in own-model is left out: there is an endpoint called llm already",
    ]


class Raising(Endpoint):
    """Somebody else's endpoint with a bug in each of its methods, as far as `fails` names it."""

    name, label = "torn", "the torn one"

    def __init__(self, *fails: str) -> None:
        self.fails = fails

    def _do(self, what: str) -> None:
        if what in self.fails:
            raise RuntimeError(f"{what} is broken")

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        self._do("models")
        return [ModelCard("torn/reader", task.name, downloads=1)] if task.name == "object-detection" else []

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        raise KeyError("infer is broken")

    def status(self) -> EndpointStatus:
        self._do("status")
        return super().status()

    def what_to_set(self, task: TaskType) -> str:
        self._do("what_to_set")
        return ""

    def close(self) -> None:
        self._do("close")


@pytest.mark.parametrize("fails", [("models", "status", "what_to_set", "close"), ()])
def test_an_endpoint_with_a_bug_fails_alone(
    install: Install, make_config: MakeConfig, caplog: pytest.LogCaptureFixture, fails: tuple[str, ...]
) -> None:
    """The next model does the task; status, --doctor and the end of the program are as without it."""
    install({ENDPOINT_GROUP: [Plugin("torn-one", lambda config, media: Raising(*fails))]})
    config = make_config()
    with closing(controller_with(config)) as controller:
        record = run(controller, "How many giraffes are in /examples/b.jpg?")
        assert record.message.startswith("The detector found 2 giraffes in b.jpg.")
        assert controller.selector.what_to_set(controller.table["text-to-video"])
        status = status_of(config, controller.endpoints, controller.table)
    problem = next(endpoint["problem"] for endpoint in status["endpoints"] if endpoint["name"] == "torn")
    assert problem == ("the plug-in torn-one fails" if fails else "")
    told = warnings_of(caplog)
    if fails:
        assert told == [
            f"The endpoint torn of the plug-in torn-one fails: {method} is broken"
            for method in ("models", "what_to_set", "status", "close")
        ]
    else:
        assert record.tasks[0].choice and record.tasks[0].choice.reason.startswith("torn/reader on the torn one failed")
        assert told == ["torn/reader on the torn one failed"]


def test_an_expert_does_not_take_the_place_of_another_one(install: Install) -> None:
    with pytest.raises(ValueError, match="there is an expert nanodet-coco for object-detection already"):
        experts.expert("nanodet-coco", "object-detection", "mine")(lambda image: [])
    assert experts.expert_for("nanodet-coco", "object-detection").about != "mine"


def test_an_expert_whose_packages_are_missing_is_not_offered(install: Install, make_config: MakeConfig) -> None:
    """What to install are the packages that it names, and not the project's own experts."""
    install({})
    experts.expert("mine", "text-to-video", "Paints.", ("no_such_package",))(lambda text: b"")
    embedded = make_embedded(make_config(), MediaStore(make_config()))
    assert embedded
    assert embedded.models(TABLE["text-to-video"], 5) == []
    assert embedded.what_to_set(TABLE["text-to-video"]) == "install no_such_package for mine"
    assert not embedded.status().ready
    assert embedded.status().problem.endswith("of them can run, packages missing: no_such_package")
    assert embedded.status().hint == "For all experts on this machine: install no_such_package for mine."
    experts.expert("odd", "no-such-task", "Nothing.")(lambda text: "")
    models = ModelRegistry(make_config(), make_catalog(make_config()), TABLE)
    assert models.find("odd") is None, "no request could name its task"


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
