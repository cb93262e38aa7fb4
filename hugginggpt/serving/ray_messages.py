"""What the model server and a replica of Ray Serve send each other: arguments, answers, states.

No folder has to be shared: files travel with the arguments, and are files of a temporary folder where the model runs.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hugginggpt.common.scratch import scratch_prefix
from hugginggpt.experts.source import Placement
from hugginggpt.serving.model_pool import Status
from hugginggpt.serving.model_registry import Entry

SCRATCH = "models-replica"
"""What the names of a replica's temporary folders begin with."""


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file on its way; its name is kept, since errors show it."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Listener:
    """In place of a function among the arguments: what the model calls it with is told while it runs."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model of a replica, within so many seconds."""

    entry: Entry
    task: str
    args: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class Told:
    """What a model told a function among its arguments while it ran."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception in parts: many can be pickled, but not be made again from what was pickled."""

    type: type[Exception]
    args: tuple[Any, ...]
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, error: Exception) -> Failure:
        return cls(type(error), error.args, dict(vars(error)))

    def as_error(self) -> Exception:
        error = self.type.__new__(self.type, *self.args)
        error.__dict__.update(self.fields)
        return error


@dataclass(frozen=True, slots=True)
class Done:
    """What `ModelPool.on_done` is called with."""

    model: str
    queued: float
    seconds: float
    outcome: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's raw result, or its failure, and the requests that have been done since the last answer."""

    value: Any = None
    failure: Failure | None = None
    done: tuple[Done, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplicaState:
    """A replica: the bytes that its models may use, the requests that wait, and its models. `placement` is None before
    it has loaded one.
    """

    budget: int = 0
    waiting: int = 0
    placement: Placement | None = None
    models: Mapping[str, Status] = field(default_factory=dict)


def sent(args: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that can be sent: files with their content. Raises OSError for a file that cannot be read."""
    return {name: _sent(value) for name, value in args.items()}


def _sent(value: Any) -> Any:
    if isinstance(value, Path):
        return SentFile(value.name, value.read_bytes())
    if isinstance(value, list | tuple):
        return [_sent(item) for item in value]
    return Listener() if callable(value) else value


@contextmanager
def received(args: Mapping[str, Any], tell: Callable[[Told], object]) -> Iterator[dict[str, Any]]:
    """The arguments that were sent, with files that are there within the context, and functions that call `tell`."""
    folder: list[Path] = []

    def file(sent_file: SentFile) -> Path:
        if not folder:
            folder.append(Path(tempfile.mkdtemp(prefix=scratch_prefix(SCRATCH))))
        path = Path(tempfile.mkdtemp(dir=folder[0])) / Path(sent_file.name).name
        path.write_bytes(sent_file.content)
        return path

    def one(name: str, value: Any) -> Any:
        if isinstance(value, SentFile):
            return file(value)
        if isinstance(value, Listener):
            return lambda *values: tell(Told(name, values))
        return [one(name, item) for item in value] if isinstance(value, list) else value

    try:
        yield {name: one(name, value) for name, value in args.items()}
    finally:
        for made in folder:
            shutil.rmtree(made, ignore_errors=True)
