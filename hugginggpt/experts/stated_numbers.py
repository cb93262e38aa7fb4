"""The numbers that a question states, each with what it counts: "both my twins", "26 kids", "we are four", "in a year".

The words stand in data/experts/working_words.txt, in five languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts.listed import number_of

WORD = re.compile(r"\d+(?:[.,:/]\d+)*|[\u3400-\u9fff]|[^\W\d_]+(?:[-'’][^\W\d_]+)*|[,.;!?]")
MAX_NOUNS = 3
IN_A = {
    ("month", "year"): 12, ("week", "year"): 52, ("day", "week"): 7, ("night", "week"): 7, ("day", "year"): 365,
}  # fmt: skip
"""How many of one time there are in another."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A number with the words behind it, up to a comma or another number; `are_we` tells that it is of those who ask,
    `sentence` in which sentence of the question it stands.
    """

    number: float
    words: tuple[str, ...]
    are_we: bool = False
    sentence: int = 0

    @property
    def is_people(self) -> bool:
        text = spaced(" ".join(self.words))
        return self.are_we or any(f" {word} " in text for word in listed("people"))

    @property
    def is_us(self) -> bool:
        """Whether it counts those who ask."""
        return self.are_we or self.words[:2] == ("of", "us")

    @property
    def is_young(self) -> bool:
        text = spaced(" ".join(self.words))
        return any(f" {word} " in text for word in listed("young"))

    @property
    def time(self) -> str:
        """The time that it counts ("month"), else ""."""
        return next((units()[word] for word in self.words[:2] if word in units()), "")


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    return word_lists.lists(EXPERTS_DATA / "working_words.txt")


def listed(kind: str) -> tuple[str, ...]:
    """The words of a kind."""
    return _lists()[kind]


@cache
def units() -> dict[str, str]:
    """The words for times, each with the one that it is a form of: "pcm" -> "month"."""
    return pairs("units")


@cache
def pairs(kind: str) -> dict[str, str]:
    """The words of a kind, each with what it stands for."""
    return {word: value for word, _, value in (pair.partition("=") for pair in listed(kind))}


def spaced(text: str) -> str:
    """The words of a text in lower case, a space around each."""
    return f" {' '.join(WORD.findall(text.lower().replace('’', chr(39))))} "


def says(text: str, kind: str) -> bool:
    """Whether a text has a phrase of a kind."""
    return word_lists.holds(spaced(text), listed(kind))


def value_of(word: str) -> float | None:
    """The value of a word that is a number; None for any other, and for a time or date."""
    if re.fullmatch(r"\d+(?:[.,]\d+)?", word):
        return number_of(word)
    value = pairs("numbers").get(word)
    return float(value) if value else None


def counted(question: str) -> list[Counted]:
    """The numbers of a question, in order; a time that it names without one ("in a year") is one of it."""
    words = WORD.findall(question.lower().replace("’", "'"))
    found = [_counted(at, number, words) for at, word in enumerate(words) if (number := value_of(word)) is not None]
    if not any(one.time == "year" for one in found) and says(question, "year"):
        found.append(Counted(1, ("year",), sentence=sum(word in ".!?;" for word in words[:-1])))
    return found


def _counted(at: int, number: float, words: list[str]) -> Counted:
    said = [word for word in words[:at] if word not in listed("only")]
    before = f" {' '.join(said[-3:])} "
    are_we = any(before.endswith(f" {one} ") for one in listed("we are")) or said == ["were"]  # "were only three"
    return Counted(number, tuple(_behind(words[at + 1 :])), are_we, sum(word in ".!?;" for word in words[:at]))


def _behind(words: list[str]) -> Iterator[str]:
    for word in words[:MAX_NOUNS]:
        if re.fullmatch(r"[,.;!?]", word) or value_of(word) is not None:
            return
        yield word
