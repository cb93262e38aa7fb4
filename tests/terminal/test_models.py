"""--refresh-models, --search-models and models named in requests, as programs, with services on loopback."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.common.paths import ROOT
from hugginggpt.testing import FakeExperts, FakeLLM, plan, task, write_config
from hugginggpt.testing.fake_hub import FakeHub, listed
from hugginggpt.testing.fakes import HANG, status

pytestmark = pytest.mark.slow

DETECTION = "object-detection"
NO_KEYS = dict.fromkeys(("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "HF_TOKEN", "HUGGINGFACE_ACCESS_TOKEN"), "")


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    large = listed("me/large", DETECTION, 2000, ())
    large["safetensors"] = {"parameters": {"BF16": 900_000_000_000}, "total": 900_000_000_000}
    models = [listed("me/new", DETECTION, 5000), large, listed("me/other", "text-to-image", 7)]
    with FakeHub(models, {"me/new": "# New\n\nFinds things."}) as server:
        yield server


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    file = tmp_path / "models.jsonl"
    file.write_text(json.dumps({"id": "me/old", "task": DETECTION, "downloads": 12, "description": "Old."}) + "\n")
    write_config(tmp_path, base_catalog=str(file), device="cpu", models_server={"memory": 2.0})
    return file


def command(catalogue: Path, hub: FakeHub, *args: str, **options: Any) -> subprocess.Popen[str]:
    """The program, for which the Hub is this one, as huggingface_hub's own variable says."""
    environment = {**os.environ, **NO_KEYS, "HF_ENDPOINT": hub.url}
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(ROOT / "awesome_chat.py"), "--config", str(catalogue.parent / "config.yaml"), *args],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        **{"stdin": subprocess.DEVNULL, **options},
    )  # fmt: skip


def done(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=100)
    return process.returncode, out, err


def refreshed(catalogue: Path, hub: FakeHub, *args: str) -> tuple[int, str, str]:
    return done(command(catalogue, hub, "--refresh-models", *args))


def models_in(catalogue: Path) -> list[str]:
    return [json.loads(line)["id"] for line in catalogue.read_text().splitlines()]


def test_without_a_terminal_it_says_what_would_change_and_how(catalogue: Path, hub: FakeHub) -> None:
    code, out, _ = refreshed(catalogue, hub)
    assert code == 1
    assert (
        "object-detection: 1 added, 1 removed, 0 changed\n  + me/new (5,000 downloads)\n  - me/old (12 downloads)"
        in out
    )
    assert "With --yes it does not ask." in out
    assert models_in(catalogue) == ["me/old"]
    hub.asked.clear()
    code, out, err = refreshed(catalogue, hub, "--yes")
    assert code == 0 and "Written: " in out and "were fetched before" in err
    assert hub.asked == []
    assert models_in(catalogue) == ["me/new", "me/other"]
    code, out, _ = refreshed(catalogue, hub, "--yes")
    assert (code, "Nothing changes." in out) == (0, True)


@pytest.mark.parametrize(("answer", "written"), [("y", True), ("", False), ("n", False)])
def test_on_a_terminal_it_asks(catalogue: Path, hub: FakeHub, answer: str, written: bool) -> None:
    ours, theirs = pty.openpty()
    process = command(catalogue, hub, "--refresh-models", stdin=theirs)
    os.write(ours, f"{answer}\n".encode())
    code, _, _ = done(process)
    os.close(theirs)
    os.close(ours)
    assert (code, models_in(catalogue)) == ((0, ["me/new", "me/other"]) if written else (1, ["me/old"]))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_one_that_is_stopped_in_the_middle_loses_nothing(catalogue: Path, hub: FakeHub, number: int) -> None:
    hub.always["list text-to-image"] = HANG
    process = command(catalogue, hub, "--refresh-models", "--yes")
    assert process.stderr
    line = ""
    while not line.startswith(DETECTION):
        line = process.stderr.readline()
        assert line
    process.send_signal(number)
    code, _, err = done(process)
    assert code == (-number if number == signal.SIGKILL else 128 + number)
    assert number == signal.SIGKILL or "Stopped. What was fetched is kept" in err
    assert "Traceback" not in err
    assert models_in(catalogue) == ["me/old"]
    hub.reset()
    hub.asked.clear()
    assert refreshed(catalogue, hub, "--yes")[0] == 0
    assert DETECTION not in {asked["pipeline_tag"] for asked in hub.asked}
    assert models_in(catalogue) == ["me/new", "me/other"]


def test_a_hub_that_was_never_there_leaves_nothing_to_keep(catalogue: Path) -> None:
    with FakeHub() as gone:
        pass
    code, _, err = refreshed(catalogue, gone)
    assert code == 1
    assert "cannot be asked" in err and "What was fetched" not in err and "Traceback" not in err


def test_a_hub_that_goes_away_is_told_with_what_is_kept(catalogue: Path, hub: FakeHub) -> None:
    hub.always["list automatic-speech-recognition"] = status(401)
    code, _, err = refreshed(catalogue, hub)
    assert code == 1
    assert "answered 401" in err and "What was fetched is kept for a day" in err and "Traceback" not in err


def test_a_search_lists_models_and_what_fits(catalogue: Path, hub: FakeHub) -> None:
    code, out, err = done(command(catalogue, hub, "--search-models", "Object Detection"))
    assert (code, err) == (0, "")
    new, large = (next(line for line in out.splitlines() if name in line) for name in ("me/new", "me/large"))
    assert new.split() == [
        "me/new",
        "5,000",
        "500",
        "0.17",
        "GB",
        "apache-2.0",
        "hf-inference",
        "fits,",
        "0.17",
        "GB",
        "loaded",
    ]
    assert "does not fit, 3,600 GB loaded" in large and "1,800 GB" in large
    assert "The model server has 2.0 GB for models on cpu" in out
    code, out, _ = done(command(catalogue, hub, "--search-models", DETECTION, "LARGE", "--json"))
    (found,) = json.loads(out)
    assert (found["id"], found["providers"], found["model server"]["fits"]) == ("me/large", [], False)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--search-models", "objet-detection"], 'no task "objet-detection": did you mean object-detection?'),
        (["--search-models", "xyzzy"], "there are text-classification"),
        (["--yes"], "--yes belongs to --refresh-models"),
        (["a request", "--refresh-models"], "take no request"),
    ],
)
def test_wrong_use(catalogue: Path, hub: FakeHub, args: list[str], said: str) -> None:
    code, out, err = done(command(catalogue, hub, *args))
    assert (code, out) == (2, "")
    assert said in err


# Models that a request names

DETR = "facebook/detr-resnet-101"
REQUEST = f"Find the objects in /examples/b.jpg with {DETR}"


def answered(folder: Path, request: str, **settings: Any) -> dict[str, Any]:
    """What `--json` prints of a request to the program."""
    write_config(folder, **{"inference_mode": "hybrid", **settings})
    arguments = [str(ROOT / "awesome_chat.py"), "--config", str(folder / "config.yaml"), "-q", "--json", request]
    program = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, env={**os.environ, **NO_KEYS},
    )  # fmt: skip
    assert (program.returncode, program.stderr) == (0, "")
    record: dict[str, Any] = json.loads(program.stdout)
    return record


def chosen(record: dict[str, Any]) -> list[str]:
    return [result["choose model result"]["id"] for result in record["results"].values()]


def test_a_named_model_that_nothing_has_is_said_with_what_to_set(tmp_path: Path) -> None:
    record = answered(tmp_path, REQUEST, local_inference_endpoint={"host": "127.0.0.1", "port": 9})
    assert chosen(record) == ["nanodet-coco"]
    sentence = (
        f"{DETR} was not used, as nothing that is set up here has it: start models_server.py with it "
        "(models_server.models), or set HF_TOKEN for Hugging Face."
    )
    assert sentence in record["message"].splitlines()
    (use,) = record["models"]
    assert (use["id"], use["tasks"]) == (DETR, [])


def test_a_named_model_of_the_catalogue_for_another_task_is_said(tmp_path: Path) -> None:
    record = answered(tmp_path, "Find the objects in /examples/b.jpg with openai/whisper-base")
    assert "openai/whisper-base was not used, as it is for automatic-speech-recognition" in record["message"]


@pytest.mark.parametrize("planner", ["offline", "local"])
def test_a_named_model_that_a_provider_serves_is_used(tmp_path: Path, planner: str) -> None:
    detection = plan(task(0, DETECTION, image="/examples/b.jpg"))
    with FakeExperts({"hustvl/yolos-tiny": DETECTION, DETR: DETECTION}) as hub, FakeLLM(plan=detection) as llm:
        services = {"huggingface": {"base_url": hub.url}, "local": {"endpoint": llm.url}, "llm": planner}
        record = answered(tmp_path, REQUEST, **services)
        assert chosen(record) == [DETR]
        assert len(hub.inferences(DETR)) == 1
        assert llm.bodies("select") == []
        assert bool(llm.bodies("plan")) == (planner == "local")
    assert record["models"] == [{"id": DETR, "tasks": [0], "why": "", "remedy": ""}]
    assert "not used" not in record["message"]
