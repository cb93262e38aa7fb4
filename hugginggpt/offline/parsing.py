"""The grammar of a request, shared by the parts of the offline planner."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import grammar
from hugginggpt.offline.clauses import QUESTION

log = logging.getLogger(__name__)
_WISHING = frozenset("want need like love wish prefer would should must ought wonder hope 'd".split())
MAX_CHARS = 1000
"""Further characters of a text are not parsed."""


def is_question(text: str) -> bool:
    """Whether a text begins with a question word, with or without a preposition, or an auxiliary verb ("did they
    agree"), or ends like a question.
    """
    if QUESTION.search(text):
        return True
    document = parse(text)
    if document is None or not len(document) or document[0].lower_ in ("here", "there"):
        return False
    words = [token for token in document if token.pos_ not in ("CCONJ", "PUNCT", "INTJ", "ADV")]
    if len(words) > 1 and words[0].tag_ == "IN" and words[1].tag_[0] == "W":  # "on which day", "until when"
        return True
    return bool(words) and (words[0].tag_[0] == "W" or (words[0].pos_ == "AUX" and words[0].lower_ != "be"))


def is_command(text: str) -> bool:
    """Whether the main verb of a text is an imperative: "draw me a boat"."""
    roots = [token for token in parse(text) or () if token.dep_ == "ROOT" and token.tag_ in ("VB", "VBP")]
    return any(not any(child.dep_ in ("nsubj", "aux", "expl") for child in root.children) for root in roots)


def is_statement(text: str) -> bool:
    """Whether a text tells how things are, and asks for nothing: "this picture lies on its side", "so I can send it",
    but not "I need it smaller" or "it should be red".
    """
    document = parse(text)
    if document is None or is_question(text) or is_command(text):
        return False
    subjects = [token.lower_ for token in document if token.dep_ in ("nsubj", "nsubjpass", "expl")]
    is_told = (bool(subjects) and "you" not in subjects) or text.lower().startswith("there")
    words = {token.lemma_.lower() for token in document} | {token.lower_ for token in document}
    return is_told and not words & _WISHING


def only_names(text: str) -> bool:
    """Whether a text but names something, or what somebody has: "lots of noise on this tape", "boiler showing E4",
    "morning obs attached". No wish: that says please, or begins with a verb.
    """
    document = parse(text)
    if document is None or is_question(text) or is_command(text):
        return False
    roots = [token for token in document if token.dep_ == "ROOT"]
    is_name = any(root.pos_ in ("NOUN", "PROPN") or root.lower_ in ("attached", "enclosed") for root in roots)
    return is_name and not any(token.tag_ in ("MD", "VB", "VBP", "UH") for token in document)


@lru_cache(1024)
def parse(text: str) -> Any | None:
    """The `spacy.tokens.Doc` of a text with tags, lemmas and dependencies, without entities; None where spaCy or its
    model is missing. 2 to 5 ms; the document is cached and must not be changed.
    """
    try:
        return grammar.pipeline()(text[:MAX_CHARS], disable=["ner"])
    except ExpertUnavailable as error:
        log.warning("The offline planner works without a parser: %s", error)
        return None
