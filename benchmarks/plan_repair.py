"""How many plans that language models wrote can be run once they are repaired, and why the others cannot.

    python -m benchmarks.plan_repair FILE [--half develop|measure] [--reasons 10]

FILE has one JSON object a line: a plan in TaskBench's form (task_nodes, task_links) or in JARVIS's (tasks), perhaps with
the request ("user_request", "request"). The halves are drawn by a hash of the request (of the line, where it has none),
so that rules made with one half in view can be measured on the other. A file that a plan names counts as being there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from hugginggpt.common.text_files import numbered_lines, read_text
from hugginggpt.core.errors import ModelOutputError, UserError
from hugginggpt.core.plan import Plan, Task, references
from hugginggpt.core.plan_repair import parse_plan
from hugginggpt.core.tasks import default_table
from hugginggpt.media.types import kind_of

HALVES = ("develop", "measure")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="plans, one JSON object a line")
    parser.add_argument("--half", choices=HALVES, help="only this half; both by default")
    parser.add_argument("--reasons", type=int, default=10, help="how many reasons to list")
    args = parser.parse_args()
    console = Console(width=120)
    for half in [args.half] if args.half else HALVES:
        console.print(_shown(half, [row for row in rows(args.file) if half_of(row) == half], args.reasons))


def rows(file: Path) -> Iterator[Any]:
    """The objects of a file. Raises UserError, naming the line."""
    for number, line in numbered_lines(read_text(file)):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise UserError(f"{file}, line {number}: this is not JSON ({error}).") from error


def half_of(row: Any) -> str:
    """The half that a row belongs to, by a hash of its request."""
    text = str(row.get("user_request") or row.get("request") or json.dumps(row))
    return HALVES[hashlib.sha256(text.encode()).digest()[0] % 2]


def runnable(plan: Plan) -> list[Task]:
    """The tasks that can be run: without a problem, as are all that they wait for."""
    ready: dict[int, Task] = {}
    for task in plan:
        if not task.problem and all(number in ready for number in task.dep):
            ready[task.id] = task
    return list(ready.values())


def figures(plans: Sequence[Any]) -> tuple[dict[str, float], Counter[str]]:
    """(shares of 0 to 1, how often each reason stands in a task that cannot be run).

    "arguments kept" is the share of the values that stand in the arguments of a task that can be run and that are still
    in its arguments: repair must not gain plans by dropping what they ask for.
    """
    whole = unreadable = tasks = ready = kept = written = notes = 0
    reasons: Counter[str] = Counter()
    for row in plans:
        try:
            plan = parse_plan(json.dumps(row), default_table(), kind_of=kind_of)
        except ModelOutputError:
            unreadable += 1
            continue
        can_run = runnable(plan)
        whole += bool(len(plan)) and len(can_run) == len(plan)
        tasks, ready, notes = tasks + len(plan), ready + len(can_run), notes + bool(plan.notes)
        reasons.update(re.sub(r'\d+|"[^"]*"', "…", task.problem) for task in plan if task.problem)
        given = row.get("tasks") or row.get("task_nodes") or []
        for task in can_run:
            values = (
                _values(given[task.id].get("arguments", given[task.id].get("args"))) if task.id < len(given) else []
            )
            left = [*map(str.strip, map(str, task.args.values())), *(str(n) for n in references(task.args))]
            written += len(values)
            kept += sum(value in left or "".join(re.findall(r"\d+", value)) in left for value in values)
    shares = {
        "plans read": (len(plans) - unreadable) / max(1, len(plans)),
        "plans that run whole": whole / max(1, len(plans)),
        "tasks that run": ready / max(1, tasks),
        "arguments kept in them": kept / max(1, written),
        "plans with notes": notes / max(1, len(plans)),
    }
    return shares, reasons


def _values(arguments: Any) -> list[str]:
    """The texts in a task's arguments, whatever names they have."""
    if isinstance(arguments, dict):
        if "name" in arguments and set(arguments) <= {"name", "value", "type"}:
            return [str(arguments.get("value") or arguments["name"]).strip()]
        return [text for value in arguments.values() for text in _values(value)]
    if isinstance(arguments, list):
        return [text for value in arguments for text in _values(value)]
    return [str(arguments).strip()] if arguments not in (None, "") else []


def _shown(half: str, plans: Sequence[Any], count: int) -> Table:
    shares, reasons = figures(plans)
    table = Table("", "", title=f"{half}: {len(plans)} plans", title_justify="left", box=None, padding=(0, 2))
    for name, share in shares.items():
        table.add_row(name, f"{100 * share:.1f} %")
    for reason, number in reasons.most_common(count):
        table.add_row(reason, str(number))
    return table


if __name__ == "__main__":
    main()
