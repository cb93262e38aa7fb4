"""The rows of a batch: the files, and texts, for which a plan is run, one row after the other."""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hugginggpt.core.errors import UserError
from hugginggpt.media.names import base_name
from hugginggpt.media.tables import columns
from hugginggpt.media.types import KIND_NAMES, kind_of, unreadable_reason

FILE = "file"
"""The column of the files that are given without a table."""
MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Row:
    """A path or URL for each file column, and a text for each other column; `name` is what the row is called."""

    name: str
    files: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "files": dict(self.files), "texts": dict(self.texts)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Row:
        """Raises KeyError, TypeError or AttributeError where that is none."""
        row = cls(value["name"], dict(value["files"]), dict(value["texts"]))
        if not all(isinstance(one, str) for one in (row.name, *row.files.values(), *row.texts.values())):
            raise TypeError("name, files and texts should be texts")
        return row


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows, with the same columns, and what should be said of how they were found."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def file_columns(self) -> list[str]:
        return list(self.rows[0].files)

    @property
    def text_columns(self) -> list[str]:
        return list(self.rows[0].texts)


def is_many(item: str) -> bool:
    """Whether what is attached stands for many files: a folder, or a pattern such as "photos/*.jpg"."""
    if "://" in item:
        return False
    try:
        path = Path(item).expanduser()
        return path.is_dir() or (glob.has_magic(item) and not path.exists())
    except (OSError, RuntimeError, ValueError):  # no name that a file can have, or ~name of an unknown user
        return False


def read_rows(items: Sequence[str], listing: str | None = None) -> Rows:
    """The rows for what is attached, or for a list: a text with a path or URL a line, or a table with columns.

    Raises UserError, or MediaError for a table that cannot be read.
    """
    if listing and items:
        raise UserError("Give the files either by -a or by --files.")
    found = _of_listing(_home_of(listing)) if listing else _of_items(items)
    if not found.rows:
        raise UserError("There are no files that can be read: " + (listing or ", ".join(items)))
    _check_number(len(found.rows))
    return found


def _check_number(rows: int) -> None:
    if rows > MOST_ROWS:
        raise UserError(f"These are {rows} rows, more than the {MOST_ROWS} that can be run at once.")


def _home_of(name: str) -> Path:
    """The path of a name that may begin with ~."""
    try:
        return Path(name).expanduser()
    except RuntimeError:  # ~name of an unknown user
        return Path(name)


def _of_items(items: Sequence[str]) -> Rows:
    named: list[tuple[str, str]] = []
    notes: list[str] = []
    for item in items:
        if not is_many(item):
            named.append((base_name(item), item))
            continue
        several = list(_files_of(item))
        kinds = Counter(kind_of(name) for name, _ in several)
        usual = max(kinds, key=lambda kind: kinds[kind], default=None)
        named += [(name, path) for name, path in several if kind_of(name) == usual]
        if usual and kinds[usual] < len(several):
            others = len(several) - kinds[usual]
            notes.append(f"{others} of the files in {item} are left out: most are of the kind of {KIND_NAMES[usual]}.")
    return Rows(_named_once(named), tuple(notes))


def _files_of(item: str) -> Iterator[tuple[str, str]]:
    """The name and path of each file of a folder, with those below it, or of a pattern; hidden files are left out."""
    root = _home_of(item)
    if root.is_dir():
        paths = sorted(path for path in root.rglob("*") if path.is_file())
    else:
        parts = (part if part == "**" else re.sub(r"\*+", "*", part) for part in root.relative_to(root.anchor).parts)
        found = Path(root.anchor).glob(
            "/".join(parts)
        )  # "**" follows no links to folders here: they may lead in a circle
        root, paths = Path(), sorted({path for path in found if path.is_file()})
    for path in paths:
        relative = path.relative_to(root) if path.is_relative_to(root) else path
        is_hidden = any(part.startswith(".") and part not in (".", "..") for part in relative.parts)
        if not is_hidden and kind_of(path.name) and not unreadable_reason(path.name):
            yield relative.as_posix(), str(path)


def _named_once(named: Sequence[tuple[str, str]]) -> tuple[Row, ...]:
    """A row for each file; of several with one name each is called by its path."""
    names = Counter(name for name, _ in named)
    once = dict.fromkeys(named)
    return tuple(Row(name if names[name] == 1 else path, {FILE: path}) for name, path in once)


# Lists


def _of_listing(file: Path) -> Rows:
    if kind_of(file.name) == "table":
        return _of_table(file)
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The list {file} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    named = dict.fromkeys(line for line in lines if line and not line.startswith("#"))
    _check_number(len(named))  # before each is looked for
    paths = [_placed(line, file.parent) for line in named]
    return Rows(_named_once([(base_name(path), path) for path in paths]))


def _of_table(file: Path) -> Rows:
    if not file.is_file():
        raise UserError(f"The list {file} cannot be read: there is no such file.")
    by_column = columns(file, at_least=1)
    places = {name: [_placed(value, file.parent) for value in values] for name, values in by_column.items()}
    of_files = [name for name, values in places.items() if all(map(_is_file, values))]
    rows: list[Row] = []
    for at in range(len(next(iter(by_column.values()), []))):
        files = {name: places[name][at] for name in of_files}
        texts = {name: values[at] for name, values in by_column.items() if name not in files}
        called = base_name(next(iter(files.values()))) if files else next(iter(texts.values()))[:60]
        rows.append(Row(called or f"row {at + 1}", files, texts))
    return Rows(tuple(rows))


def _placed(value: str, folder: Path) -> str:
    """A path of a list, which is meant from where the program runs, else from the folder of the list."""
    try:
        if "://" in value or Path(value).expanduser().exists() or not (folder / value).is_file():
            return value
    except (OSError, RuntimeError, ValueError):
        return value
    return str(folder / value)


def _is_file(value: str) -> bool:
    return "://" in value or (kind_of(value) is not None and "\n" not in value)
