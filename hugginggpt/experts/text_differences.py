"""Embedded expert for what differs between two texts, line by line, or sentence by sentence where they are prose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from hugginggpt.experts.registry import expert
from hugginggpt.experts.sentences import sentences

MIN_LINES = 3
"""A text of fewer lines is compared by its sentences."""
MAX_SHOWN = 12
"""So many differences are shown."""
MAX_CHARS = 200
MIN_ALIKE = 0.5
"""How like each other two lines are, from 0 to 1, of which one was changed into the other."""


@expert("difflib", "compare-texts", "The lines in which two texts differ (difflib).")
def compare(text1: str, text2: str) -> dict[str, Any]:
    """The differences in words, and their number."""
    first, second = _units(text1), _units(text2)
    found = list(_differences(first, second))
    if not found:
        return {"generated text": "The two texts are the same, line by line.", "differences": 0}
    more = [f"… and {len(found) - MAX_SHOWN} more"] if len(found) > MAX_SHOWN else []
    number = "One difference" if len(found) == 1 else f"{len(found)} differences"
    return {
        "generated text": "\n".join([f"{number}:", *found[:MAX_SHOWN], *more]),
        "differences": len(found),
    }


def _units(text: str) -> list[str]:
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return lines if len(lines) >= MIN_LINES else sentences(text)


def _differences(first: Sequence[str], second: Sequence[str]) -> Iterator[str]:
    """A line for each: what became what, or stands in one of the texts only."""
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    for _, start, end, other_start, other_end in (block for block in blocks if block[0] != "equal"):
        left, right = list(first[start:end]), list(second[other_start:other_end])
        for line in left:
            if (changed := _most_alike(line, right)) is not None:
                right.remove(changed)
                yield f"- “{_short(line)}” → “{_short(changed)}”"
            else:
                yield f"- only in the first: “{_short(line)}”"
        for line in right:
            yield f"- only in the second: “{_short(line)}”"


def _most_alike(line: str, others: Sequence[str]) -> str | None:
    likeness = {other: SequenceMatcher(None, line.split(), other.split()).ratio() for other in others}
    best = max(likeness, key=likeness.__getitem__, default=None)
    return best if best is not None and likeness[best] >= MIN_ALIKE else None


def _short(line: str) -> str:
    return line if len(line) <= MAX_CHARS else f"{line[:MAX_CHARS].rstrip()} …"
