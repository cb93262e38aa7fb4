"""Words of a question about a table that name nothing and may matter, and whether anything is sure without them."""

from __future__ import annotations

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_query import Query
from hugginggpt.experts.table_tokens import listed
from hugginggpt.experts.table_words import WEIGHTLESS

LEFT_OUT = "No column says {}, which I left out."
MAX_UNREAD = 3
"""A question with more unknown words is not answered without them."""


class Unread(ExpertUnavailable):
    """A question with words that name nothing; `said` says which."""

    def __init__(self, message: str, said: str, reading: Reading) -> None:
        super().__init__(message)
        self.said = said
        reader = reading.reader
        places = reader.left_places
        self.words = frozenset(reader.tokens[at].lower for at in places)
        named = [m for m in reading.mentions if m.kind not in ("row", "word") or m.is_word("aggregate")]
        is_much = len(places) > min(MAX_UNREAD, len(named) + len(reading.filters))
        asks = [0, *(m.end for m in reading.words("which", "who", "count", "when", "where", "aggregate"))]
        nouns = [at for at in places if not reader.is_verb(at)]
        between = [[token.lower for token in reader.tokens[end:at]] for at in nouns for end in asks if end <= at]
        is_asked = any(map(WEIGHTLESS.issuperset, between))
        self.is_vital = is_much or is_asked or any(map(reader.is_vital, places))
        """Whether nothing is sure without these words: they matter, or what they are is asked for ("average bonus")."""

    def beside(self, query: Query, answer: str) -> str:
        """The answer to a query without these words, and that. Raises itself where nothing is sure without them."""
        is_bare = query.operation in ("rows", "count", "value", "distinct") and not query.filters  # nothing is chosen
        if is_bare or not (query.filters or query.column) or query.operation in ("describe", "columns"):
            raise self
        return f"{answer} {LEFT_OUT.format(listed(sorted(self.words)))}"
