"""Link prediction between TaskBench's tools: a probability for each pair, and the acyclic graph chosen by them.

Logistic regressions combine the network's score of a pair and of its rivals, how often such tools are linked, their
types, the distance of the two in the text, and the share of likely chains and trees in which they are linked.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hugginggpt.offline.tool_network.tools import TOOLS

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

MIN_PROBABILITY = 0.12
"""Only links between tools of at least this probability are considered."""
_KINDS = ("text", "image", "audio", "video", "")


def link_counts(links: Iterable[Iterable[tuple[int, int]]], tools: Sequence[Iterable[int]]) -> tuple[Any, Any]:
    """(links, co-occurrences) of each pair of tools in labelled requests, each of shape (tools, tools)."""
    import numpy as np

    count = len(TOOLS)
    linked, together = np.zeros((count, count)), np.zeros((count, count))
    for edges, members in zip(links, tools, strict=True):
        for source, target in edges:
            linked[source, target] += 1
        indices = list(members)
        together[np.ix_(indices, indices)] += 1
    return linked, together


def prior_log_odds(linked: Any, together: Any, weight: float = 2.0) -> Array:
    """The log odds of each link, smoothed towards how often the two tools are linked to others."""
    import numpy as np

    fits = _fits()
    off_diagonal = together - np.diag(np.diag(together))
    mean = linked[fits > 0].sum() / max(1.0, together[fits > 0].sum())
    as_source = (linked.sum(1) + 1) / (off_diagonal.sum(1) + 4)
    as_target = (linked.sum(0) + 1) / (off_diagonal.sum(0) + 4)
    expected = 0.5 * np.where(fits > 0, mean, 0.02) + 0.5 * np.sqrt(as_source[:, None] * as_target) * np.where(
        fits > 0, 1, 0.1
    )
    probability = np.clip((linked + 2 * weight * expected) / (together + 2 * weight), 0.005, 0.99)
    log_odds: Array = np.log(probability / (1 - probability)).astype(np.float32)
    return log_odds


def _fits() -> Any:
    """1 where the output type of the first tool is an input type of the second, else 0."""
    import numpy as np

    return np.array([[float(output in inputs) for inputs, _ in TOOLS.values()] for _, output in TOOLS.values()])


def candidate_pairs(tasks: Any, links: Any, positions: Any, log_odds: Any) -> tuple[list[tuple[int, int]], Array]:
    """The pairs of tools that may be linked, and their features: float32, shape (pairs, features)."""
    import numpy as np

    probability = 1 / (1 + np.exp(-tasks))
    likely = [int(index) for index in np.where(probability > MIN_PROBABILITY)[0]]
    candidates = [(source, target) for source in likely for target in likely if source != target]
    view = _PairFeatures(probability, likely, links + log_odds, positions)
    rows = [view.features(source, target, tasks, links, log_odds) for source, target in candidates]
    return candidates, np.array(rows, np.float32).reshape(len(candidates), FEATURE_COUNT)


FEATURE_COUNT = 33


class _PairFeatures:
    """The features of pairs among a request's likely tools."""

    def __init__(self, probability: Any, likely: list[int], scores: Any, positions: Any) -> None:
        import numpy as np

        self.probability, self.likely, self.scores, self.positions = probability, likely, scores, positions
        self.logs = np.log(probability + 1e-6)
        self.fits = _fits()
        self.kinds = [(inputs, output) for inputs, output in TOOLS.values()]

    def _sum(self, tools: Iterable[int]) -> float:
        return float(sum(self.probability[index] for index in tools))

    def features(self, source: int, target: int, tasks: Any, links: Any, log_odds: Any) -> list[float]:
        import numpy as np

        positions, probability, likely, fits = self.positions, self.probability, self.likely, self.fits
        distance = positions[target] - positions[source]
        low, high = sorted((positions[source], positions[target]))
        others = [index for index in likely if index not in (source, target)]
        between = self._sum(index for index in others if low < positions[index] < high)
        is_later = float(distance > 0)
        score = self.scores[source, target]
        source_rivals = np.logaddexp.reduce(
            [self.scores[index, target] + self.logs[index] for index in likely if index != target]
        )
        target_rivals = np.logaddexp.reduce(
            [self.scores[source, index] + self.logs[index] for index in likely if index != source]
        )
        inputs, output = self.kinds[target][0], self.kinds[source][1]
        return [
            self.logs[source], self.logs[target], tasks[source], tasks[target],
            links[source, target], links[target, source], log_odds[source, target], log_odds[target, source],
            np.tanh(5 * distance), distance, between, between * is_later, min(between, 1.0) * is_later,
            self._sum(likely),
            score - source_rivals, score - target_rivals, fits[source, target], fits[target, source],
            self._sum(index for index in others if positions[index] < positions[source]),
            self._sum(index for index in others if positions[index] > positions[target]),
            sum(probability[index] * fits[index, target] for index in others),
            sum(probability[index] * fits[source, index] for index in others),
            is_later * float(between < 0.4), 1 / max(0.1, self._sum(likely)), is_later,
            *(float(output == kind) for kind in _KINDS), *(float(kind in inputs) for kind in _KINDS[:3]),
        ]  # fmt: skip


def link_probabilities(
    head: Mapping[str, Array], candidates: Sequence[tuple[int, int]], features: Array, tasks: Any
) -> Array:
    """The probability of each link, from its features and its share of the likely graphs of all tools."""
    return probabilities(head, "graph", graph_features(head, candidates, features, tasks))


def graph_features(
    head: Mapping[str, Array], candidates: Sequence[tuple[int, int]], features: Array, tasks: Any
) -> Array:
    """Features for the head "graph": the pair by itself, and its share of all chains and of all trees."""
    import numpy as np

    probability = 1 / (1 + np.exp(-tasks))
    tools = [int(index) for index in np.argsort(-probability) if probability[index] > MIN_GRAPH_PROBABILITY][
        :MAX_GRAPH_TOOLS
    ]
    position = {tool: index for index, tool in enumerate(tools)}
    single, log_odds = probabilities(head, "link", features), margins(head, "given", features)
    scores = np.full((len(tools), len(tools)), -9.0)
    for (source, target), margin in zip(candidates, log_odds, strict=True):
        if source in position and target in position:
            scores[position[source], position[target]] = margin
    shares = (in_chains(scores), in_trees(scores))
    rows = []
    for (source, target), alone, margin in zip(candidates, single, log_odds, strict=True):
        in_graph = source in position and target in position
        pair_shares = [float(share[position[source], position[target]]) if in_graph else 0.0 for share in shares]
        logs = [_log_odds(share) if in_graph else -9.0 for share in pair_shares]
        both = float(np.log(probability[source] * probability[target]))
        rows.append([_log_odds(alone), margin, pair_shares[0], logs[0], pair_shares[1], logs[1], both, float(in_graph)])
    return np.array(rows, np.float32).reshape(len(candidates), 8)


MIN_GRAPH_PROBABILITY = 0.4
MAX_GRAPH_TOOLS = 7
"""More tools have too many permutations."""


def in_chains(scores: Any) -> Any:
    """For each pair its share of the permutations of all tools, weighted by the scores of their links."""
    import numpy as np

    count = len(scores)
    shares = np.zeros((count, count))
    if count < 2:
        return shares
    orders = np.array(list(itertools.permutations(range(count))))
    totals = sum(scores[orders[:, index], orders[:, index + 1]] for index in range(count - 1))
    weights = np.exp(totals - totals.max())
    for index in range(count - 1):
        np.add.at(shares, (orders[:, index], orders[:, index + 1]), weights / weights.sum())
    return shares


def in_trees(scores: Any) -> Any:
    """For each pair its share of the directed spanning trees, by the matrix-tree theorem.

    As in Koo et al., "Structured prediction models via the matrix-tree theorem" (2007), with several roots.
    """
    import numpy as np

    count = len(scores)
    if count < 2:
        return np.zeros((count, count))
    weights = np.exp(np.clip(scores, -12, 12))
    np.fill_diagonal(weights, 0)
    inverse = np.linalg.inv(np.diag(weights.sum(0)) - weights + 0.05 * np.eye(count))
    shares = weights * (np.diag(inverse)[None, :] - inverse.T)
    np.fill_diagonal(shares, 0)
    return shares


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(clipped / (1 - clipped))


def margins(head: Mapping[str, Array], name: str, features: Array) -> Array:
    """The log odds by one of the heads: link, given (both tools are right) or graph."""
    scaled = (features - head[f"{name}.mean"]) / head[f"{name}.spread"]
    values: Array = scaled @ head[f"{name}.weight"][:-1] + head[f"{name}.weight"][-1]
    return values


def probabilities(head: Mapping[str, Array], name: str, features: Array) -> Array:
    import numpy as np

    values: Array = np.asarray(1 / (1 + np.exp(-margins(head, name, features))), np.float32)
    return values


def acyclic(
    candidates: Sequence[tuple[int, int]], probabilities: Sequence[float], tools: set[int], minimum: float
) -> list[tuple[int, int]]:
    """The links above `minimum` between the tools, likeliest first, without those that would close a cycle."""
    chosen: list[tuple[int, int]] = []
    for probability, (source, target) in sorted(
        zip(probabilities, candidates, strict=True), key=lambda item: (-item[0], item[1])
    ):
        if probability > minimum and {source, target} <= tools and not _is_reachable(chosen, target, source):
            chosen.append((source, target))
    return chosen


def _is_reachable(links: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether there is a path along the links from one tool to another."""
    seen, frontier = {start}, [start]
    while frontier:
        tool = frontier.pop()
        for source, target in links:
            if source == tool and target not in seen:
                seen.add(target)
                frontier.append(target)
    return end in seen
