"""Splits long texts into chunks within a model's limit: whole sentences where they fit, else parts of them."""

from __future__ import annotations

import re
from collections.abc import Callable

from hugginggpt.core.errors import UserError
from hugginggpt.experts.sentences import sentences

UNSPACED_FULL_STOPS = re.compile(r"(?<=[。！？])(?=.)", re.DOTALL)
"""Sentence ends that no space follows."""
BREAKS = (re.compile(r"(?<=[,;:])\s+|(?<=[、，；：])"), re.compile(r"\s+"), re.compile(r"(?<=.)(?=.)", re.DOTALL))
"""Where a sentence may be split, the preferred positions first."""
MAX_CHARS = 20_000

Length = Callable[[str], int]


def checked(text: str) -> str:
    """The text, unchanged. Raises UserError if it is too long."""
    if len(text) > MAX_CHARS:
        raise UserError(
            f"The text has {len(text):,} characters, more than the {MAX_CHARS:,} that a model works on at once: "
            "give it in parts."
        )
    return text


def split(text: str, limit: int, length: Length = len) -> list[str]:
    """The sentences of a text, split where one is longer than `limit` by `length`."""
    return [
        chunk
        for part in UNSPACED_FULL_STOPS.split(text)
        for sentence in sentences(part)
        for chunk in _cut(sentence, limit, length)
    ]


def _cut(sentence: str, limit: int, length: Length) -> list[str]:
    """Splits a sentence in halves, recursively, until each part is short enough."""
    if length(sentence) <= limit or len(sentence) < 2:
        return [sentence]
    middle = len(sentence) / 2
    for breaks in BREAKS:
        breakpoints = [match for match in breaks.finditer(sentence) if 0.2 < match.start() / len(sentence) < 0.8]
        if breakpoints or breaks is BREAKS[-1]:
            break
    nearest = min(breakpoints or breaks.finditer(sentence), key=lambda match: abs(match.start() - middle))
    left, right = sentence[: nearest.start()], sentence[nearest.end() :]
    return [*_cut(left, limit, length), *_cut(right, limit, length)]


def packed(parts: list[str], limit: int, length: Length = len) -> list[str]:
    """Joins neighbouring parts as long as they stay within `limit` by `length`."""
    joined: list[str] = []
    for part in parts:
        if joined and length(combined := join_sentences([joined[-1], part])) <= limit:
            joined[-1] = combined
        else:
            joined.append(part)
    return joined


def join_sentences(parts: list[str]) -> str:
    """Sentences as one text, separated by spaces except in Chinese and Japanese."""
    return re.sub(r"(?<=[。！？、，；：]) ", "", " ".join(part.strip() for part in parts if part.strip()))
