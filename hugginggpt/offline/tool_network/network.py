"""The network that tells TaskBench's tasks and links, in torch: what `train.py` trains and `tools.py` runs in NumPy.

The two upper layers of MiniLM are trained further on the labelled requests. For each task an attention over the
tokens (label attention, arXiv 1802.05695) finds the words that speak of it: what they say gives the task's score,
where they stand its place in the order. Two tasks' words together give the score of a link.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from hugginggpt.experts.minilm import HEADS, LAYERS, WIDTH, layer_weights
from hugginggpt.offline.tool_network.scoring import TRAINED_LAYERS

PAIR_WIDTH, NAME_WIDTH = 32, 16
BATCH, EPOCHS = 16, 8
RATE, HEAD_RATE, DROPOUT, DECAY = 2e-4, 2e-3, 0.1, 0.01
LINK_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Examples:
    """Requests as hidden states (tokens, 384), with the tasks (23) and links (23, 23) that are right for each."""

    states: Sequence[Tensor]
    tasks: Tensor
    links: Tensor

    def pick(self, places: Sequence[int]) -> Examples:
        return Examples([self.states[at] for at in places], self.tasks[list(places)], self.links[list(places)])


class _Layer(nn.Module):
    def __init__(self, at: int) -> None:
        super().__init__()
        for name, value in layer_weights(at).items():
            self.register_parameter(name.replace(".", "_"), nn.Parameter(torch.tensor(value)))

    def _linear(self, values: Tensor, name: str) -> Tensor:
        return fn.linear(values, self.get_parameter(f"{name}_weight"), self.get_parameter(f"{name}_bias"))

    def _norm(self, values: Tensor, name: str) -> Tensor:
        weight, bias = self.get_parameter(f"{name}_weight"), self.get_parameter(f"{name}_bias")
        return fn.layer_norm(values, (WIDTH,), weight, bias, 1e-12)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        texts, tokens, _ = hidden.shape
        query, key, value = (
            self._linear(hidden, f"attention_self_{part}").view(texts, tokens, HEADS, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        drop = DROPOUT if self.training else 0.0
        attended = fn.scaled_dot_product_attention(query, key, value, mask[:, None, None, :].bool(), dropout_p=drop)
        attended = self._linear(attended.transpose(1, 2).reshape(texts, tokens, WIDTH), "attention_output_dense")
        hidden = self._norm(hidden + fn.dropout(attended, drop), "attention_output_LayerNorm")
        inner = self._linear(fn.gelu(self._linear(hidden, "intermediate_dense")), "output_dense")
        return self._norm(hidden + fn.dropout(inner, drop), "output_LayerNorm")


class Network(nn.Module):
    """`about` are the tasks' descriptions as sentence vectors, which the attention starts from."""

    def __init__(self, about: Tensor) -> None:
        super().__init__()
        count = len(about)
        self.layers = nn.ModuleList(_Layer(at) for at in range(LAYERS - TRAINED_LAYERS, LAYERS))
        self.query = nn.Parameter(about.clone())
        self.weight = nn.Parameter(about.clone())
        self.whole = nn.Parameter(torch.zeros(count, WIDTH))
        self.bias = nn.Parameter(torch.full((count,), -2.0))
        self.source = nn.Parameter(torch.randn(WIDTH, PAIR_WIDTH) * 0.05)
        self.target = nn.Parameter(torch.randn(WIDTH, PAIR_WIDTH) * 0.05)
        self.source_name = nn.Parameter(torch.randn(count, NAME_WIDTH) * 0.1)
        self.target_name = nn.Parameter(torch.randn(count, NAME_WIDTH) * 0.1)
        self.prior = nn.Parameter(torch.zeros(count, count))
        self.order = nn.Parameter(torch.tensor([1.0, 1.0, -1.0]))

    def forward(self, hidden: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Scores of tasks (texts, 23) and of links (texts, 23, 23), and each task's place, from 0 to 1."""
        for block in self.layers:
            hidden = block(hidden, mask)
        hidden = fn.dropout(hidden, DROPOUT, self.training)
        attention = (hidden @ self.query.T).masked_fill(mask[..., None] == 0, -1e9).softmax(1)
        words = attention.transpose(1, 2) @ hidden
        lengths = mask.sum(1, keepdim=True)
        mean = (hidden * mask[..., None]).sum(1) / lengths
        tasks = (words * self.weight).sum(-1) + mean @ self.whole.T + self.bias
        places = (attention * torch.arange(hidden.shape[1])[None, :, None]).sum(1) / lengths
        later = places[:, None, :] - places[:, :, None]
        links = torch.einsum("bsk,btk->bst", words @ self.source, words @ self.target) / 5
        links = links + self.source_name @ self.target_name.T + self.prior
        links = links + self.order[0] * torch.tanh(4 * later) + self.order[1] * later + self.order[2]
        return tasks, links, places


def train_network(examples: Examples, about: Tensor, seed: int, epochs: int = EPOCHS) -> Network:
    """The network after some rounds over the examples; the same seed gives the same weights."""
    torch.manual_seed(seed)
    network = Network(about)
    body = list(network.layers.parameters())
    head = [value for name, value in network.named_parameters() if not name.startswith("layers")]
    groups = [{"params": body, "lr": RATE}, {"params": head, "lr": HEAD_RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=DECAY)
    steps = epochs * math.ceil(len(examples.states) / BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (steps * 0.1)) * max(0.0, 1 - step / steps)
    )
    chance = torch.Generator().manual_seed(seed)
    for _ in range(epochs):
        network.train()
        for places in _batches(examples, chance):
            optimizer.zero_grad()
            _loss(network, examples.pick(places)).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return network.eval()


def _batches(examples: Examples, chance: torch.Generator) -> list[list[int]]:
    """All places in batches of about equal lengths, which saves half of the time, in random order."""
    mixed = torch.randperm(len(examples.states), generator=chance).tolist()
    batches: list[list[int]] = []
    for at in range(0, len(mixed), BATCH * 8):
        near = sorted(mixed[at : at + BATCH * 8], key=lambda place: len(examples.states[place]))
        batches += [near[k : k + BATCH] for k in range(0, len(near), BATCH)]
    return [batches[at] for at in torch.randperm(len(batches), generator=chance).tolist()]


def _loss(network: Network, batch: Examples) -> Tensor:
    """Cross-entropy of the tasks, and of the links between the tasks that are right."""
    tasks, links, _ = network(*padded(batch.states))
    both = batch.tasks[:, :, None] * batch.tasks[:, None, :] * (1 - torch.eye(batch.tasks.shape[1]))
    wrong = fn.binary_cross_entropy_with_logits(links, batch.links, reduction="none") * both
    named = fn.binary_cross_entropy_with_logits(tasks, batch.tasks, reduction="sum")
    return (named + LINK_WEIGHT * wrong.sum()) / len(batch.states)


def padded(states: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """(states, mask) of a batch."""
    hidden = nn.utils.rnn.pad_sequence(list(states), batch_first=True)
    mask = nn.utils.rnn.pad_sequence([torch.ones(len(state)) for state in states], batch_first=True)
    return hidden, mask


def scores(network: Network, states: Sequence[Tensor]) -> list[tuple[Any, Any, Any]]:
    """(tasks, links, places) of each request, as NumPy arrays."""
    scored = []
    with torch.no_grad():
        for state in states:
            tasks, links, places = network(*padded([state]))
            scored.append((tasks[0].numpy(), links[0].numpy(), places[0].numpy()))
    return scored


def tensors(network: Network) -> dict[str, Any]:
    """The weights under the names that the NumPy version reads."""
    named = {name: value.detach().numpy() for name, value in network.named_parameters()}
    weights = {name: value for name, value in named.items() if not name.startswith("layers.")}
    for at in range(TRAINED_LAYERS):
        for name in layer_weights(LAYERS - TRAINED_LAYERS + at):
            weights[f"layers.{at}.{name}"] = named[f"layers.{at}.{name.replace('.', '_')}"]
    return {name: np.asarray(value) for name, value in weights.items()}
