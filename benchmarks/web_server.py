"""The server under load: requests per second, wrong answers, lost tasks, concurrent other calls, memory.

    python -m benchmarks.web_server [--requests 2000] [--out FILE.json]

Language model and experts are loopback servers that answer after 100 ms (loopback.py). Each request is a run of
a single task over POST /hugginggpt whose answer must contain its own tag, and no other. A task is lost when no expert
was called for it.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import requests
from rich.console import Console

from benchmarks.controller import Bench, Client, Row, running, show
from benchmarks.shapes import SHAPES

CLIENTS = 16
SINGLE = SHAPES["single"]


class Clients:
    """Sixteen clients, each with its own connection, that send the next request as soon as they have an answer."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.wrong: list[str] = []
        self.clients = [Client(bench.server) for _ in range(CLIENTS)]

    def ask(self, count: int) -> Row:
        """Sends `count` requests in all; returns the measurements."""
        self.bench.reset()
        began = time.perf_counter()
        with ThreadPoolExecutor(CLIENTS) as pool:
            shares = pool.map(self._share, self.clients, [count // CLIENTS] * CLIENTS)
            waits = sorted(wait for share in shares for wait in share)
        took = time.perf_counter() - began
        return {
            "requests": len(waits), "per_second": len(waits) / took, "median_ms": statistics.median(waits) * 1000,
            "p95_ms": waits[int(len(waits) * 0.95)] * 1000, "wrong": len(self.wrong),
            "lost_tasks": len(waits) - self.bench.calls().get("expert", 0), "rss_mb": self.bench.rss_mb(),
        }  # fmt: skip

    def _share(self, client: Client, count: int) -> list[float]:
        return [self._one(client) for _ in range(count)]

    def _one(self, client: Client) -> float:
        began = time.perf_counter()
        try:
            return self.bench.ask(SINGLE, client)
        except (AssertionError, ValueError, OSError, http.client.HTTPException) as error:
            self.wrong.append(str(error)[:300])
            return time.perf_counter() - began


@contextlib.contextmanager
def background_requests(bench: Bench, waits: list[float]) -> Any:
    """Requests /healthz and the page periodically, as a browser would."""
    finished = threading.Event()

    def ask() -> None:
        with requests.Session() as session:
            while not finished.wait(0.05):
                for path in ("/healthz", "/"):
                    began = time.perf_counter()
                    assert session.get(bench.server + path, timeout=30).ok
                    waits.append(time.perf_counter() - began)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def load() -> list[Row]:
    """64 requests from 16 clients, five times, on a server that has seen one request of each client."""
    with running(100, 100) as bench:
        clients = Clients(bench)
        clients.ask(CLIENTS)
        return [clients.ask(64) for _ in range(5)]


def background() -> Row:
    """The latency of /healthz and the page while the server is under load."""
    waits: list[float] = []
    with running(100, 100) as bench:
        clients = Clients(bench)
        clients.ask(CLIENTS)
        with background_requests(bench, waits):
            clients.ask(256)
    waits.sort()
    return {"calls": len(waits), "median_ms": statistics.median(waits) * 1000, "p95_ms": waits[int(len(waits) * 0.95)] * 1000}  # fmt: skip


def memory(requests_in_all: int) -> list[Row]:
    """Sends requests in four parts; the memory after each. The first fills the caches (200 runs, connections)."""
    with running(100, 100) as bench:
        clients = Clients(bench)
        clients.ask(CLIENTS)
        return [clients.ask(requests_in_all // 4) for _ in range(4)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000, help="of the memory run")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    args = parser.parse_args()
    console = Console(width=130)
    figures: dict[str, list[Row]] = {"load": load()}
    show(console, "64 requests from 16 clients, five times", figures["load"])
    figures["besides"] = [background()]
    show(console, "/healthz and the page meanwhile", figures["besides"])
    figures["memory"] = memory(args.requests)
    show(console, f"{args.requests} requests from 16 clients, memory after each quarter", figures["memory"])
    if args.out:
        args.out.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
