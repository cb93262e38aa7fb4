"""The sentences of a page whose lines a margin breaks: half a sentence answers nothing, so the whole one is quoted."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from hugginggpt.experts.ocr import Line, text_of
from hugginggpt.experts.sentences import sentences
from hugginggpt.experts.word_likeness import stems_of

MIN_FRAGMENT_WORDS, MAX_SENTENCE_WORDS = 4, 60
"""A shorter text may be a value, a longer sentence is none, but lines of which the reader knows no end."""
MAX_BLANK = 1.5
"""Texts of a row further apart, by their height, are cells."""


def of(rows: Sequence[Sequence[Line]]) -> list[str]:
    """The sentences of a page that run over more than one row."""
    own = {_plain(" ".join(line.text for line in row)) for row in rows}
    text = "\n".join("" if _is_of_cells(row) else text_of([row]).rstrip("\n") for row in rows)
    found = [" ".join(sentence.split()) for sentence in sentences(text)]
    return [one for one in found if _plain(one) not in own and len(one.split()) <= MAX_SENTENCE_WORDS]


def _is_of_cells(row: Sequence[Line]) -> bool:
    """Whether a row is one of a table, whose texts stand apart."""
    return any(after.left - before.right > MAX_BLANK * before.height for before, after in itertools.pairwise(row))


def whole(text: str, running: Sequence[str], question: str = "") -> str:
    """The sentence of which a text is a part, of several that which has most words of the question; the text itself
    where it is none. `running` are the sentences that run over several rows.
    """
    part = _plain(text)
    if len(text.split()) < MIN_FRAGMENT_WORDS:
        return text
    holding = [one for one in running if _overlaps(part, _plain(one))]
    if not holding or any(part == _plain(one) for one in holding):
        return text
    asked = stems_of(question)
    return max(holding, key=lambda one: (len(asked & stems_of(one)), _shared(part, _plain(one))))


def _overlaps(part: str, sentence: str) -> bool:
    """Whether a part stands in a sentence or holds it, begins with its end, or ends with its beginning."""
    return part in sentence or sentence in part or _shared(part, sentence) > 0


def _shared(part: str, sentence: str) -> int:
    """How many words a part has at its end that begin a sentence, or at its beginning that end it; all where it stands
    in it.
    """
    if part in sentence or sentence in part:
        return min(len(part.split()), len(sentence.split()))
    words, own = part.split(), sentence.split()
    for number in range(min(len(words), len(own)) - 1, 1, -1):
        if words[-number:] == own[:number] or words[:number] == own[-number:]:
            return number
    return 0


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))
