"""Two controllers over one Redis, or one file, under load, one of which is killed: what is lost, what is done twice, how long it takes.

    python -m benchmarks.controllers [--requests 2000] [--one | --file] [--out FILE.json]

Language model and experts are loopback servers (loopback.py). Sixteen clients send requests to either controller and
follow the events; when half of the requests are answered, one controller gets SIGKILL. A client whose connection breaks
goes on at the other one: after the last event that it has received, or, if its request was not accepted yet, by sending
it again. A request is lost if it has no answer in the end, or a wrong one. Needs redis-server; with
`--file` the runs are in an SQLite file. `--one` measures a single controller without either, and kills nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
import yaml
from rich.console import Console

from benchmarks.controller import Row, _process, _until_answers, backends, request_for, show
from benchmarks.loopback import TAG
from benchmarks.shapes import SHAPES
from hugginggpt.common.paths import ROOT
from hugginggpt.testing.services import free_port, redis_service

CLIENTS = 16
ATTEMPTS = 200
SHAPE = SHAPES["single"]
BROKEN = (OSError, http.client.HTTPException, ValueError)


@dataclass
class Load:
    """What the clients share: the controllers that are left, and what came of the requests."""

    controllers: list[str]
    waits: list[float] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    half: int = 0
    is_half: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, number: int) -> None:
        began = time.perf_counter()
        tag, body = request_for(SHAPE)
        answer, moved = Request(self, number, body).answer()
        with self.lock:
            if set(TAG.findall(answer.partition("Done:")[2])) == {tag}:
                self.waits.append(time.perf_counter() - began)
                if moved:
                    self.moved.append(self.waits[-1])
            else:
                self.lost.append(f"{tag}: {answer[:200]}")
            if len(self.waits) >= self.half:
                self.is_half.set()


class Request:
    """One request, which is followed wherever it goes on."""

    def __init__(self, load: Load, number: int, body: dict[str, Any]) -> None:
        self.load, self.number, self.body = load, number, body
        self.run_id, self.last, self.message = "", 0, ""
        self.is_over = False

    def answer(self) -> tuple[str, bool]:
        """The message of the answer, and whether it was begun or gone on with at another controller."""
        for attempt in range(ATTEMPTS):
            controllers = list(self.load.controllers)
            address = urlsplit(controllers[(self.number + attempt) % len(controllers)]).netloc
            connection = http.client.HTTPConnection(address, timeout=60)
            with contextlib.closing(connection), contextlib.suppress(BROKEN):
                self._once(connection)
            if self.is_over:
                return self.message, attempt > 0
            time.sleep(0.05)
        return "never answered", True

    def _once(self, connection: http.client.HTTPConnection) -> None:
        if self.run_id:
            connection.request("GET", f"/v1/runs/{self.run_id}/events", headers={"Last-Event-ID": str(self.last)})
        else:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", "/v1/runs", json.dumps(self.body).encode(), headers)
        response = connection.getresponse()
        if response.status != 200:
            response.read()
            return
        number = self.last
        for line in response:
            if line.startswith(b"id: "):
                number = int(line[4:])
            elif line.startswith(b"data: "):
                self._take(json.loads(line[6:]))
                self.last = number
            if self.is_over:
                return

    def _take(self, event: dict[str, Any]) -> None:
        if "run_id" in event and not self.run_id:
            self.run_id = event["run_id"]
        if event.get("event") == "answer":
            self.message = event["message"]
        if event.get("event") == "done":
            self.is_over = True


@contextlib.contextmanager
def controllers(count: int, url: str, run_store: str | None) -> Iterator[list[tuple[str, Any]]]:
    """So many controllers with the same settings and folders; their addresses and processes."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        shutil.copytree(ROOT / "public" / "examples", Path(folder) / "public" / "examples")
        found = []
        for number in range(count):
            port = free_port()
            settings = {
                "local": {"endpoint": url}, "huggingface": {"base_url": url}, "inference_mode": "huggingface",
                "embedded": False, "planner": "llm", "public": f"{folder}/public", "run_store": run_store,
                "log_file": f"{folder}/logs-{number}/debug.log", "database": f"{folder}/chats.sqlite",
                "http_listen": {"port": port, "max_runs": 64, "threads": 128},
            }  # fmt: skip
            config = Path(folder) / f"config-{number}.yaml"
            config.write_text(yaml.safe_dump(settings))
            process = stack.enter_context(_process("awesome_chat.py", "--mode", "server", "--config", str(config)))
            found.append((f"http://127.0.0.1:{port}", process))
        for address, process in found:
            _until_answers(address, process)
        yield found


def measure(requests_in_all: int, count: int, run_store: str | None) -> tuple[Row, list[str]]:
    with backends(50, 50) as url, controllers(count, url, run_store) as found:
        load = Load([address for address, _ in found], half=requests_in_all // 2)
        for number in range(2 * CLIENTS):
            load.ask(number)  # connections, availability of the models
        load.waits.clear()
        load.is_half.clear()
        requests.post(f"{url}/reset", timeout=5)
        began = time.perf_counter()
        with ThreadPoolExecutor(CLIENTS) as pool:
            asked = [pool.submit(load.ask, number) for number in range(requests_in_all)]
            if count > 1:
                load.is_half.wait()
                address, process = found[0]
                process.kill()
                load.controllers = [other for other in load.controllers if other != address]
            for one in asked:
                one.result()
        took = time.perf_counter() - began
        calls = requests.get(f"{url}/stats", timeout=5).json()["calls"]
        waits = sorted(load.waits)
        row = {
            "controllers": count, "requests": requests_in_all, "answered": len(waits), "lost": len(load.lost),
            "per_second": len(waits) / took, "median_ms": statistics.median(waits) * 1000,
            "p95_ms": waits[int(len(waits) * 0.95)] * 1000, "moved": len(load.moved),
            "longest_moved_s": max(load.moved, default=0.0), "expert_calls": calls.get("expert", 0),
        }  # fmt: skip
        return row, load.lost


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--one", action="store_true", help="a single controller without Redis")
    parser.add_argument("--file", action="store_true", help="runs in a file instead of Redis")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    args = parser.parse_args()
    if args.one:
        row, lost = measure(args.requests, 1, None)
    elif args.file:
        with tempfile.TemporaryDirectory() as folder:
            row, lost = measure(args.requests, 2, f"{folder}/runs.sqlite")
    else:
        with redis_service() as run_store:
            row, lost = measure(args.requests, 2, run_store)
    show(Console(width=140), "Sixteen clients, tasks of 50 ms; one of two controllers killed half-way", [row])
    for said in lost[:10]:
        print(said, file=sys.stderr)
    if args.out:
        args.out.write_text(json.dumps(row, indent=1) + "\n")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
