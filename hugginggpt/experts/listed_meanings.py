"""Lines of a list that are named by what they are and not by their words: "the cheese", where a line is "Cheddar 400g",
or "the milk", where it is "Vollmilch 1L".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import minilm, multilingual
from hugginggpt.experts.listed import Record

MIN_SIMILARITY, MIN_MARGIN = 0.5, 0.1
"""How close in meaning (MiniLM) a word must be to a line, and how much closer than to the next one."""
MIN_FOREIGN, MIN_FOREIGN_MARGIN = 0.84, 0.015
"""The same by the encoder of many languages, to which unrelated words are at some 0.8."""
MIN_LINES = 3
_ARTICLE = re.compile(
    r"\b(?:the|a|an|some|any|my|our|der|die|das|den|dem|ein|eine|einen|le|la|les|un|une|du|des|el|los|las|una)\s+"
    r"(?:\w+\s+)?$|\b(?:l|d)['’]$|\b(?:and|und|et|y|plus|with|of)\s+$|\d\s*(?:x\s*)?$",
    re.IGNORECASE,
)
"""What stands before a word that names a thing."""


def named(word: str, question: str, items: Sequence[Record]) -> Record | None:
    """The only item that a word of a question means; None where it names no thing, or nothing or several are near."""
    at = question.lower().find(word)
    labels = [item.label for item in items]
    if len(items) < MIN_LINES or at < 0 or not word.isalpha() or not _ARTICLE.search(question[:at]):
        return None
    word = question[at : at + len(word)]  # with its capital, which a German noun has
    best = _best(minilm.similarities(word, labels), MIN_SIMILARITY, MIN_MARGIN)
    if best is None and not _is_english(word.lower(), labels):
        try:
            best = _best(multilingual.similarities(word, labels), MIN_FOREIGN, MIN_FOREIGN_MARGIN)
        except (ExpertUnavailable, ImportError):
            return None
    return None if best is None else items[best]


def _is_english(word: str, labels: Sequence[str]) -> bool:
    """Whether a word and a list are both in English, of which the encoder of English would have told."""
    words = re.findall(r"[^\W\d_]{3,}", " ".join(labels).lower())
    return minilm.knows_word(word) and sum(map(minilm.knows_word, words)) >= len(words) / 2


def _best(near: Sequence[float], least: float, margin: float) -> int | None:
    first, second = sorted(range(len(near)), key=lambda at: -near[at])[:2]
    return first if near[first] >= least and near[first] - near[second] >= margin else None
