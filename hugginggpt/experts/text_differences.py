"""Embedded expert for what differs between two texts, line by line, or sentence by sentence where they are prose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from hugginggpt.experts import text_changes
from hugginggpt.experts.registry import expert
from hugginggpt.experts.sentences import sentences

MIN_LINES = 3
"""A text of fewer lines is compared by its sentences."""
MAX_SHOWN = 12
"""So many differences are shown."""
MAX_CHARS = 200
MIN_ALIKE = 0.5
"""How like each other two lines are, from 0 to 1, of which one was changed into the other."""


@expert("difflib", "compare-texts", "The lines in which two texts differ, all or those of a topic (difflib).")
def compare(text1: str, text2: str, topic: str = "") -> dict[str, Any]:
    """The differences in words, and their number; those of a topic where words name one that some of them are about, or
    what is asked of them: by how much an amount changed.
    """
    first, second = _units(text1), _units(text2)
    found = list(_differences(first, second))
    if not found:
        return {"generated text": "The two texts are the same, line by line.", "differences": 0}
    if topic and (told := text_changes.answer(topic, found, first, second)):
        return {"generated text": told, "differences": len(found), "topic": topic}
    about = text_changes.on_topic(text_changes.topic_of(topic), found) if topic else []
    if about and len(about) < len(found):
        shown = _in_words(*about[0]) if len(about) == 1 else _shown(about)
        return {"generated text": shown, "differences": len(about), "topic": topic}
    return {
        "generated text": f"The two texts line by line: {_number(len(found))}:\n{_shown(found)}",
        "differences": len(found),
    }


def _number(count: int) -> str:
    return "One difference" if count == 1 else f"{count} differences"


def _shown(changes: Sequence[text_changes.Change]) -> str:
    """Changes in words, a line each."""
    more = [f"… and {len(changes) - MAX_SHOWN} more"] if len(changes) > MAX_SHOWN else []
    return "\n".join([*(f"- {_in_words(*change)}" for change in changes[:MAX_SHOWN]), *more])


def _in_words(left: str, right: str) -> str:
    if left and right:
        return f"“{_short(left)}” → “{_short(right)}”"
    return f"only in the first: “{_short(left)}”" if left else f"only in the second: “{_short(right)}”"


def _units(text: str) -> list[str]:
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return lines if len(lines) >= MIN_LINES else sentences(text)


def _differences(first: Sequence[str], second: Sequence[str]) -> Iterator[text_changes.Change]:
    """What became what, or stands in one of the texts only."""
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    for _, start, end, other_start, other_end in (block for block in blocks if block[0] != "equal"):
        left, right = list(first[start:end]), list(second[other_start:other_end])
        for line in left:
            if (changed := _most_alike(line, right)) is not None:
                right.remove(changed)
                yield line, changed
            else:
                yield line, ""
        for line in right:
            yield "", line


def _most_alike(line: str, others: Sequence[str]) -> str | None:
    likeness = {other: SequenceMatcher(None, line.split(), other.split()).ratio() for other in others}
    best = max(likeness, key=likeness.__getitem__, default=None)
    return best if best is not None and likeness[best] >= MIN_ALIKE else None


def _short(line: str) -> str:
    return line if len(line) <= MAX_CHARS else f"{line[:MAX_CHARS].rstrip()} …"
