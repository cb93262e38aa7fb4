"""Questions to texts (data/reading/): the training of the reader of texts, and how good it is.

texts.txt and documents.jsonl (a text a line: {"kind", "held_out", "text", "questions": [{"ask", "answer", "span"}]},
with the lines that answer, letter for letter, or none) were written for this project by people who knew no code of it.
Texts that are held out are for measuring alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hugginggpt.common.paths import ROOT
from hugginggpt.experts import joint_reading, logistic, reading
from hugginggpt.experts.sentences import statements
from hugginggpt.experts.training import joint

DATA = ROOT / "data" / "reading" / "texts.txt"
DOCUMENTS = ROOT / "data" / "reading" / "documents.jsonl"
MIN_PART_CHARS = 8


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
        return any(_is_in(piece, sentence) for piece in self.pieces)


def _is_in(piece: str, sentence: str) -> bool:
    """Whether a sentence holds a piece, or is a part of one that was split."""
    piece, sentence = (" ".join(re.findall(r"\w+", text.lower())) for text in (piece, sentence))
    return piece in sentence or (len(sentence) >= MIN_PART_CHARS and sentence in piece)


def every_case() -> list[Case]:
    """The cases of both files."""
    documents = map(json.loads, DOCUMENTS.read_text(encoding="utf-8").splitlines())
    return list(cases(DATA.read_text(encoding="utf-8"))) + [
        Case(one["kind"], one["text"], asked["ask"], tuple(asked["answer"]), held_out=one["held_out"])
        for one in documents
        for asked in one["questions"]
    ]


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


def train(seen: Sequence[Case]) -> tuple[dict[str, Any], logistic.Logistic]:
    """The joint reader's upper layers, trained on some cases, and the regression that weighs what they say.

    The regression sees every second text as layers read it that were trained on the others, and so learns how far to
    trust them in a text that is new.
    """
    import numpy as np

    by_text: dict[str, list[Case]] = {}
    for case in seen:
        by_text.setdefault(case.context, []).append(case)
    texts = [list(part) for part in by_text.values()]
    joint_reading.use(joint.train([_document(part) for part in texts[1::2]]))
    rows = [
        (case, one) for part in texts[::2] for case in part for one in reading.described(case.question, case.context)
    ]
    features = np.array([statement.features for _, statement in rows])
    labels = np.array([case.is_answered_by(statement.text) for case, statement in rows], float)
    head = logistic.fit(reading.FEATURES, features, labels)
    return joint.train([_document(part) for part in texts]), head


def _document(asked: Sequence[Case]) -> joint.Document:
    sentences = statements(asked[0].context)
    answers = [[n for n, text in enumerate(sentences) if case.is_answered_by(text)] for case in asked]
    return joint.document(sentences, [case.question for case in asked], answers, [bool(case.pieces) for case in asked])


def figures(unseen: Sequence[Case]) -> dict[str, Any]:
    """How the reader answers: precision of answers, share of answerable questions answered rightly, refusals."""
    answers = [(case, reading.answer(case.question, case.context)) for case in unseen]
    given = [(case, answer) for case, answer in answers if answer.get("found", True)]
    right = [case for case, answer in given if case.is_answered_by(answer["answer"])]
    near = [(case, answer) for case, answer in answers if "closest" in answer]
    unanswerable = [(case, answer) for case, answer in answers if not case.pieces]
    refused = [case for case, answer in unanswerable if not answer.get("found", True)]
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
