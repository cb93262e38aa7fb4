"""Reads questions for what is measured of files: "which is sharper?", "are they the same size?", "how long is it?"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hugginggpt.core.measures import MEASURES, Measure
from hugginggpt.core.questions import Relation
from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.offline.parsing import is_question, parse
from hugginggpt.offline.selection import NOUNS

MAX_CHARS = 200
_REQUESTED = re.compile(
    r"\b(?:can|could|would|will) (?:you|u)\b(?: please| kindly| just)? (?:make|turn|get|set|do|put|give|have|let|brighten|lighten|darken)\b"
)
"""A request in the form of a question: "could you make it lighter?"."""
REFERENCE = re.compile(
    rf"\b(?:the|this|that|my|your) (?:\w+ ){{0,2}}?(?:{'|'.join(NOUNS)}|original|result)s?\b", re.IGNORECASE
)
"""Words that may refer to a file of the conversation: "the darker one", "the new letter", "the original"."""
_EQUAL = re.compile(r"\b(?:same|equal\w*|identical|as \w+ as)\b")
_TOLD = re.compile(r"\b(?:how|what)\b")
_MORE, _LESS = frozenset(("more", "most")), frozenset(("less", "least", "fewer", "fewest"))
_POSSESSING = re.compile(r"^\W*+(?:(?:and|but|so)\W+)?(?:does|do|has|have|is there|are there)\b")
_BESIDE = frozenset("left right difference other end kind all total mb kb px".split())
"""Nouns beside those of files and measures that name nothing else to be asked about."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of files: a measure, and of several which has more or less of it, or whether they have the same."""

    measure: Measure
    relation: Relation | None = None


def read(text: str, kind: Kind | None) -> Asked | None:
    """What a question asks to be measured of files of a kind; None for any other, and for one that names anything
    else: "which giraffe is taller?" is about what a picture shows.
    """
    text = re.sub(r"\b(what|how)s\b", r"\1's", text.lower().replace("’", "'"))
    if len(text) > MAX_CHARS or re.search(r"\d", text) or _REQUESTED.search(text) or not is_question(text):
        return None
    chooses = re.search(r"\bwhich\b|\bwhat (?:picture|image|photo|file|one)\b", text)
    words = text if chooses else REFERENCE.sub("it", text)
    nouns = {token.lemma_ for token in parse(words) or () if token.tag_ in ("NN", "NNS", "NNP", "NNPS")}
    known = {noun for measure in MEASURES for noun in (*measure.nouns, *measure.ends)} | NOUNS.keys() | _BESIDE
    if any(noun not in known and noun.removesuffix("s") not in known for noun in nouns):
        return None
    return next(filter(None, (_asked(measure, words) for measure in _of(kind))), None)


def _of(kind: Kind | None) -> Iterator[Measure]:
    return (measure for measure in MEASURES if (kind or "image") in measure.kinds)


def _asked(measure: Measure, words: str) -> Asked | None:
    is_called = any(re.search(rf"\b{noun}s?\b", words) for noun in measure.nouns)
    ends = [is_more for form, is_more in measure.ends.items() if re.search(rf"\b{form}\b", words)]
    if not measure.more:
        return Asked(measure) if is_called and _POSSESSING.match(words) else None
    if not (is_called or ends):
        return None
    if _EQUAL.search(words):
        return Asked(measure, "==")
    compared = [
        is_more for form, is_more in measure.ends.items() if form[-1] in "rt" and re.search(rf"\b{form}\b", words)
    ]
    tokens = set(words.split())
    if is_called and not compared and tokens & (_MORE | _LESS):
        compared = [bool(tokens & _MORE)]
    if compared and not re.search(r"\bhow (?:many|much)\b", words):
        return Asked(measure, ">" if compared[0] else "<")
    is_told = re.search(r"\bhow\b", words) if ends else _TOLD.search(words)
    return Asked(measure) if is_told else None


def row_for(measure: Measure, kind: Kind | None, table: TaskTable) -> TaskType | None:
    """The task type that measures this of files of a kind."""
    return next((row for row in table if measure.name in row.measures and row.input_kind == (kind or "image")), None)


def without_ends(words: str) -> str:
    """Words in which "it" stands for a file that they name by a measure: "lighten the dark one" -> "lighten it"."""
    return REFERENCE.sub(lambda match: "it" if _end_in(match[0].lower(), MEASURES) else match[0], words)


def end_named(words: str, kind: Kind | None) -> tuple[Measure, bool] | None:
    """The measure, and which end of it, by which words refer to a file: "the dark one", "the longer recording"."""
    found = (_end_in(reference.lower(), _of(kind)) for reference in REFERENCE.findall(words))
    return next(filter(None, found), None)


def _end_in(reference: str, measures: Iterable[Measure]) -> tuple[Measure, bool] | None:
    ends = ((measure, form, is_more) for measure in measures for form, is_more in measure.ends.items())
    return next(((one, is_more) for one, form, is_more in ends if re.search(rf"\b{form}\b", reference)), None)
