"""The figures of one planner on a file of requests, and of two side by side: as JSON, as tables."""

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
WIDE = 160
PAPER = {"single": metrics.single, "chain": metrics.sequential, "dag": metrics.graphs}
"""The HuggingGPT paper's figures by the kind of request."""


def report(data: Data, predictions: Mapping[str, Prediction], verdicts: Sequence[judge.Verdict] = ()) -> dict[str, Any]:
    """All figures, for json.dumps. A request without a prediction counts as an empty plan and not as planned."""
    pairs = _pairs(data, predictions)
    groups = {name: _figures(data, [pairs[sample.id] for sample in group]) for name, group in _groups(data)}
    made = [predictions[sample.id] for sample in data.samples if sample.id in predictions]
    kinds = {kind: [pairs[s.id] for s in data.samples if s.kind == kind and s.gold and s.gold.names] for kind in PAPER}
    result: dict[str, Any] = {
        "data": data.name,
        "planner": ", ".join(sorted({one.planner for one in made if one.planner})) or "unknown",
        "requests": len(data.samples),
        "planned": len(made),
        "unusable": sum(one.note == UNUSABLE for one in made),
        "figures": groups,
        "paper": {kind: PAPER[kind](of_kind) for kind, of_kind in kinds.items() if of_kind},
        "seconds": _latency(made),
        "tokens": _tokens(made),
    }
    if verdicts:
        by_kind = {kind: [v for v in verdicts if data.by_id[v.id].kind == kind] for kind in KINDS}
        result["judge"] = {"overall": judge.summary(verdicts)} | {
            kind: judge.summary(of_kind) for kind, of_kind in by_kind.items() if of_kind
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
        if of_kind := [sample for sample in labelled if sample.kind == kind]:
            yield kind, of_kind
    sizes = {sample.id: len(sample.gold.names) for sample in labelled if sample.gold}
    for size in sorted(set(sizes.values())):
        yield f"{size} task{'s' * (size != 1)}", [sample for sample in labelled if sizes[sample.id] == size]


def _figures(data: Data, pairs: Sequence[Pair]) -> metrics.Figures:
    return metrics.taskbench(pairs) | (metrics.exactness(pairs) if data.own else {})


def _latency(made: Sequence[Prediction]) -> dict[str, Any]:
    seconds = [one.seconds for one in made if one.seconds is not None]
    middle, late = metrics.percentile(seconds, 0.5), metrics.percentile(seconds, 0.95)
    return {"requests": len(seconds), "median": middle and round(middle, 4), "p95": late and round(late, 4)}


def _tokens(made: Sequence[Prediction]) -> dict[str, Any]:
    calls = sum(one.usage.calls for one in made)
    prompt, completion = sum(p.usage.prompt_tokens for p in made), sum(p.usage.completion_tokens for p in made)
    each = round((prompt + completion) / len(made)) if made else 0
    return {"prompt": prompt, "completion": completion, "per request": each, "calls": calls}


def show(result: Mapping[str, Any], console: Console) -> None:
    """Prints a report as tables."""
    planned = f"{result['planned']} of {result['requests']} requests planned"
    unusable = f", {result['unusable']} without a usable plan" if result["unusable"] else ""
    console.print(f"{result['planner']} on {result['data']}: {planned}{unusable}", highlight=False, markup=False)
    if result["figures"]:
        console.print(_table("TaskBench's figures, in percent", result["figures"]))
    for kind, figures in result["paper"].items():
        text = "  ".join(f"{name} {_said(value)}" for name, value in figures.items())
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
        table.add_row(group, *(_said(figures.get(name)) for name in columns))
    return table


def _said(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A request that one planner did better: `a` and `b` are how right each was, 0 to 1."""

    sample: Sample
    a: float
    b: float
    graphs: tuple[Graph, Graph, Graph]

    def lines(self) -> Iterator[tuple[str, str]]:
        """(gold, A or B, graph): with arguments, where the graphs are the same without."""
        texts = [str(graph) for graph in self.graphs]
        if texts[1] == texts[2]:
            texts = [_with_arguments(graph) for graph in self.graphs]
        yield from zip(("gold", f"A {self.a:.2f}", f"B {self.b:.2f}"), texts, strict=True)


def disagreements(
    data: Data, a: Mapping[str, Prediction], b: Mapping[str, Prediction], worst: int
) -> list[Disagreement]:
    """The requests on which the planners differ most in how right they are, worst first."""
    ours, theirs = _pairs(data, a), _pairs(data, b)
    compared = [
        Disagreement(
            data.by_id[key],
            metrics.agreement(ours[key]),
            metrics.agreement(theirs[key]),
            (ours[key][0], ours[key][1], theirs[key][1]),
        )
        for key in ours
    ]
    compared = [one for one in compared if one.a != one.b]
    return sorted(compared, key=lambda one: -abs(one.a - one.b))[:worst]


def differences(data: Data, a: Mapping[str, Prediction], b: Mapping[str, Prediction]) -> dict[str, tuple[float, float]]:
    """Between what B's advantage in each figure lies, in points, at 95 %: by a paired bootstrap over the requests."""
    import numpy as np

    pairs = [_pairs(data, predictions) for predictions in (a, b)]
    keys = list(pairs[0])
    drawn = np.random.default_rng(0).integers(0, len(keys), (RESAMPLES, len(keys))) if keys else np.zeros((0, 0), int)
    intervals: dict[str, tuple[float, float]] = {}
    for figure in metrics.SETS if keys else ():
        sums = []
        for side in pairs:
            each = [metrics.counts(figure, side[key]) for key in keys]
            table = np.array([(one.hits, one.planned + one.gold) for one in each], float)[drawn].sum(1)
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
            ours, theirs = a["figures"][group][figure], b["figures"][group][figure]
            gap = f"{theirs - ours:+.2f}" if ours is not None and theirs is not None else "-"
            sure = "{:+.2f} to {:+.2f}".format(*between[figure]) if group == "overall" and figure in between else ""
            table.add_row(group, figure, _said(ours), _said(theirs), gap, sure)
    console.print(table)
    console.print(f"{len(worst)} worst disagreements" if worst else "The plans are equally right everywhere.")
    for one in worst:
        console.print(f"\n[bold]{escape(one.sample.id)}[/]  {escape(one.sample.request[:300])}", highlight=False)
        for who, graph in one.lines():
            console.print(f"  {who:7} {graph}", highlight=False, markup=False)


def _with_arguments(graph: Graph) -> str:
    """The graph's tasks with their arguments, in one line."""
    return "; ".join(
        f"{task}({', '.join(f'{arg.name}={json.dumps(arg.value, ensure_ascii=False)}' for arg in args)})"
        for task, args in graph.nodes_args()
    )


def make_console() -> Console:
    """Standard output; where that is no terminal, wide enough for the tables."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDE)
