"""How well requests for operations are planned offline: data/operations_eval.txt, which the planner has not learned from.

    python -m benchmarks.planner_operations [--verbose] [FILE]

A line is "task words/others&more words | request": right is a plan with exactly these tasks (" + " between several),
whose arguments hold one of the words that "/" parts, for each group that "&" parts. Files in brackets before the request
are attached to it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hugginggpt.common.paths import ROOT
from hugginggpt.core.tasks import TaskTable, default_table
from hugginggpt.media.references import Resource, find_resources, find_texts
from hugginggpt.media.types import kind_of
from hugginggpt.offline.planner import Draft, draft_plan

FILE = ROOT / "data" / "operations_eval.txt"


@dataclass(frozen=True, slots=True)
class Expected:
    """A request, the files attached to it, and what is to be planned: tasks, and words of their arguments."""

    request: str
    attached: tuple[str, ...]
    tasks: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]


def read(file: Path = FILE) -> Iterator[Expected]:
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            label, request = line.split(" | ", 1)
            attached, request = re.fullmatch(r"(?:\[(.*?)\] )?(.*)", request).groups()  # type: ignore[union-attr]
            parts = [part.split(" ", 1) for part in label.split(" + ")]
            words = tuple(tuple(group.split("/")) for part in parts if len(part) > 1 for group in part[1].split("&"))
            yield Expected(
                request,
                tuple((attached or "").split(", ")) if attached else (),
                tuple(part[0] for part in parts),
                words,
            )


def drafted(expected: Expected, table: TaskTable) -> Draft:
    resources = [*find_texts(expected.request, find_resources(expected.request))]
    resources += [Resource(name, kind_of(name)) for name in expected.attached]
    return draft_plan(expected.request, table, resources=resources)


def is_right(expected: Expected, draft: Draft) -> bool:
    if sorted(task["task"] for task in draft.tasks) != sorted(expected.tasks):
        return False
    said = " ".join(str(value) for task in draft.tasks for value in task["args"].values()).lower()
    return all(any(word.lower() in said for word in group) for group in expected.words)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planner_operations")
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--verbose", action="store_true", help="print what is not right")
    args = parser.parse_args(argv)
    table, grades = default_table(), Counter[bool]()
    for expected in read(args.file):
        draft = drafted(expected, table)
        grades[is_right(expected, draft)] += 1
        if args.verbose and not is_right(expected, draft):
            plan = [(task["task"], task["args"]) for task in draft.tasks]
            print(
                f"{expected.request}\n    wanted {expected.tasks} {expected.words}\n    planned {plan}; {[one.why or one.text for one in draft.unplanned]}"
            )
    print(f"{grades[True]} of {grades.total()} requests right ({100 * grades[True] / max(1, grades.total()):.0f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
