"""Requests for what stands on a page in a picture as a table: "put the items of this receipt into Excel"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hugginggpt.core.conversation import Turn
from hugginggpt.core.document_words import PAGE_AS_TABLE, TABLE_FORMAT
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.media.references import Resource
from hugginggpt.offline.memory import remember

MAX_WORDS = 30
_AS_TABLE = re.compile(PAGE_AS_TABLE, re.IGNORECASE)
_FORMAT = re.compile(TABLE_FORMAT, re.IGNORECASE)
_MORE = re.compile(
    r"\b(?:charts?|graphs?|diagrams?|plot|draw|translat\w+|average|sort\w*|biggest|most|least|objects?|animals?|people|"
    r"colou?rs?|read (?:it )?(?:out|aloud)|mail it)\b|\.(?:csv|xlsx?)\b",
    re.IGNORECASE,
)
"""What asks for more than the lines of a page, or names a table that is there already."""


def task(
    text: str, resources: Sequence[Resource], turns: Sequence[Turn], table: TaskTable
) -> tuple[str, dict[str, Any]] | None:
    """The task with its arguments for such a request about a single picture, which it brings or which is in hand; None
    for any other.
    """
    words = text
    for one in resources:
        words = words.replace(one.text, " ") if one.is_file else words
    if len(words.split()) > MAX_WORDS or not _AS_TABLE.search(words) or _MORE.search(words):
        return None
    row = next((row for row in table if row.is_exact and row.input_kind == "image" and _makes_a_document(row)), None)
    image = _picture(words, resources, turns, table) if row else ""
    if not row or not image:
        return None
    named = _FORMAT.search(words)
    return row.name, {"image": image, **({"format": named[0].strip()} if named else {})}


def _makes_a_document(row: TaskType) -> bool:
    return row.result.makes == ("document",) and not row.input_arg.many


def _picture(words: str, resources: Sequence[Resource], turns: Sequence[Turn], table: TaskTable) -> str:
    """The only picture of a request, else the user's last one where that is what the conversation is about."""
    files = [one for one in resources if one.is_file]
    if files:
        return files[0].text if len(files) == 1 and files[0].kind == "image" else ""
    memory = remember(turns, table)
    if memory.kind_in_hand(words.lower().replace("table", " ")) != "image":
        return ""
    own = [one.resource.text for one in memory.named if one.resource.kind == "image" and not one.generated]
    return own[-1] if own else ""
