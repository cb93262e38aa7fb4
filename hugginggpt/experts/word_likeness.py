"""How alike words are: by their stems, and by the vectors of single words (MiniLM)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hugginggpt.experts import minilm

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

WORD_LIKE = re.compile(r"[a-z]+|\d+", re.IGNORECASE)


@lru_cache(20_000)
def stem(word: str) -> str:
    """A word without its commonest endings: "resurfaced" and "resurfacing" are one."""
    word = word.lower()
    for ending in ("ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "s", "e", "y"):
        if len(word) - len(ending) >= 3 and word.endswith(ending):
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def stems_of(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in WORD_LIKE.findall(text))


def nearest(word: str, others: Sequence[str]) -> float:
    """How like a word is to the most like of others, 1 for another form of it."""
    if not others:
        return 0.0
    if stem(word) in {stem(other) for other in others}:
        return 1.0
    return float((word_vectors((word,)) @ word_vectors(tuple(sorted(set(others)))).T).max())


def word_vectors(words: tuple[str, ...]) -> Array:
    """Unit vectors of single words, float32, shape (len(words), 384)."""
    import numpy as np

    return np.stack([_word_vector(word) for word in words])


@lru_cache(20_000)
def _word_vector(word: str) -> Any:
    return minilm.embed([word])[0]
