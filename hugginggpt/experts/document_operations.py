"""Embedded experts that make documents: PDFs of pages and pictures, tables and texts as files (PDFium, XlsxWriter,
ReportLab, python-docx).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hugginggpt.common.scratch import scratch_prefix
from hugginggpt.core.documents import DocumentText, counted
from hugginggpt.core.errors import UserError
from hugginggpt.experts import typesetting
from hugginggpt.experts.operations import operation
from hugginggpt.experts.page_ranges import pages_in, parts_in, shown
from hugginggpt.experts.registry import expert
from hugginggpt.experts.saved_tables import MAX_FILES, answer, asked_rows, format_in, saved
from hugginggpt.media import frames as media_frames
from hugginggpt.media import pdf_files, table_files
from hugginggpt.media.documents import MAX_PAGES
from hugginggpt.media.pdf_files import Source, is_pdf
from hugginggpt.media.tables import NamedTable, tables, title_of
from hugginggpt.media.texts import text_of_file
from hugginggpt.media.types import kind_of

PDF, XLSX = ("pypdfium2",), ("xlsxwriter",)
MAX_JOINED, MAX_DRAWN, MAX_FRAMES = 50, 50, 200
TEXT_FORMATS = {"pdf": "pdf", "docx": "docx", "doc": "docx", "word": "docx", "txt": "txt", "text": "txt",
                "plain": "txt", "md": "md", "markdown": "md"}  # fmt: skip


@operation(
    "join", "join-pdf",
    "PDFs, pictures of pages, texts and tables, one after the other in one PDF (PDFium, ReportLab).", PDF,
)  # fmt: skip
def join(documents: Sequence[Path]) -> dict[str, Any]:
    """All pages in their order; a picture becomes a page, of other documents the words are set."""
    only_pdfs = all(is_pdf(path) for path in documents)
    _check_number(documents, 2 if only_pdfs else 1, "documents")
    with TemporaryDirectory(prefix=scratch_prefix()) as folder:
        wholes = [_whole(path, Path(folder) / f"{at}.pdf") for at, path in enumerate(documents)]
        sources = [source for source, _ in wholes]
        pages = sum(len(source.pages) or 1 for source in sources)
        if pages > MAX_PAGES:
            raise UserError(f"The joined document would have {pages:,} pages; {MAX_PAGES:,} are possible.")
        made = pdf_files.made([sources])
    set_anew = ", of texts and tables the words without their layout" if any(map(_is_set, documents)) else ""
    if all(is_of_slides for _, is_of_slides in wholes):
        set_anew = ": one for each slide, with its words and without its layout"
    return answer(made, "pdf", f"{counted(len(documents), 'document')}, {counted(pages, 'page')}{set_anew}")


def _is_set(path: Path) -> bool:
    """Whether of a document the words are set anew."""
    return not is_pdf(path) and kind_of(path.name) != "image"


def _whole(path: Path, written: Path) -> tuple[Source, bool]:
    """All of a document, and whether these are slides; one that has no pages is `written` as a PDF first."""
    slides: Sequence[str] = ()
    if kind_of(path.name) == "image":
        return Source(path), False
    if _is_set(path):
        named = tables(path, at_least=1) if kind_of(path.name) == "table" else []
        text = "" if named else text_of_file(path)
        slides = text.slides if isinstance(text, DocumentText) else ()
        if named:
            data = typesetting.pdf_of_tables(named)
        else:
            data = typesetting.pdf_of_slides(slides) if slides else typesetting.pdf_of_text(text)
        written.write_bytes(data)
        path = written
    return Source(path, tuple(range(1, pdf_files.page_count(path) + 1))), bool(slides)


@operation("pictures", "images-to-pdf", "Pictures as the pages of a PDF, one on each, at most A4 (PDFium).", PDF)
def pictures(images: Sequence[Path]) -> dict[str, Any]:
    """A PDF with a page for each picture, in their order."""
    _check_number(images, 1, "pictures")
    sources = [Source(path, frame=frame) for path in images for frame in range(1, media_frames.count(path) + 1)]
    if len(sources) > MAX_FRAMES:
        raise UserError(f"The document would have {len(sources)} pages; {MAX_FRAMES} pictures are possible.")
    return answer(pdf_files.made([sources]), "pdf", counted(len(sources), "page"))


@operation("frames", "image-frames", "Frames of a GIF or WebP, pages of a TIFF, as pictures (Pillow).")
def take_frames(image: Path, frames: str = "") -> dict[str, Any]:
    """The frames that words tell, by default all. Raises UserError where there is only one, or too many are wanted."""
    number, unit = media_frames.count(image), media_frames.unit_of(image)
    if number == 1:
        raise UserError("The picture has a single frame: there is nothing to take apart.")
    numbers = _frames_in(frames, number, unit)
    if len(numbers) > MAX_FILES:
        raise UserError(f"The picture has {number} {unit}s, and {MAX_FILES} can be taken: say which, or every 10th.")
    note = f"{unit}{'' if len(numbers) == 1 else 's'} {shown(numbers)} of {number}"
    return {"generated image": media_frames.load(image, numbers), "note": note}


def _frames_in(words: str, number: int, unit: str) -> list[int]:
    """The numbers of the frames that words tell, from 1. Raises UserError."""
    text = words.lower()
    if step := re.search(r"every (?:(other|second)|(\d{1,4})(?:st|nd|rd|th))", text):
        return list(range(1, number + 1, int(step[2]) if step[2] else 2))
    if re.search(r"middle", text):
        return [number // 2 + 1]
    if not re.search(r"\d|first|last|final", text):
        return list(range(1, number + 1))
    return pages_in(re.sub(r"\b(?:frame|picture|image|still)s?\b", "page", text), number, "picture", unit)


def _check_number(files: Sequence[Path], least: int, what: str) -> None:
    if not least <= len(files) <= MAX_JOINED:
        raise UserError(
            f"{least} to {MAX_JOINED} {what} make one PDF; {len(files)} {'is' if len(files) == 1 else 'are'} given."
        )


@operation("pages", "extract-pages", "Some pages of a PDF, or all but some, as a PDF of their own (PDFium).", PDF)
def extract(document: Path, pages: str) -> dict[str, Any]:
    """The pages that words tell; bookmarks are left behind."""
    count = pdf_files.page_count(document)
    numbers = pages_in(pages, count)
    note = f"page{'' if len(numbers) == 1 else 's'} {shown(numbers)} of {count}"
    return answer(pdf_files.made([[Source(document, tuple(numbers))]]), "pdf", note)


@operation(
    "split", "split-pdf", "A PDF in several: each page alone, after a page, or so many pages each (PDFium).", PDF
)
def split(document: Path, parts: str = "") -> dict[str, Any]:
    """Several PDFs with the pages of one."""
    numbers = parts_in(parts, pdf_files.page_count(document))
    if len(numbers) > MAX_FILES:
        raise UserError(f"That would be {len(numbers)} files; {MAX_FILES} are possible: say how many pages each.")
    made = pdf_files.made([[Source(document, tuple(pages))] for pages in numbers])
    return answer(made, "pdf", f"{len(made)} files: pages {'; '.join(map(shown, numbers))}")


@operation("draw", "pdf-to-images", "Pages of a PDF as pictures, at most 200 dots an inch (PDFium).", PDF)
def draw(document: Path, pages: str = "") -> dict[str, Any]:
    """A picture of each page that words tell, by default of all."""
    count = pdf_files.page_count(document)
    numbers = pages_in(pages, count) if pages else list(range(1, count + 1))
    if len(numbers) > MAX_DRAWN:
        raise UserError(f"{len(numbers)} pages are too many: {MAX_DRAWN} can be drawn at a time, so name them.")
    note = f"page{'' if len(numbers) == 1 else 's'} {shown(numbers)} of {count}"
    return {"generated image": list(pdf_files.drawn(document, numbers)), "note": note}


_TO_SAVE = re.compile(
    r"(?m)^[^\w\n]*+(?:(?:bitte|por favor|s'il te plaît|s'il vous plaît) )?(?:speicher\w*|sicher\w*|exportier\w*|"
    r"enregistre\w*|sauvegarde\w*|exporte\w*|guarda\w*|exporta\w*|保存|导出)(?: (?:mir|uns|bitte|moi|nous|me|nos))* |"
    r"[ ,]*(?:als|en|como|au format|in|as(?: an?)?|成|为) ?(?:eine?n? |una? |une? )?(?:excel|csv|xlsx)\w*"
    r"(?:[- ](?:datei|tabelle|fichier|archivo|file))?(?: (?:bitte|ab|por favor|s'il te plaît))*\W*$",
    re.IGNORECASE,
)
"""What says in another language that rows are to be saved, and as what."""
_BESIDE_NAMES = re.compile(r"\b(?:with|and) (?:their|his|her|its|the)\b", re.IGNORECASE)
"""What asks for a column beside what names the rows: "those people with their fees"."""


@expert(
    "export", "export-table",
    "A table, its rows that fit some words, or the sheets of a workbook as CSV, TSV or XLSX; no cell becomes a formula "
    "(XlsxWriter).",
    XLSX,
)  # fmt: skip
def export_table(table: str | Path, format: str = "xlsx", rows: str = "") -> dict[str, Any]:
    """The table as a file. Raises UserError for another format, ExpertUnavailable for words that tell no rows."""
    kind = format_in(format)
    if not kind:
        raise UserError(f'A table is saved as csv, tsv, xlsx or pdf, not as "{format[:40]}".')
    named, told = _selected(tables(table, at_least=1), rows, title_of(table))
    size = ", ".join("{:,} rows, {:,} columns".format(*table_files.size_of(one)) for one in named[:3])
    sheets = f"{len(named)} sheets: " if len(named) > 1 else ""
    return saved(named, kind, f"{sheets}{size}{told}")


def _selected(named: list[NamedTable], rows: str, title: str) -> tuple[list[NamedTable], str]:
    """The tables, or the rows that words ask for as the only one, and how these words were understood."""
    asked = asked_rows(_TO_SAVE.sub("", rows)) if rows.strip() else ""
    if not asked.strip():
        return named, ""
    from hugginggpt.experts.table_queries import in_full
    from hugginggpt.experts.workbooks import answer_from_tables

    with in_full(named=bool(_BESIDE_NAMES.search(asked.splitlines()[-1]))):
        found = answer_from_tables(named, title, asked)
    if not found.get("columns"):
        raise UserError(f"“{rows}” asks for no rows of the table: {found['answer']}")
    cells = [[row[at] for row in found["rows"]] for at in range(len(found["columns"]))]
    columns = {str(name): list(map(str, column)) for name, column in zip(found["columns"], cells, strict=True)}
    return [NamedTable(columns, {})], f"; {found.get('told') or ' by '.join(reversed([*columns][:2]))}"


@expert("write", "save-text", "A text as a TXT or MD file, PDF or DOCX (ReportLab, python-docx).")
def save_text(text: str, format: str = "txt") -> dict[str, Any]:
    """The text as a file. Raises UserError for another format, and for an empty text."""
    kind = next((TEXT_FORMATS[word] for word in re.findall(r"[a-z]+", format.lower()) if word in TEXT_FORMATS), "")
    if not kind:
        raise UserError(f'A text is saved as txt, md, pdf or docx, not as "{format[:40]}".')
    if not text.strip():
        raise UserError("There is no text to be saved.")
    words = counted(len(text.split()), "word")
    if kind == "pdf":
        return answer(typesetting.pdf_of_text(text), kind, words)
    if kind == "docx":
        return answer(typesetting.docx_of_text(text), kind, words)
    return answer(f"{text.strip()}\n".encode("utf-8", "replace"), kind, words)
