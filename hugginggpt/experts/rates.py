"""What so many of something come to by the price of one: "£14.50 per child" for two, "875 a month" for a year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hugginggpt.experts import listed
from hugginggpt.experts.listed import CENT, Value, shown
from hugginggpt.experts.stated_numbers import IN_A, Counted, counted, says, units
from hugginggpt.experts.stated_numbers import listed as words_of
from hugginggpt.experts.word_likeness import stem, stems_of
from hugginggpt.experts.written_language import function_word

_MONEY = (
    r"(?:(?P<sign>[£$€])\s?(?P<signed>\d[\d,.]*\d|\d)|(?<![\w.,£$€])(?P<number>\d[\d,.]*\d|\d)\s?"
    r"(?P<unit>pounds?\b|euros?\b|dollars?\b|EUR\b|USD\b|GBP\b|€|£|\$|pence\b|p\b|cents?\b|ct\b|元))"
)
_PER = r"(?:per|an?|each|every|pro|je|par|por|im|/|la|le|el)"
_AFTER = re.compile(
    rf"{_MONEY}(?:\s*\([^)]*\))?(?:,?\s+(?!per\b)[^\W\d_]+){{0,2}}?,?\s*{_PER}\s+(?P<per>[^\W\d_]+)"
    r"(?:\s+(?:and|und|et|y|per|a)\s+(?P<also>[^\W\d_]+))?",
    re.IGNORECASE,
)
_ADVERB = re.compile(
    rf"(?P<per>monthly|weekly|daily|nightly|hourly|monatlich\w*|mensuel\w*|mensual\w*)\b[^.\d£$€]{{0,40}}?{_MONEY}",
    re.I,
)
_PCM = re.compile(rf"{_MONEY}\s*(?P<per>pcm|monthly|weekly|daily|monatlich|wöchentlich)\b", re.IGNORECASE)
_CHINESE = re.compile(r"每(?P<per>月|天|晚|年|人)[^\d。]{0,8}(?P<number>\d[\d,.]*)\s*(?P<unit>元|块)")
_LABEL = re.compile(r"\b(?:per|pro|par|por|je|/)\s*(?P<per>[^\W\d_]+)\b", re.IGNORECASE)
_CAP = re.compile(
    rf"\b(?:up to|at most|maximum(?: of)?|max\.?|no more than|capped at|höchstens)\s+{_MONEY}", re.IGNORECASE
)
_ASKS = re.compile(
    r"\b(?:how much|what|whats|what's|cost|costs|owe|charge|pay|total|come to|wie ?viel|was|kostet|combien|coûte|"
    r"cuánto|cuesta|price|fine|together|altogether|insgesamt|en tout|en total)\b|多少|一共",
    re.IGNORECASE,
)
_SMALL = {"p": "£", "pence": "£"}
PERSON = "person"


@dataclass(frozen=True, slots=True)
class Rate:
    """The price of one: a month, a night, a person, a page; `also` is a further one ("per person, per night")."""

    value: Value
    per: str
    line: str
    also: str = ""


def rates(text: str) -> list[Rate]:
    """The prices of one that a text names, in order."""
    found: dict[tuple[float, str], Rate] = {}
    for line in listed.lines_of(text):
        for rate in _in(line):
            found.setdefault((rate.value.number, rate.per), rate)
    return list(found.values())


def _in(line: str) -> Iterator[Rate]:
    for pattern in (_AFTER, _PCM, _ADVERB, _CHINESE):
        for match in pattern.finditer(line):
            groups = match.groupdict()
            also = units().get((groups.get("also") or "").lower(), "")
            yield Rate(_value(match), _one(match["per"]), line, also)
    for record in listed.records(line):
        if (label := _LABEL.search(record.label)) and record.price and len(record.values) == 1:
            yield Rate(record.price, _one(label["per"]), line)


def _value(match: re.Match[str]) -> Value:
    groups = match.groupdict()
    written = groups.get("signed") or groups["number"]
    unit = groups.get("sign") or groups["unit"]
    return Value(
        listed.number_of(written), unit, written=f"{unit}{written}" if groups.get("sign") else f"{written} {unit}"
    )


def _one(word: str) -> str:
    """What a price is of: a time, "person", or the stem of the word."""
    word = word.lower()
    if word in units():
        return units()[word]
    if word in ("person", "persona", "personne", "head", "adult", "guest", "kopf", "人"):
        return PERSON
    return stem(word)


def answer(question: str, text: str) -> tuple[str, bool] | None:
    """What the number that a question states comes to by the price of one, with the calculation, and whether it is
    sure that this price is meant; None where nothing fits.
    """
    if not _ASKS.search(question):
        return None
    stated = counted(question)
    fitting = [(rate, times, of) for rate in rates(text) if (match := _times(rate, stated)) for times, of in [match]]
    fitting = [one for one in fitting if one[1] != 1]
    if not fitting:
        return None
    asked = _content(question)
    if _names_other(asked, text, [rate.line for rate, *_ in fitting]):
        return None
    overlap = [len(asked & stems_of(rate.line)) for rate, _, _ in fitting]
    best = [one for one, shared in zip(fitting, overlap, strict=True) if shared == max(overlap)]
    if len({rate.value.number for rate, _, _ in best}) > 1:
        return None
    rate, times, of = best[0]
    others = len({rate.value.number for rate in rates(text)}) > 1
    is_sure = (max(overlap) > 0 or not others) and len(stated) - any(one.time == "year" for one in stated) < 3
    return _told(rate, times, of), is_sure


def _names_other(asked: frozenset[str], text: str, lines: Sequence[str]) -> bool:
    """Whether words name a priced line of a list that no rate stands on."""
    others = [
        record for record in listed.records(text) if record.price and not record.is_sum and record.line not in lines
    ]
    return any((own := stems_of(re.sub(r"\(.*?\)", "", record.label))) and own <= asked for record in others)


def _told(rate: Rate, times: float, of: str) -> str:
    whole = times * rate.value.number
    like = rate.value
    how = f"{of} x {like.written}"
    quoted = f"“{' '.join(rate.line.split())}”"
    if (cap := _CAP.search(rate.line)) and (most := _value(cap)):
        limit = most.number * (100 if like.unit.lower() in _SMALL and most.unit.lower() not in _SMALL else 1)
        if whole > limit + CENT:
            return f"{most.written}, which is the most ({how} would be more): {quoted}"
    if like.unit.lower() in _SMALL:
        pounds = f"{_SMALL[like.unit.lower()]}{whole / 100:.2f}"
        return f"{how} = {pounds} ({quoted})"
    return f"{how} = {shown(whole, like)} ({quoted})"


def _times(rate: Rate, stated: Sequence[Counted]) -> tuple[float, str] | None:
    """How many times a price is paid, and how that comes about; None where the question states nothing of it."""
    first = _times_of(rate.per, stated)
    if not rate.also or rate.also == rate.per:
        return first
    second = _times_of(rate.also, stated)
    if first and second:
        return first[0] * second[0], f"{first[1]} x {second[1]}"
    return first or second


def _times_of(per: str, stated: Sequence[Counted]) -> tuple[float, str] | None:
    """How many of one thing a question states, in the last of its sentences that states any."""
    numbers = [(number, one.sentence) for one in stated if (number := _number_of(per, one))]
    if not numbers and _is_young(per):  # "we are 26 in the class"
        numbers = [(one.number, one.sentence) for one in stated if one.are_we]
    last = [number for number, sentence in numbers if sentence == numbers[-1][1]]
    if not last or (len(last) > 1 and per in set(units().values())):
        return None
    return sum(last), f"{sum(last):g}"


def _number_of(per: str, one: Counted) -> float | None:
    """How many of what a price is of a number counts; None where it counts anything else."""
    if per in set(units().values()):
        return one.number if one.time == per else one.number * IN_A[per, one.time] if (per, one.time) in IN_A else None
    is_meant = one.is_people if per == PERSON else any(stem(word) == per for word in one.words[:2])
    return one.number if is_meant or (_is_young(per) and one.is_young) else None


def _is_young(per: str) -> bool:
    return per in {stem(word) for word in words_of("young")}


def _content(question: str) -> frozenset[str]:
    """The stems of the words that a question names something by."""
    text = " ".join(word for word in re.findall(r"[^\W\d_]+", question.lower()) if not _is_light(word))
    return stems_of(text)


def _is_light(word: str) -> bool:
    return (
        any(function_word(word, code) for code in ("en", "de", "fr", "es")) or says(word, "pays") or says(word, "total")
    )
