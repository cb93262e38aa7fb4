"""A conversation as data: the files that came with each request, the outcome of its tasks, the inputs still missing.

A follow-up ("and the second one?", "read it aloud") is planned from these values and never from the wording of
earlier answers, so it does not matter who worded an answer, or in which language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hugginggpt.core.results import Kind


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that accompanies the text of a request.

    `name` is what the user calls it ("cat.jpg"); this name in a request refers to the file. `source` is its
    location: a public path ("/uploads/cat-1f2e.jpg"), an http(s) URL, or a path on this machine, which only
    a user of this machine may give. `kind` is None where neither name nor content tells it.
    """

    name: str
    source: str
    kind: Kind | None = None

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "path": self.source, "kind": self.kind}


@dataclass(frozen=True, slots=True)
class MissingInput:
    """An input that a request did not provide: a resource of a kind, for an argument of a task."""

    kind: Kind
    task: str = ""
    argument: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "task": self.task, "argument": self.argument}


@dataclass(frozen=True, slots=True)
class PastTask:
    """A task of an earlier turn: the arguments it was run with, and its result or the reason why it has none."""

    id: int
    task: str
    args: Mapping[str, Any]
    value: Any = None
    error: str = ""
    dep: tuple[int, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.error


@dataclass(frozen=True, slots=True)
class Turn:
    """A request of a conversation and its outcome.

    When a client sends only messages, there are no tasks: just the texts and the files that they name are known.
    """

    request: str
    run_id: str = ""
    files: tuple[Attachment, ...] = ()
    tasks: tuple[PastTask, ...] = ()
    message: str = ""
    missing: MissingInput | None = None
    notices: tuple[str, ...] = field(default=())
