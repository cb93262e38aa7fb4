"""Words on pictures: where, how large and in which colours, as other words say; and a border around a picture (Pillow).

The letters are those of DejaVu Sans, which comes with Matplotlib: Latin, Greek and Cyrillic ones, among others.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hugginggpt.core.errors import ExpertUnavailable, UserError
from hugginggpt.core.picture_words import COLOURS
from hugginggpt.core.quantities import DIGITS

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

Colour = tuple[int, int, int]
_RGB: dict[str, Colour] = {
    "white": (255, 255, 255), "black": (0, 0, 0), "red": (214, 28, 28), "green": (26, 140, 56), "blue": (28, 84, 200),
    "yellow": (255, 214, 0), "orange": (255, 140, 0), "pink": (255, 105, 180), "purple": (128, 32, 160),
    "violet": (128, 32, 160), "brown": (121, 73, 33), "grey": (128, 128, 128), "gray": (128, 128, 128),
    "gold": (212, 175, 55), "golden": (212, 175, 55), "silver": (192, 192, 192), "turquoise": (64, 200, 190),
    "beige": (235, 220, 190), "navy": (16, 32, 96), "cyan": (0, 200, 220), "magenta": (220, 20, 160),
}  # fmt: skip
_COLOUR = rf"\b(?:(dark|light) )?({'|'.join(COLOURS)})\b"
MARGIN = 0.03
"""Of the shorter side: how far from the edge words stand."""
LINE = 1.25
MIN_SIZE, MAX_LINES = 9, 12
SHARES = {"small": 0.035, "": 0.065, "large": 0.13}
"""The height of the letters, as a share of the shorter side."""


def colour_in(words: str) -> Colour | None:
    """The first colour that words name; None without one."""
    match = re.search(_COLOUR, words.lower())
    if match is None:
        return None
    red, green, blue = _RGB[match[2]]
    if match[1] == "dark":
        return red // 2, green // 2, blue // 2
    return ((red + 255) // 2, (green + 255) // 2, (blue + 255) // 2) if match[1] else (red, green, blue)


@cache
def font_file(name: str = "DejaVuSans-Bold.ttf") -> Path:
    """A file of the letters. Raises ExpertUnavailable where Matplotlib is not installed."""
    found = find_spec("matplotlib")
    if found is None or not found.submodule_search_locations:
        raise ExpertUnavailable("The letters come with the package matplotlib, which is not installed.")
    return Path(found.submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf" / name


@cache
def _known(name: str) -> frozenset[int]:
    """The characters that a font has."""
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(font_file(name)).get_charmap())


def lacking(text: str, name: str = "DejaVuSans-Bold.ttf") -> str:
    """The characters of a text for which there are no letters, each once."""
    return "".join(dict.fromkeys(one for one in text if not one.isspace() and ord(one) not in _known(name)))


def check_letters(text: str, name: str = "DejaVuSans-Bold.ttf") -> None:
    """Raises UserError for a text with characters that cannot be written."""
    if missing := lacking(text, name):
        raise UserError(
            f"There are no letters here for “{missing[:20]}”: Latin, Greek and Cyrillic ones can be written."
        )


def written(picture: Image, text: str, look: str) -> tuple[Image, str]:
    """An RGB or RGBA picture with a text on it, and a note of where and how large it stands. Raises UserError."""
    from PIL import Image

    words = look.lower()
    size, lines = _fitting(picture, text, words)
    place = _place(words)
    fill, under = _colours(words)
    layer = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    _draw(layer, lines, size, place, fill, under)
    if "diagonal" in words:
        layer = layer.rotate(30, Image.Resampling.BICUBIC)
    if "transparent" in words or "watermark" in words:
        layer.putalpha(layer.getchannel("A").point(lambda value: value // 2))
    merged = Image.alpha_composite(picture.convert("RGBA"), layer)
    where = " ".join(one for one in place if one != "middle") or "middle"
    return merged.convert(picture.mode), f"at the {where}, letters {size} pixels high"


def _font(size: int) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(str(font_file()), size)


def _fitting(picture: Image, text: str, words: str) -> tuple[int, list[str]]:
    """The height of the letters in pixels, and the lines: broken, then smaller, until the text fits."""
    told = re.search(rf"size (?:of )?({DIGITS})|({DIGITS}) ?(?:px|pixels?|pt|points?)", words)
    shorter = min(picture.size)
    large = re.search(r"\b(?:big|large|huge|bold)", words)
    share = SHARES["large" if large else "small" if re.search(r"\b(?:small|tiny)|watermark", words) else ""]
    size = int(told[1] or told[2]) if told else max(MIN_SIZE + 3, round(share * shorter))
    wide, high = picture.width - 2 * MARGIN * shorter, picture.height - 2 * MARGIN * shorter
    while size >= MIN_SIZE:
        lines = _lines(text, _font(size), wide)
        if lines and LINE * size * len(lines) <= (high if told else 0.6 * high):
            return size, lines
        size = min(size - 1, round(0.9 * size))
    raise UserError("The text is too long for the picture: it would not be readable.")


def _lines(text: str, font: FreeTypeFont, wide: float) -> list[str]:
    """The text in lines that are no wider; [] where a word is."""
    lines: list[str] = []
    for part in text.splitlines():
        line = ""
        for word in part.split():
            if font.getlength(word) > wide:
                return []
            longer = f"{line} {word}".strip()
            if font.getlength(longer) <= wide:
                line = longer
            else:
                lines.append(line)
                line = word
        lines.append(line)
    return lines if len(lines) <= MAX_LINES else []


def _place(words: str) -> tuple[str, str]:
    """(top, middle or bottom; left, middle or right) that words tell; else the bottom."""
    along = (
        "top"
        if re.search(r"\b(?:top|upper|above)\b", words)
        else "bottom"
        if re.search(r"\b(?:bottom|lower|below|under\w*|beneath)\b", words)
        else ""
    )
    across = next((one for one in ("left", "right") if re.search(rf"\b{one}\b", words)), "middle")
    if "corner" in words and across == "middle":
        return along or "bottom", "right"  # where captions usually stand
    is_middle = re.search(r"\b(?:middle|cent(?:er|re)\w*|across|diagonal\w*)\b", words)
    return along or ("middle" if is_middle or across != "middle" else "bottom"), across


def _colours(words: str) -> tuple[Colour, Colour | None]:
    """The colour of the letters, and that of the box under them, if there is to be one."""
    on = re.search(rf"({_COLOUR}) on (?:an? )?({_COLOUR})", words.lower())
    if on:
        return colour_in(on[1]) or _RGB["white"], colour_in(on[4])
    return colour_in(words) or _RGB["white"], None


def _draw(
    layer: Image, lines: list[str], size: int, place: tuple[str, str], fill: Colour, under: Colour | None
) -> None:
    """Writes lines onto a transparent picture; an edge in black or white keeps them readable on any background."""
    from PIL import ImageDraw

    drawing, font = ImageDraw.Draw(layer), _font(size)
    margin = MARGIN * min(layer.size)
    high = LINE * size * len(lines)
    top = {"top": margin, "middle": (layer.height - high) / 2, "bottom": layer.height - high - margin}[place[0]]
    edge = (0, 0, 0) if sum(fill) > 380 else (255, 255, 255)
    for number, line in enumerate(lines):
        wide = font.getlength(line)
        left = {"left": margin, "middle": (layer.width - wide) / 2, "right": layer.width - wide - margin}[place[1]]
        at = left, top + number * LINE * size
        if under:
            drawing.rectangle(
                (at[0] - 0.3 * size, at[1] - 0.05 * size, at[0] + wide + 0.3 * size, at[1] + 1.25 * size), under
            )
        drawing.text(at, line, fill, font, stroke_width=0 if under else max(1, size // 14), stroke_fill=edge)


BORDER = 0.03


def bordered(picture: Image, words: str) -> tuple[Image, str]:
    """An RGB picture with a border around it: white and 3 % of the longer side, unless words say otherwise."""
    from PIL import ImageOps

    colour = colour_in(words) or _RGB["white"]
    told = re.search(rf"({DIGITS}) ?(?:px|pixels?)", words)
    percent = re.search(rf"({DIGITS}) ?%", words)
    longer = max(picture.size)
    share = (
        int(percent[1]) / 100
        if percent
        else 0.01
        if re.search(r"thin|narrow|fine|small", words)
        else 0.07
        if re.search(r"thick|wide|broad|big", words)
        else BORDER
    )
    wide = int(told[1]) if told else max(1, round(share * longer))
    if not 1 <= wide <= longer:
        raise UserError(f"A border of 1 to {longer} pixels can be put around this picture, not of {wide}.")
    return ImageOps.expand(picture, wide, colour), f"with a border of {wide} pixels"
