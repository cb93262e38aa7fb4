"""Counts round things that no detector knows, such as coins, buttons, pills or plates, by their outlines (Hough's
transform for circles, Yuen et al. 1990, as OpenCV has it).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Any

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 600
"""The longer side, in pixels, at which circles are looked for."""
LEAST_RADIUS, MOST_RADIUS, LEAST_APART = 15, 90, 40
"""In pixels there: the radius of a circle, and how far apart the middles of two are."""
VOTES = (34, 36, 38, 40, 42)
"""How much of an outline has to speak for a circle: a count is believed that hardly depends on it."""
MOST_SPREAD = 0.2
LEAST_COUNT = 3
MAX_WORDS = 12


def are_named(words: Sequence[str]) -> bool:
    """Whether words name things that are round."""
    return any(word.lower() in _names() for word in words[:MAX_WORDS])


@cache
def _names() -> frozenset[str]:
    lines = word_lists.lines(EXPERTS_DATA / "round_things.txt")
    return frozenset(word.strip() for line in lines for word in line.split(","))


def count(picture: Image) -> int | None:
    """How many round things are in a picture, about; None where the outlines do not tell."""
    import cv2
    import numpy as np

    scale = SIDE / max(picture.size)
    small = picture.convert("L").resize((max(1, round(scale * picture.width)), max(1, round(scale * picture.height))))
    smooth = cv2.GaussianBlur(np.asarray(small), (7, 7), 1.5)
    counts = [len(_circles(smooth, votes)) for votes in VOTES]
    middle = round(median(counts))
    is_steady = max(counts) - min(counts) <= max(1, MOST_SPREAD * middle)
    return middle if middle >= LEAST_COUNT and is_steady else None


def _circles(grey: Any, votes: int) -> Any:
    import cv2

    found = cv2.HoughCircles(
        grey, cv2.HOUGH_GRADIENT, 1.2, minDist=LEAST_APART, param1=120, param2=votes, minRadius=LEAST_RADIUS,
        maxRadius=MOST_RADIUS,
    )  # fmt: skip
    return [] if found is None else found[0]
