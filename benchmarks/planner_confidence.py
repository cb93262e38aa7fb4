"""Calibrates how sure the offline planner is of its plans, after its classifiers were trained anew or its rules changed.

    python -m benchmarks.planner_confidence RESULTS [--sets SET,...] [--taskbench FILE] [--write]

Asks the conversations of the trials whose experts' faults are known (tests/trials) and the requests in other languages,
and tells of how many plans the planner is sure, and how many of these are right: with the weights that there are, and with
weights fitted to the other sets. With --write the weights fitted to all of them replace those of data/planner. Each
conversation is a line of RESULTS: the same command goes on where it was stopped. With --taskbench the clauses of
TaskBench's requests count as well.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.planner_languages import tried_in_languages
from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.core.tasks import default_table
from hugginggpt.evaluate.run import JsonLinesFile
from hugginggpt.offline.confidence import WEIGHTS_FILE, confidence
from hugginggpt.offline.training.__main__ import calibrate
from hugginggpt.offline.training.calibration import (
    Tried,
    by_family,
    held_out_chances,
    threshold_of,
    tried_by_clauses,
)
from hugginggpt.offline.training.labelled import read_labelled
from tests.trials.__main__ import replies
from tests.trials.grading import SETS, expert_faults, grade, read_turns

JUDGED = "delta,ember,fjord1,fjord2,golf,hotel,india"
"""The sets of trials of which a person has told what the experts did wrong."""


def collect(results: JsonLinesFile, name: str, limit: int | None) -> None:
    """Asks the conversations of a set that are not in the results, and keeps which of the plans were right."""
    known = {row["chat"] for row in results.rows() if row["set"] == name}
    chats = list(dict.fromkeys(turn.chat for turn in read_turns(SETS / name)))[:limit]
    if not (left := [chat for chat in chats if chat not in known]):
        return
    faults = expert_faults()
    row: dict[str, Any] = {}
    for turn, reply in replies(SETS / name, left):
        if row and row["chat"] != turn.chat:
            results.append(row)
            row = {}
        row = row or {"set": name, "chat": turn.chat, "plans": []}
        if reply.signals:
            is_right = grade(turn, reply) in ("right", "honest") or (name, turn.chat, turn.say) in faults
            row["plans"].append({"signals": reply.signals, "right": is_right, "say": turn.say})
    if row:
        results.append(row)


def tried_in(results: JsonLinesFile, names: Sequence[str]) -> Iterator[Tried]:
    """The plans for the turns of these sets, one group each."""
    for row in results.rows():
        if row["set"] in names:
            yield from (Tried(plan["signals"], plan["right"], row["set"]) for plan in row["plans"])


def show(tried: Sequence[Tried]) -> None:
    table = Table("plans", "number", "right", "sure", "right of these", "sure, fitted", "right of these", box=None)
    for family, plans in by_family(tried).items():
        right = np.array([one.right for one in plans])
        sure = np.array([chance >= least for chance, least in (confidence(one.signals) for one in plans)])
        chances = held_out_chances(family, plans)
        fitted = chances >= threshold_of(chances, right)
        cells = (len(right), _share(right), sure.sum(), _share(right[sure]), fitted.sum(), _share(right[fitted]))
        table.add_row(family, *map(str, cells))
    Console(width=140).print(table)


def _share(right: Any) -> str:
    return f"{right.sum()} ({100 * right.mean():.1f} %)" if len(right) else "0"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.planner_confidence", description=__doc__.splitlines()[0]
    )
    parser.add_argument("results", type=Path, metavar="RESULTS", help="a line of JSON for each conversation")
    parser.add_argument("--sets", default=JUDGED, metavar="SET,...", help=f"sets of tests/trials ({JUDGED})")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first conversations of each set")
    parser.add_argument("--taskbench", nargs="*", type=Path, default=[], metavar="FILE", help="labelled requests")
    parser.add_argument(
        "--write", action="store_true", help="replace the weights by those fitted to all of these plans"
    )
    args = parser.parse_args(argv)
    results, names = JsonLinesFile(args.results), args.sets.split(",")
    results.repair()
    try:
        for name in names:
            collect(results, name, args.limit)
            print(f"{name}: {sum(len(row['plans']) for row in results.rows() if row['set'] == name)} plans", flush=True)
    except KeyboardInterrupt:
        print(f"Stopped. The same command goes on from {args.results}.", file=sys.stderr)
    labelled = tried_by_clauses(read_labelled(args.taskbench), default_table()) if args.taskbench else ()
    tried = [*tried_in(results, names), *tried_in_languages(), *labelled]
    show(tried)
    if args.write:
        calibrate(tried, PLANNER_DATA / WEIGHTS_FILE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
