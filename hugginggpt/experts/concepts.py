"""Words of five languages that are about the same: "noise" is near to "Ruhezeit", "quand payer" to "se paga hasta".

The list (data/experts/concepts.txt) is short: it holds what notices, letters, recipes and manuals mostly speak of.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA

LANGUAGES = ("en", "de", "fr", "es", "zh")
COMPOUNDING, CHINESE = "de", "zh"
MIN_INSIDE = 4
"""An entry with so many letters stands for German words that hold it, too: "Ruhezeiten", "Nachtruhe"."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


@cache
def _entries(code: str) -> tuple[tuple[str, frozenset[int]], ...]:
    """The entries of a language, each with the numbers of its lines."""
    column = LANGUAGES.index(code)
    found: dict[str, set[int]] = {}
    for number, line in enumerate(word_lists.lines(EXPERTS_DATA / "concepts.txt")):
        for entry in line.split("|")[column].split(","):
            found.setdefault(entry.strip(), set()).add(number)
    return tuple((entry, frozenset(numbers)) for entry, numbers in found.items() if entry)


@lru_cache(20_000)
def of_word(word: str, code: str) -> frozenset[int]:
    """The concepts of a word in a language."""
    word = word.lower().replace("’", "'")
    if code == CHINESE:
        every = dict(_entries(CHINESE))
        return frozenset().union(*(every[entry] for entry in chinese_words(word)))
    return frozenset().union(*(numbers for entry, numbers in _entries(code) if _stands_for(entry, word, code)))


def _stands_for(entry: str, word: str, code: str) -> bool:
    if entry.startswith("="):
        return word == entry[1:]
    return word.startswith(entry) or (code == COMPOUNDING and len(entry) >= MIN_INSIDE and entry in word)


@lru_cache(4000)
def of_text(text: str, code: str) -> frozenset[int]:
    """The concepts of all words of a text."""
    if code == CHINESE:
        return of_word(text, code)
    words = _WORD.findall(text.lower().replace("’", "'"))
    every = [of_word(part, code) for word in words for part in (word, *word.split("'"))]
    lowered = " ".join(words)
    phrases = [numbers for entry, numbers in _entries(code) if " " in entry and entry in lowered]
    return frozenset().union(*every, *phrases)


def chinese_words(text: str) -> list[str]:
    """The entries of the list that stand in a Chinese text, the longest first."""
    entries = sorted((entry for entry, _ in _entries(CHINESE) if entry in text), key=len, reverse=True)
    return [one for at, one in enumerate(entries) if not any(one in other for other in entries[:at])]
