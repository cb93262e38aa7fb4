"""What a person answers in a terminal, as a decision: AutoGPT's y, y -N, n, or a sentence."""

from __future__ import annotations

import re

from hugginggpt.goals.events import Verdict
from hugginggpt.goals.loop import Decision

MAX_COUNT = 1000
_YES = re.compile(r"y(?:es)?(?:\s+-?(\d{1,9}))?", re.IGNORECASE)
_NO = re.compile(r"no?|exit|quit", re.IGNORECASE)


def read_answer(text: str, step: int, hashed: str, *, question: bool = False) -> Decision:
    """The decision in an answer; an answer to the model's question is what it is, also "yes" and "no"."""
    text = text.strip()
    if question:
        return Decision(step, hashed, Verdict.TELL, text)
    if match := _YES.fullmatch(text):
        return Decision(step, hashed, Verdict.APPROVE, count=min(max(1, int(match[1] or 1)), MAX_COUNT))
    if _NO.fullmatch(text):
        return Decision(step, hashed, Verdict.STOP)
    return Decision(step, hashed, Verdict.TELL, text)
