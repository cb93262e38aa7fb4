"""Word processing and slides: Office Open XML and OpenDocument, whose XML is streamed.

Both are paragraphs and tables in an archive of XML, of which nothing but the text is taken: no macro, no link, no
field is followed. Text that was inserted with changes tracked counts, deleted text does not.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hugginggpt.media.formats import Document, Limits, Unreadable, check_length, too_many
from hugginggpt.media.formats.archives import archive, feed, tree

_PARAGRAPHS = frozenset(("p", "h"))
_CELLS, _ROWS, _TABLES = frozenset(("tc", "table-cell")), frozenset(("tr", "table-row")), frozenset(("tbl", "table"))
_BREAKS = {"br": "\n", "cr": "\n", "line-break": "\n", "tab": "\t", "noBreakHyphen": "-", "s": " "}
_SKIPPED = frozenset(
    ("pPr", "rPr", "tblPr", "tcPr", "Fallback", "delText", "del", "instrText", "annotation", "tracked-changes",
     "deletion", "note-citation", "bookmark", "automatic-styles", "styles", "font-face-decls", "moveFrom")
)  # fmt: skip
"""Elements whose content is not text of the document, or is there a second time."""
_MAX_DEPTH = 1_000


@dataclass(slots=True)
class _Table:
    rows: list[list[list[str]]] = field(default_factory=list)


class Writer:
    """Collects the text of streamed XML, a line for each paragraph, a line for each row of a table.

    `text_in` is the element that holds text (OpenDocument: whatever stands in a paragraph); `turned` is called where a
    page ended when the document was last laid out, with the number of characters so far.
    """

    def __init__(self, text_in: str = "", on_table: Callable[[list[list[str]]], None] | None = None) -> None:
        self.lines: list[str] = []
        self.pages: list[int] = []
        self._text_in = text_in
        self._on_table = on_table
        self._open: list[list[str]] = []
        self._tables: list[_Table] = []
        self._names: list[str] = []
        self._skipped = 0
        self._chars = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        self._names.append(name)
        if len(self._names) > _MAX_DEPTH:
            raise Unreadable("is nested too deeply")
        if self._skipped or name in _SKIPPED:
            self._skipped += 1
            return
        if name in _PARAGRAPHS:
            self._open.append([])
        elif name in _TABLES:
            self._tables.append(_Table())
        elif name in _ROWS and self._tables:
            self._tables[-1].rows.append([])
        elif name in _CELLS and self._tables and self._tables[-1].rows:
            self._tables[-1].rows[-1].append([])
        elif name == "lastRenderedPageBreak":
            self.pages.append(len(self.lines))
        elif name in _BREAKS and self._open:
            times = next((value for key, value in attributes.items() if name == "s" and key.endswith("}c")), "1")
            self._open[-1].append(_BREAKS[name] * min(int(times) if times.isdecimal() else 1, 100))

    def data(self, text: str) -> None:
        if self._open and not self._skipped and (not self._text_in or self._names[-1] == self._text_in):
            self._chars += len(text)
            check_length(self._chars)
            self._open[-1].append(text)

    def end(self, tag: str) -> None:
        name = self._names.pop()
        if self._skipped:
            self._skipped -= 1
        elif name in _PARAGRAPHS and self._open:
            self._write("".join(self._open.pop()).strip())
        elif name in _TABLES and self._tables:
            self._write_table(self._tables.pop())

    def close(self) -> None:
        """What the parser asks a target for; the text is in `lines`."""

    def _write(self, text: str) -> None:
        if self._tables and self._tables[-1].rows and self._tables[-1].rows[-1]:
            self._tables[-1].rows[-1][-1].append(text)
        else:
            self.lines.append(text)

    def _write_table(self, table: _Table) -> None:
        rows = [[" ".join(filter(None, cell)) for cell in row] for row in table.rows]
        if self._tables:  # a table in a cell of another one
            self._write("; ".join(" | ".join(filter(None, row)) for row in rows))
            return
        self.lines += [" | ".join(row) for row in rows]
        if self._on_table:
            self._on_table(rows)


def word(path: Path, limits: Limits) -> Document:
    """DOCX: with pages where Word has noted them when it last laid the document out, else in one part."""
    document = Document()
    with archive(path, limits) as opened:
        tables: list[list[list[str]]] = []
        body = _written(opened, "word/document.xml", Writer("t", tables.append))
        if body is None:
            raise Unreadable("is not a document of Word: its text is missing")
        if len(body.pages) >= limits.pages:
            raise too_many(len(body.pages) + 1, "pages", limits.pages, "limits.max_pages")
        ends = [*body.pages, len(body.lines)] if body.pages else []
        for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False), 1):
            document.add("page", number, _joined(body.lines[start:end]))
        if not ends:
            document.add("", "", _joined(body.lines))
        for name in sorted(opened.namelist()):
            if re.fullmatch(r"word/(?:header\d*|footer\d*|footnotes|endnotes)\.xml", name):
                beside = _written(opened, name, Writer("t"))
                if beside and (text := _joined(beside.lines)):
                    document.add("", "", text)
        for number, rows in enumerate(tables, 1):
            document.add_table("table", number, rows)
    return document


def slides(path: Path, limits: Limits) -> Document:
    """PPTX: the slides in their order, each with its notes."""
    document = Document()
    with archive(path, limits) as opened:
        names = list(_slide_names(opened))
        if len(names) > limits.pages:
            raise too_many(len(names), "slides", limits.pages, "limits.max_pages")
        for number, name in enumerate(names, 1):
            tables: list[list[list[str]]] = []
            slide = _written(opened, name, Writer("t", tables.append))
            lines = slide.lines if slide else []
            for target in _targets(opened, name, "/notesSlide").values():
                notes = _written(opened, target, Writer("t"))
                lines = lines + [line for line in (notes.lines if notes else []) if not line.isdecimal()]
            document.add("slide", number, _joined(lines))
            for rows in tables:
                document.add_table("slide", number, rows)
    return document


def opendocument(path: Path, limits: Limits) -> Document:
    """ODT and ODP: one part, or a part for each slide."""
    document = Document()
    with archive(path, limits) as opened:
        manifest = tree(opened, "META-INF/manifest.xml")
        if manifest is not None and any(each.tag.endswith("}encryption-data") for each in manifest.iter()):
            raise Unreadable("is protected by a password: save it without one")
        tables: list[list[list[str]]] = []
        writer = _Slides(tables.append)
        if _written(opened, "content.xml", writer) is None:
            raise Unreadable("cannot be read: its text is missing")
        if len(writer.slides) > limits.pages:
            raise too_many(len(writer.slides), "slides", limits.pages, "limits.max_pages")
        starts = writer.slides or [0]
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(writer.lines)], strict=True), 1):
            unit, name = ("slide", number) if writer.slides else ("", "")
            document.add(unit, name, _joined(writer.lines[start:end]))
        for number, rows in enumerate(tables, 1):
            document.add_table("table", number, rows)
    return document


class _Slides(Writer):
    """Notes where each slide of an OpenDocument presentation begins."""

    def __init__(self, on_table: Callable[[list[list[str]]], None]) -> None:
        super().__init__("", on_table)
        self.slides: list[int] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag.endswith("drawing:1.0}page"):
            self.slides.append(len(self.lines))
        super().start(tag, attributes)


def _written(opened: zipfile.ZipFile, name: str, writer: Writer) -> Writer | None:
    """The writer, after a part of the archive was streamed to it; None where there is no such part."""
    try:
        with opened.open(name) as stream:
            feed(stream, writer)
    except KeyError:
        return None
    return writer


def _joined(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _slide_names(opened: zipfile.ZipFile) -> Iterator[str]:
    """The parts that hold the slides, in the order in which they are shown."""
    root = "ppt/presentation.xml"
    presentation, targets = tree(opened, root), _targets(opened, root, "/slide")
    if presentation is None:
        raise Unreadable("is not a presentation of PowerPoint: its list of slides is missing")
    for slide in presentation.iter():
        if slide.tag.endswith("}sldId"):
            number = next((value for key, value in slide.attrib.items() if key.endswith("}id")), "")
            if number in targets:
                yield targets[number]


def _targets(opened: zipfile.ZipFile, name: str, kind: str) -> dict[str, str]:
    """The parts of a kind that a part refers to, by the number of the relation; references out of the file are none."""
    folder, file = posixpath.split(name)
    relations = tree(opened, f"{folder}/_rels/{file}.rels")
    return {
        each.get("Id", ""): posixpath.normpath(posixpath.join(folder, each.get("Target", ""))).lstrip("/")
        for each in (relations if relations is not None else ())
        if each.get("Type", "").endswith(kind) and each.get("TargetMode") != "External"
    }
