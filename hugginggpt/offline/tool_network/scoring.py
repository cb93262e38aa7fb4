"""Plans with TaskBench's tools: the learned network in NumPy, and the graph that it says.

`data/planner/tools.safetensors` holds the two upper layers of MiniLM as trained further, and the heads
(`network.py`, `links.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hugginggpt.experts.minilm import LAYERS, layer, lower_states, token_places
from hugginggpt.offline.heads import load
from hugginggpt.offline.tool_network.links import acyclic, link_chances, pairs
from hugginggpt.offline.tool_network.tools import EDITING, NAMES

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

FILE = "tools.safetensors"
MAX_TOKENS = 128
TRAINED_LAYERS = 2
LEAST_OF_ALL = 0.3
"""A request whose likeliest tool is less likely than that asks for none."""


@dataclass(frozen=True, slots=True)
class ToolGraph:
    """Tools with their probability in the order in which the request speaks of them, and links with theirs.

    `words` are those that a tool was told by most.
    """

    tools: dict[str, float]
    links: dict[tuple[str, str], float]
    words: dict[str, str]


def tool_graph(request: str, allowed: Collection[str]) -> ToolGraph | None:
    """What a request asks for among the allowed tasks; None without the weights or where nothing is likely."""
    head = load(FILE)
    if head is None or not request.strip():
        return None
    import numpy as np

    weights, _ = head
    tasks, links, places, attention = network_scores(
        weights, lower_states([request], LAYERS - TRAINED_LAYERS, MAX_TOKENS)[0]
    )
    usable = [name in allowed or (name == EDITING and "image-to-image" in allowed) for name in NAMES]
    tasks = np.where(usable, tasks, -20.0)
    chances = 1 / (1 + np.exp(-tasks))
    least = float(weights["least"][0])
    chosen = {int(at) for at in np.where(chances > least)[0]} or {int(chances.argmax())}
    if float(chances.max()) < LEAST_OF_ALL:
        return None
    candidates, features = pairs(tasks, links, places, weights["odds"])
    likely = link_chances(weights, candidates, features, tasks)
    kept = acyclic(candidates, likely.tolist(), chosen, float(weights["least"][1]))
    likelihood = dict(zip(candidates, likely.tolist(), strict=True))
    return ToolGraph(
        {NAMES[at]: float(chances[at]) for at in sorted(chosen, key=lambda at: float(places[at]))},
        {(NAMES[a], NAMES[b]): likelihood[a, b] for a, b in kept},
        {NAMES[at]: _words(request, attention[:, at]) for at in chosen},
    )


def _words(request: str, attention: Array, number: int = 3) -> str:
    """The words that got most of the attention, in their order."""
    places = token_places(request, MAX_TOKENS)
    best = [int(at) for at in attention.argsort()[::-1] if places[int(at)][1]][:number]
    words = {
        (match.start(), match[0])
        for match in re.finditer(r"\w+", request)
        for at in best
        if match.start() <= places[at][0] < match.end()
    }
    return ", ".join(dict.fromkeys(word for _, word in sorted(words)))


def network_scores(weights: dict[str, Array], states: Array) -> tuple[Any, Any, Any, Any]:
    """`Network.forward` for one request: scores of tasks and links, places, and attention (tokens, tools)."""
    import numpy as np

    hidden = states[None]
    for at in range(TRAINED_LAYERS):
        hidden = layer(weights, hidden, np.float32(0), f"layers.{at}.")
    tokens = hidden[0]
    attention = tokens @ weights["query"].T
    attention = np.exp(attention - attention.max(0))
    attention /= attention.sum(0)
    words = attention.T @ tokens
    tasks = (words * weights["weight"]).sum(1) + weights["whole"] @ tokens.mean(0) + weights["bias"]
    places = attention.T @ np.arange(len(tokens), dtype=np.float32) / len(tokens)
    later = places[None, :] - places[:, None]
    links = (words @ weights["source"]) @ (words @ weights["target"]).T / 5
    links = links + weights["source_name"] @ weights["target_name"].T + weights["prior"]
    order = weights["order"]
    return tasks, links + order[0] * np.tanh(4 * later) + order[1] * later + order[2], places, attention
