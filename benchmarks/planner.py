"""The latency of the offline planner: of a warm plan, and from the start of the program to the first plan.

    python -m benchmarks.planner [--data FILE] [--rounds 3] [--starts 5]

The requests are those of data/planning_eval.jsonl, else the demonstrations of demos/planning_pool.jsonl, or those of
FILE (any that `hugginggpt.evaluate` reads). For labelled ones it also prints the metrics.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hugginggpt import config as settings
from hugginggpt.common.paths import ROOT
from hugginggpt.core.tasks import default_table
from hugginggpt.evaluate.formats import Data, Sample, project_graph, read_data
from hugginggpt.evaluate.metrics import percentile
from hugginggpt.evaluate.report import report
from hugginggpt.evaluate.run import Bench, make_bench
from hugginggpt.stages.demonstrations import read_pool

EVALUATION_DATA = ROOT / "data" / "planning_eval.jsonl"
POOL = ROOT / "demos" / "planning_pool.jsonl"
FIGURES = ("n-F1", "e-F1", "exact graphs", "exact arguments")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="requests to plan")
    parser.add_argument("--rounds", type=int, default=3, help="how often each request is planned")
    parser.add_argument("--starts", type=int, default=5, help="how often the program is started")
    args = parser.parse_args()
    data = read_data(args.data or EVALUATION_DATA, default_table()) if args.data or EVALUATION_DATA.exists() else pool()
    bench = make_bench("offline", settings.load(environment={}), data.tasks)
    table = Table("", "", title=f"The offline planner on {data.name}", title_justify="left", box=None, padding=(0, 2))
    for name, value in [*plan_times(bench, data.samples, args.rounds), *start_times(data.samples, args.starts)]:
        table.add_row(name, value)
    for name, figure in quality(bench, data).items():
        table.add_row(name, f"{figure:.2f} %")
    Console(width=100).print(table)


def pool() -> Data:
    """The demonstrations as requests to plan."""
    demos = enumerate(read_pool(POOL))
    samples = [Sample(str(number), demo.request, history=demo.history) for number, demo in demos]
    return Data(POOL.name, samples, project_graph, project_format=True)


def plan_times(bench: Bench, samples: Sequence[Sample], rounds: int) -> list[tuple[str, str]]:
    """The first plan of this process loads what the planner needs; the others are warm."""
    first = bench.plan(samples[0]).seconds or 0.0
    seconds = [bench.plan(sample).seconds or 0.0 for _ in range(rounds) for sample in samples]
    return [
        ("first plan", f"{1000 * first:.1f} ms"),
        ("plan, median", f"{1000 * statistics.median(seconds):.1f} ms  ({len(seconds)} plans)"),
        ("plan, 95 % under", f"{1000 * (percentile(seconds, 0.95) or 0):.1f} ms"),
        ("plan, longest", f"{1000 * max(seconds):.1f} ms"),
    ]


def start_times(samples: Sequence[Sample], starts: int) -> list[tuple[str, str]]:
    """The program as a user starts it, until the plan is printed."""
    seconds = []
    for sample in samples[:starts]:
        command = [sys.executable, "awesome_chat.py", "--plan", "-q", "--llm", "offline", sample.request]
        begin = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - begin)
    if not seconds:
        return []
    return [
        ("start to first plan, median", f"{statistics.median(seconds):.2f} s  ({len(seconds)} starts)"),
        ("start to first plan, longest", f"{max(seconds):.2f} s"),
    ]


def quality(bench: Bench, data: Data) -> dict[str, float]:
    """The metrics of the plans, for labelled requests."""
    figures = report(data, {sample.id: bench.plan(sample) for sample in data.samples})["figures"].get("overall", {})
    return {name: figures[name] for name in FIGURES if figures.get(name) is not None}


if __name__ == "__main__":
    main()
