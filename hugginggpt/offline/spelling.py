"""Mends misspelt words of a clause where the planner's own phrases have a word that is nearly the same."""

from __future__ import annotations

import difflib
import re
from functools import cache

from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.core.errors import ExpertUnavailable

SHORTEST = 5
NEAR = 0.83
"""How alike two words must be, from 0 to 1."""


def mended(text: str) -> str:
    """The text with unknown words replaced by the nearest one of the phrases ("descrbe": "describe")."""
    return re.sub(rf"(?<![\w.'])[A-Za-z]{{{SHORTEST},}}(?![\w.'])", lambda found: _mended(found[0]), text)


@cache
def _by_first_letter() -> dict[str, list[str]]:
    """The words of the phrases, which are few: a misspelt name stays as it is."""
    try:
        text = (PLANNER_DATA / "phrases.txt").read_text(encoding="utf-8").lower()
    except OSError:
        return {}
    words = sorted(set(re.findall(rf"(?<![\w.])[a-z]{{{SHORTEST},}}(?![\w.])", text)))
    return {letter: [word for word in words if word[0] == letter] for letter in {word[0] for word in words}}


def _mended(word: str) -> str:
    small = word.lower()
    near = _by_first_letter().get(small[0], [])
    if small in near or not near:
        return word
    matches = difflib.get_close_matches(small, near, 1, NEAR)
    return matches[0] if matches and not _is_word(small) else word


def _is_word(word: str) -> bool:
    """Whether the language model's vocabulary has it; nothing is mended where there is no model."""
    from hugginggpt.experts.minilm import knows_word

    try:
        return knows_word(word)
    except (ExpertUnavailable, ImportError):
        return True
