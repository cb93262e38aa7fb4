"""What is true of all rows of a person or a thing together: more than 30 hours over all, never at the gym, twice.

A bound on a number that adds up holds for the sum of whoever has several rows; "never" and "not" for those of whom no
row fits; "more than one" for the number of rows, or of different values. What is asked for are the persons or things.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from hugginggpt.core.quantities import ONES
from hugginggpt.experts import grammar
from hugginggpt.experts.table_columns import Column
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_grouping import kind_column
from hugginggpt.experts.table_query import Filter, Query
from hugginggpt.experts.table_units import unit_of
from hugginggpt.experts.table_words import ADDED_UP, MONEY, PERSON_NOUNS, PERSONS, stem

if TYPE_CHECKING:
    from hugginggpt.experts.table_rewording import Rewording

_REPEATED = re.compile(
    r"\b(?:(?P<more>more than|over)|at least|no fewer than)? ?"
    rf"(?P<number>once|twice|several|multiple|{'|'.join(ONES[1:13])}|\d+)(?: different| separate)? (?P<noun>[^\W\d]+)|"
    r"\b(?P<more2>more than|at least) (?P<number2>once|twice)\b|\b(?P<number3>repeatedly|twice)\b",
    re.I,
)
_NUMBERS = {"once": 1, "twice": 2, "several": 2, "multiple": 2, "repeatedly": 2}
_AT_ONCE = re.compile(
    r"\b(?:at once|in one go|(?:on|in) (?:a|one|any|a single) (?:day|time|row|go|shift)|per \w+)\b", re.I
)
_IN_ALL = re.compile(r"\b(?:in total|altogether|in all|all in all|overall|together|summed up|total)\b", re.I)


def with_repeats(one: Rewording) -> None:
    """Takes "more than one animal", "twice" and the like out of a question about who or which."""
    found = _REPEATED.search(one.question)
    if found is None or re.search(r"\bhow (?:many|much|often)\b", one.question, re.I):
        return
    said = (found["number"] or found["number2"] or found["number3"]).lower()
    number = _NUMBERS.get(said) or (ONES.index(said) if said in ONES else int(said) if said.isdigit() else 0)
    noun = (found["noun"] or "").lower()
    is_more = bool(found["more"] or (found["more2"] or "").lower() == "more than")
    is_told = is_more or bool(found["more2"]) or found[0].lower().startswith(("at least", "no fewer"))
    things = _things(one, noun)
    is_counted = said in _NUMBERS or things is not None or (is_told and _counts_rows(one, noun))
    if not is_counted or not (is_told or said in _NUMBERS) or number > one.table.size:
        return
    kept = noun if said in _NUMBERS and found["noun"] and not (things or _counts_rows(one, noun)) else ""
    one.question = " ".join(f"{one.question[: found.start()]} {kept} {one.question[found.end() :]}".split())
    one.repeats = (number + is_more, things.name if things else "")


def _counts_rows(one: Rewording, noun: str) -> bool:
    """Whether a noun may stand for the rows: it names no column, no cell and no unit of a number."""
    tagged = next((word for word in grammar.words(one.question) if word.lower == noun), None)
    is_noun = tagged is not None and tagged.is_noun
    return is_noun and unit_of([noun]) is None and noun not in MONEY and not one.says(noun, stem(noun))


def _things(one: Rewording, noun: str) -> Column | None:
    """The column of the things that a noun speaks of: that of its name; "" is none."""
    texts = [c for c in one.table.columns if c.type in ("text", "date") and noun and stem(noun) in map(stem, c.senses)]
    return texts[0] if len(texts) == 1 else None


def repeated(reading: Reading) -> Query | None:
    """The query for who or what has several rows, or several different values; None where that is not asked."""
    if reading.repeats is None:
        return None
    group = _group(reading)
    if group is None or group.name == reading.repeats[1]:
        raise reading.refusal("I cannot tell who or what is counted")
    number, things = reading.repeats
    for mention in [*reading.of("column", "row", "asks"), *reading.words("who", "which")]:
        mention.used = True
    return Query("count", things, tuple(reading.filters), group.name, having=(">=", number))


def leave_sums(reading: Reading) -> None:
    """Leaves "in total" unread beside a bound that holds for sums anyway: "who has less than 30 hours in total"."""
    bounds = [one for one in reading.filters if len(one) == 1 and _adds_up(reading, one[0])]
    named = any(column.is_measure for mention in reading.of("column") for column in mention.columns)
    if len(bounds) == 1 and not named and _group(reading) and not _AT_ONCE.search(reading.question):
        reading.mentions = [m for m in reading.mentions if not (m.is_word("aggregate") and m.payload[1] == "sum")]


def together(reading: Reading, query: Query) -> Query:
    """A query about rows as one about persons or things, where a condition is about all rows of each."""
    group = None if query.group or query.order or query.n else _group(reading)
    if group is None or query.operation not in ("rows", "value", "distinct", "count", "count distinct"):
        return query
    bounds = [one for one in query.filters if len(one) == 1 and _adds_up(reading, one[0])]
    if len(bounds) == 1 and not _AT_ONCE.search(reading.question):
        ((bound,),) = bounds
        rest = tuple(one for one in query.filters if one != bounds[0])
        return Query("sum", bound.column, rest, group.name, having=(bound.relation, bound.values[0]))
    denied = [one for one in query.filters if len(one) == 1 and _denies(one[0], group)]
    if denied and _says_no(reading):
        rest = tuple(one for one in query.filters if one not in denied)
        others = tuple(replace(one[0], negated=False) for one in denied)
        return Query("without", group.name, rest, others=others)
    return query


def _group(reading: Reading) -> Column | None:
    """The column of the persons or things that are asked for, of which some have several rows."""
    asked = [m for m in reading.mentions if m.kind == "column" and reading.is_asked(m)]
    asked += [m for m in reading.mentions if m.kind == "column" and m.start == 0]  # "customers with more than one hire"
    columns = [m.columns[0] for m in asked if len(m.columns) == 1]
    rows = [m for m in reading.mentions if m.kind == "row" and m.text in PERSON_NOUNS]
    if not columns and (reading.words("who") or rows):
        columns = [column for column in [kind_column(reading.table, PERSONS)] if column]
    group = columns[0] if columns else None
    fits = group is not None and group.type in ("text", "date") and len(group.distinct) < len(group.present)
    return group if fits else None


def _adds_up(reading: Reading, one: Filter) -> bool:
    """Whether a filter bounds a number that adds up over rows: hours, not prices or marks."""
    if one.relation not in ("<", "<=", ">", ">="):
        return False
    column = reading.table[one.column]
    says_all = _IN_ALL.search(reading.question) is not None
    return column.is_measure and not column.is_intensive and (says_all or bool(ADDED_UP & column.senses))


def _denies(one: Filter, group: Column) -> bool:
    return one.negated and one.relation in ("in", "between") and one.column != group.name


def _says_no(reading: Reading) -> bool:
    """Whether it is said of a verb that it did not happen: "never worked", "didn't come", "has no"."""
    return re.search(
        r"\b(?:never|(?:did|do|does|has|have|had)(?:\s*n['’]?t| not| no)|without|no)\b", reading.question, re.I
    ) is not None  # fmt: skip
