"""The embedded expert that hides parts of pictures: faces, texts on a page, objects, the background.

A part is blacked out, pixelated or blurred, as the words say. A text is covered where it was recognised, and looked for
again afterwards: what can still be read of it is covered with its whole line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.documents import counted
from hugginggpt.core.errors import ExpertUnavailable, UserError
from hugginggpt.experts import contacts
from hugginggpt.experts.operations import operation
from hugginggpt.experts.picture_operations import answer, object_in, on_white, read_picture, region_in
from hugginggpt.experts.vision import ONNX

if TYPE_CHECKING:
    from PIL.Image import Image

Box = tuple[float, float, float, float]
Segment = tuple[str, Any]
"""A recognised text and the corners of its box, shape (4, 2), from the upper left clockwise."""
BLACK, WHITE, PIXELS, BLUR = "blacked out", "whited out", "pixelated", "blurred"
_STYLES = (
    (r"\bwhite (?:bar|box|rectangle|block)|\bwhite(?:d)?[ -]?out\b", WHITE),
    (r"\bblack|\bredact|\bcensor|\bcross(?:ed)? out|\bbars?\b", BLACK),
    (r"\bpixel|\bmosaic", PIXELS),
    (r"\bblur|\bsmudge|\bfuzz|\bunsharp|\bportrait mode", BLUR),
)
_FACES = re.compile(
    r"\b(?:faces?|heads?)\b|\b(?:un(?:recogni[sz]|identifi)able|anonymi[sz]e|anonymous)\b", re.IGNORECASE
)
_BACKGROUND = re.compile(
    r"\bbackground|\bportrait mode|\b(?:everything|all) (?:but|except|besides|apart from) (?:the |my |her |him|me)|\bbehind (?:her|him|them|the)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“„'‘«]([^\"”“'’»]{1,80})[\"”“'’»]")
_DATE = r"\b\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{1,2}\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?,? \d{4}\b"
_FORMS: tuple[tuple[str, str, str], ...] = (
    (
        r"\biban\b|\baccount numbers?\b|\bbank details\b",
        "IBAN",
        r"\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){3,7}(?: ?[0-9A-Z]{1,3})?\b",
    ),
    (r"\bdates?\b(?! of birth)", "date", _DATE),
    (
        r"\b(?:prices?|amounts?|sums?|costs?)\b",
        "amount",
        r"(?:[€$£]|EUR|USD|GBP) ?\d[\d.,]*|\b\d[\d.,]*[.,]\d{2}\b(?: ?(?:[€$£]|EUR|USD|GBP))?",
    ),
    (r"\bnumbers\b(?<!phone numbers)", "number", r"\d[\d .,/-]*\d|\d"),
)
"""What is called so, its name in the answer, and the form by which it is known."""
_IDLE = frozenset(
    """a all an and any anonymise anonymize any bar bars before be black blacken blackout blank box but can censor
    could cover covered cross crossed do everything for from has have hide hidden i illegible image in is it make mask
    must my name need needs no nobody obscure of on or our out over page paint photo picture pixelate please pls put
    read redact remove rectangle scan screenshot see should so that the their this to unreadable up want white with
    word words you your line text says lines blur blurred smudge delete erase his her box draw place across""".split()
)
MARGIN = 0.06
PIECES = 9
"""A face that is pixelated has so many squares across."""


@operation(
    "redact", "redact-image",
    "Blacks out, pixelates or blurs faces, recognised texts, detected objects, regions or the background (OpenCV, Pillow).",
    (*ONNX, "cv2"),
)  # fmt: skip
def hide(image: Path, what: str) -> dict[str, Any]:
    """The picture with what the words name hidden. Raises UserError where it is not found, ExpertUnavailable where that
    cannot be told.
    """
    picture, kind = read_picture(image)
    words = what.lower()
    style = next((style for pattern, style in _STYLES if re.search(pattern, words)), "")
    if _BACKGROUND.search(words):
        return answer(_behind(image, picture, style or BLUR), kind, f"the background {style or BLUR}")
    for find in (_texts_named, _faces, _objects, _region):
        if found := find(image, picture, what):
            boxes, name, usual, more = found
            changed = covered(picture, boxes, style or usual)
            if usual == BLACK and find is _texts_named:
                changed = _checked(image, picture, what, changed, style or usual)
            return answer(changed, kind, f"{name} {style or usual}{more}")
    raise UserError(
        f'What is to be hidden by "{what[:80]}"? Say "the faces", "the phone number", a text of the page in quotes, an '
        'everyday object such as the car, or "the top right corner".'
    )


Found = tuple[Sequence[Box], str, str, str]
"""What is to be covered, its name, how it usually is, and what there is to add."""


def _faces(image: Path, picture: Image, what: str) -> Found | None:
    from hugginggpt.experts.faces import faces_in

    if not _FACES.search(what):
        return None
    found = faces_in(on_white(picture))
    if not found:
        raise UserError(
            "No face is found in the picture: one that is turned away, very small or covered may be missed."
        )
    more = ": look whether one is left, as faces in a crowd or turned away may be missed"
    return found, counted(len(found), "face"), PIXELS, more


def _objects(image: Path, picture: Image, what: str) -> Found | None:
    from hugginggpt.experts import coco
    from hugginggpt.experts.objects import objects_in

    words = re.sub(
        r"\b(?:please|pls|blur|pixelate|hide|cover(?: up)?|black(?:en)? out|censor|mask|obscure|mosaic|in|on|of)\b",
        " ",
        what.lower(),
    )
    name, order, choose = object_in(words)
    if not name:
        return None
    meaning = coco.meaning(name)
    labels = meaning.labels if meaning else ()
    found = [one for one in objects_in(on_white(picture)) if one["label"] in labels and not one.get("faint")]
    if not found:
        raise UserError(f"The detector finds no {name} in the picture to hide.")
    chosen = [choose(found)] if order else found
    boxes = [tuple(float(one["box"][side]) for side in ("xmin", "ymin", "xmax", "ymax")) for one in chosen]
    return boxes, f"{len(boxes)} found, {name}:" if len(boxes) > 1 else f"the {name}", PIXELS, ""  # type: ignore[return-value]


def _region(image: Path, picture: Image, what: str) -> Found | None:
    box = region_in(picture, what)
    return ([box], "this part", BLACK, "") if box else None


# Texts


def _texts_named(image: Path, picture: Image, what: str) -> Found | None:
    """The texts of a page that words name: in quotes, by their form, or by the label before them."""
    parts = _parts(what)
    if not any(_pattern_of(part)[0] for part in parts) and (_FACES.search(what) or object_in(what.lower())[0]):
        return None
    segments = _segments(picture)
    boxes: list[Box] = []
    names: list[str] = []
    for part in parts:
        found, name = _texts_of(segments, part)
        boxes += found
        names += [name] if found else []
    if not boxes and (lacking := [name for part in parts if (name := _pattern_of(part)[1])]):
        raise UserError(f"No {' and no '.join(lacking)} is recognised in the picture.")
    return (boxes, " and ".join(names), BLACK, "") if boxes else None


def _parts(what: str) -> list[str]:
    """The words for each of several texts."""
    return [what] if _QUOTED.search(what) else [part for part in re.split(r",| and | & ", what) if part.strip()]


def _texts_of(segments: Sequence[Segment], what: str) -> tuple[list[Box], str]:
    """The boxes of the texts that words name, and what they are called."""
    wanted, name = _pattern_of(what)
    if not wanted:
        words = [word for word in re.findall(r"\w+", what.lower()) if word not in _IDLE and len(word) > 2]
        boxes = _labelled(segments, words)
        return boxes, f"what stands at “{' '.join(words)}”"
    boxes = [box for text, corners in segments for box in _spots(text, corners, wanted(text))]
    if wanted is _by_name:
        boxes += [box for box in _labelled(segments, ["name"]) if not any(_lies_in(other, box) for other in boxes)]
    return boxes, name if name[0] == "“" else counted(len(boxes), name)


def _lies_in(one: Box, other: Box) -> bool:
    """Whether the middle of one box lies in the other."""
    return other[0] <= (one[0] + one[2]) / 2 <= other[2] and other[1] <= (one[1] + one[3]) / 2 <= other[3]


def _pattern_of(what: str) -> tuple[Callable[[str], Iterable[tuple[int, int]]] | None, str]:
    """What finds the spans in a line of the text that words name, and its name."""
    if quoted := _QUOTED.search(what):
        words = r"\W*".join(map(re.escape, re.findall(r"\w+", quoted[1]))) or re.escape(quoted[1])
        return _by_form(words), f"“{quoted[1]}”"
    words = what.lower().replace("e-mail", "email")
    for form, names in (
        (contacts.PHONE, r"phone|telephone|mobile"),
        (contacts.EMAIL, r"emails?\b"),
        (contacts.WEB, r"web ?sites?|urls?\b|links?\b"),
    ):
        if re.search(rf"\b(?:{names})", words):
            return _by_contact(form), form
    if re.search(r"\bnames?\b", words) and not re.search(r"\bfile ?names?", words):
        return _by_name, "name"
    for pattern, name, form in _FORMS:
        if re.search(pattern, words):
            return _by_form(form), name
    if re.search(
        r"\ball (?:the |of the )?(?:text|writing|words)|\b(?:the|any) (?:text|writing)\b(?! of| that| in the)", words
    ):
        return _by_form(r".+"), "line"
    return None, ""


def _by_form(form: str) -> Callable[[str], Iterable[tuple[int, int]]]:
    pattern = re.compile(form, re.IGNORECASE)
    return lambda text: [match.span() for match in pattern.finditer(text)]


def _by_contact(kind: str) -> Callable[[str], Iterable[tuple[int, int]]]:
    def spans(text: str) -> Iterable[tuple[int, int]]:
        return [(at, at + len(one)) for one in contacts.found(kind, text) if (at := text.find(one)) >= 0]

    return spans


def _by_name(text: str) -> Iterable[tuple[int, int]]:
    """The names of people in a line."""
    from hugginggpt.experts.entities import entities

    label = re.match(r"\W*(?:\w+ ){0,2}name\W*[:\s]\s*", text, re.IGNORECASE)
    if label and label.end() < len(text):
        return [(label.end(), len(text))]
    named = [one for one in entities(text) if one["entity_group"] == "PERSON"]
    return [(at, at + len(one["word"])) for one in named if (at := text.find(one["word"])) >= 0]


def _labelled(segments: Sequence[Segment], words: Sequence[str]) -> list[Box]:
    """What stands behind the words of a label ("Total: 12.00") in their line and to the right of it; else the words."""
    boxes: list[Box] = []
    for text, corners in segments if words else ():
        at = [text.lower().find(word) for word in words]
        if min(at) < 0:
            continue
        end = max(start + len(word) for start, word in zip(at, words, strict=True))
        rest = re.match(r"\w*\W*", text[end:])
        begin = end + (rest.end() if rest else 0)
        behind = _spots(text, corners, [(begin, len(text))]) if begin < len(text) else []
        behind += _beside(segments, corners)
        boxes += behind or _spots(text, corners, [(min(at), len(text))])
    return boxes


def _beside(segments: Sequence[Segment], corners: Any) -> list[Box]:
    """The boxes of the texts to the right in the same line."""
    _, top, right, bottom = _around(corners)
    boxes = [_around(other) for _, other in segments]
    return [
        box for box in boxes if box[0] >= right - 2 and min(bottom, box[3]) - max(top, box[1]) > 0.5 * (bottom - top)
    ]


def _segments(picture: Image) -> list[Segment]:
    from hugginggpt.experts.ocr import recognised

    return recognised(on_white(picture))


def _spots(text: str, corners: Any, spans: Iterable[tuple[int, int]]) -> list[Box]:
    """The boxes of parts of a line: letters are taken to be equally wide, so that a box is a letter wider on each side."""
    left, top, right, bottom = _around(corners)
    wide = (right - left) / max(1, len(text))
    return [
        (
            max(left, left + (start - 1) * wide) - (2 if start <= 1 else 0),
            top,
            min(right, left + (end + 1) * wide) + 2,
            bottom,
        )
        for start, end in spans
    ]


def _around(corners: Any) -> Box:
    across, along = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    return min(across), min(along), max(across), max(along)


def _checked(image: Path, picture: Image, what: str, changed: Image, style: str) -> Image:
    """The changed picture; lines of which the text can still be read are covered as a whole."""
    patterns = [wanted for part in _parts(what) if (wanted := _pattern_of(part)[0])]
    if not patterns:
        return changed
    left = [_around(corners) for text, corners in _segments(changed) if any(list(wanted(text)) for wanted in patterns)]
    return covered(changed, left, style) if left else changed


# Covering


def covered(picture: Image, boxes: Iterable[Box], style: str) -> Image:
    """The picture with boxes blacked out, whited out, pixelated or blurred."""
    changed = picture.copy()
    for left, top, right, bottom in boxes:
        margin = MARGIN * min(right - left, bottom - top)
        box = (
            max(0, round(left - margin)), max(0, round(top - margin)),
            min(picture.width, round(right + margin)), min(picture.height, round(bottom + margin)),
        )  # fmt: skip
        if box[2] > box[0] and box[3] > box[1]:
            changed.paste(_hidden(changed.crop(box), style), box[:2])
    return changed


def _hidden(part: Image, style: str) -> Image:
    from PIL import Image, ImageFilter
    from PIL.Image import Resampling

    if style in (BLACK, WHITE):
        return Image.new(part.mode, part.size, "black" if style == BLACK else "white")
    pieces = max(1, min(PIECES, *part.size)) if part.width <= part.height else max(1, min(PIECES, part.height))
    scale = min(part.size) / pieces
    small = part.resize((max(1, round(part.width / scale)), max(1, round(part.height / scale))), Resampling.BOX)
    if style == PIXELS:
        return small.resize(part.size, Resampling.NEAREST)
    return small.resize(part.size, Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(max(1.0, 0.7 * scale)))


def _behind(image: Path, picture: Image, style: str) -> Image:
    """The picture with everything hidden but the people, or the objects that are cut out. Raises ExpertUnavailable."""
    from PIL import Image, ImageFilter

    mask = _foreground(image).resize(picture.size)
    if style in (BLACK, WHITE):
        rest = Image.new(picture.mode, picture.size, "black" if style == BLACK else "white")
    elif style == PIXELS:
        rest = _hidden(picture, PIXELS)
    else:
        rest = picture.filter(ImageFilter.GaussianBlur(max(2.0, 0.015 * max(picture.size))))
    return Image.composite(picture, rest, mask)


def _foreground(image: Path) -> Image:
    from PIL import ImageChops

    from hugginggpt.experts.outlines import object_masks
    from hugginggpt.experts.vision import people_mask

    try:
        regions = people_mask(image)
    except ExpertUnavailable:
        regions = object_masks(image)["predicted"]
    mask: Image = regions[0]["mask"].convert("L")
    for region in regions[1:]:
        mask = ImageChops.lighter(mask, region["mask"].convert("L"))
    return mask
