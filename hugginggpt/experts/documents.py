"""Embedded experts for text in pictures: optical character recognition by RapidOCR, captions and document questions."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.common.threads import once
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.core.results import BOXES
from hugginggpt.experts.minilm import similarities
from hugginggpt.experts.registry import expert
from hugginggpt.experts.text import MINILM
from hugginggpt.experts.vision import ONNX, detect_in
from hugginggpt.media.decoding import load_image

MIN_TEXT_SCORE = 0.7
"""Text recognised with a lower score is mostly a pattern that is not text."""
MIN_PAGE_WORDS = 8
"""A picture with at least so many words counts as a document, not as a scene with a sign in it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text as the recogniser found it, and its box in pixels."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


def read_lines(image: Path) -> list[list[Line]]:
    """The text of a picture in reading order: rows from top to bottom, the lines of each from left to right."""
    import numpy as np

    pixels = np.asarray(load_image(image))[:, :, ::-1]
    with _ocr_lock:
        result = _rapidocr()(pixels)
    if result.txts is None:
        return []
    lines = [
        Line(text, float(box[:, 0].min()), float(box[:, 1].min()), float(box[:, 0].max()), float(box[:, 1].max()))
        for text, box in zip(result.txts, result.boxes, strict=True)
    ]
    return _rows(lines)


_ocr_lock = threading.Lock()


@once
def _rapidocr() -> Any:
    from rapidocr import RapidOCR

    return RapidOCR(params={"Global.log_level": "error", "Global.text_score": MIN_TEXT_SCORE})


def _rows(lines: list[Line]) -> list[list[Line]]:
    """Groups lines into rows: two lines whose heights overlap by half are in one row."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.top):
        for row in reversed(rows[-3:]):
            overlap = min(line.bottom, row[0].bottom) - max(line.top, row[0].top)
            if overlap > 0.5 * min(line.bottom - line.top, row[0].bottom - row[0].top):
                row.append(line)
                break
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


@expert(
    "rapidocr-nanodet", "image-to-text",
    "Reads the text in a picture (RapidOCR); otherwise names the objects a detector finds (no learned captions).",
    ("rapidocr", *ONNX),
)  # fmt: skip
def describe(image: Path) -> dict[str, Any]:
    """The text of a page; for other pictures the objects in it and any text. Both also under their own keys."""
    text = "\n".join(" ".join(line.text for line in row) for row in read_lines(image))
    if len(text.split()) >= MIN_PAGE_WORDS:
        return {"generated text": text, "text in the picture": text}
    objects = BOXES.to_text({"predicted": detect_in(load_image(image))})
    parts = [
        f"a picture with {objects}" if objects else "",
        f"the text: {' / '.join(text.splitlines())}" if text else "",
    ]
    if not any(parts):
        raise ExpertUnavailable(
            "No text and none of the 80 everyday objects that the offline detector knows is in the picture; "
            f"set HF_TOKEN or start {MODEL_SERVER} for a model that describes pictures."
        )
    return {"generated text": ", ".join(filter(None, parts)), "text in the picture": text, "objects": objects}


@expert(
    "rapidocr-minilm", "document-question-answering",
    "Reads a page (RapidOCR) and answers with the row closest to the question (all-MiniLM-L6-v2).",
    ("rapidocr", *MINILM),
)  # fmt: skip
def answer_from_page(image: Path, text: str) -> list[dict[str, Any]]:
    """Up to three statements of the page closest to the question, each reduced to its value where it has a name."""
    entries = _entries(read_lines(image))
    if not entries:
        raise ExpertUnavailable("No text was found on the page.")
    statements = [entry.text for entry in entries]
    closeness = similarities(text, statements)
    ranked = sorted(
        range(len(entries)), key=lambda index: -(closeness[index] + 0.5 * _shared_words(text, statements[index]))
    )
    return [
        {
            "answer": entries[index].value,
            "score": round(max(0.0, min(1.0, closeness[index])), 4),
            "entry": statements[index],
        }
        for index in ranked[:3]
    ]


@dataclass(slots=True)
class _Entry:
    """A statement of the page: "Due date: 11 April 2025", or a row without a colon. `name` ends with the colon."""

    name: str
    parts: list[str]
    left: float = 0.0

    @property
    def value(self) -> str:
        return " ".join(self.parts) or self.name

    @property
    def text(self) -> str:
        return f"{self.name} {' '.join(self.parts)}".strip()


def _entries(rows: list[list[Line]]) -> list[_Entry]:
    """The statements of a page. A name without a value beside it ("Bill to:") has its value below, left-aligned."""
    entries: list[_Entry] = []
    open_names: list[_Entry] = []
    for row in rows:
        row_entries: list[_Entry] = []
        for line in row:
            name, colon, value = line.text.partition(":")
            if colon and len(name.split()) <= 4:
                row_entries.append(_Entry(f"{name}:", [value.strip()] if value.strip() else [], line.left))
            elif row_entries:
                row_entries[-1].parts.append(line.text)
            else:
                row_entries.append(_Entry("", [line.text], line.left))
        height = row[0].bottom - row[0].top
        for entry in row_entries:
            heading = next((name for name in open_names if abs(name.left - entry.left) < height), None)
            if heading and not entry.name and len(heading.parts) < 3:
                heading.parts.extend(entry.parts)
        open_names = [entry for entry in open_names if len(entry.parts) < 3] + [
            entry for entry in row_entries if entry.name and not entry.parts
        ]
        entries.extend(row_entries)
    return entries


STOP_WORDS = frozenset(
    "what which who when where how much many is are was were the a an of on in to for this that it do does".split()  # noqa: SIM905
)


def _words(text: str) -> set[str]:
    """The stems of the content words of a text: "billed" counts as "bill"."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {re.sub(r"(?<=...)(?:ed|ing|s)$", "", word) for word in words if word not in STOP_WORDS}


def _shared_words(question: str, row: str) -> float:
    """The share of the words in a row's name (the part before its first digit or colon) that are in the question."""
    name = _words(re.split(r"[:\d]", row, maxsplit=1)[0])
    return len(name & _words(question)) / len(name) if name else 0.0
