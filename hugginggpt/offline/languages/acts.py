"""What a message in another language does in a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import masked, with_placeholders
from hugginggpt.offline.languages.detection import request_language
from hugginggpt.offline.languages.scores import clause_scores
from hugginggpt.offline.languages.vocabulary import CODES, vocabulary

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


def _only_repeats(words: str, code: str) -> bool:
    """Whether words are but conjunctions, prepositions and the like of a language, and not just of English."""
    known = vocabulary(code)
    tokens = known.tokens(words)
    return (
        0 < len(tokens) <= MAX_WORDS
        and known.lists["repeating"].issuperset(tokens)
        and any(token in known.lists["conjunctions"] for token in tokens)
    )
