"""Resuming a run from its record: only unfinished tasks are run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from awesome_chat import Controller
from hugginggpt.common.paths import ROOT
from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment, Turn
from hugginggpt.core.errors import BackendError, UserError
from hugginggpt.core.events import RunRecord, RunStarted
from hugginggpt.records.run_log import KEPT_TURNS
from hugginggpt.testing import FakeEndpoint, plan, run, task
from hugginggpt.testing.fakes import HANG, FakeExperts, FakeLLM, Server, png
from tests.conftest import MakeConfig, controller_at, controller_with
from tests.terminal.test_cli import NO_KEYS

A, B = "/examples/a.jpg", "/examples/b.jpg"
PLAN = plan(
    task(0, "image-to-text", image=A),
    task(1, "image-to-text", image=B),
    task(2, "text-to-image", text="<GENERATED>-1"),
    task(3, "object-detection", [2], image="<GENERATED>-2"),
)
MODELS = {"image-to-text": ["caption"], "text-to-image": ["paint"], "object-detection": ["detect"]}


def goes_on(controller: Controller, run_id: str) -> RunRecord:
    record = RunRecord()
    for event in controller.run(controller.resume(run_id)):
        record.apply(event)
    return record


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False)


def place(config: Config, *broken: str) -> FakeEndpoint:
    def work(model: str, task: Any, args: Any) -> Any:
        if model in broken:
            raise BackendError(f"{model} is broken.")
        if model == "paint":
            (config.public_dir / "images").mkdir(exist_ok=True)
            (config.public_dir / "images" / "p.png").write_bytes(png())
            return {"generated image": "/images/p.png"}
        return {"generated text": f"seen {args['image']}"} if model == "caption" else {"predicted": []}

    return FakeEndpoint("local", MODELS, work)


def test_only_what_is_not_finished_is_run(config: Config, scripted: Any) -> None:
    first = run(controller_at(config, scripted(plan=PLAN, respond="Half."), place(config, "detect")), "Look at both")
    assert [task.state for task in first.tasks.values()] == ["finished", "finished", "finished", "failed"]
    whole = place(config)
    second = goes_on(
        controller_at(config, scripted(respond="All."), whole), first.run_id
    )  # planning would use no script
    assert [(call[0], call[2]) for call in whole.calls] == [
        ("detect", {"image": config.public_dir / "images" / "p.png"})
    ]
    assert all(task.ok for task in second.tasks.values())
    assert (second.request, second.plan) == ("Look at both", first.plan)
    assert second.message.startswith("All.\n\n")
    assert second.notices == ["The run is resumed: 3 of 4 tasks were finished before."]
    for number in "012":
        assert second.results[number] == first.results[number]
    third = goes_on(controller_at(config, scripted(respond="Again."), idle := place(config)), "last")
    assert (idle.calls, third.errors) == ([], [])


def test_a_result_whose_file_is_gone_is_made_again(config: Config, scripted: Any) -> None:
    first = run(controller_at(config, scripted(plan=PLAN, respond="Half."), place(config, "detect")), "Look at both")
    (config.public_dir / "images" / "p.png").unlink()
    again = place(config)
    assert goes_on(controller_at(config, scripted(respond="All."), again), first.run_id).errors == []
    assert [call[0] for call in again.calls] == ["paint", "detect"]


@pytest.mark.parametrize("key", ["1", "e", "none", "sk-secret", "inference result"])
def test_a_record_can_be_read_whatever_the_key_is(
    make_config: MakeConfig, scripted: Any, tmp_path: Path, key: str
) -> None:
    """A dummy for a service of one's own stands in any text; the names in a record are not the key's."""
    config = make_config({"OPENAI_API_KEY": key}, embedded=False)
    llm = scripted(plan=PLAN, respond=f"The key is {key}, 1 or none.")
    first = run(controller_at(config, llm, place(config, "detect")), f"Look at both with {key}")
    text = next((tmp_path / "logs" / "runs").iterdir()).read_text()
    assert (f"with {key}" in text, "with ***" in text) == ((True, False) if len(key) < 5 else (False, True))
    second = goes_on(controller_at(config, scripted(respond="All."), place(config)), "last")
    assert second.notices == ["The run is resumed: 3 of 4 tasks were finished before."]
    assert second.results["0"] == first.results["0"]


def test_a_run_that_broke_off_while_planning_is_planned_anew(config: Config, scripted: Any) -> None:
    first = run(controller_at(config, scripted(plan=[BackendError("No.")]), place(config)), "Look at both")
    assert (first.plan.tasks, first.message) == ((), "")
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), respond="One.")
    again = goes_on(controller_at(config, llm, place(config)), first.run_id)
    assert (again.answer, len(again.tasks)) == ("One.", 1)


def test_a_run_that_was_killed_while_it_was_planned_is_planned_anew(config: Config, scripted: Any) -> None:
    """Its journal holds the request from the first event on, and perhaps what was begun before the plan was whole."""
    llm = scripted(plan=PLAN, respond="All.")
    controller = controller_at(config, llm, place(config))
    killed = controller.run(controller.prepare([{"role": "user", "content": "Look at both"}]))
    started = next(killed)
    assert isinstance(started, RunStarted)
    resumed = controller.resume(started.run_id)
    assert (resumed.request, resumed.plan, resumed.done) == ("Look at both", None, {})
    assert goes_on(controller, "last").answer == "All."
    killed.close()


DAMAGES: dict[str, Any] = {
    "nothing": {}, "a plan in words": {"plan": "x"},
    "results in a list": {"results": []}, "no states": {"states": None}, "no result": {"results": {"0": {}}},
    "a model too much": {"results": {"0": {"task": {"args": {}}, "inference result": {"generated text": "x"},
                                           "choose model result": {"id": "m", "reason": "", "endpoimt": "x"}}}},
    "another result": {"results": {"0": {"task": {"args": {}}, "inference result": 5, "choose model result": {}}}},
    "words for messages": {"messages": "x"}, "a message of nobody": {"messages": [{"content": "x"}]},
    "files in a list": {"named_files": ["x"]},
    "attachments that are none": {"attachments": ["x"]}, "an attachment of no name": {"attachments": [{"path": "/x"}]},
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_a_record_that_is_damaged_is_told(config: Config, scripted: Any, tmp_path: Path, damage: Any) -> None:
    first = run(controller_at(config, scripted(plan=PLAN, respond="Half."), place(config, "detect")), "Look at both")
    (file,) = (tmp_path / "logs" / "runs").iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text()), **damage} if damage else {}))
    with pytest.raises(UserError, match=r"damaged and cannot be resumed|A message cannot be read|There is no request"):
        controller_at(config, scripted()).resume(first.run_id)


@pytest.mark.parametrize("text", ["[]", "null", "5", '"plan"', "[" * 100_000, '{"request": "x'])
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_what_is_no_record_counts_as_none(make_config: MakeConfig, tmp_path: Path, text: str, suffix: str) -> None:
    journal(tmp_path, text.encode(), suffix=suffix)
    with pytest.raises(UserError, match="There is no record of the run abc"):
        controller_with(make_config()).resume("abc")


def test_no_record(make_config: MakeConfig) -> None:
    with pytest.raises(UserError, match=r"There is no record of the run abc: the newest \d+ are kept \(keep_runs\)"):
        controller_with(make_config()).resume("abc")
    with pytest.raises(UserError, match=r"none are kept \(log_file\)"):
        controller_with(make_config(log_file=None)).resume("last")


def program(tmp_path: Path, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(ROOT / "awesome_chat.py"), "--config", str(tmp_path / "config.yaml"), *args],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **NO_KEYS},
    )  # fmt: skip


@pytest.mark.slow
def test_a_killed_program_is_resumed_from_its_journal(
    hub_config: Config, llm_server: FakeLLM, expert_server: FakeExperts, tmp_path: Path
) -> None:
    llm_server.replies |= {
        "plan": plan(task(0, "image-to-text", image=A), task(1, "text-to-image", [0], text="<GENERATED>-0"))
    }
    expert_server.always = {model: HANG for model, kind in expert_server.models.items() if kind == "text-to-image"}
    killed = program(tmp_path, "Describe it and paint that")
    assert killed.stderr
    for line in killed.stderr:  # the first task is in the journal then
        if line.startswith("Task 0 done"):
            break
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=20)
    runs = tmp_path / "logs" / "runs"
    assert [file.suffix for file in runs.iterdir()] == [".jsonl"]
    with (runs / next(runs.iterdir()).name).open("a") as journal:
        journal.write('{"id": "1", "resu')  # a line that was cut off
    expert_server.always = {}
    done = inferences(expert_server)
    again = program(tmp_path, "--resume", "last", "--json")
    out, err = again.communicate(timeout=30)
    assert again.returncode == 0, err
    answer = json.loads(out)
    assert (answer["errors"], len(answer["files"])) == ([], 1)
    assert {task["id"] for task in answer["plan"]} == {0, 1}
    assert [path.rpartition("/")[2] for path in inferences(expert_server)[len(done) :]] == ["stable-diffusion-v1-5"]


def inferences(server: Server) -> list[str]:
    return [request["path"] for request in server.requests if request["body"]]


@pytest.mark.slow
def test_resume_takes_no_second_request(hub_config: Config, tmp_path: Path) -> None:
    both = program(tmp_path, "--resume", "last", "and this")
    assert both.communicate(timeout=20)[1].startswith("error: --resume goes on with a recorded request")
    assert both.returncode == 2


def journal(tmp_path: Path, *lines: bytes, suffix: str = "jsonl") -> None:
    folder = tmp_path / "logs" / "runs"
    folder.mkdir(parents=True)
    (folder / f"20260101000000000000-abc.{suffix}").write_bytes(b"\n".join(lines))


def whole(request: str) -> bytes:
    told = {"request": request, "plan": [], "results": {}, "states": {}, "messages": []}
    return json.dumps(told, ensure_ascii=False).encode()


RESULT = b'{"id": "0", "result": {"task": {}, "inference result": "x", "choose model result": {}}}'


@pytest.mark.parametrize(
    ("lines", "finished"),
    [
        ((whole("a"), RESULT, whole("a")), []),  # what is begun before the plan is in it, as far as it stands
        ((RESULT, whole("a"), RESULT), ["0"]),  # a task of a streamed plan was finished before the plan
        ((whole("a\u2028b"), RESULT), ["0"]),  # which is a line's end for some
        ((whole("a"), RESULT, RESULT[:20] + "é".encode()[:1]), ["0"]),  # cut off within a character
        ((RESULT,), None),
        ((b"",), None),
    ],
)
def test_journals_that_end_in_every_way(
    make_config: MakeConfig, tmp_path: Path, lines: tuple[bytes, ...], finished: list[str] | None
) -> None:
    journal(tmp_path, *lines)
    record = controller_with(make_config()).log.load("abc")
    assert (list(record["states"]) if record else None) == finished


FILES = (Attachment("my x.png", "file:///there/my%20x.png", "image"), Attachment("y.png", "/uploads/y-1.png", "image"))


def test_a_run_is_resumed_with_the_files_that_were_attached(config: Config, scripted: Any) -> None:
    for files in (), FILES:
        first = controller_at(config, scripted(plan="[]", chat="ok"), place(config))
        for _ in first.run(first.prepare([{"role": "user", "content": "see x.png"}], files)):
            pass
        assert tuple(first.resume("last").files) == files


def test_a_record_has_the_latest_turns_of_a_long_conversation(config: Config, scripted: Any) -> None:
    controller = controller_at(config, scripted(plan="[]", chat="ok"), place(config))
    turns = [Turn(f"request {number}", message="ok") for number in range(KEPT_TURNS + 5)]
    run = controller.prepare([{"role": "user", "content": "the last"}], (), turns)
    list(controller.run(run))
    assert len(run.turns) == KEPT_TURNS + 5
    resumed = controller.resume(run.id)
    assert list(resumed.turns) == turns[5:]
    assert [message["content"] for message in resumed.messages[:: 2 * KEPT_TURNS]] == ["request 5", "the last"]


def test_a_record_of_an_older_version_names_files_of_this_machine(
    config: Config, scripted: Any, tmp_path: Path
) -> None:
    first = run(controller_at(config, scripted(plan="[]", chat="ok"), place(config)), "see my x.png")
    (file,) = (tmp_path / "logs" / "runs").iterdir()
    kept = json.loads(file.read_text())
    del kept["attachments"]
    file.write_text(json.dumps({**kept, "named_files": {"my x.png": "/there/my x.png"}}))
    resumed = controller_at(config, scripted()).resume(first.run_id)
    assert list(resumed.files) == [FILES[0]]
    assert resumed.files[0].local_path == Path("/there/my x.png")


def test_a_resumed_run_says_who_planned_and_may_fall_back_as_before(config: Config, scripted: Any) -> None:
    first = run(controller_at(config, scripted(plan=PLAN, respond="Half."), place(config, "detect")), "Look at both")
    controller = controller_at(config, scripted(respond="All."), place(config))
    assert controller.resume(first.run_id).offline_fallback == (config.llm_fallback == "offline") is True
    assert goes_on(controller, first.run_id).planned_by == first.planned_by
    assert first.planned_by["planner"] == "llm"
