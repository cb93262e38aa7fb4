"""What a request costs the controller and the stores, and whether the queueing model foretells what clients get.

    python -m benchmarks.request_costs [--rounds 3] [--planner llm] [--out FILE.json]

Language model and experts are loopback servers that answer after 100 ms (loopback.py). One client measures what a request
takes of each process, with the runs in memory, in a file, and in Redis, and conversations in
PostgreSQL (needs redis-server and PostgreSQL). The queueing model
(queueing.py) gets nothing but this and the latencies of the backends, and foretells the requests a second and the
latency of 4 and of 16 clients at once, which are then measured. Rounds are interleaved: other programs use the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import requests
from rich.console import Console

from benchmarks.controller import Bench, Client, Row, running, show
from benchmarks.queueing import Station, closed_loop
from benchmarks.shapes import SHAPES, Shape
from hugginggpt.testing.services import postgres_service, redis_service
from hugginggpt.web.chats import ChatStore

LATENCY_MS = 100
LEADS = "leads"
"""The language model plans what the offline planner is not sure of, and words the answers, as that of a service does."""
LOADS = (4, 16)
"""Clients at once at the points at which the model is checked."""
SINGLE = SHAPES["single"]


class Processes:
    """What the programs of a measurement take of a processor, in seconds."""

    def __init__(self, bench: Bench) -> None:
        me = psutil.Process()
        others = [process for process in me.children() if process.pid != bench.process.pid]
        self.parts = {"controller": [bench.process], "others": [me, *others]}

    def seconds(self) -> dict[str, float]:
        times = {name: [one.cpu_times() for one in processes] for name, processes in self.parts.items()}
        return {name: sum(one.user + one.system for one in of) for name, of in times.items()}


def asked(bench: Bench, clients: int, each: int, shape: Shape = SINGLE) -> Row:
    """Requests of so many clients at once, each of which sends its next one when it has an answer."""
    connected = [Client(bench.server) for _ in range(clients)]

    def ask(client: Client) -> list[float]:
        return [bench.ask(shape, client) for _ in range(each)]

    processes = Processes(bench)
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(bench.ask, [shape] * clients, connected))
        bench.reset()
        before, began = processes.seconds(), time.perf_counter()
        waits = [wait for share in pool.map(ask, connected) for wait in share]
        took = time.perf_counter() - began
        after = processes.seconds()
    count = len(waits)
    cpu = {name: (after[name] - before[name]) / count for name in after}
    stats = requests.get(f"{bench.backends}/stats", timeout=5).json()
    return {
        "clients": clients, "requests": count, "per_second": count / took, "seconds": statistics.fmean(waits),
        "controller_ms": cpu["controller"] * 1000, "others_ms": cpu["others"] * 1000, "rss_mb": bench.rss_mb(),
        "sent_kb": stats["bytes"]["received"] / count / 1000, "got_kb": stats["bytes"]["sent"] / count / 1000,
        "calls": sum(stats["calls"].values()) / count,
    }  # fmt: skip


def foretold(alone: Row, clients: int) -> tuple[float, float]:
    """(requests a second, seconds a request) of several clients, from what one alone was measured with.

    What a processor did for a request took longer on the clock than it took of the processor, as others used the
    machine, too: all demands are stretched by that.
    """
    delay = SINGLE.critical_path(LATENCY_MS / 1000, LATENCY_MS / 1000)
    demands = {"controller": alone["controller_ms"] / 1000, "others": alone["others_ms"] / 1000}
    stretch = max(1.0, (alone["seconds"] - delay) / sum(demands.values()))
    return closed_loop(clients, [Station(name, seconds * stretch) for name, seconds in demands.items()], delay)


def check(rounds: int, planner: str) -> list[Row]:
    """Foretold and measured, at each load: medians of the rounds, and the difference in per cent."""
    found: dict[int, list[Row]] = {clients: [] for clients in (1, *LOADS)}
    with running(LATENCY_MS, LATENCY_MS, planner=planner, llm_role=LEADS) as bench:
        for _ in range(3):
            bench.ask(SINGLE)
        for _ in range(rounds):
            for clients, rows in found.items():
                rows.append(asked(bench, clients, 12 if clients == 1 else 8))
    middle = {clients: _median(rows) for clients, rows in found.items()}
    rows = []
    for clients in LOADS:
        rate, seconds = foretold(middle[1], clients)
        measured = middle[clients]
        rows.append({
            "clients": clients, "foretold_per_second": rate, "measured_per_second": measured["per_second"],
            "rate_off": f"{(rate / measured['per_second'] - 1) * 100:+.0f} %",
            "foretold_ms": seconds * 1000, "measured_ms": measured["seconds"] * 1000,
            "ms_off": f"{(seconds / measured['seconds'] - 1) * 100:+.0f} %",
        })  # fmt: skip
    show(Console(width=130), "What the model is given and checked with, medians", list(middle.values()))
    return rows


def _median(rows: list[Row]) -> Row:
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


@contextlib.contextmanager
def stored(kind: str) -> Iterator[tuple[str | None, Any]]:
    """What `run_store` says of runs that are kept there, and a client of Redis where they are kept in it."""
    if kind == "memory":
        yield None, None
    elif kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"{folder}/runs.sqlite", None
    else:
        import redis

        with redis_service() as url, redis.Redis.from_url(url) as client:
            yield url, client


def stores(rounds: int, planner: str) -> list[Row]:
    """What a request takes with its runs in memory, in a file, and in Redis, one client at a time."""
    found: dict[str, list[Row]] = {"memory": [], "sqlite": [], "redis": []}
    with contextlib.ExitStack() as stack:
        benches: dict[str, tuple[Bench, Any]] = {}
        for kind in found:
            run_store, client = stack.enter_context(stored(kind))
            bench = stack.enter_context(
                running(LATENCY_MS, LATENCY_MS, planner=planner, llm_role=LEADS, run_store=run_store)
            )
            benches[kind] = bench, client
        for _ in range(rounds):
            for kind, (bench, client) in benches.items():
                before = client.info() if client else {}
                row = asked(bench, 1, 25)
                row |= _of_redis(before, client.info(), row["requests"] + 1) if client else {}
                found[kind].append(row)
    return [{"runs in": kind, **_median(rows)} for kind, rows in found.items()]


def conversations(count: int = 100) -> list[Row]:
    """What a turn of a conversation takes: it is begun, read and finished, one after the other."""
    from hugginggpt.web.chats import Chats
    from hugginggpt.web.postgres_chats import PostgresChats

    rows = []
    with postgres_service() as url, tempfile.TemporaryDirectory() as folder:
        server = psutil.Process().children()
        for kind, chats in (("postgresql", PostgresChats(url)), ("sqlite", Chats(Path(folder) / "chats.sqlite"))):
            for number in range(10):
                _turn(chats, f"warm-{number}")
            before, client, began = _cpu(server), time.process_time(), time.perf_counter()
            for number in range(count):
                _turn(chats, f"chat-{number}")
            rows.append({
                "conversations in": kind, "controller_ms": (time.process_time() - client) / count * 1000,
                "server_ms": (_cpu(server) - before) / count * 1000,
                "wall_ms": (time.perf_counter() - began) / count * 1000,
            })  # fmt: skip
            chats.close()
    return rows


def _turn(chats: ChatStore, chat: str) -> None:
    chats.begin(chat, f"run-{chat}", "What is in it?")
    chats.turns(chat)
    chats.finish(chat, f"run-{chat}", "answered", "A cat.", {"text": "x" * 4000})


def _cpu(processes: list[psutil.Process]) -> float:
    """What the processes and all that they started took of a processor, in seconds."""
    everyone = [one for process in processes for one in (process, *process.children(recursive=True))]
    return sum(sum(one.cpu_times()[:2]) for one in everyone)


def _of_redis(before: dict[str, Any], after: dict[str, Any], count: int) -> Row:
    def more(name: str) -> float:
        return float(after[name] - before[name])

    return {
        "redis_ms": (more("used_cpu_user") + more("used_cpu_sys")) / count * 1000,
        "redis_calls": more("total_commands_processed") / count,
        "redis_kb": (more("total_net_input_bytes") + more("total_net_output_bytes")) / count / 1000,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--planner", default="llm", choices=["llm", "auto"], help="auto plans offline first")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    args = parser.parse_args()
    console = Console(width=130)
    figures = {"check": check(args.rounds, args.planner)}
    show(console, "Foretold and measured", figures["check"])
    figures["stores"] = stores(args.rounds, args.planner)
    for row in figures["stores"]:
        show(console, f"One request, runs in {row['runs in']}", [row])
    figures["conversations"] = conversations()
    show(console, "One turn of a conversation", figures["conversations"])
    if args.out:
        args.out.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
