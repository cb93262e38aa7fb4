"""The training of the joint reader's upper layers (hugginggpt/experts/joint_reading.py), with torch on the processor.

For a question the sentences that answer it, those closest in meaning that do not, and "none of them" compete in a
softmax. The lower layers stay as they are, so their states are computed once.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hugginggpt.experts import minilm
from hugginggpt.experts.joint_reading import END, FIRST, QUESTION_TOKENS, START, windows

EPOCHS, RATE, DECAY, WARM, DROPOUT = 5, 2e-4, 0.01, 0.1, 0.1
CLOSEST, OTHERS, RIGHT = 6, 3, 2
"""The sentences of a question in a step: the closest wrong ones, others at random, and right ones at most."""


@dataclass(slots=True)
class Document:
    """A text as states of its sentences and questions, with the sentences that answer each question, and whether any
    does. `memory` is of shape (layers, sentences, tokens, 384), `asked` of (questions, tokens, 384)."""

    memory: Any
    memory_mask: Any
    asked: Any
    asked_mask: Any
    answers: list[list[int]]
    answerable: list[bool]
    closest: list[list[int]]


def document(
    sentences: Sequence[str], questions: Sequence[str], answers: list[list[int]], answerable: list[bool]
) -> Document:
    """The states of a text and its questions by the lower layers."""
    import torch

    states = []
    for tokens, places in windows(sentences):
        window = torch.stack([torch.from_numpy(state) for state in minilm.inner_states(tokens, FIRST)])
        states += [window[:, start:end].transpose(0, 1) for start, end in places]
    ids = [[START, *minilm.token_ids(question)[: QUESTION_TOKENS - 2], END] for question in questions]
    asked = [torch.from_numpy(minilm.inner_states(each, FIRST)[0]) for each in ids]
    vectors = torch.from_numpy(minilm.embed([*sentences, *questions]))
    near = vectors[len(sentences) :] @ vectors[: len(sentences)].T
    pad = torch.nn.utils.rnn.pad_sequence
    return Document(
        pad(states, batch_first=True).permute(2, 0, 1, 3), _mask(states), pad(asked, batch_first=True), _mask(asked),
        answers, answerable, near.argsort(1, descending=True).tolist(),
    )  # fmt: skip


def _mask(states: Sequence[Any]) -> Any:
    import torch

    return torch.nn.utils.rnn.pad_sequence([torch.ones(len(state)) for state in states], batch_first=True)


def train(seen: Sequence[Document], seed: int = 1) -> dict[str, Any]:
    """The weights of the upper layers, trained on some documents, as arrays."""
    import torch

    torch.manual_seed(seed)
    chance = random.Random(seed)  # noqa: S311
    upper = {name: torch.nn.Parameter(value) for name, value in _start(torch).items()}
    adam = torch.optim.AdamW(upper.values(), lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * len(seen)
    rate = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min(1.0, (step + 1) / (WARM * steps)) * max(0.02, 1 - step / steps)
    )
    for _ in range(EPOCHS):
        for each in chance.sample(seen, len(seen)):
            chosen = [_chosen(each, number, chance) for number in range(len(each.answers))]
            loss = _loss(upper, each, chosen)
            adam.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(upper.values(), 1.0)
            adam.step()
            rate.step()
    return {name: value.detach().numpy() for name, value in upper.items()}


def _start(torch: Any) -> dict[str, Any]:
    """The upper layers as the encoder has them, and the parts that are new."""
    layers = {
        f"encoder.layer.{index}.{name}": torch.from_numpy(value.copy(order="C"))
        for index in range(FIRST, minilm.LAYERS)
        for name, value in minilm.layer_weights(index).items()
    }
    return layers | {
        "kind": torch.zeros(minilm.WIDTH),
        "out.weight": 0.02 * torch.randn(1, minilm.WIDTH),
        "out.bias": torch.zeros(1),
    }


def _chosen(each: Document, number: int, chance: random.Random) -> list[int]:
    right = each.answers[number]
    wrong = [index for index in each.closest[number] if index not in right]
    others = wrong[CLOSEST:]
    return [*right[:RIGHT], *wrong[:CLOSEST], *chance.sample(others, min(OTHERS, len(others)))]


def _loss(upper: dict[str, Any], each: Document, chosen: Sequence[Sequence[int]]) -> Any:
    """The mean cross-entropy of the questions, without those whose answer is no sentence."""
    import torch

    asked = torch.tensor([number for number, indices in enumerate(chosen) for _ in indices])
    read = torch.tensor([index for indices in chosen for index in indices])
    with torch.autocast("cpu", torch.bfloat16):
        scores = scored(upper, each, asked, read, DROPOUT).float()
    losses = []
    for number, part in enumerate(scores.split([len(indices) for indices in chosen])):
        likely = torch.log_softmax(torch.cat([part, torch.zeros(1)]), 0)
        right = min(RIGHT, len(each.answers[number]))
        if right or not each.answerable[number]:
            losses.append(-likely[:right].logsumexp(0) if right else -likely[-1])
    return torch.stack(losses).sum() / len(chosen)


def scored(upper: dict[str, Any], each: Document, asked: Any, read: Any, dropout: float = 0.0) -> Any:
    """The scores of pairs of a question and a sentence (by number), as `Memory.scores` computes them."""
    import torch
    from torch.nn import functional as nn

    def linear(values: Any, name: str) -> Any:
        return nn.linear(values, upper[f"{name}.weight"], upper[f"{name}.bias"])

    def norm(values: Any, name: str) -> Any:
        return nn.layer_norm(values, (minilm.WIDTH,), upper[f"{name}.weight"], upper[f"{name}.bias"], 1e-12)

    def heads(values: Any, name: str) -> Any:
        return linear(values, name).unflatten(-1, (minilm.HEADS, -1)).transpose(-2, -3)

    hidden = each.asked[asked]
    bias = (1 - torch.cat([each.asked_mask[asked], each.memory_mask[read]], 1))[:, None, None, :] * -1e4
    for number, memory in enumerate(each.memory):
        prefix, memory = f"encoder.layer.{FIRST + number}.", memory + upper["kind"]
        keys, values = (
            torch.cat([heads(hidden, prefix + part), heads(memory, prefix + part)[read]], 2)
            for part in ("attention.self.key", "attention.self.value")
        )
        hidden = hidden[:, :1] if number == len(each.memory) - 1 else hidden
        queries = heads(hidden, f"{prefix}attention.self.query")
        weights = torch.softmax(queries @ keys.transpose(2, 3) / queries.shape[-1] ** 0.5 + bias, -1)
        mixed = linear((weights @ values).transpose(1, 2).flatten(2), f"{prefix}attention.output.dense")
        hidden = norm(hidden + nn.dropout(mixed, dropout), f"{prefix}attention.output.LayerNorm")
        inner = linear(nn.gelu(linear(hidden, f"{prefix}intermediate.dense")), f"{prefix}output.dense")
        hidden = norm(hidden + nn.dropout(inner, dropout), f"{prefix}output.LayerNorm")
    return nn.linear(nn.dropout(hidden[:, 0], dropout), upper["out.weight"], upper["out.bias"])[:, 0]


def save(upper: dict[str, Any], file: Path) -> None:
    """Writes the weights: matrices as int8 with scales, as minilm/ has them, the others as float16."""
    import numpy as np
    from safetensors.numpy import save_file

    stored: dict[str, Any] = {}
    for name, value in upper.items():
        if value.ndim == 2 and len(value) > 1:
            stored[name], stored[name + minilm.SCALES] = minilm.quantized(value)
        else:
            stored[name] = value.astype(np.float16)
    save_file(stored, file)
