"""The vocabulary of questions about objects (data/experts/question_words.txt), matched against words of a clause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.quantities import ONES
from hugginggpt.core.questions import Relation
from hugginggpt.experts.grammar import Word

RELATIONS: tuple[Relation, ...] = ("<=", ">=", "==", "<", ">")


@cache
def _phrases() -> dict[str, dict[str, list[tuple[str, ...]]]]:
    """The phrases of each part of the vocabulary by their first word, the longest first."""
    parts: dict[str, dict[str, list[tuple[str, ...]]]] = {}
    for line in word_lists.lines(EXPERTS_DATA / "question_words.txt"):
        part, _, phrases = line.partition(":")
        by_word = parts.setdefault(part.strip(), {})
        for phrase in sorted((tuple(phrase.split()) for phrase in phrases.split(",")), key=len, reverse=True):
            by_word.setdefault(phrase[0], []).append(phrase)
    return parts


def match(words: Sequence[Word], at: int, *parts: str) -> int:
    """Where the longest phrase of some parts that begins with word `at` ends; `at` itself where there is none."""
    if not 0 <= at < len(words):
        return at
    ends = [
        at + len(phrase)
        for part in parts
        for first in {words[at].lower, words[at].lemma}
        for phrase in _phrases()[part].get(first, ())
        if len(words) - at >= len(phrase)
        and all(text in (word.lower, word.lemma) for text, word in zip(phrase, words[at:], strict=False))
    ]
    return max(ends, default=at)


def find(words: Sequence[Word], *parts: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """The spans of phrases of some parts, in order."""
    at = start
    while at < len(words):
        end = match(words, at, *parts)
        if end > at:
            yield at, end
        at = max(end, at + 1)


def number(word: Word) -> float | None:
    """The number that a word names."""
    try:
        return float(word.lower)
    except ValueError:
        return ONES.index(word.lower) if word.lower in ONES else None


def relation(words: Sequence[Word], at: int) -> tuple[Relation, float, int] | None:
    """A comparison with a number at a word, and where it ends: "more than three", "exactly one", "2", "two or more"."""
    for sign in RELATIONS:
        end = match(words, at, sign)
        if end > at and end < len(words) and (value := number(words[end])) is not None:
            return sign, value, end + 1
        if end > at and sign == "==" and [word.lower for word in words[end : end + 2]] == ["a", "single"]:
            return sign, 1, end + 2
    value = number(words[at]) if at < len(words) else None
    if value is None:
        single = [word.lower for word in words[at : at + 2]] == ["a", "single"]
        return ("==", 1, at + 2) if single else None
    for sign in RELATIONS[:2]:
        if (end := match(words, at + 1, f"ending {sign}")) > at + 1:
            return sign, value, end
    return "==", value, at + 1
