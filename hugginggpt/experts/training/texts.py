"""Questions to texts (data/reading/texts.txt): the training of the reader of texts, and how good it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hugginggpt.common.paths import ROOT
from hugginggpt.experts import logistic, reading

DATA = ROOT / "data" / "reading" / "texts.txt"


@dataclass(frozen=True, slots=True)
class Case:
    """A question to a text. `pieces` are parts of the sentences that answer it, none where the text does not say."""

    name: str
    context: str
    question: str
    pieces: tuple[str, ...]
    polarity: str = ""
    held_out: bool = False

    def is_answered_by(self, sentence: str) -> bool:
        return any(piece in sentence for piece in self.pieces)


def cases(text: str) -> Iterator[Case]:
    """The cases in the format that the head of data/reading/texts.txt explains."""
    for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        lines = rest.splitlines()
        context = "\n".join(line for line in lines if not line.startswith("?")).strip()
        for line in lines:
            if line.startswith("?"):
                question, _, answer = line[1:].partition(" =")
                polarity, pieces = re.fullmatch(r"\s*(?:(yes|no):)?(.*)", answer).groups()  # type: ignore[union-attr]
                yield Case(
                    name, context, question.strip(),
                    tuple(piece.strip() for piece in pieces.split("|") if piece.strip()),
                    polarity or "", "(held out)" in name,
                )  # fmt: skip


def train(seen: Sequence[Case]) -> logistic.Logistic:
    """The regression trained on some cases, a row for each candidate sentence."""
    import numpy as np

    rows = [(case, statement) for case in seen for statement in reading.described(case.question, case.context)]
    features = np.array([statement.features for _, statement in rows])
    labels = np.array([case.is_answered_by(statement.text) for case, statement in rows], float)
    return logistic.fit(reading.FEATURES, features, labels)


def figures(unseen: Sequence[Case]) -> dict[str, Any]:
    """How the reader answers: precision of answers, share of answerable questions answered rightly, refusals."""
    answers = [(case, reading.answer(case.question, case.context)) for case in unseen]
    given = [(case, answer) for case, answer in answers if "score" in answer]
    right = [case for case, answer in given if case.is_answered_by(answer["answer"])]
    near = [(case, answer) for case, answer in answers if "closest" in answer]
    unanswerable = [(case, answer) for case, answer in answers if not case.pieces]
    refused = [case for case, answer in unanswerable if "score" not in answer]
    polar = [(case, answer["answer"]) for case, answer in given if re.match(r"(?:Yes|No): ", answer["answer"])]
    right_or_near = len(right) + sum(case.is_answered_by(answer["closest"]) for case, answer in near)
    answerable = len(answers) - len(unanswerable)
    return {
        "questions": len(answers),
        "answered": len(given),
        "precision": round(len(right) / max(1, len(given)), 3),
        "answerable answered rightly": round(len(right) / answerable, 3),
        "answerable answered rightly or as the closest": round(right_or_near / answerable, 3),
        "unanswerable not answered": round(len(refused) / len(unanswerable), 3),
        "yes or no": len(polar),
        "wrong yes or no": sum(not text.lower().startswith(case.polarity or "?") for case, text in polar),
    }
