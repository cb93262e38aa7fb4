"""The metrics of TaskBench (arXiv 2311.18760) and of the HuggingGPT paper (arXiv 2303.17580, section 4.3).

All are in percent, except the edit distance (0 to 1, lower is better). A request without a plan counts as an
empty plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

from hugginggpt.evaluate.graph import Graph, same_graph

Pair = tuple[Graph, Graph]
"""The gold graph and the planned one."""
Figures = dict[str, float | int | None]


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of correct, planned and gold elements. The figures of a sum are micro averages."""

    hits: int = 0
    planned: int = 0
    gold: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.hits + other.hits, self.planned + other.planned, self.gold + other.gold)

    @property
    def precision(self) -> float:
        return 100 * self.hits / self.planned if self.planned else 0.0

    @property
    def recall(self) -> float:
        return 100 * self.hits / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float | None:
        """None without planned or gold elements."""
        return 100 * 2 * self.hits / (self.planned + self.gold) if self.planned + self.gold else None


def overlap(gold: Set[Any], planned: Set[Any]) -> Counts:
    return Counts(len(gold & planned), len(planned), len(gold))


SETS: dict[str, Callable[[Graph], Set[Any]]] = {
    "n-F1": lambda graph: graph.nodes,
    "e-F1": lambda graph: graph.links,
    "t-F1": lambda graph: graph.parameters,
    "v-F1": lambda graph: graph.values,
}
"""TaskBench's metrics, each an F1 over a set per request."""


def counts(figure: str, pair: Pair) -> Counts:
    """The counts of one request for a metric; empty for t-F1 and v-F1 where its label has no arguments."""
    gold, planned = pair
    if gold.args is None and figure in ("t-F1", "v-F1"):
        return Counts()
    return overlap(SETS[figure](gold), SETS[figure](planned))


def taskbench(pairs: Sequence[Pair]) -> Figures:
    """TaskBench's metrics, as on its leaderboard.

    n-F1: the set of tasks of each request; e-F1: the set of links (source task, target task); t-F1: the set of
    (task, name of an argument), where TaskBench's Hugging Face tools have a type of resource in place of a name;
    v-F1: the set of (task, name, value), with literally equal values, or the same generating task. All
    are micro averages: hits, planned and gold elements are summed over the requests before the F1 is taken (not
    averaged over requests or tasks). `exact` is the share of requests with the gold sets of tasks and links.
    """
    exact = sum(gold.nodes == planned.nodes and gold.links == planned.links for gold, planned in pairs)
    sums = {figure: sum((counts(figure, pair) for pair in pairs), Counts()) for figure in SETS}
    return {
        "requests": len(pairs),
        **{figure: _rounded(total.f1) for figure, total in sums.items()},
        "exact": _share(exact, len(pairs)),
    }


def exactness(pairs: Sequence[Pair]) -> Figures:
    """The shares of plans isomorphic to the gold graph, without and with equal arguments."""
    graphs = [same_graph(*pair) for pair in pairs]
    same_arguments = [graph and same_graph(*pair, arguments=True) for graph, pair in zip(graphs, pairs, strict=True)]
    return {"exact graphs": _share(sum(graphs), len(pairs)), "exact arguments": _share(sum(same_arguments), len(pairs))}


def single(pairs: Sequence[Pair]) -> Figures:
    """Requests with one task, scored as classification: correct is a plan with exactly that task.

    Precision, recall and F1 are averaged over the gold tasks, weighted by their frequency (so that recall equals
    accuracy, as in the paper's table).
    """
    gold = [graph.names[0] for graph, _ in pairs]
    predictions = [graph.names[0] if len(graph.names) == 1 else f"{len(graph.names)} tasks" for _, graph in pairs]
    hits = Counter(
        gold_task for gold_task, predicted_task in zip(gold, predictions, strict=True) if gold_task == predicted_task
    )
    predicted_counts, gold_counts = Counter(predictions), Counter(gold)
    by_task = {task: Counts(hits[task], predicted_counts[task], gold_counts[task]) for task in gold_counts}

    def weighted(figure: Callable[[Counts], float | None]) -> float | None:
        return _rounded(
            sum(gold_counts[task] * (figure(count) or 0) for task, count in by_task.items()) / max(1, len(pairs))
        )

    return {
        "requests": len(pairs),
        "accuracy": _share(sum(hits.values()), len(pairs)),
        "precision": weighted(lambda count: count.precision),
        "recall": weighted(lambda count: count.recall),
        "F1": weighted(lambda count: count.f1),
    }


def sequential(pairs: Sequence[Pair]) -> Figures:
    """Requests with a chain of tasks: edit distance of the task sequences, and micro averages over the tasks.

    The edit distance is the Levenshtein distance divided by the longer length, averaged over the requests.
    """
    distances = [edit_distance(gold.sequence(), planned.sequence()) for gold, planned in pairs]
    total = sum((_multiset(gold.names, planned.names) for gold, planned in pairs), Counts())
    mean = round(sum(distances) / len(pairs), 4) if pairs else None
    return {"requests": len(pairs), "edit distance": mean, **_micro(total)}


def graphs(pairs: Sequence[Pair]) -> Figures:
    """Requests with a graph of tasks: micro averages over tasks and links together ("graph F1")."""
    total = sum((overlap(gold.nodes | gold.links, planned.nodes | planned.links) for gold, planned in pairs), Counts())
    return {"requests": len(pairs), **_micro(total)}


def edit_distance(first: Sequence[str], second: Sequence[str]) -> float:
    """The Levenshtein distance divided by the length of the longer sequence, 0 for two empty ones."""
    row = list(range(len(second) + 1))
    for row_number, item in enumerate(first, 1):
        diagonal, row[0] = row[0], row_number
        for column, other_item in enumerate(second, 1):
            diagonal, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, diagonal + (item != other_item)),
            )
    return row[-1] / max(len(first), len(second), 1)


def agreement(pair: Pair) -> float:
    """The quality of a plan, 0 to 1: the F1 over its tasks, links and arguments together."""
    total = sum((counts(figure, pair) for figure in SETS), Counts())
    return (total.f1 if total.f1 is not None else 100.0) / 100


def percentile(values: Iterable[float], share: float) -> float | None:
    """The value below which that share of the values lies, interpolated; None without values."""
    ordered = sorted(values)
    if not ordered:
        return None
    position = share * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (position - low) * (ordered[high] - ordered[low])


def _multiset(gold: Iterable[str], planned: Iterable[str]) -> Counts:
    one, other = Counter(gold), Counter(planned)
    return Counts((one & other).total(), other.total(), one.total())


def _micro(total: Counts) -> Figures:
    return {
        "precision": _rounded(total.precision), "recall": _rounded(total.recall), "F1": _rounded(total.f1)
    }  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return _rounded(100 * part / whole) if whole else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
