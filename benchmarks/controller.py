"""The overhead of the controller over the latency of its backends, over HTTP as a client sees it.

    python -m benchmarks.controller [--quick] [--out FILE.json] [--plot FILE.png]     (make bench)

The language model and the experts are loopback servers that answer after a set time (loopback.py), so a
plan has a critical path that is known: planning, one selection, the longest chain of experts, the answer.
The results are ratios of wall time to it, measured at POST /hugginggpt in one run. Every answer is checked: it
must contain its own request's tag, and no other.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import requests
import yaml
from rich.console import Console
from rich.table import Table

from benchmarks.alone import CallTimes
from benchmarks.loopback import TAG, tokens
from benchmarks.shapes import SHAPES, Shape, named
from hugginggpt.common.paths import ROOT

Row = dict[str, Any]
CLIENTS = (1, 4, 16, 64)
LATENCIES = (10, 100, 1000)


class Client:
    """A client with its own connection, from the standard library: client and server share the machine, and the client
    must add little to the measurement.
    """

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=300)

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        """Status and JSON of the answer. After an error, the next request opens a new connection."""
        try:
            self._connection.request("POST", path, json.dumps(body).encode(), {"Content-Type": "application/json"})
            response = self._connection.getresponse()
            return response.status, json.loads(response.read())
        except Exception:
            self._connection.close()
            raise


@dataclass
class Bench:
    """The backends and the controller's server, each a separate process."""

    backends: str
    server: str
    process: psutil.Process
    llm: float
    expert: float
    client: Client
    config: Path

    def ask(self, shape: Shape, client: Client | None = None) -> float:
        """Seconds until the answer, which is checked. Raises AssertionError for a wrong one."""
        tag, body = request_for(shape)
        start = time.perf_counter()
        status, answer = (client or self.client).post("/hugginggpt", body)
        duration = time.perf_counter() - start
        assert status == 200 and not answer["errors"], answer
        assert set(TAG.findall(answer["message"].partition("Done:")[2])) == {tag}, (tag, answer)
        return duration

    def calls(self) -> dict[str, int]:
        counts: dict[str, int] = requests.get(f"{self.backends}/stats", timeout=5).json()["calls"]
        return counts

    def reset(self) -> None:
        requests.post(f"{self.backends}/reset", timeout=5)

    def cpu_seconds(self) -> float:
        times = self.process.cpu_times()
        return times.user + times.system

    def rss_mb(self) -> float:
        return self.process.memory_info().rss / 1e6


def request_for(shape: Shape) -> tuple[str, dict[str, Any]]:
    tag = f"tag{uuid.uuid4().hex[:8]}"
    content = f"{tag}: look at the pictures, and say what you found. [[plan:{shape.name}]]"
    return tag, {"messages": [{"role": "user", "content": content}]}


@contextlib.contextmanager
def running(llm_ms: float, expert_ms: float, rate: float = 0, others: float = 0, **settings: Any) -> Iterator[Bench]:
    """Starts backends and server, and stops them afterwards."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        url = stack.enter_context(backends(llm_ms, expert_ms, rate, others))
        config = Path(folder) / "config.yaml"
        shutil.copytree(ROOT / "public" / "examples", Path(folder) / "public" / "examples")
        settings = {
            "local": {"endpoint": url}, "huggingface": {"base_url": url}, "inference_mode": "huggingface",
            "embedded": False, "planner": "llm", "public": f"{folder}/public", "log_file": f"{folder}/logs/debug.log",
            "database": f"{folder}/chats.sqlite", "http_listen": {"port": _free_port(), "max_runs": 64, "threads": 80},
            **settings,
        }  # fmt: skip
        config.write_text(yaml.safe_dump(settings))
        server = stack.enter_context(_process("awesome_chat.py", "--mode", "server", "--config", str(config)))
        address = f"http://127.0.0.1:{settings['http_listen']['port']}"
        _until_answers(address, server)
        yield Bench(url, address, psutil.Process(server.pid), llm_ms / 1000, expert_ms / 1000, Client(address), config)


@contextlib.contextmanager
def backends(llm_ms: float, expert_ms: float, rate: float = 0, others: float = 0) -> Iterator[str]:
    """The address of a language model and a Hub on loopback."""
    options = ["--llm", str(llm_ms), "--expert", str(expert_ms), "--tokens-per-second", str(rate)]
    with _process("-m", "benchmarks.loopback", *options, "--others", str(others), stdout=subprocess.PIPE) as process:
        assert process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"


@contextlib.contextmanager
def _process(*args: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    environment = {name: value for name, value in os.environ.items() if "KEY" not in name and "TOKEN" not in name}
    command = [sys.executable, *args]
    options = {"text": True, "stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **options}
    with subprocess.Popen(command, cwd=ROOT, env=environment, **options) as process:
        try:
            yield process
        finally:
            process.terminate()


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _until_answers(address: str, server: subprocess.Popen[str]) -> float:
    """Seconds until the server answers."""
    start = time.perf_counter()
    while time.perf_counter() < start + 30 and server.poll() is None:
        with contextlib.suppress(requests.ConnectionError):
            if requests.get(f"{address}/healthz", timeout=5).ok:
                return time.perf_counter() - start
        time.sleep(0.01)
    raise SystemExit("The server did not start.")


def wall_times(quick: bool, latencies: Sequence[int]) -> list[Row]:
    """The wall times of each shape with each latency of language model and experts (the same for both)."""
    rows: list[Row] = []
    shapes = [*SHAPES.values(), *(named(f"random{size}") for size in (5, 10, 20, 50))]
    for ms in latencies:
        with running(ms, ms) as bench:
            for _ in range(3):
                bench.ask(SHAPES["mixed20"])  # connections, availability of the models
            alone = CallTimes(bench.config)
            for shape in shapes:
                call_bound = alone.path(shape, request_for(shape)[1]["messages"])
                repeats = 3 if ms == 1000 or quick else 15
                bench.reset()
                before = bench.cpu_seconds()
                seconds = statistics.median(bench.ask(shape) for _ in range(repeats))
                path = shape.critical_path(bench.llm, bench.expert)
                calls = {kind: count / repeats for kind, count in bench.calls().items()}
                rows.append({
                    "shape": shape.name, "tasks": shape.size, "latency_ms": ms, "path_ms": path * 1000,
                    "alone_ms": call_bound * 1000, "wall_ms": seconds * 1000, "ratio": seconds / path,
                    "limit_ms": path * 1030 + 10, "holds_to": _bound_met(seconds, path, call_bound),
                    "cpu_ms": (bench.cpu_seconds() - before) / repeats * 1000, "http_calls": sum(calls.values()),
                    "llm_calls": sum(calls.values()) - calls.get("expert", 0) - calls.get("status", 0),
                })  # fmt: skip
                print(f"  {shape.name} at {ms} ms: {seconds * 1000:.0f} of {path * 1000:.0f} ms", file=sys.stderr)
    return rows


def _bound_met(seconds: float, path: float, alone: float) -> str:
    """The critical path that bounds the wall time, with a margin of 3 % and 10 ms: nominal, or from measured calls."""
    within = [name for name, least in (("nominal", path), ("alone", alone)) if seconds <= 1.03 * least + 0.01]
    return next(iter(within), "none")


def throughput(quick: bool) -> list[Row]:
    """Requests of one task from several clients at 100 ms: requests per second, and the upper bound."""
    rows: list[Row] = []
    shape = SHAPES["single"]
    with running(100, 100) as bench:
        connected = [Client(bench.server) for _ in range(max(CLIENTS))]
        each = 2 if quick else 8
        bench.ask(shape)

        def ask(client: Client, times: int) -> list[float]:
            return [bench.ask(shape, client) for _ in range(times)]

        for clients in CLIENTS:
            count, asking = clients * each, connected[:clients]
            with ThreadPoolExecutor(clients) as pool:
                list(pool.map(ask, asking, [1] * clients))
                before, began = bench.cpu_seconds(), time.perf_counter()
                waits = sorted(wait for share in pool.map(ask, asking, [each] * clients) for wait in share)
                took = time.perf_counter() - began
            rows.append({
                "clients": clients, "requests": count, "per_second": count / took,
                "bound": clients / shape.critical_path(bench.llm, bench.expert),
                "median_ms": statistics.median(waits) * 1000, "p95_ms": waits[int(len(waits) * 0.95)] * 1000,
                "cpu_ms": (bench.cpu_seconds() - before) / count * 1000, "rss_mb": bench.rss_mb(),
            })  # fmt: skip
    return rows


def first_task() -> Row:
    """A plan of twenty tasks streamed at 50 tokens a second: when the first task starts, and when the plan is complete."""
    shape = SHAPES["mixed20"]
    seconds: dict[str, float] = {}
    with running(100, 100, rate=50) as bench:
        body = request_for(shape)[1]
        with requests.post(f"{bench.server}/v1/runs", json=body, stream=True, timeout=120) as response:
            for line in response.iter_lines():
                if line.startswith(b"data: "):
                    event = json.loads(line[6:])
                    seconds.setdefault(event.get("event", ""), event.get("seconds", 0.0))
    text = json.dumps({"tasks": shape.plan("tag00000000")})
    return {
        "tokens": tokens(text), "first_task_s": seconds["started"], "plan_s": seconds["plan"],
        "share": seconds["started"] / seconds["plan"], "done_s": seconds["done"],
    }  # fmt: skip


def start_up() -> Row:
    """Seconds to the help, to a plan without a key, and to a server that answers; its memory."""

    def timed(*args: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "awesome_chat.py", *args], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    start = time.perf_counter()
    with running(10, 10) as bench:
        ready = time.perf_counter() - start
        initial_rss = bench.rss_mb()
    return {
        "help_s": statistics.median(timed("--help") for _ in range(5)),
        "offline_plan_s": statistics.median(
            timed("--llm", "offline", "--plan", "-q", "Describe /examples/a.jpg") for _ in range(3)
        ),
        "server_ready_s": ready, "server_rss_mb": initial_rss,
    }  # fmt: skip


def show(console: Console, title: str, rows: list[Row]) -> None:
    table = Table(title=title, title_justify="left")
    for name in rows[0]:
        table.add_column(name, justify="left" if name == "shape" else "right")
    for row in rows:
        table.add_row(
            *(
                f"{value:.3g}"
                if isinstance(value, float) and value < 100
                else f"{value:.0f}"
                if isinstance(value, float)
                else str(value)
                for value in row.values()
            )
        )
    console.print(table)


def plot(rows: list[Row], path: Path) -> None:
    """Wall time over the critical path, by shape and latency."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shapes = list(dict.fromkeys(row["shape"] for row in rows))
    latencies = sorted({row["latency_ms"] for row in rows})
    figure, axes = pyplot.subplots(figsize=(9, 3.4))
    for at, ms in enumerate(latencies):
        ratios = [row["ratio"] for row in rows if row["latency_ms"] == ms]
        positions = [number + (at - 1) * 0.27 for number in range(len(shapes))]
        axes.bar(positions, ratios, 0.25, label=f"backends at {ms} ms")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set(ylabel="wall time / critical path", xticks=range(len(shapes)), xticklabels=shapes)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--latencies", type=int, nargs="+", default=LATENCIES, metavar="MS", help="of the backends")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    parser.add_argument("--plot", type=Path, help="also draw the ratios (needs matplotlib)")
    args = parser.parse_args()
    console = Console(width=130)
    figures = {"wall": wall_times(args.quick, args.latencies)}
    show(console, "Wall time at POST /hugginggpt, median", figures["wall"])
    figures["throughput"] = throughput(args.quick)
    show(console, "Clients at the same time, one task each, backends at 100 ms", figures["throughput"])
    figures["streamed"] = [first_task()]
    show(console, "mixed20, its plan streamed at 50 tokens a second", figures["streamed"])
    figures["start"] = [start_up()]
    show(console, "Start", figures["start"])
    if args.out:
        args.out.write_text(json.dumps(figures, indent=1) + "\n")
    if args.plot:
        plot(figures["wall"], args.plot)


if __name__ == "__main__":
    main()
