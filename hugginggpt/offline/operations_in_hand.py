"""Operations on the file in hand that a message asks for after questions about what is said or written in it: "it is too
fast for me, slow it down", "and subtitles for it". They are no further questions to that text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from hugginggpt.core.conversation import Turn
from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.offline import forms
from hugginggpt.offline.clauses import PLACEHOLDERS, Clause
from hugginggpt.offline.complaints import mended
from hugginggpt.offline.heads import clause_scores
from hugginggpt.offline.memory import Memory, remember
from hugginggpt.offline.parsing import is_question

KINDS: tuple[Kind, ...] = ("audio", "video", "image")
MIN_SCORE, MIN_TOLD_SCORE = 0.8, 0.45
"""How likely a clause must be an operation, and one that says how it is to be done ("the first 4 seconds")."""


def asked_after_questions(clauses: Sequence[Clause], turns: Sequence[Turn], table: TaskTable) -> bool:
    """Whether a clause asks for an operation where the last turn with tasks read or answered something, and changed no
    file: what it says is no part of the last request.
    """
    last = next((turn.tasks for turn in reversed(turns) if turn.tasks), ())
    rows = [row for past in last if (row := table.find(past.task))]
    made = {kind for row in rows for kind in row.result.makes}
    if made and any(_makes_another(clause, made, table) for clause in clauses):
        return True
    is_read = any(row.writes_text or row.wording == "question" or row.measures for row in rows)
    if not is_read or any(row.is_exact and row.result.makes for row in rows):
        return False
    return is_asked(clauses, remember(turns, table), table)


def _makes_another(clause: Clause, made: Collection[Kind], table: TaskTable) -> bool:
    """Whether a clause surely asks for a file of another kind than was made last: "only the sound, as mp3", after a
    still picture.
    """
    others = (row for row in table if row.is_exact and row.result.makes and not set(row.result.makes) & set(made))
    return any(cue.sure and cue.regex.search(clause.text) for row in others for cue in row.cues)


def is_asked(clauses: Iterable[Clause], memory: Memory, table: TaskTable) -> bool:
    """Whether a clause asks for an operation on a file of the conversation that makes a new file, or subtitles."""
    kinds = {item.resource.kind for item in memory.named if item.resource.is_file}
    known = [kind for kind in KINDS if kind in kinds]
    return any(_is_operation(clause.text, kind, table) for clause in clauses for kind in known)


def _is_operation(text: str, kind: Kind, table: TaskTable) -> bool:
    if is_question(text) and text.lstrip().lower().startswith(("what", "when", "who", "where", "why", "how", "which")):
        return False
    if kind == "video" and forms.changes_video(text):
        return True
    (scores,) = clause_scores([f"{mended(text)} {PLACEHOLDERS[kind]}"]) or ({},)
    best = max(scores, key=lambda name: scores[name], default="")
    row = table.find(best.partition("/")[0])
    is_change = row is not None and (row.is_exact or kind in row.result.makes)  # "get rid of the noise on it", too
    return row is not None and is_change and bool(row.result.makes) and scores[best] >= _least(row, text)


def _least(row: TaskType, text: str) -> float:
    is_told = any(arg.pattern and arg.found_in(text) for arg in row.args)
    needs_more = any(arg.pattern for arg in row.required) and not is_told
    return 2.0 if needs_more else MIN_TOLD_SCORE if is_told else MIN_SCORE
