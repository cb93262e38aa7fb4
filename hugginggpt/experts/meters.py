"""What was used between two readings of a meter, and what that costs at the price of a unit.

The readings stand on a page, or the question tells one: "last reading was 4391". Only one earlier and one later reading
are compared.
"""

from __future__ import annotations

import re

from hugginggpt.experts import listed, rates
from hugginggpt.experts.listed import number_of

_READING = r"(?:meter )?(?:readings?|index|relevé|lectura|zählerstand|stand|kilometerstand)"
_BEFORE = rf"(?:last|previous|prior|old|opening|start|first|ancien|letzter|alter|voriger|anterior)\s+{_READING}"
_AFTER = rf"(?:this|current|present|new|latest|closing|end|nouveau|neuer|aktueller|actual)\s+{_READING}"
_NUMBER = r"(?<![\d.,/])(?P<number>\d{3,}(?:[ ,.]\d{3})*)(?![\d/])"
_EARLIER = re.compile(rf"\b(?:{_BEFORE}|lectura anterior|alter zählerstand)\b(?P<rest>[^\n?]{{0,60}})", re.I)
_LATER = re.compile(rf"\b(?:{_AFTER}|lectura actual|neuer zählerstand)\b(?P<rest>[^\n?]{{0,60}})", re.I)
_DIGITS = re.compile(_NUMBER)
_OF_UNITS = re.compile(r"(?<![\w.,/-])(\d{4,8})\s{0,3}(?:kWh|m³|m3)(?!\w)", re.IGNORECASE)
_WHOLE = re.compile(r"(?<![\w.,/-])\d{4,8}(?![\w.,/-])")
_ASKS = re.compile(
    r"\b(?:units?|kwh|m³|m3|cubic|used?|using|consum\w+|consommé\w*|verbrauch\w*|consumido)\b", re.IGNORECASE
)
_SINCE = re.compile(r"\b(?:since|reading|between|last|used?|seit|depuis|desde|consommé\w*|verbraucht)\b", re.IGNORECASE)
_PRICE = re.compile(r"\bat\s+(?P<sign>[£$€])?(?P<price>\d+(?:\.\d+)?)\s?(?P<unit>p|pence|cents?|ct)?\b", re.IGNORECASE)
_ASKS_COST = re.compile(r"\b(?:cost|costs|pay|bill|owe|charge|much|kostet|coûte|cuesta|price)\b", re.IGNORECASE)
_UNIT_NAMES = frozenset(("unit", "kwh", "m³", "einheit"))


def answer(question: str, text: str) -> str:
    """ "337 units (4728 - 4391); 337 x 28.5p = £96.05"; "" where a question asks for no such thing, or the readings are
    not told.
    """
    if not (_ASKS.search(question) and _SINCE.search(question)):
        return ""
    before, after = _reading(_EARLIER, question, text), _reading(_LATER, question, text)
    if before and not after and before[1] == "question":
        after = _only_number(text)
    if not before or not after or after[0] <= before[0]:
        return ""
    used = after[0] - before[0]
    told = f"{used:g} units ({after[0]:g} - {before[0]:g})"
    return f"{told}{_cost(used, question, text)}"


def _reading(pattern: re.Pattern[str], question: str, text: str) -> tuple[float, str] | None:
    """The only reading that is called so, and where it is told: in the question, or on the page."""
    for where, source in (("question", question), ("text", text)):
        rests = [re.sub(r"\([^()]*\)", " ", match["rest"]) for match in pattern.finditer(source)]
        numbers = {number_of(digits[1].replace(" ", "")) for rest in rests if (digits := _DIGITS.search(rest))}
        if len(numbers) == 1:
            return numbers.pop(), where
    return None


def _only_number(text: str) -> tuple[float, str] | None:
    """The only number of four digits or more on a meter's picture; before others one with its unit."""
    lines = listed.lines_of(text)
    found = {number for line in lines for number in _OF_UNITS.findall(line)}
    found = found or {number for line in lines for number in _WHOLE.findall(line)}
    return (float(found.pop()), "text") if len(found) == 1 else None


def _cost(used: float, question: str, text: str) -> str:
    """What the units cost, at the price that the question or the page tells; "" where neither does."""
    if not _ASKS_COST.search(question):
        return ""
    if match := _PRICE.search(question):
        price = float(match["price"])
        if match["unit"]:
            sign = "£" if match["unit"].lower().startswith("p") else ""
            return f"; {used:g} x {match['price']}{match['unit']} = {sign}{_rounded(used * price / 100)}"
        return f"; {used:g} x {match['sign'] or ''}{match['price']} = {match['sign'] or ''}{_rounded(used * price)}"
    prices = {rate.value for rate in rates.rates(text) if rate.per in _UNIT_NAMES}
    if len(prices) != 1:
        return "; I do not find the price of a unit"
    value = prices.pop()
    return f"; {used:g} x {value.written} = {_rounded(used * value.number)}"


def _rounded(number: float) -> str:
    """An amount of money, half a penny rounded up."""
    return f"{int(100 * number + 0.5 + 1e-9) / 100:,.2f}"
