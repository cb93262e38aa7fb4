"""Repairs the output of a planner into a plan that can be run.

What is unambiguous is repaired: ids, order, names of tasks and arguments, arguments without names
(`argument_binding.py`), other forms of references (`plan_forms.py`), `dep` (given ids joined with those the arguments
refer to), an argument that names several resources (several tasks, as in JARVIS). What is not stays in the plan as a
task with a `problem`: unknown tasks, cycles, missing references, missing or wrongly typed arguments, conditions that
cannot be read, tasks beyond the limit. What changes more than the form is noted in the plan.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, get_args

from hugginggpt.core.argument_binding import Binding, bind
from hugginggpt.core.plan import REFERENCE, Plan, Task, reference, references
from hugginggpt.core.plan_forms import UNNAMED, canonical_reference, plain_name, raw_args, read_tasks, renumbered
from hugginggpt.core.plan_kinds import put_to_their_kinds
from hugginggpt.core.questions import YES_NO, Condition, Operation, Relation
from hugginggpt.core.results import FILE_KINDS, INVALID_RESULT_ERRORS, Kind
from hugginggpt.core.tasks import Arg, TaskTable, TaskType

_ONLY_REFERENCES = re.compile(rf"(?:{REFERENCE.pattern}|[\s,;&]|\band\b)+", re.IGNORECASE)
MAX_UNFOLDED = 1000
MAX_NAME = 100
"""Characters of the name that a file is to have."""
MAX_BOUND = 8
"""Tasks with more arguments are not given other names for them."""


KindOf = Callable[[str], Kind | None]
"""The kind of file that a name or URL means; None for any other text."""


def parse_plan(text: str, table: TaskTable, max_tasks: int = 50, kind_of: KindOf = lambda name: None) -> Plan:
    """The plan in a language model's answer. Raises ModelOutputError if there is none."""
    return repair(read_tasks(text), table, max_tasks, kind_of)


def repair(raw: Iterable[Any], table: TaskTable, max_tasks: int = 50, kind_of: KindOf = lambda name: None) -> Plan:
    """A plan, in the task types of the table, from the task objects of a planner; `kind_of` tells files by their
    names, where arguments have none of their own.
    """
    notes: list[str] = []
    drafts = put_to_their_kinds(_drafts(list(raw), table, notes), table, kind_of, notes)
    _bind_arguments(drafts, table, kind_of, notes)
    drafts = _unfolded(drafts, table, notes)
    by_id = {draft.id: draft for draft in drafts}
    tasks = [_typed(draft, by_id, table) for draft in drafts]
    notes += _unused_links(drafts)
    return Plan(tuple(_capped(_in_order(tasks), max_tasks)), tuple(notes))


def with_models(plan: Plan, raw: Iterable[Any]) -> Plan:
    """The plan, with the models that the objects it was made from name for their tasks ("model").

    Only for plans that a person has in hand: what a planner writes there is no choice.
    """
    objects = [item if isinstance(item, dict) else {} for item in raw]
    named = {
        str(item.get("id", at)).strip(): str(item["model"]) for at, item in enumerate(objects) if item.get("model")
    }
    tasks = (replace(task, model=named.get(str(task.id), "")) for task in plan)
    return replace(plan, tasks=tuple(tasks)) if named else plan


# Step one: every object becomes a draft with a unique id, its dependencies and its arguments.


@dataclass(slots=True)
class _Draft:
    id: int
    name: str
    row: TaskType | None
    dep: list[int]
    args: dict[str, Any]
    problem: str = ""
    when: Condition | None = None
    links: list[int] = field(default_factory=list)
    misfit: str = ""
    save_as: str = ""

    @property
    def condition_tasks(self) -> tuple[int, ...]:
        return self.when.question.tasks if self.when else ()


def _drafts(raw: list[Any], table: TaskTable, notes: list[str]) -> list[_Draft]:
    objects = [item if isinstance(item, dict) else {"task": str(item)[:80]} for item in raw]
    ids, numbers = _ids(objects, notes)
    names = [plain_name(str(item.get("task", ""))) for item in objects]
    by_name: dict[str, list[int]] = {}
    for name, number in zip(names, numbers, strict=True):
        by_name.setdefault(name, []).append(number)
    written = _Written(ids, by_name)
    return [_draft(item, number, written, table, notes) for item, number in zip(objects, numbers, strict=True)]


@dataclass(frozen=True, slots=True)
class _Written:
    """How the tasks of a plan are called in it: their numbers by their ids and by their names, several with one."""

    ids: Mapping[str, int]
    by_name: Mapping[str, Sequence[int]]


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
            if any("id" in item for item in objects):
                notes.append(f"the task at position {at + 1} got the id {new}")
    return ids, [number for number in numbers if number is not None]


def _draft(item: dict[str, Any], number: int, written: _Written, table: TaskTable, notes: list[str]) -> _Draft:
    problems: list[str] = []
    ids = written.ids

    def number_of(written: str) -> int:
        if written in ids:
            return ids[written]
        if re.fullmatch(r"0*\d{1,9}", written) and str(int(written)) in ids:
            return ids[str(int(written))]
        problems.append(f"it needs task {written}, which is not in the plan")
        return -1

    def canonical(value: str, sources: Collection[int] | None) -> str:
        value, problem = canonical_reference(value, ids, written.by_name, number, sources)
        problems.extend([problem] if problem else [])
        return renumbered(value, number_of)

    links = [ids[one] for one in item.get("links", ()) if isinstance(one, str) and one in ids]
    given = _mended(raw_args(item), links, number, ids, notes)
    dep = [number_of(written) for written in _dep_ids(item.get("dep"))]
    name = str(item.get("task", ""))
    row = table.find(name) or table.meant(name)
    stated = {*dep, *links} - {-1} if item.get("dep") is not None or "links" in item else None
    args = {}
    for key, value in given.items():
        sources = _sources(str(key), value, row, stated, table.arg_aliases)
        args[str(key)] = _map_strings(value, partial(canonical, sources=sources))
    if row and row is not table.find(name):
        notes.append(f'task {number}: "{name}" was read as {row.name}')
    when = None
    if item.get("when"):
        try:
            when = _condition(item["when"], number_of)
        except INVALID_RESULT_ERRORS as error:
            problems.append(f"its condition (when) cannot be read: {error}")
    return _Draft(
        number,
        name,
        row,
        [d for d in dep if d not in (-1, number)],
        args,
        "; ".join(dict.fromkeys(problems)),
        when,
        links,
        save_as=str(item.get("save_as") or "")[:MAX_NAME],
    )


def _sources(
    name: str, value: Any, row: TaskType | None, stated: Collection[int] | None, aliases: Mapping[str, str]
) -> Collection[int] | None:
    """The tasks that an argument can mean by what may be a text as well ("Task 1", the name of a task): in a text those
    that the task says it needs, none in a list of texts such as labels; None for all.
    """
    args = row.args if row else ()
    own = [arg for arg in args if arg.name in (name, aliases.get(name.lower(), name.lower()))]
    texts = [arg for arg in own or args if arg.kind == "text"]
    if any(arg.many for arg in texts) and (own or isinstance(value, list)):
        return ()
    return stated if texts else None


def _mended(
    args: Mapping[str, Any], links: list[int], number: int, ids: Mapping[str, int], notes: list[str]
) -> dict[str, Any]:
    """The arguments, with the source of the only link that no argument takes in place of the only reference that leads
    nowhere, or back to the task itself.
    """
    texts = {name: REFERENCE.fullmatch(value.strip()) for name, value in args.items() if isinstance(value, str)}
    found = {name: match[1] for name, match in texts.items() if match}
    broken = [name for name, one in found.items() if ids.get(one, number) == number]
    open_links = [link for link in links if link not in {ids.get(one) for one in found.values()}]
    if len(broken) != 1 or len(open_links) != 1:
        return dict(args)
    notes.append(f"task {number}: {args[broken[0]]} leads nowhere; its link says task {open_links[0]}")
    source = next(written for written, one in ids.items() if one == open_links[0])
    return {**args, broken[0]: f"<GENERATED>-{source}"}


def _condition(raw: Any, number_of: Callable[[str], int]) -> Condition:
    """The condition of a task, with the numbers of its tasks. Raises one of INVALID_RESULT_ERRORS."""
    question = raw["question"]
    tasks = [number_of(str(written)) for written in question["tasks"]]
    condition = Condition.from_json({**raw, "question": {**question, "tasks": tasks}})
    asked = condition.question
    if asked.operation not in get_args(Operation) or asked.relation not in (None, *get_args(Relation)):
        raise ValueError("there is no such operation or relation")
    if not asked.tasks or not asked.objects:
        raise ValueError("it names no tasks, or no objects")
    if asked.operation not in YES_NO and (asked.relation is None or asked.number is None):
        raise ValueError(f"{asked.operation} is not answered by yes or no")
    return condition


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


# Step two: arguments without names of the table get some.


def _bind_arguments(drafts: list[_Draft], table: TaskTable, kind_of: KindOf, notes: list[str]) -> None:
    """Binds the arguments that have no name, or none of the table's; those of other tasks stay as they are."""
    by_id = {draft.id: draft for draft in drafts}
    for draft in _by_reference(drafts):
        row = draft.row
        if row is None or not _has_own_names(draft, row, table):
            continue
        args = _renamed(row, draft.args, table.arg_aliases)
        binding = bind(row, args, table.arg_aliases, lambda value: _kinds(value, by_id, kind_of))
        draft.args = dict(binding.args)
        draft.problem, draft.misfit = draft.problem or binding.problem, binding.misfit
        notes.extend(_binding_note(draft, args, binding))


def _has_own_names(draft: _Draft, row: TaskType, table: TaskTable) -> bool:
    """Whether arguments have no name, or others than the table's while one of these is missing."""
    names = {name if row.arg(name) else table.arg_aliases.get(name.lower(), name.lower()) for name in draft.args}
    unknown = [name for name in names if not row.arg(name)]
    is_missing = any(arg.name not in names for arg in row.required)
    return bool(unknown and len(names) <= MAX_BOUND) or (is_missing and bool(names))


def _kinds(value: Any, drafts: Mapping[int, _Draft], kind_of: KindOf) -> dict[Kind, int]:
    """The kinds of resource that an argument may be: 2 where it is one, 1 where it can be taken for one."""
    if isinstance(value, list):
        each = [_kinds(item, drafts, kind_of) for item in value] or [{}]
        return {kind: number for kind, number in each[0].items() if all(kind in other for other in each)}
    text = value.strip() if isinstance(value, str) else ""
    if numbers := references({"": text}):
        giver = drafts.get(numbers[0])
        if not giver or giver.row is None or not REFERENCE.fullmatch(text):
            return dict.fromkeys((*FILE_KINDS, "text", "table"), 1) if REFERENCE.fullmatch(text) else {"text": 2}
        made = giver.row.result.kinds
        return {kind: 1 + (kind in made) for kind in (*FILE_KINDS, "text", "table") if gives(giver, kind)}
    if kind := kind_of(text):
        return {kind: 2}
    if "://" in text and " " not in text:
        return dict.fromkeys((*FILE_KINDS, "text", "table"), 1)
    return {"text": 2, "table": 1} if "\n" in text else {"text": 2}


def _binding_note(draft: _Draft, args: Mapping[str, Any], binding: Binding) -> Iterator[str]:
    def shown(name: str) -> str:
        return f'"{str(args[name])[:40] if name.startswith(UNNAMED) else name}"'

    took = [f"{shown(name)} for {arg}" for arg, name in binding.bound.items() if arg != name]
    done = [f"took {' and '.join(took)}"] if took else []
    done += [f'left out "{value}"' for value in binding.left if not binding.problem]
    if done:
        yield f"task {draft.id} ({draft.row.name if draft.row else draft.name}): {', '.join(done)}"


# Step three: an argument that names several resources becomes several tasks.


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
    order, _ = _kahn({draft.id: {*references(draft.args), *draft.condition_tasks} for draft in drafts})
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
    if draft.when:
        tasks = tuple(number for d in draft.condition_tasks for number in copies.get(d, [d]))
        draft.when = replace(draft.when, question=replace(draft.when.question, tasks=tasks))


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


# Step four: task names, arguments and references are checked against the task table.


def _typed(draft: _Draft, drafts: Mapping[int, _Draft], table: TaskTable) -> Task:
    row = draft.row
    if row is None:
        near = table.nearest(draft.name)
        hint = f'; the nearest is "{near}"' if near else ""
        problem = draft.problem or f'"{draft.name}" is not a known task{hint}'
        return Task(draft.id, draft.name, _dep(draft), draft.args, problem, when=draft.when)
    draft.args = _named_args(row, draft.args, table.arg_aliases)
    _fill_missing(row, draft, drafts)
    problem = draft.problem or next(_mistakes(row, draft, drafts), "")
    return Task(draft.id, row.name, _dep(draft), draft.args, problem, row, draft.when, save_as=draft.save_as)


def _dep(draft: _Draft) -> tuple[int, ...]:
    """The given dependencies joined with those that the arguments refer to and the condition asks about."""
    condition = (number for number in draft.condition_tasks if number >= 0)
    return tuple(sorted({*draft.dep, *references(draft.args), *condition}))


def _renamed(row: TaskType, args: Mapping[str, Any], aliases: Mapping[str, str]) -> dict[str, Any]:
    """Arguments under the table's names, where they have others for them."""
    renamed: dict[str, Any] = {}
    for name, value in args.items():
        alias = aliases.get(name.lower(), name.lower())
        renamed[alias if not row.arg(name) and row.arg(alias) and alias not in args else name] = value
    return renamed


def _named_args(row: TaskType, args: Mapping[str, Any], aliases: Mapping[str, str]) -> dict[str, Any]:
    """Arguments under the table's names, each a string (a list of strings where the table says so)."""
    named: dict[str, Any] = {}
    for name, value in _renamed(row, args, aliases).items():
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
        sources = dict.fromkeys((*draft.dep, *draft.links))
        unused = [d for d in sources if d not in references(draft.args) and d in drafts]
        givers = [d for d in unused if (giver := drafts[d].row) and arg.kind in giver.result.kinds]
        if len(givers) == 1:
            draft.args[arg.name] = reference(givers[0])


def _unused_links(drafts: list[_Draft]) -> Iterator[str]:
    """Notes on links that lead to a task that takes nothing from their sources."""
    for draft in drafts:
        for link in draft.links:
            if link not in references(draft.args) and not draft.problem:
                yield f"task {draft.id} ({draft.name}): the link from task {link} is left out, as no argument needs it"


def _mistakes(row: TaskType, draft: _Draft, drafts: Mapping[int, _Draft]) -> Iterator[str]:
    for arg in row.required:
        if not draft.args.get(arg.name) and arg.pattern and not draft.misfit:
            yield f"say its {arg.name}, such as: {arg.about}"
        elif not draft.args.get(arg.name):
            about = f" ({arg.about})" if arg.about else ""
            instead = f"; {draft.misfit} is none" if draft.misfit else ""
            yield f"its argument {arg.name}{about} is missing{instead}"
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


# Step five: order.


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
