"""Documents of every format, written by the formats' own libraries, and hostile ones."""

from __future__ import annotations

import datetime
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any

PAGES = (
    "Annual report of the garden club. The club was founded in 1987 by Maria Lopez.",
    "Finances. The club earned 4,200 euros in 2024. It spent 3,100 euros on tools and seeds.",
    "Outlook. The treasurer is Ruth Klein. The next meeting takes place on 7 May 2025 in the town hall.",
)
TOTALS: Mapping[str, Sequence[tuple[Any, ...]]] = {
    "2024": [("Month", "Total"), ("January", 100), ("February", 350.5), ("March", 200)],
    "2025": [("Month", "Total"), ("January", 500), ("February", 50)],
}


def write_pdf(file: Path, pages: Sequence[str] = PAGES, password: str = "") -> Path:
    """A page for each text; an empty text makes a page with a line drawn on it alone."""
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(file), encrypt=StandardEncryption(password) if password else None)
    for text in pages:
        if not text:
            canvas.line(72, 700, 300, 700)
        for number, sentence in enumerate(text.split(". ") if text else ()):
            canvas.drawString(72, 780 - 18 * number, f"{sentence.rstrip('.')}.")
        canvas.showPage()
    canvas.save()
    return file


def write_eml(file: Path, text: str = " ".join(PAGES)) -> Path:
    """An e-mail with an attachment of three kilobytes."""
    message = EmailMessage()
    message["From"], message["To"] = "Ruth Klein <ruth@example.org>", "Tom <tom@example.org>"
    message["Date"], message["Subject"] = "Mon, 08 Sep 2025 16:05:00 +0200", "The club"
    message.set_content(text)
    message.add_attachment(bytes(3_000), maintype="application", subtype="pdf", filename="plan.pdf")
    file.write_bytes(bytes(message))
    return file


def write_invoice(file: Path) -> Path:
    """A form: names and values in columns."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

    about = [["Invoice number:", "2025-0471"], ["Date:", "12 March 2025"], ["Customer:", "Bright Books Ltd"]]
    items = [["Item", "Quantity", "Price"], ["Desk lamp", "2", "39.90"], ["Office chair", "1", "149.00"]]
    sums = [["Subtotal", "228.80"], ["VAT 19 %", "43.47"], ["Total", "272.27 EUR"]]
    title = Paragraph("Invoice", getSampleStyleSheet()["Title"])
    SimpleDocTemplate(str(file)).build([title, *(Table(rows, hAlign="LEFT") for rows in (about, items, sums))])
    return file


def write_scan(file: Path, pages: Sequence[str]) -> Path:
    """A PDF whose pages are pictures of text."""
    from PIL import Image, ImageDraw, ImageFont

    drawn = []
    for text in pages:
        page = Image.new("RGB", (1240, 600), "white")
        ImageDraw.Draw(page).multiline_text((80, 80), text.replace(". ", ".\n"), "black", ImageFont.load_default(34))
        drawn.append(page)
    drawn[0].save(file, save_all=True, append_images=drawn[1:], resolution=150)
    return file


def write_docx(file: Path, paragraphs: Sequence[str] = PAGES, rows: Sequence[Sequence[str]] = ()) -> Path:
    from docx import Document

    document = Document()
    document.add_heading("Minutes of the garden club", 0)
    for text in paragraphs:
        document.add_paragraph(text)
    if rows:
        table = document.add_table(len(rows), len(rows[0]))
        for row, cells in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    document.sections[0].footer.paragraphs[0].text = "Green Street 5, Kiel"
    document.save(str(file))
    return file


def write_xlsx(file: Path, sheets: Mapping[str, Sequence[Sequence[Any]]] = TOTALS) -> Path:
    from openpyxl import Workbook

    workbook = Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    workbook.save(file)
    return file


def write_ods(file: Path, sheets: Mapping[str, Sequence[Sequence[Any]]] = TOTALS) -> Path:
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow
    from odf.text import P

    document = OpenDocumentSpreadsheet()
    for name, rows in sheets.items():
        table = Table(name=name)
        for cells in rows:
            row = TableRow()
            for value in cells:
                is_number = isinstance(value, int | float)
                cell = TableCell(valuetype="float", value=value) if is_number else TableCell(valuetype="string")
                cell.addElement(P(text=str(value)))
                row.addElement(cell)
            table.addElement(row)
        document.spreadsheet.addElement(table)
    document.save(str(file))
    return file


def write_odt(file: Path, paragraphs: Sequence[str] = PAGES) -> Path:
    from odf.opendocument import OpenDocumentText
    from odf.text import H, P

    document = OpenDocumentText()
    document.text.addElement(H(outlinelevel=1, text="Minutes"))
    for text in paragraphs:
        document.text.addElement(P(text=text))
    document.save(str(file))
    return file


def write_odp(file: Path, slides: Sequence[str] = PAGES) -> Path:
    from odf.draw import Frame, Page, TextBox
    from odf.opendocument import OpenDocumentPresentation
    from odf.style import MasterPage, PageLayout
    from odf.text import P

    document = OpenDocumentPresentation()
    layout = PageLayout(name="layout")
    document.automaticstyles.addElement(layout)
    document.masterstyles.addElement(MasterPage(name="master", pagelayoutname=layout))
    for text in slides:
        page, frame, box = Page(masterpagename="master"), Frame(width="20cm", height="5cm"), TextBox()
        box.addElement(P(text=text))
        frame.addElement(box)
        page.addElement(frame)
        document.presentation.addElement(page)
    document.save(str(file))
    return file


def write_pptx(file: Path, slides: Sequence[str] = PAGES, notes: str = "") -> Path:
    from pptx import Presentation

    presentation = Presentation()
    for text in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        title, _, body = text.partition(". ")
        slide.shapes.title.text, slide.placeholders[1].text = title, body
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    presentation.save(str(file))
    return file


def write_epub(file: Path, chapters: Mapping[str, str] | None = None) -> Path:
    """By the EPUB 3.3 standard's own minimum: there is no library for it under a free licence."""
    chapters = chapters or {"The beginning": PAGES[0], "Money": PAGES[1], "Outlook": PAGES[2]}
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    parts = {
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
        '<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
        **{
            f"OEBPS/c{n}.xhtml": f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title>'
            f"</head><body><h1>{title}</h1><p>{text}</p></body></html>"
            for n, (title, text) in enumerate(chapters.items())
        },
    }  # fmt: skip
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        for name, content in parts.items():
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return file


HTML = """<!DOCTYPE html><html><head><title>The garden club</title><style>p {color: red}</style></head><body>
<nav><a href="/">Home</a></nav><h1>The garden club</h1><p>The treasurer is <b>Ruth Klein</b>.<script>alert(1)</script></p>
<table><tr><th>Month</th><th>Total</th></tr><tr><td>January</td><td>100</td></tr><tr><td>February</td><td>350</td></tr></table>
<img src="http://192.0.2.1/tracker.png"></body></html>"""
SRT = """1
00:00:01,000 --> 00:00:03,500
Welcome to the <i>garden club</i>.

2
00:01:05,000 --> 00:01:08,000
Ruth Klein is the treasurer.
"""
VTT = "WEBVTT\n\nNOTE none\n\n00:01.000 --> 00:03.000 align:start\nWelcome.\n\n01:05.000 --> 01:08.000\n<v Ann>Ruth Klein is the treasurer.\n"
JSON = (
    '{"club": "garden club", "members": [{"name": "Ruth Klein", "role": "treasurer"}, {"name": "Tom Hill", "age": 40}]}'
)


def repacked(file: Path, **changed: bytes | None) -> Path:
    """An archive with some of its parts changed, None for left out; a name has __ in place of a slash."""
    new = {name.replace("__", "/") + ".xml": content for name, content in changed.items()}
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (parts | new).items():
            if content is not None:
                archive.writestr(name, content)
    return file


def with_hidden_list(file: Path) -> Path:
    """An archive that names a list of contents of Zip64 above the small one that stands at its end."""
    content = file.read_bytes()
    at = content.rfind(b"PK\x05\x06")
    entries, _, size, start = struct.unpack("<HHLL", content[at + 8 : at + 20])
    record = struct.pack("<4sQHHLLQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, size, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    file.write_bytes(content[:at] + record + locator + content[at:])
    return file


def bomb(size: int) -> bytes:
    """A paragraph of Word of `size` bytes, which shrinks to a thousandth."""
    return (
        b"<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>" + b"a" * size + b"</w:t></w:r></w:p></w:body></w:document>"
    )


LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "ha">'
    + b"".join(f'<!ENTITY a{n} "{f"&a{n - 1 or str()};" * 10}">'.encode() for n in range(1, 12))
    + b"]><w:document xmlns:w='w'><w:body><w:p><w:r><w:t>&a11;</w:t></w:r></w:p></w:body></w:document>"
)
OUTSIDE = (
    b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    b"<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>"
)


def many_pages(number: int) -> bytes:
    """A PDF of so many pages, all of them the same object."""
    kids = b"3 0 R " * number
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (number, kids),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>",
    ]
    return _pdf(objects)


def deflated_page(size: int) -> bytes:
    """A PDF of one page whose content unpacks to `size` bytes."""
    packer, packed = zlib.compressobj(9), io.BytesIO()
    piece = b"q Q\n" * 250_000
    for _ in range(size // len(piece)):
        packed.write(packer.compress(piece))
    packed.write(packer.flush())
    stream = packed.getvalue()
    return _pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>",
            b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(stream), stream),
        ]
    )


def forms_in_forms(depth: int) -> bytes:
    """A PDF of a page that draws a form ten times, which draws another one ten times, and so on."""
    forms = [
        b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F %d 0 R>>>>/Length 60>>stream\n%s\nendstream"
        % (min(5 + number, 3 + depth), (b"/F Do " * 10).ljust(60))
        for number in range(depth)
    ]
    content = b"/F Do " * 10
    return _pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>/Contents 4 0 R>>",
            b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
            *forms,
        ]
    )


def slow_pages(number: int) -> bytes:
    """A PDF of so many pages, all of them the same object, which draws 100,000 lines."""
    packed = zlib.compress(b"0 0 m 9 9 l S " * 100_000, 9)
    return _pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count %d/Kids[%s]>>" % (number, b"3 0 R " * number),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>",
            b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed),
        ]
    )


def _pdf(objects: Sequence[bytes]) -> bytes:
    content, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return (
        content
        + head
        + table
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(content))
    )


def sparse_sheet(file: Path) -> Path:
    """A workbook of two cells in opposite corners of a sheet: 17 thousand million cells if it were filled in."""
    from openpyxl import Workbook

    workbook = Workbook()
    workbook.active["A1"], workbook.active["XFD1048576"] = "Month", 1
    workbook.save(file)
    return file


def sheet_of_one_text(file: Path, text: str, rows: int) -> Path:
    """A workbook of one text that stands in two cells of each row; it is stored once."""
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    cells = '<row><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>' * rows
    return repacked(
        write_xlsx(file, {"One": [("a", "b")]}),
        xl__sharedStrings=f"<sst {space}><si><t>{text}</t></si></sst>".encode(),
        xl__worksheets__sheet1=f"<worksheet {space}><sheetData>{cells}</sheetData></worksheet>".encode(),
    )


def dated() -> datetime.date:
    return datetime.date(2025, 3, 31)


def silent_flac(path: Path, minutes: int, told: int, rate: int = 8000) -> Path:
    """A FLAC of silence whose header tells of so many samples; 0 means that it does not say it."""
    import av
    import numpy as np

    with av.open(str(path), "w") as out:
        stream: Any = out.add_stream("flac", rate=rate, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, rate * 60 * minutes), np.int16), format="s16", layout="mono")
        frame.sample_rate = rate
        out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    data = bytearray(path.read_bytes())
    data[21] &= 0xF0  # the last 36 bits before the checksum in STREAMINFO, which begins with byte 8
    data[22:26] = told.to_bytes(4, "big")
    path.write_bytes(data)
    return path
