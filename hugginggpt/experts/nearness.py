"""Where in a text a sentence stands tells of what it speaks: below a heading that the question names, or beside the
line that answers the question before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from hugginggpt.experts import sections
from hugginggpt.experts.asked_query import Query
from hugginggpt.experts.word_likeness import stem, stems_of

CLOSE_BY, PROBABLE_BESIDE, REACH = 0.6, 0.7, 3
"""The power that raises the probability of a sentence, up to what, and how far behind a line it may stand."""


def beside(chances: Sequence[float], texts: Sequence[str], places: Sequence[int], line: str) -> list[float]:
    """The probabilities of sentences, higher for those that stand in a line or closely behind it; `places` are their
    numbers in the text.
    """
    at = [place for text, place in zip(texts, places, strict=True) if text in line]
    return [
        _raised(chance) if any(0 <= place - first <= REACH for first in at) else chance
        for chance, place in zip(chances, places, strict=True)
    ]


def below_heading(query: Query, chances: Sequence[float], texts: Sequence[str], context: str) -> list[float]:
    """The probabilities of sentences, higher for those below the only heading with a noun of the question."""
    nouns = {stem(token.text) for token in query.parsed if token.pos_ in ("NOUN", "PROPN")}
    named = [one for one in sections.sections(context) if one.heading and nouns & stems_of(one.heading)]
    if len(named) != 1:
        return list(chances)
    below = " ".join(" ".join(named[0].lines).split())
    return [_raised(chance) if text in below else chance for chance, text in zip(chances, texts, strict=True)]


def _raised(chance: float) -> float:
    return max(chance, min(PROBABLE_BESIDE, float(chance**CLOSE_BY)))
