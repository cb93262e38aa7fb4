"""The tasks that a request may need, as far as the learned heads tell: what a language model has to choose from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import split
from hugginggpt.offline.heads import clause_scores, load, task_scores
from hugginggpt.offline.languages import scores as languages
from hugginggpt.offline.small_talk import NONE
from hugginggpt.offline.tool_network.scoring import tool_graph
from hugginggpt.offline.tool_network.tools import EDITING, EDITING_TASK, TOOL_TASKS

MIN_SCORE, SIZE = 0.003, 12
"""The score, of the best clause or of the whole request, from which a task is on the list; and how many at most."""


def shortlist(
    request: str,
    resources: Sequence[Resource],
    planned: Iterable[str],
    table: TaskTable,
    allowed: frozenset[str] | None = None,
    language: str = "",
) -> frozenset[str]:
    """The tasks that the request or a clause of it most likely asks for, those that are `planned`, those that a language
    model does itself in words of its own, and those for files of the kinds that are named that the head of the language has not learned, as it cannot tell;
    none without the weights. `allowed` limits the tasks, None: all of the table.
    """
    scores: dict[str, float] = {}
    for row in _rows(request, resources, allowed, language):
        for task, score in row.items():
            scores[task] = max(scores.get(task, 0.0), score)
    likely = (task for task, score in scores.items() if score >= MIN_SCORE and _is_allowed(task, table, allowed))
    ranked = sorted(likely, key=lambda task: -scores[task])[:SIZE]
    if not ranked:
        return frozenset()
    worded = (row.name for row in table if row.is_free_text and _is_allowed(row.name, table, allowed))
    kinds = {one.kind for one in resources if one.is_file}
    unlearned = [task for task in _unlearned(table, allowed, language) if language or _may_take(table[task], kinds)]
    if not any(table[task].wording == "pair" for task in ranked):  # no two texts are compared, by whatever task
        unlearned = [task for task in unlearned if table[task].wording != "pair"]
    measuring = any(table[task].measures for task in ranked)
    unlearned = [
        task
        for task in unlearned
        if not table[task].measures or measuring or any(cue.regex.search(request) for cue in table[task].cues)
    ]
    return frozenset([*ranked, *planned, *worded, *unlearned])


def _rows(
    request: str, resources: Sequence[Resource], allowed: frozenset[str] | None, language: str
) -> Iterator[Mapping[str, float]]:
    """The scores of tasks by each head."""
    if language:
        yield task_scores(languages.clause_scores(request, language))
        return
    clauses = [clause.text for clause in split(request, resources)]
    yield from map(task_scores, clause_scores([request, *clauses]))
    if graph := tool_graph(request, allowed or TOOL_TASKS):
        yield {EDITING_TASK if tool == EDITING else tool: score for tool, score in graph.considered.items()}


def _is_allowed(task: str, table: TaskTable, allowed: frozenset[str] | None) -> bool:
    return task != NONE and task in table and (allowed is None or task in allowed)


def _may_take(row: TaskType, kinds: Collection[Kind | None]) -> bool:
    """Whether a task may be about a file of one of some kinds; about any where none is named."""
    if not kinds or None in kinds or row.input_kind == "text":
        return True
    return row.input_kind in kinds or (row.input_kind == "table" and "text" in kinds)  # in a document


def _unlearned(table: TaskTable, allowed: frozenset[str] | None, language: str) -> Iterator[str]:
    """The tasks that the head of a language ("" for English) does not know: those of the configuration and of plug-ins,
    and many in other languages than English.
    """
    if language:
        labels = languages.classes(language)
    else:
        head = load("clauses.safetensors")
        labels = head[1] if head else ()
    known = {name.partition("/")[0] for name in labels}
    return (task for task in table.names if task not in known and _is_allowed(task, table, allowed))
