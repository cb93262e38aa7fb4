"""How the whole of a picture can be made to look: greys, sepia, light, contrast, a pencil drawing (Pillow)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hugginggpt.core.errors import UserError
from hugginggpt.core.operation_words import FILE_DATA
from hugginggpt.core.quantities import DECIMAL, share_of_hundred

if TYPE_CHECKING:
    from PIL.Image import Image

Adjustment = Callable[["Image", str], tuple["Image", str]]


def _grey(picture: Image, step: str) -> tuple[Image, str]:
    return picture.convert("L").convert("RGB"), "in greys"


def _pencil(picture: Image, step: str) -> tuple[Image, str]:
    """Greys divided by the blurred negative of them ("dodging"), which leaves edges as lines on white."""
    from PIL import Image, ImageFilter, ImageOps

    grey = picture.convert("L")
    radius = max(2.0, 0.008 * max(picture.size))
    base = ImageOps.invert(ImageOps.invert(grey).filter(ImageFilter.GaussianBlur(radius)))
    drawn = np.minimum(255.0, 255.0 * np.asarray(grey, np.float32) / np.maximum(np.asarray(base, np.float32), 1.0))
    return Image.fromarray(drawn.astype(np.uint8)).convert("RGB"), "as a pencil drawing"


def _sepia(picture: Image, step: str) -> tuple[Image, str]:
    from PIL import ImageOps

    return ImageOps.colorize(picture.convert("L"), "#1a0f05", "#fff1d6", mid="#9c7a52"), "in sepia"


def _negative(picture: Image, step: str) -> tuple[Image, str]:
    from PIL import ImageOps

    return ImageOps.invert(picture), "as a negative"


MAX_BLUR = 200


def _blur(picture: Image, step: str) -> tuple[Image, str]:
    from PIL import ImageFilter

    share = {"little": 0.004, "lot": 0.025}.get(_strength(step), 0.01)
    radius = max(1.0, share * max(picture.size))
    if told := re.search(rf"radius (?:of )?({DECIMAL})|({DECIMAL}) ?(?:px|pixels?)\b", step):
        radius = float((told[1] or told[2]).replace(",", "."))
        if not 0 < radius <= MAX_BLUR:
            raise UserError(f"A picture is blurred with a radius of 1 to {MAX_BLUR} pixels, not of {radius:g}.")
    return picture.filter(ImageFilter.GaussianBlur(radius)), f"blurred with a radius of {radius:.0f} pixels"


def _sharpen(picture: Image, step: str) -> tuple[Image, str]:
    from PIL import ImageFilter

    percent = {"little": 80, "lot": 250}.get(_strength(step), 150)
    return picture.filter(ImageFilter.UnsharpMask(2, percent, 2)), "sharpened"


def _enhancer(name: str, noun: str, less: str) -> Adjustment:
    """An adjustment of Pillow's ImageEnhance by a percentage."""

    def enhance(picture: Image, step: str) -> tuple[Image, str]:
        from PIL import ImageEnhance

        told = share_of_hundred(step)
        percent = {"little": 15.0, "lot": 60.0}.get(_strength(step), 30.0) if told is None else 100 * told
        if not 0 < percent <= 400:
            raise UserError(f"The {noun} can be changed by 1 to 400 %.")
        is_less = bool(re.search(rf"{less}|(?<![\w%])[-−] ?\d", step))
        factor = max(0.0, 1 - percent / 100) if is_less else 1 + percent / 100
        return getattr(ImageEnhance, name)(picture).enhance(
            factor
        ), f"{percent:g} % {'less' if is_less else 'more'} {noun}"

    return enhance


DARK_MEAN, BRIGHT_MEAN = 80.0, 118.0
"""The mean of the greys (0 to 255) below which a picture is very dark, and the one that it is brightened to."""
MAX_GAIN = 8.0
"""How often the light of a picture is taken at most: more shows but noise."""


def _light(picture: Image, step: str) -> tuple[Image, str]:
    """The brightness by a percentage; of a very dark picture without one, by a curve that brings its middle up."""
    mean = np.asarray(picture.convert("L"), np.float32).mean()
    is_told = re.search(r"\d|\b(?:bit|little|slight\w*|tad)\b", step)
    if is_told or re.search(rf"{_LESS}|dark", step) or not 0 < mean < DARK_MEAN:
        return _brightness(picture, step)
    gamma = min(math.log(BRIGHT_MEAN / 255) / math.log(mean / 255), 1.0)
    curve = [min(255, round(255 * min((value / 255) ** gamma, MAX_GAIN * value / 255))) for value in range(256)]
    lighter = picture.point(curve * 3)
    after = np.asarray(lighter.convert("L"), np.float32).mean()
    return (
        lighter,
        f"brightened as it was very dark: its mean light went from {mean / 2.55:.0f} to {after / 2.55:.0f} %",
    )


WARMTH = 0.12
"""How much stronger red becomes and blue weaker, as a share, where a picture is to be warmer."""


def _warmth(picture: Image, step: str) -> tuple[Image, str]:
    """The picture with more red and less blue, or the other way round."""
    from PIL import Image

    is_cooler = bool(re.search(r"\bcool|\bcold|more blue|less (?:yellow|orange|red)", step))
    strength = WARMTH * {"little": 0.5, "lot": 2.0}.get(_strength(step), 1.0) * (-1 if is_cooler else 1)
    red, green, blue = picture.split()
    red, blue = (
        band.point([min(255, round(value * factor)) for value in range(256)])
        for band, factor in ((red, 1 + strength), (blue, 1 - strength))
    )
    return Image.merge("RGB", (red, green, blue)), "in cooler colours" if is_cooler else "in warmer colours"


def _border(picture: Image, step: str) -> tuple[Image, str]:
    from hugginggpt.experts.lettering import bordered

    return bordered(picture, step)


def _stripped(picture: Image, step: str) -> tuple[Image, str]:
    """The picture as it is: what its file says of place, time and camera is never in a file that is made."""
    return picture, "without location, date and camera in the file"


_LESS = r"\b(?:less|lower|reduce|decrease|weaker|down)\b"
_brightness = _enhancer("Brightness", "brightness", rf"{_LESS}|dark")
ADJUSTMENTS: Sequence[tuple[str, Adjustment]] = (
    (FILE_DATA, _stripped),
    (r"\b(?:border|frame|margin|edge)\b", _border),
    (r"pencil", _pencil),
    (r"gr[ae]y|(?:drain|take|remove|without|strip|drop|no)\b.*colou?r|colou?rs? (?:gone|out)|"
     r"black.{1,5}white|b ?[&/] ?w\b|monochrom", _grey),
    (r"sepia", _sepia),
    (r"invert|negative", _negative),
    (r"desaturat|satur|colou?rful|vivid|vibrant|\bpop\b|punch",
     _enhancer("Color", "saturation", rf"{_LESS}|desaturat")),
    (r"\b(?:warm|cool|cold)|(?:more|less) (?:blue|yellow|orange|red)", _warmth),
    (r"contrast", _enhancer("Contrast", "contrast", _LESS)),
    (r"bright|light|dark|exposure", _light),
    (r"blur|soft", _blur),
    (r"sharp|crisp", _sharpen),
)  # fmt: skip


def _strength(step: str) -> str:
    if re.search(r"\b(?:bit|little|slight\w*|tad)\b", step):
        return "little"
    return "lot" if re.search(r"\b(?:lot|much|very|strong\w*|heav\w*|way)\b", step) else ""
