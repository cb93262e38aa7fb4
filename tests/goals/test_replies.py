"""Replies of language models, in AutoGPT's JSON and as native tool calls, over real HTTP."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hugginggpt.config import Config
from hugginggpt.core.errors import ModelOutputError
from hugginggpt.core.usage import Usage
from hugginggpt.goals.events import GoalEvent, to_json
from hugginggpt.goals.goal import Thoughts
from hugginggpt.goals.replies import read_reply
from hugginggpt.goals.table import command_table
from hugginggpt.llm.base import Reply, ToolCall
from hugginggpt.llm.services import make_llm
from hugginggpt.testing import FakeLLM, Fault
from tests.conftest import MakeConfig
from tests.goals.conftest import Bench, follow, said

THOUGHTS = {"text": "I write.", "reasoning": "r", "plan": "- a\n- b", "criticism": "c", "speak": "I write a file."}


def reply(text: str, *calls: ToolCall, cut_off: str = "") -> Reply:
    return Reply(text, Usage(), cut_off=cut_off, calls=calls)


AUTOGPT = """{
    "thoughts": {
        "text": "I will write the file",
        "reasoning": "It is asked for",
        "plan": "- write\\n- finish",
        "criticism": "none",
        "speak": "Writing"
    },
    "command": {
        "name": "write_to_file",
        "args": {"file": "a.txt", "text": "x"}
    }
}"""


@pytest.mark.parametrize(
    "text",
    [
        AUTOGPT,
        f"Sure, here it is:\n```json\n{AUTOGPT}\n```\nDone!",
        AUTOGPT.replace('"', "'"),
        AUTOGPT.replace('"x"}', '"x",},'),
        f"<think>Perhaps {{}} or not? {{'command': 'delete_file'}}</think>{AUTOGPT}",
        AUTOGPT.rstrip("}\n "),
    ],
    ids=["plain", "in prose", "single quotes", "commas", "after thinking", "without its end"],
)
def test_autogpt_s_json_is_read_leniently(text: str) -> None:
    call = read_reply(reply(text))
    assert (call.command, call.args) == ("write_to_file", {"file": "a.txt", "text": "x"})
    assert call.thoughts == Thoughts("I will write the file", "It is asked for", "- write\n- finish", "none", "Writing")


def test_other_forms_of_commands() -> None:
    for text in (
        '{"command": "read_file", "args": {"file": "a"}}',
        '{"name": "read_file", "arguments": {"file": "a"}}',
        '{"thoughts": "hm", "command": {"name": "read_file", "arguments": {"file": "a"}}}',
    ):
        assert read_reply(reply(text)).args == {"file": "a"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Let us begin.", "not JSON"),
        ('{"thoughts": {"text": "hm"}}', "names no command"),
        ('{"command": {"name": "x", "args": [1]}}', "should be a JSON object"),
        ("[" * 500, "nested"),
    ],
)
def test_what_cannot_be_read_is_explained(text: str, why: str) -> None:
    with pytest.raises(ModelOutputError, match=why):
        read_reply(reply(text))


def test_a_reply_that_was_cut_off_is_not_used() -> None:
    with pytest.raises(ModelOutputError, match="cut off at the limit"):
        read_reply(reply(AUTOGPT, cut_off="at the limit"))


def test_native_calls_come_before_text() -> None:
    call = read_reply(reply("I look.", ToolCall("read_file", '{"file": "a"}'), ToolCall("do_nothing", "")))
    assert (call.command, call.args, call.thoughts.text) == ("read_file", {"file": "a"}, "I look.")


# Over HTTP


def native(command: str, **args: Any) -> dict[str, Any]:
    function = {"name": command, "arguments": json.dumps(args)}
    calls = [{"id": "1", "type": "function", "function": function}]
    return {"content": json.dumps({"thoughts": THOUGHTS}), "tool_calls": calls}


def text_reply(command: str, **args: Any) -> str:
    return json.dumps({"thoughts": THOUGHTS, "command": {"name": command, "args": args}})


STEPS = [
    ("write_to_file", {"file": "a.txt", "text": "x"}),
    ("read_file", {"file": "a.txt"}),
    ("task_complete", {"reason": "Done."}),
]


@pytest.fixture
def service(make_config: MakeConfig, llm_server: FakeLLM) -> Config:
    return make_config(local={"endpoint": llm_server.url}, llm="local")


def journal(bench: Bench, events: list[GoalEvent]) -> list[dict[str, Any]]:
    """The events without times and measures."""
    return [{name: value for name, value in to_json(event).items() if name not in ("at", "spent")} for event in events]


def test_tool_calls_and_json_give_the_same_journal(service: Config, llm_server: FakeLLM, bench: Bench) -> None:
    """A model that calls none of the tools that it was offered is asked for JSON from then on."""
    journals = []
    for form, with_tools in ((native, 3), (text_reply, 0), (text_reply, 1)):
        native_tools = with_tools > 0
        llm_server.replies["goal"] = [form(command, **args) for command, args in STEPS]
        llm_server.requests.clear()
        bench.native = native_tools
        llm = make_llm(service)
        assert llm
        journals.append(journal(bench, follow(bench.begin(llm=llm))))
        bodies = llm_server.bodies("goal")
        assert ["tools" in body for body in bodies] == [True] * with_tools + [False] * (3 - with_tools)
        assert all(("tools" in body) != ("response_format" in body) for body in bodies)
        llm.close()
        bench.loops.pop().close()
        (bench.folder / "journal.jsonl").unlink()
        bench.files.delete("a.txt")
    assert journals[0] == journals[1] == journals[2]
    assert [event["event"] for event in journals[0]][-1] == "Done"


def test_the_schema_has_the_arguments_of_each_command() -> None:
    """What a service holds the replies to is what the table takes."""
    table = command_table()
    schema = table.schema["properties"]
    assert schema["thoughts"]["required"] == ["text"] and set(schema["thoughts"]["properties"]) == set(THOUGHTS)
    calls = {call["properties"]["name"]["const"]: call for call in schema["command"]["anyOf"]}
    assert list(calls) == [row.name for row in table.rows]
    for name, call in calls.items():
        args, row = call["properties"]["args"], table.find(name)
        assert call["required"] == ["name", "args"] and not call["additionalProperties"]
        assert list(args["properties"]) == [each.name for each in row.parameters] and not args["additionalProperties"]
        assert args["required"] == [each.name for each in row.parameters if each.required]


def test_a_service_without_tools_is_asked_for_json(service: Config, llm_server: FakeLLM, bench: Bench) -> None:
    body = json.dumps({"error": {"message": "fake-model does not support tools", "type": "invalid_request_error"}})
    llm_server.faults["goal"] = [Fault(400, body)]
    llm_server.replies["goal"] = [text_reply(command, **args) for command, args in STEPS]
    bench.native = True
    llm = make_llm(service)
    assert llm
    loop = bench.begin(llm=llm)
    follow(loop)
    llm.close()
    assert loop.state.done and loop.state.done.message == "Done."
    first, *others = llm_server.bodies("goal")
    assert "tools" in first and not any("tools" in body for body in others) and "response_format" in others[0]


def test_a_cut_off_reply_writes_no_half_file(service: Config, llm_server: FakeLLM, bench: Bench) -> None:
    llm_server.faults["goal"] = [Fault(ends="length", part=0.99)]
    llm_server.replies["goal"] = [
        said("write_to_file", file="a.txt", text="x" * 1000),
        said("task_complete", reason="No."),
    ]
    llm = make_llm(service)
    assert llm
    loop = bench.begin(llm=llm)
    follow(loop)
    llm.close()
    assert bench.files.search().matches == () and loop.state.done


def test_a_key_is_kept_out_of_everything(bench: Bench) -> None:
    loop = bench.begin(
        said("write_to_file", "my key is sk-very-secret", file="a.txt", text="sk-very-secret"), said("do_nothing")
    )
    follow(loop, until=lambda event: loop.state.number == 2)
    assert "sk-very-secret" not in (bench.folder / "journal.jsonl").read_text()
    assert bench.files.read("a.txt").text == "***"
    assert replace(loop.state.steps[0].thoughts).text == "my key is ***"
