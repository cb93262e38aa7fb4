"""Reads the tasks of a plan while the plan is still being written.

A task can be begun as soon as it is complete in the stream and all that it depends on is: what comes later
rarely changes it, and where it does, the whole plan has the last word (see `executor`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hugginggpt.plan import Task
from hugginggpt.repair import repair

_LIST_OF_OBJECTS = re.compile(r"\[\s*(?=\{)")
_STRUCTURE = re.compile(r'[{}"\]]')
_STRING_END = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


class EarlyTasks:
    """Takes in the pieces of a plan and gives the tasks that can be begun, among the first `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._objects = _Objects()
        self._raw: list[Any] = []
        self._given: set[int] = set()

    def feed(self, piece: str) -> list[Task]:
        """The tasks that this piece completed, or whose dependencies it did."""
        fresh = list(self._objects.feed(piece))[: self._most - len(self._raw)]
        if not fresh:
            return []
        self._raw.extend(fresh)
        settled = [task for task in self._settled() if task.id not in self._given]
        self._given.update(task.id for task in settled)
        return settled

    def _settled(self) -> Iterator[Task]:
        """Tasks without a problem that bring an id of their own, were not unfolded, and depend on such tasks only."""
        written = [item.get("id") if isinstance(item, dict) else None for item in self._raw]
        plan = repair(self._raw)
        unfolded = len(plan) != len(self._raw)
        settled: set[int] = set()
        for task in plan:
            own = written.count(task.id) == 1 and not (unfolded and _names_several(self._raw[written.index(task.id)]))
            if own and not task.problem and settled.issuperset(task.dep):
                settled.add(task.id)
                yield task


def _names_several(item: dict[str, Any]) -> bool:
    """Whether a task's arguments hold several resources, which makes several tasks of it."""
    args = item.get("args")
    texts = json.dumps(args) if isinstance(args, dict) else ""
    return len(re.findall(r"(?i)<(?:generated|resource|node)", texts)) > 1 or "[" in texts


class _Objects:
    """The objects of the first JSON list of objects in a text that comes in pieces. Strict JSON only."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._depth = 0
        self._begin = 0
        self._in_list = False
        self._over = False

    def feed(self, piece: str) -> Iterator[Any]:
        self._text += piece
        if self._over or (not self._in_list and not self._find_list()):
            return
        while not self._over and (match := _STRUCTURE.search(self._text, self._at)):
            if match[0] == '"':
                end = _STRING_END.match(self._text, match.end())
                if not end:
                    return  # the string goes on in the next piece
                self._at = end.end()
                continue
            self._at = match.end()
            if match[0] == "{":
                self._begin = match.start() if self._depth == 0 else self._begin
                self._depth += 1
            elif match[0] == "}":
                self._depth -= 1
                if self._depth == 0:
                    yield from self._object()
            elif self._depth == 0:
                self._over = True

    def _find_list(self) -> bool:
        found = _LIST_OF_OBJECTS.search(self._text)
        if found:
            self._in_list, self._at = True, found.end()
        return self._in_list

    def _object(self) -> Iterator[Any]:
        try:
            yield json.loads(self._text[self._begin : self._at])
        except ValueError:
            self._over = True  # not what is read here: the whole plan is read in the end
