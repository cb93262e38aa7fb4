"""Everyday words of tables and of questions to them in other languages, in English (data/experts/table_glosses.txt)."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA

NOTHING = "-"
TOKEN = re.compile(r"[\u3400-\u9fff]|\d+(?:[.,:/-]\d+)*|[^\W\d_\u3400-\u9fff]+|[^\w\s]")


@cache
def glosses_by_language() -> dict[str, dict[tuple[str, ...], str]]:
    """The English of a language's words by their tokens, for each language."""
    glosses: dict[str, dict[tuple[str, ...], str]] = {}
    for code, lines in word_lists.sections(EXPERTS_DATA / "table_glosses.txt").items():
        glosses[code] = {}
        for line in lines:
            meaning, _, words = line.partition(" = ")
            for word in words.split(", "):
                glosses[code].setdefault(tuple(TOKEN.findall(word.casefold())), meaning)
    return glosses


def english_of(word: str) -> frozenset[str]:
    """The English words for a word of another language, in lower case; those that carry no meaning are left out."""
    return _english().get(word, frozenset())


@cache
def _english() -> dict[str, frozenset[str]]:
    words: dict[str, set[str]] = defaultdict(set)
    for glosses in glosses_by_language().values():
        for tokens, meaning in glosses.items():
            if meaning != NOTHING and meaning.isalpha():
                words["".join(tokens)].add(meaning)
    return {word: frozenset(meanings) for word, meanings in words.items()}
