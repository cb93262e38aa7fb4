"""The network that predicts TaskBench's tasks and links, in torch for training; `scoring.py` runs it in NumPy.

The two upper layers of MiniLM are fine-tuned on the labelled requests. For each task an attention over the tokens
(label attention, arXiv 1802.05695) selects the words about it: their content gives the task's score, their position
the task's place in the order. The words of two tasks together give the score of a link.
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
LEARNING_RATE, HEAD_LEARNING_RATE, DROPOUT, WEIGHT_DECAY = 2e-4, 2e-3, 0.1, 0.01
LINK_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Examples:
    """Requests as hidden states (tokens, 384), with their gold tasks (23) and links (23, 23)."""

    states: Sequence[Tensor]
    tasks: Tensor
    links: Tensor

    def pick(self, indices: Sequence[int]) -> Examples:
        return Examples([self.states[index] for index in indices], self.tasks[list(indices)], self.links[list(indices)])


class _Layer(nn.Module):
    def __init__(self, index: int) -> None:
        super().__init__()
        for name, value in layer_weights(index).items():
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
    """`descriptions` are sentence vectors of the tasks' descriptions, from which the attention is initialised."""

    def __init__(self, descriptions: Tensor) -> None:
        super().__init__()
        count = len(descriptions)
        self.layers = nn.ModuleList(_Layer(index) for index in range(LAYERS - TRAINED_LAYERS, LAYERS))
        self.query = nn.Parameter(descriptions.clone())
        self.weight = nn.Parameter(descriptions.clone())
        self.whole = nn.Parameter(torch.zeros(count, WIDTH))
        self.bias = nn.Parameter(torch.full((count,), -2.0))
        self.source = nn.Parameter(torch.randn(WIDTH, PAIR_WIDTH) * 0.05)
        self.target = nn.Parameter(torch.randn(WIDTH, PAIR_WIDTH) * 0.05)
        self.source_name = nn.Parameter(torch.randn(count, NAME_WIDTH) * 0.1)
        self.target_name = nn.Parameter(torch.randn(count, NAME_WIDTH) * 0.1)
        self.prior = nn.Parameter(torch.zeros(count, count))
        self.order = nn.Parameter(torch.tensor([1.0, 1.0, -1.0]))

    def forward(self, hidden: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Scores of tasks (texts, 23) and links (texts, 23, 23), and the tasks' positions in the text, 0 to 1."""
        for block in self.layers:
            hidden = block(hidden, mask)
        hidden = fn.dropout(hidden, DROPOUT, self.training)
        attention = (hidden @ self.query.T).masked_fill(mask[..., None] == 0, -1e9).softmax(1)
        words = attention.transpose(1, 2) @ hidden
        lengths = mask.sum(1, keepdim=True)
        mean = (hidden * mask[..., None]).sum(1) / lengths
        tasks = (words * self.weight).sum(-1) + mean @ self.whole.T + self.bias
        positions = (attention * torch.arange(hidden.shape[1])[None, :, None]).sum(1) / lengths
        distance = positions[:, None, :] - positions[:, :, None]
        links = torch.einsum("bsk,btk->bst", words @ self.source, words @ self.target) / 5
        links = links + self.source_name @ self.target_name.T + self.prior
        links = links + self.order[0] * torch.tanh(4 * distance) + self.order[1] * distance + self.order[2]
        return tasks, links, positions


def train_network(examples: Examples, descriptions: Tensor, seed: int, epochs: int = EPOCHS) -> Network:
    """The network trained for `epochs`; the same seed gives the same weights."""
    torch.manual_seed(seed)
    network = Network(descriptions)
    body = list(network.layers.parameters())
    head = [value for name, value in network.named_parameters() if not name.startswith("layers")]
    groups = [{"params": body, "lr": LEARNING_RATE}, {"params": head, "lr": HEAD_LEARNING_RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=WEIGHT_DECAY)
    steps = epochs * math.ceil(len(examples.states) / BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (steps * 0.1)) * max(0.0, 1 - step / steps)
    )
    generator = torch.Generator().manual_seed(seed)
    for _ in range(epochs):
        network.train()
        for batch in _batches(examples, generator):
            optimizer.zero_grad()
            _loss(network, examples.pick(batch)).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return network.eval()


def _batches(examples: Examples, generator: torch.Generator) -> list[list[int]]:
    """The indices of all examples in batches of similar length, which halves the time, in random order."""
    shuffled = torch.randperm(len(examples.states), generator=generator).tolist()
    batches: list[list[int]] = []
    for start in range(0, len(shuffled), BATCH * 8):
        group = sorted(shuffled[start : start + BATCH * 8], key=lambda index: len(examples.states[index]))
        batches += [group[k : k + BATCH] for k in range(0, len(group), BATCH)]
    return [batches[start] for start in torch.randperm(len(batches), generator=generator).tolist()]


def _loss(network: Network, batch: Examples) -> Tensor:
    """Cross-entropy of the tasks, and of the links between gold tasks."""
    tasks, links, _ = network(*padded(batch.states))
    is_pair = batch.tasks[:, :, None] * batch.tasks[:, None, :] * (1 - torch.eye(batch.tasks.shape[1]))
    link_loss = fn.binary_cross_entropy_with_logits(links, batch.links, reduction="none") * is_pair
    task_loss = fn.binary_cross_entropy_with_logits(tasks, batch.tasks, reduction="sum")
    return (task_loss + LINK_WEIGHT * link_loss.sum()) / len(batch.states)


def padded(states: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """(states, mask) of a batch."""
    hidden = nn.utils.rnn.pad_sequence(list(states), batch_first=True)
    mask = nn.utils.rnn.pad_sequence([torch.ones(len(state)) for state in states], batch_first=True)
    return hidden, mask


def scores(network: Network, states: Sequence[Tensor]) -> list[tuple[Any, Any, Any]]:
    """(tasks, links, positions) of each request, as NumPy arrays."""
    scored = []
    with torch.no_grad():
        for state in states:
            tasks, links, positions = network(*padded([state]))
            scored.append((tasks[0].numpy(), links[0].numpy(), positions[0].numpy()))
    return scored


def tensors(network: Network) -> dict[str, Any]:
    """The weights under the names that the NumPy version reads."""
    named = {name: value.detach().numpy() for name, value in network.named_parameters()}
    weights = {name: value for name, value in named.items() if not name.startswith("layers.")}
    for index in range(TRAINED_LAYERS):
        for name in layer_weights(LAYERS - TRAINED_LAYERS + index):
            weights[f"layers.{index}.{name}"] = named[f"layers.{index}.{name.replace('.', '_')}"]
    return {name: np.asarray(value) for name, value in weights.items()}
