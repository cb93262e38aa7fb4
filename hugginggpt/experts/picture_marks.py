"""Embedded experts for words and codes on pictures: writing on them, and reading QR codes and barcodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hugginggpt.core.errors import UserError
from hugginggpt.experts.lettering import check_letters, written
from hugginggpt.experts.operations import operation
from hugginggpt.experts.picture_operations import answer, on_white, read_picture
from hugginggpt.experts.registry import expert
from hugginggpt.media.decoding import load_image

MAX_TEXT = 400
CODE_SIDE = 1600
"""The longest side of the picture in which codes are looked for, in pixels; a small picture is looked at enlarged."""


@operation(
    "write", "write-on-image", "Words on a picture, in a place, a colour and a size (Pillow, DejaVu Sans).",
    ("matplotlib",),
)  # fmt: skip
def write(image: Path, text: str, look: str = "") -> dict[str, Any]:
    """The picture with the text on it, at the bottom and in white, unless the look says otherwise."""
    text = text.strip()
    if not text:
        raise UserError("Say what is to be written on the picture, in quotes.")
    check_letters(text)
    picture, kind = read_picture(image)
    picture = picture if picture.mode in ("RGB", "RGBA") else picture.convert("RGB")
    changed, note = written(picture, text, look)
    return answer(changed, kind, f"“{text}” {note}")


@expert(
    "opencv-codes", "read-code", "Reads QR codes and barcodes (EAN, UPC) by OpenCV's detectors, which need no weights.",
    ("cv2",),
)  # fmt: skip
def read_codes(image: Path) -> dict[str, Any]:
    """What the codes in a picture say, each once. Raises nothing: that there is none, or that it is not readable, is an
    answer.
    """
    import cv2
    import numpy as np

    picture = on_white(load_image(image))
    texts: list[str] = []
    is_seen = False
    for factor in (1.0, 2.0, 0.5):
        longest = factor * max(picture.size)
        if texts or (factor != 1.0 and not 200 <= longest <= 2 * CODE_SIDE):
            continue
        size = max(1, round(picture.width * factor)), max(1, round(picture.height * factor))
        pixels = np.ascontiguousarray(np.asarray(picture.resize(size))[:, :, ::-1])
        found, decoded, _, _ = cv2.QRCodeDetector().detectAndDecodeMulti(pixels)
        is_seen = is_seen or bool(found)
        bars, more, _, _ = cv2.barcode.BarcodeDetector().detectAndDecodeWithType(pixels)
        texts += [one for one in (*(decoded if found else ()), *(more if bars else ())) if one]
    if not texts:
        told = (
            "A code is in the picture, but it cannot be read."
            if is_seen
            else "No QR code or barcode is found in the picture."
        )
        return {"answer": told, "found": False}
    return {"answer": "; ".join(dict.fromkeys(texts))}
