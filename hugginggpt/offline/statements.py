"""Statements before a question that it needs to be understood: "My washing machine shows E18. What does it mean?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.parsing import is_statement

_REFERS = re.compile(r"\b(?:it|that|this|they|them|then|there|now|i|we|he|she)\b", re.IGNORECASE)
_CODE = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{2,12}\b|\b\d+\b|[\"“'‘][^\"”'’]+[\"”'’]")
"""What a statement may say that a text is searched for: a code, a number, quoted words."""


def before(clause: Clause, clauses: Sequence[Clause], question: str) -> str:
    """The question, with the statement right before it where that names a code or number that the question refers to."""
    earlier = [one for one in clauses if one.end <= clause.start]
    last = earlier[-1] if earlier else None
    if last is None or last.resources or not _REFERS.search(question) or _CODE.search(question):
        return question
    is_told = bool(_CODE.search(last.text)) and is_statement(last.text)
    return f"{last.text.strip(' .,;:')}. {question}" if is_told else question
