"""Leaves out what a request takes back: "rotate it - no wait, just make it grey", "how many cats… sorry, how many dogs?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.offline.conditions import Part
from hugginggpt.offline.parsing import is_statement

_TAKEN_BACK = re.compile(
    r"(?:[,;.?!…]|\s[-–—])\s*(?:(?:oh|ah|uh|um|hm+|argh|oops)\b\W*)?"
    r"(?:no\W{1,3}(?:wait|sorry|actually|rather|scratch that|forget (?:it|that)|better)|wait\W{1,3}no|"
    r"sorry\W{1,3}(?:no|wait|i meant?)|"
    r"scratch that|on second thoughts?|forget (?:what i said|that)|never ?mind(?: that)?|"
    r"(?:no\W{1,3})?i mean(?:t)?)\b"
    r"(?:\W{1,3}(?:sorry|wait|actually|rather))*\W*"
    r"|(?:\.{2,}|…)\W*(?:no\W+)?(?:sorry|wait|actually)\b\W*",
    re.IGNORECASE,
)
"""What says that the words before it no longer count."""
_SENTENCE = re.compile(r"(?<=[a-z0-9)\"'][.!?])\s+(?=[A-Z])")


def left_standing(parts: Sequence[Part], text: str) -> list[Part]:
    """The parts of a request without those of the sentence before words that take it back, where something else is asked
    for behind them.
    """
    for match in _TAKEN_BACK.finditer(text):
        begin = max((end.start() for end in _SENTENCE.finditer(text[: match.start()])), default=0)
        taken = [part for part in parts if begin <= part.clause.start < match.end()]
        rest = [part for part in parts if part.clause.start >= match.end()]
        if taken and rest and not is_statement(rest[0].clause.text):
            parts = [part for part in parts if part not in taken]
    return list(parts)
