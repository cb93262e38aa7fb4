"""Compares what tasks measured of files: which is the brighter one, whether they have the same size."""

from __future__ import annotations

from collections.abc import Sequence

from hugginggpt.answers.evidence import Evidence
from hugginggpt.core.measures import Measure, measure
from hugginggpt.core.questions import Question

Told = tuple[Evidence, float]


def value_of(question: Question, sources: Sequence[Evidence]) -> bool | int | tuple[str, ...] | None:
    """The names of the file that has most or least of it, whether all have the same, or the number of the only one;
    None where that is not known, or too close.
    """
    asked = measure(question.objects[0].words)
    told = _told(asked, sources)
    if asked is None or not told or len(told) < len(sources):
        return None
    if question.relation is None:
        return round(told[0][1]) if len(told) == 1 else None
    if len(told) < 2:
        return None
    if question.relation == "==":
        is_exact = not asked.margin and len({asked.told(one.value) for one, _ in told}) == 1
        return is_exact or bool(asked.margin and _is_close(asked, told[0], told[-1]))
    best = told if question.relation == ">" else told[::-1]
    return None if _is_close(asked, best[0], best[1]) else (best[0][0].name,)


def sentence(question: Question, sources: Sequence[Evidence]) -> str:
    """The answer in a sentence, with the numbers that it rests on."""
    asked = measure(question.objects[0].words)
    told = _told(asked, sources)
    missing = [one.name for one in sources if one not in [source for source, _ in told]]
    if asked is None or missing:
        return f"There is no measure of {', '.join(missing)}, so I cannot tell."
    value = value_of(question, sources)
    if not asked.more:
        return (
            ". ".join(f"{'Yes' if number else 'No'}: {one.name} {asked.told(one.value)}" for one, number in told) + "."
        )
    numbers = "; ".join(f"{one.name}: {asked.told(one.value)}" for one, _ in told)
    if question.relation is None:
        return f"{numbers}."
    if len(told) < 2:
        return f"There is only one to be compared. {numbers}."
    if question.relation == "==":
        return f"{'Yes' if value else 'No'}: {numbers}{_caveat(asked)}."
    if not isinstance(value, tuple):
        most = asked.adjective(question.relation == ">")
        return f"I cannot tell which is {most}, they are about the same: {numbers}{_caveat(asked)}."
    most = asked.adjective(question.relation == ">")
    most = most if len(told) == 2 else f"the {_superlative(most)}"
    (best, _), *others = told if question.relation == ">" else told[::-1]
    rest = "".join(f"; {one.name}: {asked.told(one.value)}" for one, _ in others)
    return f"{best.name} is {most}: {asked.told(best.value)}{rest}{_caveat(asked)}."


def _superlative(comparative: str) -> str:
    return comparative.replace("more ", "most ") if comparative.startswith("more ") else f"{comparative[:-1]}st"


def _caveat(asked: Measure) -> str:
    return f" ({asked.caveat})" if asked.caveat else ""


def _told(asked: Measure | None, sources: Sequence[Evidence]) -> list[Told]:
    """The sources that were measured with their numbers, the largest first."""
    pairs = [(one, number) for one in sources if asked and (number := asked.of(one.value)) is not None]
    return sorted(pairs, key=lambda pair: -pair[1])


def _is_close(asked: Measure, one: Told, other: Told) -> bool:
    (_, large), (_, small) = sorted((one, other), key=lambda pair: -abs(pair[1]))
    return abs(large - small) <= asked.margin * abs(large)
