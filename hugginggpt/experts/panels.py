"""The parts of a picture that a detector looks at singly: the photographs of a collage, the tiles of a panorama."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    Pixels = np.ndarray[Any, np.dtype[np.uint8]]
    Shares = np.ndarray[Any, np.dtype[np.float64]]

Part = tuple[int, int, int, int]
"""Left, top, right and bottom of a part, in pixels."""

MAX_SIDE = 800
"""Borders are sought in a picture reduced to this."""
MIN_STEP = 12
"""The minimum difference between the pixels on both sides of a border, of 255."""
MIN_STRAIGHT = 0.6
"""A border is such a difference over this share of the picture's height or width."""
ROWS_APART, MIN_STRAIGHT_OF_SOME = 4, 0.5
"""Of so many rows one is looked at first: where no column changes in this share of them, there is no border."""
MIN_PANEL, MIN_PANEL_SIDE = 0.12, 64
"""The least share of a side, and the least pixels, of a photograph in a collage."""
MAX_PANELS, MAX_DEPTH = 16, 3
MAX_RATIO, MAX_FLAT = 3.0, 0.35
"""A part whose sides have a higher ratio, or of which one shade of grey makes up more, is no photograph."""
MIN_WIDE = 1.9
"""A picture whose sides have this ratio is looked at in tiles, too."""
TILE_STEP, MAX_TILES = 0.7, 6
"""Where the next tile begins, as a share of its side."""


def panels(picture: Image) -> list[Part]:
    """The photographs of a collage, which straight borders from edge to edge part; the whole of another picture."""
    import numpy as np

    scale = max(1, math.ceil(max(picture.size) / MAX_SIDE))
    small = picture if picture.mode == "RGB" else picture.convert("RGB")
    pixels: Pixels = np.asarray(small.reduce(scale) if scale > 1 else small)
    parts = _split(pixels, 0)
    width, height = picture.size
    if len(parts) == 1:
        return [(0, 0, width, height)]
    photographs = [part for part in parts if _is_photograph(pixels[part[1] : part[3], part[0] : part[2]])]
    if len(photographs) < 2 or len(parts) > MAX_PANELS:
        return [(0, 0, width, height)]
    return [
        (scale * left, scale * top, min(scale * right, width), min(scale * bottom, height))
        for left, top, right, bottom in parts
    ]


def tiles(picture: Image) -> list[Part]:
    """Overlapping squares of a panorama, be it wide or tall; none of a picture of another shape."""
    long, short = max(picture.size), min(picture.size)
    if long < MIN_WIDE * short:
        return []
    number = min(MAX_TILES, 1 + math.ceil((long / short - 1) / TILE_STEP))
    side = max(short, math.ceil(long / (1 + (number - 1) * TILE_STEP)))
    starts = [round(at * (long - side) / (number - 1)) for at in range(number)]
    if picture.width == long:
        return [(start, 0, start + side, short) for start in starts]
    return [(0, start, short, start + side) for start in starts]


def _is_photograph(pixels: Pixels) -> bool:
    """Whether a part may be a photograph: neither a bar nor, as a paragraph, mostly of the colour of the paper."""
    import numpy as np

    height, width = pixels.shape[:2]
    shades = np.bincount(pixels.mean(-1).astype(int).ravel(), minlength=256)
    return max(width, height) <= MAX_RATIO * min(width, height) and bool(shades.max() <= MAX_FLAT * shades.sum())


def _split(pixels: Pixels, depth: int) -> list[Part]:
    """The parts with something in them between the borders, be they vertical or horizontal, and their parts."""
    import cv2
    import numpy as np

    height, width = pixels.shape[:2]
    parts = [(left, 0, right, height) for left, right in _spans(pixels)]
    if parts in ([], [(0, 0, width, height)]):
        parts = [(0, top, width, bottom) for top, bottom in _spans(np.asarray(cv2.transpose(pixels), np.uint8))]
    if depth == MAX_DEPTH or parts in ([], [(0, 0, width, height)]):
        return [(0, 0, width, height)]
    return [
        (left + inner[0], top + inner[1], left + inner[2], top + inner[3])
        for left, top, right, bottom in parts
        for inner in _split(pixels[top:bottom, left:right], depth + 1)
    ]


def _spans(pixels: Pixels) -> list[tuple[int, int]]:
    """The columns from border to border of each span that is wide and holds more than one colour."""
    width = pixels.shape[1]
    minimum = max(MIN_PANEL * width, MIN_PANEL_SIDE / 2)
    bounds = [0, *_borders(pixels), width]
    if len(bounds) == 2:
        return [(0, width)]
    return [
        (first, last)
        for first, last in itertools.pairwise(bounds)
        if last - first >= minimum and pixels[:, first + 1 : last - 1].std() > MIN_STEP / 2
    ]


def _borders(pixels: Pixels) -> list[int]:
    """The columns at which nearly all rows change at once, more than they do to the left and to the right."""
    import numpy as np

    if min(pixels.shape[:2]) < MIN_PANEL_SIDE or _straightness(pixels[::ROWS_APART]).max() < MIN_STRAIGHT_OF_SOME:
        return []
    straight = _straightness(pixels)
    return [
        at + 1
        for at in np.flatnonzero(straight >= MIN_STRAIGHT).tolist()
        if straight[at] >= straight[at : at + 3].max() and straight[at] > straight[max(0, at - 2) : at].max(initial=0)
    ]


def _straightness(pixels: Pixels) -> Shares:
    """Of each column but the outer two the share of rows that change there, and more than beside it.

    A change is that over two columns, as a reduced or compressed border is blurred over one. OpenCV takes a tenth of
    NumPy's time.
    """
    import cv2
    import numpy as np

    red, green, blue = cv2.split(cv2.absdiff(pixels[:, 2:], pixels[:, :-2]))
    steps: Pixels = np.asarray(cv2.max(cv2.max(red, green), blue), np.uint8)
    beside = np.zeros_like(steps)
    beside[:, 3:] = steps[:, :-3]
    beside[:, :-3] = cv2.max(beside[:, :-3], steps[:, 3:])
    least = np.maximum(cv2.add(beside, beside >> 1), MIN_STEP)  # 1.5 times as much, 255 at most
    is_step: Pixels = np.asarray(cv2.compare(steps, least, cv2.CMP_GT), np.uint8)  # 255, or 0
    rows = cv2.reduce(is_step & 1, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S)
    return np.asarray(rows[0] / len(steps))
