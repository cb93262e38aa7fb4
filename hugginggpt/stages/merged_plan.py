"""Two plans for one request as one: a draft that stands, and what another plan adds to it.

A task is added where it can be run and accounts for words of the request that nothing else accounts for. All that is
added counts only where it leaves no word open of the parts that the draft had no task for. A text that the planner
would write itself is no addition: whatever was asked for stands in it. What both have is the draft's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hugginggpt.core.plan import REFERENCE, Plan, Task, reference, references

OpenWords = Callable[[Plan], frozenset[str]]
"""The words of the request that a plan does not account for."""


def completed(draft: Plan, other: Sequence[Task], open_words: OpenWords) -> Plan:
    """The draft with the tasks that it lacks, of another plan, each behind those that it needs; the draft itself where
    there are none.
    """
    plan = draft
    known: dict[int, int] = {}  # of the other plan's tasks: the id of the same one in the merged plan
    for task in other:
        if task.problem or not known.keys() >= {*task.dep, *references(task.args)}:
            continue
        moved = _renumbered(task, max((one.id for one in plan), default=-1) + 1, known)
        if same := next((one for one in plan if _does_the_same(one, moved)), None):
            known[task.id] = same.id
            continue
        wider = replace(plan, tasks=(*plan.tasks, moved))
        if open_words(wider) < open_words(plan) and not (task.row and task.row.is_free_text):
            known[task.id] = moved.id
            plan = wider
    wanted = _words_of_parts(draft, open_words)
    if not wanted or open_words(plan) & wanted:
        return draft
    return replace(plan, unplanned=tuple(part for part in plan.unplanned if part.why))


def _words_of_parts(draft: Plan, open_words: OpenWords) -> frozenset[str]:
    """The open words of the parts that were not understood; all where nothing was planned."""
    if not draft.tasks:
        return open_words(draft)
    parts = " ".join(part.text for part in draft.unplanned if not part.why).lower()
    return frozenset(word for word in open_words(draft) if word in parts)


def _renumbered(task: Task, number: int, known: Mapping[int, int]) -> Task:
    """A task with another id, which refers to tasks by their ids in the merged plan."""

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [moved(one) for one in value]
        if not isinstance(value, str):
            return value
        return REFERENCE.sub(lambda match: reference(known[int(match[1])]) if match[1].isdigit() else match[0], value)

    args = {name: moved(value) for name, value in task.args.items()}
    return replace(task, id=number, dep=tuple(sorted(known[one] for one in task.dep)), args=args)


def _does_the_same(one: Task, other: Task) -> bool:
    """Whether two tasks do the same to the same input; a question in other words is the same one."""
    if one.task != other.task or one.row is None:
        return False
    kept = [arg.name for arg in one.row.args if arg.kind != "text"] or [one.row.input_arg.name]
    return all(_plain(one.args.get(name)) == _plain(other.args.get(name)) for name in kept)


def _plain(value: Any) -> str:
    """An argument without blanks, case and the folders of files."""
    text = json.dumps(value, ensure_ascii=False).casefold()
    return "".join(part.rpartition("/")[2] for part in text.split('"')).strip()
