"""What tasks gave a question: regions with labels and scores, classes, texts; and the objects counted in them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hugginggpt.core import moments
from hugginggpt.core.questions import Objects
from hugginggpt.core.results import SCHEMAS, is_unsure, plural

WRITTEN = moments.PARTS[0]
INFINITY = 10**9
KINDS = 80
"""The number of kinds of things that detectors know which learned the classes of COCO."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The result of a task: its form and value, and the file or text it is about, under the user's name for it.

    A task that failed has no form: its evidence is missing.
    """

    task: int
    file: str
    name: str
    form: str = ""
    value: Any = None

    @property
    def missing(self) -> bool:
        return not self.form

    @property
    def has_regions(self) -> bool:
        return self.form in SCHEMAS and bool(SCHEMAS[self.form].draws)

    @property
    def text(self) -> str:
        """What a later task would read of it."""
        return SCHEMAS[self.form].to_text(self.value) if self.form in SCHEMAS else ""

    @property
    def classes(self) -> list[tuple[str, float | None]]:
        """(label, score) of a classification, the best first."""
        if self.form != "labels" or not isinstance(self.value, list):
            return []
        return [(str(row["label"]), row.get("score")) for row in self.value]

    @property
    def looked(self) -> dict[str, Any]:
        """What of a video was looked at; {} for a picture."""
        found = self.value.get(moments.LOOKED) if isinstance(self.value, dict) else None
        return found or {}

    @property
    def writing(self) -> dict[str, list[list[float]]] | None:
        """The texts that were read in a video, each with the runs of seconds; None where the result does not tell."""
        if not isinstance(self.value, dict) or WRITTEN not in self.value or moments.LOOKED not in self.value:
            return None
        found: dict[str, list[list[float]]] = {}
        for chunk in self.value["chunks"]:
            if text := chunk.get("written"):
                found.setdefault(" / ".join(text.splitlines()), []).append(chunk["timestamp"])
        return found

    def times(self, labels: Container[str]) -> list[float]:
        """The seconds of a video at which any of the labels was seen."""
        rows = self.value.get("predicted", []) if self.looked and self.has_regions else []
        return sorted({float(row["time"]) for row in rows if row["label"] in labels or row.get("kind") in labels})

    def regions(self) -> list[tuple[str, float | None]]:
        """(label, score) of each region; the same object on the same box counts once. Of a video, for each label those
        of the picture that has most of it.
        """
        if self.looked and self.has_regions:
            return list(self._most_at_once("predicted"))
        rows = self.value.get("predicted", []) if self.has_regions and isinstance(self.value, dict) else []
        once = {(str(row["label"]), json.dumps(row.get("box", at), default=str)): row for at, row in enumerate(rows)}
        return [(label, row.get("score")) for (label, _), row in once.items()]

    def _most_at_once(self, key: str) -> Iterator[tuple[str, float]]:
        by_label: dict[str, dict[float, list[float]]] = {}
        for row in self.value.get(key, []):
            by_time = by_label.setdefault(str(row["label"]), {})
            by_time.setdefault(float(row["time"]), []).append(float(row.get("score") or 0.0))
        for label, by_time in by_label.items():
            yield from (
                (label, score) for score in max(by_time.values(), key=lambda scores: (len(scores), sum(scores)))
            )

    @property
    def kinds(self) -> dict[str, str]:
        """The wider class of each label that a detector gave one."""
        rows = (
            [*self.value.get("predicted", []), *self.value.get("faint", [])]
            if self.has_regions and isinstance(self.value, dict)
            else []
        )
        return {str(row["label"]): str(row["kind"]) for row in rows if "kind" in row}

    def faint(self) -> list[tuple[str, float]]:
        """(label, score) of what a detector saw with too little certainty to report it; of a video only of what it
        nowhere reports.
        """
        if self.looked and self.has_regions:
            seen = {label for label, _ in self.regions()}
            return [one for one in self._most_at_once("faint") if one[0] not in seen]
        rows = self.value.get("faint", []) if self.has_regions and isinstance(self.value, dict) else []
        return [(str(row["label"]), float(row.get("score") or 0.0)) for row in rows]


def once_per_file(evidence: Iterable[Evidence]) -> list[Evidence]:
    """One source for each file: a result before a missing one, the first of several results."""
    sources: dict[str, Evidence] = {}
    for one in evidence:
        known = sources.get(one.file)
        if known is None or (known.missing and not one.missing):
            sources[one.file] = one
    return list(sources.values())


@dataclass(frozen=True, slots=True)
class Count:
    """How many of some objects are in a source, in `labels` by label; not `known` where no result says it. `unsure` are
    the scores of those that may be none, `faint` those of further ones that are hardly seen.
    """

    objects: Objects
    source: Evidence
    known: bool
    labels: Counter[str]
    scores: tuple[float, ...] = ()
    faint: tuple[float, ...] = ()
    unsure: tuple[float, ...] = ()

    @property
    def number(self) -> int:
        return self.labels.total()

    @property
    def range(self) -> tuple[int, int]:
        """The least and the highest number that the result allows."""
        if not self.known:
            return 0, INFINITY
        lowest = 0 if self.objects.unjudged or self.objects.is_wider else self.number
        return lowest, self.number + len(self.faint)


def count(objects: Objects, source: Evidence) -> Count:
    kinds = source.kinds

    def is_one(label: str) -> bool:
        return not {label, kinds.get(label)}.isdisjoint(objects.labels)

    regions = [
        (label, score)
        for label, score in source.regions()
        if (objects.everything or is_one(label))
        and label not in objects.excluded
        and kinds.get(label) not in objects.excluded
    ]
    scores = tuple(float(score) for _, score in regions if score is not None)
    unsure = tuple(float(score) for label, score in regions if score is not None and is_unsure(label, score))
    excluded = set(objects.excluded)
    faint = tuple(
        score
        for label, score in source.faint()
        if (is_one(label) or objects.everything) and excluded.isdisjoint((label, kinds.get(label)))
    )
    labels = Counter(label for label, _ in regions)
    return Count(objects, source, source.has_regions and objects.known, labels, scores, faint, unsure)


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of each of some objects in each of some sources."""

    cells: tuple[Count, ...]

    def __iter__(self) -> Iterator[Count]:
        return iter(self.cells)

    @property
    def sources(self) -> list[Evidence]:
        return list({cell.source.file: cell.source for cell in self.cells}.values())

    @property
    def objects(self) -> list[Objects]:
        return list(dict.fromkeys(cell.objects for cell in self.cells))

    @property
    def present(self) -> Counts:
        """Those that a result tells."""
        return Counts(tuple(cell for cell in self.cells if cell.known))

    def of(self, objects: Objects | None = None, source: Evidence | None = None) -> Counts:
        return Counts(
            tuple(
                cell
                for cell in self.cells
                if (objects is None or cell.objects == objects) and (source is None or cell.source is source)
            )
        )

    @property
    def number(self) -> int:
        return sum(cell.number for cell in self.cells)

    @property
    def range(self) -> tuple[int, int]:
        ranges = [cell.range for cell in self.cells]
        return sum(low for low, _ in ranges), sum(high for _, high in ranges)

    @property
    def labels(self) -> Counter[str]:
        return sum((cell.labels for cell in self.cells), Counter[str]())

    @property
    def scores(self) -> list[float]:
        return [score for cell in self.cells for score in cell.scores]

    @property
    def faint(self) -> list[float]:
        return [score for cell in self.cells for score in cell.faint]

    @property
    def unsure(self) -> list[float]:
        return [score for cell in self.cells for score in cell.unsure]


def count_all(objects: Sequence[Objects], sources: Sequence[Evidence]) -> Counts:
    return Counts(tuple(count(one, source) for source in sources for one in objects))


def amount(objects: Objects, labels: Counter[str]) -> str:
    """ "2 zebras", "no dogs", "3 animals (2 cats, 1 dog)"."""
    number = labels.total()
    if number == 1:
        return f"1 {next(iter(+labels))}"
    if number and objects.everything and len(+labels) == 1:
        return labelled(labels)
    noun = noun_of(objects)
    kinds = f" ({labelled(labels)})" if number and len(objects.labels) != 1 else ""
    return f"{number or 'no'} {noun}{kinds}"


def labelled(labels: Counter[str]) -> str:
    """ "2 cats, 1 dog"."""
    return ", ".join(f"{n} {label if n == 1 else plural(label)}" for label, n in labels.most_common())


def noun_of(objects: Objects) -> str:
    """What the detector counts: the plural of its only label, else the user's words."""
    if objects.everything:
        return "objects"
    return plural(objects.labels[0]) if len(objects.labels) == 1 else in_plural(objects.words)


_PLURALS = ("men", "women", "children", "people", "folk", "feet", "teeth", "mice", "geese", "sheep", "cattle", "ppl")


def in_plural(words: str) -> str:
    """The words with their last one in the plural."""
    words = words.strip()
    return words if words.lower().endswith(("s", *_PLURALS)) and not words.endswith("ss") else plural(words)
