"""The wheel: what is in it, and that it works when it is installed and used from an empty folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from hugginggpt.common.paths import ROOT
from hugginggpt.config import ENVIRONMENT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

GIRAFFES = "How many giraffes are in /examples/b.jpg?"


@dataclass(frozen=True)
class Installed:
    """The project, installed from its wheel; `work` is the current folder of its commands, `home` the user's."""

    wheel: Path
    venv: Path
    work: Path
    home: Path

    @property
    def data(self) -> Path:
        return self.home / "data" / "hugginggpt"

    def start(self, command: str, *args: str) -> subprocess.Popen[str]:
        environment = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
        environment |= {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data"), "PYTHONPATH": ""}
        return subprocess.Popen(
            [self.venv / "bin" / command, *args], cwd=self.work, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, command: str, *args: str) -> str:
        """The output of a command that succeeds."""
        process = self.start(command, *args)
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        return output


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Builds the wheel and installs it in a virtual environment that has the libraries of this one and no checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder, ROOT]
    subprocess.run(build, check=True, timeout=120)
    (wheel,) = folder.glob("hugginggpt-*.whl")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    install = [*pip, "--python", python, "install", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True, timeout=120)
    (site_packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (site_packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    for name in ("work", "home"):
        (folder / name).mkdir()
    return Installed(wheel, folder / "venv", folder / "work", folder / "home")


def files_in(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if "__pycache__" not in path.parts}


@pytest.fixture
def elsewhere_unchanged(installed: Installed) -> Iterator[None]:
    """Fails a test after which there are new files outside the user's data folder."""
    before = files_in(installed.venv)
    yield
    assert files_in(installed.venv) == before
    assert not files_in(installed.work)
    user_files = Path("data", "hugginggpt")
    assert {
        p for p in files_in(installed.home) if not (p.is_relative_to(user_files) or user_files.is_relative_to(p))
    } == set()


def test_what_is_in_the_wheel(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = wheel.namelist()
        metadata = wheel.read("hugginggpt-1.0.0.dist-info/METADATA").decode()
    roots = {name.split("/")[0] for name in names}
    assert roots == {"hugginggpt", "hugginggpt-1.0.0.dist-info", "awesome_chat.py", "models_server.py"}
    bundle = {name.removeprefix("hugginggpt/_bundle/") for name in names if name.startswith("hugginggpt/_bundle/")}
    assert {"config.default.yaml", "data/p0_models.jsonl", "public/index.html", "public/examples/b.jpg"} <= bundle
    assert "hugginggpt/py.typed" in names and "hugginggpt-1.0.0.dist-info/licenses/NOTICE" in names
    unwanted = (
        r"(^|/)(tests|logs|benchmarks|docs|screenshots|uploads|images|audios|videos|cache|__pycache__)/|\.sqlite|\.pyc$"
    )
    assert [name for name in names if re.search(unwanted, name)] == []
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=30)
    if tracked.returncode == 0:
        assert bundle <= set(tracked.stdout.splitlines())
    assert "Requires-Python: >=3.11" in metadata
    for extra in ("experts", "models", "eval", "all"):
        assert f"Provides-Extra: {extra}\n" in metadata


@pytest.mark.usefixtures("elsewhere_unchanged")
def test_the_commands_in_an_empty_folder(installed: Installed) -> None:
    told = json.loads(installed.run("hugginggpt", GIRAFFES, "--json", "--quiet"))
    assert told["message"].startswith("The detector found 2 giraffes") and not told["errors"]
    assert (installed.data / "public" / told["files"][0].lstrip("/")).is_file()
    assert list((installed.data / "logs" / "runs").iterdir())
    assert str(installed.data) in installed.run("hugginggpt", "--doctor")
    assert "nanodet-coco" in installed.run("hugginggpt-models", "--list")
    assert installed.run("hugginggpt", "--help").startswith("usage: hugginggpt [-h]")
    assert installed.run("hugginggpt-models", "--help").startswith("usage: hugginggpt-models [-h]")


@pytest.mark.usefixtures("elsewhere_unchanged")
def test_the_interface_in_an_empty_folder(installed: Installed) -> None:
    code = f"import hugginggpt; print(hugginggpt.ask({GIRAFFES!r})); print(hugginggpt.__file__)"
    *answer, place = installed.run("python", "-c", code).splitlines()
    assert answer[0].startswith("The detector found 2 giraffes")
    assert Path(place).is_relative_to(installed.venv)


@pytest.mark.usefixtures("elsewhere_unchanged")
def test_the_server_in_an_empty_folder(installed: Installed) -> None:
    installed.home.joinpath("data", "hugginggpt").mkdir(parents=True, exist_ok=True)
    settings = installed.data / "port.yaml"
    settings.write_text("http_listen: {port: 0}\n")
    server = installed.start("hugginggpt", "--mode", "server", "--config", str(settings))
    try:
        assert server.stdout
        url = server.stdout.readline().split()[2]
        page = requests.get(url, timeout=20)
        assert page.status_code == 200 and "<title>" in page.text
        for path in ("/app/main.js", "/examples/b.jpg", "/vendor/marked-18.2.1/marked.esm.js"):
            assert requests.get(url + path, timeout=20).status_code == 200, path
        messages = [{"role": "user", "content": GIRAFFES}]
        answer = requests.post(f"{url}/hugginggpt", json={"messages": messages}, timeout=60)
        assert answer.json()["message"].startswith("The detector found 2 giraffes")
    finally:
        server.terminate()
        server.communicate(timeout=20)
    assert (installed.data / "data" / "chats.sqlite").is_file()
