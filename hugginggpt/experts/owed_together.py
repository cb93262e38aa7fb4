"""What those come to who have not paid: "How many have not paid, and how much is that together?", where it says
"46 members have paid the fee of $60; seven have not".
"""

from __future__ import annotations

import re

from hugginggpt.experts import quantities
from hugginggpt.experts.stated_numbers import value_of

_ASKS_TOGETHER = re.compile(
    r"\bhow many\b[^?]*\b(?:not|n't|still|open|owe|unpaid|outstanding|missing)\b.*"
    r"\bhow much\b[^?]*\b(?:together|altogether|in total|in all|all in all|missing|come to)\b",
    re.IGNORECASE | re.DOTALL,
)
_NOT_PAID = re.compile(
    r"\b(?P<number>\d{1,4}|[a-z]+)\s+(?:(?:of them|members?|people|families|households|children|players|tenants|"
    r"guests)\s+)?(?:(?:have|has|did|do|does) not|(?:have|has|did|do|does)n['’]t|"
    r"(?:are|is) (?:still )?(?:open|missing|unpaid|outstanding|due)|still owe)\b",
    re.IGNORECASE,
)


def answer(question: str, text: str) -> str | None:
    """The number of those who have not paid, and what that is together; None where no single sentence tells both."""
    if not _ASKS_TOGETHER.search(question):
        return None
    told = []
    for sentence in quantities.read(text):
        found = [number for one in _NOT_PAID.finditer(sentence.text) if (number := value_of(one["number"].lower()))]
        if len(found) == 1 and len(sentence.money) == 1:
            told.append((found[0], sentence))
    if len(told) != 1:
        return None
    number, sentence = told[0]
    fee = sentence.money[0]
    return f"{number:g}; {number:g} x {fee.written} = {fee.told(number * fee.number)} ({sentence.quoted})"
