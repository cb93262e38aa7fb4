"""Each one's part of an amount that a text says is divided among so many: "3,600 euros, shared by the 12 flats"."""

from __future__ import annotations

import re

from hugginggpt.experts import foreign_reading, listed
from hugginggpt.experts.listed import Value, shown
from hugginggpt.experts.stated_numbers import value_of

_EACH = re.compile(
    r"\b(?:each|every|per|jede[rsnm]?|pro|chaque|par|cada|por)\s+(?P<noun>[^\W\d_]{3,})|"
    r"每(?P<chinese>[\u3400-\u9fff]{1,2})",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(r"\b(?:how much|what|wie ?viel|was|combien|cuánto)\b|多少", re.IGNORECASE)
_SHARED = re.compile(
    r"\b(?:shared?|split|divided?|spread|among|between|verteilt|aufgeteilt|umgelegt|geteilt|reparti\w*|partag\w*|divis\w*|"
    r"reparte\w*|divid\w*)\b|分摊|平分",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?<![\d.,])(?P<number>\d{1,3}|[^\W\d_]+)\s?(?P<noun>[^\W\d_]{1,20})", re.IGNORECASE)
_MONEY = re.compile(
    r"(?P<sign>[£$€])\s?(?P<signed>\d[\d.,]*\d|\d)|"
    r"(?P<number>\d[\d.,]*\d|\d)\s?(?P<unit>euros?|pounds?|dollars?|EUR|GBP|USD|€|元)",
    re.IGNORECASE,
)
MIN_PREFIX = 4
"""The letters with which the noun of a question and that of a text begin alike: "flat" and "flats"."""


def answer(question: str, text: str) -> str:
    """What each pays, with the calculation and the sentence; "" where a question asks for no part or no line tells."""
    each = _EACH.search(question) if _HOW_MUCH.search(question) else None
    if each is None:
        return ""
    noun = (each["noun"] or each["chinese"]).lower()
    for sentence in foreign_reading.units(text):
        amounts = list(_MONEY.finditer(sentence))
        counts = {
            number
            for one in _COUNTED.finditer(sentence)
            if _is_alike(noun, one["noun"].lower()) and (number := value_of(one["number"].lower())) and number > 1
        }
        if not _SHARED.search(sentence) or len(amounts) != 1 or len(counts) != 1:
            continue
        (whole,), count = amounts, counts.pop()
        value = Value(
            listed.number_of(whole["signed"] or whole["number"]), whole["sign"] or whole["unit"], written=whole[0]
        )
        return f"{shown(value.number / count, value)}: {whole[0]} / {count:g} (“{sentence}”)"
    return ""


def _is_alike(noun: str, other: str) -> bool:
    size = min(MIN_PREFIX, len(noun), len(other))
    return noun[:size] == other[:size]
