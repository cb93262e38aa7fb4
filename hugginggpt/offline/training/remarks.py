"""Trains the head that knows what only tells something beside a request (`hugginggpt.offline.remarks`)."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from hugginggpt.offline.clauses import RESOURCES
from hugginggpt.offline.features import clause_features
from hugginggpt.offline.languages.vocabulary import CODES
from hugginggpt.offline.remarks import TELLS
from hugginggpt.offline.training.fitting import fit_softmax, write
from hugginggpt.offline.training.phrases import Phrase, read_phrases

ASKS = "asks"
OWN_WEIGHT = 2.0
"""So much more than a phrase of the other heads does one weigh that is written for this head."""
MAX_WORDS = 12
ENGLISH_SAMPLE, FOREIGN_SAMPLE = 700, 250
"""So many of the phrases that ask for tasks are learned from, of English and of each other language."""
_TOLD, _ASKED = "none/scene", ("none/action", "none/live")
_NO_REQUEST = ("none", "greeting", "thanks", "help", "fragment")


def train_remarks(english: Sequence[Phrase], folder: Path, seed: int) -> None:
    """Writes `remarks.safetensors`."""
    rng = random.Random(seed)  # noqa: S311
    own = [(phrase.text, phrase.task, OWN_WEIGHT) for phrase in read_phrases(seed, ["remarks.txt"])]
    told = _bare(phrase.text for phrase in english if phrase.task == _TOLD)
    tasks = _bare(phrase.text for phrase in english if phrase.task in _ASKED or not phrase.task.startswith("none/"))
    asked = rng.sample([text for text in tasks if len(text.split()) < MAX_WORDS], ENGLISH_SAMPLE)
    for code in CODES:
        phrases = read_phrases(seed, [f"phrases.{code}.txt"])
        asked += rng.sample(_bare(one.text for one in phrases if one.task not in _NO_REQUEST), FOREIGN_SAMPLE)
    cases = [*own, *((text, TELLS, 1.0) for text in told), *((text, ASKS, 1.0) for text in asked)]
    texts, names, counts = zip(*cases, strict=True)
    classes = [ASKS, TELLS]
    labels = np.array([classes.index(name) for name in names])
    weights = np.array(counts)
    weights /= np.bincount(labels, weights)[labels]
    weight, bias = fit_softmax(clause_features(texts), labels, weights / weights.sum())
    write(folder / "remarks.safetensors", {"weight": weight, "bias": bias}, classes)
    print(f"{folder / 'remarks.safetensors'}: {len(texts)} phrases", file=sys.stderr)


def _bare(texts: Iterable[str]) -> list[str]:
    """Phrases without their files, each once."""
    return sorted({bare for text in texts if (bare := RESOURCES.sub("", text).strip())})
