"""The value of a question: three-valued where results leave it open (Kleene's logic over ranges of counts).

A count is a range of numbers: of objects with a qualifier that nothing can judge ("black dogs") there may be none or as
many as there are dogs; of objects that no result tells of, any number.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hugginggpt.answers import measured, totals
from hugginggpt.answers.evidence import INFINITY, Counts, Evidence
from hugginggpt.core import moments
from hugginggpt.core.questions import Objects, Question, Relation

Range = tuple[int, int]
Value = bool | int | tuple[str, ...] | None
Key = TypeVar("Key")
CLEARLY_MORE = 2
CLOSED_SET = 0.98
"""A classification whose scores add up to this much has told of all its classes."""


def value_of(question: Question, counts: Counts, sources: Sequence[Evidence]) -> Value:
    """The answer to a question; None where the results do not decide it."""
    if question.operation == "is":
        return _not(is_classified(question, sources), question.negated)
    if question.operation == "mentions":
        return _not(mentions(question, sources), question.negated)
    if question.operation == "written":
        return written(sources)
    if question.operation == "measure":
        return measured.value_of(question, sources)
    if question.operation == "totals":
        return totals.value_of(question, sources)
    return _BY_COUNT[question.operation](question, counts)


def compare(one: Range, relation: Relation, other: Range) -> bool | None:
    """Whether a relation holds between two numbers of which only ranges are known; None if it depends."""
    if relation in (">", ">="):
        return compare(other, "<" if relation == ">" else "<=", one)
    if relation == "==":
        if one == other and one[0] == one[1]:
            return True
        return False if one[1] < other[0] or other[1] < one[0] else None
    holds: Callable[[int, int], bool] = operator.lt if relation == "<" else operator.le
    if holds(one[1], other[0]):
        return True
    return None if holds(one[0], other[1]) else False


def any_of(truths: Iterable[bool | None]) -> bool | None:
    values = list(truths)
    return True if True in values else None if None in values else False


def all_of(truths: Iterable[bool | None]) -> bool | None:
    return _not(any_of(_not(truth) for truth in truths))


def _not(truth: bool | None, negated: bool = True) -> bool | None:
    return truth if truth is None else truth != negated


# Operations on counts


def _count(question: Question, counts: Counts) -> Value:
    if question.relation and question.number is not None:
        return _exists(question, counts)
    low, high = counts.range
    return low if low == high - len(counts.faint) else None


def _exists(question: Question, counts: Counts) -> bool | None:
    """Whether the number of objects is in the relation, which by default is more than none."""
    relation, number = wanted_number(question)
    groups = [counts.of(objects=one) for one in counts.objects] if question.all_objects else [counts]
    if question.all_sources:
        groups = [group.of(source=source) for group in groups for source in group.sources]
    return _not(all_of(compare(group.range, relation, number) for group in groups), question.negated)


def wanted_number(question: Question) -> tuple[Relation, Range]:
    """The relation to a number that a question asks about."""
    if question.relation is None or question.number is None:
        return ">", (0, 0)
    number = round(question.number)
    return question.relation, (number, number)


def sides(counts: Counts) -> tuple[Counts, Counts] | None:
    """What is compared: the first objects with the second, or those of the first source with those of the second."""
    if len(counts.objects) > 1:
        one, other = (counts.of(objects=objects) for objects in counts.objects[:2])
    elif len(counts.sources) > 1:
        one, other = (counts.of(source=source) for source in counts.sources[:2])
    else:
        return None
    return one, other


def _compared(question: Question, counts: Counts) -> bool | None:
    pair = sides(counts)
    if question.relation and question.number is not None and (pair is None or len(counts.objects) == 1):
        return _exists(question, counts)
    if pair is None:
        return None
    if question.operation == "equal" and len(counts.objects) == 1:
        groups = [counts.of(source=source) for source in counts.sources]
        equal = all_of(compare(groups[0].range, "==", group.range) for group in groups[1:])
        return _not(equal, question.negated)
    relations: dict[str, Relation] = {"more": ">", "fewer": "<", "equal": "=="}
    return _not(compare(pair[0].range, relations[question.operation], pair[1].range), question.negated)


def _difference(question: Question, counts: Counts) -> int | None:
    """How many more there are on the first side than on the second, below 0 if there are fewer."""
    pair = sides(counts)
    if pair is None or any(low != high for low, high in (pair[0].range, pair[1].range)):
        return None
    return pair[0].number - pair[1].number


def _extreme(question: Question, counts: Counts) -> tuple[str, ...] | None:
    found = highest(ranges(counts), question.operation == "most")
    if found is not None or any(cell.objects.unjudged or cell.objects.is_wider or not cell.known for cell in counts):
        return found
    numbers = {name: counts.of(source=source).number for name, source in _by_name(counts)}
    if question.operation != "most" or len(numbers) < 2:
        return None
    *_, second, first = sorted(numbers.values())  # what is hardly seen makes no difference of two or more
    return highest({name: (n, n) for name, n in numbers.items()}, True) if first - second >= CLEARLY_MORE else None


def ranges(counts: Counts) -> dict[str, Range]:
    """The range of each source under its name; of a single source, of each of its objects, or of each label."""
    if len(counts.sources) > 1:
        return {source.name: counts.of(source=source).range for source in counts.sources}
    if len(counts.objects) > 1:
        return {objects.words: counts.of(objects=objects).range for objects in counts.objects}
    if any(low != high for low, high in (cell.range for cell in counts)):
        return {"": (0, INFINITY)}
    return {label: (number, number) for label, number in counts.labels.items()}


def highest(numbers: dict[str, Range], most: bool) -> tuple[str, ...] | None:
    """The keys with the highest number (or the lowest); () if all are 0, None if the ranges do not tell."""
    if all(numbers_range == (0, 0) for numbers_range in numbers.values()):
        return ()
    signed = numbers if most else {key: (-high, -low) for key, (low, high) in numbers.items()}
    least = max(low for low, _ in signed.values())
    first = [key for key, (_, high) in signed.items() if high >= least]
    return tuple(first) if all(signed[key] == (least, least) for key in first) else None


def _filter(question: Question, counts: Counts) -> tuple[str, ...] | None:
    chosen = {name: _exists(question, counts.of(source=source)) for name, source in _by_name(counts)}
    return None if None in chosen.values() else tuple(name for name, holds in chosen.items() if holds)


def _by_name(counts: Counts) -> list[tuple[str, Evidence]]:
    return [(source.name, source) for source in counts.sources]


def _sort(question: Question, counts: Counts) -> tuple[str, ...] | None:
    numbers = ranges(counts)
    if any(low != high for low, high in numbers.values()):
        return None
    return tuple(sorted(numbers, key=lambda key: numbers[key][0], reverse=not question.negated))


def _when(question: Question, counts: Counts) -> tuple[str, ...] | None:
    """The runs of times at which any of the objects is seen; () where none is, None where they cannot be told."""
    if any(objects.unjudged or objects.is_wider for objects in counts.objects) and counts.number:
        return None
    sources = counts.present.sources
    if not sources or not all(source.looked for source in sources):
        return None
    spans = [span for source in sources for span in moments.runs(source.times(counts.labels), source.looked)]
    return tuple(moments.in_words([span]) for span in spans)


def _list(question: Question, counts: Counts) -> tuple[str, ...] | None:
    if any(objects.unjudged or objects.is_wider for objects in counts.objects) and counts.number:
        return None
    return tuple(label for label, _ in counts.labels.most_common()) if counts.present.cells else None


_BY_COUNT: dict[str, Callable[[Question, Counts], Value]] = {
    "count": _count, "exists": _exists, "more": _compared, "fewer": _compared, "equal": _compared,
    "difference": _difference, "most": _extreme, "fewest": _extreme, "filter": _filter, "sort": _sort, "list": _list,
    "when": _when,
}  # fmt: skip


# Classes and texts


def is_classified(question: Question, sources: Sequence[Evidence]) -> bool | None:
    """Whether the first class of the sources (of any of them) is called as the question says."""
    return any_of(_is_first(objects, source) for source in sources for objects in question.objects)


def _is_first(objects: Objects, source: Evidence) -> bool | None:
    classes = source.classes
    if not classes or objects.unjudged:
        return None
    names = [name.casefold() for name in (objects.words, *objects.labels)]
    matching = [is_called(label, names) for label, _ in classes]
    if any(matching):
        return matching[0]
    told_all = sum(float(score or 0) for _, score in classes) >= CLOSED_SET
    return None if told_all else False


def is_called(label: str, names: Sequence[str]) -> bool:
    """Whether a class ("POSITIVE", "Speech, narration") is meant by one of some names in lower case."""
    parts = [label.casefold(), *re.split(r"\s*[,;/(]\s*", label.casefold())]
    return any(part.replace("_", " ") in names for part in parts)


def written(sources: Sequence[Evidence]) -> tuple[str, ...] | None:
    """The texts that were read in videos; None where a result does not tell them from what else was seen."""
    if any(source.writing is None for source in sources):
        return None
    return tuple(dict.fromkeys(text for source in sources for text in source.writing or {}))


def mentions(question: Question, sources: Sequence[Evidence]) -> bool | None:
    """Whether all words of some objects stand in a text."""
    combine = all_of if question.all_objects else any_of
    return combine(
        any_of(None if source.missing else bool(passage(objects.words, source.text)) for source in sources)
        for objects in question.objects
    )


def passage(words: str, text: str) -> str:
    """The sentence of a text that holds some words, in their singular or plural; "" if there is none."""
    stems = [re.escape(_stem(word)) for word in re.findall(r"\w+", words)]
    if not stems:
        return ""
    match = re.search(r"\b" + r"\W+".join(rf"{stem}(?:e?s|['’]s)?" for stem in stems) + r"\b", text, re.IGNORECASE)
    if not match:
        return ""
    start = max(text.rfind(mark, 0, match.start()) for mark in (". ", "? ", "! ", "\n")) + 1
    ends = [at + 1 for mark in (". ", "? ", "! ", "\n") if (at := text.find(mark, match.end())) >= 0]
    return " ".join(text[start : min(ends, default=len(text))].split())


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
