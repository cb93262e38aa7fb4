"""All that a list has below a heading: "what desserts are there?", "welche Vorspeisen gibt es?"."""

from __future__ import annotations

import re

from hugginggpt.experts import listed
from hugginggpt.experts.quantities import root

MAX_ITEMS, MAX_WORDS, MAX_HEADING = 20, 14, 3
_WHICH = re.compile(
    r"\b(?:what|which|show|list|tell me|any|welche\w*|was für|zeig\w*|quels?|quelles?|qué|cuáles)\b|什么|哪些|有哪",
    re.IGNORECASE,
)
_THERE = re.compile(
    r"\b(?:are there|is there|have you|do (?:you|they) (?:have|do|offer|sell|serve)|"
    r"(?:they|you)(?:['’]ve| have)(?: got)?|can (?:i|we) (?:have|get|order)|for sale|on offer|to choose|"
    r"gibt es|gibt's|habt ihr|haben sie|y a-t-il|il y a|avez-vous|ont-ils|hay|tienen|tenéis)\b|有",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"\b(?:cheap\w*|dear\w*|expensive|most|least|cost\w*|price|how much|without|not|vegan|vegetarian)\b|\d", re.I
)
"""What asks for one of them, or for some."""


def answer(question: str, text: str) -> str:
    """The items below the only heading that a question names, each with its price; "" for any other question."""
    if len(question.split()) > MAX_WORDS or _ONE.search(question):
        return ""
    if not (_WHICH.search(question) and _THERE.search(question)):
        return ""
    words = {root(word) for word in re.findall(r"[^\W\d_]{4,}", question.lower())}
    found = [record for record in listed.records(text) if record.section and record.price and not record.is_sum]
    heads = {
        record.section
        for record in found
        if len(record.section.split()) <= MAX_HEADING
        and words & {root(word) for word in re.findall(r"[^\W\d_]{4,}", record.section.lower())}
    }
    if len(heads) != 1:
        return ""
    items = [f"{one.label} {one.price.written}" for one in found if one.section in heads and one.price]
    return "; ".join(items) if len(items) <= MAX_ITEMS else ""
