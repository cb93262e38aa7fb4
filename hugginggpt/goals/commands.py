"""The table of commands: typed arguments, the risk of each, and the names that AutoGPT gave to them.

The risk stands here and nowhere else: what a language model says about its command has no weight. A row's function is
in `tools`, which has the effects.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from hugginggpt.core.errors import BackendError, ModelOutputError, UserError
from hugginggpt.llm.base import Tool

ParameterKind = Literal["text", "path", "url", "integer", "paths", "texts"]


class Risk(StrEnum):
    """What a command can do; the approval policy decides by it."""

    NONE = "none"
    READ = "read"
    WRITE = "write"
    NETWORK = "network"
    EXECUTE = "execute"
    DELETE = "delete"
    PERSON = "person"
    """It asks the person something."""


class BadCall(ModelOutputError):
    """A call that names no command, or whose arguments do not fit; the text tells the model what would."""


class NeedsAnswer(BackendError):
    """A command that could be done if the person answered the question that is its text."""


class LeadsElsewhere(UserError):
    """An address that leads to another host, `target`, for which leave is needed as for any other."""

    def __init__(self, text: str, target: str) -> None:
        super().__init__(text)
        self.target = target


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of a command; `aliases` are other names that models give to it."""

    name: str
    kind: ParameterKind = "text"
    about: str = ""
    required: bool = True
    aliases: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        types: dict[str, dict[str, Any]] = {"integer": {"type": "integer"}, "paths": _TEXTS, "texts": _TEXTS}
        return {**types.get(self.kind, {"type": "string"}), **({"description": self.about} if self.about else {})}

    def read(self, value: Any) -> Any:
        """The value in the parameter's type. Raises ValueError where it cannot be."""
        if self.kind == "integer":
            if isinstance(value, bool) or not isinstance(value, int | float | str) or int(value) != float(value):
                raise ValueError("a whole number")
            return int(value)
        if self.kind in ("paths", "texts"):
            items = value if isinstance(value, list) else [value]
            if not all(isinstance(item, str) for item in items):
                raise ValueError("a list of texts")
            return [item for item in items if item.strip()]
        if isinstance(value, bool | dict | list) or value is None:
            raise ValueError("a text")
        return str(value)


_TEXTS = {"type": "array", "items": {"type": "string"}}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command gives back.

    `text` is told to the model. `links` are addresses that may be visited from now on without leave of their own.
    `changes` are changes of the goal's state: plan, note, agent, files, complete.
    """

    text: str
    links: tuple[str, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)
    untrusted: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A row of the table. `run` takes the tools and the arguments; `aliases` are other names of the command.

    `untrusted`: its results hold text that others wrote. `fetches`: addresses in its texts may be visited.
    """

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    risk: Risk
    run: Callable[[Any, Mapping[str, Any]], Outcome]
    aliases: tuple[str, ...] = ()
    untrusted: bool = False
    fetches: bool = False

    @property
    def tool(self) -> Tool:
        """The command as a native tool."""
        required = [parameter.name for parameter in self.parameters if parameter.required]
        properties = {parameter.name: parameter.schema for parameter in self.parameters}
        return Tool(self.name, self.about, {"type": "object", "properties": properties, "required": required})

    @property
    def line(self) -> str:
        """The command in a prompt, as AutoGPT lists it."""
        args = ", ".join(f'"{each.name}": {_shown(each)}' for each in self.parameters)
        return f"{self.name}: {self.about}, args: {{{args}}}"

    def subject(self, args: Mapping[str, Any]) -> str:
        """What the call is about, for rules: the value of its first argument."""
        value = args.get(self.parameters[0].name, "") if self.parameters else ""
        return " ".join(value) if isinstance(value, list) else str(value)

    def bind(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by their names and in their types. Raises BadCall."""
        names = {alias: each for each in self.parameters for alias in (each.name, *each.aliases)}
        bound: dict[str, Any] = {}
        for name, value in raw.items():
            parameter = names.get(name)
            if parameter is None:
                raise BadCall(f"{self.name} has no argument {name[:80]!r}: {self.line}")
            if value is None and not parameter.required:
                continue
            try:
                bound[parameter.name] = parameter.read(value)
            except (ValueError, OverflowError):
                raise BadCall(
                    f"The argument {name} of {self.name} should be {_shown(parameter)}: {self.line}"
                ) from None
        missing = [each.name for each in self.parameters if each.required and each.name not in bound]
        if missing:
            raise BadCall(f"{self.name} lacks the argument {missing[0]}: {self.line}")
        return {each.name: bound[each.name] for each in self.parameters if each.name in bound}


def _shown(parameter: Parameter) -> str:
    words = {"integer": "a whole number", "paths": "a list of files", "texts": "a list of texts"}
    words |= {"path": "a file of the workspace", "url": "an http(s) address"}
    written = parameter.about or words.get(parameter.kind, "a text")
    return f"<{written}{'' if parameter.required else ', optional'}>"


class CommandTable:
    """The commands by name; names are compared without case, blanks and hyphens."""

    def __init__(self, rows: Sequence[Command]) -> None:
        self.rows = tuple(rows)
        self._names = {_plain(name): row for row in rows for name in (row.name, *row.aliases)}

    def find(self, name: str) -> Command:
        """The command of that name. Raises BadCall, which proposes the nearest."""
        if row := self._names.get(_plain(name)):
            return row
        near = difflib.get_close_matches(_plain(name), self._names, 1, 0.5)
        hint = f"did you mean {self._names[near[0]].name}?" if near else "choose one of the list."
        raise BadCall(f"There is no command {name[:80]!r}: {hint}")

    def only(self, *names: str) -> CommandTable:
        return CommandTable([row for row in self.rows if row.name in names])

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of AutoGPT's reply with a command of this table: of each command the arguments that it has.

        Of the thoughts only the text is required: where a schema forces them, small models fill the others with noise.
        """
        texts = ("text", "reasoning", "plan", "criticism", "speak")
        thoughts = {"type": "object", "properties": {name: {"type": "string"} for name in texts}, "required": ["text"]}
        calls = [_closed(name={"const": row.name}, args={**row.tool.parameters, **_CLOSED}) for row in self.rows]
        return _closed(thoughts={**thoughts, **_CLOSED}, command={"anyOf": calls})


_CLOSED = {"additionalProperties": False}


def _closed(**properties: Any) -> dict[str, Any]:
    """The schema of an object with just these properties."""
    return {"type": "object", "properties": properties, "required": [*properties], **_CLOSED}


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def canonical(args: Mapping[str, Any]) -> str:
    """The arguments as JSON, the same text for the same arguments."""
    return json.dumps(args, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
