"""Repairs the output of a planner into a plan that can be run.

What is unambiguous is repaired: ids, order, names of tasks and arguments, `dep` (given ids joined with
those the arguments refer to), an argument that names several resources (several tasks, as in JARVIS).
What is not stays in the plan as a task with a `problem`: unknown tasks, cycles, missing references,
missing or wrongly typed arguments, tasks beyond the limit.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hugginggpt.core.plan import REFERENCE, Plan, Task, read_tasks, reference, references
from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import Arg, TaskTable, TaskType

_ONLY_REFERENCES = re.compile(rf"(?:{REFERENCE.pattern}|[\s,;&]|\band\b)+", re.IGNORECASE)
MAX_UNFOLDED = 1000


def parse_plan(text: str, table: TaskTable, max_tasks: int = 50) -> Plan:
    """The plan in a language model's answer. Raises ModelOutputError if there is none."""
    return repair(read_tasks(text), table, max_tasks)


def repair(raw: Iterable[Any], table: TaskTable, max_tasks: int = 50) -> Plan:
    """A plan, in the task types of the table, from the task objects of a planner."""
    notes: list[str] = []
    drafts = _unfolded(_drafts(list(raw), table, notes), table, notes)
    by_id = {draft.id: draft for draft in drafts}
    tasks = [_typed(draft, by_id, table) for draft in drafts]
    return Plan(tuple(_capped(_in_order(tasks), max_tasks)), tuple(notes))


# Step one: every object becomes a draft with a unique id, its dependencies and its arguments.


@dataclass(slots=True)
class _Draft:
    id: int
    name: str
    row: TaskType | None
    dep: list[int]
    args: dict[str, Any]
    problem: str = ""


def _drafts(raw: list[Any], table: TaskTable, notes: list[str]) -> list[_Draft]:
    objects = [item if isinstance(item, dict) else {"task": str(item)[:80]} for item in raw]
    ids, numbers = _ids(objects, notes)
    return [_draft(item, number, ids, table) for item, number in zip(objects, numbers, strict=True)]


def _ids(objects: list[dict[str, Any]], notes: list[str]) -> tuple[dict[str, int], list[int]]:
    """(number for each id as written, number for each object): unique, and as written where possible."""
    ids: dict[str, int] = {}
    numbers: list[int | None] = []
    taken: set[int] = set()
    for item in objects:
        written = str(item.get("id", "")).strip()
        number = int(written) if re.fullmatch(r"\d{1,9}", written) else None
        numbers.append(None if number in taken else number)
        if number is not None and number not in taken:
            taken.add(number)
            ids.setdefault(written, number)
    free = (n for n in itertools.count() if n not in taken)
    for at, number in enumerate(numbers):
        if number is None:
            numbers[at] = new = at if at not in taken else next(free)
            taken.add(new)
            written = str(objects[at].get("id", "")).strip()
            ids.setdefault(written or str(new), new)
            notes.append(f"the task at position {at + 1} got the id {new}")
    return ids, [number for number in numbers if number is not None]


def _draft(item: dict[str, Any], number: int, ids: dict[str, int], table: TaskTable) -> _Draft:
    problems: list[str] = []

    def number_of(written: str) -> int:
        if written in ids:
            return ids[written]
        if re.fullmatch(r"0*\d{1,9}", written) and str(int(written)) in ids:
            return ids[str(int(written))]
        problems.append(f"it needs task {written}, which is not in the plan")
        return -1

    args = {str(k): _map_strings(v, lambda s: _renumbered(s, number_of)) for k, v in _raw_args(item).items()}
    dep = [number_of(written) for written in _dep_ids(item.get("dep"))]
    name = str(item.get("task", ""))
    return _Draft(
        number,
        name,
        table.find(name),
        [d for d in dep if d not in (-1, number)],
        args,
        "; ".join(dict.fromkeys(problems)),
    )


def _raw_args(item: dict[str, Any]) -> dict[str, Any]:
    """The arguments, also when they are given next to "task" or in a list of objects; nulls are omitted."""
    args = item.get("args", item.get("arguments"))
    if isinstance(args, list):
        args = {k: v for part in args if isinstance(part, dict) for k, v in part.items()}
    if not isinstance(args, dict):
        args = {k: v for k, v in item.items() if k not in ("task", "id", "dep", "args", "arguments")}
    return {k: v for k, v in args.items() if v is not None and v != ""}


def _dep_ids(dep: Any) -> list[str]:
    """The ids in a "dep", without -1 (none)."""
    items = dep if isinstance(dep, list) else [dep]
    written = [str(item).strip() for item in items if item is not None]
    references = [REFERENCE.findall(text) or [text] for text in written]
    return [text for texts in references for text in texts if text not in ("-1", "")]


def _map_strings(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_strings(item, change) for item in value]
    return value


def _renumbered(text: str, number_of: Callable[[str], int]) -> str:
    """The text with every reference in JARVIS's form and with the number of its task."""

    def canonical(match: re.Match[str]) -> str:
        number = number_of(match[1])
        return match[0] if number < 0 else reference(number)

    return REFERENCE.sub(canonical, text)


# Step two: an argument that names several resources becomes several tasks.


def _unfolded(drafts: list[_Draft], table: TaskTable, notes: list[str]) -> list[_Draft]:
    copies: dict[int, list[int]] = {}
    unfolded: list[_Draft] = []
    new_id = itertools.count(max((draft.id for draft in drafts), default=0) + 1)
    for draft in _by_reference(drafts):
        _name_copies(draft, copies)
        parts = {name: split for name, value in draft.args.items() if (split := _split(draft, name, value, table))}
        if not parts:
            unfolded.append(draft)
            continue
        lengths = {len(split) for split in parts.values()}
        rows = zip(*parts.values(), strict=True) if len(lengths) == 1 else itertools.product(*parts.values())
        for at, row in enumerate(itertools.islice(rows, MAX_UNFOLDED)):
            copy = replace(draft, args={**draft.args, **dict(zip(parts, row, strict=True))}, dep=list(draft.dep))
            copy.dep = [d for d in draft.dep if d not in references(draft.args)]
            copy.id = draft.id if at == 0 else next(new_id)
            copies.setdefault(draft.id, []).append(copy.id)
            unfolded.append(copy)
        notes.append(f"task {draft.id} named several resources and became the tasks {copies[draft.id]}")
        if len(unfolded) > MAX_UNFOLDED:
            break
    return unfolded


def _by_reference(drafts: list[_Draft]) -> list[_Draft]:
    """The drafts, those that others refer to first, as far as there is no cycle."""
    order, _ = _kahn({draft.id: set(references(draft.args)) for draft in drafts})
    place = {number: at for at, number in enumerate(order)}
    return sorted(drafts, key=lambda draft: place.get(draft.id, len(place)))


def _name_copies(draft: _Draft, copies: dict[int, list[int]]) -> None:
    """Replaces references to a task that was unfolded by references to all its copies."""
    if not copies:
        return

    def all_copies(text: str) -> str:
        return REFERENCE.sub(
            lambda m: ", ".join(map(reference, copies.get(int(m[1]), [int(m[1])]))) if m[1].isdigit() else m[0], text
        )

    draft.args = {name: _map_strings(value, all_copies) for name, value in draft.args.items()}
    draft.dep = [number for d in draft.dep for number in copies.get(d, [d])]


def _split(draft: _Draft, name: str, value: Any, table: TaskTable) -> list[Any]:
    """The resources in an argument that names several, else an empty list."""
    row = draft.row
    arg = row and row.arg(table.arg_aliases.get(name, name) if not row.arg(name) else name)
    if arg and arg.many:
        return []
    if isinstance(value, list):
        items = [part for item in value for part in (_split(draft, name, item, table) or [item])]
        return items if len(items) > 1 else []
    if not isinstance(value, str) or not _ONLY_REFERENCES.fullmatch(value):
        return []
    references = [match[0] for match in REFERENCE.finditer(value)]
    return references if len(references) > 1 else []


# Step three: task names, arguments and references are checked against the task table.


def _typed(draft: _Draft, drafts: Mapping[int, _Draft], table: TaskTable) -> Task:
    row = draft.row
    if row is None:
        near = table.nearest(draft.name)
        hint = f'; the nearest is "{near}"' if near else ""
        problem = draft.problem or f'"{draft.name}" is not a known task{hint}'
        return Task(draft.id, draft.name, _dep(draft), draft.args, problem)
    draft.args = _named_args(row, draft.args, table.arg_aliases)
    _fill_missing(row, draft, drafts)
    problem = draft.problem or next(_mistakes(row, draft, drafts), "")
    return Task(draft.id, row.name, _dep(draft), draft.args, problem, row)


def _dep(draft: _Draft) -> tuple[int, ...]:
    """The given dependencies joined with those that the arguments refer to."""
    return tuple(sorted({*draft.dep, *references(draft.args)}))


def _named_args(row: TaskType, args: Mapping[str, Any], aliases: Mapping[str, str]) -> dict[str, Any]:
    """Arguments under the table's names, each a string (a list of strings where the table says so)."""
    named: dict[str, Any] = {}
    for name, value in args.items():
        alias = aliases.get(name.lower(), name.lower())
        if not row.arg(name) and row.arg(alias) and alias not in args:
            name = alias
        arg = row.arg(name)
        if arg and arg.many:
            named[name] = _strings(value)
        elif isinstance(value, list) and len(value) == 1:
            named[name] = str(value[0])
        else:
            named[name] = value if isinstance(value, str | dict) else str(value)
    return named


def _strings(value: Any) -> list[str]:
    items = value if isinstance(value, list) else str(value).split(",")
    return [text for item in items if (text := str(item).strip())]


def _fill_missing(row: TaskType, draft: _Draft, drafts: Mapping[int, _Draft]) -> None:
    """Takes a missing required argument from a dependency where only one can provide it."""
    for arg in row.required:
        if arg.name in draft.args:
            continue
        unused = [d for d in draft.dep if d not in references(draft.args) and d in drafts]
        givers = [d for d in unused if (giver := drafts[d].row) and arg.kind in giver.result.kinds]
        if len(givers) == 1:
            draft.args[arg.name] = reference(givers[0])


def _mistakes(row: TaskType, draft: _Draft, drafts: Mapping[int, _Draft]) -> Iterator[str]:
    for arg in row.required:
        if not draft.args.get(arg.name):
            about = f" ({arg.about})" if arg.about else ""
            yield f"its argument {arg.name}{about} is missing"
    for name, value in draft.args.items():
        wants = row.arg(name)
        for number in references({name: value}):
            giver = drafts.get(number)
            if giver is None:
                yield f"it needs task {number}, which is not in the plan"
            elif wants and not gives(giver, wants.kind):
                yield f"its argument {name} wants {_a(wants)}, but task {number} ({giver.name}) makes none"


def gives(giver: _Draft | Task, kind: Kind) -> bool:
    """Whether a task can provide a resource of that kind: it generates one, or passes on its input."""
    row = giver.row
    if row is None:
        return True  # it fails by itself, with a better reason
    if kind in row.result.kinds or (kind == "table" and "text" in row.result.kinds):
        return True
    return any((arg := row.arg(given)) and arg.kind == kind for given in giver.args)


def _a(arg: Arg) -> str:
    return f"an {arg.kind}" if arg.kind[0] in "ai" else f"a {arg.kind}"


# Step four: order.


def _kahn(dep: Mapping[int, set[int]]) -> tuple[list[int], set[int]]:
    """(ids in topological order, as given if that is one; ids left over because of cycles)."""
    waiting = {number: {d for d in deps if d in dep} for number, deps in dep.items()}
    place = {number: at for at, number in enumerate(dep)}
    dependents: dict[int, list[int]] = {}
    for number, deps in waiting.items():
        for d in deps:
            dependents.setdefault(d, []).append(number)
    ready = [(place[number], number) for number, deps in waiting.items() if not deps]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, number = heapq.heappop(ready)
        order.append(number)
        for dependent in dependents.get(number, ()):
            waiting[dependent].discard(number)
            if not waiting[dependent]:
                heapq.heappush(ready, (place[dependent], dependent))
    return order, set(waiting) - set(order)


def _in_order(tasks: list[Task]) -> list[Task]:
    """Tasks after their dependencies; those in a cycle have a problem and come last with their dependents."""
    by_id = {task.id: task for task in tasks}
    order, left = _kahn({task.id: set(task.dep) for task in tasks})
    if not left:
        return [by_id[number] for number in order]
    backwards: dict[int, set[int]] = {number: set() for number in left}
    for number in left:
        for d in by_id[number].dep:
            if d in left:
                backwards[d].add(number)
    _, circular = _kahn(backwards)  # tasks that no task of a cycle depends on drop out
    for number in circular:
        by_id[number] = replace(by_id[number], problem="it waits for itself: its dependencies form a circle")
    behind, _ = _kahn({number: set(by_id[number].dep) for number in sorted(left - circular)})
    return [by_id[number] for number in (*order, *sorted(circular), *behind)]


def _capped(tasks: list[Task], max_tasks: int) -> Iterator[Task]:
    for at, task in enumerate(tasks):
        if at >= max_tasks:
            reason = f"the plan has {len(tasks)} tasks and only the first {max_tasks} are run (limits.max_tasks)"
            task = replace(task, problem=task.problem or reason)
        yield task
