"""How the network that plans with TaskBench's tools is learned, and the head that weighs its links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from hugginggpt.experts.minilm import LAYERS, embed, lower_states
from hugginggpt.offline.labelled import Labelled, read_labelled
from hugginggpt.offline.network import TRAINED_LAYERS, Examples, scores, tensors, train_network
from hugginggpt.offline.tools import ABOUT, NAMES
from hugginggpt.tasks import TASKS

FOLDS = 3
MAX_TOKENS = 128

__all__ = ["about", "examples", "fold_scores", "read_labelled", "tensors", "train_network"]


def examples(data: Sequence[Labelled]) -> Examples:
    """The requests as the network reads them."""
    states = [torch.tensor(state) for state in lower_states([row.request for row in data], LAYERS - TRAINED_LAYERS, MAX_TOKENS)]
    tasks = torch.zeros(len(data), len(NAMES))
    links = torch.zeros(len(data), len(NAMES), len(NAMES))
    for at, row in enumerate(data):
        tasks[at, list(row.tools)] = 1
        for source, target in row.links:
            links[at, source, target] = 1
    return Examples(states, tasks, links)


def about() -> Tensor:
    """What each tool does, as sentence vectors."""
    return torch.tensor(embed([ABOUT.get(name) or TASKS[name].about for name in NAMES]))


def fold_of(count: int, seed: int) -> list[int]:
    """The fold of each example."""
    mixed = torch.randperm(count, generator=torch.Generator().manual_seed(seed)).tolist()
    return [place % FOLDS for place in mixed]


def fold_scores(data: Examples, described: Tensor, seed: int, fold: int) -> dict[int, tuple[Any, Any, Any]]:
    """The scores of the examples of a fold by a network that has not seen them."""
    folds = fold_of(len(data.states), seed)
    seen = [at for at, own in enumerate(folds) if own != fold]
    unseen = [at for at, own in enumerate(folds) if own == fold]
    network = train_network(data.pick(seen), described, seed)
    return dict(zip(unseen, scores(network, [data.states[at] for at in unseen]), strict=True))
