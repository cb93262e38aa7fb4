"""Draws what a model found over the picture: boxes, masks, poses."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image

BONES = (
    (0, 1), (0, 2), (1, 3), (2, 4), (5, 6), (5, 7), (7, 9), (6, 8), (8, 10), (5, 11), (6, 12), (11, 12), (11, 13),
    (13, 15), (12, 14), (14, 16),
)  # fmt: skip
"""Pairs of COCO key points (nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles) that a bone joins."""


def colour(index: int) -> tuple[int, int, int]:
    """A bright colour; neighbouring indexes differ clearly (golden-ratio steps around the colour wheel)."""
    red, green, blue = colorsys.hsv_to_rgb(index * 0.618034 % 1, 0.85, 0.95)
    return round(255 * red), round(255 * green), round(255 * blue)


def draw_boxes(image: Image, regions: Sequence[Mapping[str, Any]]) -> Image:
    """A copy of an RGB picture with a labelled frame for each region that has a "box" (xmin … ymax, pixels)."""
    from PIL import ImageDraw, ImageFont

    drawn = image.copy()
    draw = ImageDraw.Draw(drawn)
    width = max(2, max(image.size) // 300)
    font = ImageFont.load_default(max(12, max(image.size) // 45))
    labels = {label: at for at, label in enumerate(dict.fromkeys(str(region["label"]) for region in regions))}
    for region in regions:
        if not isinstance(box := region.get("box"), Mapping):
            continue
        tint = colour(labels[str(region["label"])])
        left, top, right, bottom = (
            _inside(box[side], size)
            for side, size in zip(("xmin", "ymin", "xmax", "ymax"), drawn.size * 2, strict=True)
        )
        draw.rectangle((left, top, right, bottom), outline=tint, width=width)
        score = region.get("score")
        caption = str(region["label"]) + (f" {float(score):.2f}" if score is not None else "")
        frame = draw.textbbox((left, top), caption, font=font)
        lift = min(top, frame[3] - frame[1] + 2 * width)
        frame = draw.textbbox((left + width, top - lift), caption, font=font)
        draw.rectangle((left, frame[1] - width, frame[2] + width, frame[3] + width), fill=tint)
        draw.text((left + width, top - lift), caption, fill="black", font=font)
    return drawn


def _inside(position: Any, size: int) -> float:
    """A coordinate as a number of pixels within the picture. Raises ValueError or TypeError where it is none."""
    if math.isnan(pixels := float(position)):
        raise ValueError("a box without coordinates")
    return min(max(pixels, 0.0), float(size))


def draw_masks(image: Image, masks: Sequence[Image]) -> Image:
    """A copy of an RGB picture with each mask (greyscale, 255 = in it) laid over it in a colour of its own."""
    from PIL import Image as PIL

    drawn = image.copy()
    for at, mask in enumerate(masks):
        grey = mask.convert("L").resize(image.size)
        drawn.paste(PIL.new("RGB", image.size, colour(at)), (0, 0), grey.point(lambda value: value * 6 // 10))
    return drawn


def draw_pose(size: tuple[int, int], points: Sequence[tuple[float, float, float]], sure: float = 0.3) -> Image:
    """The pose alone on black, as ControlNet takes it: 17 COCO key points (x, y in pixels, score)."""
    from PIL import Image as PIL
    from PIL import ImageDraw

    drawn = PIL.new("RGB", size)
    draw = ImageDraw.Draw(drawn)
    width = max(3, max(size) // 130)
    for at, (a, b) in enumerate(BONES):
        if points[a][2] >= sure and points[b][2] >= sure:
            draw.line((*points[a][:2], *points[b][:2]), fill=colour(at), width=width)
    for at, (x, y, score) in enumerate(points):
        if score >= sure:
            draw.ellipse((x - width, y - width, x + width, y + width), fill=colour(at + len(BONES)))
    return drawn
