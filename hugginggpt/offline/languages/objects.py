"""Reads a clause in another language as a question about objects in pictures.

Every word is accounted for: those of the question itself, the objects, numbers and negations. What is left over is a
qualifier that no detector can judge, and is kept in the user's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hugginggpt.core.questions import Objects, Operation, Question, Relation
from hugginggpt.experts import coco
from hugginggpt.offline.languages.vocabulary import NO_OBJECT, WITHOUT_BLANKS, Span, Tokens, Vocabulary, relation

MIN_NUMBER = 2
"""The smallest number that compares without "exactly" or "at least": "ein Hund" is any dog."""


def read_question(operation: Operation, words: str, text: str, vocabulary: Vocabulary) -> Question:
    """The question, without tasks; `words` are those of the clause without its files, `text` all of it."""
    return _Clause(vocabulary, vocabulary.tokens(words)).question(operation, text)


@dataclass(frozen=True, slots=True)
class _Clause:
    vocabulary: Vocabulary
    tokens: Tokens

    def question(self, operation: Operation, text: str) -> Question:
        found = self.vocabulary.find("objects", self.tokens)
        asked = self._asked(found, len(self.tokens))
        is_comparison = operation in ("most", "fewest", "more", "fewer", "sort")
        sign, number, used = self._relation(with_sign=is_comparison)
        left = self._left_over({*used, *(at for span in asked for at in range(span.start, span.end))})
        objects = self._objects(asked, left)
        if operation == "list" and asked:
            operation = "count"
        if operation != "count" and number is not None:  # "at least two" is no comparison of objects or pictures
            operation = "exists"
        negated = operation == "exists" and self._is_negated(asked)
        return Question(operation, objects, (), text, negated, sign, number)

    def _asked(self, found: Sequence[Span], end: int) -> list[Span]:
        """The first object, and those that are joined to it ("Hunde oder Katzen"); others say where something is."""
        asked: list[Span] = []
        for span in found:
            if span.meaning == NO_OBJECT:
                continue
            between = self.tokens[asked[-1].end : span.start] if asked else ()
            is_joined = any(token in self.vocabulary.lists["comparing"] for token in between) and all(
                token in self.vocabulary.lists["neutral"] or token in self.vocabulary.lists["comparing"]
                for token in between
            )
            if not asked or is_joined:
                asked.append(span)
        return asked

    def _objects(self, asked: Sequence[Span], left: str) -> tuple[Objects, ...]:
        if not asked:
            return (Objects(left) if left else Objects("objects", everything=True),)
        unique = {span.meaning: None for span in asked}
        return tuple(replace(_object(meaning), unjudged=left) for meaning in unique)

    def _left_over(self, used: set[int]) -> str:
        known = (self.vocabulary.lists[name] for name in ("neutral", "negation", "everything", "comparing"))
        ignored = frozenset().union(*known)
        left = [
            token
            for at, token in enumerate(self.tokens)
            if at not in used and token not in ignored and self.vocabulary.number(token) is None and token.isalpha()
        ]
        return ("" if self.vocabulary.code in WITHOUT_BLANKS else " ").join(left)

    def _is_negated(self, asked: Sequence[Span]) -> bool:
        """Whether a negation stands before an object, or is one ("niemand"); after it, it belongs to a particle."""
        last = max((span.end for span in asked), default=len(self.tokens))
        return any(token in self.vocabulary.lists["negation"] for token in self.tokens[:last])

    def _relation(self, with_sign: bool) -> tuple[Relation | None, float | None, set[int]]:
        """A comparison with a number, and the words used for it: "mehr als drei", "genau 2", and unless it has to be
        `with_sign` "zwei" ("welches der zwei Bilder" compares with no number).
        """
        for span in self.vocabulary.find("relations", self.tokens):
            number = self.vocabulary.number(self.tokens[span.end]) if span.end < len(self.tokens) else None
            if number is not None:
                return relation(span.meaning), number, {*range(span.start, span.end + 1)}
        for at, token in enumerate(() if with_sign else self.tokens):
            number = self.vocabulary.number(token)
            if number is not None and number >= MIN_NUMBER:
                return "==", number, {at}
        return None, None, set()


def _object(word: str) -> Objects:
    """The object that an English word of the detector's vocabulary means."""
    meaning = coco.meaning(word)
    return Objects(word, meaning.labels, is_wider=meaning.is_wider) if meaning else Objects(word)
