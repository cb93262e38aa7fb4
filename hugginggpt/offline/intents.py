"""Which task each clause of a request asks for.

A learned head scores the clause (`heads.py`), words that name a task for certain add to it (`cues.py`), and what
there is no input for falls away. Without the head's weights the words decide alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from math import exp, log

from hugginggpt.core.conversation import MissingInput
from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import PLACEHOLDERS, QUOTED, Clause
from hugginggpt.offline.cues import QUESTION, picture_question
from hugginggpt.offline.heads import clause_scores
from hugginggpt.offline.questions import is_about_the_words
from hugginggpt.offline.spelling import mended

NONE = "none"
NOT_LEARNED = 0.2
"""The score, before its cues count, of a task that the learned head does not know: one of the configuration or a
plug-in.
"""
CUE_WEIGHT = 1.6
SURE_WEIGHT = 12.0
"""How much a cue, and one that leaves no doubt, adds to the logarithm of a task's score."""
ENOUGH = 0.3
"""The share that a task must have of a clause's score."""
_SETTING = re.compile(
    r"\W*(?:i(?:['’]ve| have)(?: got| just)?|we(?:['’]ve| have| had)|here(?:['’]s| is| are)|this is|attached|(?:take a )?look at|"
    r"listen to|based on|according to|given)\b",
    re.IGNORECASE,
)
"""How a clause starts that sets the scene for the next one."""
_SOURCE = re.compile(
    r"\W*(?:(?:the answer|it|that)(?: is|['’]s) (?:\w+ )?(?:in|on|to be found in)|see) (?:\S+|'text')$", re.IGNORECASE
)
"""A clause that says where what was asked before is to be found."""
_FOR_A_QUESTION = (
    "audio-classification", "automatic-speech-recognition", "text2text-generation", "text-generation", "conversational",
    "token-classification",
)  # fmt: skip
"""What the head takes a question about what is said for: it has learned few of them."""
_SHOWN = re.compile("|".join(map(re.escape, (*PLACEHOLDERS.values(), QUOTED))))


@dataclass(frozen=True, slots=True)
class Intent:
    """A task that a clause asks for, with its share of the clause's score; `why` says by which words."""

    task: str
    clause: Clause
    why: str
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """The tasks that a request asks for, in its order; `sureness` is that about its least clear clause, 0 to 1."""

    intents: tuple[Intent, ...]
    sureness: float


def find_intents(
    clauses: Sequence[Clause],
    can_have: Callable[[Kind, Sequence[str]], bool],
    table: TaskTable,
    allowed: Collection[str] | None = None,
    heard: str = "",
    attached: Sequence[Resource] = (),
) -> Reading:
    """The tasks of the clauses. `can_have` tells whether a kind of input is at hand after some tasks, `heard` what
    is said in the recording that the chat was about last; `attached` are files that the clauses do not name.
    """
    clauses = [replace(clause, text=mended(clause.text)) for clause in clauses]
    learned = clause_scores(
        [
            _in_setting(clause, before) + ("" if before else _beside(clauses, attached))
            for clause, before in zip(clauses, (None, *clauses), strict=False)
        ]
    )
    found: list[Intent] = []
    for at, clause in enumerate(clauses):
        if (
            clause.is_negated
            or (_SETTING.match(clause.text) and at + 1 < len(clauses))
            or (_SOURCE.match(clause.text) and found and not any(r.is_file for r in found[-1].clause.resources))
            or not re.search(r"[A-Za-z]{2}", _SHOWN.sub("", clause.text))
        ):
            continue
        tasks = [intent.task for intent in found]

        def feasible(task: str, clause: Clause = clause, tasks: Sequence[str] = tasks) -> bool:
            row = table[task]
            if row.needs_words and not row.needs_words.regex.search(clause.text):
                return False
            if any(resource.kind in row.unless_named for resource in clause.resources):
                return False
            return (allowed is None or task in allowed) and can_have(row.input_kind, tasks)

        best = _by_score(clause, learned[at], feasible, table) if learned else _by_cues(clause, feasible, table)
        if (
            (best is None or best.task in _FOR_A_QUESTION)
            and feasible("question-answering")
            and is_about_the_words(clause, clauses, heard, attached)
            and not any(map(feasible, _cues(clause, table)))
        ):
            best = Intent("question-answering", clause, "a question about what is said")
        if best and not _repeats(best, table, found, clauses[at - 1] if at else None):
            found.append(best)
    return Reading(tuple(found), min((max(scores.values()) for scores in learned), default=1.0))


def _in_setting(clause: Clause, before: Clause | None) -> str:
    """A question with the text before it that it is to be answered from ("Based on 'text', where …")."""
    text = before and _SETTING.match(before.text) and any(resource.kind == "text" for resource in before.resources)
    return f"{before.text}, {clause.text}" if before and text and QUESTION.search(clause.text) else clause.text


def _beside(clauses: Sequence[Clause], attached: Sequence[Resource]) -> str:
    """What the head, which has learned from requests that name their files, gets to see of those attached."""
    if any(resource.is_file for clause in clauses for resource in clause.resources):
        return ""
    return "".join(f" {PLACEHOLDERS[resource.kind]}" for resource in attached[:1])


def missing_input(
    clauses: Sequence[Clause], table: TaskTable, allowed: Collection[str] | None = None
) -> MissingInput | None:
    """The input that a request without a task is in want of; None where its words name no task."""
    for intent in find_intents(clauses, lambda kind, before: True, table, allowed).intents:
        if intent.task in _cues(intent.clause, table):
            row = table[intent.task]
            argument = next((arg.name for arg in row.args if arg.kind == row.input_kind), "")
            return MissingInput(row.input_kind, row.name, argument)
    return None


def has_cue(clause: Clause, table: TaskTable) -> bool:
    """Whether a clause has words that name a task."""
    return bool(_cues(clause, table))


@dataclass(frozen=True, slots=True)
class _Hint:
    """Words that name a task, and how much they add to the logarithm of its score."""

    words: str
    weight: float


def _by_score(
    clause: Clause, scores: dict[str, float], feasible: Callable[[str], bool], table: TaskTable
) -> Intent | None:
    cues = _cues(clause, table)
    scores = {**dict.fromkeys(cues, NOT_LEARNED), **scores}
    weighed = {
        task: exp(log(score + 1e-6) + cues[task].weight if task in cues else log(score + 1e-6))
        for task, score in scores.items()
        if task == NONE or feasible(task)
    }
    total = sum(weighed.values())
    task = max(weighed, key=weighed.__getitem__)
    share = weighed[task] / total
    if task == NONE or (share < ENOUGH and task not in cues):
        return None
    # what falls away for want of an input must not leave the crumbs to win: "is it raining?" with nothing to look at
    if total < 0.12 and task not in cues:
        return None
    words = f', the words "{cues[task].words}"' if task in cues else ""
    return Intent(task, clause, f'"{clause.text}" ({share:.0%}{words})', share)


def _cues(clause: Clause, table: TaskTable) -> dict[str, _Hint]:
    """The tasks whose words a clause has."""
    found: dict[str, _Hint] = {}
    starts: dict[str, int] = {}
    for row in table:
        for cue in row.cues:
            if match := cue.regex.search(clause.text):
                found.setdefault(row.name, _Hint(match[0], SURE_WEIGHT if cue.sure else CUE_WEIGHT))
                starts.setdefault(row.name, match.start())
    if controlled := [task for task in found if table[task].follows_control]:
        first = min(controlled, key=starts.__getitem__)
        return {first: found[first]}  # "the depth" is no task of its own there
    return found


def _by_cues(clause: Clause, feasible: Callable[[str], bool], table: TaskTable) -> Intent | None:
    """Rules alone: the first cue in the clause for which there is an input, of several the longest; a question about what is at hand."""
    matches = [
        (match.start(), not cue.sure, -len(match[0]), order, match[0])
        for order, row in enumerate(table)
        for cue in row.cues
        if (match := cue.regex.search(clause.text)) and feasible(row.name)
    ]
    if matches:
        *_, order, words = min(matches)
        return Intent(table.rows[order].name, clause, f'the words "{words}"')
    if QUESTION.search(clause.text):
        asked = picture_question(clause.text)
        if feasible(asked):
            return Intent(asked, clause, "a question about the picture")
        if any(resource.kind == "text" for resource in clause.resources):
            return Intent("question-answering", clause, "a question about the text")
    return None


def _repeats(intent: Intent, table: TaskTable, found: Sequence[Intent], before: Clause | None) -> bool:
    """Whether a clause says again what another one did ("How many dogs …? And is there a cat in it?")."""
    if intent.clause.resources or not found or found[-1].task != intent.task:
        return False
    return not table[intent.task].is_repeatable


EXPLICIT = re.compile(
    r"\b(?:it|them|this|that|these|those|its|the (?:result|output|new|generated|cleaned|edited|changed|resulting)\w*|both)\b",
    re.IGNORECASE,
)
"""Words that point to what was spoken of."""
