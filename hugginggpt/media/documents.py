"""Documents: their texts with page and sheet numbers, and their tables, read by a process of their own.

A hostile file can cost that process its memory and its time, and nothing else: it gets no keys, and what the
file refers to is not fetched (`formats/`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from hugginggpt.common.paths import install_command
from hugginggpt.common.scratch import scratch_prefix
from hugginggpt.core.documents import Boxed, DocumentText, Part, Table
from hugginggpt.core.errors import MediaError
from hugginggpt.media.formats import MAX_CHARS
from hugginggpt.media.reader_process import Interrupted, asked

log = logging.getLogger(__name__)

UNPACKED_BYTES = 300_000_000
MAX_PAGES, MAX_ROWS = 5_000, 1_000_000
"""The limits where the configuration's are not known: it was held to those when it came in."""
MAX_DRAWN = 20
"""So many pages without text are drawn and read: each takes seconds."""
CELL_BYTES = 60
"""What a cell of a table takes besides its characters."""
KEPT, KEPT_BYTES = 4, 100_000_000
"""The most documents that are remembered, and about how much memory they may take; the last one in any case."""
FAILED_SECONDS = 30.0
"""How long a document that could not be read is not tried again."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Document:
    """What was read of a document; `unread` are the numbers of pages that hold a picture in place of text."""

    path: Path
    parts: tuple[Part, ...]
    tables: tuple[Table, ...]
    unread: tuple[int, ...] = ()
    lines: tuple[tuple[str, tuple[Boxed, ...]], ...] = ()

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        cells = [cell for table in self.tables for row in table.rows for cell in row]
        return CELL_BYTES * len(cells) + 2 * (sum(map(len, cells)) + sum(len(part.text) for part in self.parts))


def read_document(path: Path, reader: str, pages: int = MAX_PAGES, rows: int = MAX_ROWS) -> Document:
    """A document by its reader (`FileType.reader`). One that has not changed is not read again.

    Raises MediaError, with why: more than `pages` or `rows`, a password, damage, too much to unpack.
    """
    now = path.stat()
    state = (path, reader, now.st_size, now.st_ino, now.st_ctime_ns)
    return _library.get(state, partial(_read, path, reader, pages, rows), (pages, rows))


class _Library:
    """The documents that were read last, each read by one thread at a time, for all that want it meanwhile."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[int, Document]] = {}
        self._failed: dict[Hashable, tuple[float, MediaError]] = {}
        self._busy = WeakValueDictionary[Hashable, Any]()
        self._lock = threading.Lock()

    def get(self, state: Hashable, read: Callable[[], Document], limits: Hashable) -> Document:
        """A document in this state: what was read within some limits need not be read again for others."""
        with self._lock:
            busy = self._busy.setdefault(state, threading.Lock())
        with busy:
            if known := self._known(state, (state, limits)):
                return known
            try:
                document = read()
            except Interrupted:
                raise
            except MediaError as error:
                with self._lock:
                    self._failed[state, limits] = time.monotonic(), error
                raise
            self._keep(state, document)
            return document

    def _known(self, state: Hashable, attempt: Hashable) -> Document | None:
        """The document that is kept; raises the error of an attempt that has just failed."""
        with self._lock:
            now = time.monotonic()
            self._failed = {one: (at, why) for one, (at, why) in self._failed.items() if now < at + FAILED_SECONDS}
            if kept := self._kept.pop(state, None):
                self._kept[state] = kept  # the last one that was wanted
                return kept[1]
            if attempt in self._failed:
                raise MediaError(str(self._failed[attempt][1]))
            return None

    def _keep(self, state: Hashable, document: Document) -> None:
        taken = document.bytes
        with self._lock:
            self._kept[state] = taken, document
            while len(self._kept) > 1 and (
                len(self._kept) > KEPT or sum(each for each, _ in self._kept.values()) > KEPT_BYTES
            ):
                del self._kept[next(iter(self._kept))]


_library = _Library()
_texts = WeakKeyDictionary[Document, tuple[Callable[[Path], str] | None, DocumentText]]()


def _read(path: Path, reader: str, pages: int, rows: int) -> Document:
    order = {"reader": reader, "limits": {"pages": pages, "rows": rows, "unpacked": UNPACKED_BYTES}}
    read = told(path, order)
    parts = tuple(Part(**each) for each in read["parts"])
    tables = tuple(Table(one["unit"], one["name"], tuple(map(tuple, one["rows"]))) for one in read["tables"])
    if not tables and not read["unread"] and not any(part.text for part in parts):
        raise MediaError(f"{path.name} holds no text.")
    lines = tuple((page, tuple(map(tuple, boxed))) for page, boxed in read["lines"].items())
    return Document(path, parts, tables, tuple(read["unread"]), lines)


def text_of(document: Document, read_page: Callable[[Path], str] | None) -> DocumentText:
    """The text of a document, where `read_page` reads the pages that are pictures; None where nothing can. It is
    remembered with its document.

    Raises MediaError where that leaves no text.
    """
    known = _texts.get(document)
    if known is None or known[0] != read_page:
        known = _texts[document] = read_page, _text_of(document, read_page)
    return known[1]


def _text_of(document: Document, read_page: Callable[[Path], str] | None) -> DocumentText:
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
    with TemporaryDirectory(prefix=scratch_prefix()) as folder:
        drawn = told(path, {"reader": "pdf", "pages": list(pages), "folder": folder})["drawn"]
        return {number: read_page(Path(file)) for number, file in zip(pages, drawn, strict=True)}


def told(path: Path, order: dict[str, Any]) -> dict[str, Any]:
    """What the process that reads documents answers to an order. Raises MediaError."""
    answer = asked(path, order)
    if package := answer.get("package"):
        raise MediaError(f"{path.name} cannot be read: the package {package} is missing: install it.")
    if problem := answer.get("problem"):
        log.info("%s: %s", path.name, answer.get("detail", problem))
        raise MediaError(f"{path.name} {problem}.")
    return answer
