"""Optical character recognition (RapidOCR): the lines of text of a picture, upright and in reading order."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.core.documents import DocumentText
from hugginggpt.experts.remembered import remembered
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

MIN_TEXT_SCORE = 0.7
"""Text recognised with a lower score is mostly a pattern that is not text."""
UPRIGHT_SCORE = 0.9
"""The mean score of a page's text is higher if it is upright; if it is not, other turns are tried."""
MIN_GUTTER_ROWS = 4
MIN_COLUMN_WORDS = 3.5
"""Columns of running text have so many words a line on average; the columns of a table or a form have fewer."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text as the recogniser read it, its box in pixels of the upright page, and its score."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    score: float = 1.0

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def offset(self, cell: Line) -> float:
        """How far a cell stands from this head of a column: these are aligned on the left, in the middle or on the
        right.
        """
        return min(abs(self.left - cell.left), abs(self.middle - cell.middle), abs(self.right - cell.right))


def read_lines(image: Path) -> list[list[Line]]:
    """The text of a picture in reading order: rows from top to bottom, the lines of each from left to right.

    A page that lies on its side or on its head is turned, one that is askew is straightened; columns of running text
    follow one another.
    """
    return [row for column in _columns([Line(*line) for line in _lines(image)]) for row in rows_of(column)]


@remembered("rapidocr")
def _lines(image: Path) -> list[list[Any]]:
    """The lines of an upright page, each with the left, top, right and bottom of its box, and its score."""
    import numpy as np

    pixels = np.asarray(load_image(image))[:, :, ::-1]
    return _straightened([text for text in _upright(pixels) if text[1] >= MIN_TEXT_SCORE])


def page_text(image: Path) -> str:
    """The text of a page, a line for each row."""
    return text_of(read_lines(image))


Recognised = tuple[str, float, Any]
"""A text, its score and the corners of its box, float32, shape (4, 2), from the upper left clockwise."""


def recognised(picture: Image) -> list[tuple[str, Any]]:
    """The texts of an RGB picture as it lies, each with the corners of its box in pixels, shape (4, 2), from the upper
    left clockwise.
    """
    import numpy as np

    pixels = np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])
    return [(text.strip(), box) for text, score, box in _recognised(pixels) if score >= MIN_TEXT_SCORE]


def _upright(pixels: Any) -> list[Recognised]:
    """The recognised texts of the page, turned by right angles if they are recognised better so."""
    import numpy as np

    best = _recognised(pixels)
    if not best or _quality(best) >= UPRIGHT_SCORE:
        return best
    tall = sum(np.ptp(box[:, 1]) > 1.5 * np.ptp(box[:, 0]) for _, _, box in best)
    for turns in (1, 3) if tall > len(best) / 2 else (2,):
        turned = _recognised(np.ascontiguousarray(np.rot90(pixels, turns)))
        if turned and _quality(turned) > max(_quality(best), 0.8):
            best = turned
    return best


def _recognised(pixels: Any) -> list[Recognised]:
    with _ocr_lock:
        result = _rapidocr()(pixels)
    if result.txts is None:
        return []
    return [each for each in zip(result.txts, result.scores, result.boxes, strict=True) if each[0].strip()]


def _quality(texts: Sequence[Recognised]) -> float:
    """The mean score, weighted by the lengths of the texts."""
    return sum(score * len(text) for text, score, _ in texts) / sum(len(text) for text, _, _ in texts)


_ocr_lock = threading.Lock()


@once
def _rapidocr() -> Any:
    from rapidocr import RapidOCR
    from rapidocr.inference_engine.onnxruntime.main import OrtInferSession

    usual = OrtInferSession._init_sess_opts

    def options(settings: Any) -> Any:
        """Threads that sleep when they wait, and take small pieces of the work one after the other: beside other work
        none waits for one whose processor is busy.
        """
        made = usual(settings)
        made.add_session_config_entry("session.intra_op.allow_spinning", "0")
        made.add_session_config_entry("session.dynamic_block_base", "4")
        return made

    # RapidOCR has no setting for this.
    OrtInferSession._init_sess_opts = staticmethod(options)  # type: ignore[method-assign, assignment]
    # The classifier of upside-down lines would hide that the page is on its head.
    return RapidOCR(params={"Global.log_level": "error", "Global.text_score": 0.0, "Global.use_cls": False})


def _straightened(texts: Sequence[Recognised]) -> list[list[Any]]:
    """Lines with upright boxes: the corners turned back by the angle in which most of the text runs."""
    import numpy as np

    if not texts:
        return []
    corners = np.array([box for _, _, box in texts], float)
    edges = corners[:, 1] - corners[:, 0]
    lengths = np.hypot(edges[:, 0], edges[:, 1])
    long = lengths >= np.median(lengths)
    angle = float(np.median(np.arctan2(edges[long, 1], edges[long, 0])))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = corners @ turn
    return [
        [
            text.strip(),
            *map(float, (box[:, 0].min(), box[[0, 1], 1].mean(), box[:, 0].max(), box[[2, 3], 1].mean(), score)),
        ]
        for (text, score, _), box in zip(texts, corners, strict=True)
    ]


def pages_of(text: DocumentText) -> Iterator[tuple[str, list[list[Line]]]]:
    """The numbered pages of a document, each with its rows."""
    for page, lines in text.lines:
        yield page, rows_of([Line(*line) for line in lines])


def rows_of(lines: Sequence[Line]) -> list[list[Line]]:
    """Groups lines into rows: two lines whose heights overlap by half are in one row."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.top):
        for row in reversed(rows[-3:]):
            overlap = min(line.bottom, row[0].bottom) - max(line.top, row[0].top)
            if overlap > 0.5 * min(line.height, row[0].height):
                row.append(line)
                break
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _columns(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines in blocks that are read one after the other: a page with columns of running text has what stands above
    them, each column, and what stands below; any other page is one block."""
    if len(lines) < 2 * MIN_GUTTER_ROWS:
        return [list(lines)]
    for gutter in sorted({line.left for line in lines}):
        left = [line for line in lines if line.right < gutter]
        right = [line for line in lines if line.left >= gutter]
        if min(len(left), len(right)) < MIN_GUTTER_ROWS or not (_is_running(left) and _is_running(right)):
            continue
        top = max(min(line.top for line in side) for side in (left, right)) - median(line.height for line in left)
        across = [line for line in lines if line.left < gutter <= line.right]
        bottom = min((line.top for line in across if line.top > top), default=float("inf"))
        above = [line for line in lines if line.bottom <= top or (line in across and line.top <= top)]
        inside = [line for line in lines if line not in above and line.top < bottom and line not in across]
        below = [line for line in lines if line not in above and line not in inside]
        halves = [[line for line in inside if line.right < gutter], [line for line in inside if line.left >= gutter]]
        if all(len(half) >= MIN_GUTTER_ROWS for half in halves):
            return [above, *(part for half in halves for part in _columns(half)), *_columns(below)]
    return [list(lines)]


def _is_running(lines: Sequence[Line]) -> bool:
    return sum(len(line.text.split()) for line in lines) / len(lines) >= MIN_COLUMN_WORDS


def text_of(rows: Sequence[Sequence[Line]]) -> str:
    """The text of a page, a line for each row, with two spaces between cells, and one between a name and its value."""
    return "\n".join(re.sub(r":  (?=\S)", ": ", "  ".join(line.text for line in row)) for row in rows)
