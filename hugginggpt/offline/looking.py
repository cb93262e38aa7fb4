"""Clauses that only say how often a video is looked at ("look twice a second") are no task of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.looking import RATE
from hugginggpt.offline.conditions import Part

_LOOKS = (
    r"(?:look(?:ing|s)?|check(?:ing|ed)?|sampl(?:e|ed|ing)|inspect(?:ing|ed)?|examin(?:e|ed|ing)|watch(?:ing)?|"
    r"scan(?:ning|ned)?|go(?:ing)?|us(?:e|ing)|tak(?:e|ing))"
)
_VIDEO = r"(?:it|them|that|this|[\w-]+\.\w{2,4}|(?:(?:the|this|that|my|our) )?(?:\w+ )?(?:video|clip|film|movie|footage|recording))"
_ALONE = re.compile(
    rf"\W*+(?:(?:please|and|then|just|only|but|to)\W++)*{_LOOKS}?(?: (?:at|through|over|in))?(?: {_VIDEO})?\W*+"
    rf"{RATE}(?: (?:at|of|from|through|in) {_VIDEO})?(?: please)?\W*",
    re.IGNORECASE,
)


def without_rates(parts: Sequence[Part]) -> list[Part]:
    """The parts without those that tell a rate alone, where another is left."""
    kept = [part for part in parts if not _ALONE.fullmatch(part.clause.text)]
    return kept or list(parts)
