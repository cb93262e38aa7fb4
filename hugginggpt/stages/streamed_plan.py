"""Reads the tasks of a plan while the plan is being streamed.

A task can be started as soon as it and its dependencies are complete in the stream: what comes later rarely
changes it, and if it does, the complete plan decides (see `executor`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.plan import Task, urgent_first
from hugginggpt.core.plan_repair import KindOf, repair
from hugginggpt.core.tasks import TaskTable

MAX_TASKS = 50
"""The maximum number of tasks started early; each new one is checked together with those before it."""
_LIST_OF_OBJECTS = re.compile(r"\[\s*(?=\{)")
_STRUCTURE = re.compile(r'[{}"\]]')
_IN_STRING = re.compile(r'["\\]')


class StreamingPlanParser:
    """Consumes the pieces of a plan and yields the tasks that can be started, among the first `most`."""

    def __init__(self, table: TaskTable, most: int, kind_of: KindOf = lambda name: None) -> None:
        self._table = table
        self._kind_of = kind_of
        self._most = min(most, MAX_TASKS)
        self._objects = _Objects()
        self._raw: list[Any] = []
        self._given: set[int] = set()

    def feed(self, piece: str) -> list[Task]:
        """The tasks that became ready to start with this piece."""
        if len(self._raw) >= self._most:
            return []
        fresh = list(self._objects.feed(piece))[: self._most - len(self._raw)]
        if not fresh:
            return []
        self._raw.extend(fresh)
        settled = [task for task in self._settled() if task.id not in self._given]
        self._given.update(task.id for task in settled)
        return urgent_first(settled)

    def _settled(self) -> Iterator[Task]:
        """Tasks without a problem that have a unique id, were not unfolded, and depend on such tasks only."""
        written = [item.get("id") if isinstance(item, dict) else None for item in self._raw]
        plan = repair(self._raw, self._table, kind_of=self._kind_of)
        unfolded = len(plan) != len(self._raw)
        settled: set[int] = set()
        for task in plan:
            unique = written.count(task.id) == 1 and not (
                unfolded and _names_several(self._raw[written.index(task.id)])
            )
            if unique and not task.problem and settled.issuperset(task.dep):
                settled.add(task.id)
                yield task


def _names_several(item: dict[str, Any]) -> bool:
    """Whether a task's arguments hold several resources, so that it becomes several tasks."""
    args = item.get("args")
    texts = json.dumps(args) if isinstance(args, dict) else ""
    return len(re.findall(r"(?i)<(?:generated|resource|node)", texts)) > 1 or "[" in texts


class _Objects:
    """The objects of the first JSON list of objects in a text that comes in pieces. Strict JSON only.

    Every character is read once, however the text is split.
    """

    def __init__(self) -> None:
        self._object: list[str] = []  # the pieces of the incomplete object
        self._depth = 0
        self._in_list = False
        self._after_bracket = False  # while searching for the list: the last non-blank character was a "["
        self._in_string = False
        self._escaped = False  # the piece before ended with a backslash inside a string
        self._over = False

    def feed(self, piece: str) -> Iterator[Any]:
        if not self._in_list and not self._over:
            piece = self._from_list_on(piece)
        if self._over or not piece:
            return
        at = begin = 0
        while not self._over and at < len(piece):
            if self._in_string:
                at = self._leave_string(piece, at)
                continue
            match = _STRUCTURE.search(piece, at)
            if not match:
                break
            at = match.end()
            if match[0] == '"':
                self._in_string = True
            elif match[0] == "{":
                begin = match.start() if self._depth == 0 else begin
                self._depth += 1
            elif match[0] == "}":
                self._depth -= 1
                if self._depth == 0:
                    self._object.append(piece[begin:at])
                    yield from self._complete()
            elif self._depth == 0:
                self._over = True
        if self._depth > 0:
            self._object.append(piece[begin:])

    def _from_list_on(self, piece: str) -> str:
        """The text after the bracket that opens the list; empty if the list has not started yet."""
        match = _LIST_OF_OBJECTS.search(text := "[" + piece if self._after_bracket else piece)
        if match:
            self._in_list = True
            return text[match.end() :]
        if seen := piece.rstrip():
            self._after_bracket = seen.endswith("[")
        return ""

    def _leave_string(self, piece: str, at: int) -> int:
        """The index behind the string's end, or behind the next escaped character, or the end of the piece."""
        if self._escaped:
            self._escaped = False
            return at + 1
        match = _IN_STRING.search(piece, at)
        if not match:
            return len(piece)
        if match[0] == '"':
            self._in_string = False
        else:
            self._escaped = True
        return match.end()

    def _complete(self) -> Iterator[Any]:
        text = "".join(self._object)
        self._object.clear()
        try:
            yield read_json(text)
        except ValueError:
            self._over = True  # not readable here: the complete plan is parsed at the end
