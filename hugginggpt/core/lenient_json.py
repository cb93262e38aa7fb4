"""Reads the JSON that language models write.

Beyond JSON it accepts the output of Python's repr (single quotes, True, None), bare keys, trailing and
missing commas, raw line breaks and stray quotes inside strings, // comments, and a truncated end.
It reads in one pass, in time linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_DEPTH = 40
MAX_PLAIN_DEPTH = 200

_OPEN = re.compile(r"[\[{]")
_SPACE = re.compile(r"(?:[\s,]|//[^\n]*)*")
_BARE = re.compile(r"[^\s,:\[\]{}\"']+")
_NUMBER = re.compile(r"[-+]?\d{1,300}+(?:\.\d{1,300}+)?(?:[eE][-+]?\d{1,4})?$")
_STRING_PART = re.compile(r"[^\"'\\]+")
_AFTER_STRING = re.compile(r"\s*+(?:[,:\]}]|$)|[ \t]*+\n\s*+[\"'\[{]")
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_CLOSE = {"[": "]", "{": "}"}


class NotJSON(ValueError):
    """No array or object where one was expected, or it is nested too deeply."""


def read_json(text: str | bytes) -> Any:
    """Parses plain JSON. Raises ValueError for invalid JSON and for JSON nested more than MAX_PLAIN_DEPTH levels deep.

    The depth that Python's parser takes differs between versions, and code that walks the value recurses, too.
    """
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise NotJSON("nested too deeply") from error
    brackets = text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
    if brackets > MAX_PLAIN_DEPTH and _deeper_than(MAX_PLAIN_DEPTH, value):
        raise NotJSON("nested too deeply")
    return value


def _deeper_than(depth: int, value: Any) -> bool:
    level = [value]
    for _ in range(depth):
        containers = [each for each in level if isinstance(each, list | dict)]
        if not containers:
            return False
        level = [child for each in containers for child in (each.values() if isinstance(each, dict) else each)]
    return any(isinstance(each, list | dict) for each in level)


def find_values(text: str) -> Iterator[Any]:
    """Every array and object in `text`, outermost ones only, in order, whatever prose surrounds them.

    Raises NotJSON when one is nested deeper than MAX_DEPTH.
    """
    try:
        value = read_json(text)
        if isinstance(value, list | dict):
            yield value
            return
    except ValueError:
        pass
    at = 0
    while match := _OPEN.search(text, at):
        reader = _Reader(text, match.start())
        value = reader.value(0)
        at = max(reader.at, match.end())
        yield value


class _Reader:
    """A recursive-descent reader over `text`, standing at index `at`."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise NotJSON(f"nested deeper than {MAX_DEPTH} levels")
        char = self.peek()
        if char == "[":
            return self.array(depth)
        if char == "{":
            return self.object(depth)
        if char in ('"', "'"):
            return self.string(char)
        return self.bare()

    def array(self, depth: int) -> list[Any]:
        self.at += 1
        items: list[Any] = []
        while self.more("["):
            items.append(self.value(depth + 1))
        return items

    def object(self, depth: int) -> dict[str, Any]:
        self.at += 1
        members: dict[str, Any] = {}
        while self.more("{"):
            key = self.value(depth + 1)
            self.skip()
            if self.peek() != ":":
                continue  # a key without a value, or prose between braces
            self.at += 1
            self.skip()
            members[str(key)] = self.value(depth + 1) if self.peek() not in "]}" else None
        return members

    def more(self, opened: str) -> bool:
        """Whether another item follows; moves past the end of the array or object otherwise."""
        self.skip()
        char = self.peek()
        if char == "":
            return False
        if char in "]}":
            if char == _CLOSE[opened]:
                self.at += 1
            return False  # the wrong bracket closes this level and is left for the level that it matches
        if char == ":":
            self.at += 1
            return self.more(opened)
        return True

    def string(self, quote: str) -> str:
        self.at += 1
        parts: list[str] = []
        while char := self.peek():
            if char == "\\":
                parts.append(self.escape())
            elif char == quote and _AFTER_STRING.match(self.text, self.at + 1):
                self.at += 1
                return "".join(parts)
            elif match := _STRING_PART.match(self.text, self.at):
                parts.append(match[0])
                self.at = match.end()
            else:  # the other quote, or one that is not followed by what follows a string
                parts.append(char)
                self.at += 1
        return "".join(parts)

    def escape(self) -> str:
        char = self.text[self.at + 1 : self.at + 2]
        if char == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", code := self.text[self.at + 2 : self.at + 6]):
            self.at += 6
            unit = int(code, 16)
            low = re.match(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})", self.text[self.at : self.at + 6])
            if 0xD800 <= unit < 0xDC00 and low:
                self.at += 6
                return chr(0x10000 + ((unit - 0xD800) << 10) + int(low[1], 16) - 0xDC00)
            return "\ufffd" if 0xD800 <= unit < 0xE000 else chr(unit)
        self.at += 1 + len(char)
        return _ESCAPES.get(char, char)

    def bare(self) -> Any:
        match = _BARE.match(self.text, self.at)
        if not match:
            self.at += 1
            return None
        self.at = match.end()
        word = match[0]
        if word.lower() in _WORDS:
            return _WORDS[word.lower()]
        if _NUMBER.match(word):
            return int(word) if word.lstrip("+-").isdigit() else float(word)
        return word

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        if match:
            self.at = match.end()
