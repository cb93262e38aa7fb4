"""Questions that name a code which a text explains: "it shows E3, what now?" is answered by what is written of E3."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hugginggpt.experts import listings

MAX_FURTHER, MAX_SHORT = 3, 3
_ASKS = re.compile(
    r"\b(?:what|why|how|mean|explain|help|do|fix|stand|about|show|display|was|bedeute\w*|que|qué|signifi\w*)\b|\?|什么",
    re.IGNORECASE,
)
MIN_WORDS = 2
"""A line with fewer words beside its code explains nothing."""


def answer(question: str, text: str) -> dict[str, Any] | None:
    """The lines that explain the codes in a question; None where it names none that the text explains."""
    asked = [code for code in listings.codes_in(_upper(question)) if re.search(r"[A-Z]", code)]
    is_short = len(question.split()) <= MAX_SHORT  # "and E9"
    if (
        not asked
        or not (is_short or _ASKS.search(question))
        or len(listings.found(listings.CODE, text)) < listings.MIN_CODES
    ):
        return None
    lines = [line for code in asked for line in _explained(code, text)]
    return {"answer": "\n".join(dict.fromkeys(lines))} if lines else None


def _upper(question: str) -> str:
    """The question with short words of letters and digits in capitals: people write "e3"."""
    return re.sub(r"(?<![\w.])[a-z]{1,2}-?\d{1,3}(?![\w.])", lambda match: match[0].upper(), question)


def _explained(code: str, text: str) -> Iterator[str]:
    """The line that begins with a code, with those below it that go on; else each line with it."""
    lines = [line.strip() for line in text.splitlines()]
    own = re.compile(rf"(?<![\w.-]){re.escape(code)}(?![\w-])")
    holding = [at for at, line in enumerate(lines) if own.search(line)]
    leading = [at for at in holding if (match := own.search(lines[at])) and match.start() <= listings.MAX_BULLET]
    for at in leading or holding[:MAX_FURTHER]:
        told = [lines[at]]
        for line in lines[at + 1 : at + 1 + MAX_FURTHER]:
            is_enough = len(" ".join(told).split()) > MIN_WORDS and told[-1][-1:] in ".!?"
            if not line or listings.codes_in(line) or is_enough:
                break
            told.append(line)
        yield " ".join(told)
