"""Makes a text fit to be read aloud: no paths, percentages in brackets, slashes between lines, or Markdown."""

from __future__ import annotations

import re

_CHANGES = (
    (re.compile(r"https?://(?:www\.)?([\w.-]+)\S*?(?=[.,;:!?]?(?:\s|$))"), r"\1"),  # an address: its host
    (re.compile(r"(?<![\w.])(?:\.{0,2}/)?(?:[\w.-]+/)+(?=[\w-]+\.\w{2,5}\b)"), ""),  # a path: the file's name
    (re.compile(r"\s*\(\s*\d+(?:\.\d+)?\s?%(?:,\s*\d+(?:\.\d+)?\s?%)*\s*\)"), ""),  # scores
    (re.compile(r"^\s*(?:[-*•]|#{1,6})\s+", re.MULTILINE), ""),
    (re.compile(r"\*\*|__|`"), ""),
    (re.compile(r"(?<=[.!?:;,])\s+[/|]\s+"), " "),  # lines of a picture's text
    (re.compile(r"\s+[/|]\s+"), ", "),
)


def spoken(text: str) -> str:
    """The text in one line, as a person would read it."""
    for pattern, replacement in _CHANGES:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())
