"""The names of the colours in a picture or in a part of it: eleven basic terms (Berlin and Kay, 1969) and beige."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    Mask = np.ndarray[Any, np.dtype[np.bool_]]

NAMES = ("black", "grey", "white", "red", "orange", "brown", "beige", "yellow", "green", "blue", "purple", "pink")
OTHER_NAMES = {
    "gray": "grey", "silver": "grey", "violet": "purple", "lilac": "purple", "ginger": "orange", "rust": "orange",
    "golden": "yellow", "gold": "yellow", "tan": "beige", "cream": "beige", "turquoise": "green", "navy": "blue",
    "burgundy": "red", "maroon": "red", "crimson": "red", "rose": "pink",
}  # fmt: skip
"""Other words for colours, each with the nearest of the terms."""
ANY_NAME = "|".join((*NAMES, *OTHER_NAMES))
"""A pattern of all of them."""
SIDE = 160
"""The longer side, in pixels, at which colours are counted."""
MIN_CHROMA = 9.0
"""A colour with less chroma is black, grey or white; in CIELAB, as all here."""
HUES = (
    (18, "red"),
    (42, "red"),
    (70, "orange"),
    (104, "yellow"),
    (188, "green"),
    (310, "blue"),
    (336, "purple"),
    (361, "pink"),
)
"""Up to which angle of hue, in degrees, a colour has a name."""
INNER = 0.8
"""The ellipse that stands for an object has this share of the sides of its box: corners show what is behind it."""
AROUND = 1.3
"""What is behind it is seen between its box and one that is so many times as large."""
MAX_BEHIND = 1.25
"""A colour whose share is so many times as large behind an object is not its own."""
MIN_SHARE = 0.2


def colours_of(
    picture: Image, box: dict[str, float] | None = None, least: float = MIN_SHARE
) -> list[tuple[str, float]]:
    """The colours of a picture, or of an object in a box (xmin … ymax in pixels), each with its share, largest first.

    Of an object those are left out that are more common around it; so are shares below the `least`.
    """
    if box is not None:
        return _of_object(picture, box, least)
    return _ranked(_counts(*pixels_of(picture)), least)


def colours_within(pixels: Any, mask: Mask) -> list[tuple[str, float]]:
    """The colours of the pixels of a mask, each with its share, largest first."""
    return _ranked(_counts(pixels, mask))


MAX_GREY_CHROMA = 8.0
"""In a black and white picture, whose paper may have yellowed a little, hardly a pixel has more chroma than this."""


def has_colour(picture: Image) -> bool:
    """Whether a picture is not black and white."""
    import cv2
    import numpy as np

    small = picture.convert("RGB")
    small.thumbnail((SIDE, SIDE))
    lab = cv2.cvtColor(np.asarray(small, np.float32) / 255, cv2.COLOR_RGB2LAB)
    return bool(np.percentile(np.hypot(lab[..., 1], lab[..., 2]), 98) > MAX_GREY_CHROMA)


MAX_SHADED = 20.0
"""Between its darker and its lighter half a grey thing differs by less lightness, or light and shade make its grey."""


def is_evenly_lit(picture: Image) -> bool:
    """Whether what a picture shows is about equally light all over, so that grey is its own colour."""
    import numpy as np

    light = np.asarray(picture.convert("L"), np.float32) / 2.55
    return bool(np.percentile(light, 75) - np.percentile(light, 25) < MAX_SHADED)


def around(picture: Image, boxes: list[dict[str, float]]) -> list[tuple[str, float]]:
    """The colours outside of all boxes; [] where they leave less than a tenth of the picture."""
    pixels, outside = pixels_of(picture)
    scale = pixels.shape[1] / picture.width
    for box in boxes:
        left, top, right, bottom = (round(scale * box[side]) for side in ("xmin", "ymin", "xmax", "ymax"))
        outside[top:bottom, left:right] = False
    if outside.mean() < 0.1:
        return []
    return _ranked(_counts(pixels, outside))


def _of_object(picture: Image, box: dict[str, float], least: float) -> list[tuple[str, float]]:
    return _ranked(_own(*_in_and_behind(picture, box)), least)


def _in_and_behind(picture: Image, box: dict[str, float]) -> tuple[Any, Mask, Mask]:
    """The pixels of a box and of what is around it, which of them are inside, and which are behind the object."""
    import numpy as np

    width, height = box["xmax"] - box["xmin"], box["ymax"] - box["ymin"]
    across, down = (AROUND - 1) / 2 * width, (AROUND - 1) / 2 * height
    left, top = max(0, round(box["xmin"] - across)), max(0, round(box["ymin"] - down))
    part = picture.crop(
        (left, top, min(picture.width, round(box["xmax"] + across)), min(picture.height, round(box["ymax"] + down)))
    )
    scale = min(1.0, SIDE / max(part.size))
    part = part.resize((max(1, round(part.width * scale)), max(1, round(part.height * scale))))
    y, x = np.mgrid[0 : part.height, 0 : part.width]
    u = (x / scale + left - (box["xmin"] + box["xmax"]) / 2) / (width / 2)
    v = (y / scale + top - (box["ymin"] + box["ymax"]) / 2) / (height / 2)
    return np.asarray(part), np.hypot(u, v) <= INNER, np.maximum(abs(u), abs(v)) > 1


def _own(pixels: Any, within: Mask, around_it: Mask) -> Any:
    """The share of each name inside, without those that are more common behind."""
    inside, behind = _counts(pixels, within), _counts(pixels, around_it)
    inside /= max(inside.sum(), 1)
    if behind.sum():
        own = inside * (behind / behind.sum() < MAX_BEHIND * inside)
        inside = own if own.sum() > MIN_SHARE else inside
    return inside


def pixels_of(picture: Image, box: dict[str, float] | None = None) -> tuple[Any, Mask]:
    """The pixels of a picture, or of what is in a box, and which of them are its own."""
    import numpy as np

    if box is None:
        small = picture.copy()
        small.thumbnail((SIDE, SIDE))
        return np.asarray(small), np.ones((small.height, small.width), bool)
    pixels, within, around_it = _in_and_behind(picture, box)
    return pixels, within & (_own(pixels, within, around_it)[_named(pixels)] > 0)


def names_of(pixels: Any) -> Any:
    """The name of each pixel's colour, for RGB pixels (height, width, 3)."""
    import numpy as np

    return np.array(NAMES)[_named(pixels)]


_TYPICAL = {
    "black": (15, 0, 0), "grey": (55, 0, 0), "white": (95, 0, 0), "red": (45, 60, 42), "orange": (66, 40, 62),
    "brown": (38, 20, 28), "beige": (80, 4, 18), "yellow": (88, -6, 80), "green": (52, -42, 36), "blue": (42, 8, -46),
    "purple": (38, 44, -38), "pink": (76, 36, 2),
}  # fmt: skip
"""A typical colour of each name, in CIELAB."""
LIGHTNESS = 0.5
"""How much lightness counts beside hue and chroma where one of some names is chosen: a cup in the shade stays red."""


def likest(picture: Image, box: dict[str, float] | None, names: Sequence[str]) -> tuple[str, float]:
    """The one of some names that most pixels of a picture, or of what is in a box, are likest to, and of what share."""
    import cv2
    import numpy as np

    pixels, mask = pixels_of(picture, box)
    lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)[mask]
    weights = np.array([LIGHTNESS, 1.0, 1.0])
    typical = [np.array(_TYPICAL[OTHER_NAMES.get(name, name)]) for name in names]
    apart = [np.linalg.norm((lab - one) * weights, axis=1) for one in typical]
    chosen = np.bincount(np.argmin(apart, axis=0), minlength=len(names))
    best = int(np.argmax(chosen))
    return names[best], float(chosen[best] / max(chosen.sum(), 1))


def _counts(pixels: Any, mask: Mask) -> Any:
    import numpy as np

    return np.bincount(_named(pixels)[mask], minlength=len(NAMES)).astype(float)


def _ranked(counts: Any, least: float = MIN_SHARE) -> list[tuple[str, float]]:
    shares = counts / max(counts.sum(), 1e-9)
    ranked = sorted(zip(NAMES, map(float, shares), strict=True), key=lambda pair: -pair[1])
    return [(name, round(share, 2)) for name, share in ranked if share >= least]


def _named(pixels: Any) -> Any:
    """The number of each pixel's name, for RGB pixels (height, width, 3)."""
    import cv2
    import numpy as np

    lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    light, a, b = lab[..., 0], lab[..., 1], lab[..., 2]
    chroma, hue = np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360
    at = {name: number for number, name in enumerate(NAMES)}
    bounds, names = zip(*HUES, strict=True)
    named = np.array([at[name] for name in names])[np.searchsorted(bounds, hue, side="right")]
    warm = (hue >= np.where(chroma < 25, 25, 42)) & (hue < 100)
    named = np.where((named == at["yellow"]) & (light < 55), at["green"], named)
    named = np.where(((hue >= 336) | (hue < 40)) & (light > 62), at["pink"], named)
    named = np.where((hue >= 340) & (light <= 62), at["red"], named)
    named = np.where(warm & (light < 58) & (chroma < 48), at["brown"], named)
    named = np.where(warm & (hue >= 40) & (light >= 58) & (chroma < 32), at["beige"], named)
    neutral = (chroma < MIN_CHROMA) | (light < 12) | ((light > 88) & (chroma < 14))
    greys = np.where(light < 25, at["black"], np.where(light > 78, at["white"], at["grey"]))
    return np.where(neutral, greys, named)
