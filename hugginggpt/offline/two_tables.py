"""Questions of how two tables differ: "what got dearer?", "which one is new?" is asked of both together, not of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hugginggpt.core.document_words import CHANGES
from hugginggpt.core.tasks import TaskTable
from hugginggpt.offline.memory import Memory
from hugginggpt.offline.nodes import Node

_CHANGES = re.compile(CHANGES, re.IGNORECASE)


def asks(text: str) -> bool:
    """Whether a text asks how something changed from one table to another."""
    return _CHANGES.search(text) is not None


def joined(nodes: Sequence[Node], request: str, memory: Memory, table: TaskTable) -> list[Node]:
    """The tasks with one comparison in the place of the same question to each of two tables, those at hand or those
    that the last answer was about. What is asked behind "compare a.csv with b.csv" is a part of that comparison.
    """
    both = next((row for row in table if row.input_kind == "table" and row.input_arg.many and row.text_arg), None)
    asked = [node for node in nodes if table[node.task].input_kind == "table" and table[node.task].default]
    if both is None or both.text_arg is None or not asked or not asks(request):
        return list(nodes)
    files = list(dict.fromkeys(str(node.args.get(table[node.task].input_arg.name)) for node in asked))
    in_hand = [one.text for one in memory.tables_in_hand()]
    tables = in_hand if len(in_hand) == 2 and set(files) <= set(in_hand) else files
    comparing = next((node for node in nodes if node.task == both.name), None)
    if comparing is None and len(tables) != 2:
        return list(nodes)
    args: dict[str, Any] = comparing.args if comparing else {both.input_arg.name: tables}
    kept = comparing or asked[0]
    kept.task, kept.args = both.name, {**args, both.text_arg.name: request.strip()}
    return [node for node in nodes if node is kept or node not in asked]
