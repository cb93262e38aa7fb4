"""The words of questions and cells of tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_words import OPERATION_PHRASES, UNITS, WEIGHTLESS, related, stem

MAX_TOKENS = 80
_BOUND = re.compile(
    r"(?P<number>[$€£]?\d[\d.,]*)(?P<unit> [^\W\d]+)? (?:or|and) "
    r"(?:(?P<up>more|over|above|up|upwards?|older|higher|longer|greater|bigger)|less|fewer|under|below|younger|lower|shorter)\b",
    re.IGNORECASE,
)
"""A bound after its number: "3 or more", "60 and over"."""
_FILLERS = re.compile(r"\b(?:i\.e\.|e\.g\.|in (?:the right )?order(?! (?:of|to|by)\b))", re.IGNORECASE)
_RANGES = frozenset(["to", "and", "or", "till", "until", "vs", "versus", "than"])
_TOKEN = re.compile(
    r"n['’]t\b|\d{1,2}:\d\d(?::\d\d)?\b|\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4}|[$€£]|[<>=≤≥]=?|(?<![\w)])[-−](?=\d)\d+(?:[.,]\d+)*|%|\d+(?:[.,]\d+)+|\d*[^\W\d_]+[\w]*(?:-[\w]*\d[\w]*)*|\d+|['’]s\b"
)


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    lower: str
    stem: str


def tokens_of(text: str) -> list[Token]:
    text = re.sub(r"(?i)\b(what|who|where|when|how)s\b", r"\1 is", text)
    text = re.sub(r"(?i)\b(ca|wo|do|does|did|is|are|ar|was|were|has|have|should)n['’]?t\b", r"\1 n't", text)
    text = _BOUND.sub(
        lambda bound: f"at {'least' if bound['up'] else 'most'} {bound['number']}{bound['unit'] or ''}", text
    )
    text = _FILLERS.sub("", text)
    found = [match[0] for match in _TOKEN.finditer(text.replace("_", " "))][:MAX_TOKENS]
    return [Token(token, token.casefold().replace("’", "'"), stem(token.casefold())) for token in found]


def offsets(text: str, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where each of the tokens of a text begins and ends in it; one that stands for another word has no width."""
    lower, at, places = text.lower(), 0, []
    for token in tokens:
        found = lower.find(token.lower, at)
        start, at = (at, at) if found < 0 else (found, found + len(token.lower))
        places.append((start, at))
    return places


def joined(tokens: Sequence[Token], names: Collection[str]) -> list[Token]:
    """The tokens, where two that make up one of the `names` of columns with a number in it are one: "week 8" and
    "8 weeks" are week8.
    """
    united: list[Token] = []
    for token in tokens:
        pair = _united(united[-1], token, names) if united else None
        if pair is None and len(united) > 1 and united[-1].lower in _RANGES and token.lower.isdigit():  # "week 2 to 6"
            name = re.sub(r"\d+$", token.lower, united[-2].lower)
            token = Token(name, name, name) if name in names else token
        united[len(united) - bool(pair) :] = [pair or token]
    return united


def _united(first: Token, second: Token, names: Collection[str]) -> Token | None:
    for word, number in ((first, second), (second, first)):
        for name in (word.stem + number.lower, number.lower + word.lower):  # "8 weeks", of week8; "100 m", of 100m
            if number.lower.isdigit() and name in names:
                return Token(name, name, name)
    return None


def without_units(words: Sequence[str]) -> Sequence[str]:
    return [word for word in words if word not in UNITS] or list(words)


def equal(words: Sequence[str], name: Sequence[str], loosely: bool = False) -> bool:
    """Whether words are those of a name, plurals aside; `loosely`: related ones, in any order."""
    heavy = [word for word in words if not loosely or word not in WEIGHTLESS]
    if loosely:
        return (
            len(heavy) == len(name) > 1
            and all(any(related(word, other) for other in name) for word in heavy)
            and all(any(related(word, other) for word in heavy) for other in name)
        )
    return len(words) == len(name) and all(stem(word) == stem(other) for word, other in zip(words, name, strict=True))


def part_of(words: Sequence[str], name: Sequence[str], exactly: bool = False) -> bool:
    same = (lambda a, b: stem(a) == stem(b)) if exactly else related
    heavy = [word for word in name if word not in WEIGHTLESS] or list(name)
    return all(any(same(word, other) for other in heavy) for word in words) and not all(
        word in OPERATION_PHRASES for word in words
    )


def is_known(word: str) -> bool:
    """Whether a word is no misspelt one: in MiniLM's vocabulary, or the comparative or superlative of one that is
    ("fattest" is not meant to be "fastest").
    """
    bare = re.sub(r"(?:er|est)$", "", word)
    bases = {bare, bare + "e", re.sub(r"i$", "y", bare), re.sub(r"(.)\1$", r"\1", bare)} if bare != word else set()
    return _is_in_vocabulary(word) or any(len(base) > 2 and _is_in_vocabulary(base) for base in bases)


@cache
def _is_in_vocabulary(word: str) -> bool:
    """Whether a word is in MiniLM's vocabulary; without the model every word counts as known."""
    from hugginggpt.experts.minilm import knows_word

    try:
        return knows_word(word)
    except (ExpertUnavailable, ImportError):
        return True


def number_of(text: str) -> float:
    """A number as people write it in English; a single comma before other than three digits is a decimal one."""
    if text[0] in "-−":
        return -number_of(text[1:])
    if re.fullmatch(r"\d+,\d{1,2}|\d{1,3}(?:\.\d{3})+,\d+", text):
        text = text.replace(".", "").replace(",", ".")
    return float(text.replace(",", "")) if text.count(".") < 2 else float(text.replace(".", "").replace(",", "."))


def listed(words: Iterable[str]) -> str:
    """Different words in quotes, with "and" between them."""
    return " and ".join(f"“{word}”" for word in dict.fromkeys(words))


def closeness(word: str, names: Iterable[str]) -> list[float]:
    """How close in meaning a word is to each of some names; without the model 0."""
    from hugginggpt.experts.minilm import similarities

    names = list(names)
    try:
        return similarities(word, names)
    except (ExpertUnavailable, ImportError):
        return [0.0] * len(names)


def closeness_across_languages(word: str, names: Iterable[str]) -> list[float]:
    """As `closeness`, where the word and the names are of different languages; without the model 0."""
    from hugginggpt.experts.multilingual import similarities

    names = list(names)
    try:
        return similarities(word, names)
    except (ExpertUnavailable, ImportError):
        return [0.0] * len(names)
