"""A conversation as data: the files that came with each request, what became of its tasks, what was asked back.

A follow-up ("and the second one?", "read it aloud") is planned from these values and never from the sentences in
which they were told, so it does not matter who worded an answer, or in which language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hugginggpt.core.results import Kind


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that comes with a request, beside its words.

    `name` is what the person calls it ("cat.jpg"); a request that says this name means this file. `source` is where it
    is: a public path ("/uploads/cat-1f2e.jpg"), an http(s) URL, or a path of this machine, which only a person at this
    machine may give. `kind` is None where neither name nor content tells it.
    """

    name: str
    source: str
    kind: Kind | None = None

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "path": self.source, "kind": self.kind}


@dataclass(frozen=True, slots=True)
class MissingInput:
    """What was asked back because a request did not give it: a resource of a kind, for an argument of a task."""

    kind: Kind
    task: str = ""
    argument: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "task": self.task, "argument": self.argument}


@dataclass(frozen=True, slots=True)
class PastTask:
    """A task of an earlier turn: its arguments as they were used, and its result, or why there is none."""

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
    """A request of a conversation and what came of it.

    Of a client that sends messages alone there are no tasks: then only the words and the files in them are known.
    """

    request: str
    run_id: str = ""
    files: tuple[Attachment, ...] = ()
    tasks: tuple[PastTask, ...] = ()
    message: str = ""
    missing: MissingInput | None = None
    notices: tuple[str, ...] = field(default=())
