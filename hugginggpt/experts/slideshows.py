"""The embedded expert that makes a video of pictures (FFmpeg, by PyAV)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.documents import counted
from hugginggpt.core.errors import UserError
from hugginggpt.core.quantities import clock, number
from hugginggpt.core.quantities import seconds as read_seconds
from hugginggpt.experts.operations import operation
from hugginggpt.experts.picture_operations import on_white
from hugginggpt.media import slideshow
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PICTURES, MAX_MINUTES = 100, 20
EACH = 3.0
"""Seconds for which a picture is seen, if nothing else is said and there is no sound."""


@operation(
    "slideshow", "images-to-video",
    "A video of pictures, each seen for some seconds, with the sound of a recording or without one (FFmpeg).", ("av",),
)  # fmt: skip
def make(images: Sequence[Path], each: str = "", audio: Path | None = None) -> dict[str, Any]:
    """An MP4 of the pictures in their order; with a sound and no seconds told it lasts as long as the sound."""
    if not 1 <= len(images) <= MAX_PICTURES:
        raise UserError(f"1 to {MAX_PICTURES} pictures make a video; there are {len(images)}.")
    told = _seconds(each)
    length = told or (_length(audio) / len(images) if audio else EACH)
    total = length * len(images)
    if length < 0.1 or total > 60 * MAX_MINUTES:
        raise UserError(f"The video would last {clock(total)}: up to {MAX_MINUTES} minutes are possible.")
    data = slideshow.written([partial(_loaded, path) for path in images], length, audio)
    sound = ", with the sound" if audio else ""
    note = f"{counted(len(images), 'picture')}, {length:.3g} s each, {clock(total)} long{sound}"
    return {"generated video": data, "note": note}


def _loaded(path: Path) -> Image:
    return on_white(load_image(path, keep_alpha=True))


def _seconds(words: str) -> float | None:
    """How long a picture is seen, as words tell; None where they do not."""
    found = read_seconds(words)
    if found is None and re.search(r"\d|\b(?:one|two|three|four|five|six|ten)\b", words):
        found = number(words)
    return found


def _length(audio: Path) -> float:
    from hugginggpt.media.sound import measure

    return measure(audio).seconds
