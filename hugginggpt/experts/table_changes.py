"""Changes in a question about a table: which values grew, fell, got better or worse from one column to another.

A table tells times by the names of its columns (km_2022, km_2023; grip_week2, grip_week6). "Better" is higher, but
lower in a column such as pain or price; which of them was taken is said in a note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hugginggpt.experts import grammar
from hugginggpt.experts.table_columns import Column, holding
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_mentions import Mention
from hugginggpt.experts.table_words import IRREGULAR, LESS_IS_BETTER, MONTHS, TIMES

BECOMING = frozenset(["get", "become", "grow", "turn", "go"])
"""Lemmas of verbs after which a comparative tells a change: "got worse", "became heavier"."""


@dataclass(frozen=True)
class Change:
    """A change from one column to a later one. `grows` tells which direction is asked for, None for either."""

    word: Mention
    earlier: Column
    later: Column
    grows: bool | None
    is_sized: bool
    """Whether its size is asked for; else that there is one is a condition."""


def change(reading: Reading, families: Sequence[dict[str, Column]]) -> Change | None:
    """The change that is asked for, or None. `families` are columns whose names differ in one word, by that word.

    Raises ExpertUnavailable where it cannot be told between which columns.
    """
    word = _word(reading)
    if word is None:
        return None
    pair = _pair(reading, families, word)
    if pair is None:
        return None
    earlier, later = pair
    sized = reading.words("super", "aggregate", "top", "group") or reading.of("superlative")
    sized += [mention for mention in reading.of("asks") if mention.text == "how much"]
    return Change(word, earlier, later, grows(reading, word, later), bool(sized))


def _word(reading: Reading) -> Mention | None:
    """The word for a change: a verb or noun, or a comparative after "get"."""
    if words := reading.words("change"):
        return words[0]
    tokens = [token.lower for token in reading.reader.tokens]
    becoming = {word.lower for word in grammar.words(reading.question) if word.lemma in BECOMING}
    for mention in [*reading.of("comparative"), *reading.words("compare")]:
        if becoming & set(tokens[max(mention.start - 2, 0) : mention.start]) and "than" not in mention.text:
            return mention
    return None


def is_time(name: str) -> bool:
    """Whether a word in the name of a column tells a time."""
    return _time(name) is not None


def _time(name: str) -> int | None:
    """The order of a word that tells a time, 0 for one without an order of its own; None for another word."""
    digits = re.search(r"\d+", name)
    return int(digits[0]) if digits else MONTHS.get(name, 0 if name in TIMES else None)


def _pair(reading: Reading, families: Sequence[dict[str, Column]], word: Mention) -> tuple[Column, Column] | None:
    """The earlier and the later column: two that are named, or those of the only family that tells times."""
    named = [mention.columns for mention in reading.of("column") if any(c.type == "number" for c in mention.columns)]
    single = list(dict.fromkeys(columns[0] for columns in named if len(columns) == 1))
    if len(single) == 2:
        return _ordered(single, families)
    if word.kind == "comparative":
        named += [tuple(holding(reading.table, dimension)[0]) for dimension, _, _ in word.payload]
    fitting = []
    for family in families:
        members = list(family.values())
        fits = any(set(members) & set(columns) for columns in named)
        if all(map(is_time, family)) and (fits or not any(named)):
            fitting.append(_ordered(members, families))
    if len(fitting) > 1:
        raise reading.refusal(f"I cannot tell of what “{word.text}” is asked")
    return fitting[0] if fitting else None


def _ordered(columns: Sequence[Column], families: Sequence[dict[str, Column]]) -> tuple[Column, Column]:
    """The first and the last of some columns, by the times in their names, else by their places in the table."""
    named = [(column, _time(name)) for family in families for name, column in family.items()]
    times = {column: time for column, time in named if time is not None}
    ordered = sorted(columns, key=lambda column: times.get(column, 0))
    return ordered[0], ordered[-1]


def grows(reading: Reading, word: Mention, column: Column) -> bool | None:
    """Whether the numbers rise that are asked for. "Better" and "worse" are taken by the column, and noted."""
    if word.kind == "comparative" and word.text.split()[0] not in IRREGULAR:
        direct = next(
            (direct for d, _, _ in word.payload for held, direct in [holding(reading.table, d)] if held), True
        )
        much: bool = word.payload[0][1]
        return much == direct
    sense = word.payload[1] if word.kind == "word" else "good" if word.payload[0][1] else "bad"
    if sense in ("much", "little", "any"):
        return None if sense == "any" else sense == "much"
    words = {re.sub(r"\d+$", "", name) for name in column.words} | reading.table.title_words
    is_higher = (sense == "good") != (column.seconds or bool(LESS_IS_BETTER & words))
    reading.notes.append(f"I took “{word.text}” to mean a {'higher' if is_higher else 'lower'} {column.name}.")
    return is_higher
