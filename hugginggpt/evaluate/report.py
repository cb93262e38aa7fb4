"""Reports on one planner, and comparisons of two, as JSON and as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hugginggpt.evaluate import judge, metrics
from hugginggpt.evaluate.formats import Data, Sample
from hugginggpt.evaluate.graph import Graph
from hugginggpt.evaluate.metrics import Pair
from hugginggpt.evaluate.run import UNUSABLE, Prediction

KINDS = ("single", "chain", "dag", "none")
RESAMPLES = 2000
DEFAULT_WIDTH = 160
PAPER = {"single": metrics.single, "chain": metrics.sequential, "dag": metrics.graphs}
"""The HuggingGPT paper's figures by the kind of request."""


def report(data: Data, predictions: Mapping[str, Prediction], verdicts: Sequence[judge.Verdict] = ()) -> dict[str, Any]:
    """All metrics, ready for json.dumps. A request without a prediction is scored as an empty plan."""
    pairs = _pairs(data, predictions)
    groups = {name: _figures(data, [pairs[sample.id] for sample in group]) for name, group in _groups(data)}
    planned = [predictions[sample.id] for sample in data.samples if sample.id in predictions]
    kinds = {kind: [pairs[s.id] for s in data.samples if s.kind == kind and s.gold and s.gold.names] for kind in PAPER}
    result: dict[str, Any] = {
        "data": data.name,
        "planner": ", ".join(sorted({prediction.planner for prediction in planned if prediction.planner})) or "unknown",
        "requests": len(data.samples),
        "planned": len(planned),
        "unusable": sum(prediction.note == UNUSABLE for prediction in planned),
        "figures": groups,
        "paper": {kind: PAPER[kind](members) for kind, members in kinds.items() if members},
        "seconds": _latency(planned),
        "tokens": _tokens(planned),
    }
    if verdicts:
        by_kind = {kind: [v for v in verdicts if data.by_id[v.id].kind == kind] for kind in KINDS}
        result["judge"] = {"overall": judge.summary(verdicts)} | {
            kind: judge.summary(members) for kind, members in by_kind.items() if members
        }
    return result


def _pairs(data: Data, predictions: Mapping[str, Prediction]) -> dict[str, Pair]:
    labelled = [sample for sample in data.samples if sample.gold is not None]
    plans = {sample.id: predictions[sample.id].plan if sample.id in predictions else () for sample in labelled}
    return {sample.id: data.pair(sample, plans[sample.id]) for sample in labelled}


def _groups(data: Data) -> Iterator[tuple[str, list[Sample]]]:
    """All labelled requests, those of each kind, and those of each number of tasks."""
    labelled = [sample for sample in data.samples if sample.gold is not None]
    if labelled:
        yield "overall", labelled
    for kind in KINDS:
        if members := [sample for sample in labelled if sample.kind == kind]:
            yield kind, members
    sizes = {sample.id: len(sample.gold.names) for sample in labelled if sample.gold}
    for size in sorted(set(sizes.values())):
        yield f"{size} task{'s' * (size != 1)}", [sample for sample in labelled if sizes[sample.id] == size]


def _figures(data: Data, pairs: Sequence[Pair]) -> metrics.Figures:
    return metrics.taskbench(pairs) | (metrics.exactness(pairs) if data.project_format else {})


def _latency(predictions: Sequence[Prediction]) -> dict[str, Any]:
    seconds = [prediction.seconds for prediction in predictions if prediction.seconds is not None]
    median, p95 = metrics.percentile(seconds, 0.5), metrics.percentile(seconds, 0.95)
    return {"requests": len(seconds), "median": median and round(median, 4), "p95": p95 and round(p95, 4)}


def _tokens(predictions: Sequence[Prediction]) -> dict[str, Any]:
    calls = sum(prediction.usage.calls for prediction in predictions)
    prompt, completion = (
        sum(prediction.usage.prompt_tokens for prediction in predictions),
        sum(prediction.usage.completion_tokens for prediction in predictions),
    )
    per_request = round((prompt + completion) / len(predictions)) if predictions else 0
    return {"prompt": prompt, "completion": completion, "per request": per_request, "calls": calls}


def show(result: Mapping[str, Any], console: Console) -> None:
    """Prints a report as tables."""
    planned = f"{result['planned']} of {result['requests']} requests planned"
    unusable = f", {result['unusable']} without a usable plan" if result["unusable"] else ""
    console.print(f"{result['planner']} on {result['data']}: {planned}{unusable}", highlight=False, markup=False)
    if result["figures"]:
        console.print(_table("TaskBench's figures, in percent", result["figures"]))
    for kind, figures in result["paper"].items():
        text = "  ".join(f"{name} {_formatted(value)}" for name, value in figures.items())
        console.print(f"The paper's figures, {kind}: {text}", highlight=False)
    if "judge" in result:
        console.print(_table("Judged by a language model, in percent", result["judge"]))
    seconds, tokens = result["seconds"], result["tokens"]
    if seconds["requests"]:
        milliseconds = f"median {1000 * seconds['median']:.1f} ms, 95 % under {1000 * seconds['p95']:.1f} ms"
        console.print(f"Time of a plan: {milliseconds}", highlight=False)
    if tokens["calls"]:
        text = f"{tokens['prompt']} read, {tokens['completion']} written, {tokens['per request']} a request"
        console.print(f"Tokens: {text}, in {tokens['calls']} calls", highlight=False)


def _table(title: str, groups: Mapping[str, Mapping[str, Any]]) -> Table:
    columns = list(dict.fromkeys(name for figures in groups.values() for name in figures))
    table = Table("", title=title, title_justify="left", box=None, padding=(0, 2))
    for name in columns:
        table.add_column(name, justify="right")
    for group, figures in groups.items():
        table.add_row(group, *(_formatted(figures.get(name)) for name in columns))
    return table


def _formatted(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A request with plans of different quality: `a` and `b` are those of the two planners, 0 to 1."""

    sample: Sample
    a: float
    b: float
    graphs: tuple[Graph, Graph, Graph]

    def lines(self) -> Iterator[tuple[str, str]]:
        """(label, graph) of the gold plan, A and B: with arguments if the graphs are equal without."""
        texts = [str(graph) for graph in self.graphs]
        if texts[1] == texts[2]:
            texts = [_with_arguments(graph) for graph in self.graphs]
        yield from zip(("gold", f"A {self.a:.2f}", f"B {self.b:.2f}"), texts, strict=True)


def disagreements(
    data: Data, a: Mapping[str, Prediction], b: Mapping[str, Prediction], worst: int
) -> list[Disagreement]:
    """The requests with the largest difference in quality between the planners, largest first."""
    pairs_a, pairs_b = _pairs(data, a), _pairs(data, b)
    compared = [
        Disagreement(
            data.by_id[key],
            metrics.agreement(pairs_a[key]),
            metrics.agreement(pairs_b[key]),
            (pairs_a[key][0], pairs_a[key][1], pairs_b[key][1]),
        )
        for key in pairs_a
    ]
    compared = [item for item in compared if item.a != item.b]
    return sorted(compared, key=lambda item: -abs(item.a - item.b))[:worst]


def differences(data: Data, a: Mapping[str, Prediction], b: Mapping[str, Prediction]) -> dict[str, tuple[float, float]]:
    """The 95 % confidence intervals of B - A for each metric, in points, by a paired bootstrap over the requests."""
    import numpy as np

    pairs = [_pairs(data, predictions) for predictions in (a, b)]
    keys = list(pairs[0])
    resampled = (
        np.random.default_rng(0).integers(0, len(keys), (RESAMPLES, len(keys))) if keys else np.zeros((0, 0), int)
    )
    intervals: dict[str, tuple[float, float]] = {}
    for figure in metrics.SETS if keys else ():
        sums = []
        for side in pairs:
            counts = [metrics.counts(figure, side[key]) for key in keys]
            table = np.array([(count.hits, count.planned + count.gold) for count in counts], float)[resampled].sum(1)
            sums.append(200 * table[:, 0] / np.maximum(table[:, 1], 1))
        low, high = np.percentile(sums[1] - sums[0], [2.5, 97.5])
        intervals[figure] = (round(float(low), 2), round(float(high), 2))
    return intervals


def show_comparison(
    reports: Sequence[Mapping[str, Any]],
    between: Mapping[str, tuple[float, float]],
    worst: Sequence[Disagreement],
    console: Console,
) -> None:
    """Prints two reports side by side, then the worst disagreements."""
    a, b = reports
    console.print(f"A: {a['planner']}   B: {b['planner']}   on {a['data']}", highlight=False, markup=False)
    table = Table("", "", box=None, padding=(0, 2))
    for name in ("A", "B", "B - A", "95 % of B - A"):
        table.add_column(name, justify="right")
    for group in [name for name in a["figures"] if "task" not in name]:
        for figure in [name for name in a["figures"][group] if name != "requests"]:
            value_a, value_b = a["figures"][group][figure], b["figures"][group][figure]
            gap = f"{value_b - value_a:+.2f}" if value_a is not None and value_b is not None else "-"
            interval = "{:+.2f} to {:+.2f}".format(*between[figure]) if group == "overall" and figure in between else ""
            table.add_row(group, figure, _formatted(value_a), _formatted(value_b), gap, interval)
    console.print(table)
    console.print(f"{len(worst)} worst disagreements" if worst else "The plans are equally right everywhere.")
    for disagreement in worst:
        console.print(
            f"\n[bold]{escape(disagreement.sample.id)}[/]  {escape(disagreement.sample.request[:300])}", highlight=False
        )
        for label, graph in disagreement.lines():
            console.print(f"  {label:7} {graph}", highlight=False, markup=False)


def _with_arguments(graph: Graph) -> str:
    """The graph's tasks with their arguments, in one line."""
    return "; ".join(
        f"{task}({', '.join(f'{arg.name}={json.dumps(arg.value, ensure_ascii=False)}' for arg in args)})"
        for task, args in graph.nodes_args()
    )


def make_console() -> Console:
    """A console for standard output, with a width for the tables where that is not a terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=DEFAULT_WIDTH)
