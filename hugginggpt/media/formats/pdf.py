"""PDF, by PDFium: the text of its pages, with the values of forms, and pages as pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pypdfium2

from hugginggpt.media.formats import Document, Limits, Unreadable, too_many

MAX_DPI, MAX_SIDE = 200, 2400
"""The resolution in which a page is drawn, and the most pixels of its longer side."""
POINTS = 72
A4 = (595.0, 842.0)
"""In points."""
MAX_LAID_OUT, MAX_LINES = 10, 400
"""Of a document of so many pages at most the places of the lines are told, as in a form, of a page with so many."""
MAX_MADE = 300_000_000
"""The bytes of all PDFs that are made of one: each has its own copy of what its pages share."""
_HYPHENATED = re.compile(r"[\ufffe\x02]\r?\n?")
"""Where PDFium found that a word is broken at the end of a line."""


def pdf(path: Path, limits: Limits) -> Document:
    document = Document()
    opened = _open(path)
    if len(opened) > limits.pages:
        raise too_many(len(opened), "pages", limits.pages, "limits.max_pages")
    for number in range(1, len(opened) + 1):
        page = opened[number - 1]
        if opened.formenv:
            page.flatten()  # what was filled into a form becomes text like any other
            page.close()
            page = opened[number - 1]
        written = page.get_textpage()
        text = _text(written)
        if len(opened) <= MAX_LAID_OUT and 0 < written.count_rects() <= MAX_LINES:
            document.lines[str(number)] = _lines(written, page.get_height())
        document.add("page", number, text)
        if not re.search(r"\w", text) and next(page.get_objects(max_depth=2), None) is not None:
            document.unread.append(number)
        page.close()
    return document


def draw(path: Path, pages: list[int], folder: Path) -> list[str]:
    """Draws pages as PNG files into a folder, and returns their paths."""
    opened = _open(path)
    drawn = []
    for number in pages:
        page = opened[number - 1]
        scale = min(MAX_DPI / POINTS, MAX_SIDE / max(page.get_size()))
        file = folder / f"page-{number}.png"
        page.render(scale=scale).to_pil().convert("RGB").save(file, compress_level=1)
        drawn.append(str(file))
    return drawn


def assemble(files: list[list[dict[str, Any]]], folder: Path) -> list[str]:
    """Writes each PDF of `files` into a folder, and returns their paths. It is made of sources one after the other:
    {"path", "pages"} of a PDF, with their numbers from 1, or {"path"} of a JPEG file, which becomes a page.
    """
    opened: dict[str, Any] = {}
    written, left = [], MAX_MADE
    for number, sources in enumerate(files, 1):
        made = pypdfium2.PdfDocument.new()
        for source in sources:
            path = source["path"]
            if "pages" in source:
                opened[path] = opened.get(path) or _open(Path(path))
                made.import_pages(opened[path], [page - 1 for page in source["pages"]])
            else:
                _add_picture(made, path)
        file = folder / f"{number}.pdf"
        made.save(file)
        made.close()
        written.append(str(file))
        left -= file.stat().st_size
        if left < 0:
            raise Unreadable(
                f"gives files of more than {MAX_MADE // 1_000_000} MB in all: its pages share what is large"
            )
    return written


def _add_picture(document: Any, path: str) -> None:
    """Adds a JPEG picture as a page of its shape that is no larger than A4."""
    picture = pypdfium2.PdfImage.new(document)
    picture.load_jpeg(path, inline=True)
    width, height = picture.get_px_size()
    scale = min(max(A4) / max(width, height), min(A4) / min(width, height))
    picture.set_matrix(pypdfium2.PdfMatrix().scale(width * scale, height * scale))
    page = document.new_page(width * scale, height * scale)
    page.insert_obj(picture)
    page.gen_content()
    page.close()


def _open(path: Path) -> Any:
    try:
        opened = pypdfium2.PdfDocument(path)
        opened.init_forms()
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Unreadable("is protected by a password: save it without one") from error
        raise Unreadable("cannot be read: it is damaged") from error
    if not len(opened):
        raise Unreadable("has no pages")
    return opened


def _lines(page: Any, height: float) -> list[list[Any]]:
    """The lines of a page, each with the left, top, right and bottom of its box, in points from the upper left."""
    lines = []
    for number in range(page.count_rects()):
        left, bottom, right, top = page.get_rect(number)
        if text := _HYPHENATED.sub("", page.get_text_bounded(left, bottom, right, top)).strip():
            lines.append([" ".join(text.split()), left, height - top, right, height - bottom])
    return lines


def _text(page: Any) -> str:
    text = _HYPHENATED.sub("", page.get_text_bounded())
    return "\n".join(line.rstrip() for line in text.splitlines())
