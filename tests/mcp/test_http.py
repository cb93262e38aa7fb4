"""Streamable HTTP: real requests to the server, by the protocol's own client and by strangers."""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
import requests
from mcp import Client, MCPError
from mcp_types import CallToolResult
from PIL import Image

from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError
from hugginggpt.mcp.server import Service
from hugginggpt.mcp.serving import http_serving, serve_http
from hugginggpt.testing import FakeEndpoint, ScriptedLLM, plan, says, task
from tests.conftest import EXAMPLES, MakeConfig, controller_at
from tests.mcp.talking import ERAS, talk_over_http, text

TOKEN = "a-token-of-the-server"
DESCRIBE = plan(task(0, "image-to-text", image="/examples/a.jpg"))
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@contextmanager
def serving(config: Config, work: Any = None, llm: Any = None) -> Iterator[tuple[str, Service]]:
    endpoint = FakeEndpoint("local", {"image-to-text": ["captioner"]}, work or says("a cat"))
    with http_serving(controller_at(config, llm, endpoint), 0) as (url, service, _):
        yield url, service


def post(url: str, **headers: str) -> requests.Response:
    headers = {"Accept": "application/json, text/event-stream", **headers}
    return requests.post(url, json=INITIALIZE, headers=headers, timeout=30)


@pytest.mark.parametrize("era", ERAS)
def test_a_request_with_a_picture_of_the_client(make_config: MakeConfig, era: str) -> None:
    steps = []

    async def ask(client: Client) -> CallToolResult:
        async def progress(done: float, total: float | None, message: str | None) -> None:
            steps.append(message)

        data = f"data:image/jpeg;base64,{base64.b64encode((EXAMPLES / 'a.jpg').read_bytes()).decode()}"
        args = {"task": "image-to-text", "args": {"image": data}}
        return await client.call_tool("run_task", args, progress_callback=progress)

    with serving(make_config()) as (url, _):
        result = talk_over_http(url, ask, era)
    assert text(result) == "a cat" and steps[-1] == "done"


@pytest.mark.parametrize("era", ERAS)
def test_a_large_picture_of_the_client(make_config: MakeConfig, era: str) -> None:
    """5 MB as JSON: more than the protocol's library takes unless it is told."""
    data = io.BytesIO()
    Image.effect_noise((1300, 1000), 90).convert("RGB").save(data, "PNG", compress_level=0)
    uri = f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}"
    assert len(uri) > 5_000_000

    def ask(client: Client) -> Any:
        return client.call_tool("run_task", {"task": "image-to-text", "args": {"image": uri}})

    with serving(make_config()) as (url, _):
        assert text(talk_over_http(url, ask, era)) == "a cat"


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_gives_up_ends_its_run(make_config: MakeConfig, era: str) -> None:
    asked, gate = threading.Event(), threading.Event()

    def work(*_: Any) -> dict[str, str]:
        asked.set()
        assert gate.wait(60)
        return {"generated text": "a cat"}

    with serving(make_config(), work, ScriptedLLM(plan=DESCRIBE)) as (url, service):

        async def ask(client: Client) -> None:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "run_request", {"request": "What is in it?"})
                await anyio.to_thread.run_sync(asked.wait)
                group.cancel_scope.cancel()
            assert await anyio.to_thread.run_sync(service.runs.newest(1)[0].ended.wait, 60)

        talk_over_http(url, ask, era)
        assert service.runs.newest(1)[0].record.stop == "cancelled"
        gate.set()


def test_who_may_call(make_config: MakeConfig) -> None:
    """Only under the server's own names and from pages of its origins, which defeats DNS rebinding."""
    config = make_config(http_listen={"hosts": ["gpu.lan"], "origins": ["http://localhost:9999"]})
    with serving(config) as (url, _):
        port = url.split(":")[2].split("/")[0]
        for host in (f"localhost:{port}", "localhost", f"gpu.lan:{port}", "gpu.lan", f"[::1]:{port}"):
            assert post(url, Host=host).status_code == 200, host
        for host in ("evil.example", f"evil.example:{port}", "localhost.evil.example", "gpu.lan.evil.example:80"):
            assert post(url, Host=host).status_code == 421, host
        for origin in ("http://localhost:9999", f"http://127.0.0.1:{port}"):
            assert post(url, Origin=origin).status_code == 200, origin
        for origin in ("http://evil.example", "http://localhost:1", "null", "http://localhost:9999.evil.example"):
            assert post(url, Origin=origin).status_code == 403, origin
        ours = requests.options(
            url, headers={"Origin": "http://localhost:9999", "Access-Control-Request-Method": "POST"}, timeout=30
        )
        assert ours.headers["Access-Control-Allow-Origin"] == "http://localhost:9999"


def test_with_a_token_nobody_gets_in_without_it(make_config: MakeConfig) -> None:
    with serving(make_config(http_listen={"token": TOKEN})) as (url, _):
        for sent in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}):
            refused = post(url, **sent)
            assert refused.status_code == 401 and refused.headers["WWW-Authenticate"] == "Bearer"
            assert "http_listen.token" in refused.json()["error"]
        assert requests.get(url, timeout=30).status_code == 401
        right = {"Authorization": f"Bearer {TOKEN}"}
        assert post(url, **right, Host="evil.example").status_code == 421
        assert post(url, **right, Origin="http://evil.example").status_code == 403
        tools = talk_over_http(url, lambda client: client.list_tools(), token=TOKEN).tools
        assert tools[0].name == "run_request"


def test_files_of_the_server_s_machine_are_refused(make_config: MakeConfig) -> None:
    with serving(make_config()) as (url, _):
        for item in ("/etc/passwd", "../../etc/passwd", "file:///etc/passwd"):
            args = {"request": "What is in it?", "files": [item]}
            result = talk_over_http(url, lambda client, args=args: client.call_tool("run_request", args))
            assert result.is_error and "is no file that can be named here" in text(result)
        for uri in ("hugginggpt://files/etc/passwd", "hugginggpt://files/../../etc/passwd", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="There is no"):
                talk_over_http(url, lambda client, uri=uri: client.read_resource(uri))


def test_an_address_that_others_reach_needs_a_token(make_config: MakeConfig) -> None:
    controller = controller_at(make_config(http_listen={"host": "0.0.0.0"}), None)
    with pytest.raises(ConfigError, match="can be reached from other machines: set http_listen.token"):
        serve_http(controller, 0)


def test_its_end_cancels_what_goes_on(make_config: MakeConfig) -> None:
    asked, gate = threading.Event(), threading.Event()

    def work(*_: Any) -> dict[str, str]:
        asked.set()
        assert gate.wait(60)
        return {"generated text": "a cat"}

    with serving(make_config(), work, ScriptedLLM(plan=DESCRIBE)) as (url, service):

        async def ask(client: Client) -> None:
            await client.call_tool("start_run", {"request": "What is in it?"})
            await anyio.to_thread.run_sync(asked.wait)

        talk_over_http(url, ask)
    assert service.runs.newest(1)[0].record.stop == "cancelled"
    gate.set()
    with pytest.raises(requests.ConnectionError):
        post(url)
