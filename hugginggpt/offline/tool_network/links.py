"""Which of TaskBench's tools feed which: a probability for each pair, and the graph that is best by them.

Logistic regressions weigh what the network says of a pair against its rivals, how often such tools are linked,
types, what stands between the two in the text, and in how many of the likely chains and trees they are linked.
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

CONSIDERED = 0.12
"""Pairs of tools at least this probable are looked at."""
_KINDS = ("text", "image", "audio", "video", "")


def prior(links: Iterable[Iterable[tuple[int, int]]], tools: Sequence[Iterable[int]]) -> tuple[Any, Any]:
    """(links, occurrences together) of each pair of tools in labelled requests."""
    import numpy as np

    count = len(TOOLS)
    linked, together = np.zeros((count, count)), np.zeros((count, count))
    for pairs, own in zip(links, tools, strict=True):
        for source, target in pairs:
            linked[source, target] += 1
        places = list(own)
        together[np.ix_(places, places)] += 1
    return linked, together


def prior_odds(linked: Any, together: Any, weight: float = 2.0) -> Array:
    """The logarithm of the odds of each link, drawn towards what the two tools do elsewhere."""
    import numpy as np

    fits = _fits()
    alone = together - np.diag(np.diag(together))
    mean = linked[fits > 0].sum() / max(1.0, together[fits > 0].sum())
    giving = (linked.sum(1) + 1) / (alone.sum(1) + 4)
    taking = (linked.sum(0) + 1) / (alone.sum(0) + 4)
    drawn = 0.5 * np.where(fits > 0, mean, 0.02) + 0.5 * np.sqrt(giving[:, None] * taking) * np.where(fits > 0, 1, 0.1)
    chance = np.clip((linked + 2 * weight * drawn) / (together + 2 * weight), 0.005, 0.99)
    odds: Array = np.log(chance / (1 - chance)).astype(np.float32)
    return odds


def _fits() -> Any:
    """1 where what the first tool gives is something that the second one takes."""
    import numpy as np

    return np.array([[float(given in taken) for taken, _ in TOOLS.values()] for _, given in TOOLS.values()])


def pairs(tasks: Any, links: Any, places: Any, odds: Any) -> tuple[list[tuple[int, int]], Array]:
    """The pairs of tools that may be linked, and a row of features for each: float32 (pairs, features)."""
    import numpy as np

    chance = 1 / (1 + np.exp(-tasks))
    likely = [int(at) for at in np.where(chance > CONSIDERED)[0]]
    candidates = [(source, target) for source in likely for target in likely if source != target]
    view = _View(chance, likely, links + odds, places)
    rows = [view.features(source, target, tasks, links, odds) for source, target in candidates]
    return candidates, np.array(rows, np.float32).reshape(len(candidates), FEATURES)


FEATURES = 33


class _View:
    """A request's likely tools, to compare a pair with its rivals."""

    def __init__(self, chance: Any, likely: list[int], scores: Any, places: Any) -> None:
        import numpy as np

        self.chance, self.likely, self.scores, self.places = chance, likely, scores, places
        self.logs = np.log(chance + 1e-6)
        self.fits = _fits()
        self.kinds = [(taken, given) for taken, given in TOOLS.values()]

    def _sum(self, places: Iterable[int]) -> float:
        return float(sum(self.chance[at] for at in places))

    def features(self, source: int, target: int, tasks: Any, links: Any, odds: Any) -> list[float]:
        import numpy as np

        place, chance, likely, fits = self.places, self.chance, self.likely, self.fits
        later = place[target] - place[source]
        low, high = sorted((place[source], place[target]))
        others = [at for at in likely if at not in (source, target)]
        between = self._sum(at for at in others if low < place[at] < high)
        ahead = float(later > 0)
        score = self.scores[source, target]
        givers = np.logaddexp.reduce([self.scores[at, target] + self.logs[at] for at in likely if at != target])
        takers = np.logaddexp.reduce([self.scores[source, at] + self.logs[at] for at in likely if at != source])
        taken, given = self.kinds[target][0], self.kinds[source][1]
        return [
            self.logs[source], self.logs[target], tasks[source], tasks[target],
            links[source, target], links[target, source], odds[source, target], odds[target, source],
            np.tanh(5 * later), later, between, between * ahead, min(between, 1.0) * ahead, self._sum(likely),
            score - givers, score - takers, fits[source, target], fits[target, source],
            self._sum(at for at in others if place[at] < place[source]),
            self._sum(at for at in others if place[at] > place[target]),
            sum(chance[at] * fits[at, target] for at in others), sum(chance[at] * fits[source, at] for at in others),
            ahead * float(between < 0.4), 1 / max(0.1, self._sum(likely)), ahead,
            *(float(given == kind) for kind in _KINDS), *(float(kind in taken) for kind in _KINDS[:3]),
        ]  # fmt: skip


def link_chances(
    head: Mapping[str, Array], candidates: Sequence[tuple[int, int]], features: Array, tasks: Any
) -> Array:
    """The probability of each pair, by its features and by how it fits into a graph of all likely tools."""
    return chances(head, "graph", graph_features(head, candidates, features, tasks))


def graph_features(
    head: Mapping[str, Array], candidates: Sequence[tuple[int, int]], features: Array, tasks: Any
) -> Array:
    """Rows for the head "graph": the pair by itself, and its share of all chains and of all trees."""
    import numpy as np

    chance = 1 / (1 + np.exp(-tasks))
    tools = [int(at) for at in np.argsort(-chance) if chance[at] > IN_GRAPH][:MAX_IN_GRAPH]
    place = {tool: at for at, tool in enumerate(tools)}
    alone, given = chances(head, "link", features), margins(head, "given", features)
    scores = np.full((len(tools), len(tools)), -9.0)
    for (source, target), margin in zip(candidates, given, strict=True):
        if source in place and target in place:
            scores[place[source], place[target]] = margin
    shares = (in_chains(scores), in_trees(scores))
    rows = []
    for (source, target), likely, margin in zip(candidates, alone, given, strict=True):
        inside = source in place and target in place
        own = [float(share[place[source], place[target]]) if inside else 0.0 for share in shares]
        logs = [_odds(share) if inside else -9.0 for share in own]
        both = float(np.log(chance[source] * chance[target]))
        rows.append([_odds(likely), margin, own[0], logs[0], own[1], logs[1], both, float(inside)])
    return np.array(rows, np.float32).reshape(len(candidates), 8)


IN_GRAPH = 0.4
MAX_IN_GRAPH = 7
"""Of more tools than that there are too many orders to go through."""


def in_chains(scores: Any) -> Any:
    """For each pair the share of the orders of all tools (weighed by their links' scores) in which it is a link."""
    import numpy as np

    count = len(scores)
    shares = np.zeros((count, count))
    if count < 2:
        return shares
    orders = np.array(list(itertools.permutations(range(count))))
    totals = sum(scores[orders[:, at], orders[:, at + 1]] for at in range(count - 1))
    weights = np.exp(totals - totals.max())
    for at in range(count - 1):
        np.add.at(shares, (orders[:, at], orders[:, at + 1]), weights / weights.sum())
    return shares


def in_trees(scores: Any) -> Any:
    """For each pair the share of the directed trees in which it is a link, by the matrix-tree theorem.

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


def _odds(chance: float) -> float:
    kept = min(max(chance, 1e-4), 1 - 1e-4)
    return math.log(kept / (1 - kept))


def margins(head: Mapping[str, Array], name: str, features: Array) -> Array:
    """The logarithm of the odds by one of the heads: link, given (both tools are right) or graph."""
    scaled = (features - head[f"{name}.mean"]) / head[f"{name}.spread"]
    values: Array = scaled @ head[f"{name}.weight"][:-1] + head[f"{name}.weight"][-1]
    return values


def chances(head: Mapping[str, Array], name: str, features: Array) -> Array:
    import numpy as np

    values: Array = np.asarray(1 / (1 + np.exp(-margins(head, name, features))), np.float32)
    return values


def acyclic(
    candidates: Sequence[tuple[int, int]], chances: Sequence[float], tools: set[int], least: float
) -> list[tuple[int, int]]:
    """The links above `least` between the tools, the likeliest first, as long as there is no circle."""
    chosen: list[tuple[int, int]] = []
    for chance, (source, target) in sorted(zip(chances, candidates, strict=True), key=lambda item: (-item[0], item[1])):
        if chance > least and {source, target} <= tools and not _leads(chosen, target, source):
            chosen.append((source, target))
    return chosen


def _leads(links: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether one can go along the links from one tool to another."""
    seen, open_ = {start}, [start]
    while open_:
        at = open_.pop()
        for source, target in links:
            if source == at and target not in seen:
                seen.add(target)
                open_.append(target)
    return end in seen
