"""Questions over the results of tasks, as data: a planner asks them, `hugginggpt.answers` computes their answers.

A question belongs to the plan, beside its tasks: "which picture has more people?" is two detections and the question
`most`. A condition is a question whose answer decides whether a task is run: "if there is a dog, say …".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Operation = Literal[
    "count",  # how many are there, in each source and in all
    "exists",  # is there any; `negated`: is there none
    "more",  # are there more of the first objects than of the second (in all sources)
    "fewer",
    "equal",  # are there as many in each source, or as many of the first objects as of the second
    "difference",  # how many more
    "most",  # which source has the most
    "fewest",
    "filter",  # which sources have any; `negated`: which have none
    "sort",  # the sources by number, the highest first; `negated`: the lowest first
    "when",  # at what times of a video are there any
    "written",  # which texts are seen in a video, and when
    "list",  # which objects are there, without the excluded ones
    "is",  # is the first label of a classification called so (text "positive", recording "speech")
    "mentions",  # does a text hold these words
    "measure",  # a measure of files; with a relation: which has most (>) or least (<), have all the same (==)
    "totals",  # the totals of bills: their sum, or with a relation the highest, the lowest, or which is due first
    "say",  # no question: `text` is the answer itself, under the condition `when`
]
YES_NO: tuple[Operation, ...] = ("exists", "more", "fewer", "equal", "is", "mentions")
"""The operations that are answered by yes or no; with a relation to a number, so are the others that count."""
OFTEN_MISSED = frozenset(("fork", "knife", "spoon", "toothbrush", "hair drier", "scissors", "remote", "mouse"))
"""Small things that the detector misses more often than it sees them."""
Relation = Literal["<", "<=", "==", ">=", ">"]


@dataclass(frozen=True, slots=True)
class Objects:
    """What a question is about: objects in pictures, or words in texts.

    `words` are the user's ("men"), `labels` the classes of a detector that they stand for ("person"); without labels
    no expert knows them, unless `everything` is meant ("objects", "what"). `unjudged` is a qualifier that no expert can
    judge ("lying down"): an answer says so. `excluded` are labels to be left out. `is_wider` tells that the labels mean
    more than the words: not every person is a man.
    """

    words: str
    labels: tuple[str, ...] = ()
    everything: bool = False
    unjudged: str = ""
    excluded: tuple[str, ...] = ()
    is_wider: bool = False

    @property
    def known(self) -> bool:
        return self.everything or bool(self.labels)


@dataclass(frozen=True, slots=True)
class Question:
    """An operation on the results of `tasks` (ids); `text` is the part of the request that asks it.

    With a `relation` and a `number` a count is compared to it: "are there more than three people?". Where several
    objects or sources are asked about, existence means that any object is in any source; with `all_objects` ("a dog and
    a cat") or `all_sources` ("in every picture") that each is.
    """

    operation: Operation
    objects: tuple[Objects, ...]
    tasks: tuple[int, ...]
    text: str = ""
    negated: bool = False
    relation: Relation | None = None
    number: float | None = None
    all_objects: bool = False
    all_sources: bool = False
    when: Condition | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Question:
        """Raises KeyError or TypeError where that is none."""
        objects = tuple(
            Objects(**{**one, "labels": tuple(one.get("labels", ())), "excluded": tuple(one.get("excluded", ()))})
            for one in value["objects"]
        )
        when = Condition.from_json(value["when"]) if value.get("when") else None
        return cls(**{**value, "objects": objects, "tasks": tuple(value["tasks"]), "when": when})


@dataclass(frozen=True, slots=True)
class Condition:
    """A task with a condition is run if the answer to a yes/no question (exists, more, is, mentions, …) is `holds`."""

    question: Question
    holds: bool = True

    def to_json(self) -> dict[str, Any]:
        return {"question": self.question.to_json(), "holds": self.holds}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Condition:
        """Raises KeyError or TypeError where that is none."""
        return cls(Question.from_json(value["question"]), bool(value.get("holds", True)))


def read_question(raw: Any) -> Question:
    """A question that somebody has written, with its values checked. Raises one of INVALID_RESULT_ERRORS."""
    question = Question.from_json(raw)
    objects = question.objects
    texts = [
        question.text,
        *(text for one in objects for text in (one.words, one.unjudged, *one.labels, *one.excluded)),
    ]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("words, labels and texts should be texts")
    if not all(isinstance(number, int) for number in question.tasks) or not isinstance(
        question.number or 0, int | float
    ):
        raise TypeError("tasks and number should be numbers")
    if question.operation not in get_args(Operation) or question.relation not in (None, *get_args(Relation)):
        raise ValueError("there is no such operation or relation")
    if question.when:
        read_question(question.when.question.to_json())
    return question
