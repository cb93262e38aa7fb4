"""A task of a plan that is being made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hugginggpt.core.questions import Condition


@dataclass(slots=True)
class Node:
    """A task of the plan. The tasks of one intent share a `group`; `why` is the reason, for the debug log. One that
    `only_decides` a condition has no result that "it" could mean. `save_as` is the name that its file is to have.
    """

    id: int
    task: str
    args: dict[str, Any]
    group: int
    why: str
    dep: list[int] = field(default_factory=list)
    when: Condition | None = None
    only_decides: bool = False
    save_as: str = ""

    def takes(self, file: str) -> bool:
        """Whether a file is an argument of it."""
        return any(file == value or (isinstance(value, list) and file in value) for value in self.args.values())

    def to_json(self) -> dict[str, Any]:
        when = {"when": self.when.to_json()} if self.when else {}
        name = {"save_as": self.save_as} if self.save_as else {}
        dep = {"dep": self.dep} if self.dep else {}
        return {"task": self.task, "id": self.id, "args": self.args, **dep, **when, **name}
