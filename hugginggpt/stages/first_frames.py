"""Pictures of several frames or pages, of which a task looked at the first: its result says so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hugginggpt.core.errors import MediaError
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Inference
from hugginggpt.media import frames


def told(row: TaskType, inference: Inference, args: Mapping[str, Any]) -> Inference:
    """The result of a task, with a note where a picture that it was given has more than the one frame that it saw."""
    if row.takes_frames or not (note := " ".join(_notes(row, args))):
        return inference
    value = inference.value
    if isinstance(value, Mapping) and "pages" not in value:
        return inference._replace(value=_noted(value, note))
    if isinstance(value, list) and value and isinstance(value[0], Mapping) and "pages" not in value[0]:
        return inference._replace(value=[_noted(value[0], note), *value[1:]])
    return inference


def _notes(row: TaskType, args: Mapping[str, Any]) -> list[str]:
    """What is to be told of each picture among the arguments."""
    notes = []
    for arg in row.args:
        given = args.get(arg.name)
        for path in given if isinstance(given, list) else [given]:
            if arg.kind == "image" and isinstance(path, Path) and (number := _count(path)) > 1:
                notes.append(f"of its {number} {frames.unit_of(path)}s the first was looked at")
    return list(dict.fromkeys(notes))


def _count(path: Path) -> int:
    try:
        return frames.count(path)
    except MediaError:  # whoever opened it has said so
        return 1


def _noted(value: Mapping[str, Any], note: str) -> dict[str, Any]:
    own = value.get("note")
    return {**value, "note": f"{own}; {note}" if isinstance(own, str) and own else note}
