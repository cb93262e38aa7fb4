"""Documents: their texts with page and sheet numbers, and their tables, read by a process of their own.

A hostile file can cost that process its memory and its time, and nothing else: it gets no keys, and what the
file refers to is not fetched (`formats/`).
"""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hugginggpt.common.paths import install_command
from hugginggpt.core.documents import Boxed, DocumentText, Part, Table
from hugginggpt.core.errors import MediaError
from hugginggpt.media.formats import MAX_CHARS
from hugginggpt.media.formats import __main__ as child

log = logging.getLogger(__name__)

READ_SECONDS = 30
MEMORY_BYTES = 1_500_000_000
"""The address space of the process that reads; a document of 50 MB takes up a third of it."""
UNPACKED_BYTES = 300_000_000
MAX_PAGES, MAX_ROWS = 5_000, 1_000_000
"""The limits where the configuration's are not known: it was held to those when it came in."""
MAX_DRAWN = 20
"""So many pages without text are drawn and read: each takes seconds."""
KEPT = 4
"""The number of documents that are remembered."""
_INHERITED = re.compile(r"(?i)path|systemroot|temp|tmp|tmpdir|home|lang|lc_.*|virtual_env|ld_library_path")


@dataclass(frozen=True, slots=True)
class Document:
    """What was read of a document; `unread` are the numbers of pages that hold a picture in place of text."""

    path: Path
    parts: tuple[Part, ...]
    tables: tuple[Table, ...]
    unread: tuple[int, ...] = ()
    lines: tuple[tuple[str, tuple[Boxed, ...]], ...] = ()


def read_document(path: Path, reader: str, pages: int = MAX_PAGES, rows: int = MAX_ROWS) -> Document:
    """A document by its reader (`FileType.reader`). One that has not changed is not read again.

    Raises MediaError, with why: more than `pages` or `rows`, a password, damage, too much to unpack.
    """
    now = path.stat()
    return _read(path, reader, now.st_size, now.st_ino, now.st_ctime_ns, limits=_Limits(pages, rows))


class _Limits(tuple[int, int]):
    """The most pages and rows. All are equal: what was read within some limits need not be read again."""

    __slots__ = ()

    def __new__(cls, pages: int, rows: int) -> _Limits:
        return super().__new__(cls, (pages, rows))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Limits)

    def __hash__(self) -> int:
        return 0


@lru_cache(KEPT)
def _read(path: Path, reader: str, *_state: int, limits: _Limits) -> Document:
    pages, rows = limits
    order = {"reader": reader, "limits": {"pages": pages, "rows": rows, "unpacked": UNPACKED_BYTES}}
    told = _told(path, order)
    parts = tuple(Part(**each) for each in told["parts"])
    tables = tuple(Table(one["unit"], one["name"], tuple(map(tuple, one["rows"]))) for one in told["tables"])
    if not tables and not told["unread"] and not any(part.text for part in parts):
        raise MediaError(f"{path.name} holds no text.")
    lines = tuple((page, tuple(map(tuple, boxed))) for page, boxed in told["lines"].items())
    return Document(path, parts, tables, tuple(told["unread"]), lines)


@lru_cache(KEPT)
def text_of(document: Document, read_page: Callable[[Path], str] | None) -> DocumentText:
    """The text of a document, where `read_page` reads the pages that are pictures; None where nothing can.

    Raises MediaError where that leaves no text.
    """
    drawn = document.unread[:MAX_DRAWN] if read_page else ()
    read = _read_pages(document.path, drawn, read_page) if drawn and read_page else {}
    texts = {("page", str(number)): text.strip() for number, text in read.items()}
    texts |= {("sheet", table.name): table.text for table in document.tables if table.unit == "sheet"}
    parts = [Part(part.unit, part.name, part.text or texts.get((part.unit, part.name), "")) for part in document.parts]
    left = [number for number in document.unread if number not in read]
    note = _left_out(left, read_page is not None)
    text = DocumentText.of(parts, note, document.tables)
    text.lines = document.lines
    if not text:
        raise MediaError(f"{document.path.name} holds no text. {note}".strip())
    if len(text) > MAX_CHARS:
        raise MediaError(f"{document.path.name} holds more than {MAX_CHARS:,} characters of text: give a part of it.")
    return text


def _left_out(pages: Sequence[int], can_read: bool) -> str:
    if not pages:
        return ""
    which = f"Page {pages[0]} is a picture" if len(pages) == 1 else f"{len(pages)} pages are pictures"
    if can_read:
        return (
            f"{which} and was not read." if len(pages) == 1 else f"{which} and were not read: {MAX_DRAWN} are at most."
        )
    return f"{which}: {install_command('experts')} to have such pages read."


def _read_pages(path: Path, pages: Sequence[int], read_page: Callable[[Path], str]) -> dict[int, str]:
    with TemporaryDirectory(prefix="hugginggpt-") as folder:
        drawn = _told(path, {"reader": "pdf", "pages": list(pages), "folder": folder})["drawn"]
        return {number: read_page(Path(file)) for number, file in zip(pages, drawn, strict=True)}


def _told(path: Path, order: dict[str, Any]) -> dict[str, Any]:
    """What the process tells of a document. Raises MediaError."""
    told = asked(path, {**order, "path": str(path), "memory": MEMORY_BYTES})
    if package := told.get("package"):
        raise MediaError(f"{path.name} cannot be read: the package {package} is missing: install it.")
    if problem := told.get("problem"):
        log.info("%s: %s", path.name, told.get("detail", problem))
        raise MediaError(f"{path.name} {problem}.")
    return told


def asked(path: Path, order: dict[str, Any]) -> dict[str, Any]:
    """The answer of a process that is started for an order (`formats.__main__`). Raises MediaError."""
    environment = {name: value for name, value in os.environ.items() if _INHERITED.fullmatch(name)}
    try:
        done = subprocess.run(  # noqa: S603  our own file
            [sys.executable, "-P", str(child.__file__)], input=f"{json.dumps(order)}\n".encode(), capture_output=True,
            timeout=READ_SECONDS, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise MediaError(f"{path.name} cannot be read: it takes longer than {READ_SECONDS} s.") from None
    except OSError as error:
        raise MediaError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:  # the process was ended by the system
        said = done.stderr[-500:].decode("utf-8", "replace")
        log.info("%s: the reader ended with %d: %s", path.name, done.returncode, said)
        why = "it is damaged, or takes more memory than a document may"
        raise MediaError(f"{path.name} cannot be read: {why}.") from None
    return told
