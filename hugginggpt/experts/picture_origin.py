"""What the file of a picture says of how it was taken (EXIF): when, where, and with which camera."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_CAMERA_CHARS = 60
_EXIF, _GPS, _TAKEN, _CHANGED, _MAKE, _MODEL = 0x8769, 0x8825, 0x9003, 0x0132, 0x010F, 0x0110
"""Tags of EXIF: the groups of the tags of a photograph and of its place; when it was taken, or else written; by which
camera."""
_NORTH_OR_SOUTH, _LATITUDE, _EAST_OR_WEST, _LONGITUDE = 1, 2, 3, 4
_TIME = re.compile(r"(\d{4}):(\d{2}):(\d{2}) (\d{2}:\d{2})")
_UNPRINTED = re.compile(r"[^ -~]")
_YES_NO = re.compile(
    r"\W*+(?:(?:and|so|but|ok|or)\W+)*(?:does|do|did|is|are|was|has|have|can|could|will)\b", re.IGNORECASE
)
_ASKS_IF_GONE = re.compile(r"\b(?:gone|removed|deleted|stripped|cleaned|without|no longer|clean)\b", re.IGNORECASE)
TAKEN, WHERE, CAMERA = "when it was taken", "where it was taken", "with which camera it was taken"
ASKED = (TAKEN, WHERE, CAMERA)
"""What is asked of a picture that its file may say, in the words of `picture_untold`."""


@dataclass(frozen=True, slots=True)
class Origin:
    """When ("2025-06-03 at 14:20"), where ("47.5575° N, 10.7494° E") and with which camera a picture was taken; each ""
    where its file does not say."""

    when: str = ""
    where: str = ""
    camera: str = ""

    @property
    def words(self) -> str:
        """ "taken on 2025-06-03 at 14:20 with the camera Canon EOS 80D"; "" where nothing of that is known."""
        when = f"taken on {self.when}" if self.when else ""
        return " ".join(filter(None, (when, f"with the camera {self.camera}" if self.camera else "")))


def origin_of(file: Path) -> Origin:
    """What a file says of how its picture was taken."""
    from PIL import Image

    with Image.open(file) as picture:
        tags = picture.getexif()
        more, place = tags.get_ifd(_EXIF), tags.get_ifd(_GPS)
    taken = _TIME.match(str(more.get(_TAKEN) or tags.get(_CHANGED) or ""))
    when = f"{taken[1]}-{taken[2]}-{taken[3]} at {taken[4]}" if taken else ""
    camera = " ".join(
        {one.lower(): one for one in f"{tags.get(_MAKE) or ''} {tags.get(_MODEL) or ''}".split()}.values()
    )
    return Origin(when, _place(place), _UNPRINTED.sub("", camera)[:MAX_CAMERA_CHARS])


def _place(tags: Mapping[int, Any]) -> str:
    """ "47.5575° N, 10.7494° E (47° 33' 27" N, 10° 44' 58" E)"."""
    sides = (
        _angle(tags.get(_LATITUDE), str(tags.get(_NORTH_OR_SOUTH) or "N")),
        _angle(tags.get(_LONGITUDE), str(tags.get(_EAST_OR_WEST) or "E")),
    )
    if not all(sides):
        return ""
    (latitude, north), (longitude, east) = (side for side in sides if side)
    return f"{latitude}, {longitude} ({north}, {east})"


def _angle(parts: Any, side: str) -> tuple[str, str] | None:
    """An angle in degrees, and in degrees, minutes and seconds; None for what is none."""
    try:
        degrees, minutes, seconds = (float(part) for part in parts)
        total = degrees + minutes / 60 + seconds / 3600
        whole = round(total * 3600)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None
    side = side.strip("\0 ").upper()[:1]
    return f"{total:.4f}° {side}", f"{whole // 3600}° {whole % 3600 // 60}' {whole % 60}\" {side}"


def answer(asked: Sequence[str], text: str, file: Path) -> str:
    """What a file says on what is asked of how its picture was taken, in a sentence; that it does not say so."""
    origin = origin_of(file)
    said = []
    if asked_besides := [one for one in asked if one != WHERE]:
        said.append(_when_and_by(origin, asked_besides))
    if WHERE in asked:
        said.append(_where(origin, bool(_YES_NO.match(text)), bool(_ASKS_IF_GONE.search(text))))
    return "; ".join(said)


def _when_and_by(origin: Origin, asked: Sequence[str]) -> str:
    if (origin.when and TAKEN in asked) or (origin.camera and CAMERA in asked):
        return f"{origin.words}, as the file says"
    lacking = "date" if TAKEN in asked else "camera"
    beside = f"; it only says {origin.words}" if origin.words else ""
    return f"the file does not say it: there is no {lacking} of the photo in it{beside}"


def _where(origin: Origin, is_yes_no: bool, is_gone: bool) -> str:
    if origin.where:
        yes = "no, " if is_gone else "yes, " if is_yes_no else ""
        return f"{yes}{'it' if yes else 'the file'} says where the photo was taken: {origin.where}"
    no = "yes, " if is_gone else "no, " if is_yes_no else ""
    return f"{no}the file holds no location (no GPS data)"
