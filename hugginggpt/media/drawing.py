"""Draws boxes, masks and poses over a picture."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont, ImageFont

OF_COCO = (0, None, 6, 8, 10, 5, 7, 9, 12, 14, 16, 11, 13, 15, 2, 1, 4, 3)
"""OpenPose's 18 key points among COCO's 17: nose, neck (not in COCO), right arm, left arm, right leg, left leg, eyes,
ears."""
LEFT_SHOULDER, RIGHT_SHOULDER = 5, 6
BONES = (
    (1, 2), (1, 5), (2, 3), (3, 4), (5, 6), (6, 7), (1, 8), (8, 9), (9, 10), (1, 11), (11, 12), (12, 13), (1, 0),
    (0, 14), (14, 16), (0, 15), (15, 17),
)  # fmt: skip
"""The bones: pairs of OpenPose's key points, in the order of their colours."""
Point = tuple[float, float, float]


def colour(index: int) -> tuple[int, int, int]:
    """A bright colour; neighbouring indexes differ clearly (golden-ratio steps around the colour wheel)."""
    red, green, blue = colorsys.hsv_to_rgb(index * 0.618034 % 1, 0.85, 0.95)
    return round(255 * red), round(255 * green), round(255 * blue)


def draw_boxes(image: Image, regions: Sequence[Mapping[str, Any]]) -> Image:
    """Draws a labelled frame into an RGB picture for each region that has a "box" (xmin … ymax, pixels)."""
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image)
    width = max(2, max(image.size) // 300)
    font = _font(max(12, max(image.size) // 45))
    labels = {label: at for at, label in enumerate(dict.fromkeys(str(region["label"]) for region in regions))}
    for region in regions:
        if not isinstance(box := region.get("box"), Mapping):
            continue
        tint = colour(labels[str(region["label"])])
        left, top, right, bottom = (
            _inside(box[side], size)
            for side, size in zip(("xmin", "ymin", "xmax", "ymax"), image.size * 2, strict=True)
        )
        draw.rectangle((left, top, right, bottom), outline=tint, width=width)
        score = region.get("score")
        caption = str(region["label"]) + (f" {float(score):.2f}" if score is not None else "")
        frame = draw.textbbox((left, top), caption, font=font)
        lift = min(top, frame[3] - frame[1] + 2 * width)
        frame = draw.textbbox((left + width, top - lift), caption, font=font)
        draw.rectangle((left, frame[1] - width, frame[2] + width, frame[3] + width), fill=tint)
        draw.text((left + width, top - lift), caption, fill="black", font=font)
    return image


@lru_cache(64)
def _font(size: int) -> FreeTypeFont | ImageFont:
    """Pillow's built-in font."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _inside(position: Any, size: int) -> float:
    """A coordinate in pixels, limited to the picture. Raises ValueError or TypeError if it is not a number."""
    if math.isnan(pixels := float(position)):
        raise ValueError("a box without coordinates")
    return min(max(pixels, 0.0), float(size))


def draw_masks(image: Image, masks: Sequence[Image]) -> Image:
    """Lays each mask (greyscale, 255 = in it) over an RGB picture each in a different colour."""
    from PIL import Image as PIL

    for at, mask in enumerate(masks):
        grey = mask.convert("L").resize(image.size)
        image.paste(PIL.new("RGB", image.size, colour(at)), (0, 0), grey.point(lambda value: value * 6 // 10))
    return image


MOST_MARKED = 0.97
"""Masks that cover more of a picture leave nothing to cut away."""


def cut_out(image: Image, masks: Sequence[Image]) -> Image | None:
    """What the masks mark, of a picture whose rest is transparent; None where they mark nothing, or nearly all of it."""
    from PIL import Image as PIL
    from PIL import ImageChops, ImageStat

    if not masks:
        return None
    marked = PIL.new("L", image.size)
    for mask in masks:
        marked = ImageChops.lighter(marked, mask.convert("L").resize(image.size))
    if not 0 < ImageStat.Stat(marked).mean[0] / 255 <= MOST_MARKED:
        return None
    cut = image.convert("RGB")
    cut.putalpha(marked)
    return cut


def draw_pose(size: tuple[int, int], points: Sequence[Point], sure: float = 0.3) -> Image:
    """The pose alone on black, from COCO's 17 key points (x, y in pixels, score).

    Joints and colours are those of OpenPose (arXiv 1812.08008), which ControlNet learned from.
    """
    from PIL import Image as PIL
    from PIL import ImageDraw

    joints = [_neck(points) if at is None else points[at] for at in OF_COCO]
    drawn = PIL.new("RGB", size)
    draw = ImageDraw.Draw(drawn)
    radius = max(2, max(size) // 128)
    for at, (a, b) in enumerate(BONES):
        if joints[a][2] >= sure and joints[b][2] >= sure:
            dimmed = tuple(6 * part // 10 for part in _around_the_wheel(at))
            draw.line((*joints[a][:2], *joints[b][:2]), fill=dimmed, width=2 * radius)
    for at, (x, y, score) in enumerate(joints):
        if score >= sure:
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=_around_the_wheel(at))
    return drawn


def _neck(points: Sequence[Point]) -> Point:
    """The midpoint of the shoulders, with the lower score of the two."""
    left, right = points[LEFT_SHOULDER], points[RIGHT_SHOULDER]
    return (left[0] + right[0]) / 2, (left[1] + right[1]) / 2, min(left[2], right[2])


def _around_the_wheel(index: int) -> tuple[int, int, int]:
    """The colour of one of 18 joints: its place on the colour wheel, from red through green and blue."""
    red, green, blue = colorsys.hsv_to_rgb(index / len(OF_COCO), 1, 1)
    return round(255 * red), round(255 * green), round(255 * blue)
