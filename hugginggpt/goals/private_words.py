"""Whether a search could carry away what stands in the workspace: its words are sent to a service.

Only words are compared. A search that is longer than searches are, or that has a word as no language has, could hold
anything in another spelling.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set

SHORTEST, LONGEST_WORD, MOST_WORDS = 4, 24, 12
"""Shorter words without a digit tell nothing; longer ones, and more of them, are no usual search."""
MOST_KEPT = 50_000
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese: no blanks between the words."""


def words_of(text: str) -> set[str]:
    """The words that can tell something: from SHORTEST letters on, or with a digit; of scripts without blanks, all
    pairs of neighbours.
    """
    words: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        for run in _UNSPACED.findall(word):
            words.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
        for rest in _UNSPACED.split(word):
            if len(rest) >= SHORTEST or any(char.isdigit() for char in rest):
                words.add(rest)
    return words


def why_private(query: str, private: Set[str], known: Set[str]) -> str:
    """Why the query may carry something away; empty if it does not. `private` are words of the workspace, `known`
    those that the person has used.
    """
    if carried := sorted((words_of(query) & private) - known):
        return f"its words may come from the workspace: {', '.join(carried[:5])}"
    words = query.split()
    if len(words) > MOST_WORDS or any(len(word) > LONGEST_WORD for word in words if word.casefold() not in known):
        return "it is longer than a search needs to be"
    return "too much was read to compare it" if len(private) >= MOST_KEPT else ""
