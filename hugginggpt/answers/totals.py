"""Compares the totals of several bills, as their readers recorded them: what they come to, which is the cheapest, which
is due first. Nothing is added or chosen where one of them has no total.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hugginggpt.answers.evidence import Evidence
from hugginggpt.core.questions import Question

SUM, DUE, LIST, DIFFERENCE = "sum", "due", "list", "difference"
"""What is asked of the totals; with a relation to each other the highest or lowest, or the earliest to be paid."""
Told = tuple[Evidence, Mapping[str, Any]]


def value_of(question: Question, sources: Sequence[Evidence]) -> tuple[str, ...] | int | None:
    """The names of the bills that have the most or least, or are due first, or the sum; None where that is open."""
    told = _told(sources)
    if len(told) < len(sources) or len(told) < 2 or not _is_alike(told):
        return None
    if question.relation is None:
        return round(sum(float(bill["amount"]) for _, bill in told)) if question.objects[0].words == SUM else None
    ranked = _ranked(question, told)
    return (ranked[0][0].name,) if ranked else None


def sentence(question: Question, sources: Sequence[Evidence]) -> str:
    """The answer, with the totals that it rests on."""
    told, what = _told(sources), question.objects[0].words
    missing = [one.name for one in sources if one not in [source for source, _ in told]]
    each = "; ".join(f"{one.name}: {bill['written']}" for one, bill in told)
    if missing and what != LIST:
        return f"I do not find the total of {', '.join(missing)}, so I cannot tell. {each}{'.' if each else ''}".strip()
    if what == LIST:
        lines = [f"- {one.name}: {_in_words(bill)}" for one, bill in told]
        return "\n".join(["Of each:", *lines, *(f"- {name}: I do not find its total." for name in missing)])
    if len(told) < 2 or not _is_alike(told):
        return f"These cannot be compared as they are. {each}."
    if question.relation is not None:
        return _ranking(question, told, each)
    written = [f"{bill['written']} ({one.name})" for one, bill in told]
    if what == DIFFERENCE:
        high, low = sorted(told, key=lambda pair: -float(pair[1]["amount"]))[:2]
        by = _like(float(high[1]["amount"]) - float(low[1]["amount"]), high[1])
        return f"{by}: {high[1]['written']} ({high[0].name}) - {low[1]['written']} ({low[0].name})."
    whole = _like(sum(float(bill["amount"]) for _, bill in told), told[0][1])
    return f"{whole} in all: {' + '.join(written)}."


def _ranking(question: Question, told: Sequence[Told], each: str) -> str:
    ranked = _ranked(question, told)
    if question.objects[0].words == DUE:
        if not ranked:
            return f"I do not find until when each has to be paid. {each}."
        (first, bill), *others = ranked
        rest = "".join(f"; {one.name}: {other['due']}" for one, other in others)
        return f"{first.name} has to be paid first: by {bill['due']} ({bill['written']}){rest}."
    if not ranked:
        return f"They have the same total: {each}."
    (first, bill), *others = ranked
    most = "the highest" if question.relation == ">" else "the lowest"
    rest = "".join(f"; {one.name}: {other['written']}{_apart(other, bill)}" for one, other in others)
    return f"{first.name} has {most} total: {bill['written']}{rest}."


def _apart(bill: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """By how much one total is more or less than another."""
    by = float(bill["amount"]) - float(other["amount"])
    return f" ({_like(abs(by), bill)} {'more' if by > 0 else 'less'})"


def _ranked(question: Question, told: Sequence[Told]) -> list[Told]:
    """The bills in the order that is asked for; [] where the first two are equal, or one has no date."""
    key = "due_day" if question.objects[0].words == DUE else "amount"
    if not all(bill.get(key) for _, bill in told):
        return []
    ranked = sorted(told, key=lambda pair: pair[1][key], reverse=question.relation == ">")
    return [] if ranked[0][1][key] == ranked[1][1][key] else ranked


def _told(sources: Sequence[Evidence]) -> list[Told]:
    bills = ((one, one.value.get("bill") if isinstance(one.value, dict) else None) for one in sources)
    return [(one, bill) for one, bill in bills if bill]


def _is_alike(told: Sequence[Told]) -> bool:
    """Whether all totals are in one currency."""
    return len({bill["unit"] for _, bill in told}) == 1


def _in_words(bill: Mapping[str, Any]) -> str:
    parts = [
        f"no. {bill['number']}" if "number" in bill else "",
        f"of {bill['date']}" if "date" in bill else "",
        f"due {bill['due']}" if "due" in bill else "",
        str(bill["written"]),
    ]
    return ", ".join(filter(None, parts))


def _like(number: float, bill: Mapping[str, Any]) -> str:
    """A number as the total of a bill is written."""
    written, unit = str(bill["written"]), str(bill["unit"])
    text = f"{number:,.2f}"
    if "," in written[-3:]:
        text = text.replace(",", " ").replace(".", ",").replace(" ", ".")
    return f"{unit}{text}" if unit and written.startswith(unit) else f"{text} {unit}".strip()
