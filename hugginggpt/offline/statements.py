"""Statements before a clause that it needs to be understood: "My washing machine shows E18. What does it mean?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.parsing import is_command, is_question, is_statement, only_names

_REFERS = re.compile(r"\b(?:it|that|this|they|them|then|there|now|i|we|he|she)\b", re.IGNORECASE)
_CODE = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{2,12}\b|\b\d+\b|[\"“'‘][^\"”'’]+[\"”'’]")
"""What a statement may say that a text is searched for: a code, a number, quoted words."""


ONLY_SAYS = re.compile(
    r"\W*(?:so |and )?what (?:does|do|did) (?:it|they|(?:the|our|my|this|that|your) (?:\w+ )?\w+) (?:say|state|tell us|tell me)"
    r"(?: (?:about|on|to) (?:it|that|this))?\W*",
    re.IGNORECASE,
)
"""What only repeats that a text is asked: "They want a labrador. What does our lease say?"."""
_ALLOWED = re.compile(
    r"\b(?:allow(?:s|ed)?|permit(?:s|ted)?|forbid(?:s|den)?|forbidden|ok|okay|all right|alright|possible|fine)\b",
    re.IGNORECASE,
)
_WISHED = re.compile(r"\b(?P<thing>(?:an?|some) [a-z-]+(?: [a-z-]+)?)\W*$", re.IGNORECASE)
"""What a statement ends with that the next question asks whether it may be: "I'd love a dog. Does my lease allow it?"."""


def told_before(clause: Clause, clauses: Sequence[Clause]) -> str:
    """The clause right before another, where it only says how things are: "my player needs wav, convert it"."""
    before = [one for one in clauses if one.end <= clause.start]
    last = before[-1] if before else None
    is_told = last and not last.resources and (is_statement(last.text) or only_names(last.text))
    return last.text if last and is_told else ""


def told_beside(clause: Clause, clauses: Sequence[Clause]) -> list[str]:
    """The clauses right before and after another that only say how things are, and name no other file: "at 0:42 a heron
    flies by in a.mp4, may I have that as a picture", "put it upright, one turn to the left does it".
    """
    before = [one for one in clauses if one.end <= clause.start and not (one.resources and clause.resources)]
    after = [one for one in clauses if one.start >= clause.end and not one.resources]
    return [one.text for one in (*before[-1:], *after[:1]) if not (is_question(one.text) or is_command(one.text))]


def with_statement(question: str, clause: Clause, clauses: Sequence[Clause]) -> str:
    """The question, with the statement right before it where that names a code or number that the question refers to, or
    with what it wishes for in the place of "it"; the statement alone where the question is only what a text says.
    """
    before = [one for one in clauses if one.end <= clause.start]
    if ONLY_SAYS.fullmatch(question) and before and not (before[-1].resources or is_command(before[-1].text)):
        return before[-1].text.strip(" .,;:")
    if not _REFERS.search(question) or _CODE.search(question):
        return question
    told = told_before(clause, clauses)
    if (wished := _WISHED.search(told)) and _ALLOWED.search(question):
        return re.sub(r"\b(?:it|that|this|one)\b", wished["thing"], question, count=1)
    return f"{told.strip(' .,;:')}. {question}" if _CODE.search(told) else question
