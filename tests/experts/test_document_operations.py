"""Documents that are made: PDFs of pages and pictures, tables and texts as files, hostile ones refused."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pypdfium2
import pytest
from PIL import Image

import hugginggpt
from hugginggpt.core.errors import ExpertUnavailable, MediaError, UserError
from hugginggpt.experts import document_operations as made
from hugginggpt.experts.registry import experts_for
from hugginggpt.experts.typesetting import MAX_CELLS, MAX_CHARS
from hugginggpt.media import pdf_files, table_files
from hugginggpt.media.formats import Document, Limits, Unreadable, office, pdf
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import NamedTable
from tests.conftest import MakeConfig
from tests.media.samples import write_pdf, write_pptx

SALES = "customer,amount\nKlein,50\nRossi,150\nMeyer,220.5\nIvan,99\n"


def texts(data: bytes) -> list[str]:
    """The text of each page of a PDF."""
    document = pypdfium2.PdfDocument(data)
    found = [page.get_textpage().get_text_bounded().strip() for page in document]
    document.close()
    return found


@pytest.fixture
def five(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "five.pdf", [f"This is page {number}." for number in range(1, 6)])


def test_documents_and_pictures_are_joined(five: Path, tmp_path: Path) -> None:
    other = write_pdf(tmp_path / "other.pdf", ["Another document."])
    Image.new("RGB", (800, 400), "red").save(tmp_path / "scan.png")
    result = made.join([other, tmp_path / "scan.png", five])
    (data,) = result["generated document"]
    found = texts(data)
    assert (found[0], found[1], found[2], len(found)) == ("Another document.", "", "This is page 1.", 7)
    page = pypdfium2.PdfDocument(data)[1]
    assert page.get_size() == pytest.approx((842, 421))
    assert page.render().to_pil().getpixel((400, 200)) == pytest.approx((254, 0, 0), abs=3)
    assert result["note"] == "3 documents, 7 pages"
    with pytest.raises(UserError, match="2 to 50 documents"):
        made.join([five])


def test_pages_are_taken_out_and_split(five: Path) -> None:
    result = made.extract(five, "pages 2 to 3 and page 5")
    assert texts(result["generated document"][0]) == ["This is page 2.", "This is page 3.", "This is page 5."]
    assert result["note"] == "pages 2, 3, 5 of 5"
    halves = made.split(five, "after page 2")["generated document"]
    assert [len(texts(data)) for data in halves] == [2, 3]
    drawn = [Image.open(io.BytesIO(data)) for data in made.draw(five, "the last page")["generated image"]]
    assert [picture.format for picture in drawn] == ["PNG"]


def test_pictures_become_pages(tmp_path: Path) -> None:
    for name, size in (("a.jpg", (600, 900)), ("b.png", (40, 40))):
        Image.new("RGB", size, "white").save(tmp_path / name)
    (data,) = made.pictures([tmp_path / "a.jpg", tmp_path / "b.png"])["generated document"]
    assert [tuple(map(round, page.get_size())) for page in pypdfium2.PdfDocument(data)] == [(561, 842), (595, 595)]


def test_what_is_no_pdf_or_has_no_such_page_is_refused(five: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no pages")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    with pytest.raises(UserError, match=r"notes\.txt is no PDF"):
        made.extract(tmp_path / "notes.txt", "page 1")
    with pytest.raises(UserError, match="there is no page 9"):
        made.extract(five, "page 9")
    with pytest.raises(MediaError, match=r"broken\.pdf cannot be read: it is damaged"):
        made.extract(tmp_path / "broken.pdf", "page 1")
    with pytest.raises(MediaError, match=r"locked\.pdf is protected by a password"):
        made.join([five, write_pdf(tmp_path / "locked.pdf", password="secret")])


def test_a_table_is_saved_whole_or_its_rows_that_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    whole = made.export_table(tmp_path / "sales.csv", "xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO(whole["generated document"])).active
    assert sheet is not None
    assert list(sheet.values)[1:3] == [("Klein", 50), ("Rossi", 150)]
    (data,) = made.export_table(SALES, "CSV file", "the rows over 100")["generated document"]
    assert data.decode("utf-8-sig").split() == ["customer,amount", "Rossi,150", "Meyer,220.5"]
    with pytest.raises(UserError, match="csv, tsv, xlsx or pdf"):
        made.export_table(SALES, "docx")
    with pytest.raises((UserError, ExpertUnavailable)):
        made.export_table(SALES, "csv", "the rows that smell of cheese")


def test_all_rows_that_fit_are_saved_not_those_that_are_shown() -> None:
    names = ",".join(f"c{number}" for number in range(9))
    table = f"name,amount,{names}\n" + "".join(f"n{row},{row},{',' * 8}\n" for row in range(400))
    (data,) = made.export_table(table, "csv", "the rows with an amount over 99")["generated document"]
    lines = data.decode("utf-8-sig").splitlines()
    assert len(lines) == 301 and lines[0] == f"name,amount,{names}"


def test_sheets_stay_sheets_or_become_files(tmp_path: Path) -> None:
    from tests.media.samples import TOTALS, write_xlsx

    book = write_xlsx(tmp_path / "totals.xlsx", TOTALS)
    assert len(made.export_table(book, "csv")["generated document"]) == 2
    again = openpyxl.load_workbook(io.BytesIO(made.export_table(book, "excel")["generated document"]))
    assert again.sheetnames == ["2024", "2025"]


def test_texts_are_saved_as_they_are() -> None:
    assert made.save_text("Grüße, =1\n", "text file")["generated document"] == "Grüße, =1\n".encode()
    with pytest.raises(UserError, match="no text to be saved"):
        made.save_text(" \n")
    with pytest.raises(UserError, match="txt, md, pdf or docx"):
        made.save_text("a", "rtf")


LETTERS = "Grüße\n\n  <b>&amp; no markup</b>\nΑθήνα, Łódź, 北京的书"


@pytest.mark.parametrize(("format", "reader"), [("pdf", pdf.pdf), ("docx", office.word)])
def test_a_text_becomes_a_document(format: str, reader: Callable[[Path, Limits], Document], tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(made.save_text(f"{LETTERS}\x00\x0b\ud800", format)["generated document"])
    text = reader(tmp_path / "a", Limits(50, 50, 1_000_000)).parts[0]["text"]
    assert [line.strip() for line in text.splitlines() if line] == [one.strip() for one in LETTERS.splitlines() if one]


def test_a_long_line_and_a_long_table_go_on_over_pages(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(made.save_text("word" * 20_000, "pdf")["generated document"])
    assert pdf_files.page_count(tmp_path / "a.pdf") > 5
    table = "name,amount\n" + "".join(f"n{row},{row}\n" for row in range(200))
    (tmp_path / "b.pdf").write_bytes(made.export_table(table, "pdf")["generated document"])
    pages = pdf.pdf(tmp_path / "b.pdf", Limits(50, 50, 1_000_000)).parts
    assert len(pages) > 2 and all("amount" in page["text"] for page in pages) and "n199" in pages[-1]["text"]
    with pytest.raises(UserError, match="save it as txt"):
        made.save_text("a" * (MAX_CHARS + 1), "pdf")
    with pytest.raises(UserError, match="save it as xlsx"):
        made.export_table(f"a,b\n{'1,2' + chr(10) * MAX_CELLS}" + "1,2\n" * MAX_CELLS, "pdf")


def test_texts_and_tables_are_joined_as_pages(tmp_path: Path, five: Path) -> None:
    (tmp_path / "notes.txt").write_text("The treasurer is Ruth.")
    (tmp_path / "sales.csv").write_text(SALES)
    answer = made.join([tmp_path / "notes.txt"])
    assert answer["note"] == "1 document, 1 page, of texts and tables the words without their layout"
    answer = made.join([five, tmp_path / "notes.txt", tmp_path / "sales.csv"])
    (tmp_path / "all.pdf").write_bytes(answer["generated document"][0])
    assert pdf_files.page_count(tmp_path / "all.pdf") == 7
    with pytest.raises(UserError, match="2 to 50 documents"):
        made.join([five])


def test_each_slide_becomes_a_page(tmp_path: Path) -> None:
    slides = write_pptx(tmp_path / "talk.pptx", ["Volcanoes\nBy Mia", "What is magma?\nHot rock"])
    answer = made.join([slides])
    assert answer["note"] == "1 document, 2 pages: one for each slide, with its words and without its layout"
    (tmp_path / "talk.pdf").write_bytes(answer["generated document"][0])
    assert pdf_files.page_count(tmp_path / "talk.pdf") == 2


def test_documents_are_files_of_their_own_in_store_answer_and_folder(
    make_config: MakeConfig, five: Path, tmp_path: Path
) -> None:
    config = make_config(llm="offline", inference_mode="local")
    with hugginggpt.HuggingGPT(config) as gpt:
        both = gpt.ask("split it after page 2", files=[str(five)])
        text = gpt.ask("extract page 4 as a pdf and count its words", files=[str(five)])
    assert both.ok and len(both.files) == 2
    paths = [config.public_file(file) for file in both.results[0].value["generated documents"]]
    assert [path.suffix for path in paths] == [".pdf", ".pdf"] and all(
        path.parent.name == "documents" for path in paths
    )
    assert all(str(file) in both.message for file in both.results[0].value["generated documents"])
    assert "4 words" in text.message and json.dumps(text.results[1].value)


def test_the_store_keeps_documents_of_known_types_alone(make_config: MakeConfig, five: Path) -> None:
    media = MediaStore(make_config())
    assert media.save("document", five.read_bytes()).endswith(".pdf")
    assert media.save("document", b"a,b\n1,2\n", "csv").endswith(".csv")
    assert media.save("document", b"WEBVTT\n\n", "txt").endswith(".vtt")
    for data in (b"\0\1\2", b"PK\3\4 no archive", Image.new("RGB", (2, 2)).tobytes() * 9):
        with pytest.raises(hugginggpt.HuggingGPTError):
            media.save("document", data)


def test_frames_and_pages_of_pictures(tmp_path: Path) -> None:
    pictures = [Image.new("RGB", (60, 40), colour) for colour in ("red", "green", "blue")]
    for name in ("a.gif", "a.webp", "a.tif"):
        pictures[0].save(tmp_path / name, save_all=True, append_images=pictures[1:])
        taken = made.take_frames(tmp_path / name, "the last one")
        assert [picture.getpixel((30, 20))[2] > 200 for picture in taken["generated image"]] == [True]
        assert taken["note"].endswith("3 of 3")
        assert len(made.take_frames(tmp_path / name, "every other")["generated image"]) == 2
    (data,) = made.pictures([tmp_path / "a.tif"])["generated document"]
    assert len(texts(data)) == 3
    pictures[0].save(tmp_path / "one.gif")
    (tmp_path / "broken.gif").write_bytes((tmp_path / "a.gif").read_bytes()[:60])
    with pytest.raises(UserError, match="single frame"):
        made.take_frames(tmp_path / "one.gif")
    with pytest.raises(UserError, match=r"The picture has 3 frames only: there is no frame 9\."):
        made.take_frames(tmp_path / "a.gif", "frame 9")
    with pytest.raises((MediaError, UserError)):
        made.take_frames(tmp_path / "broken.gif", "frame 3")


def test_that_only_the_first_frame_was_looked_at_is_told(make_config: MakeConfig, tmp_path: Path) -> None:
    pictures = [Image.new("RGB", (60, 40), colour) for colour in ("red", "green")]
    pictures[0].save(tmp_path / "a.gif", save_all=True, append_images=pictures[1:])
    with hugginggpt.HuggingGPT(make_config(llm="offline", inference_mode="local")) as gpt:
        turned = gpt.ask("rotate it by 90 degrees", files=[str(tmp_path / "a.gif")])
        frames = gpt.ask("the frames as pictures please", files=[str(tmp_path / "a.gif")])
    assert "of its 2 frames the first was looked at" in turned.message
    assert len(frames.files) == 2 and "frames 1, 2 of 2" in frames.message


def test_every_new_task_has_an_expert() -> None:
    names: list[Any] = ["join-pdf", "images-to-pdf", "extract-pages", "split-pdf", "pdf-to-images", "export-table"]
    assert all(experts_for(name) for name in (*names, "save-text", "image-frames"))


def test_what_pages_share_does_not_fill_the_disk(five: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [[{"path": str(five), "pages": [page]}] for page in (1, 2, 3)]
    size = sum(Path(file).stat().st_size for file in pdf.assemble(sources, tmp_path))
    monkeypatch.setattr(pdf, "MAX_MADE", size)
    assert len(pdf.assemble(sources, tmp_path)) == 3
    monkeypatch.setattr(pdf, "MAX_MADE", size - 1)
    with pytest.raises(Unreadable, match="gives files of more than 0 MB in all"):
        pdf.assemble(sources, tmp_path)


@pytest.mark.parametrize("cell", [" =1+1", "\ufeff@SUM(A1)", "＝1"])
def test_a_formula_behind_blanks_or_of_full_width_gets_an_apostrophe(cell: str) -> None:
    data, marked = table_files.separated(NamedTable({"a": [cell, "2"]}, {}))
    assert marked == 1 and f"'{cell}" in data.decode("utf-8-sig")
