"""Spans of months and weekdays in a question about a table, and units of lengths of time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hugginggpt.experts.table_columns import Column, is_calendar
from hugginggpt.experts.table_mentions import Mention
from hugginggpt.experts.table_tokens import Token
from hugginggpt.experts.table_units import unit_of


def scale(column: Column, number: Mention, tokens: Sequence[Token]) -> float:
    """What a number is multiplied with to be in the seconds of a column: 60 for "45 minutes"; 1 for other columns."""
    if not column.seconds or ":" in number.text:
        return 1
    unit = unit_of([token.stem for token in tokens[number.end : number.end + 1]])
    if unit and unit[0] == "time":
        return unit[1] * 60
    return 60 if number.payload * 60 <= 2 * max(column.present) else 1


def join_spans(values: Sequence[Mention], tokens: Sequence[Token], between: Sequence[Mention]) -> None:
    """ "From January to March", of cells that are months or weekdays in their order: those between as well."""
    for first, last in itertools.pairwise(values):
        shared = [column for column in first.columns if column in last.columns and is_calendar(column)]
        joints = (["to"], ["till"], ["until"], ["through"]) + ((["and"],) if between else ())
        if shared and [token.lower for token in tokens[first.end : last.start]] in joints:
            cells = list(shared[0].distinct)
            low, high = (cells.index(one.payload[0]) for one in (first, last))
            first.payload, first.columns = cells[low : high + 1], (shared[0],)
            last.used = True
            for word in between:
                word.used = word.used or word.end == first.start
