"""Tools of MCP servers at a URL: what goes wrong on the way, against a server in this process; then one that is real."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from awesome_chat import Controller, make_controller
from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import Finished, Progressed
from hugginggpt.endpoints.mcp_experts.endpoint import McpExperts
from hugginggpt.testing import ScriptedLLM, events, plan, run, task
from tests.conftest import MakeConfig
from tests.endpoints.plain_mcp import png, tool

TOY = Path(__file__).with_name("toy_mcp.py")
PATIENCE = 60
pytest.importorskip("mcp")


class Web:
    """A server whose `answer` to a call a test sets: the headers and body of the response, or a content block."""

    def __init__(self, port: int = 0) -> None:
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.status = 200
        self.headers: dict[str, str] = {}
        self.block: dict[str, Any] = {"type": "text", "text": "fine"}
        self.body: bytes | None = None
        self.session = ""
        self.refused = threading.Event()
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                web.asked.append((self.path, dict(self.headers), asked))
                status, headers, body = web.respond(asked)
                if web.session and asked["method"] == "initialize":
                    headers = {"Mcp-Session-Id": web.session}
                elif web.session and self.headers.get("mcp-session-id", web.session) != web.session:
                    status, headers, body = 404, {}, b""
                self.send_response(status)
                for name, value in {
                    "Content-Type": "application/json",
                    "Content-Length": str(len(body)),
                    **headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                except ConnectionError:
                    self.close_connection = True

            def do_GET(self) -> None:
                if self.path != "/picture.png":
                    self.send_error(405)
                    web.refused.set()
                    return
                web.asked.append((self.path, dict(self.headers), {}))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(png())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"

    def respond(self, asked: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        params = asked.get("params", {})
        if "id" not in asked:
            return 202, {}, b""
        results = {
            "initialize": {"protocolVersion": params.get("protocolVersion"), "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}},
            "tools/list": {"tools": [tool("work")]},
            "tools/call": {"content": [self.block]},
        }  # fmt: skip
        if self.status >= 400 or (asked["method"] == "tools/call" and (self.status != 200 or self.body is not None)):
            return self.status, self.headers, self.body or b"{}"
        if asked["method"] not in results:
            return (
                200,
                {},
                json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}).encode(),
            )
        return 200, {}, json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": results[asked["method"]]}).encode()

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [asked for _, _, asked in self.asked if asked.get("method") == "tools/call"]


@contextmanager
def served(port: int = 0) -> Iterator[Web]:
    made = Web(port)
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


@pytest.fixture
def web() -> Iterator[Web]:
    with served() as made:
        yield made


def server_at(url: str, *tools: tuple[str, str], **more: Any) -> dict[str, Any]:
    listed = [{"tool": name, "task": row, "args": {"text": "text"}} for name, row in tools]
    return {"name": "web", "url": url, "tools": listed, **more}


@contextmanager
def controller_for(config: Any, llm: Any) -> Iterator[Controller]:
    controller = make_controller(config, llm)
    controller.selector.endpoints = [one for one in controller.endpoints if isinstance(one, McpExperts)]
    yield controller
    controller.close()


def done_by(web: Web, make_config: MakeConfig, row: str = "summarization", environment: Any = None, **more: Any) -> Any:
    """The record of one task, done by the tool `work`."""
    config = make_config(
        environment or {},
        mcp=[server_at(f"{web.origin}/mcp", ("work", row), **more)],
        embedded=False,
        limits={"max_file_mb": 1},
    )
    with controller_for(config, ScriptedLLM(plan=plan(task(0, row, text="x")))) as controller:
        return run(controller, "Do it.", until="results").tasks[0]


def test_keys_go_to_the_server_and_are_masked(web: Web, make_config: MakeConfig) -> None:
    web.block = {"type": "text", "text": "your key is key-12345678"}
    more = {"headers": {"Authorization": "Bearer $WEB_KEY"}, "environment": {"WEB_KEY": "key-12345678"}}
    assert done_by(web, make_config, **more).state == "finished"
    assert {headers["Authorization"] for _, headers, _ in web.asked} == {"Bearer key-12345678"}


def test_keys_for_this_machine_go_to_no_proxy(
    web: Web, make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    more = {"headers": {"Authorization": "Bearer $WEB_KEY"}, "environment": {"WEB_KEY": "key-12345678"}}
    with served() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.origin)
        assert done_by(web, make_config, **more).state == "finished"
    assert proxy.asked == [] and len(web.calls) == 1


def test_a_file_at_the_server_is_fetched_without_keys(web: Web, make_config: MakeConfig) -> None:
    web.block = {"type": "resource_link", "name": "p", "uri": f"{web.origin}/picture.png"}
    more = {"headers": {"Authorization": "Bearer $WEB_KEY"}, "environment": {"WEB_KEY": "key-12345678"}}
    assert done_by(web, make_config, "text-to-image", **more).value["generated image"].endswith(".png")
    fetched = [headers for path, headers, _ in web.asked if path == "/picture.png"]
    assert len(fetched) == 1 and "Authorization" not in fetched[0]


@pytest.mark.parametrize("uri", ["http://127.0.0.2:9/x.png", "http://169.254.169.254/latest/x.png"])
def test_a_link_to_a_private_network_is_not_followed(web: Web, make_config: MakeConfig, uri: str) -> None:
    web.block = {"type": "resource_link", "name": "p", "uri": uri}
    assert "cannot be fetched" in done_by(web, make_config, "text-to-image").reason


def test_a_redirect_to_another_host_is_not_followed(web: Web, make_config: MakeConfig) -> None:
    with served() as other:
        web.status, web.headers, web.body = 307, {"Location": f"{other.origin}/mcp"}, b""
        assert "not followed" in done_by(web, make_config).reason
    assert other.asked == []


@pytest.mark.parametrize(
    ("headers", "body", "reason"),
    [
        ({}, b'"' + b"x" * 3_000_000 + b'"', "it answered more than 1 MB at once"),
        ({"Content-Encoding": "gzip"}, b"x", "it answered compressed, unasked"),
        ({"Content-Type": "text/html"}, b"<p>", "Unexpected content type: text/html"),
        ({}, b"no json", "JSON"),
    ],
)
def test_an_answer_that_cannot_be_used_is_one_sentence(
    web: Web, make_config: MakeConfig, headers: dict[str, str], body: bytes, reason: str
) -> None:
    web.headers, web.body = headers, body
    done = done_by(web, make_config)
    assert done.state == "failed" and reason in done.reason
    assert len(web.calls) == 1


def test_a_key_that_is_refused_and_a_server_that_is_not_there_are_named(web: Web, make_config: MakeConfig) -> None:
    web.status = 401
    config = make_config(mcp=[server_at(f"{web.origin}/mcp", ("work", "summarization"))], embedded=False)
    with controller_for(config, None) as controller:
        assert "it answers 401: check its headers" in controller.endpoints[0].status().hint
    config = make_config(mcp=[server_at("http://127.0.0.1:9/mcp", ("work", "summarization"))], embedded=False)
    with controller_for(config, None) as controller:
        hint = controller.endpoints[0].status().hint
        assert hint.startswith("The MCP server web cannot be used: ") and "onnect" in hint


def test_a_server_that_was_restarted_is_called_again(make_config: MakeConfig) -> None:
    with served() as first:
        port = first.server.server_port
        config = make_config(mcp=[server_at(f"{first.origin}/mcp", ("work", "summarization"))], embedded=False)
        controller = make_controller(config, ScriptedLLM(plan=[plan(task(0, "summarization", text="x"))] * 3))
        controller.selector.endpoints = [one for one in controller.endpoints if isinstance(one, McpExperts)]
        assert run(controller, "Do it.", until="results").tasks[0].ok
    assert run(controller, "Do it.", until="results").tasks[0].state == "failed"
    controller.endpoints[0].connection._not_before = 0.0  # type: ignore[attr-defined]
    with served(port) as second:
        assert run(controller, "Do it.", until="results").tasks[0].ok
        assert len(second.calls) == 1
    controller.close()


def test_a_status_of_long_ago_is_no_reason(make_config: MakeConfig) -> None:
    """A server may refuse to open a stream for its own messages, and an address that is asked whether it is there."""
    with served() as web:
        web.session = "one"
        config = make_config(mcp=[server_at(f"{web.origin}/mcp", ("work", "summarization"))], embedded=False)
        llm = ScriptedLLM(plan=plan(task(0, "summarization", text="x")))
        controller = make_controller(config, llm)
        controller.selector.endpoints = [one for one in controller.endpoints if isinstance(one, McpExperts)]
        assert controller.endpoints[0].status().ready
        assert web.refused.wait(PATIENCE)
    reason = run(controller, "Do it.", until="results").tasks[0].reason
    assert "cannot be used" in reason and "answers 4" not in reason
    controller.close()


def test_a_session_that_the_server_has_forgotten_is_made_anew(web: Web, make_config: MakeConfig) -> None:
    """What a server of the old protocol answers after its restart."""
    config = make_config(mcp=[server_at(f"{web.origin}/mcp", ("work", "summarization"))], embedded=False)
    with controller_for(config, ScriptedLLM(plan=[plan(task(0, "summarization", text="x"))] * 2)) as controller:
        web.session = "one"
        assert run(controller, "Do it.", until="results").tasks[0].ok
        web.session = "two"
        assert run(controller, "Do it.", until="results").tasks[0].ok
    assert [headers["mcp-session-id"] for _, headers, asked in web.asked if asked.get("method") == "tools/call"] == [
        "one",
        "one",
        "two",
    ]


# A real server, of the package mcp


@pytest.fixture(scope="module")
def real() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as free:
        port = free.server_port
    program = subprocess.Popen([sys.executable, str(TOY), str(port)], stderr=subprocess.PIPE, text=True)
    assert program.stderr
    for line in program.stderr:
        if "running on" in line:
            break
    threading.Thread(target=program.stderr.read, daemon=True).start()
    yield f"http://127.0.0.1:{port}/mcp"
    program.terminate()
    program.wait(PATIENCE)
    program.stderr.close()


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["auto", "old"])
def test_pictures_of_three_megabytes_and_sounds_over_both_protocols(
    real: str, make_config: MakeConfig, protocol: str
) -> None:
    server = server_at(real, ("draw_slowly", "text-to-image"), ("read_aloud", "text-to-speech"), protocol=protocol)
    server["tools"][0]["const"] = {"side": 1050}
    config = make_config(mcp=[server], embedded=False)
    planned = plan(task(0, "text-to-image", text="noise"), task(1, "text-to-speech", text="hello"))
    with controller_for(config, ScriptedLLM(plan=planned)) as controller:
        seen = events(controller, "Do it.", until="results")
        version = controller.endpoints[0].connection._live.ready.result()[0].protocol_version  # type: ignore[attr-defined]
    assert (version >= "2026") == (protocol == "auto")
    made = {one.task_id: one.value for one in seen if isinstance(one, Finished)}
    assert config.public_file(made[0]["generated image"]).stat().st_size > 3_000_000
    assert made[1]["generated audio"].endswith(".wav")
    for number in (0, 1):
        told = [
            (one.done, one.total, one.text) for one in seen if isinstance(one, Progressed) and one.task_id == number
        ]
        assert told == [(1, 2, "part 1"), (2, 2, "part 2")]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["auto", "old"])
def test_a_cancelled_call_is_stopped_at_the_real_server(real: str, make_config: MakeConfig, protocol: str) -> None:
    server = server_at(real, ("waits", "summarization"), ("stopped", "text-generation"), protocol=protocol)
    config = make_config(mcp=[server], embedded=False)
    llm = ScriptedLLM(
        plan=[plan(task(0, "summarization", text=protocol)), plan(task(0, "text-generation", text=protocol))]
    )
    with controller_for(config, llm) as controller:
        request = controller.prepare([{"role": "user", "content": "Do it."}])
        seen = controller.run(request)
        assert any(isinstance(event, Progressed) for event in seen)
        request.cancel()
        list(seen)
        assert run(controller, "Was it stopped?", until="results").tasks[0].value == {
            "generated text": f"{protocol} stopped"
        }


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b'{"hello": "world"}'),
        ("application/json", b"nonsense"),
        ("text/html", b"<html>Hello</html>"),
        ("text/event-stream", b'data: {"x": 1}\n\n'),
    ],
)
def test_an_address_at_which_something_else_answers_is_one_sentence(
    web: Web, make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch, kind: str, body: bytes
) -> None:
    monkeypatch.setattr(web, "respond", lambda asked: (200, {"Content-Type": kind}, body))
    config = make_config(mcp=[server_at(f"{web.origin}/", ("work", "summarization"))], embedded=False)
    with controller_for(config, ScriptedLLM()) as controller, pytest.raises(BackendError) as raised:
        controller.selector.endpoints[0]._states()  # type: ignore[attr-defined]
    assert str(raised.value) == (
        "The MCP server web cannot be used: what answers at its address is no MCP server: check its url, with the path."
    )
