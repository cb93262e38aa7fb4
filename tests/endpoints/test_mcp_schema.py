"""Structured content, held against the schema of its server."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.endpoints.mcp_experts.schema import contradiction
from tests.endpoints.plain_mcp import DOUBLING

ROWS = {
    "type": "object",
    "required": ["rows"],
    "properties": {"rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}}, "note": {"type": ["string", "null"]}},
    "$defs": {
        "Row": {
            "type": "object",
            "required": ["n"],
            "properties": {"n": {"type": "integer"}, "kind": {"enum": ["a", "b"]}, "x": {"$ref": "#/$defs/Maybe"}},
        },
        "Maybe": {"anyOf": [{"type": "number"}, {"type": "null"}]},
    },
}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"rows": []}, ""),
        ({"rows": [{"n": 1, "kind": "b", "x": 0.5}, {"n": 2.0, "x": None}], "note": None, "more": 1}, ""),
        ([], "it is not of the type object"),
        ({}, "it has no rows"),
        ({"rows": {}}, "rows is not of the type array"),
        ({"rows": [], "note": 1}, "note is not of the type string or null"),
        ({"rows": [{}]}, "a part of rows has no n"),
        ({"rows": [{"n": True}]}, "n is not of the type integer"),
        ({"rows": [{"n": 1.5}]}, "n is not of the type integer"),
        ({"rows": [{"n": 1, "kind": "c"}]}, "kind is none of the values that are allowed"),
        ({"rows": [{"n": 1, "x": "1"}]}, "x fits none of the schemas that are allowed"),
    ],
)
def test_what_contradicts_a_schema_is_named(content: Any, problem: str) -> None:
    assert contradiction(ROWS, content) == problem


@pytest.mark.parametrize(
    "schema",
    [
        {**DOUBLING, "type": ["object", "array"]},
        {"$ref": "#"},
        {"$ref": "#/$defs/none"},
        {"$ref": 5, "type": 5, "enum": 5, "allOf": 5, "anyOf": {}, "required": 5, "properties": [], "items": 5},
        {"required": [[]], "type": ["thing"], "pattern": "a*a*a*a*a*a*b"},
        {"items": {"enum": list(range(10_000))}},
        {"items": {"type": "integer"}},
        True,
    ],
)
def test_what_cannot_be_checked_soon_or_at_all_is_taken_to_fit(schema: Any) -> None:
    assert contradiction(schema, {"a": 1}) == contradiction(schema, [9_999] * 200_000) == ""
