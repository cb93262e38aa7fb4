"""Which of several files answers a question that was put to each of them, and which need not be told.

"Which one is about the boiler?" and "when is Priya at home?", of three recordings, have one answer, in one of them;
that the others do not say it need not be read. Where a question is about each of them, all are told.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hugginggpt.core.documents import enumerated
from hugginggpt.core.events import TaskRecord
from hugginggpt.core.results import best_of

ASSERTED, LIKELY, PERHAPS, NOWHERE = range(4)
"""How well a file answers a question: it says so, probably does, may do, or does not."""
_EACH = re.compile(r"\b(?:each|every|both|all|respectively)\b", re.IGNORECASE)
_WHICH = re.compile(r"\b(?:which|who|whose|whom)\b", re.IGNORECASE)
_NAME = re.compile(
    r"(?<=[\w,;] )[A-Z][a-z]+|\d+|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|"
    r"\b(?:january|february|april|june|july|august|september|october|november|december)\b"
)
"""What a request names: days, people, numbers."""
MIN_SHARE = 0.9
"""Of answers those are told that have this share of the best one's probability."""
UNSURE, UNKNOWN = "Not sure; perhaps {}: “{}”", "I do not find this in any of {}."


def told(asked: Mapping[int, TaskRecord], sources: Mapping[int, str], request: str, are_heard: bool) -> dict[int, str]:
    """What is told of the tasks that put one question to several files, by their numbers: a sentence, or "" of one that
    is not told; none of those that are told as they are. `sources` are the names of their files; `are_heard` tells that
    these are recordings.
    """
    if len(set(sources.values())) < 2 or _EACH.search(request) or not (are_heard or _WHICH.search(request)):
        return {}
    values = {number: best_of(task.value) for number, task in asked.items()}
    ranks = {number: _rank(value) for number, value in values.items()}
    best = min(ranks.values())
    if best in (ASSERTED, LIKELY):
        kept = _likeliest([number for number, rank in ranks.items() if rank == best], values, request)
        return {number: _quoted(sources[number], values[number]) if number in kept else "" for number in asked}
    first = next(number for number in asked if ranks[number] == best)
    closest = max(asked, key=lambda number: float(values[number].get("chance", 0.0)))
    if best == PERHAPS and (quote := values[closest].get("closest")):
        sentence = UNSURE.format(sources[closest], quote)
    else:
        sentence = UNKNOWN.format(enumerated(list(dict.fromkeys(sources.values()))))
    return {number: sentence if number == first else "" for number in asked}


def _likeliest(numbers: Sequence[int], values: Mapping[int, Mapping[str, Any]], request: str) -> Collection[int]:
    """Of the files that answer equally well those that speak of most of what the request names ("on Tuesday"), and of
    these the likeliest.
    """
    named = {word.lower() for word in _NAME.findall(request)}
    shared = {number: len(named & set(re.findall(r"\w+", _quote(values[number]).lower()))) for number in numbers}
    scores = {number: float(values[number].get("score", 1.0)) for number in numbers}
    of_all = [number for number in numbers if shared[number] == max(shared.values())]
    best = max(scores[number] for number in of_all)
    return [number for number in of_all if scores[number] >= MIN_SHARE * best]


def _quoted(source: str, value: Mapping[str, Any]) -> str:
    """ "tenant 1.wav: “The boiler in the basement is leaking.”"; what was worked out stands without quotes."""
    quote = _quote(value)
    return f"{source}: “{quote}”" if quote else f"{source}: {value['answer']}"


def _quote(value: Mapping[str, Any]) -> str:
    """The sentence of its file that an answer is; "" for one that was worked out."""
    told = value.get("passage") or value.get("closest") or (value["answer"] if "score" in value else "")
    return str(told).partition(" / ")[0]  # a second sentence is only near


def _rank(value: Mapping[str, Any]) -> int:
    if value.get("absent"):
        return NOWHERE
    if value.get("found", True):
        return ASSERTED
    if "score" in value:
        return LIKELY
    return PERHAPS if float(value.get("chance", 0.0)) >= 0.1 else NOWHERE
