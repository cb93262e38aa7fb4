"""How far a run is, by its events as clients get them: the plan, the beginning and the end of each task, the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

SHOWN_CHARS = 200
WHOLE = 2.0
"""The steps of a task: its beginning and its end."""
NEARLY = 0.9
"""What of a step a task's own progress may count for at most."""
Event = Mapping[str, Any]


class Steps:
    """The steps of a run, `done` of `total`; both may change when the plan is complete."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.names: dict[int, str] = {}
        self._parts: dict[int, float] = {}
        self._planned = self._over = False
        for event in events:
            self.apply(event)

    @property
    def total(self) -> int:
        return 2 + int(WHOLE) * len(self.names)

    @property
    def done(self) -> float:
        return self.total if self._over else self._planned + sum(self._parts.get(number, 0) for number in self.names)

    @property
    def tasks_over(self) -> int:
        """How many of the tasks have ended, whatever came of them."""
        return sum(self._parts.get(number, 0) == WHOLE for number in self.names)

    def apply(self, event: Event) -> str:
        """Counts an event; returns what it tells, in a line, "" for one that is no step."""
        match event["event"]:
            case "plan":
                self._planned = True
                self.names = {task["id"]: task["task"] for task in event["plan"]}
                return f"planned: {', '.join(self.names.values()) or 'nothing to run'}"
            case "task":
                self.names[event["task"]["id"]] = event["task"]["task"]
                return ""
            case "done":
                self._over = True
                return "done"
            case "started" | "progress" | "finished" | "failed" | "skipped":
                return self._of_task(event["event"], event["task_id"], event)
            case _:
                return ""

    def _of_task(self, kind: str, number: int, event: Event) -> str:
        name = f"task {number}: {self.names.get(number, '')}"
        self._parts[number] = WHOLE
        match kind:
            case "started":
                self._parts[number] = 1.0
                return f"{name} starts"
            case "progress":
                self._parts[number] = 1.0 + NEARLY * min(1.0, event["done"] / event["total"] if event["total"] else 0.0)
                return f"{name}: {event['text'][:SHOWN_CHARS] or 'goes on'}"
            case "finished":
                return f"{name}: {event['reading'][:SHOWN_CHARS]}"
            case _:
                return f"{name} {kind}: {event['reason'][:SHOWN_CHARS]}"
