"""How well requests in other languages are planned offline: data/languages_eval.txt, written before the phrases that
the planner learned from. For each language: right, honestly refused (or asked back), wrong.

    python -m benchmarks.planner_languages [--verbose] [FILE]
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
from hugginggpt.offline.planner import Draft, draft_plan
from hugginggpt.offline.training.calibration import Tried

FILE = ROOT / "data" / "languages_eval.txt"
SMALL_TALK = ("greeting", "help", "thanks")


@dataclass(frozen=True, slots=True)
class Expected:
    """A request and its tasks; for questions about objects the operation and the detector's classes."""

    language: str
    request: str
    tasks: tuple[str, ...]
    operation: str = ""
    labels: frozenset[str] = frozenset()


def read(file: Path = FILE) -> Iterator[Expected]:
    """Lines such as "object-detection/count dog,cat | Wie viele …?" under the heading of a language."""
    language = ""
    for line in file.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            language = heading[1]
        elif line and not line.startswith("#"):
            label, request = line.split(" | ", 1)
            names, _, labels = label.partition(" ") if " + " not in label else (label, "", "")
            tasks = tuple(name.partition("/")[0] for name in names.split(" + "))
            operation = names.partition("/")[2]
            yield Expected(language, request, tasks, operation, frozenset(labels.split(",")) - {""})


def grade(expected: Expected, draft: Draft, table: TaskTable) -> str:
    """right, refused or wrong. A task that reads the input of another one may be added."""
    planned = [task["task"] for task in draft.tasks]
    if draft.language != expected.language:
        return "wrong"
    if not planned:
        if expected.tasks[0] in SMALL_TALK:
            return "right" if draft.small_talk == expected.tasks[0] else "wrong"
        return "right" if expected.tasks == ("none",) and not draft.small_talk else "refused"
    readers = set(table.readers.values())
    if set(planned) != set(expected.tasks) and set(planned) - readers != set(expected.tasks) - readers:
        return "wrong"
    if not expected.operation or (expected.operation == "list" and not draft.questions):
        return "right"
    question = draft.questions[0] if draft.questions else None
    operations = (expected.operation, "count") if expected.operation == "list" else (expected.operation,)
    labels = {label for objects in question.objects for label in objects.labels} if question else set()
    is_right = question and question.operation in operations and (not expected.labels or labels == expected.labels)
    return "right" if is_right else "wrong"


def tried_in_languages(file: Path = FILE) -> list[Tried]:
    """What the planner saw of the requests for which it has a whole plan, and whether that is right."""
    table, tried = default_table(), []
    for expected in read(file):
        draft = draft_plan(expected.request, table)
        if draft.signals and draft.tasks and not (draft.unplanned or draft.missing):
            tried.append(Tried(draft.signals, grade(expected, draft, table) == "right", expected.language))
    return tried


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planner_languages")
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--verbose", action="store_true", help="print what is not right")
    args = parser.parse_args(argv)
    table, grades = default_table(), Counter[tuple[str, str]]()
    for expected in read(args.file):
        draft = draft_plan(expected.request, table)
        verdict = grade(expected, draft, table)
        grades[expected.language, verdict] += 1
        if args.verbose and verdict != "right":
            print(f"{verdict:8} {expected.request}\n         {draft}")
    for language in dict.fromkeys(code for code, _ in grades):
        number = sum(count for (code, _), count in grades.items() if code == language)
        parts = ", ".join(f"{name} {grades[language, name]}" for name in ("right", "refused", "wrong"))
        print(f"{language}: {number} requests, {parts}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
