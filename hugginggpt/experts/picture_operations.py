"""Embedded experts for pictures that need no model: crop, resize, rotate, flip, adjust, convert, join (Pillow).

Each reads one argument in words ("the left half", "800 wide") and answers in the format of the picture, with a note of
what was done. Raises UserError, which says what can be said, for words that it cannot read or follow.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import UserError
from hugginggpt.core.operation_words import BYTES, QUALITY, SINGLY
from hugginggpt.core.quantities import DECIMAL, DIGITS, NUMBER, fraction, number, share_of_hundred
from hugginggpt.experts.operations import operation
from hugginggpt.experts.picture_looks import ADJUSTMENTS
from hugginggpt.experts.upright import UPRIGHT, upright_turn
from hugginggpt.media.coded_pictures import handles_avif
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

PILLOW = "pillow"
MAX_SIDE, MAX_MEGAPIXELS = 16_000, 50
MAX_JOINED = 36
MAX_CELL = 1200
"""The pixels that a side of a picture in a collage may have; in a row its height alone."""
THUMBNAIL = 256
SLIGHTLY = 5.0
"""The degrees of a picture that is turned a bit."""
GAP = 8
"""The pixels between the pictures of a collage."""
FORMATS = {
    "jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "webp": "WEBP", "gif": "GIF", "bmp": "BMP", "bitmap": "BMP",
    "tiff": "TIFF", "tif": "TIFF", "avif": "AVIF",
}  # fmt: skip
_WITHOUT_ALPHA = ("JPEG", "BMP")
_MAX_SIDES = {"WEBP": 16_383, "JPEG": 65_500, "GIF": 65_535, "AVIF": 65_536}
"""The pixels that a side may have in a format."""
_OFF = re.compile(
    r"\b(?:remove|delete|drop|off|away|without|except|strip|lose|discard|skip|get rid|cut out|leave out)\b", re.I
)


def read_picture(path: Path) -> tuple[Image, str]:
    """A picture, upright and with its transparency, and the format in which it is to be answered."""
    from PIL import Image

    with Image.open(path) as file:
        kind = file.format if file.format in FORMATS.values() else "PNG"
    return load_image(path, keep_alpha=True), kind or "PNG"


def answer(picture: Image, kind: str, note: str, quality: int | None = None) -> dict[str, Any]:
    """A picture as the bytes of a file of that format, with a note. Raises UserError for one too large for it."""
    return {"generated image": encoded(picture, kind, quality), "note": note}


def encoded(picture: Image, kind: str, quality: int | None = None) -> bytes:
    """A picture as a file of a format; what `quality` (1 to 100) tells, JPEG, WebP and AVIF leave out."""
    if max(picture.size) > (most := _MAX_SIDES.get(kind, math.inf)):
        raise UserError(
            f"A {kind} has {most:,} pixels a side at most, and the picture has {_size(picture)}: take PNG, or make it "
            "smaller."
        )
    if kind == "AVIF" and not handles_avif():
        raise UserError("The Pillow installed here writes no AVIF: take WebP, which is about as small.")
    data = io.BytesIO()
    if kind in _WITHOUT_ALPHA and picture.mode not in ("RGB", "L"):
        picture = on_white(picture)
    usual = {"JPEG": {"quality": 92}, "WEBP": {"quality": 90}, "PNG": {"compress_level": 3}}.get(kind, {})
    picture.save(data, kind, **usual if quality is None else {"quality": quality})
    return data.getvalue()


def on_white(picture: Image) -> Image:
    """A picture without transparency."""
    from PIL import Image

    full = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", full.size, "white"), full).convert("RGB")


def _check_size(wide: int, high: int) -> None:
    """Raises UserError for a picture that would be too large: it is said before it is made."""
    if wide < 1 or high < 1 or max(wide, high) > MAX_SIDE or wide * high > MAX_MEGAPIXELS * 1e6:
        raise UserError(
            f"A picture of {wide}x{high} pixels cannot be made: 1 to {MAX_SIDE:,} a side and "
            f"{MAX_MEGAPIXELS} megapixels are possible."
        )


# Crop


@operation("crop", "crop-image", "Keeps a part: a half, a corner, a square, a size, an object (Pillow).")
def crop(image: Path, part: str) -> dict[str, Any]:
    """The part of a picture that words tell."""
    picture, kind = read_picture(image)
    part = _REMAINING.sub("", part).strip() or part  # the cat "is left": not the one on the left
    if name := object_in(part)[0]:
        return _cut_out(picture, kind, part, name)
    if (size := _SIDES.search(part)) and "square" in part.lower() and size[1] == size[2]:
        return _square(picture, kind, part, int(size[1]))
    return _cropped(picture, kind, part, _box(picture, part))


_SIDES = re.compile(rf"({DIGITS}) ?(?:x|×|by|\*) ?({DIGITS})", re.IGNORECASE)


def _square(picture: Image, kind: str, part: str, side: int) -> dict[str, Any]:
    """The largest square of a picture in a size: "a 300x300 square for my profile"."""
    _check_size(side, side)
    box = tuple(map(round, _of_ratio(part.lower(), picture.width, picture.height, 1, 1)))
    square = picture.crop((box[0], box[1], box[2], box[3]))
    note = f"the square of {_size(square)} of {_size(picture)}, as {side}x{side} pixels"
    return answer(square.resize((side, side)), kind, note)


def _cropped(picture: Image, kind: str, part: str, sides: Box, more: str = "") -> dict[str, Any]:
    left, top, right, bottom = sides
    box = (
        max(0, round(left)),
        max(0, round(top)),
        min(picture.width, round(right)),
        min(picture.height, round(bottom)),
    )
    if box[2] - box[0] < 1 or box[3] - box[1] < 1:
        raise UserError(f'Of the {_size(picture)} nothing would be left by "{part}".')
    cropped = picture.crop(box)
    return answer(cropped, kind, f"{_size(cropped)} of {_size(picture)}{more}")


Box = tuple[float, float, float, float]


def _box(picture: Image, part: str) -> Box:
    """(left, top, right, bottom) in pixels of what is kept."""
    words, (width, height) = part.lower(), picture.size
    if size := _SIDES.search(words):
        wide, high = int(size[1]), int(size[2])
        if wide > width or high > height:
            raise UserError(f"The picture has {_size(picture)} only: there is no part of {wide}x{high} in it.")
        return _at(words, width, height, wide, high)
    if ratio := re.search(rf"({DIGITS}) ?: ?({DIGITS})", words):
        return _of_ratio(words, width, height, int(ratio[1]), int(ratio[2]))
    if "square" in words:
        return _of_ratio(words, width, height, 1, 1)
    share = _share(words, width, height)
    if share or re.search(r"\b(?:left|right|top|upper|bottom|lower|middle|cent)", words):
        return _of_side(words, width, height, share, part)
    raise UserError(
        f'Which part is "{part}"? Say it as "the left half", "a square", "400x300", "the top right corner", or an '
        "everyday object such as the dog."
    )


def _of_ratio(words: str, width: int, height: int, wide: int, high: int) -> Box:
    if not wide or not high:
        raise UserError("Say the two sides of the shape, such as 16:9.")
    scale = min(width / wide, height / high)
    return _at(words, width, height, wide * scale, high * scale)


def _at(words: str, width: int, height: int, wide: float, high: float) -> Box:
    """A box of a size at the side that the words name, else in the middle."""
    at_left, at_right = "left" in words, "right" in words
    at_top, at_bottom = re.search(r"top|upper", words), re.search(r"bottom|lower", words)
    left = (width - wide) / 2 if at_left == at_right else 0.0 if at_left else width - wide
    top = (height - high) / 2 if bool(at_top) == bool(at_bottom) else 0.0 if at_top else height - high
    return left, top, left + wide, top + high


def _share(words: str, width: int, height: int) -> tuple[float, float] | None:
    """The share of width and height that the words tell; None without any."""
    if pixels := re.search(rf"({DIGITS}) ?(?:px|pixels?)", words):
        return int(pixels[1]) / width, int(pixels[1]) / height
    if (percent := share_of_hundred(words)) is not None:
        return percent, percent
    named = fraction(words)
    return (named, named) if named else None


def _of_side(words: str, width: int, height: int, share: tuple[float, float] | None, part: str) -> Box:
    """The box of "the left half", "the top right corner" (of half the sides) or "20 % off every side"."""
    is_off = bool(_OFF.search(words))
    wide, high = share or (0.5, 0.5)
    if not 0 < wide < 1 or not 0 < high < 1:
        raise UserError(f'"{part}" is more than the picture has: it has {width}x{height} pixels.')
    if re.search(r"\b(?:sides?|edges?|each|every|all)\b", words) and not re.search(
        r"left|right|top|upper|bottom|lower", words
    ):
        return (
            (wide * width, high * height, (1 - wide) * width, (1 - high) * height) if is_off else (0, 0, width, height)
        )
    across = next((one for one in ("left", "right") if one in words), "")
    along = "top" if re.search(r"top|upper", words) else "bottom" if re.search(r"bottom|lower", words) else ""
    if is_off:
        wide, high = 1 - wide, 1 - high
        across = {"left": "right", "right": "left"}.get(across, "")
        along = {"top": "bottom", "bottom": "top"}.get(along, "")
    is_corner = bool(across and along)
    if across and not is_corner:
        return _at(across, width, height, wide * width, height)
    if along and not is_corner:
        return _at(along, width, height, width, high * height)
    if not is_corner and "third" in words:  # the middle of three columns
        return _at("", width, height, wide * width, height)
    return _at(f"{across} {along}", width, height, wide * width, high * height)


_ORDER = re.compile(
    r"\b(?:(?:on|at|to) the (?:far |very )?)?(left|right|top|bottom|largest|biggest|smallest)(?:most)?\b", re.IGNORECASE
)
_EACH = re.compile(r"\b(?:each|every|all)\b", re.IGNORECASE)
_REMAINING = re.compile(
    r"\b(?:(?:is|are|be) (?:left|kept|shown|seen|visible)(?: over)?|remains?|stays?)\b", re.IGNORECASE
)
_SINGLY = re.compile(SINGLY, re.IGNORECASE)
_AROUND = re.compile(
    r"\b(?:the|an?|my|his|her|only|just|crop(?:ped)?|to|around|out|cut|keep|face of|each|every|all)\b", re.IGNORECASE
)


def object_in(part: str) -> tuple[str, str, Callable[[list[dict[str, Any]]], dict[str, Any]]]:
    """The name of the everyday object that words for a part tell, "" where they tell something else; the word that says
    which of several is meant, "" without one; and what chooses it among the regions found.
    """
    from hugginggpt.experts import coco

    part = re.split(r"(?<=\w)\s*(?:\b(?:in|as|into|from|on (?:its|their))\b|,)", _SINGLY.sub("", part))[0]
    name = " ".join(_AROUND.sub(" ", _ORDER.sub(" ", part)).split())
    meaning = coco.meaning(name) if re.fullmatch(r"[a-z][a-z -]*", name, re.IGNORECASE) else None
    order = match[1].lower() if (match := _ORDER.search(part)) else ""
    return (name if meaning and meaning.labels else ""), order, _CHOICES[order]


def region_in(picture: Image, words: str) -> Box | None:
    """(left, top, right, bottom) in pixels of the part that words tell by place or size; None where they tell none."""
    try:
        return _box(picture, words)
    except UserError:
        return None


def _cut_out(picture: Image, kind: str, part: str, name: str) -> dict[str, Any]:
    """The detected object of a name, with a little around it: of several the one that the words choose, else the
    likeliest, which is said; or each of them, on one sheet. Raises UserError where there is none.
    """
    from hugginggpt.experts import coco
    from hugginggpt.experts.objects import objects_in

    meaning = coco.meaning(name)
    labels = meaning.labels if meaning else ()
    found = [one for one in objects_in(on_white(picture)) if one["label"] in labels and not one.get("faint")]
    if not found:
        raise UserError(f"The detector finds no {name} in the picture to cut out.")
    if _EACH.search(part) and len(found) > 1:
        found = sorted(found, key=lambda one: one["box"]["xmin"])
        pieces = [picture.crop(_with_margin(one["box"], picture)) for one in found[:MAX_PIECES]]
        if _SINGLY.search(part):
            note = f"{len(pieces)} of {len(found)} found, from left to right, each in a file of its own"
            return {"generated image": [encoded(piece, kind) for piece in pieces], "note": note}
        return answer(collage(pieces), kind, f"{len(pieces)} of {len(found)} found, from left to right, on one sheet")
    _, order, choose = object_in(part)
    chosen = choose(found)
    which = (
        "the likeliest" if not order else f"that at the {order}" if order in ("top", "bottom") else f"the {order} one"
    )
    more = f", {which} of {len(found)}: say “the {name} on the left” or “the largest {name}” for another"
    return _cropped(picture, kind, part, _with_margin(chosen["box"], picture), more if len(found) > 1 else "")


MAX_PIECES = 36
"""So many pictures fit on a sheet."""


def _area(one: dict[str, Any]) -> float:
    box = one["box"]
    return float((box["xmax"] - box["xmin"]) * (box["ymax"] - box["ymin"]))


_CHOICES: dict[str, Callable[[list[dict[str, Any]]], dict[str, Any]]] = {
    "": lambda found: max(found, key=lambda one: float(one["score"])),
    "left": lambda found: min(found, key=lambda one: float(one["box"]["xmin"])),
    "right": lambda found: max(found, key=lambda one: float(one["box"]["xmax"])),
    "top": lambda found: min(found, key=lambda one: float(one["box"]["ymin"])),
    "bottom": lambda found: max(found, key=lambda one: float(one["box"]["ymax"])),
    "largest": lambda found: max(found, key=_area),
    "biggest": lambda found: max(found, key=_area),
    "smallest": lambda found: min(found, key=_area),
}
"""Which of several objects is meant, by the word that says so."""


def _with_margin(box: dict[str, float], picture: Image) -> Box:
    margin = 0.04 * max(box["xmax"] - box["xmin"], box["ymax"] - box["ymin"])
    left, top = (max(0, round(box[side] - margin)) for side in ("xmin", "ymin"))
    return left, top, min(picture.width, round(box["xmax"] + margin)), min(picture.height, round(box["ymax"] + margin))


# Resize


@operation("resize", "resize-image", "Larger or smaller: 50 %, 800 wide, 640x480, half the size (Pillow).")
def resize(image: Path, size: str) -> dict[str, Any]:
    """The picture in another size; its shape is kept unless both sides are given."""
    from PIL.Image import Resampling

    picture, kind = read_picture(image)
    if told := re.search(BYTES, size, re.IGNORECASE):
        return _within(picture, kind, told[0])
    wide, high = (round(side) for side in _new_size(picture, size))
    _check_size(wide, high)
    changed = picture.resize((wide, high), Resampling.LANCZOS)
    return answer(changed, kind, f"{_size(picture)} became {_size(changed)}")


MIN_BYTES = 2000
_UNITS = {"k": 1000, "m": 1_000_000, "b": 1}


def _within(picture: Image, kind: str, told: str) -> dict[str, Any]:
    """The picture as a file of so many bytes at most: in a lower quality where its format has one, then smaller."""
    from PIL.Image import Resampling

    most = round((number(told) or 0) * _UNITS[told.lower().lstrip("0123456789., ")[0]])
    if most < MIN_BYTES:
        raise UserError(f"A picture in {told} cannot be made: say {MIN_BYTES // 1000} KB or more.")
    qualities = (90, 80, 70, 55) if kind in _QUALITIES else (None,)
    scale, changed = 1.0, picture
    while True:
        for quality in qualities:
            data = encoded(changed, kind, quality)
            if len(data) <= most:
                how = "" if quality is None else f" in quality {quality}"
                note = f"{_size(picture)} became {_size(changed)}{how}, {len(data) / 1000:,.0f} KB"
                return {"generated image": data, "note": note}
        scale *= max(0.3, min(0.9, 0.95 * math.sqrt(most / len(data))))
        wide, high = (max(1, round(side * scale)) for side in picture.size)
        if max(wide, high) < 16:
            raise UserError(f"The picture cannot be made as small as {told}.")
        changed = picture.resize((wide, high), Resampling.LANCZOS)


_FACTORS = ((r"\b(?:double|doubling|twice)\b", 2.0), (r"\btriple\b", 3.0), (r"\bhalv(?:e|ing)", 0.5))
_SEVERAL_PARTS = re.compile(r"\d ?/ ?\d|(?:third|quarter|fifth|sixth|eighth|tenth)s\b")


def _new_size(picture: Image, size: str) -> tuple[float, float]:
    words, (width, height) = size.lower(), picture.size
    if both := re.search(rf"({DIGITS}) ?(?:px|pixels?)? ?(?:x|×|by|\*) ?({DIGITS})", words):
        return int(both[1]), int(both[2])
    factor = share_of_hundred(words)
    if factor is None and (_SEVERAL_PARTS.search(words) or not re.search(DIGITS, words)):  # "the third one, 800 wide"
        factor = fraction(words)
    if factor is not None:
        grows = re.search(r"\b(?:larger|bigger|more)\b|\b(?:enlarge|increase|grow)", words)
        factor = (
            1 + factor
            if grows
            else 1 - factor
            if re.search(r"\b(?:smaller|less)\b|\b(?:shrink|reduce) .*by\b", words)
            else factor
        )
        return width * factor, height * factor
    if side := re.search(DIGITS, words.replace(",", "")):
        if re.search(r"\btimes|factor|fold\b|\d ?x\b", words):
            factor = float(number(words) or 1)
            return _scaled(picture, 1 / factor if "small" in words and factor else factor)
        pixels = int(side[0])
        if re.search(r"high|height|tall", words):
            return width * pixels / height, pixels
        is_longest = not re.search(r"wide|width|across|broad", words) and height > width
        return (width * pixels / height, pixels) if is_longest else (pixels, height * pixels / width)
    for pattern, factor in _FACTORS:
        if re.search(pattern, words):
            return _scaled(picture, 1 / factor if factor > 1 and "small" in words else factor)
    if (times := number(words)) and times > 1:
        return _scaled(picture, 1 / times if "small" in words else times)
    if re.search(r"thumbnail|icon", words):
        return _scaled(picture, min(1.0, THUMBNAIL / max(width, height)))
    if re.search(r"\b(?:small|less|shrink|reduc)", words):
        return _scaled(picture, 0.5)
    if re.search(r"\b(?:big|larg|enlarg)", words):
        return _scaled(picture, 2.0)
    raise UserError(f'Which size is "{size}"? Say it as "50 %", "800 wide", "640x480" or "half the size".')


def _scaled(picture: Image, factor: float) -> tuple[float, float]:
    return max(1, picture.width * factor), max(1, picture.height * factor)


# Rotate and flip


@operation("rotate", "rotate-image", "Turns by any angle; corners are filled with white (Pillow).")
def rotate(image: Path, angle: str) -> dict[str, Any]:
    """The picture turned clockwise, or counter-clockwise where the words say so."""
    from PIL.Image import Resampling

    picture, kind = read_picture(image)
    degrees = upright_turn(on_white(picture)) if UPRIGHT.search(angle) else _clockwise(angle)
    if UPRIGHT.search(angle) and not degrees:
        raise UserError("The picture seems to be the right way up. Say which way it is to be turned: “to the left”.")
    if degrees % 90:
        across, along = abs(math.cos(math.radians(degrees))), abs(math.sin(math.radians(degrees)))
        width, height = picture.size
        _check_size(math.ceil(width * across + height * along), math.ceil(width * along + height * across))
    filled = "white" if picture.mode == "RGB" else None
    turned = picture.rotate(-degrees, Resampling.BICUBIC, expand=True, fillcolor=filled)
    way = "clockwise" if degrees >= 0 else "counter-clockwise"
    return answer(turned, kind, f"by {abs(degrees):g} degrees {way}")


def _clockwise(angle: str) -> float:
    """The degrees, clockwise; negative ones are counter-clockwise."""
    words = angle.lower()
    is_counter = bool(re.search(r"\bleft\b|counter|anti", words))
    if re.search(r"upside|on its head|\bhalf\b", words):
        return 180
    if match := re.search(rf"(-?)({NUMBER}) ?(?:°|deg)|(-?)\b({DECIMAL})\b", words):
        value = float(number(match[2] or match[4]) or 0) * (-1 if match[1] or match[3] else 1)
    elif re.search(r"\bslightly|\bbit\b|\blittle\b", words):
        value = SLIGHTLY
    elif re.search(r"three[ -]quarter", words):
        value = 270
    elif re.search(r"\bquarter|left|right|clockwise|side", words):
        value = 90
    elif re.search(r"\ba?round\b", words):
        value = 180
    else:
        raise UserError(f'By how much is "{angle}"? Say it as "90 degrees", "to the left" or "upside down".')
    if not math.isfinite(value) or abs(value) > 3600:
        raise UserError("A picture is turned by 3,600 degrees at most.")
    return math.fmod(-value if is_counter else value, 360)


@operation("flip", "flip-image", "Mirrors left to right, or top to bottom (Pillow).")
def flip(image: Path, direction: str = "") -> dict[str, Any]:
    """The picture mirrored: left to right unless the words say top to bottom, or both."""
    from PIL.Image import Transpose

    picture, kind = read_picture(image)
    if "diagonal" in direction.lower():
        raise UserError(f'Which way is "{direction}"? Say "horizontally", "vertically" or "both ways".')
    is_vertical = bool(re.search(r"vertical|upside|top|bottom|down", direction, re.I))
    is_both = bool(re.search(r"\bboth\b", direction, re.I)) or (is_vertical and "horizontal" in direction.lower())
    if is_both:
        return answer(picture.transpose(Transpose.ROTATE_180), kind, "left to right and top to bottom")
    way = Transpose.FLIP_TOP_BOTTOM if is_vertical else Transpose.FLIP_LEFT_RIGHT
    return answer(picture.transpose(way), kind, "top to bottom" if is_vertical else "left to right")


# Adjust


@operation(
    "adjust",
    "adjust-image",
    "Greyscale, sepia, negative, blur, sharpness, brightness, contrast, saturation, warmth, a border (Pillow).",
)
def adjust(image: Path, change: str) -> dict[str, Any]:
    """The picture with all the changes that the words name, one after the other."""
    picture, kind = read_picture(image)
    alpha = picture.getchannel("A") if "A" in picture.getbands() else None
    changed = picture.convert("RGB")
    done = []
    for step in re.split(r",(?! ?\d+ ?(?:px|pixels?|%))| and (?!white\b)| then ", change.lower()):
        if one := next((one for one in ADJUSTMENTS if re.search(one[0], step)), None):
            changed, note = one[1](changed, step)
            done.append(note)
    if not done:
        raise UserError(
            f'What is to be changed by "{change}"? Possible are greyscale, sepia, negative, a pencil drawing, blur, '
            "sharper, brighter, darker, warmer, cooler, more or less contrast or saturation, and a border."
        )
    if alpha is not None:
        changed.putalpha(alpha)
    return answer(changed, kind, ", ".join(done))


# Convert and join


@operation("convert", "convert-image", "Saves as png, jpg, webp, avif, gif, bmp or tiff, in a quality (Pillow).")
def convert(image: Path, format: str) -> dict[str, Any]:
    """The picture in another format, or in its own with another quality."""
    kind = next((FORMATS[word] for word in re.findall(r"[a-z]+", format.lower()) if word in FORMATS), None)
    quality = _quality(format)
    if kind is None and quality is None:
        raise UserError(f'A picture is saved as png, jpg, webp, avif, gif, bmp or tiff, not as "{format}".')
    picture, before = read_picture(image)
    kind = kind or before
    if quality is not None and kind not in _QUALITIES:
        raise UserError(f"A {kind} has no quality to choose, it leaves nothing out: take jpg, webp or avif.")
    how = "" if quality is None else f", in quality {quality}"
    return answer(picture, kind, f"{before} became {kind}{how}", quality)


_QUALITIES = ("JPEG", "WEBP", "AVIF")
_NAMED_QUALITY = (
    ("lowest", 30),
    ("low", 50),
    ("poor", 50),
    ("medium", 75),
    ("highest", 98),
    ("high", 95),
    ("best", 98),
    ("full", 98),
)
"""The quality that is meant by words."""


def _quality(words: str) -> int | None:
    """The quality that words tell; None where they tell none. Raises UserError for one that there is not."""
    match = re.search(QUALITY, words, re.IGNORECASE)
    if match is None:
        return None
    told = number(match[0]) if re.search(r"\d", match[0]) else None
    value = (
        round(told) if told is not None else next(worth for word, worth in _NAMED_QUALITY if word in match[0].lower())
    )
    if not 1 <= value <= 100:
        raise UserError("The quality is a number from 1 to 100.")
    return value


@operation("collage", "join-images", "Puts pictures into a row, a column or a grid (Pillow).")
def join(images: Sequence[Path], layout: str = "") -> dict[str, Any]:
    """Pictures in one, in their order: two or three in a row, more in a grid, unless the words say otherwise."""
    if not 2 <= len(images) <= MAX_JOINED:
        there = "is" if len(images) == 1 else "are"
        raise UserError(f"A collage needs 2 to {MAX_JOINED} pictures; there {there} {len(images)}.")
    canvas = collage([_reduced(on_white(load_image(path, keep_alpha=True))) for path in images], layout)
    return answer(canvas, "JPEG", f"{len(images)} pictures, {_size(canvas)}")


def _reduced(picture: Image) -> Image:
    """A picture no higher than one in a collage is: many large ones would not fit into memory."""
    if picture.height <= MAX_CELL:
        return picture
    return picture.resize((max(1, round(picture.width * MAX_CELL / picture.height)), MAX_CELL))


def collage(pictures: Sequence[Image], layout: str = "") -> Image:
    """Pictures in one: in a row all of one height, else in cells of one size, none cut off. Raises UserError for one
    that would be too large.
    """
    from PIL import Image

    columns = _columns(layout.lower(), len(pictures))
    rows = math.ceil(len(pictures) / columns)
    side = min(MAX_CELL, 4000 // max(columns, rows))
    width, height = (min(side, max(size)) for size in zip(*(picture.size for picture in pictures), strict=True))
    is_row = columns == len(pictures)
    fitted = [_fitted(picture.size, math.inf if is_row else width, height) for picture in pictures]
    widths = [wide for wide, _ in fitted] if is_row else [width] * columns
    size = sum(widths) + GAP * (columns - 1), rows * height + GAP * (rows - 1)
    _check_size(*size)
    canvas = Image.new("RGB", size, "white")
    for index, (picture, (wide, high)) in enumerate(zip(pictures, fitted, strict=True)):
        row, column = divmod(index, columns)
        left = sum(widths[:column]) + GAP * column + (widths[column] - wide) // 2
        canvas.paste(picture.resize((wide, high)), (left, row * (height + GAP) + (height - high) // 2))
    return canvas


def _fitted(size: tuple[int, int], width: float, height: int) -> tuple[int, int]:
    """The size of a picture as large as it can be in a cell."""
    scale = min(width / size[0], height / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _columns(words: str, count: int) -> int:
    if told := re.search(rf"({NUMBER}) (column|row)s", words):
        lines = max(1, round(number(told[1]) or 1))
        return min(count, lines if told[2] == "column" else math.ceil(count / lines))
    if re.search(r"column|below|under|top of|above|stack|vertical", words):
        return 1
    if re.search(r"side|next|row|line|horizontal", words):
        return count
    if grid := re.search(r"(\d) ?(?:x|by) ?\d", words):
        return max(1, min(count, int(grid[1])))
    return count if count <= 3 and "grid" not in words else math.ceil(math.sqrt(count))


def _size(picture: Image) -> str:
    return f"{picture.width}x{picture.height} pixels"
