"""The evaluation of planners: files, the judge, the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import BackendError, ModelOutputError, UserError
from hugginggpt.evaluate import taskbench
from hugginggpt.evaluate.__main__ import main
from hugginggpt.evaluate.formats import read_data
from hugginggpt.evaluate.judge import Judge, read_verdict
from hugginggpt.evaluate.report import disagreements, report
from hugginggpt.evaluate.run import JsonLinesFile, Prediction, in_threads, read_predictions
from hugginggpt.testing import ScriptedLLM, task
from hugginggpt.testing.fakes import DROP, FakeLLM, Fault, status
from tests.conftest import TABLE, MakeConfig
from tests.evaluate.labelled import BENCH, OWN

NO_KEYS = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "HF_TOKEN", "HUGGINGFACE_ACCESS_TOKEN")


@pytest.fixture
def files(tmp_path: Path, make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A file in each format, a configuration without a key, and places for what is made."""
    for key in NO_KEYS:
        monkeypatch.delenv(key, raising=False)
    make_config(log_file=None)
    for name, rows in (("own", OWN), ("bench", BENCH)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    names = (
        "own.jsonl",
        "bench.jsonl",
        "config.yaml",
        "out.jsonl",
        "a.jsonl",
        "b.jsonl",
        "out.report.json",
        "plot.png",
    )
    return {name: str(tmp_path / name) for name in names}


def write(file: str, plans: dict[str, Sequence[Any]]) -> None:
    Path(file).write_text("".join(json.dumps({"id": key, "plan": plan}) + "\n" for key, plan in plans.items()))


def lines(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


# Files


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no requests"), ("{", r"data\.jsonl, line 1: this is not JSON"), ('{"id": 1}\n', "line 1: this is not a labelled request"),
        ('{"id": 1, "request": "x", "plan": []}\n{"id": 1, "request": "y", "plan": []}', "the same id"),
        ('{"id": 1, "request": "x", "plan": []}\n{"id": 2, "request": "y", "plan": [3]}', "line 2"),
    ],
)  # fmt: skip
def test_data_that_cannot_be_read(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "data.jsonl").write_text(text)
    with pytest.raises(UserError, match=said):
        read_data(tmp_path / "data.jsonl", TABLE)
    with pytest.raises(UserError, match="Cannot read"):
        read_data(tmp_path / "none", TABLE)


def test_tools_of_a_file(tmp_path: Path, files: dict[str, str], caplog: pytest.LogCaptureFixture) -> None:
    nodes = [{"id": "Image-to-Text", "output-type": ["text"]}, {"id": "Image Editing"}, {"id": "Video Stabilizer"}]
    (tmp_path / "tools.json").write_text(json.dumps({"nodes": nodes}))
    data = read_data(Path(files["bench.jsonl"]), TABLE, 2, tmp_path / "tools.json")
    assert data.tasks == {"image-to-text", "image-to-image"} and len(data.samples) == 2
    assert "no task type for video stabilizer" in caplog.text
    with pytest.raises(UserError, match=r"tool_desc\.json"):
        taskbench.read_tools(Path(files["own.jsonl"]), TABLE)


def test_a_half_written_line_is_cut_off_and_a_whole_one_ended(tmp_path: Path) -> None:
    kept = JsonLinesFile(tmp_path / "out.jsonl")
    kept.repair()
    kept.append({"id": 1})
    for ending, left in (('{"id": 2, "pl', [1]), ('{"id": 2}', [1, 2]), ("", [1, 2])):
        with kept.file.open("a") as stream:
            stream.write(ending)
        kept.repair()
        assert [row["id"] for row in kept.rows()] == left
        assert kept.file.read_text().endswith("\n")


@pytest.mark.parametrize("line", ['{"id": "1"}', '{"id": "1", "plan": [{"task": "x"}]}', '{"id": "1", "plan": 3}', "[]",
                                  '{"id": "1", "plan": [{"task": "x", "id": 0, "args": []}, {"task": "x", "id": [1]}]}'])  # fmt: skip
def test_predictions_that_cannot_be_read(tmp_path: Path, line: str) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": "0", "plan": []}\n' + line + "\n")
    with pytest.raises(UserError, match=r"p\.jsonl, line 2"):
        read_predictions(tmp_path / "p.jsonl")


def test_threads_give_what_fails_beside_the_rest_and_stop_for_a_service_that_is_down() -> None:
    def work(number: int) -> int:
        if number == 2:
            raise ModelOutputError("bad")
        if number == 4:
            raise BackendError("gone", endpoint_down=True)
        return number * 10

    found = dict(in_threads(work, [1, 2, 3], 3))
    assert (found[1], str(found[2]), found[3]) == (10, "bad", 30)
    with pytest.raises(BackendError, match="gone"):
        list(in_threads(work, [4, 4, 4], 2))
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda n: n // 0, [1], 1))


# The command line


def test_the_offline_planner_is_measured_and_resumes(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    out, arguments = (
        files["out.jsonl"],
        ["--planner", "offline", "--data", files["own.jsonl"], "--config", files["config.yaml"]],
    )
    assert main([*arguments, "--out", out, "--limit", "2"]) == 0
    before = Path(out).read_text()
    Path(out).write_text(before + '{"id": "3", "pla')
    assert main([*arguments, "--out", out]) == 0
    assert Path(out).read_text().startswith(before)
    assert sorted(row["id"] for row in lines(out)) == list("12345")
    found = json.loads(Path(files["out.report.json"]).read_text())
    assert (found["planner"], found["requests"], found["planned"]) == ("offline", 5, 5)
    assert found["figures"]["overall"]["n-F1"] > 0 and found["seconds"]["requests"] == 5
    said = capsys.readouterr().out
    assert "exact arguments" in said and "2 tasks" in said and "Time of a plan: median" in said


def test_plans_of_another_planner_are_not_mixed(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    Path(files["out.jsonl"]).write_text('{"id": "1", "plan": [], "planner": "local:other"}\n')
    arguments = [
        "--planner",
        "offline",
        "--data",
        files["own.jsonl"],
        "--config",
        files["config.yaml"],
        "--out",
        files["out.jsonl"],
    ]
    assert main(arguments) == 2
    assert "holds plans of 'local:other', not of offline" in capsys.readouterr().err
    assert main([*arguments, "--fresh", "-q"]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--planner", "llm"], "--planner llm needs a language model"), (["--planner", "offline", "--judge"], "--judge needs a language model"),
        ([], "There are no plans in"), (["--llm", "openai"], "OPENAI_API_KEY"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(
    files: dict[str, str], capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert (
        main([*arguments, "--data", files["own.jsonl"], "--config", files["config.yaml"], "--out", files["out.jsonl"]])
        == 2
    )
    assert said in capsys.readouterr().err
    assert not Path(files["out.jsonl"]).exists()


@pytest.mark.parametrize(
    "arguments", [[], ["--compare", "a", "b", "--planner", "offline"], ["--out", "x", "--workers", "0"]]
)
def test_wrong_use(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--data", "x", *arguments])


def use_llm(files: dict[str, str], server: FakeLLM) -> list[str]:
    """Arguments that have the loopback language model plan the project's own requests."""
    config = Path(files["config.yaml"])
    config.write_text(yaml.safe_dump({**yaml.safe_load(config.read_text()), "local": {"endpoint": server.url}}))
    return ["--planner", "llm", "--data", files["own.jsonl"], "--config", str(config), "--out", files["out.jsonl"]]


def test_a_language_model_is_measured(
    files: dict[str, str], llm_server: FakeLLM, capsys: pytest.CaptureFixture[str]
) -> None:
    llm_server.replies["plan"] = json.dumps({"tasks": OWN[0]["plan"]})
    llm_server.faults["plan"] = [
        status(500),
        Fault(body=json.dumps({"choices": [{"message": {"content": "I think not"}}]})),
    ]
    arguments = use_llm(files, llm_server)
    assert main([*arguments, "--limit", "3"]) == 1
    assert "failed: 1: " in capsys.readouterr().err
    assert main([*arguments, "--workers", "3"]) == 0
    rows = {row["id"]: row for row in lines(files["out.jsonl"])}
    assert rows["1"]["plan"] == OWN[0]["plan"] and rows["1"]["planner"] == "local:fake-model"
    found = json.loads(Path(files["out.report.json"]).read_text())
    assert found["planned"] == 5 and found["tokens"]["calls"] >= 5
    asked = [body["messages"][-1]["content"] for body in llm_server.bodies("plan")]
    assert sum("Describe c.png" in text for text in asked) == 1  # the chat before the request is sent
    assert "Tokens: " in capsys.readouterr().out


def test_a_language_model_is_held_to_taskbench_tools(files: dict[str, str], llm_server: FakeLLM) -> None:
    llm_server.replies["plan"] = json.dumps(
        {"tasks": [task(0, "canny-control", image="x.jpg"), task(1, "image-to-text", image="x.jpg")]}
    )
    arguments = use_llm(files, llm_server)
    arguments[3] = files["bench.jsonl"]
    assert main([*arguments, "--limit", "1"]) == 0
    body = llm_server.bodies("plan")[0]
    table = body["messages"][0]["content"]
    assert "- image-to-text(" in table and "canny" not in table and "fill-mask" not in table
    choices = body["response_format"]["json_schema"]["schema"]["properties"]["tasks"]["items"]["properties"]["task"][
        "enum"
    ]
    assert len(choices) == 24 and "openpose-control" not in json.dumps(body["messages"])
    assert [step["task"] for step in lines(files["out.jsonl"])[0]["plan"]] == ["image-to-text"]


def test_the_demonstrations_belong_to_the_planner_that_is_measured(
    files: dict[str, str], llm_server: FakeLLM, tmp_path: Path
) -> None:
    """Plans made with the nearest demonstrations are not taken for those made with the fixed ones."""
    (tmp_path / "pool.jsonl").write_text("")
    arguments = [*use_llm(files, llm_server), "--limit", "1"]
    assert main(arguments) == 0
    config = Path(files["config.yaml"])
    nearest = {
        "demonstrations": "nearest",
        "demonstrations_count": 2,
        "demonstrations_pool": str(tmp_path / "pool.jsonl"),
    }
    config.write_text(yaml.safe_dump({**yaml.safe_load(config.read_text()), **nearest}))
    assert main(arguments) == 2
    assert main([*arguments, "--fresh"]) == 0
    assert lines(files["out.jsonl"])[0]["planner"] == "local:fake-model with the 2 nearest demonstrations"


def test_an_answer_without_a_plan_counts_as_an_empty_plan(files: dict[str, str], llm_server: FakeLLM) -> None:
    llm_server.replies["plan"] = "I would rather not."
    assert main([*use_llm(files, llm_server), "--limit", "2"]) == 0
    found = json.loads(Path(files["out.report.json"]).read_text())
    assert found["unusable"] == 2 and found["figures"]["overall"]["n-F1"] == 0


def test_a_service_that_is_down_ends_the_run(
    files: dict[str, str], llm_server: FakeLLM, capsys: pytest.CaptureFixture[str]
) -> None:
    llm_server.always["all"] = DROP
    assert main(use_llm(files, llm_server)) == 2
    assert "cannot be reached" in capsys.readouterr().err


def test_two_planners_side_by_side(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    gold = {row["id"]: row["plan"] for row in OWN}
    write(files["a.jsonl"], {**gold, "4": []})
    write(files["b.jsonl"], {**gold, "1": [task(0, "image-to-text", image="[bold]x.jpg")], "2": gold["2"][:1]})
    assert main(["--data", files["own.jsonl"], "--compare", files["a.jsonl"], files["b.jsonl"], "--report", files["out.report.json"],
                 "--config", files["config.yaml"]]) == 0  # fmt: skip
    said = capsys.readouterr().out
    assert "3 worst disagreements" in said
    assert (
        "How many owls are in barn.jpg?" in said
        and "A 1.00  object-detection" in said
        and "B 0.00  image-to-text" in said
    )
    both = json.loads(Path(files["out.report.json"]).read_text())
    assert (
        both["A"]["figures"]["overall"]["exact graphs"] == 80 and both["B"]["figures"]["overall"]["exact graphs"] == 60
    )


def test_the_worst_disagreement_comes_first_and_shows_arguments_where_only_they_differ(files: dict[str, str]) -> None:
    data = read_data(Path(files["own.jsonl"]), TABLE)
    gold = {row["id"]: Prediction(row["id"], row["plan"]) for row in OWN}  # type: ignore[arg-type]
    other = {
        **gold,
        "1": Prediction("1", [task(0, "object-detection", image="cellar.jpg")]),
        "3": Prediction("3", OWN[0]["plan"]),
    }  # type: ignore[arg-type]
    worst = disagreements(data, gold, other, 5)
    assert [one.sample.id for one in worst] == ["3", "1"]
    assert dict(worst[1].lines())["B 0.67"] == 'object-detection(image="cellar.jpg")'
    assert disagreements(data, gold, gold, 5) == []


def test_unlabelled_requests_are_planned_and_not_scored(tmp_path: Path) -> None:
    (tmp_path / "u.jsonl").write_text('{"id": "1", "user_request": "hello"}\n')
    data = read_data(tmp_path / "u.jsonl", TABLE)
    found = report(data, {"1": Prediction("1", [], "offline", 0.5)})
    assert found["figures"] == {} and found["paper"] == {} and found["seconds"]["median"] == 0.5


# The judge


def test_verdicts_in_the_forms_that_models_write() -> None:
    said = 'Well: ```json\n{"reason": "fine", "correct": "yes", "score": "80%"}\n```'
    assert (read_verdict("1", said).correct, read_verdict("1", said).score) == (True, 0.8)
    assert read_verdict("1", '{"score": 0, "correct": false}').score == 0
    for text in (
        "yes",
        '{"score": 7, "correct": true}',
        '{"score": "good", "correct": true}',
        '{"score": 1}',
        '{"score": true, "correct": true}',
        "{",
    ):
        with pytest.raises(ModelOutputError):
            read_verdict("1", text)


def test_the_judge_asks_again_once_and_remembers(
    files: dict[str, str], tmp_path: Path, scripted: Callable[..., ScriptedLLM]
) -> None:
    data = read_data(Path(files["own.jsonl"]), TABLE, 3)
    good, bad = '{"reason": "", "correct": true, "score": 1}', "no idea"
    plans = {row["id"]: Prediction(str(row["id"]), row["plan"]) for row in OWN}  # type: ignore[arg-type]
    llm = scripted(judge=[good, bad, good, bad, bad])
    judge = Judge(llm, tmp_path / "judged.jsonl", TABLE)
    assert [verdict.id for verdict in judge.all(data.samples, plans, 1)] == ["1", "2"]
    assert len(judge.failures) == 1 and judge.failures[0].startswith("3: ")
    assert "barn.jpg" in llm.calls[0][1][1]["content"] and "- object-detection(" in llm.calls[0][1][0]["content"]
    again = scripted(judge=['{"reason": "", "correct": false, "score": 0.5}'])
    verdicts = Judge(again, tmp_path / "judged.jsonl", TABLE).all(data.samples, plans, 2)
    assert sorted((verdict.id, verdict.score) for verdict in verdicts) == [("1", 1), ("2", 1), ("3", 0.5)]
    found = report(data, plans, verdicts)["judge"]
    assert found["overall"] == {"requests": 3, "correct": 66.67, "score": 83.33}
    assert found["none"]["score"] == 50


def test_the_judge_from_the_command_line(
    files: dict[str, str], llm_server: FakeLLM, capsys: pytest.CaptureFixture[str]
) -> None:
    llm_server.replies["chat"] = '{"reason": "good", "correct": true, "score": 0.9}'
    llm_server.faults["chat"] = [Fault(ends="length", part=0.99)]  # what is cut off is asked for again
    arguments = use_llm(files, llm_server)[2:]
    assert main(["--planner", "offline", *arguments, "--llm", "offline", "--judge", "local", "--limit", "2"]) == 0
    found = json.loads(Path(files["out.report.json"]).read_text())
    assert (
        found["judge"]["overall"] == {"requests": 2, "correct": 100.0, "score": 90.0}
        and found["judge by"] == "local:fake-model"
    )
    assert "Judged by a language model" in capsys.readouterr().out
    assert len(llm_server.bodies("chat")) == 3


# As a program


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hugginggpt.evaluate", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=100, **options)


@pytest.mark.slow
def test_the_program_measures_and_draws_in_both_formats(files: dict[str, str]) -> None:
    for name in ("own.jsonl", "bench.jsonl"):
        done = program("--planner", "offline", "--data", files[name], "--out", files["out.jsonl"], "--fresh",
                       "--plot", files["plot.png"], "--config", files["config.yaml"])  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert f"offline on {name}: 5 of 5 requests planned" in done.stdout
        assert len(lines(files["out.jsonl"])) == 5
        is_picture(Path(files["plot.png"]))


@pytest.mark.slow
def test_a_comparison_is_drawn(files: dict[str, str]) -> None:
    write(files["a.jsonl"], {row["id"]: row["plan"] for row in OWN})
    write(files["b.jsonl"], {})
    arguments = [
        "--data",
        files["own.jsonl"],
        "--compare",
        files["a.jsonl"],
        files["b.jsonl"],
        "--config",
        files["config.yaml"],
    ]
    assert main([*arguments, "--plot", files["plot.png"]]) == 0
    is_picture(Path(files["plot.png"]))
    assert main([*arguments, "--plot", files["plot.png"] + ".docx"]) == 2


def is_picture(file: Path) -> None:
    from PIL import Image

    with Image.open(file) as picture:
        assert picture.format == "PNG" and picture.width > 600
        assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 10
    file.unlink()


class Killing(FakeLLM):
    """Sends a signal to its client at the third plan, then keeps it waiting."""

    def __init__(self, what: signal.Signals) -> None:
        super().__init__(plan=json.dumps({"tasks": OWN[0]["plan"]}))
        self.what = what
        self.client: subprocess.Popen[str] | None = None

    def answer(self, call: Any) -> None:
        if self.client and call.command == "POST" and len(self.bodies("plan")) == 3:
            os.kill(self.client.pid, self.what)
            self.over.wait(60)
            return
        super().answer(call)


@pytest.mark.slow
@pytest.mark.parametrize("what", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_stopped_goes_on(files: dict[str, str], what: signal.Signals) -> None:
    with Killing(what) as server:
        arguments = use_llm(files, server)
        command = [sys.executable, "-m", "hugginggpt.evaluate", *arguments]
        with subprocess.Popen(
            command,
            cwd=ROOT,
            text=True,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  no threads yet; a shell's background jobs ignore it
        ) as stopped:
            server.client = stopped
            _, said = stopped.communicate(timeout=60)
        assert stopped.returncode == (130 if what == signal.SIGINT else -what)
        assert what == signal.SIGKILL or "the same command continues from there" in said
        before = len(lines(files["out.jsonl"])) if Path(files["out.jsonl"]).exists() else 0
        server.client = None
        assert before < 5 and main(arguments) == 0
        assert sorted(row["id"] for row in lines(files["out.jsonl"])) == list("12345")
        assert len(server.bodies("plan")) == 3 + 5 - before
