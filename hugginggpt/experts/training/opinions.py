"""The training of the head that judges reviews (hugginggpt/experts/opinions.py), and how good it is.

data/reading/opinions.txt has a sentence a line, after "+" for a content one or "-" for a complaint; of every five pairs
one is for measuring alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from hugginggpt.common.paths import ROOT
from hugginggpt.experts import logistic, minilm, opinions

DATA = ROOT / "data" / "reading" / "opinions.txt"
PENALTY, EVERY = 30.0, 5

Case = tuple[str, bool]
"""A sentence, and whether it is content."""


def cases() -> tuple[list[Case], list[Case]]:
    """The sentences to train on, and those held out."""
    lines = [line for line in DATA.read_text(encoding="utf-8").splitlines() if line[:1] in ("+", "-")]
    rows = [(line[2:], line[0] == "+") for line in lines]
    held = [at // 2 % EVERY == EVERY - 1 for at in range(len(rows))]
    seen = [row for row, is_held in zip(rows, held, strict=True) if not is_held]
    return seen, [row for row, is_held in zip(rows, held, strict=True) if is_held]


def train(seen: Sequence[Case]) -> logistic.Logistic:
    """The regression over the vectors of the sentences."""
    import numpy as np

    vectors = minilm.embed([text for text, _ in seen]).astype(float)
    return logistic.fit(opinions.FEATURES, vectors, np.array([good for _, good in seen], float), PENALTY)


def figures(held: Sequence[Case]) -> dict[str, float]:
    """Of sentences that were held out: how many are called clear, and how many of these rightly."""
    scores = [(opinions.judged(text), good) for text, good in held]
    clear = [(score > 0) == good for score, good in scores if abs(score) > opinions.CLEAR]
    return {"sentences": len(held), "clear": len(clear), "right": round(sum(clear) / max(1, len(clear)), 3)}
