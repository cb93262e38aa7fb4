"""Bar charts on which each bar bears its number: which month had the most, how many in March, all six together.

A number belongs to the bar above whose name it stands; those of the axis stand beside all bars.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts.ocr import Line
from hugginggpt.experts.question_parts import parts_of

MIN_BARS, MAX_NAME_WORDS = 3, 3
NEAR, UNEVEN = 0.35, 1.6
"""How far from the middle of its bar's name a number may stand, and how uneven the names may be, to their distance."""
MIN_LABELLED = 0.8
_MORE_THAN = re.compile(
    r"\bmore\b.*\bthan\b|\b(?:minus|between|gap)\b|\bmehr als\b|\bde plus que\b|\bmás que\b|\bapart\b|比", re.IGNORECASE
)
_NUMBER = re.compile(r"[£$€]?\s?\d[\d.,' ]*\s?(?:%|[a-zA-Z°€£$]{1,4})?")
_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:many|much)|what was it|number|wie ?viele?|combien|cuánt[oa]s?)\b|多少|几", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its name and number, and how this is written."""

    name: str
    number: float
    written: str


def bars(rows: Sequence[Sequence[Line]]) -> list[Bar]:
    """The bars of a chart, from left to right; [] of a page that is none."""
    for names in reversed(rows):
        if len(names) >= MIN_BARS and all(_is_name(line.text) for line in names) and (found := _above(names, rows)):
            return found
    return []


def _is_name(text: str) -> bool:
    is_year = bool(re.fullmatch(r"(?:19|20)\d\d", text))
    return is_year or (len(text.split()) <= MAX_NAME_WORDS and bool(re.search(r"[^\W\d_]", text)))


def _above(names: Sequence[Line], rows: Sequence[Sequence[Line]]) -> list[Bar]:
    middles = [line.middle for line in names]
    gaps = [after - before for before, after in pairwise(middles)]
    distance = sorted(gaps)[len(gaps) // 2]
    if distance <= 0 or max(gaps) > UNEVEN * distance or min(gaps) * UNEVEN < distance:
        return []
    numbers = [
        line
        for row in rows
        for line in row
        if line.bottom <= names[0].top + 0.5 * names[0].height and _NUMBER.fullmatch(line.text.strip())
    ]
    found = []
    for name in names:
        own = [line for line in numbers if abs(line.middle - name.middle) <= NEAR * distance]
        if len(own) == 1 and (value := _value(own[0].text)) is not None:
            found.append(Bar(_full(name.text), value, own[0].text.strip()))
        elif own:
            return []  # the rows of a table
    return found if len(found) >= max(MIN_BARS, MIN_LABELLED * len(names)) else []


def _value(text: str) -> float | None:
    digits = re.sub(r"[^\d.,]", "", text).strip(".,")
    digits = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", digits).replace(",", ".")
    return float(digits) if re.fullmatch(r"\d+(?:\.\d+)?", digits) else None


@cache
def _words() -> dict[str, tuple[str, ...]]:
    return word_lists.lists(EXPERTS_DATA / "chart_words.txt")


@cache
def _months() -> dict[str, str]:
    """The English name of each month by the names that people and charts have for it."""
    pairs = (line.partition("=") for line in _words()["months"])
    return {word: name.capitalize() for name, _, others in pairs for word in (name, *others.split())}


def _full(name: str) -> str:
    return _months().get(name.lower().strip("."), name)


def answer(question: str, rows: Sequence[Sequence[Line]]) -> str | None:
    """What the bars of a chart tell for a question and its parts; None of a page that is no chart, or where a question
    asks for nothing of that.
    """
    found = bars(rows)
    if not found:
        return None
    if apart := _best_and_worst(question, found) or _missing(question, found):
        return apart
    told: list[str] = []
    last: Bar | None = None
    for part in parts_of(question):
        said, last = _told(part, found, last, bool(told))
        told += [said] if said and said not in told else []
    return " ".join(told) or None


def asks_of_extremes(question: str) -> bool:
    """Whether words ask by how much the highest of several is above the lowest."""
    is_of_both = _says(question, "most") and _says(question, "least")
    return is_of_both and bool(_says(question, "difference") or _MORE_THAN.search(question))


def _best_and_worst(question: str, found: Sequence[Bar]) -> str:
    """How much more the highest bar has than the lowest, where a question names both: "how many more in the best month
    than in the worst?".
    """
    if not asks_of_extremes(question) or [*_named(question, found)]:
        return ""
    best, worst = max(found, key=_number), min(found, key=_number)
    by = _shown(best.number - worst.number)
    return f"{best.name}: {best.written}, {by} more than {worst.name} ({worst.written}), which has the least."


def _missing(question: str, found: Sequence[Bar]) -> str:
    """That a month which a question asks for is not on a chart of months."""
    months = set(_months().values())
    named = [
        name for word in re.findall(r"[^\W\d_]{3,}", question) if (name := _full(word)) in months and name != "May"
    ]
    left = [name for name in named if name not in {bar.name for bar in found}]
    if not left or len(left) < len(named) or not all(bar.name in months for bar in found):
        return ""
    return f"{' and '.join(left)} is not on the chart, which shows {found[0].name} to {found[-1].name}."


def _told(question: str, found: Sequence[Bar], last: Bar | None, is_further: bool) -> tuple[str, Bar | None]:
    """What answers a part of a question, and the bar that it is about."""
    named = list(_named(question, found))
    if _says(question, "difference") and (pair := [*named, *([last] if last else [])])[1:]:
        one, other = pair[:2]
        more, less = (one, other) if one.number >= other.number else (other, one)
        by = _shown(more.number - less.number)
        return f"{by} more in {more.name} than in {less.name} ({more.written} - {less.written}).", last
    for kind, best in (("most", max(found, key=_number)), ("least", min(found, key=_number))):
        if _says(question, kind) and not named:
            return f"{best.name}: {best.written}, the {kind} of the {len(found)} bars.", best
    chosen = named if len(named) > 1 else [] if named else list(found)
    if chosen and _says(question, "mean"):
        return f"{_shown(_sum(chosen) / len(chosen))} on average ({_terms(chosen)}).", None
    if chosen and _says(question, "sum"):
        return f"{_shown(_sum(chosen))} ({_terms(chosen)}).", None
    if named:
        return f"{', '.join(f'{bar.name}: {bar.written}' for bar in named)}.", named[-1]
    if _ASKS_NUMBER.search(question) and not (is_further and last):
        return f"{', '.join(f'{bar.name}: {bar.written}' for bar in found)}.", None
    return "", last


def _named(question: str, found: Sequence[Bar]) -> Iterator[Bar]:
    """The bars that a question names, in its order."""
    words = [_full(word) for word in re.findall(r"\d{1,2}月|[一二三四五六七八九十]+月|[^\W_]+", question)]
    text = f" {' '.join(words).lower()} "
    places = [(text.find(f" {bar.name.lower()} "), bar) for bar in found]
    yield from (bar for at, bar in sorted(places, key=lambda place: place[0]) if at >= 0)


def _says(question: str, kind: str) -> bool:
    words = " ".join(re.findall(r"[^\W_]+", question.lower()))
    return word_lists.holds(f" {words} ", _words()[kind]) or any(
        one in question for one in _words()[kind] if re.match(r"[\u3400-\u9fff]", one)
    )


def _number(bar: Bar) -> float:
    return bar.number


def _sum(chosen: Sequence[Bar]) -> float:
    return sum(bar.number for bar in chosen)


def _terms(chosen: Sequence[Bar]) -> str:
    return " + ".join(bar.written for bar in chosen)


def _shown(number: float) -> str:
    return f"{number:,.0f}" if abs(number - round(number)) < 1e-6 else f"{number:,.2f}"
