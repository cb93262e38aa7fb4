"""Classifies the clauses of a request by task.

A learned head scores each clause (`heads.py`), the cues of the task table add to the scores, and tasks without an
available input are dropped. Without the head's weights the cues decide alone.
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
from hugginggpt.offline.clauses import PLACEHOLDERS, QUESTION, QUOTED, Clause
from hugginggpt.offline.heads import clause_scores
from hugginggpt.offline.questions import is_about_content
from hugginggpt.offline.spelling import corrected

NONE = "none"
UNLEARNED_SCORE = 0.2
"""The score, before its cues are added, of a task that the learned head does not know: one from the configuration or
from a plug-in.
"""
UNLEARNED_SURE_SCORE = 1.0
"""Its score where an unambiguous cue of it matches: whoever adds a task means it by its words, whatever was learned."""
CUE_WEIGHT = 1.6
SURE_CUE_WEIGHT = 12.0
"""What a cue, and an unambiguous one, adds to the logarithm of a task's score."""
MIN_SHARE = 0.3
"""The minimum share of a clause's total score for a task without a cue."""
_SCENE_SETTING = re.compile(
    r"\W*(?:i(?:['’]ve| have)(?: got| just)?|we(?:['’]ve| have| had)|here(?:['’]s| is| are)|this is|attached|(?:take a )?look at|"
    r"listen to|based on|according to|given)\b",
    re.IGNORECASE,
)
"""The start of a clause that only sets the scene for the next one."""
_SOURCE = re.compile(
    r"\W*(?:(?:the answer|it|that)(?: is|['’]s) (?:\w+ )?(?:in|on|to be found in)|see) (?:\S+|'text')$", re.IGNORECASE
)
"""A clause that names the source for the question before it."""
_PLACEHOLDER = re.compile("|".join(map(re.escape, (*PLACEHOLDERS.values(), QUOTED))))


@dataclass(frozen=True, slots=True)
class Intent:
    """A task that a clause asks for, with its share of the clause's score; `why` is the reason, for the debug log."""

    task: str
    clause: Clause
    why: str
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """The tasks that a request asks for, in order; `confidence` is that of its least clear clause, 0 to 1."""

    intents: tuple[Intent, ...]
    confidence: float


def find_intents(
    clauses: Sequence[Clause],
    can_have: Callable[[Kind, Sequence[str]], bool],
    table: TaskTable,
    allowed: Collection[str] | None = None,
    transcript: str = "",
    attached: Sequence[Resource] = (),
) -> Reading:
    """The tasks of the clauses. `can_have` says whether a kind of input is available after some tasks, `transcript`
    is that of the recording the chat was last about, `attached` are files that the clauses do not name.
    """
    clauses = [replace(clause, text=corrected(clause.text)) for clause in clauses]
    scores = clause_scores(
        [
            _with_scene(clause, previous) + ("" if previous else _attachment_placeholder(clauses, attached))
            for clause, previous in zip(clauses, (None, *clauses), strict=False)
        ]
    )
    intents: list[Intent] = []
    about_text = table.question_task("text")
    for index, clause in enumerate(clauses):
        if (
            clause.is_negated
            or (_SCENE_SETTING.match(clause.text) and index + 1 < len(clauses))
            or (_SOURCE.match(clause.text) and intents and not any(r.is_file for r in intents[-1].clause.resources))
            or not re.search(r"[A-Za-z]{2}", _PLACEHOLDER.sub("", clause.text))
        ):
            continue
        earlier_tasks = [intent.task for intent in intents]

        def feasible(task: str, clause: Clause = clause, earlier_tasks: Sequence[str] = earlier_tasks) -> bool:
            row = table[task]
            if row.needs_words and not row.needs_words.regex.search(clause.text):
                return False
            if any(resource.kind in row.unless_named for resource in clause.resources):
                return False
            return (allowed is None or task in allowed) and can_have(row.input_kind, earlier_tasks)

        intent = (
            _best_scored(clause, scores[index], feasible, table) if scores else _first_cued(clause, feasible, table)
        )
        if (
            (intent is None or table[intent.task].is_confused_with_questions)
            and feasible(about_text)
            and is_about_content(clause, clauses, transcript, attached)
            and not any(map(feasible, _cues(clause, table)))
        ):
            intent = Intent(about_text, clause, "a question about the transcript")
        if intent and not _repeats(intent, table, intents, clauses[index - 1] if index else None):
            intents.append(intent)
    return Reading(tuple(intents), min((max(row.values()) for row in scores), default=1.0))


def _with_scene(clause: Clause, previous: Clause | None) -> str:
    """A question together with the preceding clause that holds its context ("Based on 'text', where …")."""
    has_text = (
        previous
        and _SCENE_SETTING.match(previous.text)
        and any(resource.kind == "text" for resource in previous.resources)
    )
    return f"{previous.text}, {clause.text}" if previous and has_text and QUESTION.search(clause.text) else clause.text


def _attachment_placeholder(clauses: Sequence[Clause], attached: Sequence[Resource]) -> str:
    """A placeholder for an attachment, because the head was trained on requests that name their files."""
    if any(resource.is_file for clause in clauses for resource in clause.resources):
        return ""
    return "".join(f" {PLACEHOLDERS[resource.kind]}" for resource in attached[:1])


def missing_input(
    clauses: Sequence[Clause], table: TaskTable, allowed: Collection[str] | None = None
) -> MissingInput | None:
    """The input that a request lacks; None where its words name no task."""
    for intent in find_intents(clauses, lambda kind, before: True, table, allowed).intents:
        if intent.task in _cues(intent.clause, table):
            row = table[intent.task]
            argument = next((arg.name for arg in row.args if arg.kind == row.input_kind), "")
            return MissingInput(row.input_kind, row.name, argument)
    return None


def has_cue(clause: Clause, table: TaskTable) -> bool:
    """Whether a clause contains a cue of a task."""
    return bool(_cues(clause, table))


@dataclass(frozen=True, slots=True)
class _CueMatch:
    """The words that match a cue, and what they add to the logarithm of the task's score."""

    words: str
    weight: float


def _best_scored(
    clause: Clause, scores: dict[str, float], feasible: Callable[[str], bool], table: TaskTable
) -> Intent | None:
    cues = _cues(clause, table)
    unlearned = {
        task: UNLEARNED_SURE_SCORE if cue.weight == SURE_CUE_WEIGHT else UNLEARNED_SCORE for task, cue in cues.items()
    }
    scores = {**unlearned, **scores}
    weighted = {
        task: exp(log(score + 1e-6) + cues[task].weight if task in cues else log(score + 1e-6))
        for task, score in scores.items()
        if task == NONE or feasible(task)
    }
    total = sum(weighted.values())
    task = max(weighted, key=weighted.__getitem__)
    share = weighted[task] / total
    if task == NONE or (share < MIN_SHARE and task not in cues):
        return None
    # when the likely tasks lack an input, an unlikely one must not win: "is it raining?" without a picture
    if total < 0.12 and task not in cues:
        return None
    words = f', the words "{cues[task].words}"' if task in cues else ""
    return Intent(task, clause, f'"{clause.text}" ({share:.0%}{words})', share)


def _cues(clause: Clause, table: TaskTable) -> dict[str, _CueMatch]:
    """The cue matches in a clause, by task."""
    hints: dict[str, _CueMatch] = {}
    starts: dict[str, int] = {}
    for row in table:
        for cue in row.cues:
            if match := cue.regex.search(clause.text):
                hints.setdefault(row.name, _CueMatch(match[0], SURE_CUE_WEIGHT if cue.sure else CUE_WEIGHT))
                starts.setdefault(row.name, match.start())
    if with_control := [task for task in hints if table[task].follows_control]:
        first = min(with_control, key=starts.__getitem__)
        return {first: hints[first]}  # "the depth" is no separate task there
    return hints


def _first_cued(clause: Clause, feasible: Callable[[str], bool], table: TaskTable) -> Intent | None:
    """Without a head: the task of the first cue whose input is available (of several the longest), or of a question."""
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
        task = table.question_task("image", clause.text)
        if feasible(task):
            return Intent(task, clause, "a question about the picture")
        if any(resource.kind == "text" for resource in clause.resources):
            return Intent(table.question_task("text"), clause, "a question about the text")
    return None


def _repeats(intent: Intent, table: TaskTable, intents: Sequence[Intent], before: Clause | None) -> bool:
    """Whether a clause repeats the task before it ("How many dogs …? And is there a cat in it?")."""
    if intent.clause.resources or not intents or intents[-1].task != intent.task:
        return False
    return not table[intent.task].is_repeatable


REFERRING = re.compile(
    r"\b(?:it|them|this|that|these|those|its|the (?:result|output|new|generated|cleaned|edited|changed|resulting)\w*|both)\b",
    re.IGNORECASE,
)
"""Words that refer to something mentioned before."""
