"""Which column a question about a table computes with: one that is named or asked for, else the only one it can be."""

from __future__ import annotations

from dataclasses import dataclass

from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_grouping import kind_column
from hugginggpt.experts.table_mentions import Mention
from hugginggpt.experts.table_query import Filter
from hugginggpt.experts.table_refusals import Ambiguous
from hugginggpt.experts.table_words import COUNTS, GOODS, MONEY_TAKEN, QUANTITIES

_SELLS = frozenset(["sold", "sells", "sell", "selling"])
MAX_MEASURES = 3
"""A number that no word names may be one of so many columns: each is computed."""


@dataclass
class MeasureFinder:
    """What is left of a question once its `filters` are read."""

    reading: Reading
    filters: tuple[tuple[Filter, ...], ...]

    @property
    def table(self) -> TypedTable:
        return self.reading.table

    def _columns(self) -> list[Mention]:
        return self.reading.of("column")

    def _sells(self, mention: Mention) -> bool:
        """Whether a word for the highest is about what is sold: "sold best", "sells the most"."""
        tokens = self.reading.reader.tokens[max(0, mention.start - 2) : mention.end]
        return not _SELLS.isdisjoint(token.lower for token in tokens)

    def _goods(self) -> Column | None:
        """The column of what is sold, where "what" asks for it."""
        is_open = [one.text for one in self.reading.words("which")[:1]] == ["what"]
        return kind_column(self.table, GOODS) if is_open else None

    def _is_numeric(self, column: Column) -> bool:
        return column.type == "number" and not column.is_id

    def _measure(self, sums: bool = False) -> Column:
        """The column to compute with: one that is named or asked for, else the only one. Raises ExpertUnavailable."""
        column = self._found_measure(sums)
        unknown = [mention for mention in self._columns() if not self.reading.is_asked(mention)]
        if unknown and not sums and column is None:
            raise self.reading.refusal(f"{unknown[0].columns[0].name} holds no numbers to compute with")
        column = column or self._only_measure(sums)
        if column is None:
            open_columns = [one for one in self.table.columns if one.is_measure and not one.is_intensive]
            if 1 < len(open_columns) <= MAX_MEASURES:
                names = " or ".join(one.name for one in open_columns)
                raise Ambiguous(f"The question may be about {names}: name one of them.", open_columns)
            raise self.reading.refusal("I cannot tell which column to compute with")
        return column

    def _found_measure(self, sums: bool) -> Column | None:
        """The column with numbers that is named, or asked for by an adjective or verb."""
        named = [m for m in self._columns() if any(self._is_numeric(c) or c.type == "date" for c in m.columns)]
        if named:
            measures = [mention for mention in named if any(c.is_measure for c in mention.columns)] or named
            return self.reading.column(measures[0], self._is_numeric)
        for asks in self.reading.of("asks"):
            if held := self.reading.by_dimension(asks.payload):
                asks.used = True
                return held[0]
        return None

    def _only_measure(self, sums: bool) -> Column | None:
        """The only column with numbers; for sums the only one that says how many a row stands for."""
        measures = [column for column in self.table.columns if column.is_measure]
        said = self.reading.question.lower()
        asks_money = "come to" in said or any(mention.text == "how much" for mention in self.reading.mentions)
        money = [c for c in measures if not c.is_intensive and (MONEY_TAKEN & c.senses or c.prefix)]
        if sums and asks_money and len(money) == 1:
            return money[0]
        quantities = [column for column in measures if set(QUANTITIES) & column.senses]
        if sums and len(quantities) == 1:
            return quantities[0]
        summed = [column for column in measures if not column.is_intensive]
        if sums and len(summed) == 1 < len(measures):
            return summed[0]
        before = [column for column in measures if column.name == self.reading.measured]
        if len(measures) > 1 and before:
            return before[0]
        return measures[0] if len(measures) == 1 else None

    def _quantity(self) -> Column | None:
        columns = [column for column in self.table.columns if column.is_measure and set(QUANTITIES) & column.senses]
        return columns[0] if len(columns) == 1 else None

    def _counts(self, thing: Mention | None) -> Column | None:
        """The column of how many of a thing there are, where the rows name it first: "zebra" of Animal and Number."""
        names = next((column for column in self.table.columns if column.type == "text"), None)
        if thing is None or names is None or names not in thing.columns:
            return None
        columns = [
            column
            for column in self.table.columns
            if column.type == "number"
            and len(column.words) == 1
            and COUNTS & set(column.words)
            and not column.leads
            and all(value >= 0 and value == int(value) for value in column.present)
        ]
        return columns[0] if len(columns) == 1 else None

    def _ignore_rows(self) -> None:
        """Columns that name the rows ("flats", "which student") say nothing more when rows are counted."""
        for mention in self._columns():
            if any(column in self.table.labels or column.is_unique for column in mention.columns):
                mention.used = True
