"""How sure the offline planner is of a plan: the probability that it is right, calibrated on requests kept back.

What was seen while planning (`signals`) goes through a logistic regression, one for plans of TaskBench's tools by the
network and one for those read clause by clause, trained by `hugginggpt.offline.training.calibration`. From a
threshold on, at least 97 % of the plans kept back were right, which says nothing of requests unlike those: what the words
of a request leave over is looked for apart (`open_words.py`). Without the weights nothing is sure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hugginggpt.offline.heads import load
from hugginggpt.offline.languages.reading import ForeignRequest
from hugginggpt.offline.outline import Outline
from hugginggpt.offline.small_talk import small_talk_scores
from hugginggpt.offline.tool_network.scoring import ToolGraph

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

WEIGHTS_FILE = "confidence.safetensors"
FAMILIES = ("network", "clauses", "foreign", "talk")
"""The ways of planning that are calibrated."""
NO_INTENT = 0.5
"""The share that stands for those of clauses where none has a task of its own, as in a question about objects alone."""


def confidence(signals: Mapping[str, float]) -> tuple[float, float]:
    """(the probability that a plan with these signals is right, the threshold from which it is sure); 0 and 1 of a plan
    that says nothing of itself, and without the weights.
    """
    family = next((family for family in FAMILIES if f"{family} sum" in signals), "")
    head = load(WEIGHTS_FILE) if family else None
    if head is None:
        return 0.0, 1.0
    weights, known = head
    if family not in known:
        return 0.0, 1.0
    values = [signals[name] for name in sorted(signals)]
    return chance(weights, family, values), float(weights[f"{family}.threshold"][0])


def chance(weights: Mapping[str, Array], family: str, values: Sequence[float]) -> float:
    """The probability that a plan of a family is right; `values` are its signals in the order of their names."""
    mean, spread, weight = (weights[f"{family}.{part}"] for part in ("mean", "spread", "weight"))
    margin = float(weight[-1] + ((values - mean) / spread * weight[:-1]).sum())
    return 1 / (1 + math.exp(-margin))


def network_signals(graph: ToolGraph, request: str) -> dict[str, float]:
    """The signals of a plan by the network."""
    tools, links = list(graph.tools.values()), list(graph.links.values())
    rejected = [score for name, score in graph.considered.items() if name not in graph.tools]
    logs = [_log_odds(score) for score in tools] + [-_log_odds(score) for score in rejected]
    return {
        "network worst tool": _log_odds(min(tools)),
        "network best rejected tool": _log_odds(max(rejected, default=0.0)),
        "network worst link": _log_odds(min(links, default=0.999)),
        "network best rejected link": _log_odds(graph.best_rejected_link),
        "network sum": sum(math.log1p(math.exp(-odds)) for odds in logs),
        "network tools": float(len(tools)),
        "network links": float(len(links)),
        "network words": math.log1p(_words(request)),
    }


def clause_signals(outline: Outline, clauses: int) -> dict[str, float]:
    """The signals of a plan that was read clause by clause."""
    reading, bare = outline.reading, _words(outline.request.bare_words)
    shares = [intent.share for intent in reading.intents] or [NO_INTENT]
    claimed = sum(_words(intent.clause.text) for intent in reading.intents)
    return {
        "clauses worst share": _log_odds(min(shares)),
        "clauses worst score": _log_odds(reading.confidence),
        "clauses sum": -sum(math.log(max(share, 1e-3)) for share in shares),
        "clauses clauses": float(clauses),
        "clauses tasks": float(len(outline.nodes)),
        "clauses intents": float(len(reading.intents)),
        "clauses words": math.log1p(bare),
        "clauses unclaimed": max(0.0, 1 - claimed / max(1, bare)),
        "clauses defaults": float(sum(node.group == 0 for node in outline.nodes)),
        "clauses without task": float(len(reading.untasked)),
        "clauses questions": float(len(outline.questions)),
        "clauses conditions": float(any(node.when for node in outline.nodes)),
        "clauses follow-up": 0.0,
    }


def foreign_signals(foreign: ForeignRequest) -> dict[str, float]:
    """The signals of a plan for a request in another language; {} where there is nothing to be done."""
    shares = [step.intent.share for step in foreign.steps]
    if not shares:
        return {}
    return {
        "foreign worst share": _log_odds(min(shares)),
        "foreign sum": -sum(math.log(max(share, 1e-3)) for share in shares),
        "foreign steps": float(len(shares)),
        "foreign questions": float(sum(step.question is not None for step in foreign.steps)),
        "foreign words": math.log1p(_words(foreign.request.bare_words)),
    }


def talk_signals(text: str) -> dict[str, float]:
    """The signals of small talk, for which nothing is planned."""
    return {"talk sum": _log_odds(sum(small_talk_scores(text).values()))}


def _words(text: str) -> int:
    return len(re.findall(r"\w+", text))


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, 1e-3), 1 - 1e-3)
    return math.log(clipped / (1 - clipped))
