"""What choosing a model costs: the modes of `selection` beside each other.

    python -m benchmarks.selection [--repeats N] [--others SHARE] [--out FILE.json]
    python -m benchmarks.selection --model FILE.gguf

First with loopback backends at 100 ms (benchmarks.controller): wall times at POST /v1/runs, the calls on the critical
path alone, the calls of language model and experts, and what was begun ahead and kept or dropped. The language model
chooses another candidate than the first for a share of the tasks. Every mode that asks must end with the models that
`each` ends with. With --model, the embedded language model of a GGUF file chooses for three tasks that are planned
already.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import requests
from rich.console import Console

from awesome_chat import Controller, make_controller
from benchmarks.alone import CallTimes
from benchmarks.controller import Bench, Row, backends, request_for, running, show
from benchmarks.shapes import SHAPES, Shape
from hugginggpt.core.events import RunRecord
from hugginggpt.core.plan_repair import parse_plan
from hugginggpt.testing import write_config

MS = 100
PLANS = ("single", "chain5", "mixed20")
MODES = ("each", "ahead", "batch", "first")
SAME = ("each", "ahead")
"""The modes whose choices are compared: one question for all is another question."""


def followed(bench: Bench, shape: Shape) -> tuple[float, list[dict[str, Any]]]:
    """Seconds until the end of a request, and its events."""
    body = request_for(shape)[1]
    start = time.perf_counter()
    with requests.post(f"{bench.server}/v1/runs", json=body, stream=True, timeout=120) as response:
        told = [json.loads(line[6:]) for line in response.iter_lines() if line.startswith(b"data: ")]
    assert told[-1].get("stop") == "answered", told[-1]
    return time.perf_counter() - start, told


def all_modes(modes: Sequence[str], repeats: int, others: float) -> list[Row]:
    """The modes with each plan, while the language model chooses another candidate for a share of the tasks."""
    rows: list[Row] = []
    chosen: dict[tuple[str, str], dict[int, str]] = {}
    for mode in modes:
        with running(MS, MS, others=others, selection=mode, run_ahead="repeatable") as bench:
            for _ in range(3):
                bench.ask(SHAPES["mixed20"])  # connections, availability of the models
            alone = CallTimes(bench.config)
            for name in PLANS:
                rows.append(_row(bench, alone, mode, SHAPES[name], repeats, others))
                models = rows[-1].pop("models")
                if mode in SAME:
                    assert chosen.setdefault((name, ""), models) == models, f"{name}: {mode} ends with other models"
    return rows


def _row(bench: Bench, alone: CallTimes, mode: str, shape: Shape, repeats: int, others: float) -> Row:
    ahead = mode == "ahead"
    least = alone.path(shape, request_for(shape)[1]["messages"], asks=mode != "first", ahead=ahead)
    nominal = shape.path_ahead(bench.llm, bench.expert) if ahead else shape.critical_path(bench.llm, bench.expert)
    nominal -= bench.llm if mode == "first" else 0
    bench.reset()
    runs = [followed(bench, shape) for _ in range(repeats)]
    calls = bench.calls()
    told = [event for _, events in runs for event in events]
    begun = [event for event in told if event.get("event") == "ahead"]
    kept = [event for event in begun if event["kept"]]
    wall = statistics.median(seconds for seconds, _ in runs)
    print(f"  {mode} {shape.name}: {wall * 1000:.0f} ms", file=sys.stderr)
    return {
        "selection": mode, "plan": shape.name, "others": others, "path_ms": nominal * 1000, "alone_ms": least * 1000,
        "wall_ms": wall * 1000, "over": wall / least, "questions": calls.get("select", 0) / repeats,
        "expert_calls": calls.get("expert", 0) / repeats,
        "kept": len(kept) / repeats, "saved_ms": 1000 * sum(event["worked"] for event in kept) / repeats,
        "dropped": (len(begun) - len(kept)) / repeats,
        "wasted_ms": 1000 * sum(event["worked"] for event in begun if not event["kept"]) / repeats,
        "models": {event["task_id"]: event["choice"]["id"] for event in runs[0][1] if event.get("event") == "finished"},
    }  # fmt: skip


# A language model of one's own

REQUEST = "Caption the drawing a.jpg, find the chairs in b.jpg, and read the caption aloud in a calm voice."
OTHER = "What is in the photos a.jpg and b.jpg of our garden? Tell me loudly."
TASKS = [
    {"task": "image-to-text", "id": 0, "dep": [-1], "args": {"image": "/examples/a.jpg"}},
    {"task": "object-detection", "id": 1, "dep": [-1], "args": {"image": "/examples/b.jpg"}},
    {"task": "text-to-speech", "id": 2, "dep": [0], "args": {"text": "<GENERATED>-0"}},
]


def with_model(file: Path, modes: Sequence[str], expert_ms: float, threads: int) -> list[Row]:
    """Choosing for three tasks, two of them at once, with the embedded language model; experts on loopback."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, backends(0, expert_ms) as url, ExitStack() as opened:
        for mode in ("each", *modes):  # the first time to start the process, and to read what all questions begin with
            config = write_config(
                Path(folder), selection=mode, run_ahead="repeatable", llm="embedded", embedded=False,
                embedded_llm={"file": str(file), "folder": f"{folder}/llm", "threads": threads},
                huggingface={"base_url": url}, limits={"max_seconds": 600, "llm_seconds": 600},
            )  # fmt: skip
            controller = opened.enter_context(closing(make_controller(config)))  # all share the process, to the end
            rows.append(
                _chosen(controller, mode, REQUEST, TASKS) if rows else _chosen(controller, mode, OTHER, TASKS[:1])
            )
            print(f"  {mode}: {rows[-1]['seconds']:.1f} s", file=sys.stderr)
    return rows[1:]


def _chosen(controller: Controller, mode: str, request: str, tasks: Sequence[Any]) -> Row:
    run = controller.prepare([{"role": "user", "content": request}])
    run.plan = parse_plan(json.dumps(tasks), controller.table)
    record, start = RunRecord(), time.perf_counter()
    for event in controller.run(run, until="results"):
        record.apply(event)
    return _own_row(mode, time.perf_counter() - start, record)


def _own_row(mode: str, seconds: float, record: RunRecord) -> Row:
    usage = record.usage.get("select")
    ahead = record.ran_ahead
    return {
        "selection": mode, "seconds": seconds, "questions": usage.calls if usage else 0,
        "tokens": usage.total_tokens if usage else 0,
        "kept": ahead["kept"]["calls"], "dropped": ahead["dropped"]["calls"],
        "models": ", ".join(task.choice.id for task in record.tasks.values() if task.choice),
    }  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--others", type=float, nargs="+", default=(0.0, 0.3), metavar="SHARE",
                        help="of the choices, those that are not the first candidate")  # fmt: skip
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--model", type=Path, metavar="FILE.gguf", help="choose with this model instead")
    parser.add_argument("--expert-ms", type=float, default=1000, help="with --model: latency of the experts")
    parser.add_argument("--threads", type=int, default=1, help="with --model: threads of the language model")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    args = parser.parse_args(argv)
    console = Console(width=160)
    if args.model:
        rows = with_model(args.model, args.modes, args.expert_ms, args.threads)
        show(console, f"{args.model.name} chooses; experts at {args.expert_ms:g} ms", rows)
    else:
        rows = [row for share in args.others for row in all_modes(args.modes, args.repeats, share)]
        show(console, f"Wall time at POST /v1/runs, backends at {MS} ms, median of {args.repeats}", rows)
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
