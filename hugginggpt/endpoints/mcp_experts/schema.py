"""Whether a tool's structured content fits the schema that the server gave for it, in bounded time.

Both come from somebody else. A library that checks every keyword can be kept busy for ever: by a regular expression,
which holds up the whole program, or by references that double the work at each level. So only the keywords below are
read, with a limit to the work; what is not read, or is beyond the limit, is taken to fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MOST_WORK = 50_000
"""Parts of schemas that are held against values."""
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "null": (type(None),),
    "number": (int, float), "integer": (int, float),
}  # fmt: skip


class _TooMuch(Exception):
    """There is more to check than is checked."""


def contradiction(schema: Any, content: Any) -> str:
    """How the content contradicts the schema, as a clause; "" if it does not, as far as it was checked."""
    try:
        return next(_Check(schema).problems(schema, content, "it"), "")
    except (_TooMuch, RecursionError):
        return ""


class _Check:
    def __init__(self, root: Any) -> None:
        self.root = root
        self.work = 0

    def problems(self, schema: Any, value: Any, name: str) -> Iterator[str]:
        """What is wrong with the value, which a sentence calls `name`."""
        if not isinstance(schema, dict):
            return
        self.work += 1 + sum(len(part) for part in schema.values() if isinstance(part, dict | list))
        if self.work > MOST_WORK:
            raise _TooMuch
        types = schema.get("type")
        types = types if isinstance(types, list) else [types]
        if not any(_is_a(value, one) for one in types):
            yield f"{name} is not of the type {' or '.join(map(str, types))}"
        allowed = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if isinstance(allowed, list) and value not in allowed:
            yield f"{name} is none of the values that are allowed"
        if isinstance(value, dict):
            yield from self._of_object(schema, value, name)
        if isinstance(value, list) and isinstance(items := schema.get("items"), dict):
            for each in value:
                yield from self.problems(items, each, f"a part of {name}")
        if "$ref" in schema:
            yield from self.problems(self._named(str(schema["$ref"])), value, name)
        for part in _list(schema.get("allOf")):
            yield from self.problems(part, value, name)
        for ways in (_list(schema.get("anyOf")), _list(schema.get("oneOf"))):
            if ways and all(next(self.problems(way, value, name), "") for way in ways):
                yield f"{name} fits none of the schemas that are allowed"

    def _of_object(self, schema: dict[str, Any], value: dict[str, Any], name: str) -> Iterator[str]:
        missing = [each for each in _list(schema.get("required")) if isinstance(each, str) and each not in value]
        if missing:
            yield f"{name} has no {missing[0]}"
        properties = schema.get("properties")
        for key, inner in properties.items() if isinstance(properties, dict) else ():
            if key in value:
                yield from self.problems(inner, value[key], key)

    def _named(self, ref: str) -> Any:
        """The part of the schema that a reference such as #/$defs/Row names; None if there is none."""
        found = self.root if ref == "#" or ref.startswith("#/") else None
        for key in ref.split("/")[1:]:
            found = found.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        return found


def _is_a(value: Any, named: Any) -> bool:
    """Whether a value has a type of JSON's; no value contradicts a type that does not exist."""
    if not isinstance(named, str) or named not in TYPES:
        return True
    if isinstance(value, bool) and named != "boolean":
        return False
    return isinstance(value, TYPES[named]) and not (
        named == "integer" and isinstance(value, float) and not value.is_integer()
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
