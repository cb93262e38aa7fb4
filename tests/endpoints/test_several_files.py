"""An argument with several files, for experts of others."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from mcp_types import Tool

from hugginggpt.answers.findings import names_of_args
from hugginggpt.config.http_experts import HttpExpert
from hugginggpt.config.mcp import McpServer, McpTool
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import BackendError
from hugginggpt.core.request_templates import Slot
from hugginggpt.endpoints.http_experts.request import Inputs, SentFile
from hugginggpt.endpoints.mcp_experts.tools import ToolState, arguments
from hugginggpt.media.store import MediaStore
from tests.conftest import TABLE, MakeConfig

ROW = TABLE["join-images"]
MANY = {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}}


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    files = [tmp_path / name for name in ("one.png", "two.png")]
    for file in files:
        file.write_bytes(file.name.encode())
    return files


def test_an_http_expert_gets_each(make_config: MakeConfig, two: list[Path]) -> None:
    expert = HttpExpert.model_validate(
        {
            "id": "x",
            "task": ROW.name,
            "url": "http://127.0.0.1:1/",
            "multipart": {"p": "{images:file}"},
            "result": "p:base64",
        }
    )
    inputs = Inputs(expert, ROW, {"images": two}, MediaStore(make_config()))
    encoded = inputs.look_up(Slot("images", "base64", None))
    assert [base64.b64decode(each) for each in encoded] == [b"one.png", b"two.png"]
    assert inputs.look_up(Slot("images", "file", None)) == [
        SentFile("one.png", b"one.png", "image/png"), SentFile("two.png", b"two.png", "image/png")
    ]  # fmt: skip


@pytest.mark.parametrize("schema", [MANY, {"anyOf": [{"type": "null"}, MANY]}])
def test_a_tool_of_a_server_gets_each(make_config: MakeConfig, two: list[Path], schema: object) -> None:
    given = arguments_of(make_config, two, schema)
    assert [base64.b64decode(each) for each in given["pictures"]] == [b"one.png", b"two.png"]


def test_a_tool_that_takes_one_says_so(make_config: MakeConfig, two: list[Path]) -> None:
    with pytest.raises(BackendError, match=r"collage takes one file for pictures, and there are 2\."):
        arguments_of(make_config, two, {"type": "string", "contentEncoding": "base64"})


def arguments_of(make_config: MakeConfig, files: list[Path], schema: object) -> dict[str, list[str]]:
    config = McpTool.model_validate({"tool": "collage", "task": ROW.name, "args": {"images": "pictures"}})
    server = McpServer.model_validate({"name": "toy", "command": ["true"], "tools": [config.model_dump()]})
    listed = Tool.model_validate(
        {"name": "collage", "inputSchema": {"type": "object", "properties": {"pictures": schema}}}
    )
    return arguments(ToolState(config, listed=listed), server, ROW, {"images": files}, MediaStore(make_config()))


def test_each_keeps_the_name_that_its_user_gave_it() -> None:
    attached = [Attachment("left.png", "/uploads/1.png", "image"), Attachment("right.png", "/uploads/2.png", "image")]
    run, planned = ["/images/a.png", "/images/b.png"], ["/uploads/1.png", "/uploads/2.png"]
    names = names_of_args([(ROW, {"images": run}, {"images": planned})], attached)
    assert [names[path] for path in run] == ["left.png", "right.png"]
