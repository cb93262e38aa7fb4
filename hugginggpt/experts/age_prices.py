"""Prices by age: what somebody of 71 pays where "Seniors (65+)" have a price, or two adults and a girl of 7.

A price is of an age where its line tells a span of years ("6-16", "under 5", "65 and over") or a class of ages
("Adults", "Kinder"); the words stand in data/experts/age_words.txt, in five languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts import listed
from hugginggpt.experts.stated_numbers import says, spaced, value_of

OLDEST = 120
ADULT_FROM, SENIOR_FROM, CHILD_UNTIL = 18, 65, 14
"""From and until when somebody surely is of a class whose line tells no years."""
MAX_LABEL_CHARS, MAX_WORDS_AROUND = 60, 9
_PRICE = re.compile(
    r"(?P<money>[£$€¥]\s?\d+(?:[.,]\d\d)?|\b\d+(?:[.,]\d\d)?\s?(?:[£$€元块]|(?:eur|euros?|pounds?|dollars?|chf|francs?)\b)|"
    r"(?<![\d.,:])\d+[.,]\d\d(?![\d.,:])|[£$€]\s?\d+[.,]\d\d)|\b(?P<free>free|gratis|frei|kostenlos|gratuit\w*|libre)\b|免费",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"(?<![\d.,:£$€])(\d{1,2})\s?(?:-|–|—|to|bis|à|a|and|und|至|到)\s?(\d{1,3})(?![\d.,:]\d)", re.IGNORECASE
)
_FROM = re.compile(
    r"(?:\b(?:over|from|above|aged?|ab|über|dès|à partir de|plus de|desde|más de|mayores de)\s(\d{1,3})(?!\d)|"
    r"(?<![\d.,:£$€])(\d{1,3})\s?(?:\+|(?:years? |jahren? |ans |años )?"
    r"(?:and|or|&|und|oder|et|y|o) (?:over|older|above|more|up|älter|plus|más|mehr)\b|plus\b|岁以上))",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"\b(?:under|below|younger than|unter|moins de|menores de)\s(?P<under>\d{1,2})(?!\d)|"
    r"\b(?:up to|until|bis(?: zu)?|jusqu['’]à|hasta)\s(?P<upto>\d{1,2})(?!\d)|(?P<cn>\d{1,2})岁以下",
    re.IGNORECASE,
)
_IS = (
    r"(?:i['’]?m|i am|he['’]?s|he is|she['’]?s|she is|is|are|turns|turned|aged?|of|ich bin|er ist|sie ist|ist|j['’]ai|"
    r"a|tengo|tiene)"
)
_NO_AGE = (
    r"(?:pm|am|[ap]\.m|uhr|euros?|pounds?|dollars?|minutes?|hours?|days?|weeks?|months?|people|persons?|of us|adults?|"
    r"kids|children|tickets?|th\b|st\b|nd\b|rd\b)"
)
_OLD = r"(?:years?[- ]old|yrs?\b|y/?o\b|year[- ]olds?|jahre? alt|jährige?[nr]?\b|ans\b|años\b|岁)"
_AGE = re.compile(
    rf"\b{_IS}\s(?:just |only |already |now |both |schon |erst )?(?P<age>\d{{1,3}})(?!\d|[.,:/]\d|[%€£$]|\s?{_NO_AGE})"
    rf"(?:\s(?:and|und|et|y)\s(?P<second>\d{{1,3}})(?!\d|[.,:/]\d|[%€£$]|\s?{_NO_AGE}))?|"
    rf"(?<![\d.,:/])(?P<years>\d{{1,3}})[- ]?{_OLD}",
    re.IGNORECASE,
)
"""How people tell an age; the second one is that of "our kids are 8 and 10"."""
_SEVERAL = re.compile(r"\b(?:we|they|kids|children|twins|boys|girls|grandchildren|and i|and me) are$", re.IGNORECASE)
_TWO = re.compile(r"\b(?:twins|and i|and me) are$", re.IGNORECASE)
_ASKS_OTHERWISE = re.compile(r"\b(?:can|may|allowed|when|where|who|old)\b", re.IGNORECASE)
_LIST_OF_AGES = re.compile(r"\(\s*(?:aged?\s)?(\d{1,2})(?:\s?(?:,|and|und|et|y|&)\s?(\d{1,2}))*\s*\)")


@dataclass(frozen=True, slots=True)
class AgePrice:
    """What those pay who are from `youngest` to `oldest` years old; `is_told` where the line tells the years."""

    label: str
    youngest: int
    oldest: int
    amount: float
    written: str
    is_told: bool = True
    line: str = ""

    @property
    def shown(self) -> str:
        return self.written if self.amount else "free"


@cache
def _words() -> dict[str, tuple[str, ...]]:
    return word_lists.lists(EXPERTS_DATA / "age_words.txt")


def prices(text: str) -> list[AgePrice]:
    """The prices by age that a text tells, in order."""
    found: list[AgePrice] = []
    for line in listed.lines_of(text):
        start = 0
        for price in _PRICE.finditer(line):
            label = line[start : price.start()].strip(" .:,;–-…|")
            start = price.end()
            if not label and found and found[-1].line == line:
                found.pop()  # of two prices beside each other no one knows which is meant
            if not label or len(label) > MAX_LABEL_CHARS:
                continue
            if years := _years(label):
                amount = listed.number_of(price["money"]) if price["money"] else 0.0
                youngest, oldest, is_told = years
                found.append(AgePrice(label, youngest, oldest, amount, price[0], is_told, line))
    return _with_classes(found)


def _years(label: str) -> tuple[int, int, bool] | None:
    """Between which ages somebody is whom a label means, and whether it tells them; None where it means no age."""
    if _holds(label, "together"):
        return None
    if span := _SPAN.search(label):
        return (int(span[1]), int(span[2]), True) if int(span[1]) < int(span[2]) <= OLDEST else None
    if under := _UNDER.search(label):
        return 0, int(under["upto"]) if under["upto"] else int(under["under"] or under["cn"]) - 1, True
    if first := _FROM.search(label):
        return int(first[1] or first[2]), OLDEST, True
    for kind, (youngest, oldest) in _CLASSES.items():
        if _holds(label, kind):
            return youngest, oldest, False
    return None


_CLASSES = {"seniors": (SENIOR_FROM, OLDEST), "children": (0, CHILD_UNTIL), "adults": (ADULT_FROM, OLDEST)}


def _with_classes(found: Sequence[AgePrice]) -> list[AgePrice]:
    """The prices, those told without years only for the ages that no other one tells."""
    return sorted(found, key=lambda one: (not one.is_told, one.youngest == ADULT_FROM))


def _holds(text: str, kind: str) -> bool:
    return word_lists.holds(spaced(text), _words()[kind])


def stated(question: str) -> list[int]:
    """The ages that a question states, each person once: "I'm 71", "a girl of 7 and a boy of 3"."""
    ages = []
    for match in _AGE.finditer(question):
        own = [int(match[name]) for name in ("age", "second", "years") if match[name]]
        is_of_several = bool(_SEVERAL.search(question[: match.start() + len("are")]))
        if is_of_several and len(own) == 1:
            if not _TWO.search(question[: match.start() + len("are")]):
                return []  # "we are 4", "the kids are 8": how many of that age there are is not said
            own *= 2
        ages += [(match.start(), age) for age in own]
    for match in _LIST_OF_AGES.finditer(question):
        ages += [(match.start(), int(age)) for age in re.findall(r"\d{1,2}", match[0])]
    return [age for _, age in sorted(ages) if 0 < age <= OLDEST]


def answer(question: str, text: str) -> str | None:
    """What those pay whose ages a question states; None where it states none, or the text has no prices by age."""
    ages = stated(question)
    if not ages or not _asks_price(question):
        return None
    known = prices(text)
    if len(known) < 2:
        return None
    of_ages = [_price_at(age, known) for age in ages]
    if any(one is None for one in of_ages):
        return None
    paying = _counted(question, known) + [(1.0, one) for one in of_ages if one]
    if len(paying) == 1 and paying[0][0] == 1:
        one = paying[0][1]
        return f"{one.shown} ({one.label})" if one.amount else f"Free ({one.label})"
    if len({re.sub(r"[\d.,\s]", "", one.written) for _, one in paying if one.amount}) > 1:
        return None
    return _sum(paying)


def _sum(paying: Sequence[tuple[float, AgePrice]]) -> str:
    grouped: dict[AgePrice, float] = {}
    for number, one in paying:
        grouped[one] = grouped.get(one, 0.0) + number
    terms = " + ".join(
        f"{'' if number == 1 else f'{number:g} × '}{one.label} {one.shown}" for one, number in grouped.items()
    )
    like = next((one.written for one in grouped if one.amount), "0")
    unit = re.sub(r"[\d.,\s]", "", like)
    value = listed.Value(0.0, unit, written=like)
    whole = listed.shown(sum(number * one.amount for one, number in grouped.items()), value)
    return f"{whole} ({terms})"


def _price_at(age: int, known: Sequence[AgePrice]) -> AgePrice | None:
    return next((one for one in known if one.youngest <= age <= one.oldest), None)


def _counted(question: str, known: Sequence[AgePrice]) -> list[tuple[float, AgePrice]]:
    """The groups that a question counts without an age: "2 grown-ups"."""
    words = spaced(question).split()
    found = []
    for kind in ("adults", "seniors"):
        for phrase in _words()[kind]:
            at = next((at for at in range(1, len(words)) if words[at] == phrase), 0)
            number = value_of(words[at - 1]) if at else None
            one = next((price for price in known if _holds(price.label, kind)), None)
            if number and one:
                found.append((number, one))
                break
    return found


def _asks_price(question: str) -> bool:
    """Whether words ask what is to be paid, or say no more than who comes: "and my grandson is 5?"."""
    asks = says(question, "pays") or says(question, "sums") or _holds(question, "asks price")
    return asks or (
        len(question.split()) <= MAX_WORDS_AROUND
        and not re.search(r"\b(?:can|may|allowed|when|where|who|old)\b", question, re.I)
    )
