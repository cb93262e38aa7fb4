"""Texts with slots for the arguments of a task, of which requests to other people's services are made.

    {text}              a text, or a list of texts where it stands alone
    {language|German}   with what stands for it where the argument is not given
    {text:quoted}       percent-encoded, for a service that wants this twice
    {image:base64}      a file: base64, data (a data URL), url (where it was given by a public one), file (a part of a
                        multipart body, or a whole body), and what is to be said of it: bytes, suffix, type, name

`{{` and `}}` are braces. What has no value and stands alone is left out with its key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hugginggpt.core.results import FILE_KINDS
from hugginggpt.core.tasks import TaskType

CONTENT_FORMS = ("base64", "data", "url", "file")
ABOUT_FORMS = ("bytes", "suffix", "type", "name")
TEXT_FORMS = ("", "quoted")
MISSING = object()
"""What a slot has whose argument is not given."""

_PIECE = re.compile(r"\$\$|\$\{\w+\}|\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SLOT = re.compile(r"([a-z][a-z0-9_]*)(?::([a-z0-9]+))?(?:\|(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for an argument, in one of its forms."""

    name: str
    form: str = ""
    default: str | None = None


def parts(text: str) -> list[str | Slot]:
    """The literal pieces and the slots of a text. Raises ValueError for a brace that is neither."""
    found: list[str | Slot] = []
    at = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece[0] == "$":  # $NAME is not filled in here
            continue
        found.append(text[at : match.start()])
        at = match.end()
        if piece in ("{{", "}}"):
            found.append(piece[0])
        elif match[1] is not None and (slot := _SLOT.fullmatch(match[1])):
            found.append(Slot(slot[1], slot[2] or "", slot[3]))
        else:
            raise ValueError(f"{piece[:40]} is no slot such as {{text}} or {{image:base64}}; {{{{ is a brace")
    return [piece for piece in (*found, text[at:]) if piece != ""]


def slots(value: Any) -> Iterator[Slot]:
    """The slots in a text, list or object. Raises ValueError as `parts`."""
    if isinstance(value, str):
        yield from (part for part in parts(value) if isinstance(part, Slot))
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from slots(inner)


def rendered(value: Any, look_up: Callable[[Slot], Any], fill: Callable[[str], str]) -> Any:
    """A text, list or object with its slots looked up, and its literal pieces, but no argument, passed through `fill`.

    A slot that stands alone gives its value as it is; one that is MISSING is left out of its list or object.
    """
    if isinstance(value, str):
        found = parts(value)
        if len(found) == 1 and isinstance(found[0], Slot):
            return look_up(found[0])
        return "".join(fill(part) if isinstance(part, str) else _text(look_up(part)) for part in found)
    if isinstance(value, Mapping):
        items = {key: rendered(inner, look_up, fill) for key, inner in value.items()}
        return {key: inner for key, inner in items.items() if inner is not MISSING}
    if isinstance(value, list):
        return [item for item in (rendered(inner, look_up, fill) for inner in value) if item is not MISSING]
    return value


def _text(value: Any) -> str:
    if value is MISSING:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def mistakes(value: Any, task: TaskType, forms: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with the slots of a template for a task; `forms` are those that its place takes."""
    try:
        found = list(slots(value))
    except ValueError as error:
        yield str(error)
        return
    for slot in found:
        arg = task.arg(slot.name)
        if arg is None:
            names = ", ".join(known.name for known in task.args)
            yield f"{{{slot.name}}} is no argument of {task.name}: it has {names}"
            continue
        own = forms if arg.kind == "table" else CONTENT_FORMS + ABOUT_FORMS if arg.kind in FILE_KINDS else TEXT_FORMS
        possible = [form for form in forms if form in own]
        if slot.form not in possible:
            ways = ", ".join(f"{{{slot.name}:{form}}}" if form else f"{{{slot.name}}}" for form in possible)
            yield f"{{{slot.name}{':' if slot.form else ''}{slot.form}}} cannot stand here" + (
                f": write {ways}" if ways else ""
            )
