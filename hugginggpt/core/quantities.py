"""Numbers and times as people write them: "half", "1.5", "0:30", "two minutes and 10 seconds"."""

from __future__ import annotations

import re

ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""The first numbers in words, each at its value."""
NUMBERS: dict[str, float] = {
    **{word: value for value, word in enumerate(ONES)},
    **dict(zip(["fifteen", "twenty", "thirty", "forty", "forty-five", "fifty", "sixty", "ninety", "hundred"],
               (15, 20, 30, 40, 45, 50, 60, 90, 100), strict=True)),
    "a": 1, "an": 1, "half": 0.5, "third": 1 / 3, "quarter": 0.25, "half a": 0.5, "half an": 0.5, "couple of": 2,
    "a couple of": 2,
}  # fmt: skip
"""The numbers that are written as words."""
SCALES: dict[str, float] = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
"""What stands behind a number that counts so many."""
_WORDS = "|".join(sorted(map(re.escape, NUMBERS), key=len, reverse=True))
DIGITS = r"(?<!\d)\d{1,9}(?!\d)"
"""A pattern for a whole number. It begins where the digits begin, and is never longer: else thousands of digits would
be tried from each of them to the end.
"""
DECIMAL = rf"{DIGITS}(?:[.,]\d{{1,20}}(?!\d))?"
"""A pattern for a number in digits."""
NUMBER = rf"(?:{DECIMAL}|\.\d{{1,20}}(?!\d)|(?<![A-Za-z])(?:{_WORDS})(?![\w]))"
"""A pattern for a number, without a sign."""
_PARTS = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
"""How many of a part make the whole; plurals are told by their "s"."""
FRACTION = (
    rf"(?:(?<![\w./,])(?:\d{{1,2}}|{'|'.join(ONES[1:])})[ -])?\b(?:{'|'.join(_PARTS)})s?\b"
    r"|(?<![\w./,])\d{1,2} ?/ ?\d{1,3}(?![\w/])"
)
"""A pattern for a fraction: "half", "two thirds", "three-quarters", "2/3"."""
SHARE = rf"(?:{NUMBER} ?(?:%|per ?cent\b)|{FRACTION})"
"""A pattern for a percentage or a fraction."""
_UNITS = {"ms": 0.001, "mil": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_UNIT = r"(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h)(?![a-z])"
_CLOCK = r"(?<!\d)\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,20})?(?!\d)"
_MEASURED = rf"{NUMBER}[\s-]{{0,2}}{_UNIT}"
TIME = rf"(?:{_CLOCK}|{_MEASURED}(?:(?:,? and |,? ){_MEASURED}|(?=\d){_MEASURED}){{0,3}}(?: and a half)?)"
"""A pattern for a place in a recording, or for how long something lasts."""


def number(text: str) -> float | None:
    """The first number of a text, in digits if there is one; None without any."""
    match = re.search(rf"{DECIMAL}|\.\d{{1,20}}(?!\d)", text) or re.search(rf"(?<!\w){NUMBER}", text, re.IGNORECASE)
    return _value(match[0]) if match else None


def share_of_hundred(text: str) -> float | None:
    """The first percentage of a text as a share: 0.1 for "10 %" and "ten per cent"; None without one."""
    match = re.search(rf"({NUMBER}) ?(?:%|per ?cent\b)", text, re.IGNORECASE)
    return _value(match[1]) / 100 if match else None


def fraction(text: str) -> float | None:
    """The first fraction of a text: 0.5 for "half", 2/3 for "two thirds" and "2/3"; None without one."""
    match = re.search(FRACTION, text, re.IGNORECASE)
    if match is None:
        return None
    if "/" in match[0]:
        count, parts = (int(each) for each in match[0].split("/"))
        return count / parts if parts else None
    *many, part = re.split(r"[ -]", match[0].lower())
    return _value(many[0] if many else "1") / _PARTS[part.rstrip("s")]


def seconds(text: str) -> float | None:
    """The seconds of the first time in a text ("1:30", "90 s", "a minute and a half"); None without one."""
    match = re.search(rf"(?<![\w.:]){TIME}", text, re.IGNORECASE)
    if match is None:
        return None
    if re.match(_CLOCK, match[0]):
        total = 0.0
        for part in match[0].replace(",", ".").split(":"):
            total = 60 * total + float(part)
        return total
    parts = [
        (_value(one[1]), _unit(one[2])) for one in re.finditer(rf"({NUMBER})[\s-]{{0,2}}({_UNIT})", match[0], re.I)
    ]
    total = sum(value * unit for value, unit in parts)
    return total + (parts[-1][1] / 2 if match[0].lower().endswith("and a half") else 0.0)


def _value(word: str) -> float:
    known = NUMBERS.get(word.lower())
    return float(word.replace(",", ".")) if known is None else known


def _unit(word: str) -> float:
    name = word.lower()
    return next((_UNITS[key] for key in ("ms", "mil") if name.startswith(key)), 0.0) or _UNITS[name[0]]


def clock(value: float) -> str:
    """Seconds as people read them: "0:07", "1:02:03", "0:02.5"."""
    tenths = round(value * 10)
    minutes, rest = divmod(tenths // 10, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{tenths % 10}" if tenths % 10 else ""
    return (f"{hours}:{minutes:02d}" if hours else str(minutes)) + f":{rest:02d}{fraction}"
