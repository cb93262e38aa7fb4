"""Records of runs: what is kept, for how long, and what a folder that cannot be written to costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hugginggpt.core.events import Planned, RunRecord
from hugginggpt.core.plan import Plan
from hugginggpt.testing import run
from tests.conftest import MakeConfig, controller_with


def test_a_record_is_kept_without_secrets_and_old_ones_go(
    make_config: MakeConfig, scripted: Any, tmp_path: Path
) -> None:
    config = make_config({"HF_TOKEN": "hf_secret"}, keep_runs=2, embedded=False)
    ids = []
    for _ in range(3):
        llm = scripted(plan="[]", chat="Your token is hf_secret, I guess.")
        ids.append(run(controller_with(config, llm), "hi").run_id)
    folder = tmp_path / "logs" / "runs"
    kept = sorted(folder.glob("*.json"))
    assert [file.stem.split("-")[1] for file in kept] == ids[1:]
    text = kept[-1].read_text(encoding="utf-8")
    assert "hf_secret" not in text
    record = json.loads(text)
    assert {"request", "plan", "results", "timings", "usage", "errors", "stop"} <= set(record)
    log = controller_with(config).log
    assert (log.load(ids[2]) or {})["run_id"] == ids[2]
    assert log.load("../../etc/passwd") is None


def test_a_log_folder_that_cannot_be_written_to_does_not_stop_a_run(
    make_config: MakeConfig, scripted: Any, tmp_path: Path
) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    assert run(controller_with(make_config(), scripted(plan="[]", chat="ok")), "hi").message == "ok"


def test_a_clock_that_was_set_back_does_not_cost_the_newest_record(make_config: MakeConfig) -> None:
    controller = controller_with(make_config(keep_runs=2))
    log = controller.log
    assert log.folder
    log.folder.mkdir(parents=True)
    for moment in (2090, 2091):
        (log.folder / f"{moment}-{moment:012x}.json").write_text("{}")
    run = controller.prepare([{"role": "user", "content": "x"}])
    run.id = f"{2:012x}"
    log.open(run).close(RunRecord(run_id=run.id))
    assert log.load(f"{2:012x}")
    assert len(list(log.folder.iterdir())) == 2
    (log.folder / f"2099-{9:012x}.json").write_text('{"half')
    assert log.load(f"{9:012x}") is None


def test_a_journal_that_cannot_be_written_is_closed_and_not_left_empty(
    make_config: MakeConfig,
) -> None:
    """/dev/full takes nothing; it stands for the journal's file on a full disk."""
    controller = controller_with(make_config())
    request = controller.prepare([{"role": "user", "content": "x"}])
    journal = controller.log.open(request)
    assert journal.path and controller.log.folder
    controller.log.folder.mkdir(parents=True)
    journal.path.write_text("")
    journal._file = Path("/dev/full").open("w")  # noqa: SIM115  the journal closes it
    record = RunRecord(run_id=request.id)
    journal.add(Planned(Plan()), record)
    assert journal._file.closed
    journal.close(record)
    assert list(controller.log.folder.iterdir()) == []
