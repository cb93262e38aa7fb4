"""Who should plan: the offline planner alone, a language model alone, or both together (`planner: auto`).

    python -m benchmarks.planners --endpoint URL --out RESULTS [--taskbench FILE] [--limit 60] [--arms offline,llm,auto]

URL is any OpenAI-compatible server, without /v1. The requests are those of a TaskBench file, of data/planning_eval.jsonl
and of the trials in tests/trials (whole conversations, graded by their truths), a random sample of each. Each result is a
line of RESULTS: the same command goes on where it was stopped, and only prints the figures when there is nothing left.
"Unusable" are requests for which the model wrote no usable plan: alone it then has none.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from awesome_chat import Controller, make_controller
from hugginggpt import config as settings
from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.core.events import RunRecord
from hugginggpt.core.tasks import default_table
from hugginggpt.evaluate.formats import Data, Sample, read_data
from hugginggpt.evaluate.metrics import taskbench
from hugginggpt.evaluate.run import JsonLinesFile, restricted_to
from tests.trials.__main__ import replies
from tests.trials.grading import SETS, grade, read_turns

ARMS = ("offline", "llm", "auto")
OWN = ROOT / "data" / "planning_eval.jsonl"
TRIALS = "hotel,india"
COLUMNS = ["requests", "n-F1", "e-F1", "exact", "right", "honest", "wrong", "s", "tokens", "offline", "unusable"]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Bench:
    """What is asked, and where the results go."""

    endpoint: str
    model: str | None
    seconds: float
    sure_from: float | None
    role: str
    results: JsonLinesFile

    def settings(self, arm: str) -> dict[str, Any]:
        """The offline arm of a trial answers offline as well; of a plan it does not matter."""
        return {
            "llm": "offline" if arm == "offline" else "local",
            "model": self.model,
            "local": {"endpoint": self.endpoint},
            "planner": arm,
            "llm_role": self.role,
            "planner_sure_from": self.sure_from,
            "inference_mode": "local",
            "limits": {
                **dict.fromkeys(("llm_seconds", "max_seconds", "task_seconds"), self.seconds),
                "max_tokens": 100_000,
            },
        }

    def done(self) -> dict[tuple[str, str, str], Row]:
        """The results so far by set, arm and request; of several the last."""
        return {(row["set"], row["arm"], row["id"]): row for row in self.results.rows()}

    def plan_all(self, data: Data, samples: Sequence[Sample], arm: str) -> None:
        left = [sample for sample in samples if (data.name, arm, sample.id) not in self.done()]
        if not left:
            return
        own = {**self.settings(arm), "llm": "local", "log_file": None}
        controller = make_controller(settings.load(own, environment={}))
        both: Any = controller.planner.planner  # type: ignore[attr-defined]  # of the planner that resumes runs
        both.offline.lacking = lambda task, aspect: None  # a plan is right whether or not its experts are set up
        try:
            for sample in left:
                self.keep({"set": data.name, "arm": arm, "id": sample.id, **planned(controller, data, sample, arm)})
        finally:
            controller.close()

    def try_all(self, name: str, chats: Sequence[str], arm: str) -> None:
        """A conversation that was cut off is held again."""
        turns = _turns(name)
        left = [chat for chat in chats if any((name, arm, one) not in self.done() for one in turns[chat])]
        if not left:
            return
        numbers = {chat: iter(turns[chat]) for chat in left}
        for turn, reply in replies(SETS / name, left, self.settings(arm)):
            told = {"verdict": grade(turn, reply), "answer": reply.message, "plan": reply.plan}
            cost = {"seconds": reply.seconds, "tokens": reply.tokens, "planned_by": reply.planned_by}
            self.keep({"set": name, "arm": arm, "id": next(numbers[turn.chat]), "say": turn.say, **told, **cost})

    def keep(self, row: Row) -> None:
        self.results.append(row)
        print(row["set"], row["arm"], row["id"], row.get("verdict", ""), f"{row['seconds']:.1f} s", flush=True)


def planned(controller: Controller, data: Data, sample: Sample, arm: str) -> dict[str, Any]:
    """The plan for one request, and what it cost."""
    run = controller.prepare([*sample.history, {"role": "user", "content": sample.request}])
    run.tasks, run.planner = data.tasks, arm  # type: ignore[assignment]  # one of ARMS
    record = RunRecord()
    for event in controller.run(run, "plan"):
        record.apply(event)
    plan = [] if arm == "llm" and record.planner != "llm" else restricted_to(record.plan.to_json(), data.tasks)
    seconds = record.timings.get("planned", 0.0)
    error = {"error": record.error} if record.error else {}
    spent = run.spent.total_tokens
    return {"plan": plan, "seconds": seconds, "tokens": spent, "planned_by": record.planned_by, **error}


def _turns(name: str) -> dict[str, list[str]]:
    """The turns of a set of trials, as ids, by conversation."""
    turns: dict[str, list[str]] = {}
    for number, turn in enumerate(read_turns(SETS / name)):
        turns.setdefault(turn.chat, []).append(f"{turn.chat}.{number}")
    return turns


def sampled_chats(names: Sequence[str], limit: int, seed: int) -> dict[str, list[str]]:
    """Random conversations of the sets of trials, until there are as many turns."""
    every = [(name, chat, len(turns)) for name in names for chat, turns in _turns(name).items()]
    random.Random(seed).shuffle(every)
    chosen: dict[str, list[str]] = {}
    for name, chat, turns in every:
        if limit > 0:
            chosen.setdefault(name, []).append(chat)
            limit -= turns
    return chosen


def figures(data: Data | None, rows: Sequence[Row]) -> dict[str, str]:
    """The figures of one set and arm, as texts."""
    cells = {"requests": str(len(rows))}
    if data:
        pairs = [data.pair(data.by_id[row["id"]], row["plan"]) for row in rows]
        cells |= {name: f"{taskbench(pairs)[name]}" for name in ("n-F1", "e-F1", "exact")}
    else:
        verdicts = [row["verdict"] for row in rows]
        shares = {name: verdicts.count(name) / len(rows) for name in ("right", "honest")}
        shares["wrong"] = 1 - sum(shares.values())
        cells |= {name: f"{100 * share:.1f} %" for name, share in shares.items()}
    by_offline = [row["planned_by"].get("planner") == "offline" for row in rows]
    given_up = [row["planned_by"].get("planner") != "llm" and "confidence" not in row["planned_by"] for row in rows]
    cells["s"] = f"{statistics.median(row['seconds'] for row in rows):.2f}"
    cells["tokens"] = f"{statistics.mean(row['tokens'] for row in rows):.0f}"
    cells["offline"] = f"{100 * statistics.mean(by_offline):.0f} %"
    cells["unusable"] = str(sum(given_up)) if rows[0]["arm"] != "offline" else ""
    return cells


def show(data: Sequence[Data], done: Mapping[tuple[str, str, str], Row], trials: str) -> None:
    table = Table("", "planner", *COLUMNS, box=None, padding=(0, 1))
    by_name = {one.name: one for one in data}
    names = dict.fromkeys(name if name in by_name else trials for name, _, _ in done)
    for name in names:
        for arm in ARMS:
            rows = [
                row for (own, its, _), row in done.items() if its == arm and (own if own in by_name else trials) == name
            ]
            if rows:
                cells = figures(by_name.get(name), rows)
                table.add_row(name, arm, *(cells.get(column, "") for column in COLUMNS))
    Console(width=140).print(table)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planners", description=__doc__.splitlines()[0])
    parser.add_argument("--endpoint", required=True, metavar="URL", help="of the server, without /v1")
    parser.add_argument("--model", help="default: the server's first")
    parser.add_argument("--out", type=Path, required=True, metavar="RESULTS", help="a line of JSON for each request")
    parser.add_argument("--taskbench", type=Path, metavar="FILE", help="labelled requests in TaskBench's format")
    parser.add_argument("--trials", default=TRIALS, metavar="SET,...", help=f"sets of tests/trials ({TRIALS})")
    parser.add_argument("--only", choices=("plans", "trials"), help="only the plans, or only the trials")
    parser.add_argument("--arms", default=",".join(ARMS), metavar="ARM,...", help=f"of {', '.join(ARMS)}")
    parser.add_argument("--limit", type=int, default=60, help="requests of each set")
    parser.add_argument("--seconds", type=float, default=900, help="for each request")
    parser.add_argument("--sure-from", type=float, metavar="P", help="planner_sure_from; use another RESULTS for each")
    parser.add_argument("--role", default="auto", help="llm_role; use another RESULTS for each (auto: completes)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    args = parser.parse_args(argv)
    results = JsonLinesFile(args.out)
    results.repair()
    bench = Bench(args.endpoint, args.model, args.seconds, args.sure_from, args.role, results)
    files = [file for file in (args.taskbench, OWN) if file]
    data = [read_data(file, default_table()) for file in files]
    chats = sampled_chats(args.trials.split(","), args.limit, args.seed)
    try:
        for arm in args.arms.split(","):
            for one in data if args.only != "trials" else ():
                samples = [sample for sample in one.samples if sample.gold]
                bench.plan_all(one, random.Random(args.seed).sample(samples, min(args.limit, len(samples))), arm)
            for name, own in chats.items() if args.only != "plans" else ():
                bench.try_all(name, own, arm)
    except KeyboardInterrupt:
        print(f"Stopped. The same command goes on from {args.out}.", file=sys.stderr)
    except HuggingGPTError as error:
        raise SystemExit(str(error)) from error
    show(data, bench.done(), args.trials)
    return 0


if __name__ == "__main__":
    sys.exit(main())
