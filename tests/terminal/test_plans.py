"""Plans in the terminal: kept as files, run with other files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import awesome_chat
from hugginggpt.testing.fakes import png
from tests.conftest import MakeConfig
from tests.terminal.test_cli import CONFIG_NAME

REQUEST = "Draw the edges of /examples/a.jpg"


@pytest.fixture
def config_file(make_config: MakeConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    make_config(llm="offline")
    monkeypatch.chdir(tmp_path)
    return str(tmp_path / CONFIG_NAME)


def test_a_plan_is_saved_and_run_with_another_file(config_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--config", config_file, "-q"]
    assert awesome_chat.main([*options, REQUEST, "--plan", "--save-plan", "p.json"]) == 0
    kept = json.loads(Path("p.json").read_text(encoding="utf-8"))
    assert (kept["request"], kept["inputs"]) == ("Draw the edges of a.jpg", [{"name": "a.jpg", "kind": "image"}])
    assert [task["args"] for task in kept["tasks"]] == [{"image": "a.jpg"}]
    capsys.readouterr()
    assert awesome_chat.main([*options, "--run-plan", "p.json", "-a", "/examples/c.jpg", "--plan"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["args"] == {"image": "/examples/c.jpg"}


def test_a_plan_as_it_was_printed_is_run_with_the_files_that_it_names(
    config_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("my").mkdir()
    Path("my/photo.png").write_bytes(png())
    options = ["--config", config_file, "-q", "--json"]
    assert awesome_chat.main([*options[:-1], "Rotate my/photo.png by 90 degrees", "--plan"]) == 0
    Path("p.json").write_text(capsys.readouterr().out, encoding="utf-8")
    assert json.loads(Path("p.json").read_text(encoding="utf-8"))[0]["args"]["image"] == "my/photo.png"
    assert awesome_chat.main([*options, "--run-plan", "p.json", "--plan"]) == 0
    (planned,) = json.loads(capsys.readouterr().out)["plan"]
    assert planned["args"]["image"].startswith("/uploads/photo-")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--run-plan", "p.json"], "The plan needs a picture in place of a.jpg"),
        (["--run-plan", "p.json", "-a", "/examples/speech.wav"], "and speech.wav is a recording"),
        (["--run-plan", "none.json"], "The plan none.json cannot be read"),
        (["--run-plan", "config.yaml"], "config.yaml is no JSON"),
        (["--run-plan", "wrong.json"], "task 0 (no-such-task)"),
        (["--run-plan", "p.json", "--resume", "last"], "--resume goes on with a recorded request"),
        (["--resume", "."], "is not that of one plan for many files"),
        (["--run-plan", "p.json", "--mode", "test"], "are for requests"),
        (["Hello, who are you?", "--save-plan", "x.json", "--plan"], "There is no plan to be saved"),
    ],
)
def test_what_cannot_be_done_is_said(
    config_file: str, capsys: pytest.CaptureFixture[str], args: list[str], said: str
) -> None:
    task = {"task": "canny-control", "id": 0, "dep": [-1], "args": {"image": "a.jpg"}}
    Path("p.json").write_text(json.dumps({"inputs": [{"name": "a.jpg", "kind": "image"}], "tasks": [task]}))
    Path("wrong.json").write_text(json.dumps([{**task, "task": "no-such-task"}]))
    assert awesome_chat.main(["--config", config_file, "-q", *args]) == 2
    assert said in capsys.readouterr().err


def test_a_plan_takes_the_place_of_plans_alone(config_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--config", config_file, "-q", REQUEST, "--plan", "--save-plan"]
    assert awesome_chat.main([*options, "p.json"]) == awesome_chat.main([*options, "p.json"]) == 0
    Path("notes.txt").write_text("Mine.", encoding="utf-8")
    for name in ("notes.txt", "config.yaml"):
        kept = Path(name).read_bytes()
        assert awesome_chat.main([*options, name]) == 2
        assert f"{name} is there already and is no plan" in capsys.readouterr().err
        assert Path(name).read_bytes() == kept
