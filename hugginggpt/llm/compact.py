"""Tasks, candidate models and results in few tokens, for the prompts: each thing once, and none of JSON's quotes.

A task is written as it is called, `object-detection(image = #1)`, where #1 is what task 1 gave.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.core.plan import REFERENCE
from hugginggpt.core.results import FILE_KINDS, INVALID_RESULT_ERRORS, files_of
from hugginggpt.core.tasks import TaskTable

Candidates = Sequence[tuple[ModelCard, str]]
"""Models, each with the endpoint that it runs on."""

ARG_CHARS = 300
"""How many characters of an argument are shown: the results tell what came of the rest."""
SHORT_DESCRIPTION = 40
TAGS = 4
REGIONS = 12
"""How many boxes of a picture are told with their places; of more the labels are counted."""


def candidate_lines(candidates: Candidates, longest: int) -> str:
    """A line for each model: id, endpoint where they differ in that, likes, at most `longest` characters of its
    description, and tags that say more than a short one.
    """
    differ = len({endpoint for _, endpoint in candidates}) > 1
    return "\n".join(_candidate(card, endpoint if differ else "", longest) for card, endpoint in candidates)


def _candidate(card: ModelCard, endpoint: str, longest: int) -> str:
    about = card.description[:longest].strip()
    told = _words(f"{card.id} {card.task} {about}")
    tags = [tag for tag in card.meta.get("tags") or () if not _words(str(tag)) <= told][:TAGS]
    facts = ", ".join(filter(None, (endpoint, f"{card.likes} likes" if card.likes else "")))
    named = f"[{', '.join(tags)}]" if tags and len(about) < SHORT_DESCRIPTION else ""
    more = " ".join(filter(None, (about, named)))
    return f"- {card.id}" + (f" ({facts})" if facts else "") + (f": {more}" if more else "")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def call(task: Mapping[str, Any]) -> str:
    """A planned task as it is called: `translation(text = #0, language = "French")`."""
    return f"{task.get('task', '')}({_arguments(task.get('args') or {}, {})})"


def lone_call(task: Mapping[str, Any]) -> str:
    """The same for a reader who sees no other task of the plan, whom their numbers tell nothing."""
    args = {name: _without_numbers(value) for name, value in (task.get("args") or {}).items()}
    return f"{task.get('task', '')}({_arguments(args, {'#': 'a result'})})"


def _without_numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_numbers(item) for item in value]
    return REFERENCE.sub("#", value) if isinstance(value, str) else value


def _arguments(args: Mapping[str, Any], made_by: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {_argument(value, made_by)}" for name, value in args.items())


def _argument(value: Any, made_by: Mapping[str, str]) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, default=str)
    if value in made_by:
        return made_by[value]
    text = REFERENCE.sub(r"#\1", value)
    if text != value or ("/" in text and not re.search(r"\s", text)):
        return shortened(text, ARG_CHARS)
    return f'"{shortened(text, ARG_CHARS)}"'


def question_lines(tasks: Sequence[tuple[Mapping[str, Any], Candidates]], longest: int) -> str:
    """Tasks of a plan with their candidates; tasks that have the same ones stand together below them."""
    groups: dict[str, list[str]] = {}
    for task, candidates in tasks:
        groups.setdefault(candidate_lines(candidates, longest), []).append(f"Task {task['id']}: {call(task)}")
    return "\n\n".join("\n".join([*asked, lines]) for lines, asked in groups.items())


def result_lines(results: Iterable[Mapping[str, Any]], table: TaskTable, longest: int) -> str:
    """A line for each of JARVIS's results; what a task gave another one is named by its number."""
    made_by: dict[str, str] = {}
    lines = []
    for at, result in enumerate(results):
        task, value = result.get("task") or {}, result.get("inference result")
        number = f"#{task.get('id', at)}"
        arguments = _arguments(task.get("args") or {}, made_by)
        told = "; ".join(filter(None, (*_told(value, str(task.get("task", "")), table), _files(value))))
        lines.append(f"{number} {task.get('task', '')}({arguments}): {shortened(told, longest)}")
        made_by.update(dict.fromkeys(_given_on(value, str(task.get("task", "")), table), number))
    return "\n".join(lines)


def _given_on(value: Any, name: str, table: TaskTable) -> Iterator[str]:
    """What later tasks may have taken from a result: its files and its text."""
    yield from files_of(value)
    if (row := table.find(name)) and (text := _safely(row.result.to_text, value)):
        yield text


def _told(value: Any, name: str, table: TaskTable) -> Iterator[str]:
    """What a result says, but for its files."""
    if isinstance(value, Mapping) and isinstance(error := value.get("error"), Mapping):
        yield f"{error.get('type') or 'failed'}: {error.get('message', '')}"
        return
    row = table.find(name)
    if row is None:
        yield value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    elif row.result.draws:
        yield _regions(value)
    elif set(row.result.kinds) - set(FILE_KINDS):
        yield _safely(row.result.describe, value) or json.dumps(value, ensure_ascii=False, default=str)


def _regions(value: Any) -> str:
    """What was found in a picture, counted; with scores and places where these are few."""
    found = value.get("predicted", []) if isinstance(value, Mapping) else []
    counts = Counter(str(region.get("label")) for region in found)
    counted = ", ".join(f"{number} {label}" for label, number in counts.most_common()) or "nothing recognised"
    if not found or len(found) > REGIONS:
        return counted
    return f"{counted} ({'; '.join(map(_region, found))})"


def _region(region: Mapping[str, Any]) -> str:
    score, box = region.get("score"), region.get("box")
    parts = [str(region.get("label"))]
    if isinstance(score, int | float):
        parts.append(f"{100 * score:.0f} %")
    if isinstance(box, Mapping) and all(isinstance(box.get(side), int | float) for side in _SIDES):
        parts.append("at {:.0f},{:.0f}-{:.0f},{:.0f}".format(*(box[side] for side in _SIDES)))
    return " ".join(parts)


_SIDES = ("xmin", "ymin", "xmax", "ymax")


def _files(value: Any) -> str:
    """The kinds of files in a result, whose paths are listed below the answer."""
    kinds = [kind for kind in FILE_KINDS if isinstance(value, Mapping) and f"generated {kind}" in value]
    return " and ".join(f"{kind} made" for kind in kinds)


def _safely(read: Any, value: Any) -> str:
    """The words of a result; "" of one that is not in its form."""
    try:
        return str(read(value))
    except INVALID_RESULT_ERRORS:
        return ""


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning and end where it is longer."""
    if len(text) <= longest:
        return text
    end = longest // 4
    return f"{text[: longest - end].rstrip()} … {text[-end:].lstrip()}"
