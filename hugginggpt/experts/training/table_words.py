"""The training of the head that tells which unknown words of a question matter (hugginggpt/experts/table_fillers.py),
and how good it is.

data/reading/table_words.txt has tables with questions to them, in which such words are marked, asides.txt what people
say beside a question. Every third table and every third aside is for measuring alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hugginggpt.common import word_lists
from hugginggpt.common.paths import ROOT
from hugginggpt.experts import logistic, table_fillers
from hugginggpt.experts.table_columns import TypedTable, typed
from hugginggpt.experts.table_fillers import Sentence
from hugginggpt.experts.table_meaning import MeaningReader
from hugginggpt.experts.table_words import WEIGHTLESS

DATA, ASIDES = (ROOT / "data" / "reading" / name for name in ("table_words.txt", "asides.txt"))
PENALTY, EVERY = 300.0, 3
OF_ASIDE = 2
"""So many words of an aside are taken, so that those that matter are not outnumbered."""
_MARKED = re.compile(r"(?<!\w)([*_])([^*_\n]+?)\1(?!\w)")


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the offsets of its marked words, and which of them matter."""

    table: TypedTable
    text: str
    places: tuple[tuple[int, int], ...]
    matter: tuple[bool, ...]
    held_out: bool

    @property
    def sentence(self) -> Sentence:
        reader = MeaningReader(self.table, self.text)
        reader.read()
        return reader.sentence


def every_case() -> list[Case]:
    """The questions of the file, and for each of them the same with an aside."""
    parts = re.split(r"^== ", DATA.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    cases = [case for at, part in enumerate(parts) for case in _cases(part, at % EVERY == EVERY - 1)]
    return [*cases, *_with_asides(cases)]


def _with_asides(cases: Sequence[Case]) -> Iterator[Case]:
    """Each question with an aside before or behind it, those that are held out with such a one; no word of an aside
    matters.
    """
    sections = word_lists.sections(ASIDES)
    asides = [(side, text) for side in ("before", "behind") for text in sections[side]]
    parted = {
        held: [one for at, one in enumerate(asides) if (at % EVERY == EVERY - 1) is held] for held in (True, False)
    }
    for at, case in enumerate(cases):
        side, text = parted[case.held_out][at % len(parted[case.held_out])]
        question = case.text.rstrip("?") if side == "behind" else case.text
        joint = "" if text.startswith(",") else " "
        start = 0 if side == "before" else len(question) + len(joint)
        shift = len(text) + 1 if side == "before" else 0
        words = [found.span() for found in re.finditer(r"[^\W\d_]{3,}", text) if found[0].lower() not in WEIGHTLESS]
        places = [(first + shift, last + shift) for first, last in case.places]
        idle = [(first + start, last + start) for first, last in words[:: max(1, len(words) // OF_ASIDE)][:OF_ASIDE]]
        whole = f"{text} {question}" if side == "before" else f"{question}{joint}{text}"
        yield Case(case.table, whole, (*places, *idle), (*case.matter, *[False] * len(idle)), case.held_out)


def _cases(part: str, held_out: bool) -> Iterator[Case]:
    title, *lines = filter(None, part.splitlines())
    columns = {name: cells.split("; ") for name, _, cells in (line.partition(": ") for line in lines if line[0] != "?")}
    size = max(map(len, columns.values()))
    table = typed({name: [*cells, *[""] * (size - len(cells))] for name, cells in columns.items()}, title)
    for line in lines:
        if line[0] == "?":
            text, places, matter = "", [], []
            for plain, mark, word in _pieces(line[2:]):
                text += plain
                if mark:
                    places.append((len(text), len(text) + len(word)))
                    matter.append(mark == "*")
                    text += word
            yield Case(table, text, tuple(places), tuple(matter), held_out)


def _pieces(line: str) -> Iterator[tuple[str, str, str]]:
    """(the words before, the mark, the marked word) of each marked word, and what is behind the last."""
    at = 0
    for found in _MARKED.finditer(line):
        yield line[at : found.start()], found[1], found[2]
        at = found.end()
    yield line[at:], "", ""


def train(cases: Sequence[Case]) -> logistic.Logistic:
    """The regression over what is looked at in each word."""
    import numpy as np

    rows = [sentence.features(*place) for case in cases for sentence in [case.sentence] for place in case.places]
    labels = [float(one) for case in cases for one in case.matter]
    values = np.array([list(row.values()) for row in rows])
    return logistic.fit(tuple(rows[0]), values, np.array(labels), PENALTY)


def figures(cases: Sequence[Case]) -> dict[str, float]:
    """Of words that were held out: how many of those that matter are left out, and of the others."""
    scores = [
        pair
        for one in cases
        for pair in zip(table_fillers.mattering(one.sentence, one.places), one.matter, strict=True)
    ]
    matter, idle = ([score for score, matters in scores if matters is wanted] for wanted in (True, False))
    shares = {
        f"{name} of {len(some)} that {what}": round(sum(score < bound for score in some) / max(1, len(some)), 3)
        for name, bound in (("left out", table_fillers.MATTERS), ("not vital", table_fillers.VITAL))
        for what, some in (("matter", matter), ("do not", idle))
    }
    return {"words": len(scores), **shares}
