"""Adds the tasks that measure files, and the question in which they are compared, to a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hugginggpt.core.questions import Objects, Question
from hugginggpt.offline import measuring, spans
from hugginggpt.offline.clauses import Clause

if TYPE_CHECKING:
    from hugginggpt.offline.wiring import Wiring


def is_of_one_picture(plan: Wiring, task: str, clause: Clause) -> bool:
    """Whether a clause that was taken for a comparison of pictures is about a single one, and so about what it shows."""
    row = plan.table[task]
    if not row.measures or row.input_kind != "image" or clause.resources:
        return False
    asked = measuring.read(spans.without_files(plan.request, clause, keep_quoted=False), row.input_kind)
    if asked is None or not asked.relation:
        return False
    files = plan.named_files(row.input_kind, plan.named) or plan.memory.compared(row.input_kind, clause.text)
    return len(files) == 1


def ask(plan: Wiring, task: str, clause: Clause, group: int) -> bool:
    """Adds the question for what is measured of files, or in which they are compared, and the tasks that measure them;
    False where the clause asks no such question. `group` is the number of the intent.
    """
    row = plan.table[task]
    kind, words = row.input_kind, spans.without_files(plan.request, clause, keep_quoted=False)
    asked = measuring.read(words, kind) if row.measures else None
    if asked is None:
        return False
    files = plan.named_files(kind, clause.resources)
    if not files and asked.relation:
        files = plan.named_files(kind, plan.named)
        files = files if len(files) > 1 else plan.memory.compared(kind, clause.text)
    files = files or plan.files(kind, clause)
    seen = measuring.row_for(asked.measure, "video", plan.table) if kind == "image" and not files else None
    if seen is not None:  # "what size is the picture", of a video
        row, files = seen, plan.files("video", clause)
    nodes = [plan.append(row.name, {row.input_arg.name: file}, clause.text, group) for file in files]
    numbers = tuple(node.id for node in nodes)
    text = plan.request[clause.start : clause.end].strip(" \n,;:")
    plan.questions.append(Question("measure", (Objects(asked.measure.name),), numbers, text, relation=asked.relation))
    return bool(nodes)
