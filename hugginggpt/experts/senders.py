"""Who sent a bill or letter: whoever signs it, else the name that stands at its top."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hugginggpt.experts import pages
from hugginggpt.experts.joint_answers import LIKELY
from hugginggpt.experts.ocr import Line

_SENT = r"(?: (?:it|this|that|(?:this |the )?(?:bill|invoice|letter|note|receipt)))?"
_ASKS = re.compile(
    r"\W*+(?:(?:and|so|please)\W+)*(?:"
    rf"who (?:has |had )?(?:sent|issued|sends|wrote|made|billed)(?: (?:me|us))?{_SENT}|"
    r"who(?:m)? (?:is|does|did) (?:it|this|the (?:bill|invoice|letter)) (?:come )?from|"
    r"(?:which|what) (?:company|firm|shop|store) (?:sent|issued|is) (?:it|this)(?: from)?|"
    r"from who(?:m)? is (?:it|this))\W*",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"\W*+(?:tax )?(?:invoice|bill|receipt|rechnung|facture|factura|letter|notice|reminder|statement|quotation|quote|"
    r"order)\b[\W\d]*(?:no|nr|number)?[\W\d]*",
    re.IGNORECASE,
)
MAX_TOP = 0.3
"""How far from the top of a page the name of whoever sends it may stand, as a share of its height."""


def answer(question: str, rows: Sequence[Sequence[Line]]) -> dict[str, Any] | None:
    """Who sent a page; None of any other question, and where no name stands at its top."""
    if not _ASKS.fullmatch(question):
        return None
    signed = next((pair for pair in pages.pairs(rows) if pair.name == "Signed by"), None)
    if signed:
        return {"answer": signed.value}
    bottom = max((line.bottom for row in rows for line in row), default=0.0)
    for row in rows:
        line = row[0]
        if line.top > MAX_TOP * bottom:
            return None
        if re.search(r"[^\W\d_]{3}", line.text) and not _TITLE.fullmatch(line.text):
            return {"answer": LIKELY.format(line.text), "closest": line.text, "score": 0.5, "found": False}
    return None
