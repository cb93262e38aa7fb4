"""By what a question about a table groups or sorts its rows: "per city", "for each of them", "sorted by price"."""

from __future__ import annotations

from collections.abc import Iterable

from hugginggpt.experts.table_columns import Column, TypedTable, is_code
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_mentions import Mention
from hugginggpt.experts.table_words import PERSON_NOUNS, PERSONS, is_person

_TO_WHOM = frozenset(["to", "by", "an", "von", "à", "par", "por"])
"""The last words of the names of columns that hold persons: "lent to", "paid by"."""


def group(reading: Reading) -> Column | None:
    """The column after "per" or "for each"; after "by" where something is computed and nothing is sorted."""
    is_measured = any(column.is_measure for mention in reading.of("column") for column in mention.columns)
    computes = (is_measured or bool(reading.words("aggregate", "count"))) and not reading.words("order")
    for word in reading.words("group", "by"):
        following = reading.near(word.end, ("column",), fits=lambda mention: True)
        if following is None or following.start > word.end + 1:
            person = kind_column(reading.table, PERSONS)
            tokens = [token.lower for token in reading.reader.tokens[word.end : word.end + 1]]
            if person and word.is_word("group") and tokens and tokens[0] in {*PERSON_NOUNS, "head"}:
                word.used = True
                return person
            continue
        column = next(
            (column for column in following.columns if column.type in ("text", "flag", "date") or column.is_year),
            following.columns[0],
        )
        if column.is_measure and word.text == "per" and not column.computed:
            raise reading.refusal(f"I cannot tell what “per {following.text}” means")
        if word.is_word("group") or (computes and not column.is_measure):
            word.used = following.used = True
            if following.note:
                reading.notes.append(following.note)
            return column
    return _each_of_them(reading)


def _each_of_them(reading: Reading) -> Column | None:
    """The column of persons, or of the rows' names, that "each of them" or "everybody" stands for, where it has
    several rows for one of them.
    """
    alone = [word for word in reading.words("group") if word.text in ("each", "every") and _is_alone(reading, word)]
    computes = reading.words("aggregate", "count") or [m for m in reading.of("column") if m.columns[0].is_measure]
    if computes:
        alone += [mention for mention in reading.of("row") if mention.text in ("everyone", "everybody")]
    person = kind_column(reading.table, PERSONS) or reading.table.labels[0]
    if not alone or person.type != "text" or reading.words("order"):
        return None
    alone[0].used = True
    return person


def _is_alone(reading: Reading, word: Mention) -> bool:
    """Whether no noun that names anything stands behind a word: "each of them", "they each"."""
    following = next((m for m in reading.mentions if m.start >= word.end and m.start <= word.end + 1), None)
    return following is None or following.kind == "row" or following.text.casefold() in PERSON_NOUNS


def order(reading: Reading) -> Mention | None:
    """The column or dimension to sort by: after "sort … by", or "fastest first"."""
    word = next(iter(reading.words("order")), None)
    tokens = [token.lower for token in reading.reader.tokens]
    extremes = [mention for mention in reading.mentions if mention.kind == "superlative" or mention.is_word("super")]
    first = next((mention for mention in extremes if tokens[mention.end : mention.end + 1] == ["first"]), None)
    if word is None:
        return first
    is_complete = word.text.endswith((" by", " of"))
    by = word if is_complete else next((m for m in reading.words("by") if m.start >= word.end), word)
    by.used = word.used = True
    target = reading.near(by.end, ("column", "asks"))
    if target is None and word.text == "ordered by":  # somebody
        return None
    target = target or first or next(iter(extremes), None)
    if target is None:
        raise reading.refusal("I cannot tell by which column to sort")
    target.used = target.kind in ("column", "asks")
    return target


def kind_column(table: TypedTable, words: Iterable[str]) -> Column | None:
    """The text column whose name has one of the words; the label of the rows where it has one."""
    texts = [column for column in table.columns if column.type == "text" and set(words) & column.senses]
    if words is PERSONS and not texts:  # "runner", "tester", "guest"
        texts = [c for c in table.columns if c.type == "text" and any(map(is_person, c.words))]
    texts = texts or [c for c in table.columns if c.type == "text" and words is PERSONS and c.words[-1] in _TO_WHOM]
    if words is PERSONS and not texts:  # nurses by name, beside shifts in small letters
        names = [c for c in table.columns if c.type == "text" and not is_code(c) and c.distinct]
        names = [c for c in names if all(cell[:1].isupper() for cell in c.distinct)]
        texts = names if len(names) == 1 else []
    label = table.labels[0]
    is_name = words is PERSONS and not texts and label.type == "text" and not is_code(label)
    texts = [label] if is_name else texts
    return next((column for column in texts if column in table.labels), texts[0] if len(texts) == 1 else None)
