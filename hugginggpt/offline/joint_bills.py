"""Reads what is asked of the totals of several files at once: their sum, the cheapest, which has to be paid first, or a
list of number, date and amount of each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hugginggpt.answers import totals
from hugginggpt.core.questions import Objects, Question, Relation
from hugginggpt.experts.stated_numbers import listed, says, spaced
from hugginggpt.experts.written_language import function_word
from hugginggpt.offline.nodes import Node
from hugginggpt.offline.parsing import parse

ASKED_OF_EACH = "How much is to be paid in total?"
"""The question that is put to each file."""
MAX_WORDS, MIN_FIELDS = 40, 2
_MORE = re.compile(
    r"\b(?:how much|by how much)\b.*\b(?:more|less|cheaper|dearer|save|saving)\b|\bdifference\b|\bunterschied\b",
    re.IGNORECASE,
)
_OTHER_ASKS = re.compile(
    r"\b(?:in|into|as) (?:one|an?|a single) (?:pdf|file|document|picture|table)\b|"
    r"\b(?:include[ds]?|including|contain|mention|why|who (?:signed|wrote|sent)|where|without|per \w+|a (?:month|week|year|night|day))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of the totals (`hugginggpt.answers.totals`), and which end of them."""

    what: str
    relation: Relation | None = None


def read(words: str) -> Asked | None:
    """What words ask of the totals of several files; None for anything else, as for a line of each."""
    if len(words.split()) > MAX_WORDS or _OTHER_ASKS.search(words):
        return None
    if says(words, "lists") and sum(word in listed("fields") for word in set(spaced(words).split())) >= MIN_FIELDS:
        return Asked(totals.LIST)
    if says(words, "paid first"):
        return Asked(totals.DUE, "<")
    if _MORE.search(words) and _names_only_bills(words, names_allowed=True):
        return Asked(totals.DIFFERENCE)
    for kind, relation in (("cheapest", "<"), ("dearest", ">")):
        if says(words, kind) and _ranks_bills(words, kind):
            return Asked("total", "<" if relation == "<" else ">")
    if (
        says(words, "sums")
        and not re.search(r"\beach\b", words, re.IGNORECASE)
        and _names_only_bills(words, names_allowed=False)
    ):
        return Asked(totals.SUM)
    return None


def compared(asked: Asked | None, nodes: Sequence[Node], text: str) -> list[Question]:
    """The question for the totals that some tasks read, if one is asked."""
    tasks = tuple(node.id for node in nodes)
    return [Question("totals", (Objects(asked.what),), tasks, text, relation=asked.relation)] if asked else []


def _names_only_bills(words: str, names_allowed: bool) -> bool:
    """Whether the nouns of words are those of bills alone, so that no line of them is meant."""
    nouns = [token for token in parse(words) or () if token.pos_ in ("NOUN", "PROPN")]
    others = [token for token in nouns if not _is_of_bills(token.lower_)]
    return all(token.pos_ == "PROPN" and names_allowed for token in others)


def _is_of_bills(word: str) -> bool:
    """Whether a word is one of bills, or of those that a parser of English takes for nouns in other languages."""
    is_light = any(function_word(word, code) for code in ("en", "de", "fr", "es"))
    return is_light or word in listed("bills") or says(word, "sums") or says(word, "pays")


def _ranks_bills(words: str, kind: str) -> bool:
    """Whether what is to be the cheapest is a file, and nothing that it lists: not "the cheapest fitting"."""
    text = spaced(words)
    behind = [text.partition(f" {phrase} ")[2].split()[:1] for phrase in listed(kind) if f" {phrase} " in text]
    document = {token.lower_: token.pos_ for token in parse(words) or ()}
    return all(
        not word or word[0] in listed("bills") or document.get(word[0]) not in ("NOUN", "PROPN") for word in behind
    )
