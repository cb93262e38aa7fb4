"""Misspelt words of a question about a table."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from hugginggpt.experts.table_columns import TypedTable
from hugginggpt.experts.table_tokens import Token, is_known
from hugginggpt.experts.table_words import (
    MONTHS,
    OPERATION_PHRASES,
    PERSON_NOUNS,
    RELATIONS,
    ROW_NOUNS,
    WEIGHTLESS,
    adjectives,
    related,
    stem,
)

MAX_SHORT, MIN_BEGINNING = 5, 3
"""So many letters has a word at most that is short for another one, and more than so many the beginning of one."""
_VOWELS = frozenset("aeiou")

_in_other_words: ContextVar[bool] = ContextVar("in_other_words", default=False)


@contextmanager
def of_another_language(is_foreign: bool) -> Iterator[None]:
    """Within it, words are those of another language, put into English as far as they are known: none is a misspelt
    English one.
    """
    token = _in_other_words.set(is_foreign)
    try:
        yield
    finally:
        _in_other_words.reset(token)


def spelled(tokens: Sequence[Token], table: TypedTable, cells: Collection[str], notes: list[str]) -> list[Token]:
    """The tokens with unknown words replaced by a similar one of the table or of the operations, which is noted;
    `cells` are the words of the table's cells.
    """
    names = {word for column in table.columns for word in column.words}
    long_names = {word for word in names if len(word) > 3}
    values = {word for word in cells if len(word) > 3 and not re.search(r"\d", word)}
    phrases = (*OPERATION_PHRASES, *adjectives(), *RELATIONS)
    operations = {word for phrase in phrases for word in phrase.split() if len(word) > 4}
    known = long_names | values | operations | WEIGHTLESS | PERSON_NOUNS | ROW_NOUNS | set(MONTHS)
    vocabulary = [*long_names, *(() if _in_other_words.get() else operations), *values]
    respelled = []
    for token in tokens:
        better = None if token.lower in cells else _shortened(token.lower, known, names)
        is_short = better is not None
        if not is_short:
            better = None if _is_right(token, known, names) else _closest(token, vocabulary)
        is_noted = better and not is_short and better not in operations
        notes += [f"I read “{token.text}” as “{better}”."] if is_noted else []
        respelled.append(Token(better, better, stem(better)) if better else token)
    return respelled


def _shortened(word: str, known: Collection[str], names: Collection[str]) -> str | None:
    """The word of a column's name that another one is short for, by its consonants ("hrs", "qty") or its beginning
    ("mins"), the nearest in length; None where it is a word of its own, or two are as near.
    """
    if not 1 < len(word) <= MAX_SHORT or not word.isalpha() or word in known or word in names:
        return None
    begins = word.rstrip("s") if len(word) > MIN_BEGINNING and not is_known(word) else ""
    is_skeleton = not _VOWELS & set(word[1:]) and not (is_known(word) and _VOWELS & set(f"{word[:1]}{word[-1:]}"))
    longer = [
        name
        for name in names
        if len(name) > len(word) and ((is_skeleton and _is_within(word, name)) or (begins and name.startswith(begins)))
    ]
    nearest = min(map(len, longer), default=0)
    longer = [name for name in longer if len(name) == nearest]
    return longer[0] if len(longer) == 1 else None


def _is_within(word: str, name: str) -> bool:
    """Whether the letters of a word stand in a name or its plural in this order, the first at its beginning."""
    rest = iter(name if name.endswith("s") else f"{name}s")
    return word[:1] == name[:1] and all(letter in rest for letter in word)


def _is_right(token: Token, known: Collection[str], names: Collection[str]) -> bool:
    word = token.lower
    return (
        len(word) < 5
        or not word.isalpha()
        or word in known
        or token.stem in known
        or any(related(word, name) for name in names)
        or any(map(is_known, (word, token.stem)))
    )


def _closest(token: Token, vocabulary: Sequence[str]) -> str:
    for word in (token.lower, token.stem):
        close = difflib.get_close_matches(word, vocabulary, 1, 0.8)
        if close and not word.endswith(close[0]):  # "reorder" is no misspelt "order"
            return close[0]
    return ""
