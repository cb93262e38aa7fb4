"""By how much a picture that lies on its side or stands on its head has to be turned.

The classifier and the detector have learned from photographs that stand upright: of the four ways the one is taken in
which they are surest of what they see.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hugginggpt.experts import classifier
from hugginggpt.experts.faces import SURE_LEVEL, seen_fronts
from hugginggpt.experts.objects import objects_in

if TYPE_CHECKING:
    from PIL.Image import Image

UPRIGHT = re.compile(
    r"\b(?:right|correct|proper) way (?:up|round)\b|\bupright\b|\bright side up\b|"
    r"\b(?:point|show|stand)(?:s|ing)? up(?:wards?)?\b",
    re.IGNORECASE,
)
"""Words for a picture that is to stand upright, whichever way it has to be turned for that."""
TURNS = (0, 90, -90, 180)
SIDE = 640
"""The longer side, in pixels, at which a picture is looked at."""
SKY = 0.1
"""What it counts that the upper part is lighter, beside the scores of what is seen."""
MIN_MORE = 0.03
"""How much surer they have to be of another way than of that in which the picture comes."""


def upright_turn(picture: Image) -> int:
    """By how many degrees clockwise a picture is to be turned so that it stands upright."""
    small = picture.convert("RGB")
    small.thumbnail((SIDE, SIDE))
    sure = {turn: _sureness(small.rotate(-turn, expand=True)) for turn in TURNS}
    best = max(TURNS, key=sure.__getitem__)
    return best if sure[best] > sure[0] + MIN_MORE else 0


def _sureness(picture: Image) -> float:
    face = any(level >= SURE_LEVEL for _, level in seen_fronts(picture))
    probable = classifier.probabilities(picture)
    _, seen = classifier.likeliest(probable)
    found = max((float(region["score"]) for region in objects_in(picture, whole=probable)), default=0.0)
    return float(seen) + found + face + (SKY if _is_lighter_above(picture) else 0.0)


def _is_lighter_above(picture: Image) -> bool:
    """Whether the upper third is lighter than the lower one, as under a sky or a lamp."""
    grey = picture.convert("L").resize((1, 3))
    above, _, below = (float(str(grey.getpixel((0, row)))) for row in range(3))
    return above > below
