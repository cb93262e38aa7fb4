"""A conversation as data: the files that came with each request, the outcome of its tasks, the inputs still missing.

A follow-up ("and the second one?", "read it aloud") is planned from these values and never from the wording of
earlier answers, so it does not matter who worded an answer, or in which language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from hugginggpt.core.findings import Finding
from hugginggpt.core.results import Kind

LOCAL = "file:"
"""How the source of an attachment begins that is a file of this machine outside the public folder."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that accompanies the text of a request.

    `name` is what the user calls it ("cat.jpg"); this name in a request, or the end of it, refers to the file.
    `source` is its location: a public path ("/uploads/cat-1f2e.jpg"), an http(s) URL, or the file: URL of a file of
    this machine, which only a user of this machine may give. `kind` is None where neither name nor content tells it.
    """

    name: str
    source: str
    kind: Kind | None = None

    @property
    def reference(self) -> str:
        """How a task's argument names it: by its public path or URL; a file of this machine by its name alone."""
        return self.name if self.source.startswith(LOCAL) else self.source

    @property
    def local_path(self) -> Path | None:
        """The path of a file of this machine; None for a public path or a URL."""
        return Path(url2pathname(urlsplit(self.source).path)) if self.source.startswith(LOCAL) else None

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "path": self.source, "kind": self.kind}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Attachment:
        """Raises KeyError or TypeError where that is none."""
        if not all(isinstance(value[key], str) for key in ("name", "path")):
            raise TypeError("name and path should be texts")
        return cls(value["name"], value["path"], value.get("kind"))


def find_attachment(name: str, files: Sequence[Attachment]) -> Attachment | None:
    """The file that a name or path means: the first that is called so, else the first whose name ends so (its file
    name without the folders, or the last of several words), in the same case or else in another one.
    """
    if not name:
        return None
    for spelling in (str, str.lower):
        text = spelling(name)
        exact = (file for file in files if text in (spelling(file.name), spelling(file.source)))
        ending = (file for file in files if spelling(file.name).endswith((f"/{text}", f" {text}")))
        if file := next(exact, None) or next(ending, None):
            return file
    return None


def earlier_files(turns: Sequence[Turn]) -> list[Attachment]:
    """The files that came with the requests of a conversation, the latest first."""
    return [file for turn in reversed(turns) for file in turn.files]


def list_files(files: Sequence[Attachment], text: str) -> list[dict[str, Any]]:
    """The attached files as a language model is told of them, but those that `text` names by path already."""
    return [
        {"name": file.name, "path": file.reference, "kind": file.kind} for file in files if file.reference not in text
    ]


@dataclass(frozen=True, slots=True)
class MissingInput:
    """An input that a request did not provide: a resource of a kind, for an argument of a task."""

    kind: Kind
    task: str = ""
    argument: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "task": self.task, "argument": self.argument}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> MissingInput:
        """Raises KeyError where that is none."""
        return cls(value["kind"], value.get("task", ""), value.get("argument", ""))


@dataclass(frozen=True, slots=True)
class PastTask:
    """A task of an earlier turn: the arguments it was run with, and its result or the reason why it has none."""

    id: int
    task: str
    args: Mapping[str, Any]
    value: Any = None
    error: str = ""
    dep: tuple[int, ...] = ()
    form: str = ""
    code: str = ""

    @property
    def ok(self) -> bool:
        return not self.error

    @property
    def text(self) -> str:
        """The text that it gave; "" where it has no result, or one of another form."""
        text = self.value.get("generated text") if self.form == "text" and isinstance(self.value, Mapping) else None
        return text if isinstance(text, str) else ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A request of a conversation and its outcome.

    `message` is the whole answer; `answer` what of it answers the request, without the lists of files, failures and
    work, where these are known apart. `missing` is what was asked back, `findings` what its questions came to.

    When a client sends only messages, there are no tasks: just the texts and the files that they name are known.
    """

    request: str
    run_id: str = ""
    files: tuple[Attachment, ...] = ()
    tasks: tuple[PastTask, ...] = ()
    message: str = ""
    missing: MissingInput | None = None
    notices: tuple[str, ...] = ()
    answer: str = ""
    findings: tuple[Finding, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "files": [file.to_json() for file in self.files],
            "missing": self.missing.to_json() if self.missing else None,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Turn:
        """Raises KeyError, TypeError or AttributeError where that is none."""
        given = {
            "files": tuple(map(Attachment.from_json, value["files"])),
            "tasks": tuple(PastTask(**{**task, "dep": tuple(task["dep"])}) for task in value["tasks"]),
            "missing": MissingInput.from_json(value["missing"]) if value["missing"] else None,
            "notices": tuple(value["notices"]),
            "findings": tuple(map(Finding.from_json, value.get("findings", ()))),
        }
        return cls(**{**value, **given})
