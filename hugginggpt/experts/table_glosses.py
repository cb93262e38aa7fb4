"""Questions to a table in another language, word by word in English; and words of English as a foreign table has them.

What is asked of a table is told by a few everyday words around the names of its own columns and values. These are left
as they stand, the others are looked up (data/experts/table_glosses.txt). A word that is neither stays, so that the
question is refused with it: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile

from hugginggpt.experts.table_columns import TypedTable
from hugginggpt.experts.table_dictionary import NOTHING, TOKEN, glosses_by_language
from hugginggpt.experts.table_words import WEIGHTLESS, stem
from hugginggpt.experts.written_language import ENGLISH, function_word, function_words

_BEHIND_NOUN = re.compile(r"\b(how many) (\w+) different\b")
"""Adjectives stand behind their nouns in French and Spanish."""
WITHOUT_BLANKS = frozenset(["zh"])
MAX_WORDS = 5
"""So many words of a question are looked up together."""
_WITH_WORDS = frozenset(["de", "fr", "es"])
_ENDINGS = ("en", "es", "er", "n", "e", "s")
"""The endings of nouns in these languages."""
_NOT_LIGHT = frozenset(["personne", "ni"])
"""Function words that deny."""
_ENGLISH_TOO = frozenset(["plus", "minus"])
MAX_CELLS = 5000
MIN_COGNATE, MIN_SHARED = 8, 0.7
"""So many letters have words that are nearly the same in two languages, and such a part of them at the beginning."""
MIN_LETTERS = 4
"""Shorter words of a table are not taken for a foreign word: Spanish "e" is "and"."""
Glosses = Mapping[tuple[str, ...], str]


def in_english(table: TypedTable, question: str) -> str:
    """A question in the words that are read: as it stands, or with foreign ones in English, those of the table kept."""
    lines = [_in_english(table, line) for line in question.splitlines()]
    return "\n".join(lines)


def is_foreign(table: TypedTable, question: str) -> bool:
    """Whether a line of a question is in another language than English."""
    own = _own_words(table)
    return any(_language(TOKEN.findall(line), own) for line in question.splitlines())


def _in_english(table: TypedTable, line: str) -> str:
    tokens = TOKEN.findall(line)
    own = _own_words(table)
    code = _language(tokens, own)
    if code:
        read = _read(tokens, own, glosses_by_language()[code], code)
        said = " ".join(said for said, _ in read if said).replace(" ?", "?")
        said = _BEHIND_NOUN.sub(r"\1 different \2", said)
        return said if re.search(r"\bthan\b|\d", said) else re.sub(r"\bmore\b(?! \w+er\b)", "most", said)
    return _in_words_of(tokens, line, own)


def _language(tokens: Sequence[str], own: Glosses) -> str:
    """The language of which most words are known, and more than of English; "" for English."""
    telling = [token for token in tokens if token.casefold() not in _meanings() | _ENGLISH_TOO]  # as "total" is
    known = {
        code: sum(number for _, number in _read(telling, own, glosses) if number > 0)
        for code, glosses in glosses_by_language().items()
    }
    best = max(known, key=known.__getitem__)
    english = function_words(" ".join(telling))[ENGLISH]
    words = sum(token.isalpha() and (token.casefold(),) not in own for token in telling)
    return best if known[best] >= min(2, max(1, words)) and known[best] > english else ""


def _read(tokens: Sequence[str], own: Glosses, glosses: Glosses, code: str = "") -> Iterator[tuple[str, int]]:
    """The words of a question in English, each with the number of the tokens that were looked up for it. In a language
    whose code is given, a function word that has no English one adds nothing.
    """
    lower = [token.casefold() for token in tokens]
    at = 0
    while at < len(tokens):
        for size in range(min(MAX_WORDS, len(tokens) - at), 0, -1):
            words = tuple(lower[at : at + size])
            kept = own.get(words)
            if size == 1 and (kept is None or kept == tokens[at]):  # "Einnahmen" of Einnahme, if no cell is just that
                kept = _form_of(words[0], own, code) or kept
            if kept:
                yield kept, 0
                break
            if gloss := glosses.get(words):
                if gloss != NOTHING:
                    yield gloss, size
                else:
                    yield "", size
                break
        else:
            size = 1
            is_light = code in _WITH_WORDS and lower[at] not in _NOT_LIGHT and function_word(lower[at], code)
            yield ("" if is_light else tokens[at]), 0
        at += size


def _form_of(word: str, own: Glosses, code: str) -> str:
    """The word of the table that a word is a form of: "Einnahmen" of Einnahme; "" for none."""
    kept = own.get((stem(word),), "")
    if (kept and kept.casefold() != word) or code not in _WITH_WORDS or len(word) < 5:
        return kept
    bare = [word.removesuffix(end) for end in _ENDINGS if word.endswith(end)]
    forms = (base + end for base in bare for end in ("", *_ENDINGS) if base + end != word)
    return next((own[one,] for one in forms if (one,) in own), "")


@cache
def _meanings() -> frozenset[str]:
    """The single words of English that words of the other languages mean."""
    return frozenset(
        meaning for glosses in glosses_by_language().values() for meaning in glosses.values() if meaning.isalpha()
    )


def _in_words_of(tokens: Sequence[str], line: str, own: Glosses) -> str:
    """An English question with the words of a table in another language in the place of those that it lacks: "rent"
    is Miete where that is a cell.
    """
    for token in dict.fromkeys(tokens):
        word = token.casefold()
        if (word,) in own or (stem(word),) in own or not word.isalpha() or word in WEIGHTLESS:
            continue
        foreign = _foreign().get(stem(word), ())
        meant = {own[one] for one in foreign if one in own and len("".join(one)) >= MIN_LETTERS}
        meant = meant or {own[one] for one in own if len(one) == 1 and _is_cognate(word, one[0])}
        if len(meant) == 1:
            line = re.sub(rf"\b{re.escape(token)}\b", next(iter(meant)), line)
    return line


def _is_cognate(word: str, other: str) -> bool:
    """Whether a word of another language is nearly the same: vegetarian and vegetarisch."""
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False))))
    return min(len(word), len(other)) >= MIN_COGNATE and shared >= MIN_SHARED * max(len(word), len(other))


def _own_words(table: TypedTable) -> dict[tuple[str, ...], str]:
    """The names of a table's columns, its cells, and the words of either, by their tokens in lower case."""
    own: dict[tuple[str, ...], str] = {}
    texts = [column.name for column in table.columns]
    for column in table.columns:
        if column.type == "text":
            texts += list(column.distinct)[:MAX_CELLS]
    for text in texts:
        tokens = tuple(token.casefold() for token in TOKEN.findall(text))
        if 0 < len(tokens) <= MAX_WORDS:
            own.setdefault(tokens, text)
    for text in texts:
        for token in TOKEN.findall(text):
            if len(token) > 3:
                own.setdefault((token.casefold(),), token)
    return own


@cache
def _foreign() -> dict[str, list[tuple[str, ...]]]:
    """The words of the other languages by what they mean in English, without those that carry no meaning."""
    words: dict[str, list[tuple[str, ...]]] = {}
    for glosses in glosses_by_language().values():
        for tokens, meaning in glosses.items():
            if " " not in meaning and meaning != NOTHING:
                words.setdefault(stem(meaning), []).append(tokens)
    return words
