"""What a message in another language does in a conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import masked, with_placeholders
from hugginggpt.offline.languages.detection import request_language
from hugginggpt.offline.languages.scores import clause_scores
from hugginggpt.offline.languages.vocabulary import (
    CODES,
    NO_OBJECT,
    WITHOUT_BLANKS,
    Span,
    Tokens,
    Vocabulary,
    vocabulary,
)

MAX_WORDS = 8
"""A longer message is a request of its own."""
SMALL_TALK = ("greeting", "help", "thanks")


def foreign_act(text: str, placed: Sequence[Resource]) -> str:
    """ "again" for words that only name another file ("und in b.jpg?"), "chat" for small talk, else "request"; "" for
    English.
    """
    words = masked(text, placed).replace("▯", " ")
    if any(_only_repeats(words, code) for code in CODES):
        return "again"
    code = request_language(text, placed)
    if code not in CODES:
        return ""
    scores = clause_scores(with_placeholders(text, 0, len(text), placed), code)
    return "chat" if scores and max(scores, key=scores.__getitem__) in SMALL_TALK else "request"


def selection_in_english(text: str, placed: Sequence[Resource]) -> str:
    """A message that only selects another file as one in English: "und im zweiten?" is "and the second one?"; "" for
    any other.
    """
    words = masked(text, placed).replace("▯", " ")
    for code in CODES:
        known = vocabulary(code)
        chosen = known.find("selecting", known.tokens(words)) if _only_repeats(words, code) else []
        if len(chosen) == 1:
            return f"and the {chosen[0].meaning} one?"
    return ""


def other_object(text: str, placed: Sequence[Resource], earlier: str) -> tuple[int, int, str] | None:
    """What "und Hunde?" puts in the place of the object that an earlier request in that language asks about: (start, end,
    the new word); None for a message that says anything else.
    """
    codes = (request_language(one, ()) for one in (earlier, text))
    code = next((code for code in codes if code in CODES), "")
    if placed or not code:
        return None
    known = vocabulary(code)
    tokens = known.tokens(text)
    new = _only_object(tokens, known)
    old = next((span for span in known.find("objects", known.tokens(earlier)) if span.meaning != NO_OBJECT), None)
    if new is None or old is None:
        return None
    between = r"\s*" if code in WITHOUT_BLANKS else r"\W+"
    pattern = between.join(map(re.escape, known.tokens(earlier)[old.start : old.end]))
    place = re.search(pattern if code in WITHOUT_BLANKS else rf"\b{pattern}\b", earlier, re.IGNORECASE)
    said = ("" if code in WITHOUT_BLANKS else " ").join(tokens[new.start : new.end])
    return (*place.span(), said) if place else None


def _only_object(tokens: Tokens, known: Vocabulary) -> Span | None:
    """The only object of words that are otherwise but conjunctions and the like."""
    found = known.find("objects", tokens)
    if len(found) != 1 or found[0].meaning == NO_OBJECT or len(tokens) > MAX_WORDS:
        return None
    rest = {*tokens[: found[0].start], *tokens[found[0].end :]}
    is_joined = not rest.isdisjoint(known.lists["conjunctions"])
    return found[0] if is_joined and rest <= known.lists["repeating"] | known.lists["neutral"] else None


def _only_repeats(words: str, code: str) -> bool:
    """Whether words are but conjunctions, prepositions and the like of a language, and not just of English."""
    known = vocabulary(code)
    tokens = known.tokens(words)
    chosen = known.find("selecting", tokens)
    rest = [token for at, token in enumerate(tokens) if not any(span.start <= at < span.end for span in chosen)]
    return (
        0 < len(tokens) <= MAX_WORDS
        and known.lists["repeating"].issuperset(rest)
        and any(token in known.lists["conjunctions"] for token in rest)
    )
