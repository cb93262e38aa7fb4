"""Templates of requests."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hugginggpt.core.request_templates import MISSING, Slot, parts, rendered, slots

VALUES = {"text": "a {b} $KEY", "labels": ["x", "y"], "size": 7}


def look_up(slot: Slot) -> Any:
    return VALUES.get(slot.name, MISSING if slot.default is None else slot.default)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{text}", "a {b} $KEY"),
        ("say: {text}!", "say: a {b} $KEY!"),
        ("{labels}", ["x", "y"]),
        ("of {labels}, {size}", "of x, y, 7"),
        ("{size}", 7),
        ("{none}", MISSING),
        ("<{none}>", "<>"),
        ("{none|German}", "German"),
        ("{none|}", ""),
        ("{{text}} }}{{", "{text} }{"),
        ("$KEY {text}", "*KEY* a {b} $KEY"),
        ("${KEY}{size}$$", "*{KEY}7**"),
        ({"a": ["{none}", "{size}", None, 1.5], "b": "{none}", "c": {}}, {"a": [7, None, 1.5], "c": {}}),
    ],
)
def test_a_template(template: Any, expected: Any) -> None:
    """Only what stands in the template is filled in, never what an argument says."""
    made = rendered(template, look_up, lambda text: text.replace("$KEY", "*KEY*").replace("$", "*"))
    assert made is expected if expected is MISSING else made == expected


@pytest.mark.parametrize("text", ["{", "}", "{Text}", "{text:}", "{a b}", "{}", "{{}", "a}b", "{te{xt}"])
def test_an_odd_brace(text: str) -> None:
    with pytest.raises(ValueError, match="is no slot such as"):
        parts(text)


def test_all_slots_are_found() -> None:
    value = {"a": "{text} {image:base64|none}", "b": [{"c": "{labels}"}], "d": 5}
    assert list(slots(value)) == [Slot("text"), Slot("image", "base64", "none"), Slot("labels")]


@given(st.text("{}$a:|", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parts(text)
    except ValueError:
        return
    assert "".join(part if isinstance(part, str) else "" for part in found).count("{") <= text.count("{")
