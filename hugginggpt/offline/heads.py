"""The learned parts of the offline planner in NumPy, trained by `hugginggpt.offline.training`.

`data/planner/clauses.safetensors` holds a linear head that classifies a clause by task, `acts.safetensors` one that
classifies a message of a conversation by what it does (`dialogue.py`). Weights are float16.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.core.errors import ExpertUnavailable

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

log = logging.getLogger(__name__)


@cache
def load(name: str) -> tuple[dict[str, Array], list[str]] | None:
    """(weights, task names) from a file in data/planner; None, logged once, where the file is missing."""
    try:
        import numpy as np
        from safetensors import safe_open

        from hugginggpt.experts.weights import weights

        weights("minilm/tokenizer.json")
        with safe_open(PLANNER_DATA / name, framework="numpy") as file:
            tensors = {key: file.get_tensor(key).astype(np.float32) for key in file.keys()}  # noqa: SIM118
            return tensors, file.metadata()["tasks"].split()
    except (OSError, ExpertUnavailable, ImportError) as error:
        log.warning("The offline planner uses its rules alone: %s", error)
        return None


def clause_scores(texts: Sequence[str], file: str = "clauses.safetensors") -> list[dict[str, float]]:
    """For each clause the probabilities of the tasks and of "none", or of another head's classes; [] without the
    weights.
    """
    head = load(file)
    if head is None or not texts:
        return []
    import numpy as np

    from hugginggpt.offline.features import clause_features

    weights, tasks = head
    scores = clause_features(texts) @ weights["weight"] + weights["bias"]
    probabilities = np.exp(scores - scores.max(1, keepdims=True))
    probabilities /= probabilities.sum(1, keepdims=True)
    return [dict(zip(tasks, map(float, row), strict=True)) for row in probabilities]


def task_scores(scores: Mapping[str, float]) -> dict[str, float]:
    """The score of each task, and of "none": the sum of those of its aspects or parts."""
    sums: dict[str, float] = defaultdict(float)
    for name, score in scores.items():
        sums[name.partition("/")[0]] += score
    return sums


def likeliest_part(task: str, scores: Mapping[str, float]) -> str:
    """The most likely aspect of a task, or part of "none"; "" for the task in general."""
    own = {name.partition("/")[2]: score for name, score in scores.items() if name.partition("/")[0] == task}
    return max(own, key=own.__getitem__, default="")
