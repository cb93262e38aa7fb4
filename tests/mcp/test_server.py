"""The tools and resources, for a client within the process: no transport, experts of the test."""

from __future__ import annotations

import base64
import io
import json
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolRequestParams, CallToolResult
from PIL import Image

from hugginggpt.core.errors import ConfigError
from hugginggpt.core.tasks import default_table
from hugginggpt.mcp.outputs import MAX_RESULT_BYTES
from hugginggpt.mcp.server import Service
from hugginggpt.mcp.steps import Steps
from hugginggpt.mcp.tools import rows_named
from hugginggpt.testing import FakeEndpoint, ScriptedLLM, plan, says, task
from tests.conftest import MakeConfig, controller_at
from tests.mcp.talking import ERAS, call, service_of, talk, text

TOOLS = ["run_request", "start_run", "plan_request", "run_task", "list_tasks", "get_run", "cancel_run"]
DESCRIBE = plan(task(0, "image-to-text", image="/examples/a.jpg"))


def service_with(make_config: MakeConfig, work: Any = None, llm: Any = None, **kwargs: Any) -> Service:
    endpoint = FakeEndpoint(
        "local", {"image-to-text": ["captioner"], "text-to-image": ["painter"]}, work or says("a cat")
    )
    return service_of(controller_at(make_config(), llm, endpoint), **kwargs)


@pytest.mark.parametrize("era", ERAS)
def test_a_request_is_answered_with_its_steps(make_config: MakeConfig, era: str) -> None:
    service = service_with(make_config, llm=ScriptedLLM(plan=DESCRIBE, respond="It shows a cat."))
    steps: list[tuple[float, float | None, str | None]] = []

    async def ask(client: Client) -> CallToolResult:
        async def progress(done: float, total: float | None, message: str | None) -> None:
            steps.append((done, total, message))

        return await client.call_tool("run_request", {"request": "What is in it?"}, progress_callback=progress)

    result = talk(service, ask, era)
    told = result.structured_content
    said = "It shows a cat.\n\nWhat was done:\n- image-to-text with captioner on local"
    assert not result.is_error and told["message"] == said and text(result) == said
    assert (told["status"], told["files"], told["errors"]) == ("answered", [], [])
    assert service.runs.get(told["run_id"])
    done = [step[0] for step in steps]
    assert done == sorted(set(done)) and done[-1] == steps[-1][1] == 4
    assert [step[2] for step in steps][-2:] == ["task 0: image-to-text: a cat", "done"]


def test_what_is_offered(make_config: MakeConfig) -> None:
    """The enum of run_task and list_tasks have what can be run now; a task of --tools has a tool with its arguments."""
    service = service_with(
        make_config, typed=rows_named("object-detection, Visual Question Answering", default_table())
    )
    tools = {tool.name: tool for tool in talk(service, lambda client: client.list_tools()).tools}
    assert list(tools) == [*TOOLS, "object_detection", "visual_question_answering"]
    assert tools["run_task"].input_schema["properties"]["task"]["enum"] == ["image-to-text", "text-to-image"]
    assert tools["visual_question_answering"].input_schema["required"] == ["image", "text"]
    reads = [name for name, tool in tools.items() if tool.annotations.read_only_hint]
    assert reads == ["plan_request", "list_tasks", "get_run"]
    assert not any(tool.annotations.destructive_hint for tool in tools.values())
    listed = call(service, "list_tasks").structured_content["tasks"]
    assert [(row["task"], row["gives"]) for row in listed] == [("image-to-text", "text"), ("text-to-image", "image")]
    with pytest.raises(ConfigError, match="no task obejct-detection: did you mean object-detection"):
        rows_named("obejct-detection", default_table())


def test_a_plan_runs_nothing(make_config: MakeConfig) -> None:
    service = service_with(make_config, llm=ScriptedLLM(plan=DESCRIBE))
    planned = call(service, "plan_request", request="What is in it?").structured_content
    assert planned["tasks"] == json.loads(DESCRIBE)["tasks"] and planned["problems"] == []
    assert service.controller.endpoints[0].calls == []  # type: ignore[attr-defined]


def test_one_task(make_config: MakeConfig, public: Path) -> None:
    """run_task and a task's own tool give the result as data; what the arguments lack is said."""
    service = service_with(make_config, typed=rows_named("image-to-text", default_table()))
    example = "hugginggpt://files/examples/a.jpg"
    for tool, args in (
        ("run_task", {"task": "image_to_text", "args": {"image": example}}),
        ("image_to_text", {"image": str(public / "examples" / "a.jpg")}),
    ):
        told = call(service, tool, **args).structured_content
        assert (told["result"], told["form"], told["status"]) == ({"generated text": "a cat"}, "text", "executed")
    opened = service.controller.endpoints[0].calls  # type: ignore[attr-defined]
    assert [args["image"] for _, _, args in opened] == [public / "examples" / "a.jpg"] * 2


@pytest.mark.parametrize(
    ("tool", "args", "sentence"),
    [
        ("run_request", {}, "'request' is a required property"),
        ("run_request", {"request": "x", "model": "y"}, "'model' was unexpected"),
        ("run_request", {"request": " "}, "The request is empty"),
        ("run_request", {"request": "x", "files": ["no.jpg"]}, "There is no file no.jpg"),
        ("run_task", {"task": "image-to-txt", "args": {}}, "did you mean image-to-text"),
        ("run_task", {"task": "image-to-text", "args": {}}, "'image' is a required property"),
        ("run_task", {"task": "image-to-text", "args": {"image": "<GENERATED>-7"}}, "<GENERATED>-7"),
        ("run_task", {"task": "depth-estimation", "args": {"image": "/examples/a.jpg"}}, "No model for depth-estimation"),
        ("get_run", {"run_id": "0123456789ab"}, "There is no such run"),
        ("get_run", {"run_id": "0", "wait_seconds": 1000}, "greater than the maximum"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_to_the_model(
    make_config: MakeConfig, tool: str, args: dict[str, Any], sentence: str
) -> None:
    result = call(service_with(make_config), tool, **args)
    assert result.is_error and sentence in text(result), text(result)


def test_a_time_that_is_no_number_is_refused(make_config: MakeConfig) -> None:
    """A client that writes NaN, which Python reads as a number that is within all bounds."""
    params = CallToolRequestParams(name="get_run", arguments={"run_id": "0", "wait_seconds": float("nan")})
    result = anyio.run(service_with(make_config).call_tool, None, params)
    assert result.is_error and text(result) == "wait_seconds should be a number from 0 to 50."


def test_an_unknown_tool_is_an_error_of_the_protocol(make_config: MakeConfig) -> None:
    with pytest.raises(MCPError, match="There is no tool run_program"):
        call(service_with(make_config), "run_program")


def test_a_bug_is_one_sentence_and_its_traceback_is_logged(make_config: MakeConfig, tmp_path: Path) -> None:
    service = service_with(make_config)
    service.runs = None  # type: ignore[assignment]
    assert text(call(service, "get_run", run_id="0")).startswith("Something went wrong inside the server")


# Files


def noise(model: str, row: Any, args: Any) -> Any:
    """A picture of 2 MB that does not compress, saved as an endpoint does it."""
    data = io.BytesIO()
    Image.effect_noise((1600, 1200), 90).convert("RGB").save(data, "PNG", compress_level=0)
    assert len(data.getvalue()) > 2_000_000
    return {"generated image": noise.media.save("image", data.getvalue())}  # type: ignore[attr-defined]


def test_a_picture_comes_as_a_link_and_a_small_preview(make_config: MakeConfig) -> None:
    service = service_with(make_config, noise, is_local=False)
    noise.media = service.inputs.media  # type: ignore[attr-defined]

    async def ask(client: Client) -> Any:
        result = await client.call_tool("run_task", {"task": "text-to-image", "args": {"text": "noise"}})
        return result, await client.read_resource(result.structured_content["files"][0]["uri"])

    result, read = talk(service, ask)
    words, link, preview = result.content
    (file,) = result.structured_content["files"]
    assert len(result.model_dump_json(by_alias=True)) < MAX_RESULT_BYTES
    assert (link.type, link.uri, link.mime_type, link.size) == (
        "resource_link",
        file["uri"],
        "image/png",
        file["bytes"],
    )
    assert file["uri"] in words.text and "path" not in file
    whole = base64.b64decode(read.contents[0].blob)
    assert len(whole) == file["bytes"] and read.contents[0].mime_type == "image/png"
    with Image.open(io.BytesIO(base64.b64decode(preview.data))) as small:
        assert (preview.mime_type, small.format, max(small.size)) == ("image/jpeg", "JPEG", 512)
    listed = talk(service, lambda client: client.list_resources()).resources
    assert [item.uri for item in listed] == [file["uri"]]


def test_on_this_machine_a_file_has_its_path(make_config: MakeConfig) -> None:
    service = service_with(make_config, noise)
    noise.media = service.inputs.media  # type: ignore[attr-defined]
    result = call(service, "run_task", task="text-to-image", args={"text": "noise"})
    (file,) = result.structured_content["files"]
    assert Path(file["path"]).stat().st_size == file["bytes"] and file["path"] in text(result)


def test_a_long_result_is_cut_and_can_be_read_whole(make_config: MakeConfig) -> None:
    long = "\u0001 and so on " * 100_000
    service = service_with(make_config, says(long))

    async def ask(client: Client) -> Any:
        result = await client.call_tool("run_task", {"task": "image-to-text", "args": {"image": "/examples/a.jpg"}})
        uri = f"hugginggpt://runs/{result.structured_content['run_id']}"
        return result, uri, await client.read_resource(uri)

    result, uri, read = talk(service, ask)
    assert len(result.model_dump_json(by_alias=True)) < MAX_RESULT_BYTES
    assert f"The rest is left out: read {uri}." in text(result) and result.structured_content["result"] is None
    assert json.loads(read.contents[0].text)["results"]["0"]["inference result"]["generated text"] == long


@pytest.mark.parametrize(
    "uri",
    [
        "hugginggpt://files/etc/passwd",
        "hugginggpt://files//etc/passwd",
        "hugginggpt://files/../../../etc/passwd",
        "hugginggpt://files/%2e%2e/%2e%2e/etc/passwd",
        "hugginggpt://files/examples/../../chats.sqlite",
        "hugginggpt://files/secret.json",
        "hugginggpt://files/index.html",
        "hugginggpt://runs/last",
        "file:///etc/passwd",
    ],
)
def test_nothing_else_is_read(make_config: MakeConfig, public: Path, tmp_path: Path, uri: str) -> None:
    (tmp_path / "secret.json").write_text("{}")
    (public / "secret.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(MCPError, match="There is no"):
        talk(service_with(make_config), lambda client: client.read_resource(uri))


def test_secrets_are_masked(make_config: MakeConfig) -> None:
    endpoint = FakeEndpoint("local", {"image-to-text": ["captioner"]}, says("the key is sk-very-secret"))
    config = make_config({"OPENAI_API_KEY": "sk-very-secret"}, llm="offline")
    service = service_of(controller_at(config, None, endpoint))
    result = call(service, "run_task", task="image-to-text", args={"image": "/examples/a.jpg"})
    assert "sk-very-secret" not in result.model_dump_json() and text(result) == "the key is ***"


# Long runs


class Gate:
    """An expert that answers when it is let, and tells when it was asked."""

    def __init__(self) -> None:
        self.asked, self.open = threading.Event(), threading.Event()

    def __call__(self, model: str, row: Any, args: Any) -> dict[str, str]:
        self.asked.set()
        assert self.open.wait(60)
        return {"generated text": "a cat"}


def test_a_long_run_is_started_and_asked_about(make_config: MakeConfig) -> None:
    gate = Gate()
    service = service_with(make_config, gate, ScriptedLLM(plan=DESCRIBE, respond="It shows a cat."))

    async def ask(client: Client) -> None:
        begun = (await client.call_tool("start_run", {"request": "What is in it?"})).structured_content
        assert begun["status"] == "running"
        await anyio.to_thread.run_sync(gate.asked.wait)
        going = (await client.call_tool("get_run", {"run_id": begun["run_id"], "wait_seconds": 0})).structured_content
        assert (going["status"], going["done"], going["total"]) == ("running", 0, 1)
        gate.open.set()
        done = (await client.call_tool("get_run", {"run_id": begun["run_id"], "wait_seconds": 50})).structured_content
        assert (done["status"], done["message"]) == (
            "answered",
            "It shows a cat.\n\nWhat was done:\n- image-to-text with captioner on local",
        )

    talk(service, ask)


def test_a_run_can_be_cancelled(make_config: MakeConfig) -> None:
    gate = Gate()
    service = service_with(make_config, gate, ScriptedLLM(plan=DESCRIBE))

    async def ask(client: Client) -> CallToolResult:
        begun = (await client.call_tool("start_run", {"request": "What is in it?"})).structured_content
        await anyio.to_thread.run_sync(gate.asked.wait)
        return await client.call_tool("cancel_run", {"run_id": begun["run_id"]})

    result = talk(service, ask)
    gate.open.set()
    assert result.is_error and result.structured_content["status"] == "cancelled"


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_gives_up_ends_its_run(make_config: MakeConfig, era: str) -> None:
    gate = Gate()
    service = service_with(make_config, gate, ScriptedLLM(plan=DESCRIBE))

    async def ask(client: Client) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "run_request", {"request": "What is in it?"})
            await anyio.to_thread.run_sync(gate.asked.wait)
            group.cancel_scope.cancel()
        live = service.runs.newest(1)[0]
        assert await anyio.to_thread.run_sync(live.ended.wait, 60)
        assert live.record.stop == "cancelled"

    talk(service, ask, era)
    gate.open.set()


def test_a_client_that_gives_up_a_plan_ends_its_run(make_config: MakeConfig) -> None:
    """Its place is free for another."""
    gate = Gate()

    def slowly(messages: Any) -> str:
        gate("", None, None)
        return DESCRIBE

    service = service_with(make_config, llm=ScriptedLLM(plan=slowly))

    async def ask(client: Client) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "plan_request", {"request": "What is in it?"})
            await anyio.to_thread.run_sync(gate.asked.wait)
            group.cancel_scope.cancel()

    talk(service, ask)
    live = service.runs.newest(1)[0]
    gate.open.set()
    assert live.wait().stop == "cancelled"


def test_no_more_runs_than_allowed(make_config: MakeConfig) -> None:
    gate = Gate()
    service = service_with(make_config, gate, ScriptedLLM(plan=DESCRIBE, respond="Yes."), most=1)

    async def ask(client: Client) -> CallToolResult:
        await client.call_tool("start_run", {"request": "What is in it?"})
        return await client.call_tool("run_request", {"request": "What is in it?"})

    refused = talk(service, ask)
    assert refused.is_error and text(refused) == "1 requests are being worked on already; try again in a moment."
    gate.open.set()
    assert service.runs.newest(1)[0].wait().message.startswith("Yes.\n\n")


def test_the_steps_of_a_run() -> None:
    """A task that tells its progress counts in part; one that was dropped from a streamed plan does not count."""
    task0, task7 = ({"task": "image-to-text", "id": number} for number in (0, 7))
    steps = Steps([{"event": "task", "task": task7}, {"event": "started", "task_id": 7}])
    assert (steps.done, steps.total) == (1, 4)
    assert steps.apply({"event": "plan", "plan": [task0]}) == "planned: image-to-text"
    assert steps.apply({"event": "started", "task_id": 0}) == "task 0: image-to-text starts"
    assert (steps.done, steps.total) == (2, 4)
    half = {"event": "progress", "task_id": 0, "done": 1.0, "total": 2.0, "text": ""}
    assert steps.apply(half) == "task 0: image-to-text: goes on" and steps.done == 2.45
    assert steps.apply({**half, "total": None, "text": "part 2"}).endswith("part 2") and steps.done == 2
    assert steps.apply({"event": "failed", "task_id": 0, "reason": "no"}) == "task 0: image-to-text failed: no"
    assert steps.apply({"event": "answer"}) == "" and (steps.done, steps.tasks_over) == (3, 1)
    assert steps.apply({"event": "done"}) == "done" and steps.done == 4
