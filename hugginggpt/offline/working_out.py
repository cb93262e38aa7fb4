"""Requests whose answer is to be worked out from the lines of a text or page: what they state before they ask belongs to
the question ("we are four and want the set menu. What would that be?"), which therefore is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable
from hugginggpt.experts import board_questions, worked_questions
from hugginggpt.media.references import Resource
from hugginggpt.offline import joint_bills, of_reading
from hugginggpt.offline.clause_cues import cues_in
from hugginggpt.offline.clauses import Clause, with_placeholders
from hugginggpt.offline.conditions import Part
from hugginggpt.offline.parsing import is_command

MAX_WORDS = 60


def as_one(parts: list[Part], text: str, placed: Sequence[Resource], table: TaskTable) -> list[Part]:
    """The parts of a request; one where all that it asks or states is for something to be worked out."""
    if len(parts) < 2 or any(part.conditions for part in parts) or len(text.split()) > MAX_WORDS:
        return parts
    if not worked_questions.asked_for(text) or not all(_tells_or_asks(part.clause, table) for part in parts):
        return parts
    end = len(text)
    return [Part(Clause(with_placeholders(text, 0, end, placed), 0, end, tuple(placed)))]


def _tells_or_asks(clause: Clause, table: TaskTable) -> bool:
    """Whether a clause only tells or asks something, and wants nothing to be done."""
    if clause.is_negated or any(table[task].is_exact for task in cues_in(clause, table)):
        return False
    return worked_questions.asked_for(clause.text) or not is_command(clause.text)


def task_for(words: str, topic: Kind | None, files: Sequence[Resource], is_page: bool, table: TaskTable) -> str:
    """The task that reads and works out what words ask of a text, or of a page; "" for any other words or material."""
    if topic in ("text", "image") and len(files) > 1 and joint_bills.read(words):
        return table.question_task("text")
    if topic == "text" and worked_questions.asked_for(words) and not _names_another(words, table):
        return table.question_task("text")
    is_read = topic == "text" or (topic == "image" and is_page)
    if is_read and of_reading.asks(words) and not _does_another(words, table):
        return table.question_task("text") if topic == "text" else _page_task(table)
    if topic == "image" and board_questions.asked_for(words) and not _does_another(words, table):
        return _page_task(table)
    if topic == "image" and (worked_questions.is_of_page(words) or (is_page and worked_questions.asked_for(words))):
        return _page_task(table)
    return ""


def _page_task(table: TaskTable) -> str:
    rows = (row.name for row in table if row.input_kind == "image" and row.wording == "question" and row.subject)
    return next(rows, "")


def _does_another(words: str, table: TaskTable) -> bool:
    """Whether words have a cue of a task that is no question."""
    rows = (row for row in table if row.wording != "question")
    return any(cue.regex.search(words) for row in rows for cue in row.cues)


def _names_another(words: str, table: TaskTable) -> bool:
    """Whether words leave no doubt that they ask for what another task does with a text: "the total number of words"."""
    rows = (row for row in table if row.input_kind == "text" and row.wording != "question")
    return any(cue.sure and not cue.in_hand and cue.regex.search(words) for row in rows for cue in row.cues)
