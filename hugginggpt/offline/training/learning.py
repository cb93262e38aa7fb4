"""Trains the network that plans with TaskBench's tools, and the heads that score its links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hugginggpt.core.tasks import default_table
from hugginggpt.experts.minilm import LAYERS, embed, lower_states
from hugginggpt.offline.tool_network.links import (
    candidate_pairs,
    graph_features,
    link_counts,
    prior_log_odds,
    probabilities,
)
from hugginggpt.offline.tool_network.network import EPOCHS, Examples, scores, tensors, train_network
from hugginggpt.offline.tool_network.scoring import MAX_TOKENS, TRAINED_LAYERS
from hugginggpt.offline.tool_network.tools import DESCRIPTIONS, NAMES
from hugginggpt.offline.training.fitting import fit_logistic
from hugginggpt.offline.training.labelled import Labelled

FOLDS = 3
PENALTY = 3.0
"""The L2 penalty of the link heads."""

LINK_THRESHOLDS = [at / 100 for at in range(14, 50, 2)]
TASK_THRESHOLDS = [at / 100 for at in range(24, 60, 2)]


def examples(data: Sequence[Labelled]) -> Examples:
    """The requests as inputs and targets of the network."""
    states = [
        torch.tensor(state)
        for state in lower_states([row.request for row in data], LAYERS - TRAINED_LAYERS, MAX_TOKENS)
    ]
    tasks = torch.zeros(len(data), len(NAMES))
    links = torch.zeros(len(data), len(NAMES), len(NAMES))
    for index, row in enumerate(data):
        tasks[index, list(row.tools)] = 1
        for source, target in row.links:
            links[index, source, target] = 1
    return Examples(states, tasks, links)


def task_descriptions() -> Tensor:
    """The descriptions of the tools as sentence vectors."""
    table = default_table()
    return torch.tensor(embed([DESCRIPTIONS.get(name) or table[name].about for name in NAMES]))


def fold_assignment(count: int, seed: int) -> list[int]:
    """The fold of each example, assigned at random."""
    shuffled = torch.randperm(count, generator=torch.Generator().manual_seed(seed)).tolist()
    return [position % FOLDS for position in shuffled]


def cross_scores(
    data: Examples, descriptions: Tensor, seed: int, fold: int, epochs: int = EPOCHS
) -> dict[int, tuple[Any, Any, Any]]:
    """The scores of the examples of a fold, from a network trained on the other folds."""
    folds = fold_assignment(len(data.states), seed)
    train_indices = [index for index, assigned in enumerate(folds) if assigned != fold]
    test_indices = [index for index, assigned in enumerate(folds) if assigned == fold]
    network = train_network(data.pick(train_indices), descriptions, seed, epochs)
    return dict(zip(test_indices, scores(network, [data.states[index] for index in test_indices]), strict=True))


def learn_weights(
    data: Sequence[Labelled], seed: int, epochs: int = EPOCHS
) -> tuple[dict[str, Any], dict[int, tuple[Any, Any, Any]]]:
    """All weights of `tools.safetensors`, and the cross-validated scores on which the heads are trained."""
    training_examples, descriptions = examples(data), task_descriptions()
    held_out: dict[int, tuple[Any, Any, Any]] = {}
    for fold in range(FOLDS):
        held_out |= cross_scores(training_examples, descriptions, seed, fold, epochs)
    network = train_network(training_examples, descriptions, seed, epochs)
    return {**tensors(network), **learn_heads(data, held_out)}, held_out


def learn_heads(data: Sequence[Labelled], held_out: Mapping[int, tuple[Any, Any, Any]]) -> dict[str, Any]:
    """The link heads, the log odds of links, and the best thresholds for the probabilities of tasks and links."""
    linked, together = link_counts([row.links for row in data], [row.tools for row in data])
    examples = []
    for index, (tasks, links, positions) in sorted(held_out.items()):
        own_links, own_pairs = link_counts([data[index].links], [data[index].tools])
        examples.append(
            (index, *candidate_pairs(tasks, links, positions, prior_log_odds(linked - own_links, together - own_pairs)))
        )
    features = np.concatenate([rows for _, _, rows in examples])
    labels = np.array([pair in data[index].links for index, pairs, _ in examples for pair in pairs], float)
    tools_are_gold = np.array([data[index].tools.issuperset(pair) for index, pairs, _ in examples for pair in pairs])
    head = {
        **fit_logistic("link", features, labels, PENALTY),
        **fit_logistic("given", features[tools_are_gold], labels[tools_are_gold], PENALTY),
    }
    graphs = [graph_features(head, pairs, rows, held_out[index][0]) for index, pairs, rows in examples]
    head |= fit_logistic("graph", np.concatenate(graphs), labels, PENALTY)
    link_scores = [
        (index, pairs, probabilities(head, "graph", rows))
        for (index, pairs, _), rows in zip(examples, graphs, strict=True)
    ]
    thresholds = [_best_task_threshold(data, held_out), _best_link_threshold(data, link_scores)]
    return {**head, "odds": prior_log_odds(linked, together), "least": np.array(thresholds)}


def _best_task_threshold(data: Sequence[Labelled], held_out: Mapping[int, tuple[Any, Any, Any]]) -> float:
    """The threshold on the probability of tasks with the best micro F1."""
    probability = np.array([1 / (1 + np.exp(-held_out[index][0])) for index in sorted(held_out)])
    gold = np.array([[tool in data[index].tools for tool in range(len(NAMES))] for index in sorted(held_out)])
    return max(
        TASK_THRESHOLDS,
        key=lambda threshold: _f1(
            int((gold & (probability > threshold)).sum()), int((probability > threshold).sum()), int(gold.sum())
        ),
    )


def _best_link_threshold(data: Sequence[Labelled], link_scores: Sequence[tuple[int, Any, Any]]) -> float:
    """The threshold on the probability of links with the best micro F1."""
    gold = sum(len(data[index].links) for index, _, _ in link_scores)

    def quality(threshold: float) -> float:
        hits = predicted = 0
        for index, pairs, probability in link_scores:
            chosen = [pair for pair, score in zip(pairs, probability, strict=True) if score > threshold]
            predicted += len(chosen)
            hits += len(data[index].links.intersection(chosen))
        return _f1(hits, predicted, gold)

    return max(LINK_THRESHOLDS, key=quality)


def _f1(hits: int, predicted: int, gold: int) -> float:
    return 2 * hits / max(1, predicted + gold)
