"""Texts of a model for a terminal: nothing in them can move the cursor, hide or reorder what is shown."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode's categories of characters that are shown as their codes: control, format (bidirectional and invisible
ones), surrogates, private, unassigned, and the separators of lines.
"""
SHOWN_CHARS = 2000
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def escaped(text: str, *, lines: bool = False) -> str:
    """The text with the codes of hidden characters in their places; with `lines`, its line breaks and tabs stay."""
    return "".join(char if (lines and char in "\n\t") or not _hidden(char) else _code(char) for char in text)


def without_controls(text: str) -> str:
    """The text with the codes of control characters in their places, but for line breaks and tabs.

    What joins or orders the characters of some scripts stays.
    """
    return _CONTROLS.sub(lambda match: _code(match[0]), text)


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in HIDDEN


def _code(char: str) -> str:
    number = ord(char)
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char)
    return short or (
        f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"
    )


def shown_arguments(args: Mapping[str, Any], *, whole: bool = False) -> str:
    """The arguments, escaped; of a long one only the beginning, and its length, unless the `whole` is to be seen."""
    parts = []
    for name, value in args.items():
        text = escaped(json.dumps(value, ensure_ascii=False))
        if len(text) > SHOWN_CHARS and not whole:
            text = f"{text[:SHOWN_CHARS]} … ({len(text)} characters)"
        parts.append(f"{escaped(name)}={text}")
    return ", ".join(parts)
