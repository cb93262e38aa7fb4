"""What is asked of a recording in another language: it is put into English at once where only that is asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from hugginggpt.core.tasks import TaskTable
from hugginggpt.offline import spans
from hugginggpt.offline.clauses import Clause


class Asked(Protocol):
    """A task that a clause asks for (`intents.Intent`)."""

    @property
    def task(self) -> str: ...

    @property
    def clause(self) -> Clause: ...


def task_for(asked: Asked, earlier: Sequence[Asked], table: TaskTable, allowed: Collection[str] | None) -> str:
    """The task, or in place of a translation of what is only heard the one that writes it down in that language:
    "vm.mp3, in English please".
    """
    if asked.task != table.translator or any(table[one.task].writes_text for one in earlier):
        return asked.task
    languages = spans.languages(asked.clause.text)
    rows = (row.name for row in table if row.writes_in and [row.writes_in] == languages)
    return next((name for name in rows if allowed is None or name in allowed), asked.task)


def is_told(asked: Asked, following: Sequence[Asked], table: TaskTable) -> bool:
    """Whether a clause may only tell of a recording what another task is asked for: "it is in Spanish, I need it in
    English".
    """
    written = any(table[one.task].writes_in for one in following)
    return written and table[asked.task].input_kind == "audio" and not table[asked.task].writes_text
