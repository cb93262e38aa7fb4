"""Makes a text fit to be read aloud: no paths, percentages in brackets, slashes between lines, or Markdown."""

from __future__ import annotations

import re
import unicodedata

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
    return " ".join("".join(map(_plain_digit, text)).split())


def _plain_digit(char: str) -> str:
    """Digits in circles and of other scripts as those that a voice knows: it is silent at the others."""
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if char.isnumeric() and unicodedata.decomposition(char).startswith(("<circle>", "<compat>")):
        return unicodedata.normalize("NFKC", char)
    return char


def is_speakable(text: str) -> bool:
    """Whether a voice finds anything to say: letters, digits, or the fractions and raised digits of Latin-1."""
    return any(char.isalpha() or (char.isalnum() and char <= "\xff") for char in text)
