"""Reads text files that users provide, with errors that name the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hugginggpt.core.errors import UserError


def read_text(file: Path, what: str = "", error: type[UserError] = UserError, *, if_missing: str | None = None) -> str:
    """The text of a UTF-8 file; `if_missing`, if given, when the file does not exist.

    Raises `error`, which calls the file `what`.
    """
    try:
        return file.read_text(encoding="utf-8")
    except OSError as failure:
        if isinstance(failure, FileNotFoundError) and if_missing is not None:
            return if_missing
        raise error(f"Cannot read {what and f'{what} '}{file}: {failure.strerror}.") from failure
    except UnicodeDecodeError as failure:
        raise error(f"{file} is not a text file in UTF-8.") from failure


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """(number, line) of the lines that are not blank. Only "\n" ends one: JSON allows the other ends within a text."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line
