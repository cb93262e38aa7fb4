"""Predicts a graph of TaskBench's tools with the trained network, in NumPy.

`data/planner/tools.safetensors` holds the two fine-tuned upper layers of MiniLM, and the heads
(`network.py`, `links.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hugginggpt.experts.minilm import LAYERS, layer, lower_states, token_offsets
from hugginggpt.offline.heads import load
from hugginggpt.offline.tool_network.links import acyclic, candidate_pairs, link_probabilities
from hugginggpt.offline.tool_network.tools import EDITING, NAMES

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

WEIGHTS_FILE = "tools.safetensors"
MAX_TOKENS = 128
TRAINED_LAYERS = 2
MIN_TOP_PROBABILITY = 0.3
"""A request whose likeliest tool is less probable than this asks for no tool."""


@dataclass(frozen=True, slots=True)
class ToolGraph:
    """Tools with their probabilities, in the order in which the request mentions them, and links with theirs.

    `words` are those with the most attention for each tool; `considered` are all usable tools with their probabilities,
    `best_rejected_link` is the probability of the likeliest link between its tools that it does not have.
    """

    tools: dict[str, float]
    links: dict[tuple[str, str], float]
    words: dict[str, str]
    considered: dict[str, float] = field(default_factory=dict)
    best_rejected_link: float = 0.0


def tool_graph(request: str, allowed: Collection[str]) -> ToolGraph | None:
    """The tools that a request asks for among the allowed tasks; None without the weights or a likely tool."""
    head = load(WEIGHTS_FILE)
    if head is None or not request.strip():
        return None
    import numpy as np

    weights, _ = head
    tasks, links, positions, attention = network_scores(
        weights, lower_states([request], LAYERS - TRAINED_LAYERS, MAX_TOKENS)[0]
    )
    usable = [name in allowed or (name == EDITING and "image-to-image" in allowed) for name in NAMES]
    graph = decided(weights, np.where(usable, tasks, -20.0), links, positions)
    if graph is None:
        return None
    return replace(
        graph,
        words={name: _words(request, attention[:, NAMES.index(name)]) for name in graph.tools},
        considered={name: graph.considered[name] for name, is_usable in zip(NAMES, usable, strict=True) if is_usable},
    )


def decided(weights: Mapping[str, Array], tasks: Any, links: Any, positions: Any) -> ToolGraph | None:
    """The graph that the network's scores of a request come to, without its words; None without a likely tool."""
    import numpy as np

    probabilities = 1 / (1 + np.exp(-tasks))
    threshold = float(weights["least"][0])
    chosen = {int(index) for index in np.where(probabilities > threshold)[0]} or {int(probabilities.argmax())}
    if float(probabilities.max()) < MIN_TOP_PROBABILITY:
        return None
    candidates, features = candidate_pairs(tasks, links, positions, weights["odds"])
    link_scores = link_probabilities(weights, candidates, features, tasks)
    chosen_links = acyclic(candidates, link_scores.tolist(), chosen, float(weights["least"][1]))
    by_link = dict(zip(candidates, link_scores.tolist(), strict=True))
    rejected = (score for pair, score in by_link.items() if chosen.issuperset(pair) and pair not in chosen_links)
    return ToolGraph(
        {
            NAMES[index]: float(probabilities[index])
            for index in sorted(chosen, key=lambda index: float(positions[index]))
        },
        {(NAMES[source], NAMES[target]): by_link[source, target] for source, target in chosen_links},
        {},
        dict(zip(NAMES, map(float, probabilities), strict=True)),
        max(rejected, default=0.0),
    )


def _words(request: str, attention: Array, count: int = 3) -> str:
    """The words with the most attention, in the order of the text."""
    offsets = token_offsets(request, MAX_TOKENS)
    top = [int(index) for index in attention.argsort()[::-1] if offsets[int(index)][1]][:count]
    words = {
        (match.start(), match[0])
        for match in re.finditer(r"\w+", request)
        for index in top
        if match.start() <= offsets[index][0] < match.end()
    }
    return ", ".join(dict.fromkeys(word for _, word in sorted(words)))


def network_scores(weights: dict[str, Array], states: Array) -> tuple[Any, Any, Any, Any]:
    """`Network.forward` for one request: scores of tasks and links, positions, and attention (tokens, tools)."""
    import numpy as np

    hidden = states[None]
    for index in range(TRAINED_LAYERS):
        hidden = layer(weights, hidden, np.float32(0), f"layers.{index}.")
    tokens = hidden[0]
    attention = tokens @ weights["query"].T
    attention = np.exp(attention - attention.max(0))
    attention /= attention.sum(0)
    words = attention.T @ tokens
    tasks = (words * weights["weight"]).sum(1) + weights["whole"] @ tokens.mean(0) + weights["bias"]
    positions = attention.T @ np.arange(len(tokens), dtype=np.float32) / len(tokens)
    distance = positions[None, :] - positions[:, None]
    links = (words @ weights["source"]) @ (words @ weights["target"]).T / 5
    links = links + weights["source_name"] @ weights["target_name"].T + weights["prior"]
    order = weights["order"]
    return tasks, links + order[0] * np.tanh(4 * distance) + order[1] * distance + order[2], positions, attention
