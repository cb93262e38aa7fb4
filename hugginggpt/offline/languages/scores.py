"""The learned parts for other languages than English, trained by `hugginggpt.offline.training`: linear heads over hashed
n-grams of characters and words. `languages.safetensors` tells the language of a short request,
`clauses.de.safetensors` and its like classify a clause. No other model is loaded, and a request takes about 1 ms.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.offline.features import hashed_counts

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

BUCKETS = 1536
LANGUAGE_BUCKETS = 1024
_WORD = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+|[^\w\s]+")
_UNIT = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")


def clause_features(texts: Sequence[str]) -> Array:
    """Features for the heads of clauses, float32, shape (texts, BUCKETS)."""
    return _hashed([itertools.chain(_character_ngrams(text), _word_pairs(text)) for text in texts], BUCKETS)


def language_features(texts: Sequence[str]) -> Array:
    """Features for the head of languages, float32, shape (texts, LANGUAGE_BUCKETS)."""
    return _hashed([_character_ngrams(text) for text in texts], LANGUAGE_BUCKETS)


def _hashed(ngrams: Sequence[Iterator[str]], buckets: int) -> Array:
    import numpy as np

    rows = [hashed_counts(row, buckets) for row in ngrams]
    return 2 * np.array(rows, np.float32).reshape(len(ngrams), buckets)


def _character_ngrams(text: str) -> Iterator[str]:
    """The n-grams of 1 to 4 characters of each word, padded with a space at either end; of Chinese, of each run."""
    for word in _WORD.findall(text.lower()):
        padded = f" {word} "
        for size in range(1, 5):
            yield from (padded[offset : offset + size] for offset in range(max(1, len(padded) - size + 1)))


def _word_pairs(text: str) -> Iterator[str]:
    for first, second in itertools.pairwise(["^", *_UNIT.findall(text.lower()), "$"]):
        yield f"{first}_{second}"


@cache
def _head(name: str) -> tuple[Array, Array, list[str]] | None:
    """(weight, bias, classes) of a head; None where its file is missing."""
    import numpy as np
    from safetensors import safe_open

    try:
        with safe_open(PLANNER_DATA / name, framework="numpy") as file:
            weight, bias = (file.get_tensor(key).astype(np.float32) for key in ("weight", "bias"))
            return weight, bias, file.metadata()["tasks"].split()
    except OSError:
        return None


def _probabilities(name: str, features: Array) -> list[dict[str, float]]:
    import numpy as np

    head = _head(name)
    if head is None:
        return [{} for _ in features]
    weight, bias, classes = head
    scores = features @ weight + bias
    probabilities = np.exp(scores - scores.max(1, keepdims=True))
    probabilities /= probabilities.sum(1, keepdims=True)
    return [dict(zip(classes, map(float, row), strict=True)) for row in probabilities]


def classes(code: str) -> Sequence[str]:
    """The classes that the head of a language has learned; none without the weights."""
    head = _head(f"clauses.{code}.safetensors")
    return head[2] if head else ()


@lru_cache(1024)
def clause_scores(text: str, code: str) -> Mapping[str, float]:
    """The probabilities of the classes of a clause in a language; {} without the weights."""
    return _probabilities(f"clauses.{code}.safetensors", clause_features([text]))[0]


@lru_cache(1024)
def language_scores(text: str) -> Mapping[str, float]:
    """The probabilities of the languages in Latin letters that are understood, with English; {} without the weights."""
    return _probabilities("languages.safetensors", language_features([text]))[0]
