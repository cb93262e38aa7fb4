"""Long texts in pieces that a model can read at once: whole sentences where they fit, else parts of them."""

from __future__ import annotations

import re
from collections.abc import Callable

from hugginggpt.core.errors import UserError
from hugginggpt.experts.text import sentences

FULL_STOPS = re.compile(r"(?<=[。！？])(?=.)", re.DOTALL)
"""After these a sentence ends without a space."""
BREAKS = (re.compile(r"(?<=[,;:])\s+|(?<=[、，；：])"), re.compile(r"\s+"), re.compile(r"(?<=.)(?=.)", re.DOTALL))
"""Where a sentence may be cut, the best places first."""
MAX_CHARS = 20_000

Length = Callable[[str], int]


def checked(text: str) -> str:
    """The text if it can be worked on at once. Raises UserError when it is too long."""
    if len(text) > MAX_CHARS:
        raise UserError(
            f"The text has {len(text):,} characters, more than the {MAX_CHARS:,} that a model works on at once: "
            "give it in parts."
        )
    return text


def split(text: str, most: int, length: Length = len) -> list[str]:
    """The sentences of a text, cut where one is longer than `most` by `length`."""
    return [
        chunk
        for part in FULL_STOPS.split(text)
        for sentence in sentences(part)
        for chunk in _cut(sentence, most, length)
    ]


def _cut(sentence: str, most: int, length: Length) -> list[str]:
    """A sentence in halves of halves until each is short enough."""
    if length(sentence) <= most or len(sentence) < 2:
        return [sentence]
    middle = len(sentence) / 2
    for breaks in BREAKS:
        breakpoints = [match for match in breaks.finditer(sentence) if 0.2 < match.start() / len(sentence) < 0.8]
        if breakpoints or breaks is BREAKS[-1]:
            break
    nearest = min(breakpoints or breaks.finditer(sentence), key=lambda match: abs(match.start() - middle))
    left, right = sentence[: nearest.start()], sentence[nearest.end() :]
    return [*_cut(left, most, length), *_cut(right, most, length)]


def packed(parts: list[str], most: int, length: Length = len) -> list[str]:
    """Neighbouring parts joined as long as they stay within `most` by `length`."""
    joined: list[str] = []
    for part in parts:
        if joined and length(both := joined_up([joined[-1], part])) <= most:
            joined[-1] = both
        else:
            joined.append(part)
    return joined


def joined_up(parts: list[str]) -> str:
    """Sentences as one text: with spaces between them, but for those of Chinese and Japanese."""
    return re.sub(r"(?<=[。！？、，；：]) ", "", " ".join(part.strip() for part in parts if part.strip()))
