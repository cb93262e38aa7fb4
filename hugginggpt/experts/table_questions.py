"""Reads a question about a table as a query: what its words name (`table_mentions`) becomes filters and an operation.

A word that names nothing, or a mention for which there is no place in the query, makes the question one that is refused
with a sentence: an answer to another question than the one that was asked would be worse.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hugginggpt.experts import table_grouping, table_stock
from hugginggpt.experts.table_columns import Column, holding
from hugginggpt.experts.table_comparisons import compare
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_grammar import asks_overview, is_about_the_whole
from hugginggpt.experts.table_grouping import kind_column
from hugginggpt.experts.table_measured import MeasureFinder
from hugginggpt.experts.table_mentions import Mention, is_often
from hugginggpt.experts.table_query import Filter, Operation, Query, fitting_rows
from hugginggpt.experts.table_tokens import listed
from hugginggpt.experts.table_unread import Unread
from hugginggpt.experts.table_wholes import leave_sums, repeated, together
from hugginggpt.experts.table_words import (
    ADDED_UP,
    BUSY,
    DIMENSIONS,
    LESS_IS_BETTER,
    MONEY_TAKEN,
    PERSONS,
    PLACES,
    PRICES,
    Dimension,
    adjectives,
    is_person,
    stem,
)

MAX_APART = 4
"""So many words stand at most between a superlative and the column after it: in another clause it is about another."""
_LIGHT = frozenset(
    ["paid", "pay", "take", "takes", "last", "live", "left", "available", "makes", "people", "residents"]
)
"""Verbs and nouns that ask for a number where a column has it, and for nothing where none has."""
_SPENT = re.compile(
    r"\W*+(?:(?:and|but|so|ok|then)\b\W*+)*+what\b(?! do they).{0,30}?"
    r"\b(?:spend|spent|paid|pay|cost|earn|owe|make|made)\b",
    re.I,
)
_MONEY_WENT = re.compile(
    r"\b(?:goes|go|going|went|gone|spent|spend|spending)\b|\bof (?:all |our |my |the )*(?:money|budget)\b", re.I
)
"""What says that a share of the money is asked for, not of the rows."""


def read_query(reading: Reading) -> Query:
    """The query of a question. Raises ExpertUnavailable where a part of the question has no place in it."""
    table_stock.check(reading)
    named = bool(reading.filters) or any(m.kind not in ("row", "word") for m in reading.mentions)
    is_whole = not named and asks_overview(reading.question)
    if (left := reading.reader.left) and not is_whole:
        said = f"I do not know what {listed(left)} {'means' if len(left) == 1 else 'mean'} here"
        raise Unread(str(reading.refusal(said)), said, reading)
    group, order = table_grouping.group(reading), table_grouping.order(reading)
    table_stock.read(reading)
    compare(reading)
    others = reading.read_filters()
    if whole := repeated(reading):
        return whole
    leave_sums(reading)
    query = together(reading, _Builder(reading, tuple(reading.filters)).build(group, order, others))
    kinds = "value", "number", "date", "month", "relation", "comparative", "text", "ordinal", "ends"
    unread = reading.of(*kinds)
    words = (
        "not", "missing", "contains", "difference", "share", "group", "compare", "change", "plus", "minus", "previous",
        "due", "rest",
    )  # fmt: skip
    unread += [mention for mention in reading.words(*words) if not mention.used]
    if [m for m in (*reading.words("super"), *reading.of("superlative")) if not m.used]:
        names = [m.text for m in reading.mentions if m.kind == "superlative" or m.is_word("super")]
        raise reading.refusal(f"I answer one question at a time, not {listed(names)}")
    if unread:
        raise reading.refusal(f"I cannot tell what {listed([mention.text for mention in unread])} refers to")
    if query.operation == "describe" and reading.reader.idle and not is_about_the_whole(reading.question, True):
        raise reading.unasked()
    told = reading.table[query.column].told if query.column else ""  # "owe for June", of what is computed from it
    unread = [mention for mention in reading.of("column") if not any(one.name in told for one in mention.columns)]
    if query.operation != "describe" and unread:
        raise reading.refusal(f"I cannot tell what is asked about {listed([mention.text for mention in unread])}")
    return query


class _Builder(MeasureFinder):
    """Chooses the operation for what is left of a question once its filters are read."""

    def build(self, group: Column | None, order: Mention | None, others: tuple[Filter, ...]) -> Query:
        words = self.reading.words
        if others:
            return Query("difference", self._measure().name, self.filters, others=others)
        for ends in self.reading.of("ends")[:1]:
            ends.used = True
            return Query("rows", "", self.filters, n=ends.payload)
        if self.reading.compared:
            return self._compared(*self.reading.compared)
        if words("share"):
            return self._share()
        if group:
            return self._grouped(group, is_sorted=order is not None)
        if order:
            return self._sorted(order)
        if any(not word.used for word in words("top", "super")) or self.reading.of("superlative"):
            return self._extreme()
        if words("aggregate"):
            return self._aggregate()
        if words("count"):
            return self._count()
        return self._looked_up()

    def _compared(self, group: Column, much: bool, measured: Column | None) -> Query:
        """Which of the groups that are named has more: of a number, else of rows."""
        is_named = any(self._is_numeric(column) for mention in self._columns() for column in mention.columns)
        more = self.reading.words("compare")
        things = [m for m in self.reading.of("row") if any(m.start == one.end for one in more)]  # "more things"
        counts = (self.reading.words("count", "exists") or things) and not (is_named or measured)
        for mention in self._columns():
            mention.used = group in mention.columns
        column = None if counts else measured or self._measure(sums=True)
        for mention in [*self._columns(), *self.reading.words("group")]:
            mention.used = True
        name = column.name if column else ""
        operation: Operation = "sum" if column else "count"
        for word in self.reading.words("aggregate"):
            operation = word.payload[1]
        return Query(operation, name, self.filters, group.name, descending=much, pick=True)

    # operations

    def _grouped(self, group: Column, is_sorted: bool) -> Query:
        operation: Operation = "count"
        words = self.reading.words("aggregate")
        counts = self.reading.words("count")
        if words:
            operation = words[0].payload[1]
        direction = self._direction()
        column = None
        if words:
            column = self._measure()
        elif not counts or any(self._is_numeric(c) for m in self._columns() for c in m.columns):
            column = self._measure() if not counts else self._found_measure(sums=True)
            operation = "sum" if column is not None else "count"
            if direction and not counts and not is_sorted:
                operation = "maximum" if direction[1] else "minimum"
        if column and column.is_year and operation == "sum":  # "members" are counted, of a column Member since
            operation, column = "count", None
        if column is None:
            self._ignore_rows()
        if operation in ("mean", "median") and column and group.is_unique and not direction:
            return Query(operation, column.name, self.filters)  # "average per day", of a row a day
        is_summed = operation == "mean" and group.type == "date" and not direction
        if is_summed and column and not (column.is_intensive or column.ratio):
            return Query("sum", column.name, self.filters, group.name, averaged=True)
        name, descending = column.name if column else "", direction[1] if direction else True
        picks = bool(direction) and (bool(words) or bool(counts))
        for mention in self._columns():  # "how many km did each of them ride", beside a rider
            mention.used = mention.used or group in mention.columns
        return Query(operation, name, self.filters, group.name, descending=descending, pick=picks)

    def _direction(self) -> tuple[Mention, bool] | None:
        """The word for the highest or lowest, and which of them; "top" says nothing beside "the most expensive"."""
        for mention in sorted(self.reading.mentions, key=lambda mention: mention.is_word("top")):
            if mention.used:
                continue
            if mention.is_word("super", "top"):
                mention.used = True
                return mention, mention.payload[1] == "much"
            if mention.kind == "superlative":
                mention.used = True
                return mention, mention.payload[0][1]
        return None

    def _sorted(self, order: Mention) -> Query:
        if order.kind == "superlative" or order.is_word("super"):
            column, much = self._extreme_column(order, self._direction()[1])  # type: ignore[index]
            self._ignore_rows()
            return Query("rows", "", self.filters, order=column.name, descending=much, n=self._number())
        direction = next(iter(self.reading.words("direction")), None)
        if order.kind == "asks":
            held = self.reading.by_dimension(order.payload)
            if held is None:
                raise self.reading.refusal(f"There is no column for “{order.text}”")
            column = held[0]
        else:
            order.used = False
            column = self.reading.column(order)
        first = self._direction()
        descending = (
            direction.payload[1] == "much"
            if direction
            else first[1]
            if first
            else bool(column.is_measure and self.reading.words("order")[0].text.startswith("rank"))
        )
        by = [word.end for word in self.reading.words("by") if word.start > order.end]
        then = [m.columns[0].name for m in self._columns() if m.start in by and m.columns[0] is not column]
        for mention in self._columns():
            mention.used = True
        return Query(
            "rows", "", self.filters, order=column.name, then=tuple(then), descending=descending, n=self._number()
        )

    def _number(self) -> int:
        number = next(
            (mention for mention in self.reading.of("number") if mention.payload == int(mention.payload)), None
        )
        if number is None:
            return 0
        number.used = True
        return int(number.payload)

    def _extreme(self) -> Query:
        mention, much = self._direction() or (None, True)
        assert mention is not None
        asked = self._asked(mention)
        n = self._number()
        if is_often(mention):
            if asked is None or asked.is_unique:
                raise self.reading.refusal(f"I cannot tell what occurs “{mention.text}”")
            return Query("count", "", self.filters, asked.name, descending=much, pick=True, n=n)
        operation: Operation
        rank = 0
        for ordinal in self.reading.of("ordinal")[:1]:
            ordinal.used, rank = True, ordinal.payload
        aggregate = next(iter(self.reading.words("aggregate")), None)
        if grouped := self._extreme_group(mention, asked, aggregate, much, n):
            return grouped
        column, much = self._extreme_column(mention, much)
        much = much != (column is self.reading.outgoing)
        if asked and self._is_group(asked, column, mention):
            self._ignore_rows()
            operation = "mean" if column.is_intensive else "sum"
            return Query(operation, column.name, self.filters, asked.name, descending=much, pick=True, n=n)
        wanted = [asked.name] if asked else []
        for other in self._columns():
            wanted += [self.reading.column(other).name]
        for asks in self.reading.of("asks"):
            if (held := self.reading.by_dimension(asks.payload)) and held[0] is not column:
                wanted.append(held[0].name)
            asks.used = True
        what = self.reading.words("which", "who")
        if aggregate or (
            n <= 1 and not rank and mention.is_word("super") and (not what or what[0].text == "what") and not wanted
        ):
            operation = "maximum" if much else "minimum"
            if aggregate and aggregate.payload[1] not in ("maximum", "minimum"):
                raise self.reading.refusal(f"I cannot tell how “{aggregate.text}” and “{mention.text}” go together")
            return Query(operation, column.name, self.filters)
        return Query(
            "extreme", column.name, self.filters, descending=much, n=n, wanted=tuple(dict.fromkeys(wanted)), rank=rank
        )

    def _extreme_group(
        self, mention: Mention, asked: Column | None, aggregate: Mention | None, much: bool, n: int
    ) -> Query | None:
        """The group with most rows or the greatest sum or mean, where the asked column has several rows for a value."""
        if asked and not asked.is_unique and asked.type != "number":
            if aggregate and aggregate.payload[1] in ("mean", "sum", "median"):
                name = self._measure().name
                return Query(aggregate.payload[1], name, self.filters, asked.name, descending=much, pick=True, n=n)
            if mention.text in BUSY and not self._found_measure(True):
                quantity = self._quantity()
                self._ignore_rows()
                name = quantity.name if quantity else ""
                return Query(
                    "sum" if name else "count", name, self.filters, asked.name, descending=much, pick=True, n=n
                )
            if mention.text in ("most", "least", "fewest", "top") or mention.is_word("top") or self._sells(mention):
                return self._most(asked, much, n)
        if added := self._added_up(mention, asked):
            return Query("sum", added[0], self.filters, added[1], descending=much, pick=True, n=n)
        return None

    @staticmethod
    def _is_group(asked: Column, column: Column, mention: Mention) -> bool:
        """Whether the asked column stands for several rows each, so that these are taken together: always a period,
        else for amounts of money ("the most expensive category").
        """
        is_dear = mention.kind == "superlative" and any(
            "price" in dimension.columns for dimension, _, _ in mention.payload
        )
        adds_up = is_dear and not column.is_intensive and column.is_measure
        return bool(asked.order) or (asked.type == "text" and not asked.is_unique and adds_up)

    def _asked(self, mention: Mention) -> Column | None:
        """The column right after "which", or that of persons after "who", before the word for the highest."""
        if self._sells(mention) and (goods := self._goods()):
            return goods
        for other in self._columns():
            if self.reading.is_asked(other) and other.start < mention.start:
                return self.reading.column(other, lambda column: column.type == "text")
        for other in self._columns():
            if 0 <= other.start - mention.end <= 0 and not any(map(self._is_numeric, other.columns)):
                return self.reading.column(other) if mention.text in BUSY else None
        if self.reading.words("who") or self.reading.asks_person():
            person = kind_column(self.table, PERSONS)
            for other in self._columns():  # "which waiter sold most", beside "sold by"
                other.used = other.used or (len(other.columns) == 1 and other.columns[0] is person)
            return person
        return None

    def _added_up(self, mention: Mention, asked: Column | None) -> tuple[str, str] | None:
        """The column that is added up and that of the groups for "my best client by net", who has several rows."""
        if mention.text not in ("best", "worst", "top", "biggest", "largest", "greatest", "smallest"):
            return None
        named = next((m for m in self.reading.mentions if m.start == mention.end and m.kind == "column"), None)
        group = named.columns[0] if named else asked
        if group is None or group.type != "text" or group.is_unique:
            return None
        taken = [column for column in self.table.columns if column.is_measure and MONEY_TAKEN & column.senses]
        measure = self._found_measure(sums=True) or (taken[0] if len(taken) == 1 else None)
        if measure is None or not ADDED_UP & measure.senses:
            return None
        if named:
            named.used = True
        self._ignore_rows()
        return measure.name, group.name

    def _most(self, asked: Column, much: bool, n: int) -> Query:
        """ "which city has the most employees": rows are counted, or a number is added up."""
        filtered = any(one.column != asked.name for group in self.filters for one in group)
        numeric = [m for m in self._columns() if any(map(self._is_numeric, m.columns))]
        if numeric or self.reading.of("asks") or filtered:
            column = self._measure(sums=True) if numeric else self._found_measure(True) or self._only_measure(True)
            if column is not None:
                operation: Operation = "mean" if column.ratio else "sum"
                return Query(operation, column.name, self.filters, asked.name, descending=much, pick=True, n=n)
        self._ignore_rows()
        asked_for = self.reading.asks_person()
        rows = [m for m in self.reading.mentions if m.kind == "row" and not (asked_for and is_person(m.text))]
        if (
            not rows
            and not any(m.kind == "column" and m.columns[0] is not asked for m in self.reading.mentions)
            and not filtered
        ):
            column = self._measure(sums=True)
            return Query("sum", column.name, self.filters, asked.name, descending=much, pick=True, n=n)
        return Query("count", "", self.filters, asked.name, descending=much, pick=True, n=n)

    def _extreme_column(self, mention: Mention, much: bool) -> tuple[Column, bool]:
        """The column of a superlative: that named after it, that of its dimension, or the only one with numbers."""
        numeric = [m for m in self._columns() if any(self._is_numeric(c) or c.type == "date" for c in m.columns)]
        if mention.kind == "superlative":  # "on which day was it hottest": the day is what is asked for
            numeric = [m for m in numeric if not self.reading.is_asked(m) and m.start <= mention.end + MAX_APART]
            if not any({"year", "date"} & {*one.columns, *one.reversed} for one, _, _ in mention.payload):
                numeric = [m for m in numeric if any(map(self._is_numeric, m.columns))]
        following = [m for m in numeric if m.start >= mention.end]
        generic = mention.is_word("super", "top")
        readings = mention.payload if mention.kind == "superlative" else _generic(mention.text)
        sized = mention.text in ("largest", "smallest", "biggest") and following and following[0].start > mention.end
        if (
            generic
            and following
            and not (sized and any(holding(self.table, dimension)[0] for dimension, _, _ in readings))
        ):
            column = self.reading.column(following[0], lambda c: self._is_numeric(c) or c.type == "date")
            return column, much != (mention.is_word("top") and column.seconds)
        if readings and (held := self.reading.by_dimension([dimension for dimension, _, _ in readings], much)):
            for m in numeric:
                if held[0] in m.columns:
                    m.used = True
            if not generic or not numeric or sized:
                return held[0], much == held[1]
        good = readings and any("rating" in dimension.columns for dimension, _, _ in readings)
        if (generic or good or numeric) and numeric:
            column = self.reading.column(numeric[0], lambda c: self._is_numeric(c) or c.type == "date")
            good = good or (mention.is_word("top") and column.seconds)
            is_time = any("speed" in dimension.columns for dimension, _, _ in readings)  # it would be held, were it one
            is_less = column.seconds or bool(LESS_IS_BETTER & (column.senses | self.table.title_words))
            return column, much != (is_time or (good and is_less))
        counted = next((m for m in self.reading.mentions if m.kind == "row" and m.start == mention.end), None)
        if counted and mention.text in ("most", "least", "fewest"):  # "the most bookings", of a row for each player
            raise self.reading.refusal(f"There is no column for “{counted.text}”")
        if spoken := self._spoken_of(mention, readings):
            known = spoken.senses | spoken.unit_words | self.table.title_words
            return spoken, much != (spoken.seconds or bool(LESS_IS_BETTER & known))
        is_price = any("price" in dimension.columns for dimension, _, _ in readings)
        if mention.kind == "superlative" and not is_price:
            raise self.reading.refusal(f"There is no column for “{mention.text}”")
        return self._measure(sums=mention.is_word("top")), much

    def _spoken_of(self, mention: Mention, readings: list[tuple[Dimension, bool, int]]) -> Column | None:
        """The column that was spoken of last, for what is good or bad in it: "and who got the worst?"."""
        column = next((c for c in self.table.columns if c.name == self.reading.measured and c.is_measure), None)
        is_judged = any("rating" in dimension.columns for dimension, _, _ in readings)
        return column if is_judged and mention.kind == "superlative" else None

    def _aggregate(self) -> Query:
        words = self.reading.words("aggregate")
        operations = list(dict.fromkeys(word.payload[1] for word in words))
        if len(operations) > 1:
            raise self.reading.refusal(f"I compute one thing at a time, not {listed(operations)}")
        self._counted_rows()
        column = self._measure(sums=operations[0] == "sum")
        if column.type == "date" and operations[0] not in ("minimum", "maximum", "range"):
            raise self.reading.refusal(f"{column.name} holds dates, of which there is no {words[0].text}")
        for mention in self._columns():
            if any(c in self.table.labels for c in mention.columns):
                mention.used = True
        return Query(operations[0], column.name, self.filters)

    def _counted_rows(self) -> None:
        for asks in self.reading.of("asks"):
            asks.used = asks.used or not asks.payload

    def _count(self) -> Query:
        count = self.reading.words("count")[0]
        head = next((m for m in self.reading.mentions if m.start >= count.end and not m.is_word("distinct")), None)
        if self.reading.words("columns"):
            return Query("columns")
        tokens = self.reading.reader.tokens
        of_rows = [token.lower for token in tokens[count.end : count.end + 1]] == ["of"]  # "how many of them paid"
        is_condition = head is not None and head.used  # "how many cost more than 10"
        if head and head.kind == "column" and not (of_rows or is_condition):
            column = (
                self.reading.column(head)
                if not any(map(self._is_numeric, head.columns))
                else self.reading.column(head, self._is_numeric)
            )
            if self._is_numeric(column) and not column.is_year:
                return self._summed(column)
            if (
                not column.is_unique
                and column.type == "text"
                and (self.reading.words("distinct") or column not in self.table.labels)
            ):
                return Query("count distinct", column.name, self.filters)
        is_value = head is not None and head.kind == "value"
        if is_value and not of_rows:
            quantity = self._quantity() or self._counts(head)
            if quantity:
                return self._summed(quantity)
        asks = [m for m in self.reading.of("asks") if m.payload]
        if asks and (head is asks[0] or head is None) and not of_rows:
            return self._summed(self._measure())
        if asks:
            raise self.reading.refusal(f"I cannot tell what {listed([mention.text for mention in asks])} refers to")
        self._ignore_rows()
        for mention in self._columns():
            if all(column.type != "number" for column in mention.columns):
                column = self.reading.column(mention)
                self.filters = (
                    self.filters
                    if any(one.column == column.name for group in self.filters for one in group)
                    else (*self.filters, (Filter(column.name, "missing", (), True),))
                )
        return Query("count", "", self.filters)

    def _summed(self, column: Column) -> Query:
        """A number of one row as it stands, of several added up."""
        query = Query("value", column.name, self.filters)
        for mention in self._columns():
            if column in mention.columns or any(c in self.table.labels for c in mention.columns):
                mention.used = True
        rows = fitting_rows(self.table, self.filters)
        if self.filters and len(rows) == 1:
            return query
        is_price = column.is_intensive and bool({"price", "each"} & column.senses) and self._quantity() is not None
        is_same = (
            is_price and bool(self.filters) and len(rows) > 1 and rows[column.name].nunique() == 1
        )  # "how much is a tea?"
        return replace(query, operation="distinct" if is_same else "sum")

    def _share(self) -> Query:
        for word in self.reading.words("share"):
            word.used = True
        groups = list(self.filters)
        numeric = [m for m in self._columns() if any(map(self._is_numeric, m.columns))]
        asks = [m for m in self.reading.of("asks") if m.payload]
        column = (
            self._measure() if numeric or asks else self._money() if _MONEY_WENT.search(self.reading.question) else None
        )
        for mention in self._columns():
            if any(c in self.table.labels for c in mention.columns) or column:
                mention.used = True
        if not groups:
            raise self.reading.refusal("I cannot tell of which rows the share is asked")
        if len(groups) > 1:
            raise self.reading.refusal("I cannot tell which part of the condition is the whole and which the share")
        return Query("share", column.name if column else "", self.filters)

    def _money(self) -> Column | None:
        """The only column with sums of money."""
        columns = [
            column for column in self.table.columns if column.is_measure and PRICES & set(map(stem, column.words))
        ]
        return columns[0] if len(columns) == 1 else None

    def _looked_up(self) -> Query:
        """Values of named columns, rows that fit, different values, or what the table holds."""
        reading = self.reading
        if reading.words("columns") and not self.filters and not self._columns():
            return Query("columns")
        if reading.words("distinct") and self._columns():
            for word in reading.words("group"):
                word.used = True
            return Query("distinct", reading.column(self._columns()[0]).name, self.filters)
        columns = [reading.column(mention, self._fits_question) for mention in self._columns()]
        asks = reading.of("asks")
        for mention in asks:
            mention.used = True
            held = reading.by_dimension(mention.payload) if mention.payload else None
            if held:
                columns.append(held[0])
            elif mention.payload and mention.text not in _LIGHT:
                raise reading.refusal(f"There is no column for “{mention.text}”")
        if asks and not columns:
            columns = [self._price_or_only()]
        if columns and reading.words("who") and self.filters and all(column.type != "text" for column in columns):
            person = kind_column(self.table, PERSONS)
            columns = [*([person] if person else columns), *(column for column in columns if column.computed)]
        filtered = {one.column for group in self.filters for one in group}
        if not columns:
            columns = self._by_question_word(filtered)
        wanted = [c for c in dict.fromkeys(columns) if c.computed or c.name not in filtered]
        wanted = wanted or [column for column in columns if column.type != "date"]
        if not self.filters:
            return self._unfiltered(wanted)
        if not wanted or wanted == list(self.table.labels) or self._exists():
            return Query("count" if self._exists() else "rows", "", self.filters)
        numbers = [column for column in wanted if self._is_numeric(column)]
        is_one = len(numbers) == 1 and all(column in self.table.labels for column in wanted if column not in numbers)
        if is_one and (any(mention.text == "how much" for mention in asks) or self._is_summed(numbers[0])):
            return self._summed(numbers[0])
        return self._values_of(wanted)

    def _values_of(self, wanted: list[Column]) -> Query:
        """The values of columns in the rows that fit; of numbers that name things ("which bed") the different ones."""
        asked = [m for m in self.reading.mentions if m.kind == "column" and self.reading.is_asked(m)]
        if len(wanted) == 1 and wanted[0].is_measure and any(wanted[0] in m.columns for m in asked):
            return Query("distinct", wanted[0].name, self.filters)
        if wanted[0] in self.table.labels:
            return Query("rows", "", self.filters, wanted=tuple(column.name for column in wanted))
        asks = any(m.kind == "asks" or m.text.startswith("how ") for m in self.reading.mentions)
        sums = asks or _SPENT.match(self.reading.question) is not None  # "how long would it take", "what did we spend"
        return Query(
            "value", wanted[0].name, self.filters, wanted=tuple(column.name for column in wanted[1:]), totals=sums
        )

    def _exists(self) -> bool:
        """Whether it is asked if there is any: "are there …" at the beginning."""
        return any(mention.start == 0 for mention in self.reading.words("exists"))

    def _fits_question(self, column: Column) -> bool:
        return not (self.reading.words("who") and column.type != "text")

    def _price_or_only(self) -> Column:
        price = next(dimension for dimension in DIMENSIONS if "price" in dimension.columns)
        held = self.reading.by_dimension([price])
        column: Column = held[0] if held else self._measure(sums=True)
        return column

    def _by_question_word(self, filtered: set[str]) -> list[Column]:
        """The column that "when", "where" or "who" asks for. Raises ExpertUnavailable where the table has none."""
        for kind, columns in (
            ("when", [c for c in self.table.columns if c.type == "date" or c.is_year or "day" in c.senses]),
            ("where", [c for c in self.table.columns if PLACES & c.senses]),
            ("who", [c for c in [kind_column(self.table, PERSONS)] if c]),
        ):
            rows = {mention.end for mention in self.reading.mentions if mention.kind == "row"}
            asked = [word for word in self.reading.words(kind) if word.start not in rows]  # not "the rows where …"
            if asked and self.filters:
                open_columns = [column for column in columns if column.name not in filtered]
                if len(open_columns) != 1:
                    raise self.reading.refusal(f"I cannot tell which column says {kind}")
                return open_columns
        return []

    def _unfiltered(self, wanted: list[Column]) -> Query:
        if not wanted:
            if self._exists() or self.reading.words("order", "direction"):
                raise self.reading.unasked()
            return Query("describe")
        column = wanted[0]
        if self.reading.words("who") and column.type in ("text", "date") and len(column.present) < len(column.cells):
            return Query("rows", "", ((Filter(column.name, "missing", (), True),),))  # "who is allergic to something"
        if self.reading.words("when", "where") or self._exists() or self.reading.of("asks"):
            raise self.reading.refusal("I cannot tell which row is meant")
        if len(wanted) == 1 and self._is_summed(column):
            return Query("sum", column.name)
        if len(wanted) > 1 or column.type in ("number", "date") or column.is_unique:
            return Query("value", column.name, (), wanted=tuple(other.name for other in wanted[1:]))
        return Query("distinct", column.name)

    def _is_summed(self, column: Column) -> bool:
        """Whether the sum of a column of all rows is asked for: "how much fare", "what is the stock worth"."""
        asks = _SPENT.match(self.reading.question) or any(m.text == "how much" for m in self.reading.mentions)
        return bool(asks or (column.is_product and not self.filters)) and column.is_measure and not column.is_intensive


def _generic(word: str) -> list[tuple[Dimension, bool, int]]:
    return adjectives().get(word, [])
