"""How the network that plans with TaskBench's tools is learned, and the head that weighs its links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hugginggpt.core.tasks import default_table
from hugginggpt.experts.minilm import LAYERS, embed, lower_states
from hugginggpt.offline.tool_network.links import chances, graph_features, pairs, prior, prior_odds
from hugginggpt.offline.tool_network.network import EPOCHS, Examples, scores, tensors, train_network
from hugginggpt.offline.tool_network.scoring import MAX_TOKENS, TRAINED_LAYERS
from hugginggpt.offline.tool_network.tools import ABOUT, NAMES
from hugginggpt.offline.training.labelled import Labelled

FOLDS = 3
PENALTY = 3.0
"""Of the squared weights of the heads for links."""

LINK_STEPS = [at / 100 for at in range(14, 50, 2)]
TASK_STEPS = [at / 100 for at in range(24, 60, 2)]


def examples(data: Sequence[Labelled]) -> Examples:
    """The requests as the network reads them."""
    states = [
        torch.tensor(state)
        for state in lower_states([row.request for row in data], LAYERS - TRAINED_LAYERS, MAX_TOKENS)
    ]
    tasks = torch.zeros(len(data), len(NAMES))
    links = torch.zeros(len(data), len(NAMES), len(NAMES))
    for at, row in enumerate(data):
        tasks[at, list(row.tools)] = 1
        for source, target in row.links:
            links[at, source, target] = 1
    return Examples(states, tasks, links)


def about() -> Tensor:
    """What each tool does, as sentence vectors."""
    table = default_table()
    return torch.tensor(embed([ABOUT.get(name) or table[name].about for name in NAMES]))


def fold_of(count: int, seed: int) -> list[int]:
    """The fold of each example."""
    mixed = torch.randperm(count, generator=torch.Generator().manual_seed(seed)).tolist()
    return [place % FOLDS for place in mixed]


def fold_scores(
    data: Examples, described: Tensor, seed: int, fold: int, epochs: int = EPOCHS
) -> dict[int, tuple[Any, Any, Any]]:
    """The scores of the examples of a fold by a network that has not seen them."""
    folds = fold_of(len(data.states), seed)
    seen = [at for at, own in enumerate(folds) if own != fold]
    unseen = [at for at, own in enumerate(folds) if own == fold]
    network = train_network(data.pick(seen), described, seed, epochs)
    return dict(zip(unseen, scores(network, [data.states[at] for at in unseen]), strict=True))


def learn(data: Sequence[Labelled], seed: int, epochs: int = EPOCHS) -> dict[str, Any]:
    """All weights of `tools.safetensors`; what the heads learn from was said by networks that had not seen it."""
    known, described = examples(data), about()
    unseen: dict[int, tuple[Any, Any, Any]] = {}
    for fold in range(FOLDS):
        unseen |= fold_scores(known, described, seed, fold, epochs)
    network = train_network(known, described, seed, epochs)
    return {**tensors(network), **heads(data, unseen)}


def heads(data: Sequence[Labelled], unseen: Mapping[int, tuple[Any, Any, Any]]) -> dict[str, Any]:
    """The heads for links, how often tools are linked, and the least probabilities (tasks, links) that serve best."""
    linked, together = prior([row.links for row in data], [row.tools for row in data])
    examples = []
    for at, (tasks, links, places) in sorted(unseen.items()):
        own, with_own = prior([data[at].links], [data[at].tools])
        examples.append((at, *pairs(tasks, links, places, prior_odds(linked - own, together - with_own))))
    features = np.concatenate([rows for _, _, rows in examples])
    labels = np.array([pair in data[at].links for at, pairs_, _ in examples for pair in pairs_], float)
    both = np.array([data[at].tools.issuperset(pair) for at, pairs_, _ in examples for pair in pairs_])
    head = {**fit("link", features, labels), **fit("given", features[both], labels[both])}
    graphs = [graph_features(head, pairs_, rows, unseen[at][0]) for at, pairs_, rows in examples]
    head |= fit("graph", np.concatenate(graphs), labels)
    likely = [
        (at, pairs_, chances(head, "graph", rows)) for (at, pairs_, _), rows in zip(examples, graphs, strict=True)
    ]
    least = [_best_least(data, unseen), _best_link_least(data, likely)]
    return {**head, "odds": prior_odds(linked, together), "least": np.array(least)}


def fit(name: str, features: Any, labels: Any) -> dict[str, Any]:
    """The weights of a head (the bias last) over standardised features, and how these are standardised."""
    from sklearn.linear_model import LogisticRegression

    mean, spread = features.mean(0), features.std(0) + 1e-3
    model = LogisticRegression(C=1 / PENALTY, tol=1e-5, max_iter=500).fit((features - mean) / spread, labels)
    return {
        f"{name}.weight": np.append(model.coef_[0], model.intercept_),
        f"{name}.mean": mean,
        f"{name}.spread": spread,
    }


def _best_least(data: Sequence[Labelled], unseen: Mapping[int, tuple[Any, Any, Any]]) -> float:
    """The probability above which tasks are best taken, by micro F1."""
    chance = np.array([1 / (1 + np.exp(-unseen[at][0])) for at in sorted(unseen)])
    right = np.array([[name in data[at].tools for name in range(len(NAMES))] for at in sorted(unseen)])
    return max(
        TASK_STEPS,
        key=lambda least: _f1(int((right & (chance > least)).sum()), int((chance > least).sum()), int(right.sum())),
    )


def _best_link_least(data: Sequence[Labelled], found: Sequence[tuple[int, Any, Any]]) -> float:
    """The probability above which links are best taken, by micro F1."""
    gold = sum(len(data[at].links) for at, _, _ in found)

    def quality(least: float) -> float:
        hits = taken = 0
        for at, pairs_, chance in found:
            kept = [pair for pair, likely in zip(pairs_, chance, strict=True) if likely > least]
            taken += len(kept)
            hits += len(data[at].links.intersection(kept))
        return _f1(hits, taken, gold)

    return max(LINK_STEPS, key=quality)


def _f1(hits: int, taken: int, gold: int) -> float:
    return 2 * hits / max(1, taken + gold)
