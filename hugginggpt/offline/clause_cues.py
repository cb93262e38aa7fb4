"""The cues of tasks in a clause: the words of the task table that tell one."""

from __future__ import annotations

from dataclasses import dataclass

from hugginggpt.core.tasks import TaskTable
from hugginggpt.offline.clauses import Clause

UNLEARNED_SCORE = 0.5
"""The score, before its cues are added, of a task that the learned head does not know: one from the configuration or
from a plug-in.
"""
UNLEARNED_SURE_SCORE = 1.0
"""Its score where an unambiguous cue of it matches: whoever adds a task means it by its words, whatever was learned."""
CUE_WEIGHT = 0.7
SURE_CUE_WEIGHT = 12.0
"""What a cue, and an unambiguous one, adds to the logarithm of a task's score."""


def has_cue(clause: Clause, table: TaskTable) -> bool:
    """Whether a clause contains a cue of a task."""
    return bool(cues_in(clause, table))


@dataclass(frozen=True, slots=True)
class CueMatch:
    """The words that match a cue, and what they add to the logarithm of the task's score."""

    words: str
    weight: float

    @property
    def is_sure(self) -> bool:
        """Whether it leaves no doubt."""
        return self.weight == SURE_CUE_WEIGHT

    @property
    def unlearned(self) -> float:
        """The score, before the cue is added, of a task that the learned head does not know."""
        return UNLEARNED_SURE_SCORE if self.is_sure else UNLEARNED_SCORE


def cues_in(clause: Clause, table: TaskTable) -> dict[str, CueMatch]:
    """The cue matches in a clause, by task."""
    hints: dict[str, CueMatch] = {}
    starts: dict[str, int] = {}
    for row in table:
        for cue in row.cues:
            if not cue.in_hand and (match := cue.regex.search(clause.text)):
                hints.setdefault(row.name, CueMatch(match[0], SURE_CUE_WEIGHT if cue.sure else CUE_WEIGHT))
                starts.setdefault(row.name, match.start())
    if with_control := [task for task in hints if table[task].follows_control]:
        first = min(with_control, key=starts.__getitem__)
        return {first: hints[first]}  # "the depth" is no separate task there
    return hints


def cued_in_hand(words: str, topic: str | None, is_saved: bool, table: TaskTable) -> str:
    """The task that words ask for of the kind of file that is in hand; `is_saved` tells that its result is to be saved.
    "" for none.
    """
    return next(
        (
            row.name
            for row in table
            for cue in row.cues
            if cue.in_hand and cue.in_hand == topic and (is_saved or not cue.saved) and cue.regex.search(words)
        ),
        "",
    )
