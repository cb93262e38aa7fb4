"""Written pages: the training of the reader of a page's lines, and how good it is on pages that were held out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from hugginggpt.common.paths import ROOT
from hugginggpt.experts import logistic, page_lines
from hugginggpt.experts.ocr import Line
from hugginggpt.experts.pages import Page
from hugginggpt.experts.training import texts

DATA = ROOT / "data" / "reading" / "pages.txt"
EVERYDAY = ROOT / "data" / "reading" / "everyday.txt"
CELL = re.compile(r"\S+(?: \S+)*")
ADVANCE, HEIGHT, LEADING = 13.0, 26.0, 40.0
"""The width of a character, the height of a line and the distance between two, in pixels."""


def every_case() -> list[texts.Case]:
    """The questions to all pages, in the format that the heads of the files explain."""
    return [case for file in (DATA, EVERYDAY) for case in texts.cases(file.read_text(encoding="utf-8"))]


def page_of(layout: str) -> Page:
    """A page whose cells stand two spaces or more apart."""
    return Page(
        [
            [_line(cell[0], cell.start(), number) for cell in CELL.finditer(row)]
            for number, row in enumerate(layout.splitlines())
        ]
    )


def _line(text: str, column: int, row: int) -> Line:
    left, top = ADVANCE * (column + 3), LEADING * (row + 1)
    return Line(text, left, top, left + ADVANCE * len(text), top + HEIGHT)


def _read(cases: Sequence[texts.Case]) -> Iterator[tuple[texts.Case, list[page_lines.Candidate]]]:
    """Each case with what may be quoted of its page."""
    known: dict[str, Page] = {}
    for case in cases:
        page = known.setdefault(case.context, page_of(case.context))
        yield case, page_lines.described(case.question, page)


def train(seen: Sequence[texts.Case]) -> logistic.Logistic:
    """The regression trained on some cases, a row for each line of a page."""
    import numpy as np

    rows = [(case, one) for case, candidates in _read(seen) for one in candidates]
    labels = np.array([is_answered_by(case, one.text) for case, one in rows], float)
    return logistic.fit(page_lines.FEATURES, np.array([one.features for _, one in rows]), labels)


def is_answered_by(case: texts.Case, text: str) -> bool:
    """Whether a line holds one of the pieces that answer, apart from spaces and signs."""
    return any(re.sub(r"\W", "", piece) in re.sub(r"\W", "", text) for piece in case.pieces)


def figures(unseen: Sequence[texts.Case]) -> dict[str, Any]:
    """How lines are given: how many plainly or as probable, and how many of them rightly; and of the rest, how often
    the answer is among the closest that are offered.
    """
    given = [(case, page_lines.answer(case.question, page_of(case.context).rows)[0]) for case in unseen]
    plain = [(case, one) for case, one in given if one.get("found", True)]
    probable = [(case, one) for case, one in given if not one.get("found", True) and "score" in one]
    offered = [(case, one) for case, one in given if not one.get("found", True) and "score" not in one]

    def right(some: Sequence[tuple[texts.Case, dict[str, Any]]]) -> int:
        return sum(is_answered_by(case, one.get("closest", one["answer"])) for case, one in some)

    return {
        "questions": len(given),
        "answerable": sum(bool(case.pieces) for case in unseen),
        "plain": f"{right(plain)} of {len(plain)}",
        "probable": f"{right(probable)} of {len(probable)}",
        "closest": f"{right(offered)} of {len(offered)}",
    }
