"""A question as the readers take it: what it asks for, and the words by which a sentence may answer it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from hugginggpt.experts import minilm
from hugginggpt.experts.answer_types import Asked, asked_for
from hugginggpt.experts.grammar import parse
from hugginggpt.experts.word_likeness import nearest

CONTENT = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "INTJ", "X"))
LIGHT = frozenset((
    "be", "have", "do", "get", "can", "will", "may", "must", "should", "could", "would", "shall", "there", "here",
    "then", "so", "also", "please", "say", "tell",
))  # fmt: skip
VOCABULARY = 30_522
COMMON = 1996
"""The words of the vocabulary stand in about the order of their frequency, from this token on."""
_WHETHER_SAID = re.compile(
    r"^\W*(?:(?!wh|how)\w+\W+){0,3}?(?:do|does|did|is|was|are|were|have|has)\b[^?]{0,40}\b(?:say|says|state|stated|mention|mentioned|"
    r"tell|write|written|wrote|note|noted)\b",
    re.IGNORECASE,
)
"""What asks whether a text says something: then only a sentence that names it does."""
MEANT = 0.55
_SAYING = frozenset((
    "say", "state", "mention", "tell", "write", "note", "plan", "letter", "text", "minutes", "document", "down",
))  # fmt: skip


@dataclass(slots=True)
class Query:
    """A parsed question: what it asks for, and the words (lemma -> weight) that an answer should share with it."""

    text: str
    parsed: Any
    asked: Asked
    weights: dict[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, question: str) -> Query:
        """Raises as `parse` does."""
        question = " ".join(question.split())
        parsed = parse(question)
        query = cls(question, parsed, asked_for(parsed))
        for token in parsed:
            if token.i not in query.asked.spent and is_content(token):
                query.weights[lemma(token)] = rarity(lemma(token))
        return query

    @property
    def words(self) -> frozenset[str]:
        """The question's words in lower case."""
        return frozenset(token.lower_ for token in self.parsed if token.is_alpha or token.like_num)


def is_content(token: Any) -> bool:
    return (
        token.pos_ in CONTENT
        and token.lemma_.lower() not in LIGHT
        and (token.is_alpha or token.like_num or len(token) > 2)
    )


def lemma(token: Any) -> str:
    return str(token.lemma_.lower())


@lru_cache(8192)
def rarity(word: str) -> float:
    """How rare a word is, from 0.2 to 1, by its place in the vocabulary; 1 for one that is not in it."""
    import math

    number = minilm.word_number(word)
    if number is None:
        return 1.0
    return max(0.2, math.log(max(number, COMMON) / COMMON) / math.log(VOCABULARY / COMMON))


def is_whether_said(query: Query) -> bool:
    """Whether a question asks if a text says something, which then only a sentence does that names it."""
    return bool(_WHETHER_SAID.search(query.text))


def names_all(query: Query, text: str) -> bool:
    """Whether a sentence has each word of a question, or one of nearly its meaning."""
    own = [token.lower_ for token in parse(text, entities=False) if is_content(token)]
    return all(nearest(word, own) >= MEANT for word in query.weights if word not in _SAYING)
