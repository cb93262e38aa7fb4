"""What a text that is to be written is told: the words of the clause, and what it is about: "write a poem about this
picture" has the picture described first, "write a letter to the caretaker about it" has the notice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from hugginggpt.core.plan import reference
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.media.references import Resource
from hugginggpt.offline import spans
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.nodes import Node

_CONTINUES = re.compile(r"\W*+(?:\w+\s+)?(?:continue|finish|complete|extend|go on)", re.IGNORECASE)
_REFERS_BACK = re.compile(r"\b(?:it|them|the (?:result|text|summary|description|answer|transcript))\b", re.IGNORECASE)
_REFERS = re.compile(
    r"\b(?:it|this|that|these|those|(?:the|his|her|their) (?:letter|e?-?mail|message|notice|picture|photo|recording)s?)\b",
    re.IGNORECASE,
)


class Plan(Protocol):
    """What the plan under construction (`wiring.Wiring`) gives to know and to do."""

    request: str
    named: Sequence[Resource]
    table: TaskTable

    def writers(self) -> list[Node]: ...

    def read(self, resources: Sequence[Resource]) -> list[str]: ...

    def texts(self, row: TaskType, clause: Clause) -> list[str]: ...


def told(plan: Plan, row: TaskType, clause: Clause) -> list[str]:
    """The texts from each of which one is to be written; none where a text is to be continued, which is that text itself.

    That is the result before it if the clause refers to it, else the clause's words, with what is seen in the pictures
    and said in the recordings that it or the request names. A text file stands for itself: the model that writes is told
    the request beside it.
    """
    text = plan.request[clause.start : clause.end]
    if _CONTINUES.match(text):
        return []
    makers = plan.writers()
    if makers and _REFERS_BACK.search(text):
        return [reference(makers[-1].id)]
    files = [one for one in clause.resources or plan.named if one.is_file and _has_words(one, plan)]
    if documents := [one for one in files if one.kind == "text"]:
        return plan.read(documents)
    if not files and not makers and _REFERS.search(text):
        return plan.texts(row, clause)
    return [": ".join((spans.bare_text(plan.request, clause), *plan.read(files)))]


def _has_words(resource: Resource, plan: Plan) -> bool:
    """Whether a file has a text, or can be put into words."""
    return resource.kind == "text" or resource.kind in plan.table.readers
