"""Plain texts with a form: JSON, and the subtitles SRT and WebVTT."""

from __future__ import annotations

import html
import json as standard_json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hugginggpt.media.formats import MAX_CHARS, Document, Limits, Unreadable, check_cells, check_length, too_many
from hugginggpt.media.formats.web import decoded

MAX_NAME_CHARS = 300_000
"""All names that lead to a value, one within another: each of them is kept with those before it."""
MAX_COLUMNS = 1_000
"""A list of more columns is no table."""
_TIMES = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{3}\s*-->\s*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{3}")
_MARKUP = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")


def json(path: Path, limits: Limits) -> Document:
    """The values with their names, a line each; lists of objects are tables, too. A line of JSON each is a list."""
    text = decoded(path.read_bytes()).strip()
    if text.count(",") > MAX_CHARS or text.count("\n") > MAX_CHARS:  # before objects are made of them
        raise Unreadable(f"holds more than {MAX_CHARS:,} values: give a part of it")
    try:
        value = standard_json.loads(text)
    except ValueError as error:
        value = _of_lines(text)
        if len(value) < 2:
            raise Unreadable(_why_invalid(error) if text else "is empty") from error
    document = Document()
    document.add("", "", "\n".join(_bounded(_lines(value, ""))))
    for name, rows in _tables(value, "", limits):
        document.add_table("list" if name else "", name, rows)
    return document


def _of_lines(text: str) -> list[Any]:
    """The values of JSON that has one in each line; [] if it has not."""
    try:
        return [standard_json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        return []


def _why_invalid(error: ValueError) -> str:
    if isinstance(error, standard_json.JSONDecodeError):
        return f"is not valid JSON: {error}"
    return f"holds a number of more than {sys.get_int_max_str_digits():,} digits: write it as a text"


def _bounded(lines: Iterator[str]) -> Iterator[str]:
    """The lines, each with all names that lead to it: few bytes can make many of them."""
    chars = 0
    for line in lines:
        chars += len(line) + 1
        check_length(chars)
        yield line


def _lines(value: Any, name: str) -> Iterator[str]:
    """ "members 1 name: Ruth Klein": a line for each value, with what leads to it."""
    if len(name) > MAX_NAME_CHARS:
        raise Unreadable(f"has names of more than {MAX_NAME_CHARS:,} characters that lead to a value: shorten them")
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _lines(inner, f"{name} {key}".strip())
    elif isinstance(value, list) and all(not isinstance(inner, dict | list) for inner in value):
        yield f"{name}: {', '.join(map(_shown, value))}" if name else ", ".join(map(_shown, value))
    elif isinstance(value, list):
        for number, inner in enumerate(value, 1):
            yield from _lines(inner, f"{name} {number}".strip())
    else:
        yield f"{name}: {_shown(value)}" if name else _shown(value)


def _tables(value: Any, name: str, limits: Limits) -> Iterator[tuple[str, list[list[str]]]]:
    """The lists of objects, of rows, or of objects by name, each as rows below their header. One of too many columns
    is no table: each of its objects is something else, or its rows are long vectors.
    """
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        header = list(dict.fromkeys(key for row in value for key in row))
        if _may_be_table(len(value) + 1, len(header), limits):
            yield name, [header, *([_shown(row.get(key)) for key in header] for row in value)]
    elif isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        width = max(map(len, value))
        if _may_be_table(len(value), width, limits):
            yield name, [[*map(_shown, row), *[""] * (width - len(row))] for row in value]
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _tables(inner, f"{name} {key}".strip(), limits)


def _may_be_table(rows: int, width: int, limits: Limits) -> bool:
    """Raises Unreadable for too many rows or cells."""
    if rows > limits.rows:
        raise too_many(rows, "rows", limits.rows, "limits.max_rows")
    if width > MAX_COLUMNS:
        return False
    check_cells(rows * width)
    return True


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else standard_json.dumps(value, ensure_ascii=False)


def subtitles(path: Path, limits: Limits) -> Document:
    """SRT and WebVTT: what is said, with the time at which it begins."""
    document, time, said = Document(), "", list[str]()

    def add() -> None:
        words = " ".join(html.unescape(_MARKUP.sub("", line)).strip() for line in said).strip()
        if time and words:
            document.add("time", time, words)

    text = decoded(path.read_bytes())
    if (number := text.count("-->")) > limits.rows:
        raise too_many(number, "subtitles", limits.rows, "limits.max_rows")
    for line in [*text.splitlines(), ""]:
        if match := _TIMES.match(line.strip()):
            add()
            time, said = f"{int(match[1] or 0):02}:{int(match[2]):02}:{match[3]}", []
        elif line.strip():
            said.append(line)
        elif time:
            add()
            time, said = "", []
    if not document.parts:
        raise Unreadable("holds no subtitles")
    return document
