"""Where the answer of somebody else's service holds what the result of a task is made of.

A path is keys and positions joined by dots: `choices.0.message.content`; `*` stands for all items of a list, and an
empty path for the whole value. `ResultMap` brings an answer into what a `ResultSchema` parses:

    {rows: result, label: keyword, score: score}     a list of objects, and paths in each of them
    {text: choices.0.message.content}                one value
    choices.0.message.content                        the same, in short
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hugginggpt.core.results import FILE_KINDS, ResultSchema

Paths = str | Mapping[str, Any]
ROWS = "rows"
FIELDS: Mapping[str, tuple[str, ...]] = {
    "text": ("text",),
    "text-file": ("text", "document"),
    "labels": ("label", "score"),
    "boxes": ("label", "box", "score", "image"),
    "masks": ("label", "mask", "score", "image"),
    "entities": ("word", "entity_group", "score", "start", "end"),
    "answer": ("answer", "score"),
    "answers": ("answer", "score"),
    "scores": ("score",),
    "classes": ("label",),
    "filled": ("sequence", "score", "token_str"),
    "data": ("data",),
    **{kind: (kind,) for kind in FILE_KINDS},
}
"""The fields of each shape of results, the first of which names the shape's own value."""
REQUIRED: Mapping[str, tuple[str, ...]] = {"labels": ("label", "score"), "boxes": ("label", "box")}
"""The fields that must have a path, where it is not the first alone."""
CORNERS = ("xmin", "ymin", "xmax", "ymax")
SIZES = ("xmin", "ymin", "width", "height")
_OF_ROWS = ("labels", "boxes", "masks", "entities", "answers", "scores", "classes", "filled")
_PLAIN_ROWS = ("scores", "classes")
_NUMBERS = ("score", "start", "end")
_TEXTS = ("label", "word", "entity_group", "answer", "sequence", "token_str")
_SHOWN_KEYS = 8
_KEY_CHARS = 40


def find(value: Any, path: str) -> Any:
    """What a value holds at a path. Raises LookupError with a clause that says what is missing."""
    return _find(value, path.split(".") if path else [], path)


def _find(value: Any, steps: list[str], path: str) -> Any:
    for at, step in enumerate(steps):
        if step == "*":
            if not isinstance(value, list):
                raise LookupError(f"it has no list at {_before(steps, at) or 'its top'} ({_holds(value)})")
            return [_find(item, steps[at + 1 :], path) for item in value]
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (LookupError, ValueError, TypeError):
            raise LookupError(
                f"it has nothing at {path}: {_before(steps, at) or 'the answer'} {_holds(value)}"
            ) from None
    return value


def _before(steps: list[str], at: int) -> str:
    return ".".join(steps[:at])


def _holds(value: Any) -> str:
    if isinstance(value, dict):
        keys = [name if len(name) <= _KEY_CHARS else "…" for name in map(str, value)]  # half a secret cannot be masked
        return f"has {', '.join(keys[:_SHOWN_KEYS]) or 'no keys'}{', …' if len(keys) > _SHOWN_KEYS else ''}"
    return f"is a list of {len(value)}" if isinstance(value, list) else f"is a {type(value).__name__}"


@dataclass(frozen=True, slots=True)
class ResultMap:
    """Paths into an answer, for a shape of results; without paths the answer has that shape already."""

    schema: ResultSchema
    paths: Paths | None = None

    def mistakes(self) -> Iterator[str]:
        """What is wrong with the paths."""
        if self.paths is None:
            return
        name, fields = self.schema.name, FIELDS.get(self.schema.name)
        if fields is None:
            yield f"is not for results of the shape {name}"
            return
        paths = self._by_field(fields)
        known = (*((ROWS,) if name in _OF_ROWS else ()), *fields)
        yield from (f"{key} should be one of {', '.join(known)}" for key in paths if key not in known)
        lacking = [key for key in REQUIRED.get(name, fields[:1]) if key not in paths and not self._whole_rows(paths)]
        yield from (f"should say where {key} stands" for key in lacking)
        for key, path in paths.items():
            if key == "box" and isinstance(path, Mapping):
                if set(path) not in (set(CORNERS), set(SIZES)):
                    yield f"box should have {', '.join(CORNERS)}, or {', '.join(SIZES)}"
                path = "".join(map(str, path.values()))
            if not isinstance(path, str):
                yield f"{key} should be a path, such as choices.0.text"

    def read(self, answer: Any) -> Any:
        """What the schema parses: a list of objects, a text, or for files what stands there: base64, a URL, bytes.

        Raises ValueError or LookupError with a clause that says what is missing ("it has nothing at result").
        """
        if self.paths is None:
            return answer
        name = self.schema.name
        fields = FIELDS[name]
        paths = self._by_field(fields)
        if name not in _OF_ROWS:
            return self._single(answer, paths, fields[0])
        rows = find(answer, paths.get(ROWS, ""))
        if ROWS not in paths and not isinstance(rows, list):
            rows = [rows]
        if not isinstance(rows, list):
            raise ValueError(f"it has no list at {paths.get(ROWS) or 'its top'}")
        own = {key: path for key, path in paths.items() if key not in (ROWS, "image")}
        if name in _PLAIN_ROWS:
            path = own.get(fields[0], "")
            return [_typed(fields[0], find(row, path)) for row in rows]
        read = [{key: _read_field(row, key, path) for key, path in own.items()} for row in rows]
        return {"generated image": find(answer, paths["image"]), "predicted": read} if "image" in paths else read

    def _by_field(self, fields: tuple[str, ...]) -> Mapping[str, Any]:
        if isinstance(self.paths, str):
            return {ROWS if self.schema.name in _PLAIN_ROWS else fields[0]: self.paths}
        return self.paths or {}

    def _whole_rows(self, paths: Mapping[str, Any]) -> bool:
        """Whether each row is the value itself: a list of numbers, or of classes."""
        return self.schema.name in _PLAIN_ROWS and ROWS in paths

    def _single(self, answer: Any, paths: Mapping[str, Any], first: str) -> Any:
        value = find(answer, paths[first])
        if first != "text":
            return value if len(paths) == 1 else {key: _read_field(answer, key, path) for key, path in paths.items()}
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(text, str | int | float) for text in texts):
            raise ValueError(f"it has no text at {paths[first] or 'its top'}")
        return "\n".join(map(str, texts))


def _read_field(row: Any, key: str, path: Any) -> Any:
    if isinstance(path, Mapping):
        box = {name: float(find(row, inner)) for name, inner in path.items()}
        if "width" in box:
            box = {**box, "xmax": box["xmin"] + box["width"], "ymax": box["ymin"] + box["height"]}
        return {name: round(box[name]) for name in CORNERS}
    return _typed(key, find(row, path))


def _typed(key: str, value: Any) -> Any:
    """Numbers may come as texts ("0.97"), and labels as numbers."""
    if key in _NUMBERS:
        return int(value) if key != "score" else float(value)
    return str(value) if key in _TEXTS and isinstance(value, int | float) else value
