"""The conditions in a question about a table: its mentions of values, numbers and dates become filters."""

from __future__ import annotations

import calendar
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_columns import Column, TypedTable, holding
from hugginggpt.experts.table_meaning import MeaningReader
from hugginggpt.experts.table_mentions import Mention
from hugginggpt.experts.table_query import Filter, Relation
from hugginggpt.experts.table_refusals import Ambiguous, Unasked
from hugginggpt.experts.table_spans import join_spans, scale
from hugginggpt.experts.table_words import (
    ADDED_UP,
    MONEY,
    PERSON_NOUNS,
    PRICES,
    SPOKEN_OF,
    WEIGHTLESS,
    Dimension,
    is_person,
)

OPPOSITE: dict[str, Relation] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}

MAX_OPEN = 2
"""A number may be compared with one of so many columns: each is tried."""
_MOST, _LEAST = frozenset(["max", "maximum", "capacity", "sleeps"]), frozenset(["min", "minimum"])
"""Words of the names of columns that hold what fits at most, or is needed at least: "for 5 players"."""


@dataclass
class Reading:
    """A question with its mentions, which are marked as used; the table may get columns made from others (months)."""

    table: TypedTable
    question: str
    notes: list[str] = field(default_factory=list)
    filters: list[tuple[Filter, ...]] = field(default_factory=list)
    compared: tuple[Column, bool, Column | None] | None = None
    """The column of the groups that are compared with each other, whether the highest is asked for, and of what."""
    outgoing: Column | None = None
    """The column of amounts of which the negative ones are asked for, the biggest being the lowest."""
    repeats: tuple[int, str] | None = None
    """How many rows, or different values of a column, whoever is asked for has at least."""
    measured: str = ""
    """The column with numbers that the part before in the same message was about."""
    differs: bool = False
    """Whether the difference between two values is asked for."""
    any_of: bool = False
    """Whether a bound may hold for any of several columns: "under 13 at least once"."""

    def __post_init__(self) -> None:
        self.reader = MeaningReader(self.table, self.question)
        self.mentions = self.reader.read()
        self.notes.extend(self.reader.notes)
        for mention in self.mentions:
            if mention.kind == "column" and self._names_rows(mention):
                mention.kind = "row"
        self._compare_months()

    def _compare_months(self) -> None:
        """Months that are named beside each other are values of the table's months: "january or march"."""
        months = [mention for mention in self.of("month") if mention.payload[1:] == (0,)]
        column = next((one for one in self.table.columns if one.order and one.name == "month"), None)
        bounds = self.of("relation") or self.words("between")
        if column is None or len(months) < 2 or bounds:
            return
        for mention in months:
            name = f"{datetime(2000, mention.payload[0], 1):%B} "
            cells = [cell for cell in column.order if cell.startswith(name)]
            if len(cells) == 1:
                mention.kind, mention.payload, mention.columns = "value", cells, (column,)

    def _names_rows(self, mention: Mention) -> bool:
        """Whether "orders" means the rows, not the column order_id: no number follows, and "id" is not said."""
        number = next((m for m in self.mentions if m.start >= mention.end), None)
        is_followed = number is not None and number.kind == "number" and number.start == mention.end
        words = mention.text.casefold().split()
        return all(column.is_id and column.words[-1] not in words for column in mention.columns) and not is_followed

    def read_filters(self) -> tuple[Filter, ...]:
        """Reads all conditions into `filters`; the two values between which a difference is asked for are returned."""
        self._comparisons()
        self._equalities()
        self._periods()
        others = self._differing()
        self._values()
        self._flags_and_gaps()
        return others

    def refusal(self, reason: str) -> ExpertUnavailable:
        return ExpertUnavailable(self._refused(reason))

    def unasked(self) -> Unasked:
        return Unasked(self._refused("I cannot tell what is asked"))

    def _refused(self, reason: str) -> str:
        return f"{reason}; the columns of the table are: {', '.join(self.table.names)}."

    # mentions

    def words(self, *kinds: str) -> list[Mention]:
        return [mention for mention in self.mentions if mention.is_word(*kinds)]

    def of(self, *kinds: str) -> list[Mention]:
        return [mention for mention in self.mentions if mention.kind in kinds and not mention.used]

    def near(
        self,
        at: int,
        kinds: Sequence[str],
        steps: int = 1,
        back: bool = False,
        fits: Callable[[Mention], bool] = lambda m: True,
    ) -> Mention | None:
        """The next unused mention of some kinds from a token on, at most `steps` mentions away, or before it."""
        side = [m for m in self.mentions if (m.end <= at if back else m.start >= at)]
        for mention in reversed(side) if back else side:
            if mention.kind in kinds and not mention.used and fits(mention):
                return mention
            if mention.kind in ("relation", "value", "column", "number", "date", "superlative") or mention.is_word(
                "or", "aggregate", "super"
            ):
                steps -= 1
            if steps <= 0:
                break
        return None

    def column(self, mention: Mention, fits: Callable[[Column], bool] = lambda column: True) -> Column:
        """The column of a mention; of several candidates the one that fits. Raises ExpertUnavailable for more."""
        candidates = [column for column in mention.columns if fits(column)] or list(mention.columns)
        if len(candidates) > 1 and (
            self.words("aggregate", "count") or any(m.text == "how much" for m in self.mentions)
        ):
            candidates = [column for column in candidates if column.is_measure] or candidates
        if len(candidates) > 1:
            exact = [column for column in candidates if column.name.casefold() == mention.text.casefold()]
            if len(exact) != 1:
                names = " or ".join(column.name for column in candidates)
                raise Ambiguous(f"“{mention.text}” may mean the column {names}: name one of them.", candidates)
            candidates = exact
        mention.used = True
        if mention.note:
            self.notes.append(mention.note)
        return candidates[0]

    def by_dimension(self, dimensions: Iterable[Dimension], much: bool = True) -> tuple[Column, bool] | None:
        """The column that holds a dimension, and whether its high values are much of it. Raises Ambiguous for several:
        "long" in km and in hours, or "cheap" beside two prices.
        """
        dimensions = list(dimensions)
        held = [holding(self.table, one)[0] for one in dimensions if one.alternative]
        measured = [columns[0] for columns in held if len(columns) == 1]
        if len(measured) > 1:
            names = " or ".join(column.name for column in measured)
            raise Ambiguous(f"The question may be about {names}: name one of them.", measured)
        for dimension in dimensions:
            columns, direct = holding(self.table, dimension)
            bounds = {"max", "maximum"} if much == direct else {"min", "minimum"}
            side = [column for column in columns if bounds & column.senses] if len(columns) > 1 else columns
            if len(columns) > 1 and not side:  # "fastest over 5k", of two columns with times
                named = [m for m in self.of("column") if len(m.columns) == 1 and m.columns[0] in columns]
                side = list({m.columns[0]: None for m in named})
                for mention in named if len(side) == 1 else ():
                    mention.used = True
            side = side if len(side) == 1 else [column for column in columns if column.name == self.measured]
            if len(side) == 1:
                return side[0], direct
            if columns:
                names = " or ".join(column.name for column in columns)
                raise Ambiguous(f"The question may be about {names}: name one of them.", columns)
        return None

    def add(self, column: Column) -> Column:
        """Adds a computed column to the table."""
        self.table = replace(self.table, columns=(*self.table.columns, column))
        return column

    # filters

    def _comparisons(self) -> None:
        """Filters with a number or date: "more than 50", "between 8 and 12", "older than 30", "after March"."""
        for word in [mention for mention in self.mentions if mention.is_word("between")]:
            self._between(word)
        for relation in self.of("relation", "comparative"):
            bound = self.near(relation.end, ("number", "date", "month"))
            if bound is None:
                follows = self.reader.tokens[relation.end : relation.end + 1]
                named = relation.text == "over" and any(m.start == relation.end for m in self.of("column"))  # "over 5k"
                is_idle = named or [t.lower for t in follows] == ["all"]  # "over all rows"
                relation.used = relation.kind == "relation" and is_idle
                continue
            relation.used = bound.used = True
            negated = self._negation(relation)
            if relation.kind == "comparative":
                held = self.by_dimension([dimension for dimension, _, _ in relation.payload], relation.payload[0][1])
                if held is None:
                    raise self.refusal(f"There is no column for “{relation.text}”")
                column, direct = held
                sign: Relation | str = ">" if relation.payload[0][1] == direct else "<"
                after = self.near(bound.end, ("column",), fits=_names([column]))
                if after and after.start - bound.end <= 1:
                    after.used = True
                self._unit(bound)
            elif (several := self._alike(bound)) and self.any_of:
                sign = OPPOSITE[relation.payload] if negated else relation.payload
                self.filters.append(tuple(Filter(one.name, sign, (bound.payload,)) for one in several))
                continue
            else:
                column, sign = self._compared_column(relation, bound), relation.payload
            self._add_bound(column, sign, bound, negated)

    def _alike(self, bound: Mention) -> list[Column]:
        """Several columns with numbers among which a bound lies, and none that is named."""
        named = [mention for mention in self.of("column") if any(column.is_measure for column in mention.columns)]
        columns = [one for one in self.table.columns if one.is_measure and not one.computed]
        fitting = (
            [] if named or bound.kind != "number" else [c for c in columns if self._spans(c, [bound.payload], False)]
        )
        return fitting if len(fitting) > 1 else []

    def _between(self, word: Mention) -> None:
        """ "between A and B", "from A to B"."""
        low = self.near(word.end, ("number", "date", "month"))
        high = self.near(low.end, ("number", "date", "month")) if low else None
        joined = (
            low
            and high
            and [token.lower for token in self.reader.tokens[low.end : high.start]]
            in (["and"], ["to"], ["till"], ["until"])
        )
        if not (low and high and joined) or low.start > word.end:
            return
        column = self._compared_column(word, high, low)
        low.used = high.used = word.used = True
        first, last = (self._bounds(column, mention) for mention in (low, high))
        self.filters.append((Filter(column.name, "between", (first[0], last[1]), self._negation(word)),))

    def _compared_column(self, relation: Mention, bound: Mention, first: Mention | None = None) -> Column:
        """The column that a number is compared with: named before or after it, else the only one it can be about."""
        is_date = bound.kind in ("date", "month")
        may_be_year = bound.kind == "number" and 1000 <= bound.payload <= 2200

        def fits(column: Column) -> bool:
            return (
                column.type == "date" or column.is_year
                if is_date
                else column.type in ("number", "date") and not column.is_id and (column.type != "date" or may_be_year)
            )

        unit = self.reader.tokens[bound.end].lower if bound.end < len(self.reader.tokens) else ""
        tokens = self.reader.tokens

        def is_beside(mention: Mention) -> bool:  # "2 rooms", "80 in maths"
            gap = [token.lower for token in tokens[bound.end : mention.start] if token.lower != "the"]
            return gap in ([], ["in"], ["of"], ["for"]) and any(map(fits, mention.columns))

        after = self.near(bound.end, ("column",), fits=is_beside)
        before = self.near(
            relation.start, ("column", "asks"), back=True, fits=lambda m: m.kind == "asks" or any(map(fits, m.columns))
        )
        if after and (before is None or before.kind == "asks" or not is_date):
            return self.column(after, fits)
        if before and before.kind == "column":
            self._unit(bound)
            return self.column(before, fits)
        if before and before.payload and (held := self.by_dimension(before.payload)) and fits(held[0]):
            before.used = True
            self._unit(bound)
            return held[0]
        values = [mention.payload for mention in (first, bound) if mention and mention.kind == "number"]
        columns = [column for column in self.table.columns if fits(column) and self._spans(column, values, is_date)]
        rows = [m for m in self.of("row") if m.text in PERSON_NOUNS]
        whose = rows or self.words("who") or [m for m in self.of("column") if self.is_asked(m)]
        if not columns and not is_date and whose:  # over all rows of somebody
            columns = [column for column in self.table.columns if column.is_measure and ADDED_UP & column.senses]
        if unit in MONEY or (bound.text[:1] in MONEY):
            columns = [c for c in columns if c.prefix or c.suffix.strip() or PRICES & c.senses] or columns
        if unit and (named := [column for column in columns if unit in column.words]):
            columns = named
        self._unit(bound)
        columns = self._likelier(columns)
        if len(columns) != 1:
            if 1 < len(columns) <= MAX_OPEN:
                names = " or ".join(column.name for column in columns)
                raise Ambiguous(f"I cannot tell which column is compared with {bound.text}: {names}?", columns)
            names = f": {' or '.join(column.name for column in columns)}?" if columns else ""
            raise self.refusal(f"I cannot tell which column is compared with {bound.text}{names}")
        return columns[0]

    def _likelier(self, columns: list[Column]) -> list[Column]:
        """Of several columns the one with ages where people are spoken of, or that which was spoken of before."""
        has_people = any(m.text in PERSON_NOUNS or m.kind == "column" for m in self.mentions)
        ages = [column for column in columns if has_people and "age" in column.senses]
        if len(ages) == 1:
            return ages
        is_taken_up = not SPOKEN_OF.isdisjoint(token.lower for token in self.reader.tokens)
        return [column for column in columns if is_taken_up and column.name == self.measured] or columns

    def _unit(self, bound: Mention) -> None:
        """Marks a column as read that is named by the unit after a number ("5 mm")."""
        after = self.near(bound.end, ("column",), fits=lambda mention: mention.start == bound.end)
        if after:
            after.used = after.text.casefold() not in (column.name.casefold() for column in after.columns)

    @staticmethod
    def _spans(column: Column, values: Sequence[float], is_date: bool) -> bool:
        if is_date:
            return column.type == "date"
        if column.type == "date":
            return all(1900 <= value <= 2100 for value in values)
        return bool(column.present) and any(min(column.present) <= value <= max(column.present) for value in values)

    def _bounds(self, column: Column, mention: Mention) -> tuple[Any, Any]:
        """The first and last value that a number, date or month means in a column."""
        if column.type == "date":
            if mention.kind == "number":
                year = int(mention.payload)
                if not 1000 <= year <= 2200:
                    raise self.refusal(f"{column.name} holds dates, and {mention.text} is none")
                return datetime(year, 1, 1), datetime(year, 12, 31, 23, 59, 59)
            if mention.kind == "month":
                return self._month(column, *mention.payload)
            return mention.payload  # type: ignore[no-any-return]
        if mention.kind == "number":
            value = mention.payload * scale(column, mention, self.reader.tokens)
            return value, value
        low, _ = mention.payload if mention.kind == "date" else (None, None)
        if low is None:
            raise self.refusal(f"{column.name} holds no months")
        return float(low.year), float(low.year)

    def _month(self, column: Column, month: int, day: int, months: int = 1) -> tuple[Any, Any]:
        """So many months or a day of the only year in which the table has it, or of the table's only year."""
        with_month = {value.year for value in column.present if month <= value.month < month + months}
        years = with_month or {value.year for value in column.present}
        if len(years) != 1:
            raise self.refusal(f"{column.name} has several years: name the year, too")
        year = years.pop()
        end = month + months - 1
        last = day or calendar.monthrange(year, end)[1]
        return datetime(year, month, day or 1), datetime(year, end, last, 23, 59, 59)

    def _add_bound(self, column: Column, sign: str, bound: Mention, negated: bool) -> None:
        low, high = self._bounds(column, bound)
        if sign == "==":
            self.filters.append((Filter(column.name, "between", (low, high), negated),))
            return
        value = high if sign in (">", "<=") else low
        self.filters.append((Filter(column.name, OPPOSITE[sign] if negated else sign, (value,)),))  # type: ignore[arg-type]

    def _equalities(self) -> None:
        """ "3 rooms", "order 1006", "in 2021", "a rating of 4"; a number that says how many is left for later."""
        for number in self.of("number"):
            before, after = self.near(number.start, ("column",), back=True), self.near(number.end, ("column",))
            previous = next((m for m in reversed(self.mentions) if m.end <= number.start), None)
            following = next((m for m in self.mentions if m.start >= number.end), None)
            names_column = following and following.start == number.end and any(c.is_measure for c in following.columns)
            leads = previous and (
                (previous.is_word("top", "which") and number.start - previous.end <= 1)
                or (previous.kind == "superlative" and previous.end == number.start and not names_column)
            )
            follows = following and following.start == number.end
            if leads or (follows and following and following.is_superlative):
                continue
            is_year = 1900 <= number.payload <= 2100 and number.payload == int(number.payload)
            dated = [c for c in self.table.columns if c.type == "date" or c.is_year]

            def numeric(column: Column) -> bool:
                return column.type == "number"

            named = next(
                (
                    m
                    for m in (after, before)
                    if m
                    and any(map(numeric, m.columns))
                    and min(abs(m.start - number.end), abs(number.start - m.end)) <= 1
                ),
                None,
            )
            if named is not None and not (
                is_year
                and named is before
                and not any(c.is_year for c in named.columns)
                and len(dated) == 1
                and self._column_is_measure(named)
            ):
                column = self.column(named, numeric)
                sign = ">=" if _MOST & column.senses else "<=" if _LEAST & column.senses else "=="
                self._add_bound(column, sign if named is after else "==", number, self._negation(named))
            elif is_year and len(dated) == 1:
                if before and dated[0] in before.columns:
                    before.used = True
                self._add_bound(dated[0], "==", number, self._negation(number))
            else:
                continue
            number.used = True

    @staticmethod
    def _column_is_measure(mention: Mention) -> bool:
        return any(column.is_measure for column in mention.columns)

    def _periods(self) -> None:
        """Dates without a comparison: "in February", "on 2024-05-04"; several are alternatives."""
        alternatives: dict[str, list[Filter]] = {}
        for mention in self.of("date", "month"):
            dates = [column for column in self.table.columns if column.type == "date"]
            beside = self.near(mention.start, ("column",), back=True, fits=_names(dates))
            if beside:
                dates = [column for column in beside.columns if column in dates]
            mention.used = not dates and mention.text.split()[0].casefold() in self.table.title_words
            if mention.used:
                continue  # the whole table is of that month
            if len(dates) != 1:
                unknown = f"I cannot tell which column {mention.text} is about"
                raise self.refusal(unknown if dates else f"The table has no dates to tell what is of {mention.text}")
            if beside and mention.start - beside.end <= 1:
                beside.used = True
            mention.used = True
            bounds = self._bounds(dates[0], mention)
            limit = Filter(dates[0].name, "between", bounds, self._negation(mention))
            if limit.negated:
                self.filters.append((limit,))
            else:
                alternatives.setdefault(dates[0].name, []).append(limit)
        self.filters.extend(map(tuple, alternatives.values()))

    def _differing(self) -> tuple[Filter, ...]:
        """The two values between which a difference is asked for."""
        word = next(iter(self.words("difference")), None)
        if word is None and not self.differs:
            return ()
        values = self.of("value")
        pair = next(
            ((one, other) for one, other in itertools.pairwise(values) if set(one.columns) & set(other.columns)),
            None,
        )
        if pair is None:
            return ()
        if word:
            word.used = True
        shared = [column for column in self.table.columns if all(column in mention.columns for mention in pair)]
        filters = []
        for mention in pair:
            mention.used = True
            filters.append(
                Filter(shared[0].name, "in", tuple(cell for cell in mention.payload if cell in shared[0].distinct))
            )
        return tuple(filters)

    def _values(self) -> None:
        """Filters for the values that are named; several of one column are alternatives."""
        positive: dict[str, list[Filter]] = {}
        join_spans(self.of("value"), self.reader.tokens, self.words("between"))
        for mention in self.of("value"):
            beside = [self.near(mention.start, ("column",), back=True), self.near(mention.end, ("column",))]
            columns = list(mention.columns)
            for neighbour in filter(None, beside):
                first, last = min(mention.end, neighbour.end), max(mention.start, neighbour.start)
                gap = [token.lower for token in self.reader.tokens[first:last]]
                if (
                    set(neighbour.columns) & set(columns)
                    and all(word in WEIGHTLESS for word in gap)
                    and not self.is_asked(neighbour)
                ):
                    columns = [column for column in columns if column in neighbour.columns]
                    neighbour.used = True
            if len(columns) > 2:
                listed = " or ".join(column.name for column in columns)
                raise ExpertUnavailable(f"“{mention.text}” stands in several columns: name one of {listed}.")
            mention.used = True
            negated = self._negation(mention)
            filters = [
                Filter(
                    column.name,
                    "in",
                    tuple(cell for cell in dict.fromkeys(mention.payload) if cell in column.distinct),
                    negated,
                )
                for column in columns
            ]
            if negated:
                self.filters.extend((one,) for one in filters)
            else:
                positive.setdefault(columns[0].name, []).extend(filters)
        for filters in positive.values():
            merged = {
                one.column: tuple(
                    dict.fromkeys(cell for other in filters if other.column == one.column for cell in other.values)
                )
                for one in filters
            }
            self.filters.append(tuple(Filter(column, "in", cells) for column, cells in merged.items()))
        if self.words("or") and len(positive) > 1:
            self._join_alternatives(len(positive))

    def _join_alternatives(self, number: int) -> None:
        """ "or" between values of different columns: either may hold."""
        words = self.words("or")
        values = [mention for mention in self.mentions if mention.kind == "value"]
        for word in words:
            left = [m for m in values if m.end <= word.start]
            right = [m for m in values if m.start >= word.end]
            if left and right and not set(left[-1].columns) & set(right[0].columns):
                joined = tuple(one for group in self.filters[-number:] for one in group)
                self.filters[-number:] = [joined]
                return

    def is_asked(self, mention: Mention) -> bool:
        """Whether a column stands right after a question word: "which city", "what colour"."""
        before = next((m for m in reversed(self.mentions) if m.end <= mention.start), None)
        gap = [token.lower for token in self.reader.tokens[before.end : mention.start]] if before else []
        return bool(
            before
            and before.is_word("which", "count", "distinct")
            and (len(gap) < 2 or (gap[0] == "of" and WEIGHTLESS.issuperset(gap)))  # "which of her hives"
            and before.text not in ("all", "list", "show", "give", "find")
        )

    def _flags_and_gaps(self) -> None:
        """Filters for yes/no columns ("with pets allowed"), missing values and contained words."""
        for word in self.words("contains"):
            text = self.near(word.end, ("text", "value"))
            if text:
                self._add_contains(text, word)
        for mention in self.of("text"):
            self._add_contains(mention, None)
        for word in self.words("missing"):
            column = self.near(word.end, ("column",)) or self.near(word.start, ("column",), back=True)
            if column:
                word.used = column.used = True
                negated = self._negation(word)
                gaps = column.columns if len(column.columns) > 1 and not negated else (self.column(column),)
                self.filters.append(tuple(Filter(one.name, "missing", (), negated) for one in gaps))
        for mention in self.of("column"):
            rows = [one for one in self.of("row", "column") if one.kind == "row" or self._names_label(one)]
            is_asked = self.is_asked(mention) and not any(
                one.start == mention.end for one in rows
            )  # "which organic ones"
            if len(mention.columns) == 1 and mention.columns[0].type == "flag" and not is_asked:
                told = next((w for w in self.words("told") if mention.end <= w.start <= mention.end + 2), None)
                wanted = (told.payload[1] if told else True) != self._negation(mention)
                self.filters.append((Filter(self.column(mention).name, "in", (wanted,)),))
            elif (negation := self._unused_negation(mention)) and (
                negation.text in ("no", "without") or mention.has_gaps
            ):
                negation.used = True
                none = self.column(mention)
                zero = (Filter(none.name, "in", (0,)),) if none.is_measure else ()  # "no bonus"
                self.filters.append((Filter(none.name, "missing"), *zero))

    def asks_person(self) -> bool:
        """Whether a word for a person stands right after "which": "which waiter"."""
        which = [word.end for word in self.words("which") if word.text in ("which", "what")]
        return any(m.kind == "row" and m.start in which and is_person(m.text) for m in self.mentions)

    def _names_label(self, mention: Mention) -> bool:
        return any(column in self.table.labels for column in mention.columns)

    def _add_contains(self, text: Mention, word: Mention | None) -> None:
        column = self.near(text.end, ("column",)) or self.near((word or text).start, ("column",), back=True)
        if column is None:
            return
        text.used = True
        negated = self._negation(word or text)
        if word:
            word.used = True
        self.filters.append((Filter(self.column(column).name, "contains", (text.text,), negated),))

    def _unused_negation(self, mention: Mention) -> Mention | None:
        before = [word for word in self.words("not") if not word.used and word.end <= mention.start]
        if not before or mention.start - before[-1].end > 4:
            return None
        between = [
            m
            for m in self.mentions
            if before[-1].end <= m.start < mention.start
            and (m.kind in ("value", "number", "relation") or any(column.type == "flag" for column in m.columns))
        ]
        return None if between else before[-1]

    def _negation(self, mention: Mention) -> bool:
        word = self._unused_negation(mention)
        if word:
            word.used = True
        return word is not None


def _names(columns: Sequence[Column]) -> Callable[[Mention], bool]:
    """Whether a mention may name one of the columns."""
    return lambda mention: any(column in columns for column in mention.columns)
