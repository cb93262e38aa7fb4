"""The OpenAPI description against the running server, by schemathesis; and real streaming through waitress."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from hugginggpt.testing import FakeExperts, FakeLLM, Fault, program_serving, task, write_config
from tests.conftest import CATALOGUE_MODELS, EXAMPLES
from tests.web.test_runs import kinds, stream


@dataclass(frozen=True)
class Program:
    """The program itself, served by waitress as users run it, and the services that it uses."""

    url: str
    llm: FakeLLM
    experts: FakeExperts


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    folder = tmp_path_factory.mktemp("program")
    with FakeLLM() as llm, FakeExperts(CATALOGUE_MODELS) as experts:
        write_config(
            folder,
            local={"endpoint": llm.url},
            huggingface={"base_url": experts.url},
            embedded=False,
            http_listen={"port": 0, "max_runs": 64},
        )
        (folder / "public" / "examples").mkdir()
        shutil.copy(EXAMPLES / "b.jpg", folder / "public" / "examples")
        with program_serving(folder / "config.yaml") as url:
            yield Program(url, llm, experts)


@pytest.fixture
def url(program: Program) -> str:
    program.llm.reset()
    program.experts.reset()
    return program.url


@pytest.fixture
def llm_server(program: Program) -> FakeLLM:
    return program.llm


@pytest.fixture
def expert_server(program: Program) -> FakeExperts:
    return program.experts


def test_events_are_sent_when_they_happen(url: str, llm_server: FakeLLM, expert_server: FakeExperts) -> None:
    """The expert is let go only when the client has seen that its task was started."""
    llm_server.replies["plan"] = json.dumps([task(0, "image-to-text", image="/examples/b.jpg")])
    expert_server.always["all"] = Fault(hang=True)
    body = {"messages": [{"role": "user", "content": "x"}]}
    seen: list[dict[str, Any]] = []
    with requests.post(f"{url}/v1/runs", json=body, stream=True, timeout=30) as response:
        for event in stream(response):
            seen.append(event)
            if event["event"] == "started":
                expert_server.always.clear()
                expert_server.over.set()
    assert kinds(seen)[-1] == "done"
    assert kinds(seen).index("started") < kinds(seen).index("answer")


@pytest.mark.slow
def test_a_client_that_hangs_up_ends_its_run(url: str, llm_server: FakeLLM, expert_server: FakeExperts) -> None:
    llm_server.replies["plan"] = json.dumps([task(0, "image-to-text", image="/examples/b.jpg")])
    expert_server.always["all"] = Fault(hang=True)

    def wait_for(runs: int) -> None:
        deadline = time.monotonic() + 20
        while requests.get(f"{url}/healthz", timeout=5).json()["runs"] != runs:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    client = http.client.HTTPConnection(urlsplit(url).netloc)
    body = json.dumps({"messages": [{"role": "user", "content": "x"}]})
    client.request("POST", "/hugginggpt", body, {"Content-Type": "application/json"})
    wait_for(1)
    client.close()
    wait_for(0)


def test_a_client_that_has_nothing_more_to_send_is_answered(url: str) -> None:
    for _ in range(10):
        with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port), timeout=10) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            client.shutdown(socket.SHUT_WR)
            assert client.recv(20).startswith(b"HTTP/1.1 200")


@pytest.mark.slow
@pytest.mark.timeout(600)  # it has grown with the routes, and machines are busy
def test_the_server_keeps_to_its_description(url: str, tmp_path: Path) -> None:
    """Generated requests, valid and not, for every route: no 5xx, only documented statuses and shapes."""
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json", "--url", url, "--seed", "7",
        "--max-examples", "25", "--phases", "examples,coverage,fuzzing", "--checks",
        "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        "--request-timeout", "20",
    ]  # fmt: skip
    described = requests.get(f"{url}/openapi.json", timeout=10).json()["paths"].values()
    operations = sum(len(methods) for methods in described)
    assert operations >= 40
    done = subprocess.run(command, capture_output=True, text=True, timeout=580, cwd=tmp_path)
    assert re.search(rf"Tested: {operations}\b", done.stdout), done.stdout
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-1000:]
