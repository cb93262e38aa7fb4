"""What is true of a row or is not, in the words that people have for it: who is coming, what is not paid yet, at home.

A column that says so is found by its name (Zusage, paid, "lent to"), its cells being yes or no, or being there or not;
a word of the question for the same state, or for its opposite, is a condition (data/experts/table_states.txt).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts import grammar
from hugginggpt.experts.table_columns import Column, stock_column
from hugginggpt.experts.table_query import Filter
from hugginggpt.experts.table_rewording import Rewording

_WORD = re.compile(
    r"n['’]?t\b|(?:ca|wo|do|does|did|is|are|ar|was|were|has|have|had|could)(?=n['’]?t\b)|[^\W_]+|[.,;:?!]", re.I
)
_NOT = frozenset([
    "n't", "nt", "not", "never", "no", "nobody", "none", "without"
])  # fmt: skip
_AUXILIARY = frozenset([
    "is", "are", "ar", "was", "were", "be", "been", "being", "am", "s", "has", "have", "had", "do", "does", "did",
    "can", "ca", "could", "will", "wo", "would"
])  # fmt: skip
_BETWEEN = frozenset([
    "i", "we", "you", "they", "he", "she", "it", "them", "us", "already", "yet", "still", "so", "far", "really",
    "actually", "ever", "to", "both", "all"
])  # fmt: skip
_AFTER = frozenset(["yet", "already", "back", "far", "so", "it", "them"])
_MUST = frozenset(["need", "needs", "must", "should", "yet", "still"])
"""Words before "to" and a verb that say that it is not done yet."""
_ANOTHER = frozenset(
    ["out", "from", "aus", "de", "first", "last", "most", "least", "late", "early", "no", "yes", "ja", "nein"]
)
_OTHERS = {("the", "most"), ("the", "least"), ("the", "highest"), ("on", "time"), ("in", "time"), ("too", "late")}
"""Words behind a state by which something else is asked or told: "came from Kiel", "back late", "paid no"."""
_WHICH = frozenset(["who", "that", "which"])
_BESIDE_NUMBERS = frozenset(["for", "für", "pour", "para"])
_HAVE = frozenset(["has", "have", "had"])
_COMPARING = frozenset(["since", "after", "before", "until", "till", "than", "over", "under", "above", "below", "from"])
"""What stands before a number that is of the state, and before one that something else is compared with."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    words: tuple[str, ...]
    state: str
    holds: bool
    is_last: bool
    """Whether it ends its clause, as "have" does where it is no auxiliary."""
    is_led: bool
    """Whether an auxiliary or "to" stands before it: "did they pay", "still to pay", not "who pays most"."""


@cache
def _phrases() -> tuple[_Phrase, ...]:
    """The phrases of all states, the longest first."""
    phrases = []
    for state, lines in word_lists.sections(EXPERTS_DATA / "table_states.txt").items():
        for line in lines:
            kind, _, listed = line.partition(" = ")
            for one in listed.split(", "):
                words = tuple(one.rstrip(" +~").split())
                phrases.append(_Phrase(words, state, kind == "yes", one.endswith("+"), one.endswith("~")))
    return tuple(sorted(phrases, key=lambda phrase: -len(phrase.words)))


def with_states(one: Rewording) -> None:
    """Takes what a question says of states out of it, as conditions on the columns that hold them."""
    columns = [(column, state, holds) for column in one.table.columns for state, holds in _states(column)]
    if stock := stock_column(one.table):
        columns.append((stock, "available", True))
    while columns:
        words = list(_WORD.finditer(one.question))
        said = next(_said(one, words, columns), None)
        if said is None:
            lower = {word[0].lower() for word in words}
            held = [phrase.words for phrase in _phrases() for _, state, _ in columns if phrase.state == state]
            one.idle |= {
                word for phrase in held if len(phrase) == 1 for word in lower & set(phrase)
            }  # "who borrowed it"
            return
        start, end, column, condition = said
        while end < len(words) and words[end][0].lower() in ("any", "the", "a", *column.words):
            end += 1  # "isn't missing any pieces"
        begin, stop = words[start].start(), words[end - 1].end()
        before = _without_numbers(column, one.question[:begin], False)
        after = _without_numbers(column, one.question[stop:], True)
        one.question = " ".join(f"{before} {after}".split()).replace(" ?", "?")
        one.filters.append((condition,))
        columns = [each for each in columns if each[0] is not column]


def _without_numbers(column: Column, text: str, is_behind: bool) -> str:
    """What stands before or behind a state without a number that is in the name of its column: "not paid the fee for
    2025", of Paid 2025. One that another verb or a comparison speaks of is kept: "and joined in 2025".
    """
    for number in (word for word in column.words if word.isdigit()):
        for found in re.finditer(rf"\b(?:(?P<before>\w+) )?(?:the year )?\b{number}\b", text, re.I):
            said = (found["before"] or "").lower()
            is_free = is_behind and not any(word.is_verb for word in grammar.words(text[: found.start()]))
            is_free = is_free or (said in _HAVE and not is_behind)  # "who has 2025 not paid"
            if said in _BESIDE_NUMBERS or (is_free and said not in _COMPARING):
                kept = "" if said in _BESIDE_NUMBERS else found["before"] or ""
                return f"{text[: found.start()]}{kept}{text[found.end() :]}"
    return text


def _states(column: Column) -> Iterator[tuple[str, bool]]:
    """The states that a column tells, and whether its yes, or that it stands there, means so."""
    has_gaps = 0 < len(column.present) < len(column.cells)
    if column.computed or not (column.type == "flag" or (column.type in ("date", "text") and has_gaps)):
        return
    seen = set()
    for phrase in _phrases():
        size = len(phrase.words)
        stands = any(column.words[at : at + size] == phrase.words for at in range(len(column.words) - size + 1))
        if stands and phrase.state not in seen:
            seen.add(phrase.state)
            yield phrase.state, phrase.holds


def _said(
    one: Rewording, words: Sequence[re.Match[str]], columns: Sequence[tuple[Column, str, bool]]
) -> Iterator[tuple[int, int, Column, Filter]]:
    """The places of words that speak of a state, from and up to, the column that holds it, and the condition."""
    lower = [word[0].lower().replace("’", "'") for word in words]
    for phrase in _phrases():
        held = [(column, holds) for column, state, holds in columns if state == phrase.state]
        size = len(phrase.words)
        if len(held) != 1:
            continue
        column, holds = held[0]
        for at in range(len(lower) - size + 1):
            if tuple(lower[at : at + size]) == phrase.words and _is_condition(one, lower, at, phrase, column):
                start, end, is_negated = _span(lower, at, at + size, phrase.is_led)
                if phrase.is_led and start == at and phrase.words != column.words:
                    continue
                is_true = (phrase.holds == holds) != is_negated
                yield start, end, column, _condition(column, is_true)


def _is_condition(one: Rewording, lower: Sequence[str], at: int, phrase: _Phrase, column: Column) -> bool:
    """Whether words say which rows are meant, and not what is asked: "when did she pay", "who has it", "from Kiel"."""
    following = [*lower[at + len(phrase.words) :], ""]
    is_last = following[0] in ("", ".", ",", ";", "?", "!", "and", "but", "or")
    if (phrase.is_last and not is_last) or following[0] in _ANOTHER or tuple(following[:2]) in _OTHERS:
        return False
    if column.type != "flag" and lower[0] in ("when", "how", "who", "whom", "whose"):
        asks = lower[0] != "how" or lower[1:2] in (["long"], ["late"])
        if asks and not (lower[0] in ("who", "whose") and column.type == "date"):
            return False
    cells = {cell.casefold() for cell in column.distinct} if column.type == "text" else set()
    return not any(f" {cell} " in f" {' '.join(lower)} " for cell in cells)


def _span(lower: Sequence[str], start: int, end: int, is_led: bool) -> tuple[int, int, bool]:
    """The places of what belongs to a state, and whether it is denied: "have I not seen yet", "still to be paid"."""
    is_negated = False
    while start and (lower[start - 1] in _AUXILIARY | _BETWEEN | _NOT | _MUST):
        start -= 1
        is_negated ^= lower[start] in _NOT
        owes = lower[start] == "to" and (is_led or (start > 0 and lower[start - 1] in _MUST | {"have", "has"}))
        is_negated ^= bool(owes) or (lower[start] in ("must", "should") and "to" not in lower[start:end])
    if (
        start > 1
        and lower[start - 1] in _WHICH
        and lower[start - 2].isalpha()
        and lower[start - 2] not in ("and", "so")
    ):
        start -= 1
        start -= lower[start - 1] == "those"  # "for those who come"
    while end < len(lower) and lower[end] in _AFTER:
        end += 1
    return start, end, is_negated


def _condition(column: Column, is_true: bool) -> Filter:
    """That a column says yes, or that something stands in it, or of a stock that there is some; or that not."""
    if column.type == "flag":
        return Filter(column.name, "in", (is_true,))
    if column.type == "number":
        return Filter(column.name, ">", (0.0,)) if is_true else Filter(column.name, "in", (0.0,))
    return Filter(column.name, "missing", (), is_true)
