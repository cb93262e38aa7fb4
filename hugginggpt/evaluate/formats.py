"""Files of labelled requests: the project's own format, and TaskBench's (Hugging Face tools, arXiv 2311.18760).

The project's own, one JSON object per line: {"id", "request", "plan"} and optionally "history"; the plan has JARVIS's
format. Alternative texts of an argument are separated by " || ".

TaskBench's: {"id", "user_request", "type", "task_nodes", "task_links"}, or as published, with "instruction",
"tool_nodes" and "tool_links", the latter two as JSON strings. Without nodes a request is planned but not scored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from hugginggpt.common.text_files import numbered_lines, read_text
from hugginggpt.core.errors import UserError
from hugginggpt.core.tasks import TaskTable
from hugginggpt.evaluate import taskbench
from hugginggpt.evaluate.graph import Graph, graph_of_plan, project_arguments, project_name, resolve_alternatives
from hugginggpt.llm.base import Message


@dataclass(frozen=True, slots=True)
class Sample:
    """A request and its gold graph (None: not labelled). `kind` is single, chain, dag or none (no task needed)."""

    id: str
    request: str
    gold: Graph | None = None
    kind: str = ""
    history: Sequence[Message] = ()


@dataclass(frozen=True, slots=True)
class Data:
    """A file of requests. `tasks` are the task types that plans are limited to; None: all of the task table."""

    name: str
    samples: Sequence[Sample]
    graph: Callable[[Sequence[Mapping[str, Any]]], Graph]
    project_format: bool
    tasks: frozenset[str] | None = None
    by_id: dict[str, Sample] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_id.update((sample.id, sample) for sample in self.samples)

    def pair(self, sample: Sample, plan: Sequence[Mapping[str, Any]]) -> tuple[Graph, Graph]:
        """The gold graph and the graph of a plan, with the same naming of tasks."""
        graph = self.graph(plan)
        gold = sample.gold or Graph()
        return (resolve_alternatives(gold, graph) if self.project_format else gold), graph


def read_data(file: Path, table: TaskTable, limit: int | None = None, tools: Path | None = None) -> Data:
    """The requests of a file, the first `limit` of them, to be planned in the task types of a table; `tools` is a
    tool_desc.json in place of TaskBench's 23 tools.

    Raises UserError, naming the file and the line.
    """
    rows = list(_rows(file))
    if not rows:
        raise UserError(f"{file} holds no requests.")
    project_format = "request" in rows[0][1]
    outputs = taskbench.read_tools(tools, table) if tools else taskbench.OUTPUTS
    read = _project_sample if project_format else partial(_taskbench_sample, outputs=outputs)
    samples = []
    for number, row in rows[:limit]:
        try:
            samples.append(read(row))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise UserError(f"{file}, line {number}: this is not a labelled request ({error!r}).") from error
    if len({sample.id for sample in samples}) < len(samples):
        raise UserError(f"{file}: several requests have the same id.")
    if project_format:
        return Data(file.name, samples, project_graph, project_format=True)
    graph = partial(graph_of_plan, name=taskbench.tool_name, arguments=partial(taskbench.arguments, outputs=outputs))
    return Data(file.name, samples, graph, project_format=False, tasks=taskbench.tasks_of(outputs, table))


def project_graph(plan: Sequence[Mapping[str, Any]]) -> Graph:
    """The graph of a plan with HuggingGPT's names of tasks."""
    return graph_of_plan(plan, project_name, project_arguments)


def _rows(file: Path) -> Iterator[tuple[int, Any]]:
    """(line, JSON object) from a file with one object per line, or a list of them."""
    text, number = read_text(file), 1
    try:
        if text.lstrip().startswith("["):
            yield from ((1, row) for row in json.loads(text))
            return
        for number, line in numbered_lines(text):
            yield number, json.loads(line)
    except ValueError as error:
        raise UserError(f"{file}, line {number}: this is not JSON ({error}).") from error


def _project_sample(row: Mapping[str, Any]) -> Sample:
    gold = project_graph(row["plan"]) if row.get("plan") is not None else None
    return Sample(str(row["id"]), row["request"], gold, gold.shape() if gold else "", row.get("history", ()))


def _taskbench_sample(row: Mapping[str, Any], outputs: Mapping[str, str]) -> Sample:
    nodes = _parsed(row.get("task_nodes", row.get("tool_nodes")))
    links = _parsed(row.get("task_links", row.get("tool_links"))) or []
    gold = taskbench.gold_graph(nodes, links, outputs) if nodes is not None else None
    request = row["instruction"] if "instruction" in row else row["user_request"]
    return Sample(str(row["id"]), str(request), gold, str(row.get("type") or (gold.shape() if gold else "")))


def _parsed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value
