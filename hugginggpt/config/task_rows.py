"""Task types of the configuration."""

from __future__ import annotations

import difflib
import re
from inspect import signature
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from hugginggpt.config.base import Row
from hugginggpt.core.results import SCHEMAS, Kind
from hugginggpt.core.task_types import Wording
from hugginggpt.core.tasks import Arg, Cue, HubMethod, TaskType


class RowArgument(Row):
    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    kind: Kind = "text"
    required: bool = True
    about: str = ""
    many: bool = False
    pattern: str = ""


def _hub_method(name: str) -> str:
    """A method that runs a task on a model; only for a row that names one is the library imported."""
    from huggingface_hub import InferenceClient

    functions = {key: value for key, value in vars(InferenceClient).items() if key[0] != "_" and callable(value)}
    methods = [key for key, function in functions.items() if "model" in signature(function).parameters]
    if name not in methods:
        (close,) = difflib.get_close_matches(name, methods, 1, 0)
        raise PydanticCustomError(
            "hub", "should be a method of huggingface_hub.InferenceClient, such as {close}", {"close": close}
        )
    return name


class RowHubMethod(Row):
    method: Annotated[str, AfterValidator(_hub_method)]
    params: dict[str, str]


def _schema_name(name: str) -> str:
    """The name of a shape of results."""
    if name not in SCHEMAS:
        raise PydanticCustomError("schema", "should be one of {names}", {"names": ", ".join(SCHEMAS)})
    return name


class TaskRow(Row):
    """A task type that the user adds to the task table."""

    name: str
    about: str
    args: list[RowArgument]
    gives: Annotated[str, AfterValidator(_schema_name)]
    answer: str = "{}"
    cues: list[str] = Field([])
    aliases: list[str] = Field([])
    wording: Wording = ""
    llm: bool = False
    hub: RowHubMethod | None = None
    models: list[str] = Field([])

    @model_validator(mode="after")
    def _is_whole(self) -> TaskRow:
        if wrong := next(self.row().mistakes(), ""):
            raise PydanticCustomError("row", "{wrong}", {"wrong": wrong})
        return self

    def row(self) -> TaskType:
        """The row; it is known by its cues and by the words of its name."""
        name = r"\W*".join(map(re.escape, self.name.split("-")))
        words = [*self.cues, rf"\b{name}\b"]
        return TaskType(
            self.name,
            self.about,
            tuple(Arg(**arg.model_dump()) for arg in self.args),
            SCHEMAS[self.gives],
            self.answer,
            aliases=tuple(self.aliases),
            llm=self.llm,
            wording=self.wording,
            is_repeatable=any(arg.pattern for arg in self.args),
            hub=HubMethod(self.hub.method, self.hub.params) if self.hub else None,
            models=tuple(self.models),
            cues=tuple(Cue.any_of(word, sure=True) for word in words),
        )
