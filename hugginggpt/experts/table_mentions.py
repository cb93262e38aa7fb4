"""What the words of a question about a table name: its columns and values, numbers, dates, operations, comparisons."""

from __future__ import annotations

import calendar
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from hugginggpt.experts import grammar
from hugginggpt.experts.table_columns import FLAGS, MAX_NUMBER, Column, TypedTable, holding, is_gone, is_timetable
from hugginggpt.experts.table_spelling import spelled
from hugginggpt.experts.table_tokens import equal, joined, number_of, part_of, tokens_of, without_units
from hugginggpt.experts.table_units import unit_of, unit_of_column
from hugginggpt.experts.table_words import (
    ANY_PERSON,
    BEFORE_MAY,
    BESIDE_COLUMNS,
    DIMENSIONS,
    EQUALS,
    GOING,
    HEAVY,
    LIGHT_VERBS,
    MEASURE_NOUNS,
    MONEY,
    MONTHS,
    NUMBER_WORDS,
    OPERATION_PHRASES,
    ORDINALS,
    PERSON_NOUNS,
    PERSONS,
    PLAIN_ADVERBS,
    PREDICATES,
    RELATIONS,
    ROW_NOUNS,
    SCALES,
    SEXES,
    WEIGHTLESS,
    WEIGHTLESS_TAGS,
    adjectives,
    related,
    stem,
)

MAX_NGRAM = 6
MAX_INDEXED = 20_000
"""So many different cells of a table are looked for in a question."""
GROUPERS = ("per", "by", "each", "every")
BEING = frozenset(["is", "are", "was", "were", "be", "been", "'s", "has", "have", "had"])
_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»]{1,80})[\"“”„«»]|(?<!\w)['‘’]([^'‘’]{1,80})['‘’](?!\w)")

Kind = Literal[
    "column", "value", "text", "number", "ordinal", "date", "month", "relation", "word", "superlative", "comparative",
    "asks", "row", "ends",
]  # fmt: skip


@dataclass(slots=True, eq=False)
class Mention:
    """Tokens `start` to `end` (excluded) and what they name; `columns` are the candidates for a column or a value's."""

    start: int
    end: int
    kind: Kind
    text: str
    payload: Any = None
    columns: tuple[Column, ...] = ()
    note: str = ""
    used: bool = False

    def is_word(self, *kinds: str) -> bool:
        return self.kind == "word" and self.payload[0] in kinds

    @property
    def is_superlative(self) -> bool:
        return self.kind == "superlative" or self.is_word("super")

    @property
    def has_gaps(self) -> bool:
        """Whether the column has cells without a value: "who didn't run the 10k"."""
        return len(self.columns) == 1 and len(self.columns[0].present) < len(self.columns[0].cells)


@dataclass
class Reader:
    """Reads the mentions in a question, the longest first; `left` are the tokens with weight that name nothing."""

    table: TypedTable
    text: str
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        quoted = (first or second for first, second in _QUOTED.findall(self.text))
        self.quoted = [" ".join(token.lower for token in tokens_of(text)) for text in quoted]
        names = {word for column in self.table.columns for word in column.words}
        cells = {word for _, _, words in self._cells() for word in words}
        self.tokens = spelled(joined(tokens_of(self.text), names), self.table, cells, self.notes)
        self.mentions: list[Mention] = []
        self._taken: set[int] = set()
        self.idle: list[str] = []
        self.matters: dict[int, float] = {}

    def read(self) -> list[Mention]:
        """The mentions, in order."""
        readers = (
            self._quote, self._told, self._value, self._gone, self._column, self._date,
            self._ends, self._phrase, self._number, self._adjective, self._part,
            self._asks, self._noun,
        )  # fmt: skip
        for reader in readers:
            for size in range(min(MAX_NGRAM, len(self.tokens)), 0, -1):
                for start in range(len(self.tokens) - size + 1):
                    span = range(start, start + size)
                    if self._taken.isdisjoint(span) and (mention := reader(start, start + size)):
                        self.mentions.append(mention)
                        self._taken.update(span)
        self._similar()
        self.mentions.sort(key=lambda mention: mention.start)
        return self.mentions

    @property
    def left(self) -> list[str]:
        return [self.tokens[at].text for at in self._left()]

    @property
    def left_places(self) -> list[int]:
        return self._left()

    def _left(self) -> list[int]:
        return [at for at in range(len(self.tokens)) if at not in self._taken and not self._is_weightless(at)]

    def _is_weightless(self, at: int) -> bool:
        token = self.tokens[at]
        near = (at - 1, at + 1) if self._lower(at + 1, at + 2) not in ("in", "of", "for") else (at - 1, at + 1, at + 2)
        beside = any(
            mention.kind in ("column", "value") and {mention.start, mention.end - 1} & set(near)
            for mention in self.mentions
        )
        measured = any(
            mention.kind == "column" and any(c.is_measure for c in mention.columns) for mention in self.mentions
        )
        before = self._lower(at - 1, at) if at else ""
        if self._limits(at) or (self._is_predicate(at) and not self._belongs_to_value(at)):
            return False
        return (
            token.lower in WEIGHTLESS
            or self._is_function_word(token.lower)
            or (token.lower in ("month", "year") and before in GROUPERS)
            or (token.lower == "year" and before in ("this", "all", "whole") and self._has_one_year)
            or self._is_unit(at)
            or (measured and any(token.lower in dimension.verbs for dimension in DIMENSIONS))
            or self._is_chatter(at)
            or (token.stem in GOING and is_timetable(self.table))
            or token.lower in "$€£"
            or (beside and token.lower in BESIDE_COLUMNS)
            or (beside and token.lower == "date" and any(c.type == "date" for m in self.mentions for c in m.columns))
            or (measured and token.lower in MEASURE_NOUNS)
        )

    def _is_unit(self, at: int) -> bool:
        """Whether a word behind a number is the unit of one of the columns: "under 32 seconds"."""
        unit = unit_of([self.tokens[at].lower])
        follows = any(mention.kind == "number" and mention.end == at for mention in self.mentions)
        units = [unit_of_column(column) for column in self.table.columns if column.is_measure]
        return follows and unit is not None and (unit in units or not any(units))

    def _limits(self, at: int) -> bool:
        """Whether a particle makes a condition of a verb that names a column, "which ones sold out", or "first" one of
        any verb: "who came first".
        """
        tagged = self._tagged.get(self.tokens[at].lower)
        verb = self._tagged.get(self.tokens[at - 1].lower) if at else None
        if self.tokens[at].lower == "first" and verb is not None and verb.tag in ("VBD", "VBZ", "VBP", "VBN"):
            return verb.lemma not in ("be", "have", "do")
        names = any(mention.kind == "column" and mention.end == at for mention in self.mentions)
        computes = any(m.is_word("count", "aggregate", "super") or m.kind == "asks" for m in self.mentions)
        is_phrase = tagged is not None and tagged.tag == "RP" and verb is not None and verb.is_verb
        return is_phrase and names and not computes

    def _is_predicate(self, at: int) -> bool:
        """Whether a word says what is true of the rows: "which are still open", "how many are done"."""
        tagged = self._tagged.get(self.tokens[at].lower)
        if self.tokens[at].lower not in PREDICATES or tagged is None:
            return False
        before = next((token for token in reversed(self.tokens[:at]) if not self._is_adverb(token.lower)), None)
        return (before is not None and before.lower in BEING) or tagged.tag.startswith("JJ")

    def _is_adverb(self, word: str) -> bool:
        tagged = self._tagged.get(word)
        return word == "not" or (tagged is not None and tagged.tag.startswith("RB"))

    def _belongs_to_value(self, at: int) -> bool:
        """Whether a word such as "still" stands before what limits the rows: "still open", "still above 38"."""
        limits = "value", "relation", "comparative", "superlative", "number", "date", "month"
        following = [m.start for m in self.mentions if m.start > at and (m.kind in limits or m.text == "stock")]
        between = self.tokens[at + 1 : min(following, default=at)]
        return bool(following) and all(self._is_function_word(token.lower) for token in between)

    def _is_function_word(self, word: str) -> bool:
        """Whether the tagger says that a word carries no meaning of its own here, or it is a verb that never does."""
        tagged = self._tagged.get(word)
        if tagged is None or word in HEAVY:
            return False
        if tagged.tag.startswith("RB"):
            return word in PLAIN_ADVERBS
        return tagged.tag in WEIGHTLESS_TAGS or (tagged.is_verb and tagged.lemma in LIGHT_VERBS)

    @property
    def _has_one_year(self) -> bool:
        dates = [column for column in self.table.columns if column.type == "date"]
        return len(dates) == 1 and len({value.year for value in dates[0].present}) == 1

    def _is_chatter(self, at: int) -> bool:
        """Whether a word stands in a sentence without verbs that names nothing, beside one that does: "Hiya!"."""
        for sentence in re.split(r"(?<=[.!?])\s+", self.text):
            words = {word.lower: word for word in grammar.words(sentence)}
            if self.tokens[at].lower in words:
                named = any(word in mention.text.casefold().split() for mention in self.mentions for word in words)
                return bool(self.mentions) and not named and not any(word.is_verb for word in words.values())
        return False

    @cached_property
    def _tagged(self) -> dict[str, grammar.Word]:
        return {word.lower: word for word in grammar.words(self.text)}

    def _lower(self, start: int, end: int) -> str:
        return " ".join(token.lower for token in self.tokens[start:end])

    def _text(self, start: int, end: int) -> str:
        return " ".join(token.text for token in self.tokens[start:end])

    # values and columns

    def _cells(self) -> Iterator[tuple[Column, str, tuple[str, ...]]]:
        indexed = 0
        for column in sorted(self.table.columns, key=lambda column: len(column.distinct)):
            if column.type == "text":
                for cell in column.distinct:
                    if (indexed := indexed + 1) > MAX_INDEXED:
                        return
                    yield column, cell, _stems(cell)

    @property
    def _index(self) -> dict[tuple[str, ...], list[tuple[Column, str, bool]]]:
        """The cells by their words, and by each part of them; the flag tells which are whole."""
        if not hasattr(self, "_indexed"):
            index: dict[tuple[str, ...], list[tuple[Column, str, bool]]] = defaultdict(list)
            for column, cell, words in self._cells():
                for size in range(1, len(words) + 1) if len(words) <= 8 else ():
                    for start in range(len(words) - size + 1):
                        index[words[start : start + size]].append((column, cell, size == len(words)))
            self._indexed = dict(index)
        return self._indexed

    def _quote(self, start: int, end: int) -> Mention | None:
        words = self._lower(start, end)
        if words not in self.quoted:
            return None
        self.quoted.remove(words)
        return self._value(start, end, quoted=True) or Mention(
            start, end, "text", self._text(start, end), self._text(start, end)
        )

    def _value(self, start: int, end: int, quoted: bool = False, whole: bool = True) -> Mention | None:
        words = tuple(token.stem for token in self.tokens[start:end])
        matches = [(column, cell) for column, cell, is_whole in self._index.get(words, ()) if is_whole or not whole]
        single = self.tokens[start].lower if end - start == 1 else ""
        is_month = single in MONTHS and not any(_holds_months(column) for column, _ in matches)
        is_common = single in WEIGHTLESS or single in OPERATION_PHRASES or is_month or (len(single) < 2 and not quoted)
        is_common = is_common or (
            end - start > 1
            and all(t.lower in WEIGHTLESS or t.lower in OPERATION_PHRASES for t in self.tokens[start:end])
        )
        if (
            not matches
            or (
                single
                and is_common
                and not (quoted or (whole and self._is_predicate(start)))
                and self.tokens[start].text[:1].islower()
            )
            or ((is_common or single in LIGHT_VERBS) and not whole)
        ):
            return None
        columns = tuple(dict.fromkeys(column for column, _ in matches))
        return Mention(start, end, "value", self._text(start, end), [cell for _, cell in matches], columns)

    def _told(self, start: int, end: int) -> Mention | None:
        """A yes or no right behind its column: "Paid no", "where Paid is no"."""
        word = self.tokens[start].lower
        if end - start > 1 or word not in FLAGS or len(word) < 2:
            return None
        before = [token.lower for token in self.tokens[:start]]
        while before and before[-1] in BEING | EQUALS:
            before.pop()
        for column in self.table.columns:
            if before and equal(before[-len(column.words) :], column.words):
                cells = [cell for cell in column.distinct if cell.casefold() == word]
                if column.type == "flag":
                    return Mention(start, end, "word", word, ("told", FLAGS[word]))
                return Mention(start, end, "value", word, cells, (column,)) if cells else None
        return None

    def _gone(self, start: int, end: int) -> Mention | None:
        words = self._lower(start, end)
        return Mention(start, end, "word", words, ("gone", "")) if is_gone(self.table, words) else None

    def _column(self, start: int, end: int) -> Mention | None:
        """A column by its whole name, in its order or not, with or without its unit."""
        words = [token.lower for token in self.tokens[start:end]]
        exact = [c for c in self.table.columns if equal(words, c.words)]
        is_bounded = words[0] not in WEIGHTLESS and words[-1] not in WEIGHTLESS
        close = exact or [
            c for c in self.table.columns if equal(words, without_units(c.words), loosely=len(words) > 1 and is_bounded)
        ]
        kind = OPERATION_PHRASES.get(words[0], ("",))[0] if len(words) == 1 else ""
        asks = kind in ("which", "who", "when", "where") and self._lower(start - 1, start) not in ("the", "by")
        if not close or asks or (not exact and kind) or (kind == "not" and not self._names_column(start, end)):
            return None
        return Mention(start, end, "column", self._text(start, end), columns=tuple(close))

    def _names_column(self, start: int, end: int) -> bool:
        """Whether "no" is the column of numbers, not a negation: "No 4", "the no", "by no"."""
        return (
            self._lower(start - 1, start) in ("the", "by", "which", "what") or self._lower(end, end + 1)[:1].isdigit()
        )

    def leave_out(self, words: Collection[str]) -> None:
        """Leaves words unread that say nothing more."""
        self._taken.update(at for at, token in enumerate(self.tokens) if token.lower in words)

    def _part(self, start: int, end: int) -> Mention | None:
        """A column or a value by a part of its words or by a related one."""
        words = [token.lower for token in self.tokens[start:end]]
        heavy = [word for word in words if word not in WEIGHTLESS]
        if len(words) == 1 and not heavy and self._lower(end, end + 1).isdigit():  # "table 3"
            numbered = tuple(c for c in self.table.columns if words[0] in c.words and c.type == "number")
            return Mention(start, end, "column", words[0], columns=numbered) if numbered else None
        if not heavy or words[0] in WEIGHTLESS or words[-1] in WEIGHTLESS:
            return None
        columns = (
            [c for c in self.table.columns if part_of(heavy, c.words, exactly=True)] if len(heavy) == len(words) else []
        )
        if not columns and (value := self._value(start, end, whole=False)):
            return value
        columns = columns or [c for c in self.table.columns if part_of(heavy, c.words)]
        if not columns and len(heavy) == 1:  # in the language of the question
            columns = [c for c in self.table.columns if stem(heavy[0]) in map(stem, c.senses)]
        dates = [c for c in self.table.columns if c.type == "date"]
        if not columns and heavy in (["day"], ["date"]) and len(dates) == 1:
            columns = dates
        columns = [c for c in columns if part_of(heavy, c.measured_words)] or columns  # "kilos": not the price per kg
        if not columns or (
            end - start == 1 and words[0] in PERSON_NOUNS and not any(stem(words[0]) in c.words for c in columns)
        ):
            return self._sex(start, end)
        is_told = all(column.type in ("flag", "date") for column in columns) and "when" not in self.text.casefold()
        if is_told and (asks := self._asks(start, end)) and asks.payload:
            return asks  # "who pays the most", beside a rent and who has paid it
        if len(words) == 1 and all(column.is_id or column.type == "date" or column.is_year for column in columns):
            is_whose = words[0] in PERSON_NOUNS and words[0] != stem(words[0])
            if (
                len(columns) > 1 or is_whose
            ):  # "orders" have an order number and an order date, "members" a member since
                return Mention(start, end, "row", words[0])
        return Mention(start, end, "column", self._text(start, end), columns=tuple(columns))

    def _sex(self, start: int, end: int) -> Mention | None:
        sex = SEXES.get(self._lower(start, end))
        columns = [c for c in self.table.columns if {"sex", "gender"} & c.senses]
        cells = [
            cell for c in columns for cell in c.distinct if sex and cell.casefold()[:1] in (sex, {"f": "w"}.get(sex))
        ]
        return Mention(start, end, "value", self._text(start, end), cells, tuple(columns[:1])) if cells else None

    # numbers, dates, words

    def _date(self, start: int, end: int) -> Mention | None:
        """A day, month or year as (low, high); a month or day without a year as ("month", month, day or 0)."""
        words = [token.lower for token in self.tokens[start:end]]
        joined = " ".join(re.sub(r"^(\d+)(?:st|nd|rd|th)$", r"\1", word) for word in words if word != "of")
        for format in ("%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y"):
            try:
                day = datetime.strptime(joined, format)
            except ValueError:
                continue
            return Mention(
                start, end, "date", self._text(start, end), (day, day.replace(hour=23, minute=59, second=59))
            )
        parts = joined.split()
        quarter = parts[0][1:] if len(parts) == 1 and re.fullmatch(r"q[1-4]", joined) else ""
        if quarter or (len(words) == 2 and words[1] == "quarter" and ORDINALS.get(words[0], 9) < 5):
            first = 3 * (int(quarter or ORDINALS[words[0]]) - 1) + 1
            return Mention(start, end, "month", self._text(start, end), (first, 0, 3))
        months = [MONTHS[part] for part in parts if part in MONTHS]
        numbers = [int(part) for part in parts if part.isdigit()]
        if len(months) != 1 or len(months) + len(numbers) != len(parts) or len(numbers) > 1:
            return None
        before = self.tokens[start - 1].lower if start else ""
        if words == ["may"] and before not in BEFORE_MAY:
            return None
        if numbers and numbers[0] > 31:
            last = calendar.monthrange(numbers[0], months[0])[1]
            period = datetime(numbers[0], months[0], 1), datetime(numbers[0], months[0], last, 23, 59, 59)
            return Mention(start, end, "date", self._text(start, end), period)
        return Mention(start, end, "month", self._text(start, end), (months[0], numbers[0] if numbers else 0))

    def _ends(self, start: int, end: int) -> Mention | None:
        """ "the first three lines", "last 5": so many rows from the beginning, or (negative) from the end."""
        words = [token.lower for token in self.tokens[start:end]]
        number = words[1:] and (NUMBER_WORDS.get(words[1]) or (int(words[1]) if words[1].isdigit() else 0))
        is_rows = words[-1] in ("row", "rows", "line", "lines", "entry", "entries", "record", "records")
        if words[0] not in ("first", "last") or len(words) != 1 + bool(number) + is_rows or len(words) < 2:
            return None
        return Mention(start, end, "ends", " ".join(words), (number or 1) * (1 if words[0] == "first" else -1))

    def _phrase(self, start: int, end: int) -> Mention | None:
        words = self._lower(start, end)
        if relation := RELATIONS.get(words):
            return Mention(start, end, "relation", words, relation)
        if words in adjectives() and words not in OPERATION_PHRASES:
            return self._adjective(start, end) if end - start > 1 else None
        if words == "mean" and self._lower(start - 1, start) in ("i", "you", "we", "they"):
            return None
        if phrase := OPERATION_PHRASES.get(words) or self._computing(words):
            names = {word for column in self.table.columns for word in column.words}
            if phrase[0] in ("due", "change", "rest") and names & {token.stem for token in self.tokens[start:end]}:
                return None  # a column says which ones were late
            if phrase[0] == "rest" and (asks := self._asks(start, end)):
                return asks
            return Mention(start, end, "word", words, phrase)
        return None

    def _computing(self, words: str) -> tuple[str, str] | None:
        """The operation of a form of its verb: "summed up", "averaged"."""
        first, *rest = words.split()
        tagged = self._tagged.get(first)
        if tagged is None or not tagged.is_verb:
            return None
        phrase = OPERATION_PHRASES.get(" ".join((tagged.lemma, *rest)), ("", ""))
        return phrase if phrase[0] in ("aggregate", "count", "order") else None

    def _number(self, start: int, end: int) -> Mention | None:
        word = self.tokens[start].lower
        scaled = SCALES.get(self.tokens[end - 1].lower) if end - start == 2 else None
        if end - start > 1 and scaled is None:
            return None
        if not word.isalpha() and not word.isdigit() and any(word in c.words for c in self.table.columns):
            return None  # "the 10k", of a column 10k time
        if word in ORDINALS and word != "first":
            return Mention(start, end, "ordinal", word, ORDINALS[word])
        if clock := re.fullmatch(r"(?:(\d+):)?(\d+):(\d\d)", word):  # seconds, or minutes of a day
            units = 3600 * int(clock[1] or 0) + 60 * int(clock[2]) + int(clock[3])
            return Mention(start, end, "number", word, float(units))
        match = re.fullmatch(r"([-−]?\d+(?:[.,]\d+)*)(k|m|bn|s)?", word)
        if not match and word not in NUMBER_WORDS:
            return None
        if match and match[2] == "k" and any(unit_of_column(c) == ("length", 1) for c in self.table.columns):
            return Mention(start, end, "number", self._text(start, end), number_of(match[1]))  # "10k" of a column of km
        self._taken.update(at for at in (start - 1, end) if self._lower(max(at, 0), at + 1) in MONEY)
        value = float(NUMBER_WORDS[word]) if not match else number_of(match[1]) * SCALES.get(match[2] or "", 1.0)
        if (word == "one" and scaled is None) or abs(value) > MAX_NUMBER:  # "which one"
            return None
        return Mention(start, end, "number", self._text(start, end), value * (scaled or 1))

    def _adjective(self, start: int, end: int) -> Mention | None:
        words = self._lower(start, end)
        readings = adjectives().get(words)
        if not readings:
            return None
        degree = readings[0][2]
        if degree == 2:
            return Mention(start, end, "superlative", words, readings)
        follows = self._lower(end, end + 1)
        if degree == 1:
            than = follows == "than"
            self._taken.update([end] if than else [])
            return Mention(start, end + than, "comparative", words + " than" * than, readings)
        if degree == 0 and self._lower(start - 1, start) == "how":
            return Mention(start, end, "asks", words, [dimension for dimension, _, _ in readings])
        return None

    def _asks(self, start: int, end: int) -> Mention | None:
        """A verb that asks for a dimension: "does it cost"."""
        words = self._lower(start, end)
        if words == "how much":
            return Mention(start, end, "asks", words, [])
        dimensions = [
            dimension
            for dimension in DIMENSIONS
            if {words, stem(words)} & set(dimension.verbs) and holding(self.table, dimension)[0]
        ]
        return Mention(start, end, "asks", words, dimensions) if dimensions else None

    def _noun(self, start: int, end: int) -> Mention | None:
        """A noun for the rows: of any table, of persons, or one like the file's name; "names" are their own."""
        if end - start > 1:
            return None
        token = self.tokens[start]
        if token.lower == "names":
            persons = [c for c in self.table.columns if c.type == "text" and PERSONS & c.senses]
            return Mention(start, end, "column", token.text, columns=tuple(persons[:1] or self.table.labels[:1]))
        titles = {stem(word) for word in re.findall(r"[^\W\d_]+", self.table.title.casefold())}
        is_person = token.lower in PERSON_NOUNS and (token.stem != token.lower or token.lower in ANY_PERSON)
        is_row = token.lower in ROW_NOUNS or is_person or any(related(token.lower, title) for title in titles)
        return Mention(start, end, "row", token.lower) if is_row else None

    def _similar(self) -> None:
        """Reads words by their meaning; here none (`table_meaning`)."""


def is_often(mention: Mention) -> bool:
    """Whether a superlative counts rows: "most often"."""
    return mention.is_word("super") and mention.text.endswith(("often", "frequently", "times"))


def _holds_months(column: Column) -> bool:
    return all(cell.casefold() in MONTHS for cell in column.distinct)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(token.stem for token in tokens_of(text))
