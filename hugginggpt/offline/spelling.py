"""Corrects misspelt words of a clause that resemble a word of the planner's training phrases."""

from __future__ import annotations

import difflib
import re
from functools import cache

from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.core.errors import ExpertUnavailable

MIN_LENGTH = 5
MIN_SIMILARITY = 0.83
"""The minimum similarity of two words, from 0 to 1 (difflib)."""


SHORT = {
    "gimme": "give me",
    "lemme": "let me",
    "wanna": "want to",
    "gotta": "have to",
    "pic": "picture",
    "pics": "pictures",
    "vid": "video",
    "vids": "videos",
    "wats": "what's",
    "sposed": "supposed",
    "secs": "seconds",
    "mins": "minutes",
}
"""What people write short."""
_SHORT_WORDS = re.compile(rf"(?<![\w.'/-])(?:{'|'.join(SHORT)})(?![\w.'/-])", re.IGNORECASE)
_OWN = frozenset("redact redacted pixelate pixelated anonymise anonymize slideshow".split())
"""Words of operations that are in no phrase and not in MiniLM's vocabulary."""


def corrected(text: str) -> str:
    """The text with unknown words replaced by the most similar word of the phrases ("descrbe": "describe"), and with
    what people write short at full length ("gimme a pic").
    """
    whole = _SHORT_WORDS.sub(lambda match: SHORT[match[0].lower()], text)
    return re.sub(rf"(?<![\w.'])[A-Za-z]{{{MIN_LENGTH},}}(?![\w.'])", lambda match: _corrected_word(match[0]), whole)


@cache
def _by_first_letter() -> dict[str, list[str]]:
    """The words of the phrases; they are few, so a misspelt name stays unchanged."""
    try:
        text = (PLANNER_DATA / "phrases.txt").read_text(encoding="utf-8").lower()
    except OSError:
        return {}
    words = sorted(set(re.findall(rf"(?<![\w.])[a-z]{{{MIN_LENGTH},}}(?![\w.])", text)))
    return {letter: [word for word in words if word[0] == letter] for letter in {word[0] for word in words}}


def _corrected_word(word: str) -> str:
    lower = word.lower()
    vocabulary = _by_first_letter().get(lower[0], [])
    if lower in vocabulary or lower in _OWN or not vocabulary:
        return word
    near = [known for known in vocabulary if abs(len(known) - len(lower)) <= 1]  # "transpiration" is no translation
    matches = difflib.get_close_matches(lower, near, 1, MIN_SIMILARITY)
    return matches[0] if matches and not _is_word(lower) else word


def _is_word(word: str) -> bool:
    """Whether a word is in MiniLM's vocabulary; without the model every word counts as known."""
    from hugginggpt.experts.minilm import knows_word

    try:
        return knows_word(word)
    except (ExpertUnavailable, ImportError):
        return True
