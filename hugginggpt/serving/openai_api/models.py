"""The server's models as OpenAI's API knows them, and what the routes need of a request."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import flask
from pydantic import BaseModel, ValidationError

from hugginggpt.core.errors import UserError
from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.task_types import Serves, TaskType
from hugginggpt.media.store import MediaStore
from hugginggpt.serving.asking import Asked, UnknownModel, ask, entry_of
from hugginggpt.serving.model_pool import ModelPool
from hugginggpt.serving.model_registry import Entry, ModelRegistry
from hugginggpt.serving.openai_api.bodies import NAMES

B = TypeVar("B", bound=BaseModel)


class Invalid(UserError):
    """A body that is not what the route takes; `param` is the field that is wrong."""

    def __init__(self, message: str, param: str | None = None, reason: str | None = "invalid_value") -> None:
        super().__init__(message)
        self.param = param
        self.reason = reason


class NoSuchModel(UnknownModel):
    param, reason = "model", "model_not_found"


@dataclass(frozen=True, slots=True)
class Models:
    """The registered models, the pool that runs them, and where files are kept."""

    registry: ModelRegistry
    pool: ModelPool
    media: MediaStore

    def entries(self) -> Iterator[tuple[Entry, TaskType]]:
        """The models that serve any of the routes, each with the task by which it does."""
        for entry in self.registry.entries():
            row = self._row(entry)
            if row:
                yield entry, row

    def find(self, model: str, serves: Serves = "") -> tuple[Entry, TaskType]:
        """The model of an id and the task by which it serves a route. Raises NoSuchModel, Invalid."""
        try:
            entry = entry_of(self.registry, model)
        except UnknownModel as error:
            raise NoSuchModel(str(error)) from error
        row = self._row(entry, serves)
        if row is None:
            does = f"is for {' and '.join(entry.tasks)}"
            raise Invalid(f"{entry.id} {does}, not for {serves or 'this API'}.", "model", "model_not_supported")
        return entry, row

    def _row(self, entry: Entry, serves: Serves = "") -> TaskType | None:
        rows = (self.registry.table[task] for task in entry.tasks)
        return next((row for row in rows if row.serves and serves in ("", row.serves)), None)

    def ask(self, entry: Entry, task: str, args: Mapping[str, Any]) -> Asked:
        return ask(self.pool, entry, task, args)


def body_of(kind: type[B]) -> B:
    """The JSON body of the request. Raises Invalid, which names the first field that is wrong."""
    try:
        data = read_json(flask.request.get_data())
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise Invalid("A text in the body holds half of a character (a lone surrogate): send the whole one.") from error
    except (ValueError, RecursionError) as error:
        raise Invalid("The body should be JSON.", None, "invalid_json") from error
    return checked(kind, data)


def form_of(kind: type[B]) -> B:
    """The fields of the form, lists where a name ends with []. Raises Invalid."""
    form = flask.request.form
    return checked(kind, {name: form.getlist(name) if name.endswith("[]") else form[name] for name in form})


def checked(kind: type[B], data: Any) -> B:
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = _place(first["loc"])
        raise Invalid(f"{where or 'The body'}: {first['msg']}.", where or None) from None


def _place(found: Sequence[str | int]) -> str:
    """Where a mistake is: names and positions, without what pydantic calls the alternatives of a field."""
    return ".".join(str(part) for part in found if isinstance(part, int) or part in NAMES)
