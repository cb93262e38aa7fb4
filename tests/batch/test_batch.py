"""One plan over many files, from the command line to the tables."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.batch.rows import Row
from hugginggpt.batch.work import Job
from hugginggpt.batch.workers import OwnProcess, Pool
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.stages.plan_files import Input, PlanFile
from hugginggpt.terminal import cli
from hugginggpt.testing import FakeEndpoint, task
from hugginggpt.testing.fakes import png
from tests.batch.batches import DEADLY, FAILING, make_fake, make_none, size_of
from tests.conftest import MakeConfig, controller_at

REQUEST = "Describe each picture"
Main = Callable[..., int]


@pytest.fixture
def config_file(make_config: MakeConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    make_config(llm="offline", embedded=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return str(tmp_path / "config.yaml")


@pytest.fixture
def place() -> FakeEndpoint:
    return FakeEndpoint("local", {"image-to-text": ["teller", "other"]}, size_of)


@pytest.fixture
def main(config_file: str, place: FakeEndpoint) -> Main:
    def run(*args: str) -> int:
        return cli.main(lambda config: controller_at(config, None, place), ["--config", config_file, *args])

    return run


def pictures(folder: Path, number: int, *marks: bytes) -> None:
    folder.mkdir()
    for at in range(number):
        (folder / f"{at}.png").write_bytes(png() + b"\0" * at)
    for mark in marks:
        (folder / f"{mark.decode()}.png").write_bytes(png() + mark)


def table(folder: Path) -> list[dict[str, str]]:
    with (folder / "results.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_each_file_is_a_row_a_failure_too_and_only_what_is_missing_is_run_again(
    main: Main, place: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures(tmp_path / "in", 3, FAILING)
    assert main(REQUEST, "-a", "in", "-o", "out") == 0
    shown = capsys.readouterr()
    assert "3 of 4 done, 1 failed." in shown.out
    assert "[4/4]" in shown.err and "--resume out" in shown.err
    rows = table(tmp_path / "out")
    assert [row["file"] for row in rows] == ["0.png", "1.png", "2.png", "failing.png"]
    size = len(png())
    assert rows[1]["0 image-to-text"] == f"{size + 1} bytes"
    assert (rows[0]["model"], rows[0]["error"]) == ("teller", "")
    assert "It cannot be seen." in rows[3]["error"]
    assert len(place.calls) == 4  # the model was chosen once: no other is tried
    (tmp_path / "in" / "failing.png").write_bytes(png() + b"mended")
    (tmp_path / "in" / "0.png").rename(tmp_path / "in" / "9.png")
    place.calls.clear()
    assert main("--resume", "out", "-a", "in", "-q") == 0
    assert len(place.calls) == 1
    assert [(row["file"], row["error"]) for row in table(tmp_path / "out")] == [
        ("1.png", ""), ("2.png", ""), ("9.png", ""), ("failing.png", ""),
    ]  # fmt: skip
    lines = [json.loads(line) for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()]
    assert lines[0]["tasks"]["0"]["value"] == {"generated text": f"{size + 1} bytes"}
    assert not list((tmp_path / "logs").glob("runs/*")) or len(list((tmp_path / "logs" / "runs").iterdir())) == 1


def test_a_kept_plan_is_run_for_a_table_with_texts(main: Main, tmp_path: Path, place: FakeEndpoint) -> None:
    pictures(tmp_path / "in", 2)
    plan = {"request": "Describe cat.png", "inputs": [{"name": "cat.png", "kind": "image"}],
            "tasks": [{**task(0, "image-to-text", image="cat.png"), "model": "other"}]}  # fmt: skip
    (tmp_path / "p.json").write_text(json.dumps(plan))
    (tmp_path / "in" / "list.csv").write_text("picture,owner\n0.png,Ada\n1.png,=Bob\n")
    assert main("--run-plan", "p.json", "--files", "in/list.csv", "-o", "out", "-q") == 0
    assert [(row["owner"], row["model"]) for row in table(tmp_path / "out")] == [("Ada", "other"), ("'=Bob", "other")]


def test_a_kept_plan_may_name_a_file_of_this_machine_for_all_rows(main: Main, tmp_path: Path) -> None:
    pictures(tmp_path / "in", 2)
    (tmp_path / "same.png").write_bytes(png() + b"\0" * 9)
    tasks = [task(0, "image-to-text", image="file"), task(1, "image-to-text", image="same.png")]
    (tmp_path / "p.json").write_text(json.dumps({"inputs": [{"name": "file", "kind": "image"}], "tasks": tasks}))
    assert main("--run-plan", "p.json", "-a", "in", "-o", "out", "-q") == 0
    rows = table(tmp_path / "out")
    assert len({row["0 image-to-text"] for row in rows}) == 2 and len({row["1 image-to-text"] for row in rows}) == 1
    assert [row["error"] for row in rows] == ["", ""]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["-a", "in"], "These are 21 files, which need your leave"),
        (["-a", "in", "--yes", "--max-calls", "20"], "This takes 21 calls to services of others"),
        (["-a", "in", "--results"], "For many files there is --plan"),
        (["-a", "in", "--workers", "0"], "--workers and --max-calls are numbers above 0"),
        (["--workers", "2"], "--workers and --max-calls are for many files"),
        (["-a", "none*"], "There are no files that can be read"),
        (["--files", "none.txt"], "The list none.txt cannot be read"),
        (["-a", "in", "--plan", "--save-plan", "none/p.json"], "The plan cannot be written to none/p.json"),
    ],
)
def test_what_cannot_be_done_is_said(
    main: Main, place: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], said: str
) -> None:
    pictures(tmp_path / "in", 21)
    place.is_free = False
    assert main(REQUEST, "-o", "out", "-q", *args) == 2
    assert said in capsys.readouterr().err
    assert place.calls == [] and not (tmp_path / "out").exists()


def test_a_plan_for_many_files_can_be_looked_at(main: Main, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures(tmp_path / "in", 21)
    assert main(REQUEST, "-a", "in", "--plan", "--save-plan", "p.json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["inputs"] == [{"name": "file", "kind": "image"}]
    assert shown == json.loads((tmp_path / "p.json").read_text())


def test_a_service_that_is_asked_too_often_is_left_alone(main: Main, place: FakeEndpoint, tmp_path: Path) -> None:
    pictures(tmp_path / "in", 3)
    busy = [True]

    def work(*args: Any) -> Any:
        if busy and busy.pop():
            error = BackendError("It is asked too often.", status=429)
            error.retry_after = 0.001
            raise error
        return size_of(*args)

    place.work = work
    assert main(REQUEST, "-a", "in", "-o", "out", "-q") == 0
    assert [row["error"] for row in table(tmp_path / "out")] == ["", "", ""]
    assert len(place.calls) == 4


def test_questions_are_answered_over_all_files(
    main: Main, place: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures(tmp_path / "in", 3, FAILING)

    def detect(model: str, row: Any, args: Any) -> Any:
        size_of(model, row, args)
        number = Path(args["image"]).stat().st_size - len(png())
        people = [{"label": "person", "score": 0.9, "box": {"xmin": at}} for at in range(number)]
        return {"predicted": people}

    place.work, place.by_task = detect, {"object-detection": ["detector"]}
    assert main("Which picture has the most people?", "-a", "in", "-o", "out", "-q") == 0
    shown = capsys.readouterr().out
    assert "2.png" in shown.splitlines()[0]
    assert "There is no result for 1 of 4 files." in shown


def test_no_more_is_under_way_than_there_are_workers() -> None:
    """And jobs are taken only when a worker is free, however many there are."""
    taken: list[int] = []
    gate = threading.Semaphore(0)

    class Slow:
        def run(self, job: Any) -> Any:
            gate.acquire()
            return {"seconds": 0.0, "error": "", "wait": 0.0, "tasks": {}}

        def close(self) -> None:
            gate.release()

    def jobs() -> Any:
        for number in range(1000):
            taken.append(number)
            yield str(number), Job(Row(str(number)), "", "")

    outcomes = Pool([Slow(), Slow()]).run(jobs())
    for done in range(1, 6):
        gate.release()
        next(outcomes)
        assert len(taken) <= done + 2
    outcomes.close()
    assert len(taken) <= 8


@pytest.mark.slow
def test_a_file_that_kills_its_worker_costs_one_row(make_config: MakeConfig, tmp_path: Path) -> None:
    config: Config = make_config({"OPENAI_API_KEY": "sk-of-nobody"}, embedded=False)
    pictures(tmp_path / "in", 3, DEADLY)
    plan = PlanFile([task(0, "image-to-text", image="file")], (Input("file", "image"),))
    rows = [Row(path.name, {"file": str(path)}) for path in sorted((tmp_path / "in").iterdir(), reverse=True)]
    jobs = ((row.name, Job(row, str(tmp_path / "out"), "")) for row in rows)
    pool = Pool([OwnProcess(make_fake, config, plan, {"file": "file"})])
    outcomes = {key: outcome for key, _, outcome in pool.run(jobs)}
    assert outcomes.pop("deadly.png")["error"] == "Its worker died (SIGKILL): the file may have made a library crash."
    assert [outcome["error"] for outcome in outcomes.values()] == ["", "", ""]


@pytest.mark.slow
def test_workers_that_die_at_once_end_the_batch(make_config: MakeConfig, tmp_path: Path) -> None:
    pictures(tmp_path / "in", 1)
    plan = PlanFile([task(0, "image-to-text", image="file")], (Input("file", "image"),))
    job = Job(Row("0.png", {"file": str(tmp_path / "in" / "0.png")}), str(tmp_path / "out"), "")
    pool = Pool([OwnProcess(make_none, make_config(), plan, {"file": "file"})])
    with pytest.raises(BackendError, match="workers died one after the other"):
        list(pool.run((str(number), job) for number in range(100)))
