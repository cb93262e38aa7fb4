"""Adds the tasks that measure files, and the question in which they are compared, to a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hugginggpt.core.questions import Objects, Question
from hugginggpt.offline import measuring, spans
from hugginggpt.offline.clauses import Clause

if TYPE_CHECKING:
    from hugginggpt.offline.wiring import Wiring


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
    nodes = [plan.append(task, {row.input_arg.name: file}, clause.text, group) for file in files]
    numbers = tuple(node.id for node in nodes)
    text = plan.request[clause.start : clause.end].strip(" \n,;:")
    plan.questions.append(Question("measure", (Objects(asked.measure.name),), numbers, text, relation=asked.relation))
    return bool(nodes)
