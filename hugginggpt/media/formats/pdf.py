"""PDF, by PDFium: the text of its pages, with the values of forms, and pages as pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hugginggpt.media.formats import Document, Limits, Unreadable, too_many

MAX_DPI, MAX_SIDE = 200, 2400
"""The resolution in which a page is drawn, and the most pixels of its longer side."""
POINTS = 72
MAX_LAID_OUT, MAX_LINES = 10, 400
"""Of a document of so many pages at most the places of the lines are told, as in a form, of a page with so many."""
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


def _open(path: Path) -> Any:
    import pypdfium2

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
