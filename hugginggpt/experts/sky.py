"""The colour of the sky in a picture, which no detector finds: what is even and reaches the upper edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hugginggpt.experts.colours import colours_within, pixels_of

if TYPE_CHECKING:
    from PIL.Image import Image

WORD = "sky"
MAX_STEP = 6.0
"""Between neighbouring pixels of a sky, in CIELAB, there is no larger step; clouds are softer than leaves and roofs."""
MIN_SHARE, MIN_OF_EDGE = 0.08, 0.6
"""A sky takes up at least this share of the picture, and this share of its upper edge."""
SKY_COLOURS = frozenset(("blue", "white", "grey", "black", "orange", "pink", "purple", "red", "yellow"))


def colours(picture: Image) -> list[str]:
    """The names of the colours of the sky, most of it first; [] where none is seen for sure."""
    import cv2
    import numpy as np

    pixels, _ = pixels_of(picture)
    lab = cv2.GaussianBlur(cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), (3, 3), 0)
    steps = np.hypot(cv2.Sobel(lab, cv2.CV_32F, 1, 0), cv2.Sobel(lab, cv2.CV_32F, 0, 1)) / 8
    even = np.linalg.norm(steps, axis=-1) < MAX_STEP
    _, parts = cv2.connectedComponents(even.astype(np.uint8), connectivity=4)
    mask = even & np.isin(parts, np.unique(parts[0][even[0]]))
    if mask.mean() < MIN_SHARE or mask[0].mean() < MIN_OF_EDGE:
        return []
    named = [name for name, _ in colours_within(pixels, mask)]
    return named if SKY_COLOURS.issuperset(named) else []
