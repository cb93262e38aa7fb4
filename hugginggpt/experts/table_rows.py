"""Arithmetic along the rows of a table: the sum or mean of several columns of each row, as a column of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_mentions import Mention
from hugginggpt.experts.table_words import MEASURE_NOUNS

_JOINTS = frozenset(["and", "or", "plus", "over", "of", "the", "in", "for", "from", "across"])
_TOGETHER = frozenset(["together", "altogether", "combined", "both"])
MAX_RATIO = 5
"""Columns are of one kind, such as marks, where the greatest values of any two differ by at most so many times."""


def across(reading: Reading) -> None:
    """ "the best average over essay, lab and exam", "her points altogether": a computed column in the place of the word
    for what is computed.
    """
    _kin(reading)
    words = [word for word in reading.words("aggregate") if word.payload[1] in ("mean", "sum")]
    values = reading.of("value")
    picks = reading.words("super", "top", "who") or reading.of("superlative") or values
    named = [m for m in reading.of("column") if len(m.columns) == 1 and m.columns[0].is_measure]
    columns = list(dict.fromkeys(mention.columns[0] for mention in named))
    if len(words) > 1 and len(columns) > 1 and _are_joined(reading, named) and {w.payload[1] for w in words} == {"sum"}:
        for word in words[:-1] if picks else words[1:-1]:  # "in total, cash and card together"
            reading.mentions.remove(word)
        words = words[-1:]
    is_both = len(columns) > 1 and _TOGETHER & {token.lower for token in reading.reader.tokens}
    if len(words) != 1 or not (picks or is_both):
        return
    if len(columns) > 1 and _are_joined(reading, named):
        _compute(reading, words[0], columns, named)
    elif not named and words[0].payload[1] == "sum" and not reading.of("asks", "column"):
        measures = [column for column in reading.table.columns if column.is_measure and not column.computed]
        labels = [m for m in values if set(m.columns) & set(reading.table.labels)]
        if len(measures) > 1 and labels and _are_alike(measures):
            _compute(reading, words[0], measures, [])
            reading.notes.append(f"I added up {', '.join(column.name for column in measures)}.")


def _kin(reading: Reading) -> None:
    """ "who has the best grades", of a column for each subject: the mean of all."""
    kin = next((m for m in reading.of("column") if len(m.columns) > 2 and m.payload == "kin"), None)
    picks = reading.words("super", "aggregate", "top") or reading.of("superlative")
    if kin is None or not picks:
        return
    kin.payload = (None, "mean")
    _compute(reading, kin, kin.columns, [])
    reading.mentions = [m for m in reading.mentions if not (m.is_word("aggregate") and m.payload[1] == "mean")]


def _are_joined(reading: Reading, mentions: Sequence[Mention]) -> bool:
    between = reading.reader.tokens[mentions[0].end : mentions[-1].start]
    names = {token.lower for m in mentions for token in reading.reader.tokens[m.start : m.end]}
    return all(token.lower in _JOINTS | names for token in between)


def _are_alike(columns: Sequence[Column]) -> bool:
    tops = [max(map(abs, column.present), default=0) for column in columns]
    units = {(column.prefix, column.suffix) for column in columns}
    are_kin = len(units) == len({column.is_intensive for column in columns}) == 1  # not pieces and prices
    return are_kin and min(tops) > 0 and max(tops) / min(tops) <= MAX_RATIO


def added_up(table: TypedTable, columns: Sequence[Column]) -> TypedTable | None:
    """A table with the sum of several columns of one kind in their place; None for columns of several kinds."""
    if not _are_alike(columns):
        return None
    rows = list(zip(*(column.values for column in columns), strict=True))
    values = [None if None in row else sum(row) for row in rows]
    name = f"sum of {', '.join(column.name for column in columns[:-1])} and {columns[-1].name}"
    cells = ["" if value is None else f"{value:.10g}" for value in values]
    made = Column(name, "number", cells, values, columns[0].prefix, columns[0].suffix, computed=True)
    names = {column.name for column in columns}
    return replace(table, columns=(*(column for column in table.columns if column.name not in names), made))


def _compute(reading: Reading, word: Mention, columns: Sequence[Column], named: Sequence[Mention]) -> None:
    is_mean = word.payload[1] == "mean"
    rows = zip(*(column.values for column in columns), strict=True)
    values = [None if None in row else sum(row) / (len(row) if is_mean else 1) for row in rows]
    listed = f"{', '.join(column.name for column in columns[:-1])} and {columns[-1].name}"
    cells = ["" if value is None else f"{value:.10g}" for value in values]
    name = f"{'mean' if is_mean else 'sum'} of {listed}"
    column = reading.add(Column(name, "number", cells, values, columns[0].prefix, columns[0].suffix, computed=True))
    inside = [m for m in reading.of("relation") if named and word.end <= m.start < named[-1].start]  # "over a and b"
    reading.mentions = [mention for mention in reading.mentions if mention not in (*named, *inside)]
    word.kind, word.columns, word.payload = "column", (column,), None
    for count in reading.words("count"):  # "how many points altogether"
        reading.mentions.remove(count)
    reading.reader.leave_out(MEASURE_NOUNS)
