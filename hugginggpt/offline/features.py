"""Text features for the learned parts of the offline planner: a sentence embedding and hashed n-grams.

A checksum maps each n-gram to a bucket (feature hashing, arXiv 0902.2206), so the weights contain no text.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

BUCKETS = 1024
MAX_CHARACTERS = 2000
"""Further characters of a text are ignored."""


def clause_features(texts: Sequence[str]) -> Array:
    """Features for the clause head: embedding and character n-grams, float32, shape (texts, 384 + BUCKETS)."""
    import numpy as np

    from hugginggpt.experts.minilm import embed

    hashed = [hashed_counts(character_ngrams(text, 2, 4), BUCKETS) for text in texts]
    return np.hstack([3 * embed(texts), 2 * np.array(hashed, np.float32).reshape(len(texts), BUCKETS)])


def hashed_counts(ngrams: Iterator[str], buckets: int) -> Array:
    """The log-scaled counts of n-grams as a unit vector, shape (buckets,)."""
    import numpy as np

    row = np.zeros(buckets, np.float32)
    for ngram, count in Counter(ngrams).items():
        row[zlib.crc32(ngram.encode()) % buckets] += 1 + np.log(count)
    length = float(np.linalg.norm(row))
    return row / length if length else row


def character_ngrams(text: str, shortest: int, longest: int) -> Iterator[str]:
    """The character n-grams of each word, padded with a space at either end."""
    for word in re.findall(r"\w+|[^\w\s]+", text[:MAX_CHARACTERS].lower()):
        padded = f" {word} "
        for size in range(shortest, longest + 1):
            yield from (padded[offset : offset + size] for offset in range(max(1, len(padded) - size + 1)))
