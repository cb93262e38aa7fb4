"""Texts and tables as documents to print, send or edit: PDF by ReportLab, DOCX by python-docx.

It is the words that are set, line by line, not the layout or the pictures of the document that they are from.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from hugginggpt.core.errors import UserError
from hugginggpt.media.table_files import rows_of
from hugginggpt.media.tables import NamedTable

MAX_CHARS, MAX_CELLS = 400_000, 20_000
"""Of a PDF: some 150 pages, which take seconds."""
_SIZE, _LEADING, _MARGIN = 11, 15, 56
_TITLE_SIZE, _SLIDE_SIZE = 24, 16
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_IDEOGRAPH = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_FONT, _OF_IDEOGRAPHS = "DejaVuSans", "STSong-Light"


def pdf_of_text(text: str) -> bytes:
    """A PDF with the lines of a text. Raises UserError for a very long one."""
    if len(text) > MAX_CHARS:
        raise UserError(f"The text has {len(text):,} characters, and {MAX_CHARS:,} become a PDF: save it as txt.")
    return _built([*_lines(text)])


def pdf_of_slides(slides: Sequence[str]) -> bytes:
    """A PDF in landscape with the words of each slide on a page of its own, the first line as its title. Raises
    UserError for very long ones.
    """
    from reportlab.platypus import PageBreak, Spacer

    if sum(map(len, slides)) > MAX_CHARS:
        raise UserError(f"The slides have more than the {MAX_CHARS:,} characters that become a PDF: save them as txt.")
    parts: list[Any] = []
    for slide in slides:
        title, *lines = _UNPRINTABLE.sub("", slide).strip().splitlines() or [""]
        parts += [PageBreak()] if parts else []
        parts += [_paragraph(title, _TITLE_SIZE), Spacer(1, _LEADING), *_lines("\n".join(lines), _SLIDE_SIZE)]
    return _built(parts, is_wide=True)


def pdf_of_tables(tables: Sequence[NamedTable]) -> bytes:
    """A PDF with tables that go on over pages, each with its header on top. Raises UserError for very large ones."""
    from reportlab.platypus import PageBreak

    parts: list[Any] = []
    for table in tables:
        rows = rows_of(table)
        if sum(map(len, rows)) > MAX_CELLS:
            raise UserError(f"The table has more than the {MAX_CELLS:,} cells that become a PDF: save it as xlsx.")
        parts += [*([PageBreak()] if parts else []), *_lines(table.place.get("name", "")), _grid(rows)]
    return _built(parts, is_wide=max(len(table.columns) for table in tables) > 6)


def docx_of_text(text: str) -> bytes:
    """A DOCX document with the lines of a text as paragraphs."""
    import docx

    document = docx.Document()
    for line in _UNPRINTABLE.sub("", text).strip().splitlines():
        document.add_paragraph(line)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _built(parts: list[Any], is_wide: bool = False) -> bytes:
    from reportlab.lib.pagesizes import A4, landscape
    from reportlab.platypus import SimpleDocTemplate

    out = io.BytesIO()
    margins = dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), _MARGIN)
    SimpleDocTemplate(out, pagesize=landscape(A4) if is_wide else A4, **margins).build(parts)
    return out.getvalue()


def _lines(text: str, size: int = _SIZE) -> Iterator[Any]:
    from reportlab.platypus import Spacer

    for line in _UNPRINTABLE.sub("", text).strip().splitlines():
        yield _paragraph(line, size) if line.strip() else Spacer(1, _LEADING)


def _paragraph(text: str, size: int) -> Any:
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph

    is_ideographic = bool(_IDEOGRAPH.search(text))
    style = ParagraphStyle(
        "line",
        fontName=_font(is_ideographic),
        fontSize=size,
        leading=size * _LEADING / _SIZE,
        splitLongWords=1,
        wordWrap="CJK" if is_ideographic else None,
    )
    return Paragraph(escape(text.expandtabs(4)), style)


def _grid(rows: Sequence[Sequence[str]]) -> Any:
    from reportlab.lib import colors
    from reportlab.platypus import LongTable

    cells = [[_paragraph(_UNPRINTABLE.sub("", cell), 9) for cell in row] for row in rows]
    lines = [("GRID", (0, 0), (-1, -1), 0.5, colors.grey), ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
             ("VALIGN", (0, 0), (-1, -1), "TOP")]  # fmt: skip
    return LongTable(cells, repeatRows=1, style=lines)


@cache
def _font(is_ideographic: bool) -> str:
    """The font for a line: one that has its letters. That of ideographs is not embedded: readers of PDFs bring it."""
    from importlib.util import find_spec

    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfbase.ttfonts import TTFont

    if is_ideographic:
        pdfmetrics.registerFont(UnicodeCIDFont(_OF_IDEOGRAPHS))
        return _OF_IDEOGRAPHS
    plotting = find_spec("matplotlib")
    if plotting is None or plotting.origin is None:
        raise ModuleNotFoundError("The font is part of matplotlib.", name="matplotlib")
    file = Path(plotting.origin).parent / "mpl-data" / "fonts" / "ttf" / f"{_FONT}.ttf"
    pdfmetrics.registerFont(TTFont(_FONT, str(file)))
    return _FONT
