"""The rows of a table that the last answer told, where a request is about them: "save those as a csv", "here are the
phone numbers: what are those of the two?".

Of the same table the question that they answered is put before what is asked now; of another one their cells, from which
it takes the column that it has in common. Which table a request means that names none is told by the columns that were
shown of each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hugginggpt.core.conversation import PastTask
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.experts.table_told import as_line
from hugginggpt.experts.table_words import stem
from hugginggpt.offline.follow_ups import Request
from hugginggpt.offline.nodes import Node

MAX_TOLD = 30
"""An answer of more rows is not spoken of as "those"."""
MAX_QUESTIONS = 3
MIN_LETTERS = 5
"""Shorter words of an earlier question say nothing of the table that it was put to."""
_THOSE = re.compile(
    r"\b(?:those|these|them|they|theirs?|(?:the|all|of|just|only) (?:two|three|four|five|six|ones)|both|"
    r"denen|diesen|dieser|diese|ihnen|deren|derjenigen|ceux|celles|ces|leurs?|eux|esos|esas|estos|estas|ellos|ellas|sus)\b|"
    r"这些|那些|他们|她们|它们|这两|那两",
    re.I,
)
"""Words for the rows of the answer before."""


def take_up(nodes: Sequence[Node], request: Request, table: TaskTable) -> None:
    """Puts what the last answer told of a table before what a task asks of "those"."""
    past = _answered(request, table)
    if past is None or not _THOSE.search(request.text):
        return
    told, row = past
    file, asked = told.args.get(row.input_arg.name), str(told.args.get(row.text_arg.name if row.text_arg else "", ""))
    for node in nodes:
        own = table[node.task]
        name = _words_of(own)
        words = str(node.args.get(name, "")) if name else ""
        if not words or own.input_kind != "table" or not _THOSE.search(words):
            continue
        if node.args.get(own.input_arg.name) != file:
            shown = _rows(told)
            node.args[name] = f"{as_line(shown['columns'], shown['rows'])}\n{' '.join(words.split())}"
        elif own.default is None:  # a question gets those before it anyway
            node.args[name] = "\n".join([*asked.splitlines()[-MAX_QUESTIONS:], " ".join(words.split())])


def turn_back(nodes: Sequence[Node], request: Request, table: TaskTable) -> None:
    """Puts a question that names no file to the table whose columns it speaks of, where the last answer was of another:
    "and what is the rent altogether?" after the phone numbers.
    """
    shown: dict[str, set[str]] = {}
    for turn in request.turns:
        for one in turn.tasks:
            row = table.find(one.task)
            if one.ok and row and row.input_kind == "table" and row.default is not None:
                known = shown.setdefault(str(one.args.get(row.input_arg.name)), set())
                asked = str(one.args.get(_words_of(row), "")).rpartition("\n")[2]
                known.update(word for name in _rows(one).get("columns", ()) for word in _stems(str(name)))
                known.update(word for word in _stems(asked) if len(word) >= MIN_LETTERS)
    if any(one.is_file and (one.has_place or one.text not in shown) for one in request.named):
        return
    said = _stems(request.text)
    for node in nodes:
        row = table[node.task]
        file = str(node.args.get(row.input_arg.name)) if row.input_kind == "table" else ""
        others = [one for one in shown if len(said & shown[one]) > len(said & shown.get(file, set()))]
        if file in shown and len(shown) > 1 and not said & shown[file] and len(others) == 1:
            node.args[row.input_arg.name] = others[0]


def _stems(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[^\W\d_]{3,}", text.casefold())}


def _words_of(row: TaskType) -> str:
    """The argument of a task that says of which rows of a table it is; "" for none."""
    return next((arg.name for arg in row.args if arg.kind == "text" and arg.name in ("text", "rows", "chart")), "")


def _answered(request: Request, table: TaskTable) -> tuple[PastTask, TaskType] | None:
    """The last task of the conversation that told some rows of a table."""
    for turn in reversed(request.turns):
        for one in reversed(turn.tasks):
            row = table.find(one.task)
            is_question = row is not None and row.input_kind == "table" and row.default is not None
            if row and one.ok and is_question and 0 < len(_rows(one).get("rows", ())) <= MAX_TOLD:
                return one, row
    return None


def _rows(past: PastTask) -> Mapping[str, Any]:
    """The columns and rows that a task told."""
    values = past.value if isinstance(past.value, list) else [past.value]
    return next((one for one in values if isinstance(one, Mapping) and one.get("rows") and one.get("columns")), {})
