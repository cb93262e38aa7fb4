"""The words of a language that the planner knows, from data/planner/words.de.txt and its like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import get_args

from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.core.questions import Relation

CODES = ("de", "fr", "es", "zh")
"""The languages that are understood beside English."""
WITHOUT_BLANKS = ("zh",)
LISTS = (
    "openings",
    "neutral",
    "negation",
    "everything",
    "comparing",
    "conjunctions",
    "repeating",
    "wanting",
    "differing",
)
SENTENCES = ("refusal", "not possible")
NO_OBJECT = "-"
"""Under this name stand words that hold an object's word and mean something else ("河马" is no horse)."""
_TOKEN = re.compile(r"[^\W_]+")
_TOKEN_WITHOUT_BLANKS = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+")

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """The words `start` to `end` of a clause, and what they stand for."""

    start: int
    end: int
    meaning: str


@dataclass(frozen=True)
class Vocabulary:
    """The sections of a file: plain lists of words, lists that stand for something ("dog = Hund, Hunde"), and sentences
    that say that a request is not understood, or not possible, in the language.
    """

    code: str
    lists: Mapping[str, frozenset[str]]
    meanings: Mapping[str, Mapping[str, tuple[str, ...]]]
    refusal: str
    not_possible: str

    @cached_property
    def _known(self) -> tuple[str, ...]:
        """All words of a language without blanks, the longest first, to find them in a text."""
        listed = (word for words in self.lists.values() for word in words)
        meant = (word for section in self.meanings.values() for words in section.values() for word in words)
        return tuple(sorted({*listed, *meant}, key=len, reverse=True))

    def tokens(self, text: str) -> Tokens:
        """The words of a text in lower case; those of a language without blanks by the longest match."""
        if self.code not in WITHOUT_BLANKS:
            return tuple(_TOKEN.findall(text.lower()))
        return tuple(token for run in _TOKEN_WITHOUT_BLANKS.findall(text.lower()) for token in self._parts(run))

    def _parts(self, run: str) -> Iterator[str]:
        offset = 0
        while offset < len(run):
            word = next((word for word in self._known if run.startswith(word, offset)), "")
            if not word and run[offset].isascii():
                word = run[offset:]
            word = word or run[offset]
            yield word
            offset += len(word)

    def find(self, section: str, tokens: Tokens) -> list[Span]:
        """The words of a section in a clause, in order; of overlapping ones the first, and the longest of these."""
        spans: list[Span] = []
        at = 0
        while at < len(tokens):
            lengths = [length for length in self._longest_first[section] if length <= len(tokens) - at]
            phrases = ((length, self._phrases[section].get(tokens[at : at + length])) for length in lengths)
            length, meaning = next(((length, meaning) for length, meaning in phrases if meaning), (1, None))
            if meaning:
                spans.append(Span(at, at + length, meaning))
            at += length
        return spans

    def first(self, section: str, text: str) -> str:
        """What the longest word of a section in a text stands for; "" without one."""
        tokens = self.tokens(text)
        spans = self.find(section, tokens)
        return max(spans, key=lambda span: len("".join(tokens[span.start : span.end]))).meaning if spans else ""

    @cached_property
    def _phrases(self) -> dict[str, dict[Tokens, str]]:
        return {
            section: {self._entry(word): meaning for meaning, words in entries.items() for word in words}
            for section, entries in self.meanings.items()
        }

    @cached_property
    def _longest_first(self) -> dict[str, list[int]]:
        return {section: sorted({*map(len, phrases)}, reverse=True) for section, phrases in self._phrases.items()}

    def _entry(self, word: str) -> Tokens:
        return (word,) if self.code in WITHOUT_BLANKS else self.tokens(word)

    def number(self, token: str) -> int | None:
        """The number that a word or numeral stands for."""
        numbers = self.ordered_numbers
        return int(token) if token.isascii() and token.isdigit() else numbers.get(token)

    @cached_property
    def ordered_numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.meanings["numbers"][""])}


@cache
def vocabulary(code: str) -> Vocabulary:
    """The words of a language of `CODES`."""
    sections: dict[str, list[str]] = {}
    name = ""
    for line in (PLANNER_DATA / f"words.{code}.txt").read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[([\w ]+)\]", line):
            sections[name := heading[1]] = []
        elif line and not line.startswith("#"):
            sections[name].append(line)
    lists = {name: frozenset(re.split(r"[\s,]+", " ".join(sections[name]))) for name in LISTS}
    meanings = {name: _entries(lines) for name, lines in sections.items() if name not in (*lists, *SENTENCES)}
    return Vocabulary(code, lists, meanings, *(" ".join(sections[name]) for name in SENTENCES))


def _entries(lines: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """ "dog = Hund, Hunde" as words by their meaning; words without one stand under ""."""
    entries = {}
    for line in lines:
        meaning, sign, words = line.partition(" = ")
        if sign:
            entries[meaning] = tuple(word.strip() for word in words.split(","))
        else:
            entries[""] = (
                tuple(line.replace(",", " ").split()) if "," not in line else tuple(map(str.strip, line.split(",")))
            )
    return entries


def relation(name: str) -> Relation | None:
    return next((sign for sign in get_args(Relation) if sign == name), None)
