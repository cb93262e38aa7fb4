"""Comparisons in a question about a table: of two columns, with the average or another row, and of two groups."""

from __future__ import annotations

import itertools
import operator
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hugginggpt.experts.table_changes import change, grows, is_time
from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_mentions import Mention, is_often
from hugginggpt.experts.table_query import Filter, fitting_rows
from hugginggpt.experts.table_rows import across
from hugginggpt.experts.table_words import LIMITS, MONEY_IN, MONEY_OUT, PLANNED, QUANTITIES

if TYPE_CHECKING:
    import pandas


def read(table: TypedTable, question: str) -> Reading:
    """A question with its mentions, of which those of two columns are made one where something is computed of them."""
    reading = Reading(table, question)
    narrow(reading)
    across(reading)
    _changed(reading)
    compute(reading)
    _due(reading)
    direct(reading)
    return reading


def families(table: TypedTable) -> list[dict[str, Column]]:
    """Columns with numbers whose names differ in one word, by that word: km_2022 and km_2023."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, Column]] = defaultdict(dict)
    for column in table.columns:
        if column.type == "number" and len(column.words) > 1:
            for at, word in enumerate(column.words):
                groups[column.words[:at], column.words[at + 1 :]][word] = column
    return [family for family in groups.values() if len(family) > 1]


def narrow(reading: Reading) -> None:
    """Columns of a family are named by what they differ in: "km in 2023", "the year before", "cheaper in autumn"."""
    related = families(reading.table)
    for one, other in itertools.pairwise(list(_specific(reading))):  # "metres of ascent" name one column
        gap = [token.lower for token in reading.reader.tokens[one.end : other.start]]
        if one.columns == other.columns and gap in ([], ["of"]):
            reading.mentions.remove(one)
    _by_numbers(reading, related)
    for word in reading.words("previous"):
        for one in _specific(reading):
            for family in related:
                year = next((name for name, column in family.items() if column is one.columns[0]), "")
                if year.isdigit() and (column := family.get(str(int(year) - 1))):
                    word.kind, word.columns = "column", (column,)
    specific = _specific(reading)
    for mention in [m for m in reading.mentions if m.kind == "column" and len(m.columns) > 1]:
        inside = [one for one in specific if one.columns[0] in mention.columns]
        if len({one.columns[0] for one in inside}) == 1:
            mention.columns = inside[0].columns
            reading.mentions = [one for one in reading.mentions if one not in inside]
        elif inside:
            reading.mentions.remove(mention)
    _crossed(reading)


def _by_numbers(reading: Reading, related: Sequence[dict[str, Column]]) -> None:
    """Numbers and months that name a column: 2023 of km_2023, "the 100" of 100m, "in June" of hours_june."""
    for kin in [m for m in reading.of("column") if len(m.columns) > 1]:  # "the three races", of race_1 to race_3
        counts = [m for m in reading.of("number") if m.end == kin.start and m.payload == len(kin.columns)]
        if counts and all(column.is_measure for column in kin.columns):
            reading.mentions.remove(counts[0])
            kin.payload = "kin"
    for mention in reading.mentions:
        year = str(int(mention.payload)) if mention.kind == "number" and mention.payload % 1 == 0 else ""
        named = tuple(family[year] for family in related if year in family)
        named = () if named and _dates_before(reading, mention) else named or _distances(reading, mention, year)
        if named:
            mention.kind, mention.columns = "column", tuple(dict.fromkeys(named))
    for mention in [m for m in reading.of("month") if m.payload[1:] == (0,)]:
        columns = tuple(c for c in reading.table.columns if c.is_measure and mention.text.casefold() in c.words)
        if columns and not any(column.type == "date" for column in reading.table.columns):  # "in June", of "hours June"
            mention.kind, mention.columns = "column", columns


def _distances(reading: Reading, number: Mention, said: str) -> tuple[Column, ...]:
    """The columns that a number names by the beginning of one of their words: "the 100" of 100m, "fastest over 100"."""
    before = [token.lower for token in reading.reader.tokens[max(0, number.start - 1) : number.start]]
    picks = [*reading.words("super", "top", "aggregate"), *reading.of("superlative")]
    is_led = before == ["the"] or (picks and (before == ["over"] or number.start in [one.end for one in picks]))
    if not said or not is_led:
        return ()
    named = re.compile(rf"{said}[a-z]+")
    columns = tuple(c for c in reading.table.columns if c.is_measure and any(map(named.fullmatch, c.words)))
    for relation in reading.of("relation") if columns else ():
        relation.used = relation.used or relation.end in (number.start, number.start - 1)
    return columns


def _crossed(reading: Reading) -> None:
    """Columns that are named by two words apart, "grip … in week 2": what both may mean."""
    open_mentions = [m for m in reading.mentions if m.kind == "column" and len(m.columns) > 1]
    for base in open_mentions:
        others = [one for one in open_mentions if one is not base and one.columns != base.columns]
        shared = [[column for column in one.columns if column in base.columns] for one in others]
        if others and all(len(columns) == 1 for columns in shared):
            for one, columns in zip(others, shared, strict=True):
                one.columns = (columns[0],)
            reading.mentions.remove(base)
            break
    named = {mention.columns[0] for mention in _specific(reading)}
    for mention in open_mentions:  # "less grip in week 6 than in week 2"
        kin = {
            column
            for family in families(reading.table)
            if all(map(is_time, family)) and named & set(family.values())
            for column in mention.columns
            if column in family.values()
        }
        mention.columns = tuple(kin) if len(mention.columns) > 1 and len(kin) == 1 else mention.columns


def _dates_before(reading: Reading, number: Mention) -> bool:
    """Whether a column of dates stands right before a number: "joined in 2022"."""
    before = next((m for m in reversed(reading.mentions) if m.end <= number.start and m.kind != "row"), None)
    if before is None or before.kind in ("relation", "comparative", "number"):
        return before is not None
    return number.start - before.end <= 1 and any(c.type == "date" or c.is_year for c in before.columns)


def _specific(reading: Reading) -> list[Mention]:
    """The mentions of one column with numbers."""
    return [
        m for m in reading.mentions if m.kind == "column" and len(m.columns) == 1 and m.columns[0].type == "number"
    ]  # fmt: skip


def _changed(reading: Reading) -> None:
    """ "how much did it grow": a column computed from two others; "which ones grew?": a condition."""
    asked = change(reading, families(reading.table))
    if asked is None:
        _came_about(reading)
        return
    both = {asked.earlier, asked.later}
    mentions = [m for m in reading.of("column") if m is not asked.word and both & set(m.columns)]
    left, right = (asked.earlier, asked.later) if asked.grows is False else (asked.later, asked.earlier)
    if not asked.is_sized:
        asked.word.used = True
        _add_comparison(reading, left, right, ">" if asked.grows is not None else "!=", mentions)
        return
    is_either = asked.grows is None and bool(reading.words("super", "top"))
    _add_computed(reading, asked.word, left, right, "or" if is_either else "minus", mentions)


def _came_about(reading: Reading) -> None:
    """ "How much rain fell": a verb right behind what is measured changes nothing."""
    much = [m.end for m in reading.mentions if m.text in ("how much", "how many") or m.is_word("aggregate")]
    for word in reading.words("change"):
        measured = [m for m in reading.of("column") if m.end == word.start and any(c.is_measure for c in m.columns)]
        word.used = word.used or any(end <= m.start <= end + 1 for m in measured for end in much)


def compute(reading: Reading) -> None:
    """ "the difference between A and B", "A plus B": a column computed from two others."""
    word = next(iter(reading.words("difference", "plus", "minus")), None)
    mentions = _specific(reading)
    columns = list(dict.fromkeys(mention.columns[0] for mention in mentions))
    if word is not None and len(columns) == 2:
        _add_computed(reading, word, columns[0], columns[1], "plus" if word.payload[0] == "plus" else "minus", mentions)
        for rest in reading.words("rest"):
            rest.used = rest.used or word.text == "minus"
        if any(is_often(mention) for mention in reading.words("super")):
            # "which product was left over most often, baked minus sold?": rows with any of it
            name = word.columns[0].name
            reading.filters.append((Filter(name, ">", (0,)),))
            word.used = True


def _due(reading: Reading) -> None:
    """ "late", "early", "on time": the date when something was done, compared with that when it was to be done."""
    dates = [column for column in reading.table.columns if column.type == "date"]
    planned = [column for column in dates if PLANNED & column.senses]
    done = [column for column in dates if column not in planned]
    for word in reading.words("due"):
        done = done if len(done) == 1 else [one for one in done if len(planned) == 1 and _exceeds(one, planned[0])]
        if len(planned) != 1 or len(done) != 1:
            raise reading.refusal(f"I do not know what “{word.text}” means here")
        _add_comparison(reading, done[0], planned[0], word.payload[1], [])
        word.used = True
        for mention in reading.of("column"):
            mention.used = mention.used or set(mention.columns) <= {planned[0], done[0]}


def _exceeds(done: Column, planned: Column) -> bool:
    """Whether some of the dates are later than planned, which what begins before, such as a loan, never is."""
    pairs = zip(done.values, planned.values, strict=True)
    return any(one > other for one, other in pairs if None not in (one, other))


def _add_computed(
    reading: Reading, word: Mention, first: Column, second: Column, sign: str, mentions: list[Mention]
) -> None:
    """Puts a column computed from two others in the place of the word for it; "or" is their difference in size."""
    computed = operator.add if sign == "plus" else operator.sub
    pairs = list(zip(first.values, second.values, strict=True))
    if all(None in pair for pair in pairs):  # what came in and what went out, a row for either
        pairs = [(a or 0, b or 0) if (a, b) != (None, None) else (a, b) for a, b in pairs]
    values = [None if None in pair else computed(*pair) for pair in pairs]
    if sign == "or":
        values = [None if value is None else abs(value) for value in values]
    name = f"change from {second.name} to {first.name}" if sign == "or" else f"{first.name} {sign} {second.name}"
    cells = ["" if value is None else f"{value:.10g}" for value in values]
    column = Column(name, "number", cells, values, first.prefix, first.suffix, computed=True)
    reading.add(column)
    word.kind, word.columns, word.used = "column", (column,), False
    word.payload = None
    reading.mentions = [mention for mention in reading.mentions if mention not in mentions]
    for asks in reading.of("asks"):
        asks.used = True


def direct(reading: Reading) -> None:
    """Of amounts with signs "spent" and "went out" mean the negative ones, "received" and "came in" the others."""
    signed = [c for c in reading.table.columns if c.is_measure and min(c.present) < 0 < max(c.present)]
    text = f" {' '.join(token.lower for token in reading.reader.tokens)} "
    out, into = (any(f" {words} " in text for words in phrases) for phrases in (MONEY_OUT, MONEY_IN))
    if len(signed) == 1 and out != into and not reading.of("relation", "comparative"):
        reading.filters.append((Filter(signed[0].name, "<" if out else ">", (0,)),))
        reading.outgoing = signed[0] if out else None


def _add_comparison(reading: Reading, left: Column, right: Column, sign: str, mentions: list[Mention]) -> None:
    reading.filters.append((Filter(left.name, "below column", (right.name, sign)),))
    for mention in mentions:
        mention.used = True


def compare(reading: Reading) -> None:
    """Comparisons that have no number: "above average", "older than Omar", "less in 2024 than in 2023", "A or B"."""
    for word in [*reading.words("compare"), *reading.of("comparative", "relation")]:
        if _has_bound(reading, word):
            continue
        much = word.payload[1] == "much" if word.kind == "word" else word.payload in (">", ">=")
        if word.kind == "comparative":
            much = word.payload[0][1]
        tokens = [token.lower for token in reading.reader.tokens]
        than = next((at for at in range(word.start, len(tokens)) if tokens[at] == "than"), word.end)
        mean = next(
            (m for m in reading.words("aggregate") if m.payload[1] == "mean" and m.start in (than, than + 1, than + 2)),
            None,
        )
        mean = None if mean and mean.text == "on average" else mean
        others = [m for m in reading.of("value") if m.start >= than and "than" in tokens]
        several = _alternatives(reading) if word.text.startswith(("compare", "versus", "vs")) else None
        if several:
            word.used, reading.compared = True, (several, much, None)
        elif mean:
            column = _column(reading, word)
            average = sum(column.present) / len(column.present)
            reading.filters.append((Filter(column.name, ">" if much else "<", (average,)),))
            reading.notes.append(f"{column.shown(average)} is the mean of all rows.")
            mean.used = word.used = True
            reading.mentions.remove(mean)
        elif others and _asks_how_much(reading):
            pairs = [m for m in reading.of("value") if set(m.columns) & set(others[0].columns)]
            if len(pairs) == 2:
                is_measured = word.kind == "comparative"
                word.kind = "asks" if is_measured else "word"
                word.payload = [one for one, _, _ in word.payload] if is_measured else ("difference", "")
                reading.differs = True
        elif len(others) == 1 and not _is_pair(reading, others[0]) and len(rows := _rows(reading, others[0])) == 1:
            column = _column(reading, word)
            others[0].used = word.used = True
            reading.filters.append((Filter(column.name, ">" if much else "<", (rows[column.name].iloc[0],)),))
        elif alternatives := _alternatives(reading) or _two_groups(reading):
            held = word.kind == "comparative" and reading.by_dimension([one for one, _, _ in word.payload])
            word.used, reading.compared = True, (alternatives, much, held[0] if held else None)
        else:
            _compare_columns(reading, word, much)
    for moved in reading.words("change"):  # "dropped below its minimum"
        bounds = [m for m in reading.mentions if m.kind == "relation" and m.used and m.start == moved.end]
        moved.used = moved.used or bool(bounds)


def _asks_how_much(reading: Reading) -> bool:
    return any(mention.text in ("how much", "how many") for mention in reading.mentions)


def _has_bound(reading: Reading, word: Mention) -> bool:
    following = next((m for m in reading.mentions if m.start >= word.end and m.kind not in ("row", "asks")), None)
    is_bound = following is not None and following.kind in ("number", "date", "month")
    return is_bound and (word.kind == "relation" or "than" in word.text)


def _column(reading: Reading, word: Mention) -> Column:
    """The column that is compared: named, that of an adjective or verb, or the only one with numbers."""
    named = _specific(reading)
    if word.kind == "comparative" and (held := reading.by_dimension([one for one, _, _ in word.payload])):
        column = held[0]
    elif len({mention.columns[0] for mention in named}) == 1:
        column = named[0].columns[0]
    elif held := next((h for m in reading.of("asks") if (h := reading.by_dimension(m.payload))), None):
        column = held[0]
    else:
        measures = [column for column in reading.table.columns if column.is_measure]
        if len(measures) != 1:
            raise reading.refusal(f"I cannot tell which column “{word.text}” is about")
        column = measures[0]
    for mention in [*named, *reading.of("asks")]:
        mention.used = mention.used or not mention.columns or column in mention.columns
    return column


def _rows(reading: Reading, value: Mention) -> pandas.DataFrame:
    column = value.columns[0]
    cells = tuple(cell for cell in value.payload if cell in column.distinct)
    return fitting_rows(reading.table, ((Filter(column.name, "in", cells),),))


def _is_pair(reading: Reading, value: Mention) -> bool:
    """Whether another value of the same column is named, with several rows: "did Ann hire more than Ben"."""
    shared = [c for m in reading.of("value") if m is not value for c in m.columns if c in value.columns]
    return any(len(column.distinct) < len(column.present) for column in shared)


def _alternatives(reading: Reading) -> Column | None:
    """The column of the two or more values that are compared with each other."""
    values = reading.of("value")
    for column in reading.table.columns:
        if len([mention for mention in values if column in mention.columns]) > 1:
            return column
    return None


def _two_groups(reading: Reading) -> Column | None:
    """The column of two groups that is asked for: "which of the two clubs is quicker?"."""
    for mention in reading.of("column"):
        column = mention.columns[0]
        asks = any(one.end <= mention.start for one in reading.words("which"))
        if asks and column.type == "text" and len(column.distinct) == 2 < reading.table.size:
            for number in reading.of("number"):
                number.used = number.used or number.payload == 2
            return column
    return None


def _compare_columns(reading: Reading, word: Mention, much: bool) -> None:
    """ "fewer in 2023 than in 2022", "cheaper in autumn", "stock below the reorder level"."""
    mentions = [mention for mention in _specific(reading) if not mention.used]
    columns = list(dict.fromkeys(mention.columns[0] for mention in mentions))
    if not columns and word.kind == "relation":  # "delivered after the promised date"
        mentions = [m for m in reading.of("column") if len(m.columns) == 1 and m.columns[0].type == "date"]
        columns = list(dict.fromkeys(mention.columns[0] for mention in mentions))
    if len(columns) == 1 and word.kind == "relation" and LIMITS & columns[0].senses:  # "below its minimum"
        counted = [c for c in reading.table.columns if c.is_measure and set(QUANTITIES) & c.senses and c not in columns]
        columns = [*counted, *columns]
    if len(columns) == 1 and word.kind == "comparative":  # "cheaper in autumn"
        partners = [f for f in families(reading.table) if len(f) == 2 and columns[0] in f.values()]
        columns += [one for family in partners[:1] for one in family.values() if one is not columns[0]]
    if len(columns) == 2:
        word.used = True
        if word.kind == "comparative":
            much = grows(reading, word, columns[0]) is True
        is_same = word.kind == "word" and word.payload[1] == "same"
        sign = word.payload if word.kind == "relation" else "==" if is_same else ">" if much else "<"
        left, right = _sides(word, mentions, columns)
        _add_comparison(reading, left, right, sign, mentions)


def _sides(word: Mention, mentions: list[Mention], columns: list[Column]) -> list[Column]:
    """Two columns in the order in which they stand beside the word that compares them, as one may be named before it:
    "what to reorder, that is where stock is below reorder".
    """
    before = [mention.columns[0] for mention in mentions if mention.end <= word.start]
    after = [mention.columns[0] for mention in mentions if mention.start >= word.end]
    beside = [before[-1], after[0]] if before and after else []
    return beside if set(beside) == set(columns) else columns
