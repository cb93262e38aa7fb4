"""Words of a question about a table that name nothing, and whether anything is sure without them."""

from __future__ import annotations

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_query import Query

MAX_UNREAD = 3
"""A question with more unknown words is not answered without them."""
_LIMITING = frozenset(["still", "already", "yet", "never", "only", "no", "not", "n't", "ever", "again"])
"""Words that make a condition of a verb: without it "is still waiting" means nothing."""
_WHEN = frozenset(["last", "first", "next", "this", "previous"])
"""Words that a period may follow which is not known."""
_COUNTS = ("count", "count distinct", "share", "without")
_MOST = frozenset(["most", "least", "fewest", "best", "worst", "more", "less"])


class Unread(ExpertUnavailable):
    """A question with words that name nothing; `said` says which."""

    def __init__(self, message: str, said: str, reading: Reading) -> None:
        super().__init__(message)
        self.said = said
        reader = reading.reader
        places = reader.left_places
        self.words = frozenset(reader.tokens[at].lower for at in places)
        lower = [token.lower for token in reader.tokens]
        named = [m for m in reading.mentions if m.kind not in ("row", "word") or m.is_word("aggregate")]
        is_limited = bool(_LIMITING & set(lower)) and any(map(reader.says_what_is_done, places))
        names_measure = any(m.kind == "asks" or any(c.is_measure for c in m.columns) for m in named)
        self.is_vital = (
            len(places) > min(MAX_UNREAD, len(named) + len(reading.filters))
            or is_limited
            or bool(_WHEN & set(lower))
            or any(map(reader.is_vital, places))
            or (bool(_MOST & set(lower)) and not names_measure)
        )
        """Whether nothing is sure without these words."""
        self.is_done = names_measure and all(map(reader.says_what_is_done, places))
        """Whether they are verbs beside the number that is asked for, which they seldom limit."""
        asks = reading.words("which", "count", "who", "when", "where", "aggregate")
        asking = [0, *(m.end for m in asks if m.text not in ("show", "list", "find"))]
        between = {"is", "are", "and", "was", "were", "the", "my", "our", "a", "of", "did", "do"}
        starts = {at for end in asking for at in range(end, len(lower)) if set(lower[end:at]) <= between}
        self.is_asked = any(at in starts and not reader.says_what_is_done(at) for at in places)
        self.is_asked |= any(map(reader.is_predicate, places))
        self.names_measure = names_measure
        """Whether they are what is asked for: "how many parrots", "average bonus", "who is married"."""

    def leaves(self, query: Query) -> bool:
        """Whether a query without these words still says something sure."""
        if query.operation in ("describe", "columns", *_COUNTS) and not (query.operation == "count" and query.filters):
            return False
        if query.operation in ("rows", "count", "value", "distinct") and (self.is_asked or not query.filters):
            return False
        is_guessed = query.operation not in ("rows", "count", "value", "distinct") and not self.names_measure
        return bool(query.filters or query.column) and not (is_guessed and self.is_asked)

    def beside(self, query: Query, answer: str) -> str:
        """The answer to such a query with what was left out: behind it where that is a verb, else before it."""
        if self.is_done and query.operation not in ("rows", *_COUNTS):
            listed = " and ".join(f"“{word}”" for word in sorted(self.words))
            return f"{answer} No column says {listed}: I left it out."
        return f"{self.said}; without it: {answer}"
