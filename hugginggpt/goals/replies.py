"""Reads the replies of language models: native tool calls, or AutoGPT's JSON, into one form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from hugginggpt.core.errors import ModelOutputError
from hugginggpt.core.lenient_json import NotJSON, find_values
from hugginggpt.goals.goal import Thoughts
from hugginggpt.llm.base import Reply

_THINKING = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL)
"""What reasoning models write before their answer."""
_FORM = 'Reply with one JSON object {"thoughts": {...}, "command": {"name": ..., "args": {...}}} and nothing else.'


@dataclass(frozen=True, slots=True)
class Call:
    """Thoughts and the command that they lead to; its arguments are not checked yet."""

    thoughts: Thoughts
    command: str
    args: Mapping[str, Any]


def read_reply(reply: Reply) -> Call:
    """The call in a reply. Raises ModelOutputError, whose text tells the model what is wrong.

    A reply that was cut off is never used: half a file would be written.
    """
    if reply.cut_off:
        raise ModelOutputError(f"The reply was cut off {reply.cut_off}: write less in one reply.")
    text = _THINKING.sub("", reply.text)
    try:
        values = [value for value in find_values(text) if isinstance(value, dict)]
        if reply.calls:
            call = reply.calls[0]
            args = next((value for value in find_values(call.arguments) if isinstance(value, dict)), {})
            return Call(_thoughts(values, text), call.name, args)
    except NotJSON as error:
        raise ModelOutputError(f"The reply is {error}. {_FORM}") from error
    for value in values:
        if call_found := _command(value):
            return Call(_thoughts([value], ""), *call_found)
    if any("thoughts" in value for value in values):
        raise ModelOutputError(f"The reply names no command. {_FORM}")
    raise ModelOutputError(f"The reply is not JSON of the asked form. {_FORM}")


def _command(value: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The name and arguments of a command: under "command", or the object itself is {"name", "args"}."""
    command = value.get("command", value if "name" in value else None)
    if isinstance(command, str):
        command = {"name": command, "args": value.get("args") or value.get("arguments")}
    if not isinstance(command, dict) or not isinstance(command.get("name"), str) or not command["name"].strip():
        return None
    args = command.get("args", command.get("arguments")) or {}
    if not isinstance(args, dict):
        raise ModelOutputError(f"The arguments of {command['name'][:80]} should be a JSON object. {_FORM}")
    return command["name"], args


def _thoughts(values: list[dict[str, Any]], text: str) -> Thoughts:
    """The thoughts in the first object that has some; a text without any is a thought itself."""
    for value in values:
        thoughts = value.get("thoughts")
        if isinstance(thoughts, dict):
            return Thoughts(**{slot.name: _as_text(thoughts.get(slot.name)) for slot in fields(Thoughts)})
        if thoughts:
            return Thoughts(_as_text(thoughts))
    return Thoughts(text.strip())


def _as_text(value: Any) -> str:
    """The text of a thought; plans come as lists, too."""
    if isinstance(value, list):
        return "\n".join(f"- {_as_text(item)}" for item in value)
    return "" if value is None else str(value).strip()
