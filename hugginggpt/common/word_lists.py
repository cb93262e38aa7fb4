"""The files of words in data/: `# comments`, "name: word, word", or below [headings] "name = word, word"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_CHINESE = re.compile(r"[\u3400-\u9fff]")


def lines(file: Path) -> Iterator[str]:
    """The lines of a file, without comments and those that are empty."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def lists(file: Path) -> dict[str, tuple[str, ...]]:
    """The words by their names; a name that has several lines has the words of all."""
    found: dict[str, tuple[str, ...]] = {}
    for line in lines(file):
        name, _, words = line.partition(":")
        found[name.strip()] = (*found.get(name.strip(), ()), *(word.strip() for word in words.split(",")))
    return found


def sections(file: Path) -> dict[str, list[str]]:
    """The lines below each heading."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines(file):
        if line.startswith("["):
            found[name := line.strip("[]")] = []
        else:
            found[name].append(line)
    return found


def holds(spaced: str, phrases: Iterable[str]) -> bool:
    """Whether words with a space around each hold a phrase; Chinese is written without blanks."""
    bare = spaced.replace(" ", "")
    return any(one in bare if _CHINESE.match(one) else f" {one} " in spaced for one in phrases)
