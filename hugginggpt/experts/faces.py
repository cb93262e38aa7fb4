"""Where faces are in a picture: those that cascades find, and the heads of the people that the detector finds.

The cascades (Viola and Jones, CVPR 2001; as OpenCV carries them: frontalface_alt2 and profileface, Intel's licence)
take coins and flowers for faces, too: where no person was found, only what the first is sure of counts. Of each person
MoveNet tells nose, eyes and ears, and a head is where these are. Faces in a crowd, or turned away, may be missed.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.experts.objects import objects_in
from hugginggpt.experts.vision import key_points

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 1000
"""The longest side of the picture in which the cascade looks, in pixels."""
MIN_FACE = 20
"""The least side of a face there, in pixels."""
SURE_LEVEL = 55.6
"""What the cascade gives the faces of photographs; coins and flowers that it takes for faces have less."""
MIN_PERSON = 0.3
"""What the detector takes for a person with a lower score is none."""
MAX_PEOPLE = 20
MIN_POINT = 0.35
"""From this score of MoveNet a nose, an eye or an ear counts."""
HEAD_POINTS = 5
"""The first of its points: nose, eyes, ears."""
Box = tuple[float, float, float, float]


def faces_in(picture: Image) -> list[Box]:
    """(left, top, right, bottom) of each face in an RGB picture, in pixels, from left to right."""
    people = [one["box"] for one in objects_in(picture, MIN_PERSON) if one["label"] == "person"][:MAX_PEOPLE]
    found = [box for box, level in _seen(FRONT, picture) if level >= SURE_LEVEL or _is_head(box, people)]
    turned = [box for box, _ in _seen(PROFILE, picture) if _is_head(box, people)]
    for face in turned:  # what reaches into a face that is seen already is a part of that head
        if not any(_overlap(face, other) for other in found):
            found.append(face)
    for head in filter(None, (_head(picture, box) for box in people)):
        if not any(_is_same(head, other) or _is_same(other, head) for other in found):
            found.append(head)
    return sorted(found)


def seen_fronts(picture: Image) -> list[tuple[Box, float]]:
    """What the cascade for faces from the front sees in a picture, and how sure it is."""
    return _seen(FRONT, picture)


_lock = threading.Lock()
FRONT, PROFILE = "haarcascade_frontalface_alt2.xml", "haarcascade_profileface.xml"


@once
def _cascades() -> dict[str, Any]:
    import cv2

    return {name: cv2.CascadeClassifier(str(Path(cv2.__file__).parent / "data" / name)) for name in (FRONT, PROFILE)}


def _seen(name: str, picture: Image) -> list[tuple[Box, float]]:
    """What a cascade takes for faces, and how sure it is; that for profiles looks to both sides."""
    import numpy as np
    from PIL import ImageOps

    scale = min(1.0, SIDE / max(picture.size))
    small = picture.convert("L").resize((max(1, round(picture.width * scale)), max(1, round(picture.height * scale))))
    found: list[tuple[Box, float]] = []
    for is_mirrored in (False, True) if name == PROFILE else (False,):
        pixels = np.asarray(ImageOps.mirror(small) if is_mirrored else small)
        with _lock:
            boxes, _, levels = _cascades()[name].detectMultiScale3(
                pixels, scaleFactor=1.1, minNeighbors=4, minSize=(MIN_FACE, MIN_FACE), outputRejectLevels=True
            )
        for (left, top, wide, high), level in zip(boxes, levels, strict=True):
            begin = small.width - left - wide if is_mirrored else left
            sides = begin, top - 0.1 * high, begin + wide, top + 1.1 * high
            found.append(((sides[0] / scale, sides[1] / scale, sides[2] / scale, sides[3] / scale), float(level)))
    return found


def _is_head(face: Box, people: Sequence[dict[str, float]]) -> bool:
    """Whether a face is where the head of one of the people may be."""
    x, y = (face[0] + face[2]) / 2, (face[1] + face[3]) / 2
    return any(
        box["xmin"] <= x <= box["xmax"] and box["ymin"] <= y <= (box["ymin"] + box["ymax"]) / 2 for box in people
    )


def _head(picture: Image, box: dict[str, float]) -> Box | None:
    """The head of the person in a box, by the points that MoveNet finds there; None where these tell none."""
    left, top = max(0, round(box["xmin"])), max(0, round(box["ymin"]))
    person = picture.crop((left, top, max(left + 1, round(box["xmax"])), max(top + 1, round(box["ymax"]))))
    points = [(x, y) for x, y, score in key_points(person)[:HEAD_POINTS] if score > MIN_POINT]
    if len(points) < 3:
        return None
    across = [left + x for x, _ in points]
    middle = sum(across) / len(across), top + sum(y for _, y in points) / len(points)
    half = max(0.75 * (max(across) - min(across)), 0.1 * person.width)
    return middle[0] - half, middle[1] - 1.3 * half, middle[0] + half, middle[1] + 1.2 * half


def _overlap(one: Box, other: Box) -> bool:
    return max(one[0], other[0]) < min(one[2], other[2]) and max(one[1], other[1]) < min(one[3], other[3])


def _is_same(one: Box, other: Box) -> bool:
    """Whether the middle of one box lies in the other."""
    x, y = (one[0] + one[2]) / 2, (one[1] + one[3]) / 2
    return other[0] <= x <= other[2] and other[1] <= y <= other[3]
