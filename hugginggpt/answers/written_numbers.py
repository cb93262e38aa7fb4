"""Numbers, dates, times of day and durations as people write them in English sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date

from hugginggpt.core.quantities import ONES

_UNITS = [*ONES[1:], "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS: list[str] = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_SMALL = {word: at for at, word in enumerate(_UNITS, start=1)} | {word: 10 * at for at, word in enumerate(_TENS, 2)}
_SMALL |= {"dozen": 12, "pair": 2, "couple": 2}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_BELOW_100 = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_UNITS[:9])}))?|{'|'.join(sorted(_UNITS, key=len)[::-1])})"
WRITTEN = (
    rf"(?:(?:(?:an?|{_BELOW_100})\s+)?(?:hundred|thousand)(?:\s+(?:and\s+)?{_BELOW_100})?"
    rf"|(?:an?\s+|{_BELOW_100}\s+)?(?:dozen|pair|couple)\b|{_BELOW_100})"
)
"""The pattern of a number in words."""

_MONTHS: list[str] = re.findall(
    r"\w+", "january february march april may june july august september october november december"
)
_MONTH = rf"({'|'.join(f'{month[:3]}(?:{month[3:]})?' if month[3:] else month for month in _MONTHS)})\.?"
_DATES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(\d{4})-(\d\d?)-(\d\d?)\b"), "ymd"),
    (re.compile(r"\b(\d\d?)\.\s?(\d\d?)\.\s?(\d{4})\b"), "dmy"),
    (re.compile(r"\b(\d\d?)/(\d\d?)/(\d{4})\b"), "dmy"),
    (re.compile(r"\b(\d\d?)/(\d\d?)/(\d{4})\b"), "mdy"),
    (re.compile(rf"\b(\d\d?)(?:st|nd|rd|th)?\.?\s+(?:of\s+)?{_MONTH},?\s+(\d{{4}})\b", re.IGNORECASE), "dmy"),
    (re.compile(rf"\b{_MONTH}\s+(\d\d?)(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.IGNORECASE), "mdy"),
)
_CLOCK = re.compile(r"\b(\d\d?)(?:[:.](\d\d))?\s?([ap])\.?m\b\.?|\b(\d\d?):(\d\d)\b", re.IGNORECASE)
_PARTS = {"h": 3600, "m": 60, "s": 1}
_DURATION = re.compile(
    r"\b(\d+(?:\.\d+)?)\s*(h|m)(?:(?:ou)?rs?|in(?:ute)?s?)?\b(?:,?\s+(?:and\s+)?(\d+(?:\.\d+)?)\s*([ms]\w*)?)?",
    re.IGNORECASE,
)
_SCALED = re.compile(r"\b(\d+(?:\.\d+)?)\s+(thousand|million|billion)\b", re.IGNORECASE)


def value_of(written: str) -> int:
    """The value of a number in digits or in the words of `WRITTEN`."""
    if written.isdecimal():
        return int(written)
    total = part = 0
    for word in re.split(r"[\s-]+", written.lower()):
        if word in ("hundred", "thousand"):
            total, part = total + (part or 1) * _LARGE[word], 0
        elif word in ("dozen", "pair", "couple"):
            part = (part or 1) * _SMALL[word]
        else:
            part += _SMALL.get(word, 0)
    return total + part


def numbers_in_words(text: str) -> set[int]:
    return {value_of(match[0]) for match in re.finditer(rf"\b{WRITTEN}\b", text, re.IGNORECASE)}


def dates_of(text: str) -> Iterator[tuple[str, date]]:
    """Dates with a year, each as it is written: one that may be read in two ways comes twice."""
    for pattern, order in _DATES:
        for match in pattern.finditer(text):
            parts = dict(zip(order, match.groups(), strict=True))
            month = parts["m"] if parts["m"].isdecimal() else _MONTHS_BY_NAME[parts["m"][:3].lower()]
            with suppress(ValueError):
                yield match[0], date(int(parts["y"]), int(month), int(parts["d"]))


_MONTHS_BY_NAME = {month[:3]: at for at, month in enumerate(_MONTHS, start=1)}


def times_of(text: str) -> Iterator[tuple[str, int]]:
    """Times of day, each as it is written, in minutes: "5pm" and "17:00"."""
    for match in _CLOCK.finditer(text):
        hour, minute = int(match[1] or match[4]), int(match[2] or match[5] or 0)
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        yield match[0], 60 * hour + minute


def amounts_of(text: str) -> Iterator[tuple[str, float]]:
    """Durations in seconds ("1 minute 23") and numbers with a word of size ("1.2 million")."""
    for match in _DURATION.finditer(text):
        unit = match[2].lower()
        rest = (match[4] or ("m" if unit == "h" else "s"))[0].lower()
        yield match[0], float(match[1]) * _PARTS[unit] + float(match[3] or 0) * _PARTS[rest]
    for match in _SCALED.finditer(text):
        yield match[0], float(match[1]) * _LARGE[match[2].lower()]


def without(text: str, readings: Iterator[tuple[str, object]], is_known: Callable[[object], bool]) -> str:
    """The text without what one of its readings says truly."""
    for written, value in list(readings):
        if is_known(value):
            text = text.replace(written, " ")
    return text


def rounds_to(number: float, value: float, places: int) -> bool:
    """Whether a number is written as `value` with so many places, rounded or cut."""
    size = 10.0**places
    return abs(round(number * size) - value * size) < 1e-6 or abs(math.floor(number * size) - value * size) < 1e-6
