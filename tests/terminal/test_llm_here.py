"""What the terminal, the status and a run show of a language model on this machine; none is started."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from awesome_chat import make_controller
from hugginggpt.config import Config
from hugginggpt.core.events import Notice, Planned, PromptRead, RunRecord, to_json
from hugginggpt.llm.base import Message, Reading, Reply, Schema, Stage
from hugginggpt.llm.embedded import EmbeddedLLM
from hugginggpt.status import status_of
from hugginggpt.terminal import cli
from hugginggpt.terminal.doctor import _state_of_llm
from hugginggpt.terminal.progress import Lines, LiveTable
from hugginggpt.testing import ScriptedLLM, events
from hugginggpt.testing.scripted import plan
from tests.conftest import MakeConfig, controller_with, parse_plan


@pytest.fixture
def config(make_config: MakeConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.setattr("hugginggpt.config.find_spec", lambda name: name == "xllamacpp")
    file = tmp_path / "my-model.gguf"
    file.write_bytes(bytes(300_000_000 // 1000))
    return make_config(llm="embedded", embedded_llm={"file": str(file)})


def test_the_doctor_tells_what_was_measured_and_starts_nothing(config: Config) -> None:
    llm = EmbeddedLLM(config)
    assert _state_of_llm(llm).endswith("context 16384 tokens; threads and speed are measured at the first use")
    config.path(config.embedded_llm.folder).mkdir()
    llm.process.note(threads=2, read=18.5, written=9.1, memory=2_400_000_000)
    told = _state_of_llm(llm)
    assert told.startswith("embedded: my-model, 0.0 GB")
    assert told.endswith("last time: 18.5 tokens/s read, 9.1 written, threads 2, 2.4 GB of memory")
    assert llm.process.served is None
    llm.process.settings.file.unlink()
    assert "its file is missing" in _state_of_llm(llm)
    llm.close()


def test_the_status_names_the_model_and_no_path(config: Config) -> None:
    controller = controller_with(config)
    told = status_of(config, controller.endpoints, controller.table)["llm"]
    assert told["model"] == "my-model" and not told["offline"]
    assert told["here"]["running"] is False and told["here"]["bytes"] == 300_000
    assert str(config.embedded_llm.file) not in str(told)


class Reader(ScriptedLLM):
    """Tells how far it has read before it says anything."""

    def stream(
        self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None, most: int | None = None
    ) -> Generator[str, None, Reply]:
        yield Reading(128, 1300)
        yield Reading(1300, 1300)
        return (yield from super().stream(messages, stage=stage, schema=schema, most=most))


def test_a_run_tells_how_far_the_prompts_are_read(make_config: MakeConfig) -> None:
    llm = Reader(plan=[plan()], chat=["Good evening."])
    controller = controller_with(make_config(), llm)
    told = events(controller, "Good evening")
    reading = [event for event in told if isinstance(event, PromptRead)]
    assert [(event.read, event.total) for event in reading] == [(128, 1300), (1300, 1300)] * 2
    record = RunRecord()
    for event in told:
        record.apply(event)
    assert record.message == "Good evening."
    wire = to_json(reading[0], record)
    assert (wire["event"], wire["read"], wire["total"]) == ("reading", 128, 1300)


def test_the_terminal_shows_how_far_the_prompt_is_read() -> None:
    screen = io.StringIO()
    table, record = LiveTable(Console(file=screen, force_terminal=True, width=100)), RunRecord()
    table.show(PromptRead(128, 1300), record)
    assert "The language model reads: 128 of 1300 tokens" in screen.getvalue()
    table.show(Notice("Now it plans."), record)
    assert table.reading is None
    planned = Planned(parse_plan(plan({"task": "summarization", "args": {"text": "long"}})))
    record.apply(planned)
    table.show(planned, record)
    table.show(PromptRead(5, 9), record)
    assert "reads: 5 of 9 tokens" in screen.getvalue()
    table.close(record)


@pytest.mark.parametrize(
    ("llm", "how", "said"),
    [
        ("offline", {"planner": "offline"}, "Plan: "),
        ("local", {"planner": "offline"}, "Plan, by the offline planner: "),
        ("local", {"planner": "offline", "why": "x", "confidence": 0.9876}, "Plan, by the offline planner (98 % sure): "),
        ("local", {"planner": "llm"}, "Plan, by the language model: "),
        ("local", {"planner": "llm", "why": "not sure: 0.3", "confidence": 0.3}, "Plan, by the language model (not sure: 0.3): "),
    ],
)  # fmt: skip
def test_the_terminal_tells_who_planned_where_it_may_be_either(llm: str, how: dict[str, Any], said: str) -> None:
    for display in (Lines, LiveTable):
        screen = io.StringIO()
        shown, record = display(Console(file=screen, force_terminal=True, width=200)), RunRecord(llm=llm)
        planned = Planned(parse_plan(plan({"task": "summarization", "args": {"text": "long"}})), **how)
        record.apply(planned)
        shown.show(planned, record)
        shown.close(record)
        line = said.rstrip(": ") if display is LiveTable and said != "Plan: " else said
        assert (line in screen.getvalue()) is (display is Lines or said != "Plan: ")


CONTENT = b"GGUF" * 100


def test_the_command_fetches_also_where_the_model_is_set_but_not_there(
    tmp_path: Path, make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.llm.test_downloads import FILE, FakeHub

    with FakeHub() as hub:
        hub.sent, hub.size, hub.sha256 = CONTENT, len(CONTENT), hashlib.sha256(CONTENT).hexdigest()
        config = make_config(huggingface={"base_url": hub.url})
        file = tmp_path / "own.yaml"
        file.write_text(Path(config.source).read_text() + "llm: embedded\n")

        def run(*argv: Any) -> int:
            return cli.main(make_controller, ["--config", str(file), *argv])

        assert run("Hello") == 2 and "needs --download-llm" in capsys.readouterr().err
        assert run("--download-llm", FILE, "--yes") == 0
        assert "complete and checked" in capsys.readouterr().out
        assert config.embedded_file and config.embedded_file.read_bytes() == CONTENT
        assert run("--download-llm", FILE, "--attach", "a.jpg") == 2
