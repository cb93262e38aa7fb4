"""Drawn pages: the training of the reader of pages, and how good it is, with the recogniser's own reading of them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hugginggpt.experts import logistic, ocr, pages
from hugginggpt.experts.training.page_samples import drawn

SEEN, HELD_OUT = range(120), range(1000, 1024)
"""The pages for training, whose texts are known from the drawing, and those for measuring, which are recognised."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question to a page, as the recogniser read it; the answer is empty where the page has none."""

    kind: str
    rows: tuple[tuple[ocr.Line, ...], ...]
    question: str
    answer: str

    def is_answered_by(self, value: str) -> bool:
        return bool(self.answer) and is_same(self.answer, value)


def is_same(truth: str, value: str) -> bool:
    """Whether a value is the true one, apart from spaces, case and the recogniser's slips, or a little more."""
    bare, other = (re.sub(r"[\W_]", "", text).lower() for text in (truth, value))
    return bare in other and len(other) <= len(bare) + 60 and (not bare.isdigit() or bare == re.sub(r"\D", "", value))


def cases(numbers: Sequence[int], recognised: bool) -> Iterator[Case]:
    """The questions to the pages of these numbers; their lines are `recognised`, or those that were drawn."""
    for page in drawn(numbers):
        if recognised:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "page.png"
                page.picture().save(file)
                rows = ocr.read_lines(file)
        else:
            rows = ocr.rows_of(page.lines())
        for question, answer in page.questions:
            yield Case(page.kind, tuple(map(tuple, rows)), question, answer)


def train(seen: Sequence[Case]) -> logistic.Logistic:
    """The regression trained on some cases, a row for each pair of a page."""
    import numpy as np

    features: list[tuple[float, ...]] = []
    labels: list[float] = []
    for case in seen:
        candidates = pages.pairs(case.rows)
        features.extend(pages.described(case.question, candidates))
        labels.extend(float(case.is_answered_by(pair.value)) for pair in candidates)
    return logistic.fit(pages.FEATURES, np.array(features), np.array(labels))


def figures(unseen: Sequence[Case]) -> dict[str, Any]:
    """How the reader answers: precision of answers, share of answerable questions answered rightly, refusals."""
    given = [(case, pages.answers(case.question, case.rows)) for case in unseen]
    answered = [(case, answer[0]["answer"]) for case, answer in given if answer]
    right = [case for case, answer in answered if case.is_answered_by(answer)]
    absent = [case for case in unseen if not case.answer]
    return {
        "questions": len(unseen),
        "answered": len(answered),
        "precision": round(len(right) / max(1, len(answered)), 3),
        "answerable answered rightly": round(len(right) / (len(unseen) - len(absent)), 3),
        "unanswerable not answered": round(
            sum(not answer for case, answer in given if not case.answer) / len(absent), 3
        ),
    }
