"""What a question about a table says of the stock as a condition: "in stock", "sold out"."""

from __future__ import annotations

import re

from hugginggpt.experts.table_columns import Column, stock_column
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_mentions import Mention
from hugginggpt.experts.table_query import Filter

_MEASURED = re.compile(
    r"(?i)\bhow many\b(?! of\b)|\bhow (?:much|often)\b|\b(?:number|amount|quantity|level) of\b|"
    r"\b(?:total|sum|average|mean|more|less|fewer)\b|"
    r"\b(?:most|least|fewest|highest|lowest|largest|smallest|biggest)(?: (?:items?|pieces?|units?|number))? in stock\b|"
    r"\b(?:most|least|fewest|highest|lowest) stock\b"
)
"""Words by which the stock is asked for or compared, so that "in stock" is no condition."""


def check(reading: Reading) -> None:
    """Raises ExpertUnavailable where a question is about the stock and the table has none."""
    if stock_column(reading.table) is None and re.search(r"(?i)\bout of stock\b", reading.question):
        raise reading.refusal("There is no column for “out of stock”")


def read(reading: Reading) -> None:
    """Adds the filter for "in stock" or "sold out", and a note that says how it was taken."""
    column = stock_column(reading.table)
    if column is None:
        return
    for mention in reading.mentions:
        is_out = mention.is_word("gone")
        if mention.used or not (is_out or _is_condition(reading, mention, column)):
            continue
        mention.used = True
        is_none = is_out != reading._negation(mention)
        one = Filter(column.name, "in", (0.0,)) if is_none else Filter(column.name, ">", (0.0,))
        reading.filters.append((one,))


def _is_condition(reading: Reading, mention: Mention, column: Column) -> bool:
    """Whether the stock's column is named as a condition: "the cheapest that is in stock", not "20 in stock"."""
    before = [token.lower for token in reading.reader.tokens[max(0, mention.start - 2) : mention.start]]
    if mention.kind != "column" or column not in mention.columns or before[-1:] not in (["in"], ["on"]):
        return False
    is_counted = any(other.kind == "number" and other.end == mention.start - 1 for other in reading.mentions)
    return not is_counted and not _MEASURED.search(reading.question)
