"""The forms in which language models write plans and references, read as JARVIS's form.

JARVIS's is a list of {"task", "id", "dep", "args"} with `<GENERATED>-2` for what task 2 generates. TaskBench's
(arXiv 2311.18760) is {"task_nodes": [{"task", "arguments": [values]}], "task_links": [{"source", "target"}]}: arguments
without names, `<node-2>` for the node at that position, links apart. Models vary both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from hugginggpt.core.errors import ModelOutputError
from hugginggpt.core.lenient_json import NotJSON, find_values
from hugginggpt.core.plan import REFERENCE, reference

NODES = ("tasks", "task_nodes", "tool_nodes", "nodes")
LINKS = ("task_links", "tool_links", "links")
UNNAMED = "#"
"""How the name begins under which an argument without one is kept: "#0", "#1", ..."""

_OF = r"(?:the[\s_-]++)?(?:(?:output|result|answer)s?[\s_-]*+(?:(?:of|from)[\s_-]*+)?(?:the[\s_-]++)?)?"
_TASK = rf"{_OF}(?:(?:node|task|tool)[\s_-]*+)?(\d{{1,4}})"
_PART = r"(?:\.[A-Za-z_]\w*|\[[^\[\]]{1,30}\])*"
_NUMBERED = tuple(
    re.compile(rf"\s*+{form}{_PART}\s*+", re.IGNORECASE)
    for form in (
        REFERENCE.pattern,
        rf"<\s*+{_TASK}{_PART}\s*+>",
        rf"\{{\{{?\s*+{_TASK}{_PART}\s*+\}}\}}?",
        rf"\$\{{?\s*+{_TASK}{_PART}\s*+\}}?",
        rf"{_OF}(?:node|task|tool)[\s_-]*+(\d{{1,4}})(?:[\s_-]*+(?:output|result))?",
    )
)
"""Whole arguments that mean the result of a task: <node-0>.output, <output of node-2>, {{0}}, $0, ${0.text}, task_0."""
_MAY_BE_TEXT = re.compile(r"\s*+(?:\$\s*+)?(?:(?:node|task|tool)[\s_-]*+)?\d{1,4}\s*+", re.IGNORECASE)
"""Those of them that a text may be, too: $1, Task 1."""
_STEP = re.compile(r"\W*+step[\s_-]*+(\d{1,4})\W*+", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"<[A-Za-z]+[ _-][A-Za-z _-]{1,38}>|(<(?:text|image|audio|video|file|input|output|request)>)")
_NAMED = re.compile(
    rf"[<{{$\s]*+{_OF}(?P<name>[A-Za-z][\w \-()]{{2,60}}?)(?:[\s_-](?:output|result))?[>}}\s]*", re.IGNORECASE
)


def read_tasks(text: str) -> list[Any]:
    """The task objects in a language model's answer: a list, {"tasks": [...]}, TaskBench's form or single objects, in
    any prose.

    Of several lists the last is taken, since models correct themselves. Raises ModelOutputError.
    """
    plans: list[list[Any]] = []
    singles: list[Any] = []
    try:
        for value in find_values(text):
            value = _nodes(value) if isinstance(value, dict) else value
            if isinstance(value, list) and (not value or any(_is_task(item) for item in value)):
                plans.append(value)
            elif _is_task(value):
                singles.append(value)
    except NotJSON as error:
        raise ModelOutputError(f"The plan could not be read: {error}.") from error
    tasks = next((plan for plan in reversed(plans) if plan), None) or singles
    if not tasks and not plans:
        raise ModelOutputError('The answer holds no JSON list of {"task", "id", "dep", "args"} objects.')
    return tasks


def _is_task(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("task"), str)


def _nodes(plan: Mapping[str, Any]) -> Any:
    """The tasks of a plan that is an object, each with the links that lead to it; else the object itself."""
    nodes = next((plan[key] for key in NODES if isinstance(plan.get(key), list)), None)
    if nodes is None:
        return plan
    links: list[Any] = next((plan[key] for key in LINKS if isinstance(plan.get(key), list)), [])
    return _linked(nodes, [link for link in links if isinstance(link, dict)]) if links else nodes


def _linked(nodes: Sequence[Any], links: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The nodes; each to which links lead has the ids of their sources under "links".

    Links name tasks, or give their numbers. A name that several nodes have says nothing.
    """
    names = [plain_name(str(node.get("task", ""))) if isinstance(node, dict) else "" for node in nodes]
    ids = [str(node.get("id", at)) if isinstance(node, dict) else str(at) for at, node in enumerate(nodes)]
    numbers = set(map(str, range(len(nodes)))) if all(one.isdigit() for one in ids) else set()

    def place(written: Any) -> int | None:
        name, number = plain_name(str(written)), str(written).strip()
        if names.count(name) == 1:
            return names.index(name)
        number = match[1] if (match := _numbered(number)) else number
        if number in ids:
            return ids.index(number)
        return int(number) if number in numbers else None

    sources: dict[int, list[str]] = {}
    for link in links:
        source, target = place(link.get("source")), place(link.get("target"))
        if source is not None and target is not None and source != target:
            sources.setdefault(target, []).append(ids[source])
    is_clear = sum(map(len, sources.values())) == len(links)  # else a node without links may have one
    return [
        {**node, "links": sources.get(at, [])} if isinstance(node, dict) and (is_clear or at in sources) else node
        for at, node in enumerate(nodes)
    ]


def plain_name(name: str) -> str:
    """A task's name in lower case with hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))


def raw_args(item: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, also when they are given next to "task" or in a list; nulls are omitted.

    In a list, objects are arguments with names ({"image": value} or {"name": "image", "value": value}); other values
    have none and are kept under "#0", "#1", ...
    """
    args = item.get("args", item.get("arguments"))
    if isinstance(args, list):
        args = dict(_listed(args))
    if not isinstance(args, dict):
        args = {k: v for k, v in item.items() if k not in ("task", "id", "dep", "args", "arguments", "when", "links")}
    return {k: v for k, v in args.items() if v is not None and v != ""}


def _listed(values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for at, value in enumerate(values):
        if not isinstance(value, dict):
            yield f"{UNNAMED}{at}", value
        elif not ("name" in value and set(value) <= {"name", "value", "type"}):
            yield from value.items()
        elif value.get("value") in (None, "") or not re.fullmatch(r"[A-Za-z_]\w*", str(value["name"])):
            yield f"{UNNAMED}{at}", value.get("value") or value["name"]
        else:
            yield str(value["name"]), value["value"]


def canonical_reference(
    value: str,
    ids: Mapping[str, int],
    by_name: Mapping[str, Sequence[int]],
    own: int,
    sources: Collection[int] | None = None,
) -> tuple[str, str]:
    """(the value in JARVIS's form if it is a reference in another form, a problem with it or "").

    `ids` are the numbers of the tasks by their ids as written, `by_name` those by name, `own` is the number of the task
    itself. What the plan does not have is a text. `sources` are the tasks from which a value comes that may be a text
    as well, such as "Task 1" or the name of a task; None where nothing tells them.
    """
    match = _numbered(value)
    if match:
        number = ids.get(match[1], ids.get(match[1].lstrip("0") or "0"))
        if number is None or (sources is not None and number not in sources and _MAY_BE_TEXT.fullmatch(value)):
            return value, ""
        return reference(number), ""
    if step := _STEP.fullmatch(value):
        is_text = len(ids) < 2 if sources is None else not {int(step[1]), int(step[1]) - 1} & set(sources)
        problem = f'"{value.strip()}" may mean either of two tasks: ids count from 0, steps from 1'
        return value, "" if is_text else problem
    if placeholder := _PLACEHOLDER.fullmatch(value.strip()):
        is_text = bool(placeholder[1]) and sources is not None and not sources
        return value, "" if is_text else f"{value.strip()} stands for nothing in the plan"
    named = _NAMED.fullmatch(value)
    name = plain_name(named["name"]) if named else ""
    called = [number for number in by_name.get(name, ()) if sources is None or number in sources]
    if len(called) > 1 and "-" in name:
        return value, f'"{value.strip()}" names {len(called)} tasks of the plan'
    return (reference(called[0]) if len(called) == 1 and called[0] != own else value), ""


def _numbered(value: str) -> re.Match[str] | None:
    return next((match for form in _NUMBERED if (match := form.fullmatch(value))), None)


def renumbered(text: str, number_of: Callable[[str], int]) -> str:
    """The text with every reference in JARVIS's form and with the number of its task."""

    def canonical(match: re.Match[str]) -> str:
        number = number_of(match[1])
        return match[0] if number < 0 else reference(number)

    return REFERENCE.sub(canonical, text)
