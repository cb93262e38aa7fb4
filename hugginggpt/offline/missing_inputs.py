"""What a request without a plan lacks: the input of the task that its words name."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hugginggpt.core.conversation import MissingInput
from hugginggpt.core.tasks import TaskTable
from hugginggpt.offline.clause_cues import cues_in
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.intents import find_intents
from hugginggpt.offline.selection import asks

MIN_MISSING_SHARE = 0.52
"""The minimum share of a task whose missing input is asked for."""


def missing_input(
    clauses: Sequence[Clause], table: TaskTable, allowed: Collection[str] | None = None
) -> MissingInput | None:
    """The input that a request lacks; None where its words name no task."""
    for intent in find_intents(clauses, None, table, allowed).intents:
        row = table[intent.task]
        is_clear = intent.share > MIN_MISSING_SHARE or intent.task in cues_in(intent.clause, table)
        if row.wording == "question" and not asks(intent.clause.text, intent.clause is clauses[-1]):
            continue  # "finally home", a remark
        if is_clear and row.wording not in ("scene", "writing", "remark"):
            of_kind = [arg for arg in row.args if arg.kind == row.input_kind]
            argument = next(
                (arg.name for arg in sorted(of_kind, key=lambda arg: not (arg.pattern and arg.required))), ""
            )
            return MissingInput(row.input_kind, row.name, argument)
    return None
