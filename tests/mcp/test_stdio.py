"""The program as an assistant starts it: `awesome_chat.py --mode mcp`, with pipes for its standard streams."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from hugginggpt.common.paths import ROOT
from hugginggpt.testing.servers import KEYS
from tests.conftest import EXAMPLES, MakeConfig
from tests.mcp.talking import ERAS, SECONDS, text

PROGRAM = str(ROOT / "awesome_chat.py")
ENVIRONMENT = {**os.environ, **dict.fromkeys(KEYS, "")}
NOISY = """
import os, subprocess, sys
from hugginggpt.common.signals import run_program
from hugginggpt.terminal.cli import main
from hugginggpt.testing import FakeEndpoint, controller_at

def noisy(model, task, args):
    print("stray: print")
    os.write(1, b"stray: a compiled library\\n")
    subprocess.run(["echo", "stray: a child"])
    print(f"stray: read {sys.stdin.read()!r}, left in the buffer", end="")
    return {"generated text": "a cat"}

experts = FakeEndpoint("local", {"image-to-text": ["m"]}, noisy)
run_program(lambda: main(lambda config: print("stray: building") or controller_at(config, None, experts), sys.argv[1:]))
"""


def run_cli(*args: str, cwd: Path = ROOT, code: str = "") -> subprocess.CompletedProcess[str]:
    """Runs the program with the standard input closed at once."""
    command = [sys.executable, *(["-c", code] if code else [PROGRAM]), *args]
    return subprocess.run(command, input="", capture_output=True, text=True, timeout=60, env=ENVIRONMENT, cwd=cwd)


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
def test_the_giraffes_are_counted(make_config: MakeConfig, tmp_path: Path, era: str) -> None:
    """The first example of the README, with pictures of this machine, one below --root by its name alone."""
    make_config()
    (tmp_path / "outside.jpg").write_bytes((EXAMPLES / "a.jpg").read_bytes())
    parameters = StdioServerParameters(
        command=sys.executable, env=ENVIRONMENT,
        args=[PROGRAM, "--mode", "mcp", "--llm", "offline", "--config", str(tmp_path / "config.yaml"),
              "--root", str(tmp_path / "public"), "--tools", "object-detection"],
    )  # fmt: skip

    async def ask() -> tuple[CallToolResult, CallToolResult]:
        async with Client(parameters, mode=era, read_timeout_seconds=SECONDS) as client:
            files = ["examples/a.jpg", str(tmp_path / "public" / "examples" / "b.jpg"), "/examples/c.jpg"]
            args = {"request": "How many giraffes are in these pictures?", "files": files}
            outside = {"image": str(tmp_path / "outside.jpg")}
            return await client.call_tool("run_request", args), await client.call_tool("object_detection", outside)

    counted, outside = anyio.run(ask)
    assert "3 giraffes in these 3 pictures: 1 in a.jpg, 2 in b.jpg, none in c.jpg" in text(counted)
    assert [block.type for block in counted.content] == ["text", *["resource_link"] * 3, "image"]
    assert outside.is_error and "is not below the folder that this server may read (--root)" in text(outside)


@pytest.mark.slow
def test_stray_prints_never_reach_the_wire(make_config: MakeConfig, tmp_path: Path) -> None:
    """Each line on the standard output is a message of the protocol, to the very end; the rest is on stderr."""
    make_config()
    call = {"name": "run_task", "arguments": {"task": "image-to-text", "args": {"image": "/examples/a.jpg"}}}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    server = subprocess.Popen(
        [sys.executable, "-c", NOISY, "--mode", "mcp", "--config", str(tmp_path / "config.yaml")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=ROOT,
    )  # fmt: skip
    assert server.stdin and server.stdout

    def send(method: str, params: dict[str, Any], number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **({"id": number} if number else {})}
        server.stdin.write(json.dumps(message) + "\n")  # type: ignore[union-attr]
        server.stdin.flush()  # type: ignore[union-attr]

    send("initialize", hello, 1)
    lines = [server.stdout.readline()]
    send("notifications/initialized", {})
    send("tools/call", call, 2)
    lines.append(server.stdout.readline())
    rest, errors = server.communicate(timeout=60)
    messages = [json.loads(line) for line in [*lines, *rest.splitlines()]]
    assert [message.get("id") for message in messages] == [1, 2]
    assert messages[1]["result"]["content"][0]["text"] == "a cat"
    for stray in ("building", "print", "a compiled library", "a child", "read '', left in the buffer"):
        assert f"stray: {stray}" in errors, errors
    assert server.returncode == 0


@pytest.mark.slow
def test_what_is_wrong_with_the_command(make_config: MakeConfig, tmp_path: Path) -> None:
    blocked = "import sys; sys.modules['mcp'] = None; import awesome_chat; sys.exit(awesome_chat.main(sys.argv[1:]))"
    for args, code, sentence in (
        (["--http", "8005"], "", "--http, --root and --tools belong to --mode mcp"),
        (["--mode", "mcp", "--root", str(tmp_path / "none")], "", "--root: there is no folder"),
        (["--mode", "mcp", "--http", "0", "--root", "."], "", "--root is for stdio"),
        (["--mode", "mcp", "--tools", "no-task"], "", "--tools: There is no task no-task"),
        (["--mode", "mcp"], blocked, '--mode mcp needs the package mcp: pip install -e ".[mcp]".'),
    ):
        done = run_cli(*args, "--llm", "offline", code=code)
        assert done.returncode == 2 and sentence in done.stderr, done.stderr
        assert done.stdout == ""


@pytest.mark.slow
def test_nothing_of_it_is_imported_without_it() -> None:
    """A run without --mode mcp pays nothing for the server."""
    code = (
        "import sys, awesome_chat\n"
        "awesome_chat.main(['Hello, who are you?', '--llm', 'offline', '-q'])\n"
        "print([name for name in ('mcp', 'mcp_types', 'uvicorn', 'starlette', 'hugginggpt.mcp') if name in sys.modules])"
    )
    done = run_cli(code=code)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


@pytest.mark.slow
def test_it_ends_at_once_when_told_while_it_waits_for_its_client(make_config: MakeConfig, tmp_path: Path) -> None:
    """SIGTERM reaches it although the client's end of the pipe is open and nothing comes."""
    make_config()
    command = [sys.executable, PROGRAM, "--mode", "mcp", "--llm", "offline", "--config", str(tmp_path / "config.yaml")]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=ROOT
    )
    assert server.stdin and server.stdout
    server.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["id"] == 1
    server.terminate()
    assert server.wait(timeout=60) == 128 + signal.SIGTERM
    server.stdin.close()
    server.stdout.close()
