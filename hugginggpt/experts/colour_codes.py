"""The colours of a picture, or of a part of it, as codes that other programs take: "#C8603A (orange)"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hugginggpt.core.quantities import NUMBER, number
from hugginggpt.experts.colours import ANY_NAME, OTHER_NAMES, names_of, pixels_of

if TYPE_CHECKING:
    from PIL.Image import Image

MANY, MOST = 5, 12
"""So many colours are told of several, and at most."""
SAME = 14.0
"""Colours that are no further apart, in CIELAB, are one."""
LEAST = 0.03
"""A colour of which less is there is told after all others."""
MEANS = 16
_CODES = re.compile(
    r"\bhex\w*\b|\bhtml (?:colou?r|code)|\brgb\b|\bcolou?r[ -]?(?:codes?|values?|numbers?|palette|scheme)\b|"
    r"\bpalette\b|\bfarb(?:codes?|werte?)\b|\bhexcodes?\b",
    re.IGNORECASE,
)
_RGB = re.compile(r"\brgb\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\bcolou?rs\b|\bcodes\b|\bvalues\b|\bpalette\b|\bscheme\b|\bfarb(?:codes|werte|en)\b|\bthem\b", re.IGNORECASE
)
_HOW_MANY = re.compile(rf"\b({NUMBER})\b(?: \w+){{0,2}}? (?:hex|colou?rs?|codes?|values?|farben)\b", re.IGNORECASE)
_NAMED = re.compile(rf"\b({ANY_NAME})\b", re.IGNORECASE)


def asks(text: str) -> bool:
    """Whether a text asks for colours as codes: "the main colour as a hex code", "give me a palette"."""
    return bool(_CODES.search(text))


def words(text: str, picture: Image, box: dict[str, float] | None = None) -> str:
    """The colours that a text asks for, of a picture or of what is in a box: those of a name ("the blue in it"), so
    many as it says, several, or the main one. "" where none of the name is there.
    """
    name = _NAMED.search(text)
    told = _HOW_MANY.search(text)
    count = round(number(told[1]) or 1) if told else MANY if _SEVERAL.search(text) else 1
    colours = _main(picture, box, OTHER_NAMES.get(name[1].lower(), name[1].lower()) if name else "")
    as_rgb = bool(_RGB.search(text))
    return ", ".join(_code(colour, as_rgb) for colour in colours[: min(max(count, 1), MOST)])


def _code(colour: Sequence[int], as_rgb: bool) -> str:
    import numpy as np

    red, green, blue = colour
    name = names_of(np.array([[colour]], np.uint8))[0, 0]
    rgb = f", RGB {red}, {green}, {blue}" if as_rgb else ""
    return f"#{red:02X}{green:02X}{blue:02X} ({name}{rgb})"


def _main(picture: Image, box: dict[str, float] | None, name: str) -> list[tuple[int, int, int]]:
    """The colours that most of a picture's pixels, or of those in a box, are near to, the commonest first; of those
    that are called so, where there is a name.
    """
    import cv2
    import numpy as np

    pixels, mask = pixels_of(picture, box)
    chosen: Any = pixels[mask & (names_of(pixels) == name)] if name else pixels[mask]
    if not len(chosen):
        return []
    lab = cv2.cvtColor(chosen[None].astype(np.float32) / 255, cv2.COLOR_RGB2LAB)[0]
    cv2.setRNGSeed(1)
    number_of_means = min(MEANS, len(lab))
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
    start: Any = np.zeros((len(lab), 1), np.int32)
    _, labels, means = cv2.kmeans(lab, number_of_means, start, stop, 2, cv2.KMEANS_PP_CENTERS)
    sizes = np.bincount(labels.ravel(), minlength=number_of_means)
    kept: list[int] = []
    for at in np.argsort(-sizes):
        if all(np.linalg.norm(means[at] - means[other]) > SAME for other in kept):
            kept.append(int(at))
    rgb = np.rint(255 * np.clip(cv2.cvtColor(means[kept][None], cv2.COLOR_LAB2RGB), 0, 1)).astype(np.uint8)
    called = list(names_of(rgb)[0])
    # a picture is remembered by its different colours: the commonest of each name come first
    is_first = [called.index(one) == at and sizes[kept[at]] >= LEAST * len(lab) for at, one in enumerate(called)]
    order = sorted(range(len(kept)), key=lambda at: not is_first[at])
    return [(int(red), int(green), int(blue)) for red, green, blue in rgb[0][order]]
