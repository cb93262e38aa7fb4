"""Tools of MCP servers as experts, against a server that is a child process and does what it should and should not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from awesome_chat import Controller, make_controller
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ConfigError
from hugginggpt.core.events import Progressed
from hugginggpt.endpoints.calls import Call
from hugginggpt.endpoints.mcp_experts import connection as connection_module
from hugginggpt.endpoints.mcp_experts import stdio
from hugginggpt.endpoints.mcp_experts.connection import Connection, _close_all
from hugginggpt.endpoints.mcp_experts.endpoint import McpExperts
from hugginggpt.media.store import MediaStore
from hugginggpt.tables import make_task_table
from hugginggpt.testing import FakeEndpoint, ScriptedLLM, events, plan, run, says, task
from tests.conftest import TABLE, MakeConfig, controller_with
from tests.endpoints.plain_mcp import png

SERVER = Path(__file__).with_name("plain_mcp.py")
PATIENCE = 60
pytest.importorskip("mcp")


class Toy:
    """A configuration with the server, and what it noted."""

    def __init__(self, make_config: MakeConfig, folder: Path) -> None:
        self.make_config = make_config
        self.log = folder / "toy.log"
        self.controllers: list[Controller] = []

    def server(self, *tools: tuple[str, str], env: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
        """The server, its tools each with the task that it is for; `more` are keys of the only tool, or its server's."""
        of_tool = {
            key: more.pop(key)
            for key in ("args", "const", "files", "result", "repeatable", "sha256", "about", "seconds")
            if key in more
        }
        listed = [{"tool": name, "task": row, "args": {"text": "text"}, **of_tool} for name, row in tools]
        command = [sys.executable, "-I", str(SERVER)]
        return {
            "name": "toy",
            "command": command,
            "env": {"LOG": str(self.log), **(env or {})},
            "tools": listed,
            **more,
        }

    def controller(self, server: dict[str, Any], llm: Any = None, *others: Any, **settings: Any) -> Controller:
        """A controller whose tasks run at the server, then at others."""
        config = self.make_config(mcp=[server], embedded=False, **settings)
        controller = make_controller(config, llm)
        toy = [endpoint for endpoint in controller.endpoints if isinstance(endpoint, McpExperts)]
        controller.selector.endpoints = [*toy, *others]
        self.controllers.append(controller)
        return controller

    def run(self, server: dict[str, Any], row: str, *others: Any, **args: Any) -> Any:
        """The record of one task."""
        planned = plan(task(0, row, **(args or {"text": "a cat"})))
        return run(self.controller(server, ScriptedLLM(plan=planned), *others), "Do it.", until="results").tasks[0]

    @property
    def notes(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []

    @property
    def pids(self) -> list[int]:
        return [int(line.split()[1]) for line in self.notes if line.startswith("started")]


@pytest.fixture
def toy(make_config: MakeConfig, tmp_path: Path) -> Iterator[Toy]:
    made = Toy(make_config, tmp_path)
    yield made
    for controller in made.controllers:
        controller.close()
    psutil.wait_procs([psutil.Process(pid) for pid in made.pids if psutil.pid_exists(pid)], PATIENCE)
    assert not [pid for pid in made.pids if psutil.pid_exists(pid)]


def files_of(config: Config) -> list[str]:
    return [file.name for kind in ("images", "audios", "videos") for file in (config.public_dir / kind).glob("*")]


def until(seen: Callable[[], Any]) -> None:
    """Waits for what another process does."""
    deadline = time.monotonic() + PATIENCE
    while not seen() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert seen()


# What tools give


def test_a_picture_is_saved_and_the_record_names_the_tool(toy: Toy) -> None:
    done = toy.run(toy.server(("draw", "text-to-image"), about="draws"), "text-to-image")
    assert done.choice.to_json()["id"] == "mcp:toy/draw"
    assert (done.choice.endpoint, done.choice.place, done.choice.reason) == (
        "mcp:toy",
        "on the MCP server toy",
        "draws",
    )
    assert done.value["generated image"].startswith("/images/") and done.value["generated image"].endswith(".png")
    assert 'draw {"text": "a cat"}' in toy.notes


def test_a_sound_is_known_by_its_content_and_progress_is_told(toy: Toy) -> None:
    llm = ScriptedLLM(plan=plan(task(0, "text-to-speech", text="hello")))
    seen = events(toy.controller(toy.server(("aloud", "text-to-speech")), llm), "Do it.", until="results")
    told = [event for event in seen if isinstance(event, Progressed)]
    assert [(one.done, one.total, one.text) for one in told] == [(1, 2, "part 1"), (2, 2, "part 2")]
    assert any(str(getattr(event, "value", "")).endswith(".wav'}") for event in seen)


@pytest.mark.parametrize("name", ["own_link", "embedded"])
def test_resources_of_the_server_are_pictures_too(toy: Toy, name: str) -> None:
    assert toy.run(toy.server((name, "text-to-image")), "text-to-image").value["generated image"].endswith(".png")


def test_rows_are_read_where_the_configuration_says(toy: Toy) -> None:
    paths = {"rows": "confidences", "label": "label", "score": "confidence"}
    done = toy.run(toy.server(("rows", "text-classification"), result=paths), "text-classification")
    assert [(row["label"], row["score"]) for row in done.value] == [("good", 0.9), ("bad", 0.1)]


def test_what_a_server_prints_is_no_message(toy: Toy) -> None:
    assert toy.run(toy.server(("printed", "summarization")), "summarization").value == {"generated text": "printed"}


def test_arguments_have_the_types_of_the_parameters(toy: Toy) -> None:
    mapped = {"image": "picture", "text": "number"}
    server = toy.server(("typed", "visual-question-answering"), args=mapped, const={"fixed": [1]})
    done = toy.run(server, "visual-question-answering", image="/examples/a.jpg", text="42")
    asked = next(note for note in toy.notes if note.startswith("typed"))
    assert '"number": 42' in asked and '"fixed": [1]' in asked and '"picture": "data:image/jpeg;base64,' in asked
    assert done.state == "failed"  # its answer is a text, not answers with scores
    refused = toy.run(server, "visual-question-answering", image="/examples/a.jpg", text="how many?")
    assert "The argument number should be of the type integer" in refused.reason


def test_how_a_file_is_sent_has_to_be_known(toy: Toy) -> None:
    server = toy.server(("typed", "image-to-text"), args={"image": "plain"})
    assert "set files to data, base64, url or path" in toy.run(server, "image-to-text", image="/examples/a.jpg").reason
    sent = toy.run(
        {**server, "tools": [{**server["tools"][0], "files": "path"}]}, "image-to-text", image="/examples/a.jpg"
    )
    assert "examples/a.jpg" in sent.value["generated text"]


@pytest.mark.parametrize(
    ("files", "sent"),
    [
        ("data", "data:image/png;base64,iVBORw0KGgo"),
        ("base64", "iVBORw0KGgo"),
        ("url", "https://here.example/images/a%20b.png"),
    ],
)
def test_files_are_sent_as_the_configuration_says(toy: Toy, files: str, sent: str) -> None:
    server = toy.server(
        ("typed", "image-to-text"), args={"image": "plain"}, files=files, public_url="https://here.example/"
    )
    controller = toy.controller(server, ScriptedLLM(plan=plan(task(0, "image-to-text", image="/images/a b.png"))))
    folder = controller.config.public_dir / "images"
    folder.mkdir(parents=True)
    (folder / "a b.png").write_bytes(png())
    assert f'"plain": "{sent}' in run(controller, "Do it.", until="results").tasks[0].value["generated text"]


# What tools do wrong


@pytest.mark.parametrize(
    ("name", "row", "reason"),
    [
        ("file_link", "text-to-image", "the name of a file of its machine, which is not opened"),
        ("html", "text-to-image", "in place of image data"),
        ("huge", "text-to-image", "it answered more than 1 MB at once"),
        ("lies", "summarization", "answered what it may not"),
        ("printed", "text-to-image", "The tool answered without an image"),
        ("fails", "summarization", "The tool failed: no such thing"),
        ("long", "summarization", "a text of more than 100 kB"),
        ("printed", "text-classification", "is no result of text-classification"),
    ],
)  # fmt: skip
def test_a_bad_result_is_one_sentence_and_nothing_is_saved(toy: Toy, name: str, row: str, reason: str) -> None:
    controller = toy.controller(
        toy.server((name, row)), ScriptedLLM(plan=plan(task(0, row, text="x"))), limits={"max_file_mb": 1}
    )
    done = run(controller, "Do it.", until="results").tasks[0]
    assert done.reason.startswith(f"mcp:toy/{name}: ") and reason in done.reason and done.reason.count(".") <= 2
    assert files_of(controller.config) == []


def test_an_error_hides_keys(toy: Toy, make_config: MakeConfig) -> None:
    server = toy.server(("secret", "summarization"), env={"KEY": "$TOY_KEY"})
    llm = ScriptedLLM(plan=plan(task(0, "summarization", text="x")))
    controller = make_controller(make_config({"TOY_KEY": "key-12345678"}, mcp=[server], embedded=False), llm)
    toy.controllers.append(controller)
    controller.selector.endpoints = [one for one in controller.endpoints if one.name == "mcp:toy"]
    record = run(controller, "Do it.", until="results")
    assert record.tasks[0].reason == "mcp:toy/secret: The tool failed: the key is ***."


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nothing", "the server has no such tool"),
        ("two", "it requires must, which neither args nor const gives"),
        ("big", "kB, more than 64"),
        ("deep", "nested more than 10 levels deep"),
        ("refers", "its inputSchema refers to another document"),
        ("tasked", "it runs as a task of the protocol only"),
    ],
)
def test_a_tool_that_cannot_be_used_is_off_and_the_doctor_says_why(toy: Toy, name: str, problem: str) -> None:
    controller = toy.controller(toy.server((name, "summarization"), ("printed", "translation")))
    status = controller.endpoints[0].status()
    assert status.problem == "1 of 2 tools are off"
    assert status.details[0].startswith(f"{name} (summarization): ") and problem in status.details[0]
    assert status.details[1].startswith("printed (translation): ready, sha256 ")
    row = controller.table["summarization"]
    assert controller.endpoints[0].models(row, 5) == [] and problem in controller.endpoints[0].what_to_set(row)


@pytest.mark.parametrize("name", ["patterned", "doubling"])
def test_a_schema_that_would_take_for_ever_to_check_keeps_nothing_waiting(toy: Toy, name: str) -> None:
    assert toy.run(toy.server((name, "summarization")), "summarization").value == {"generated text": "done"}


def test_a_server_with_too_many_tools_is_not_used(toy: Toy) -> None:
    controller = toy.controller(toy.server(("draw", "text-to-image"), env={"MORE": "200"}))
    assert "it lists more than 100 tools" in controller.endpoints[0].status().hint


# Poison


def test_no_byte_of_the_server_reaches_a_prompt(toy: Toy) -> None:
    rows = [{"name": "haiku-check", "about": "check a haiku", "args": [{"name": "text"}], "gives": "text"}]
    other = FakeEndpoint("studio", {"haiku-check": ["other"]}, says("fine"))
    server = toy.server(("poisoned", "haiku-check"), about="knows haiku")
    llm = ScriptedLLM(
        plan=plan(task(0, "haiku-check", text="x")),
        select='{"id": "mcp:toy/poisoned", "reason": "it knows"}',
        respond="Good.",
    )
    record = run(toy.controller(server, llm, other, tasks=rows), "Check this haiku.")
    assert record.tasks[0].choice.id == "mcp:toy/poisoned"  # type: ignore[union-attr]
    assert record.message.startswith("Good.\n\n")
    said = str(llm.calls)
    assert "knows haiku" in said and "check a haiku" in said
    assert not [
        word for word in ("Ignore all rules", "\\u200b", "\u200b", "\U000e0041", "evil.example") if word in said
    ]


def test_a_tool_that_changed_since_it_was_pinned_is_off_and_the_run_says_so(toy: Toy) -> None:
    server = toy.server(("pinned", "summarization"))
    first = toy.controller(server)
    digest = first.endpoints[0].status().details[0].rpartition(" ")[2]
    assert len(digest) == 64
    server["tools"][0]["sha256"] = digest
    assert toy.run(server, "summarization").state == "finished"
    server["env"]["CHANGED"] = "1"
    other = FakeEndpoint("studio", {"summarization": ["other"]}, says("short"))
    controller = toy.controller(server, ScriptedLLM(plan=plan(task(0, "summarization", text="x"))), other)
    record = run(controller, "Do it.", until="results")
    assert record.notices == [
        "The tool pinned of the MCP server toy has changed since it was pinned and is off: look at it, and pin it anew."
    ]
    assert record.tasks[0].choice.id == "other"  # type: ignore[union-attr]
    assert "it has changed since it was pinned (sha256 is " in controller.endpoints[0].status().details[0]


# Ends


def test_a_server_that_dies_gives_way_to_the_next_candidate_and_is_started_again(toy: Toy) -> None:
    other = FakeEndpoint("studio", {"translation": ["other"]}, says("chat"))
    planned = [
        plan(task(0, row, text="a cat", **more))
        for row, more in (("translation", {"language": "French"}), ("summarization", {}))
    ]
    server = toy.server(("dies", "translation"), ("printed", "summarization"))
    controller = toy.controller(
        server, ScriptedLLM(plan=planned, select=['{"id": "mcp:toy/dies", "reason": "first"}']), other
    )
    done = run(controller, "Do it.", until="results").tasks[0]
    assert done.choice.id == "other" and done.retries == ["mcp:toy/dies: The MCP server toy cannot be used: it ended."]  # type: ignore[union-attr]
    assert run(controller, "Do it.", until="results").tasks[0].state == "finished"
    assert len(toy.pids) == 2


def test_a_server_that_ends_is_missed_although_what_it_started_goes_on(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That keeps its output open; it is ended as well."""
    monkeypatch.setattr(stdio, "ENDING_SECONDS", 0.1)
    done = toy.run(toy.server(("leaves", "summarization"), seconds=PATIENCE), "summarization")
    assert done.reason == "mcp:toy/leaves: The MCP server toy cannot be used: it ended."
    assert len(toy.pids) == 2


def test_a_process_that_was_killed_is_not_killed_again(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number may be that of another by then."""
    controller = toy.controller(toy.server(("draw", "text-to-image")))
    assert controller.endpoints[0].status().ready
    live = controller.endpoints[0].connection._live  # type: ignore[attr-defined]
    live.stop()
    killed: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda pid, stop: killed.append(pid))
    live.transport.kill()
    assert killed == []


def test_a_server_that_is_killed_while_nothing_is_asked_is_started_again(toy: Toy) -> None:
    controller = toy.controller(
        toy.server(("printed", "summarization")), ScriptedLLM(plan=[plan(task(0, "summarization", text="x"))] * 2)
    )
    assert run(controller, "Do it.", until="results").tasks[0].ok
    os.kill(toy.pids[0], signal.SIGKILL)
    connection = controller.endpoints[0].connection  # type: ignore[attr-defined]
    until(lambda: connection._live is None or connection._live.ended.done())
    assert run(controller, "Do it.", until="results").tasks[0].ok
    assert len(toy.pids) == 2


def test_a_server_that_keeps_failing_is_left_alone_twice_as_long_each_time(toy: Toy) -> None:
    controller = toy.controller(toy.server(("draw", "text-to-image"), env={"BREAKS": "1"}))
    connection: Connection = controller.endpoints[0].connection  # type: ignore[attr-defined]
    now = [1000.0]
    connection._clock = lambda: now[0]
    waits = []
    for _ in range(4):
        with pytest.raises(BackendError, match="cannot be used: it ended .*it has no heart"):
            connection.tools()
        started = len(toy.pids)
        waits.append(max(0.0, connection._not_before - now[0]))
        if waits[-1]:
            with pytest.raises(BackendError, match="It is tried again in"):
                connection.tools()
        assert len(toy.pids) == started
        now[0] += waits[-1]
    assert [int(wait) for wait in waits] == [1, 2, 4, 8]
    assert controller.endpoints[0].covers(controller.table["text-to-image"]) is False


def ended(connection: Connection) -> None:
    until(lambda: connection._live is None or connection._live.ended.done())


def test_a_server_that_ends_unused_is_left_alone_as_well(toy: Toy) -> None:
    controller = toy.controller(toy.server(("draw", "text-to-image"), env={"LEAVES": "1"}))
    connection: Connection = controller.endpoints[0].connection  # type: ignore[attr-defined]
    connection._clock = lambda: 1000.0
    for _ in range(2):
        assert connection.tools()
        ended(connection)
    with pytest.raises(BackendError, match=r"it ended before it was used\. It is tried again in"):
        connection.tools()
    assert len(toy.pids) == 2


def test_a_server_that_comes_back_otherwise_is_looked_at_again(toy: Toy) -> None:
    """At its first list, not when the old one is out of date; and a call goes only to the tool that was looked at."""
    controller = toy.controller(toy.server(("pinned", "summarization"), env={"CHANGED": "again"}))
    connection: Connection = controller.endpoints[0].connection  # type: ignore[attr-defined]
    before = {tool.name: tool for tool in connection.tools()}["pinned"]
    os.kill(toy.pids[0], signal.SIGKILL)
    ended(connection)
    with pytest.raises(BackendError, match="its tool pinned has changed"):
        connection.call(before, {"text": "x"}, PATIENCE, Call())
    assert {tool.name: tool for tool in connection.tools()}["pinned"].description == "another description"
    assert not [note for note in toy.notes if note.startswith("pinned")]


def test_a_connection_that_closed_meanwhile_is_one_sentence(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    controller = toy.controller(toy.server(("draw", "text-to-image")))
    connection: Connection = controller.endpoints[0].connection  # type: ignore[attr-defined]
    for use in (lambda: connection.read("toy://p", PATIENCE), connection.tools):
        connection.close()
        connection._failures, connection._not_before = 0, 0.0
        connection.tools()
        live = connection._live
        assert live
        live.stop()
        live.tools_changed = True
        monkeypatch.setattr(connection, "_connected", lambda seconds=None, live=live: live)
        with pytest.raises(BackendError, match="it was closed"):
            use()
        monkeypatch.undo()


def test_a_cancelled_run_reaches_the_server(toy: Toy) -> None:
    controller = toy.controller(
        toy.server(("waits", "summarization")), ScriptedLLM(plan=plan(task(0, "summarization", text="x")))
    )
    request = controller.prepare([{"role": "user", "content": "Do it."}])
    seen = controller.run(request)
    for event in seen:
        if isinstance(event, Progressed):
            break
    request.cancel()
    list(seen)
    until(lambda: "stopped" in toy.notes)


def test_a_call_that_takes_too_long_is_stopped_at_the_server(toy: Toy) -> None:
    done = toy.run(toy.server(("waits", "summarization"), seconds=0.05), "summarization")
    assert done.reason == "mcp:toy/waits: The MCP server toy did not answer in time."
    until(lambda: "stopped" in toy.notes)


@pytest.mark.parametrize("name", ["fails", "dies", "html"])
def test_what_is_not_repeatable_is_called_once(toy: Toy, name: str) -> None:
    row = "text-to-image"
    other = FakeEndpoint("studio", {row: ["other"]}, says("chat"))
    llm = ScriptedLLM(plan=plan(task(0, row, text="x")), select=f'{{"id": "mcp:toy/{name}", "reason": "it"}}')
    controller = toy.controller(
        toy.server((name, row), repeatable=False), llm, other, limits={"hedge_seconds": 0.001}, cache={"enabled": True}
    )
    done = run(controller, "Do it.", until="results").tasks[0]
    assert done.state == "failed" and other.calls == []
    assert [note.split()[0] for note in toy.notes].count(name) == 1


def test_a_server_that_dies_at_each_call_is_left_alone_as_well(toy: Toy) -> None:
    planned = [plan(task(0, "summarization", text="x"))] * 2
    controller = toy.controller(toy.server(("dies", "summarization")), ScriptedLLM(plan=planned))
    for _ in planned:
        assert run(controller, "Do it.", until="results").tasks[0].reason.endswith("it ended.")
    assert "It is tried again in" in controller.endpoints[0].status().hint
    assert len(toy.pids) == 2


@pytest.mark.slow
def test_a_server_that_was_given_up_does_not_outlive_the_program(toy: Toy) -> None:
    """Nor does what it started: the end of the program waits for the end of what is being stopped already."""
    env = {"SLOW": "1", "STAYS": "1"}
    controller = toy.controller(toy.server(("draw", "text-to-image"), env=env, start_seconds=1.5))
    connection: Connection = controller.endpoints[0].connection  # type: ignore[attr-defined]
    with pytest.raises(BackendError, match="it did not start within"):
        connection.tools()
    _close_all()
    assert "stays" in toy.notes and connection_module._running == set()


@pytest.mark.slow
def test_a_server_that_stays_is_ended(toy: Toy) -> None:
    controller = toy.controller(toy.server(("draw", "text-to-image"), env={"STAYS": "1"}))
    assert controller.endpoints[0].status().ready
    controller.close()
    assert toy.notes[-1] == "stays" and not psutil.pid_exists(toy.pids[0])


ZONE = r"\b[A-Z][a-z]+/[A-Z][A-Za-z_]+"
TIME_ROW = {
    "name": "current-time", "about": "say what time it is in a time zone, named as Europe/Paris", "gives": "text",
    "args": [{"name": "zone", "pattern": ZONE}], "answer": "The time in {zone} is {}", "cues": ["what time is it in"],
}  # fmt: skip


def test_a_text_that_is_not_written_as_its_pattern_wants_is_asked_for_by_name(make_config: MakeConfig) -> None:
    record = run(controller_with(make_config(tasks=[TIME_ROW], llm="offline")), "What time is it in Tokyo?")
    assert record.message == (
        "Which zone do you mean? Nothing in the request is written as current-time takes it "
        "(say what time it is in a time zone, named as Europe/Paris)."
    )
    assert record.missing and record.missing.argument == "zone"


@pytest.mark.slow
@pytest.mark.parametrize("scripted", [True, False])
def test_a_row_of_ones_own_is_planned_run_and_answered(toy: Toy, scripted: bool) -> None:
    """mcp-server-time, a server of others: its tool is a new task, for a scripted model and for the offline planner."""
    server = toy.server(
        ("get_current_time", "current-time"), args={"zone": "timezone"}, result="datetime", start_seconds=PATIENCE
    )
    server["command"] = [sys.executable, "-m", "mcp_server_time"]
    planned = plan(task(0, "current-time", zone="Asia/Tokyo"), task(1, "current-time", zone="Europe/Paris"))
    llm = ScriptedLLM(plan=planned, respond="It is late.") if scripted else None
    controller = toy.controller(server, llm, tasks=[TIME_ROW])
    record = run(controller, "What time is it in Asia/Tokyo, and what time is it in Europe/Paris?")
    given = [done.value["generated text"] for done in record.tasks.values()]
    assert given[0].endswith("+09:00") and given[1][-6:] in ("+01:00", "+02:00")
    assert {done.choice.id for done in record.tasks.values() if done.choice} == {"mcp:toy/get_current_time"}
    if scripted:
        assert "- current-time(zone): say what time it is" in llm.calls[0][1][0]["content"]  # type: ignore[union-attr]
        assert record.answer == "It is late."
    else:
        assert f"The time in Asia/Tokyo is {given[0]}" in record.message


CHILD = """
import sys
from tests.endpoints.test_mcp_experts import McpExperts, make_controller
from hugginggpt import config
controller = make_controller(config.load(sys.argv[1], {}))
print([e.status().problem for e in controller.endpoints if isinstance(e, McpExperts)], flush=True)
HOW
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    ["", "raise KeyboardInterrupt", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "sys.stdin.read()"],
)
def test_no_server_is_left_when_the_program_ends(toy: Toy, tmp_path: Path, how: str) -> None:
    toy.controller(toy.server(("draw", "text-to-image"), env={"STAYS": "1"}))
    program = subprocess.Popen(
        [sys.executable, "-c", CHILD.replace("HOW", how), str(tmp_path / "config.yaml")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert program.stdout and program.stdout.readline() == "['']\n"
    if how == "sys.stdin.read()":
        program.kill()
    program.wait(PATIENCE)
    program.communicate()


# The configuration


@pytest.mark.slow
def test_nothing_of_it_is_imported_without_servers(make_config: MakeConfig, tmp_path: Path) -> None:
    make_config(embedded=False)
    code = (
        "import sys, awesome_chat\nfrom hugginggpt import config\nfrom hugginggpt.testing import run\n"
        "controller = awesome_chat.make_controller(config.load(sys.argv[1], {}))\nrun(controller, 'Hello!')\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('mcp', 'mcp_types', 'anyio.from_thread')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "config.yaml")], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.stdout == "[]\n", done.stderr


def test_help_does_not_import_it() -> None:
    code = "import sys, awesome_chat\ntry:\n    awesome_chat.main(['--help'])\nexcept SystemExit:\n    pass\nprint({'mcp', 'mcp_types'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.endswith("set()\n"), done.stderr


def test_without_the_package_it_says_what_to_install(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    controller = toy.controller(toy.server(("draw", "text-to-image")))
    assert "install the package mcp: pip install" in controller.endpoints[0].status().hint
    assert controller.endpoints[0].models(controller.table["text-to-image"], 5) == []
    assert "install the package mcp" in controller.selector.what_to_set(controller.table["text-to-image"])
    assert toy.pids == []


def test_what_is_missing_is_named(toy: Toy) -> None:
    server = toy.server(("draw", "text-to-image"), env={"KEY": "$TOY_KEY"})
    assert toy.controller(server).endpoints[0].status().hint == "For the MCP server toy: set TOY_KEY."
    server = {**toy.server(("draw", "text-to-image")), "command": ["no-such-program"]}
    assert "install no-such-program" in toy.controller(server).endpoints[0].status().hint


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"url": "http://x"}, "either a url or a command"),
        ({"command": [], "url": "ftp://x"}, "url should begin with http"),
        ({"command": [], "env": {}, "url": "https://me:secret@x/mcp"}, "its user name and password should come from"),
        (
            {"command": [], "env": {}, "url": "https://x", "headers": {"Authorization": "Bearer abcdefghijkl"}},
            "headers.Authorization",
        ),
        ({"env": {"API_KEY": "abcdefgh"}}, "env.API_KEY should come from the environment"),
        ({"headers": {"A": "b"}}, "headers are for a server with a url"),
        ({"nonsense": 1}, "nonsense"),
        ({"tools": []}, "tools"),
        ({"tools": [{"tool": "a", "task": "text-to-image", "args": {}, "files": "url"}]}, "needs public_url"),
        ({"tools": [{"tool": "a", "task": "text-to-nothing", "args": {}}]}, "tools.0.task: should be a task, such as"),
        (
            {"tools": [{"tool": "a", "task": "text-to-image", "args": {"sound": "x"}}]},
            "text-to-image has no argument sound, but text",
        ),
        ({"tools": [{"tool": "a", "task": "text-to-image", "args": {}, "result": {"rows": "x"}}]}, "tools.0.result: "),
        ({"tools": [{"tool": "a", "task": "text-to-image", "args": {}, "sha256": "abc"}]}, "sha256"),
    ],
)
def test_a_mistake_in_the_configuration_names_the_key(
    toy: Toy, make_config: MakeConfig, change: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(ConfigError) as error:
        make_task_table(make_config(mcp=[{**toy.server(("draw", "text-to-image")), **change}]))
    assert wrong in str(error.value) and "mcp.0" in str(error.value)


@pytest.mark.parametrize(
    ("changes", "differ"),
    [
        ({}, False),
        ({"about": "Something else."}, False),
        ({"seconds": 5.0}, False),
        ({"const": {"size": 2}}, True),
        ({"args": {"text": "prompt"}}, True),
        ({"result": "other"}, True),
        ({"files": "data"}, True),
    ],
)
def test_what_a_tool_is_called_with_is_part_of_its_key_in_the_cache(
    make_config: MakeConfig, changes: dict[str, Any], differ: bool
) -> None:
    def key(**more: Any) -> str:
        tool = {"tool": "printed", "task": "summarization", "args": {"text": "text"}, **more}
        config = make_config(mcp=[{"name": "toy", "url": "http://127.0.0.1:9/mcp", "tools": [tool]}])
        endpoint = McpExperts(config.mcp[0], config, MediaStore(config))
        return endpoint.configured("mcp:toy/printed", TABLE["summarization"])

    assert (key() != key(**changes)) is differ
