"""All people, dates or places that a text mentions, where a question asks for them and nothing else about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hugginggpt.experts.asked_query import Query, is_content, lemma
from hugginggpt.experts.entities import entities

LISTED: dict[str, tuple[str, ...]] = {
    "person": ("PERSON",), "people": ("PERSON",), "name": ("PERSON", "ORG", "GPE", "LOC", "FAC"), "date": ("DATE",),
    "place": ("GPE", "LOC", "FAC"), "city": ("GPE",), "country": ("GPE",), "company": ("ORG",),
    "organisation": ("ORG",), "organization": ("ORG",),
    "time": ("TIME",), "amount": ("MONEY",), "price": ("MONEY",), "sum": ("MONEY",),
}  # fmt: skip
"""What is listed or counted when a question asks which of them a text mentions."""
MENTIONED = frozenset(["mention", "name", "list", "appear", "occur", "come", "give", "find"])
THE_TEXT = frozenset([
    "text", "story", "note", "article", "letter", "message", "recording", "page", "minute", "email", "report", "all",
    "every", "each", "only"
])  # fmt: skip
EXCLUDING = frozenset(["no", "not", "without", "except", "leave", "ignore", "skip", "omit"])


def answer(query: Query, context: str) -> str:
    """The people, dates, … that a text mentions, if a question asks for all of them ("which dates are mentioned?")."""
    nouns = [token for token in query.parsed if token.pos_ == "NOUN" and token.lemma_.lower() in LISTED]
    nouns = [noun for noun in nouns if not _is_excluded(noun)]
    nouns = [noun for noun in nouns if noun.lemma_.lower() != "name"] or nouns
    if not nouns or any(token.pos_ == "PROPN" for token in query.parsed[1:]) or not _asks_for_all(query, nouns):
        return ""
    labels = {label for noun in nouns for label in LISTED[noun.lemma_.lower()]}
    named = list(dict.fromkeys(entity["word"] for entity in entities(context) if entity["entity_group"] in labels))
    count = f"{len(named)}: " if query.asked.types == ("number",) else ""
    return f"{count}{', '.join(named)}" if named else ""


def _is_excluded(noun: Any) -> bool:
    """Whether a question leaves something out: "no places", "leave the places out"."""
    around = (*noun.children, noun.head, *(child for child in noun.head.children if child.dep_ == "neg"))
    return bool(EXCLUDING & {each.lemma_.lower() for each in around})


def _asks_for_all(query: Query, nouns: Sequence[Any]) -> bool:
    """Whether a question asks which of its nouns a text mentions, and nothing else about them."""
    verbs = {token.lemma_.lower() for token in query.parsed if token.pos_ == "VERB"}
    if MENTIONED & verbs and nouns[0].lemma_.lower() != "name" and not ("come" in verbs and "up" not in query.words):
        return True
    others = {lemma(token) for token in query.parsed if is_content(token)} - set(LISTED) - MENTIONED - THE_TEXT
    return not others and any(noun.tag_ == "NNS" for noun in nouns)
