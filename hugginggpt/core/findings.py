"""What questions over results came to, as data: an answer is worded from it, and later requests can build on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Gap = Literal[
    "unknown",  # objects that the detector does not know
    "unjudged",  # a qualifier that no expert can judge
    "wider",  # the detector's labels mean more than the words: not every person is a man
    "uncertain",  # detections with scores near the detector's threshold
    "missing",  # a source whose task failed
    "overlooked",  # none, or many: a detector may well have missed some
]
"""Why a part of a question is left open."""


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A part of a question that the results do not answer; `words` name it: the objects, the qualifier, the file."""

    gap: Gap
    words: str


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """How many objects of each kind a task found in a file; `name` is what the user calls the file."""

    task: int
    file: str
    name: str
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to a question.

    `value` is a number (count, difference), a truth value (exists, more, fewer, equal, is, mentions), a list of file
    names (most, fewest, filter, sort) or of labels (list); None where the results do not decide. `tasks` are the ids
    of the tasks whose results were used, `score` is the lowest score of a detection that counts. `reading` is the
    answer in a sentence.
    """

    operation: str
    text: str
    value: bool | int | tuple[str, ...] | None
    reading: str = ""
    sources: tuple[SourceCounts, ...] = ()
    tasks: tuple[int, ...] = ()
    open: tuple[OpenPoint, ...] = ()
    score: float | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Finding:
        """Raises KeyError or TypeError where that is none."""
        known = value["value"]
        return cls(
            **{
                **value,
                "value": tuple(known) if isinstance(known, list | tuple) else known,
                "sources": tuple(SourceCounts(**source) for source in value["sources"]),
                "tasks": tuple(value["tasks"]),
                "open": tuple(OpenPoint(**point) for point in value["open"]),
            }
        )
