"""Words of a question about a table that name nothing in it: whether they matter to what is asked, or may stay unread.

"unpaid", "on Sundays" or the name of a column that there is not matter: without them another question is answered. What
names the thing that the table is about, a purpose, a courtesy or an aside does not. A regression tells them apart by
where a word stands (spaCy), how near it is in meaning to the table, and its vector in the question (MiniLM); it is
trained by `python -m hugginggpt.experts.training` on data/reading/table_words.txt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import grammar, logistic, minilm
from hugginggpt.experts.table_columns import TypedTable

HEAD = "table-words.safetensors"
LAYERS = 4
"""The vector of a word is that after so many layers of the encoder: later ones speak of the whole question."""
MAX_CELLS = 30
"""So many different cells of a column are compared with a word."""
MATTERS, DEEDS, VITAL = 0.095, 0.2, 0.4
"""Below the first probability that a word matters it is left out: 3 % of the words that matter are, in questions to
tables held out; below the second the verb of what "we" do is. Up to the third so is one in an aside, in what something
is for, or a verb of what is computed (of 144 such words in the questions one mattered); of another one it is told.
Above, nothing is sure without it.
"""
_TAGS = ("NN", "NNS", "NNP", "JJ", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "RB", "IN", "UH", "CD")
_ROLES = (
    "amod", "compound", "nsubj", "dobj", "pobj", "acomp", "attr", "advmod", "ROOT", "relcl", "acl", "advcl", "conj",
    "npadvmod", "appos", "ccomp", "xcomp", "intj", "poss", "prt", "nsubjpass", "dep",
)  # fmt: skip
_HEADS = ("amod", "pobj", "nsubj", "dobj", "attr", "ROOT", "advcl", "relcl")
_BEFORE = (
    "the", "my", "our", "a", "for", "with", "of", "in", "to", "who", "i", "we", "do", "did", "does", "and", "no", "how",
    "which", "is", "are",
)  # fmt: skip
_BEHIND = ("of", "in", "for", "the", "and", "to", "is", "are", "on")
_WITHIN = ("for", "in", "of", "with")
_KINDS = ("column", "value", "row", "number", "word", "superlative", "asks")
_NOT = frozenset(["not", "n't", "never", "no", "without"])
_NEAR_MARK = re.compile(r"[,;.:!?-]\s*(?:\w+\s+){0,3}$")
_MARK_NEAR = re.compile(r"(?:\s+\w+){0,3}\s*[,;.:!?-]")
_CLAUSE = re.compile(r"[,;.:!?]|\band\b")

Span = tuple[int, int, str]
"""The offsets in a question, from and up to, of what is named there, and its kind."""


@dataclass
class Sentence:
    """A question about a table with what its words name."""

    table: TypedTable
    text: str
    named: Sequence[Span]

    def mattering(self, places: Sequence[tuple[int, int]]) -> list[float]:
        """How likely the words at some offsets matter. Raises ExpertUnavailable or ImportError without the models."""
        rows = [self.features(start, end) for start, end in places]
        return logistic.load(HEAD, tuple(rows[0])).probabilities([list(row.values()) for row in rows]) if rows else []

    def features(self, start: int, end: int) -> dict[str, float]:
        """What is looked at in a word, by name."""
        parts = (self._grammar, self._neighbours, self._meaning, self._vector)
        return {name: float(value) for part in parts for name, value in part(start, end)}

    def _grammar(self, start: int, end: int) -> Iterator[tuple[str, float]]:
        word = next((one for one in self._parse if one.idx < end and one.idx + len(one) > start), self._parse[0])
        beside = [one.lower_ for one in (*word.children, *word.head.children)]
        within = {one.lower_ for one in (word, *word.ancestors) if one.dep_ == "prep"}
        yield from ((f"tag {tag}", word.tag_ == tag) for tag in _TAGS)
        yield from ((f"role {role}", word.dep_ == role) for role in _ROLES)
        yield from ((f"head {role}", word.head.dep_ == role) for role in _HEADS)
        yield from ((f"within {one}", one in within) for one in _WITHIN)
        yield "head verb", word.head.pos_ in ("VERB", "AUX")
        yield "ours", bool({"my", "our"} & set(beside))
        yield "denied", bool(_NOT & set(beside))
        yield "head is named", self._names(word.head)
        for role in ("nsubj", "dobj", "prep"):
            yield (
                f"named {role}",
                any(self._names(one) for child in word.children if child.dep_ == role for one in child.subtree),
            )
        yield (
            "asks for its subject",
            any(child.dep_ == "nsubj" and child.tag_.startswith("W") for child in word.children),
        )

    def _neighbours(self, start: int, end: int) -> Iterator[tuple[str, float]]:
        before, behind = self.text[:start], self.text[end:]
        last, following = before.lower().split()[-1:], behind.lower().split()[:1]
        yield from ((f"after {one}", last == [one]) for one in _BEFORE)
        yield from ((f"before {one}", following == [one]) for one in _BEHIND)
        ended = {kind for _, at, kind in self.named if at <= start and len(self.text[at:start].split()) < 2}
        begun = {kind for at, _, kind in self.named if at >= end and len(self.text[end:at].split()) < 2}
        kinds = {kind for *_, kind in self.named}
        yield from ((f"after a {kind}", kind in ended) for kind in _KINDS)
        yield from ((f"before a {kind}", kind in begun) for kind in _KINDS)
        yield from ((f"beside a {kind}", kind in kinds) for kind in ("column", "value"))
        yield "beside an operation", bool(kinds & {"word", "superlative", "asks", "number"})
        first, stop = self._clause(start)
        yield "named in its clause", min(4, sum(first <= at < stop for at, *_ in self.named))
        yield "first clause", first == 0
        yield "first word", start == 0
        yield "last word", following in ([], ["?"])
        yield "from the end", len(behind) / max(1, len(self.text))
        yield "behind a mark", _NEAR_MARK.search(before) is not None
        yield "before a mark", _MARK_NEAR.match(behind) is not None
        yield "capital", start > 0 and self.text[start].isupper()

    def _clause(self, at: int) -> tuple[int, int]:
        """Where the clause of a word begins and ends."""
        marks = [(mark.start(), mark.end()) for mark in _CLAUSE.finditer(self.text)]
        first = max((end for _, end in marks if end <= at), default=0)
        return first, min((start for start, _ in marks if start >= at), default=len(self.text))

    def _meaning(self, start: int, end: int) -> Iterator[tuple[str, float]]:
        word = self.text[start:end].lower()
        texts = [column for column in self.table.columns if column.type in ("text", "flag")]
        cells = [cell for column in texts for cell in list(column.distinct)[:MAX_CELLS]]
        columns = sorted(minilm.similarities(word, self._headings))
        near = sorted(minilm.similarities(word, cells)) or [0.0]
        title = self.table.title or "rows"
        without = (self.text[:start] + self.text[end:]).strip() or "."
        yield "known", minilm.knows_word(word)
        yield "like a column", columns[-1]
        yield "like one column", columns[-1] - columns[max(-2, -len(columns))]
        yield "like a cell", near[-1]
        yield "like some cells", near[-1] - near[len(near) // 2]
        yield "like cells", near[len(near) // 2]
        yield "like the title", minilm.similarities(word, [title])[0]
        yield "like the table", minilm.similarities(word, [f"{title}: {', '.join(self._headings)}"])[0]
        yield "changes the question", minilm.similarities(self.text, [without])[0]
        yield "like the question", minilm.similarities(word, [self.text])[0]

    def _vector(self, start: int, end: int) -> Iterator[tuple[str, float]]:
        states, offsets = self._states
        inside = [at for at, (first, stop) in enumerate(offsets) if first < stop and first < end and stop > start]
        yield from ((f"vector {at}", value) for at, value in enumerate(states[inside or [0]].mean(0)))

    def _names(self, token: Any) -> bool:
        """Whether a word of the parse stands in what names a column, a cell or a number."""
        return any(
            first < token.idx + len(token) and token.idx < stop and kind in ("column", "value", "number", "date")
            for first, stop, kind in self.named
        )

    @cached_property
    def _headings(self) -> list[str]:
        return [" ".join(column.words) for column in self.table.columns]

    @cached_property
    def _parse(self) -> Any:
        return grammar.parse(self.text, entities=False)

    @cached_property
    def _states(self) -> tuple[Any, list[tuple[int, int]]]:
        return minilm.lower_states([self.text], LAYERS)[0], minilm.token_offsets(self.text)


def mattering(sentence: Sentence, places: Sequence[tuple[int, int]]) -> list[float]:
    """As `Sentence.mattering`; without the models every word matters."""
    try:
        return sentence.mattering(places) if places else []
    except (ExpertUnavailable, ImportError):
        return [1.0] * len(places)
