"""What the amounts in a quoted line come to, where a question asks for their sum or difference.

The amounts stay beside the result, so that whoever reads it sees what was added. A sum or an extreme of several lines
is not worked out: a single line that says nothing of it is only a hint.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hugginggpt.experts import grammar

NOT_WORKED_OUT = "what several lines come to, or which of them says the most, is not worked out"
_AMOUNT = re.compile(
    r"(?<![\w.,])(?P<sign>[£$€])\s?(?P<signed>\d[\d,]*(?:\.\d{1,2})?)(?![\d,.]*\d)|"
    r"(?<![\w.,£$€])(?P<number>\d[\d,]*(?:\.\d{1,2})?)\s(?P<unit>pounds?|euros?|dollars?|EUR|USD|GBP)\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?<![\w.,£$€])(?P<value>\d[\d,]*(?:\.\d{1,2})?),?\s(?:(?:to|and|or)\s)?"
    r"(?=\d[\d,]*(?:\.\d{1,2})?\s(?:pounds?|euros?|dollars?|EUR|USD|GBP)\b)",
    re.IGNORECASE,
)
"""A number whose unit stands behind the next one: "from 48 to 52 pounds"."""
_SUM = re.compile(
    r"\b(?:al+together|all together|in total|all in all|in all|total|together|sum|add(?:ed)? up)\b", re.IGNORECASE
)
_DIFFERENCE = re.compile(
    r"\b(?:how much|by how much)\b.*\b(?:more|less|dearer|cheaper|higher|lower|go(?:es)? up|went up|rise|rose|increase|"
    r"difference|save)\b|\bdifference\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|half|twice|double)\b", re.IGNORECASE)
"""Words of a question that asks for several times an amount."""
_TOLD = re.compile(
    r"\b(?:total|together|altogether|sum|difference|more than|less than|of which|each|per|"
    r"adults?|child(?:ren)?|kids|persons?|guests?|members?|students?|seniors?)\b",
    re.IGNORECASE,
)
"""Words of a line that says itself what its amounts come to, or of whose amounts the sum means nothing."""


def worked_out(question: str, line: str) -> str:
    """ "165 + 90 + 120 = 375 pounds" or "191.75 - 182.40 = £9.35", where a question asks for it; else ""."""
    found = [(_value(one), (one["sign"] or one["unit"]).lower().rstrip("s")) for one in _AMOUNT.finditer(line)]
    if not found or len({unit for _, unit in found}) > 1 or _TOLD.search(line) or _COUNTED.search(question):
        return ""
    values, unit = [value for value, _ in found], found[0][1]
    bare = [float(one["value"].replace(",", "")) for one in _BARE.finditer(line)]
    if _DIFFERENCE.search(question):
        values += bare
        if len(values) != 2:
            return ""
        high, low = max(values), min(values)
        return f"{_shown(high)} - {_shown(low)} = {_with_unit(high - low, unit)}"
    if _SUM.search(question) and len(values) > 1 and not bare:
        return f"{' + '.join(map(_shown, values))} = {_with_unit(sum(values), unit)}"
    return ""


def is_over_several(question: str, line: str) -> bool:
    """Whether a question asks for a sum or an extreme of which a quoted line says nothing."""
    if worked_out(question, line):
        return False
    has_extreme = bool(_extremes(question)) and not _extremes(line)
    return has_extreme or bool(_SUM.search(question) and not _SUM.search(line))


def _extremes(text: str) -> list[str]:
    """The superlatives of a text, without "at least" and "at the latest"."""
    text = re.sub(r"\bat (?:the )?\w+", " ", text, flags=re.IGNORECASE)
    return [word.lower for word in grammar.words(text) if word.tag in ("JJS", "RBS")]


def with_sums(question: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer that quotes a line, led by what its amounts come to."""
    line = str(answer.get("closest") or answer["answer"])
    told = worked_out(question, line) if "\n" not in line and " / " not in line else ""
    return {**answer, "answer": f"{told} ({answer['answer']})"} if told else dict(answer)


def _value(one: re.Match[str]) -> float:
    return float((one["signed"] or one["number"]).replace(",", ""))


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _with_unit(value: float, unit: str) -> str:
    if unit in "£$€":
        return f"{unit}{_shown(value)}"
    return f"{_shown(value)} {unit.upper() if len(unit) == 3 else f'{unit}s'}"
