"""What a question about a table takes up from the one before it: its rows, what was computed, or all but a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from hugginggpt.experts import grammar
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_query import Filter, Query
from hugginggpt.experts.table_questions import read_query
from hugginggpt.experts.table_tokens import Token

_WHOLE = frozenset(["everything", "all", "list", "show", "entries", "rows"])
"""Words that ask for rows, whatever was computed before."""
_ENDS = frozenset(["most", "least", "fewest", "highest", "lowest", "biggest", "smallest", "largest"])
_JUDGED = frozenset(["best", "worst"])
_NUMBERS = frozenset(["count", "sum", "mean", "median", "minimum", "maximum", "range", "deviation"])
"""The operations of which the answer is a number."""
_OF_ANOTHER = frozenset(["in", "for", "over", "at", "on", "about"])
"""Words before another column with which the same is to be computed."""
_OF_WHOM = frozenset(["their", "its"])
ROWS_BEFORE = frozenset(["they", "them", "those", "these", "it", "that", "ones", "its", "their"])
"""Words for the rows of the question before."""


def continued(reading: Reading, previous: Query | None, is_further: bool, asked: str) -> Query:
    """The query of a question that may take up the one before it: its operation, its rows, or both. One that
    `is_further` in the same message is about the rows that the part before it spoke of; `asked` are its own words.
    """
    if previous is None:
        return read_query(reading)
    reading.measured = _spoken_of(reading, previous)
    one = _FollowUp(reading, previous, is_further, asked)
    return one.every_group() or one.other_end() or one.against() or (one.asking() if one.asks else one.telling())


@dataclass
class _FollowUp:
    reading: Reading
    previous: Query
    is_further: bool
    asked: str

    @cached_property
    def spoken(self) -> list[grammar.Word]:
        return [word for word in grammar.words(self.reading.question) if not word.is_mark]

    @cached_property
    def said(self) -> frozenset[str]:
        """The words, without those that mean whom the question asks for: "who has had their plot the longest?"."""
        acts = (at for at, word in enumerate(self.spoken) if word.is_verb and word.lemma not in ("be", "'s"))
        first = next(acts, len(self.spoken)) if self.reading.words("who") else len(self.spoken)
        whose = {word.lower for word in self.spoken[first:]} & _OF_WHOM
        tokens = self.reading.reader.tokens
        named = {mention.end for mention in self.reading.mentions if mention.kind == "value"}
        ones = {at for at, token in enumerate(tokens) if token.lower == "ones"}
        whose |= self._of_named(tokens)
        is_told = ones <= named or bool(self.reading.filters)  # "the silver ones", "the ones still out"
        whose |= {"ones"} if ones and is_told and not self.is_fragment else set()
        return frozenset(word.lower for word in self.spoken) - whose

    def _of_named(self, tokens: Sequence[Token]) -> set[str]:
        """Words for whose something is that follow a column of names: "the titles with their authors"."""
        texts = [m.end for m in self.reading.of("column") if all(column.type == "text" for column in m.columns)]
        return {one.lower for at, one in enumerate(tokens) if one.lower in _OF_WHOM and any(end <= at for end in texts)}

    @property
    def asks(self) -> bool:
        """Whether the question says itself what is to be computed or how the rows are chosen."""
        kinds = "aggregate", "count", "super", "share", "difference", "top", "columns", "distinct", "order", "group"
        return bool(self.reading.words(*kinds) or self.reading.of("asks", "superlative", "comparative", "ends"))

    @property
    def takes_rows(self) -> bool:
        return self.is_further or bool(self.said & ROWS_BEFORE)

    @property
    def refers(self) -> bool:
        return bool(self.said & ROWS_BEFORE) and not self.is_further

    @property
    def is_fragment(self) -> bool:
        words = [word for word in grammar.words(self.asked) if not word.is_mark]
        asks = any(word.tag.startswith("W") for word in words[:1]) and any(word.is_verb for word in words)
        return not asks and not any(word.is_verb for word in self.spoken)

    def every_group(self) -> Query | None:
        """ "And for each?": all groups of which one was asked for."""
        named = [mention.text for mention in self.reading.mentions if mention.text != "how much"]
        if named not in (["each"], ["per"]):
            return None
        if not self.previous.group:
            raise self.reading.refusal("I cannot tell for each of what")
        return replace(self.previous, pick=False)

    def other_end(self) -> Query | None:
        """ "And the least?": the lowest of what the highest was asked for before, or the highest."""
        named = [m for m in self.reading.mentions if m.kind != "row" and not m.is_word("which", "who")]
        is_judged = len(named) == 1 and named[0].kind == "superlative" and named[0].text in _JUDGED
        is_end = is_judged or (len(named) == 1 and named[0].is_word("super") and named[0].text in _ENDS)
        if not is_end or not self.is_fragment or not (self.previous.pick or _picks(self.previous)):
            return None
        much = not self.previous.descending if is_judged else named[0].payload[1] == "much"
        if self.previous.operation in ("maximum", "minimum") and not self.previous.group:
            return replace(self.previous, operation="maximum" if much else "minimum")
        return replace(self.previous, descending=much, rank=0)

    def against(self) -> Query | None:
        """ "Is that more than the basses?": what was computed for a group, beside the same for another."""
        more = [*self.reading.words("compare"), *self.reading.of("relation", "comparative")]
        values = self.reading.of("value")
        before = {one.column: one for group in self.previous.filters if len(group) == 1 for one in group}
        shared = [column for column in values[0].columns if column.name in before] if len(values) == 1 else []
        if not more or not shared or self.previous.operation not in _NUMBERS:
            return None
        column, first = shared[0], before[shared[0].name]
        if self.previous.group not in ("", column.name):
            return None
        cells = tuple(cell for cell in values[0].payload if cell in column.distinct)
        both = Filter(
            column.name,
            "in",
            tuple(dict.fromkeys((*(first.values[:1] if self.previous.group else first.values), *cells))),
        )
        rest = tuple(group for group in self.previous.filters if group != (first,))
        sign = more[0].payload if more[0].kind != "comparative" else more[0].payload[0]
        much = sign in (">", ">=") if more[0].kind == "relation" else sign[1] in (True, "much")
        return replace(self.previous, filters=(*rest, (both,)), group=column.name, pick=True, descending=much)

    def asking(self) -> Query:
        """What is asked of the rows before, or of all."""
        query, previous = read_query(self.reading), self.previous
        if query.operation == "share" and not query.column and previous.operation == "sum":
            whole = tuple(group for group in joined(query, previous) if group not in query.filters)
            return replace(query, column=previous.column, filters=(*whole, *query.filters), within=whole)
        if self.refers and _picks(previous) and not query.group and not self.said & {"all", "together", "altogether"}:
            return _of_picked(self.reading, query, previous)
        return self._of_rows(query)

    def telling(self) -> Query:
        """What a question that names a column or a condition, and no more, asks of what was asked before."""
        previous = self.previous
        wanted = [m.columns[0].name for m in self.reading.of("column") if len(m.columns) == 1]
        query = read_query(self.reading)
        if self.takes_rows and _picks(previous) and query.operation != "describe":
            return _of_picked(self.reading, query, previous)
        if query.operation == "describe":
            if not self.takes_rows or not previous.filters:
                raise self.reading.unasked()
            return Query("rows", "", previous.filters)
        names = wanted or [query.column] * bool(query.column)
        if self.is_fragment and not query.filters:
            if self._is_another(names):
                return replace(previous, column=names[0])
            if previous.operation in ("extreme", "value", "rows"):
                return replace(previous, wanted=tuple(dict.fromkeys([*previous.wanted, *names])))
        is_of_rows = (
            bool(self.reading.words("which", "who")) and not self.is_fragment and previous.operation in _NUMBERS
        )
        takes_up = query.filters and (self.is_fragment or self.takes_rows) and query.operation in ("rows", "count")
        if takes_up and not is_of_rows and not self.said & _WHOLE:
            return replace(previous, filters=joined(query, previous))
        return self._of_rows(query)

    def _of_rows(self, query: Query) -> Query:
        return replace(query, filters=joined(query, self.previous)) if self.takes_rows else query

    def _is_another(self, names: Sequence[str]) -> bool:
        """Whether a fragment names another number to compute the same with: "and in science?" after a mean in maths."""
        known = self.reading.table.names
        columns = [self.reading.table[name] for name in (*names, self.previous.column) if name in known]
        is_other = len(columns) == len(names) + 1 == 2 and all(column.is_measure for column in columns)
        is_end = self.previous.operation == "extreme" and bool(self.said & _OF_ANOTHER)
        return is_other and (self.previous.operation in _NUMBERS or is_end)


def _spoken_of(reading: Reading, previous: Query) -> str:
    """The column of numbers that a question was about: computed with, shown or, if it is the only one, limited."""
    limited = [one.column for group in previous.filters for one in group]
    for names in ([previous.column], previous.wanted, limited):
        measures = {name for name in names if name in reading.table.names and reading.table[name].is_measure}
        if len(measures) == 1:
            return measures.pop()
    return ""


def _picks(query: Query) -> bool:
    """Whether a question was about the rows at one end of an order, not about all that fit its conditions."""
    return query.operation in ("extreme", "maximum", "minimum") and not query.group


def _of_picked(reading: Reading, query: Query, picked: Query) -> Query:
    """What is asked about the rows that the question before picked: "which is the cheapest?", "who supplies it?".

    Raises ExpertUnavailable for what cannot be asked of them alone, such as how many of them fit another condition.
    """
    names = [name for name in (query.column, *query.wanted) if name]
    if _is_of_number(reading, query, picked):
        return query
    asks_cells = query.operation in ("value", "distinct", "sum") and not query.group
    if query.operation in ("extreme", "maximum", "minimum"):
        return replace(query, filters=joined(query, picked))
    if query.filters or not asks_cells or not names or (query.operation == "sum" and picked.n > 1):
        raise reading.refusal("I cannot tell this of the rows of the answer before alone: name them")
    descending = picked.descending if picked.operation == "extreme" else picked.operation == "maximum"
    return replace(picked, operation="extreme", descending=descending, wanted=tuple(dict.fromkeys(names)))


def _is_of_number(reading: Reading, query: Query, picked: Query) -> bool:
    """Whether "it" is the number of which the highest was asked for, in all rows: "how often was it over 140?"."""
    said = {token.lower for token in reading.reader.tokens}
    limited = {one.column for group in query.filters for one in group}
    is_number = picked.column in limited and not picked.filters
    return is_number and said & ROWS_BEFORE == {"it"} and query.operation in ("count", "rows")


def repeated(reading: Reading, past: Sequence[Query]) -> Query:
    """ "the same average, but only in May": what was computed last, or last in this way, over other rows."""
    operations = [word.payload[1] for word in reading.words("aggregate")]
    previous = next((query for query in reversed(past) if query.operation in operations), past[-1])
    reading.mentions = [one for one in reading.mentions if not one.is_word("aggregate", "count")]
    query = read_query(reading)
    operation = operations[0] if operations and previous.column else previous.operation
    is_number = query.column and reading.table[query.column].is_measure and not query.filters
    column = query.column if is_number and previous.column else previous.column
    return replace(previous, operation=operation, column=column, filters=joined(query, previous))


def joined(query: Query, previous: Query) -> tuple[tuple[Filter, ...], ...]:
    """The filters of a question and those of the one before that are about other columns."""
    columns = {one.column for group in query.filters for one in group}
    kept = [group for group in previous.filters if not columns & {one.column for one in group}]
    return (*kept, *query.filters)
