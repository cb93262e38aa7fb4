"""The 80 object classes of COCO, and the words that people use for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.results import plural

WORDS = EXPERTS_DATA / "object_words.txt"


@dataclass(frozen=True, slots=True)
class Meaning:
    """The classes that a word stands for; `is_wider` where they mean more than the word ("man" is a person)."""

    labels: tuple[str, ...]
    is_wider: bool = False


@cache
def labels() -> tuple[str, ...]:
    """The class names in the order in which detectors number them."""
    return tuple((EXPERTS_DATA / "coco80.txt").read_text(encoding="utf-8").split("\n")[:80])


def meaning(word: str) -> Meaning | None:
    """What a word or compound means, in singular or plural; None for one that no class stands for."""
    return _meanings().get(word.lower())


def group(name: str) -> tuple[str, ...]:
    """The classes of a group ("animal"). Raises KeyError."""
    return _meanings()[name].labels


@cache
def _meanings() -> dict[str, Meaning]:
    meanings: dict[str, Meaning] = {}
    for word, meant in [*((label, Meaning((label,))) for label in labels()), *_read_words()]:
        for form in (word, plural(word), _plural_in_ies(word)):
            meanings.setdefault(form, meant)
    return meanings


def _plural_in_ies(word: str) -> str:
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in tuple("aeiou") else word


def _read_words() -> Iterator[tuple[str, Meaning]]:
    for line in WORDS.read_text(encoding="utf-8").splitlines():
        name, sign, words = next(
            (line.partition(f" {sign} ") for sign in "=>:" if f" {sign} " in line), ("", "", "")
        )  # fmt: skip
        listed = [word.strip() for word in words.split(",")]
        if line.startswith("#") or not sign:
            continue
        if ":" in sign:
            yield name, Meaning(tuple(listed))
        else:
            yield from ((word, Meaning((name,), is_wider=">" in sign)) for word in listed)
