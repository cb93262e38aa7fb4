"""Reading documents: their text with pages, sheets and times, their tables, and what is refused."""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from collections.abc import Callable
from contextlib import suppress
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.core.documents import DocumentText, Part, Table, in_words
from hugginggpt.core.errors import MediaError
from hugginggpt.media import documents, reader_process
from hugginggpt.media import tables as media_tables
from hugginggpt.media.decoding import load_text
from hugginggpt.media.documents import read_document, text_of
from hugginggpt.media.formats import Document, Limits, Unreadable, mail, office, pdf, plain, sheets, web
from hugginggpt.media.formats import __main__ as child
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import columns, csv_of, tables, with_columns
from hugginggpt.media.texts import text_of_file
from tests.conftest import MakeConfig
from tests.media import samples

LIMITS = Limits(pages=100, rows=1000, unpacked=10_000_000)
NUMBERED = [("page", "1"), ("page", "2"), ("page", "3")]
SLIDES = [("slide", "1"), ("slide", "2"), ("slide", "3")]
BOTH = [("sheet", "2024"), ("sheet", "2025")]


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are read in this process, which is faster: how the other one is started and bounded is tested apart."""
    monkeypatch.setattr(documents, "asked", lambda path, order: child.read({**order, "path": str(path)}))


def places(document: Document) -> list[tuple[str, str]]:
    return [(part["unit"], part["name"]) for part in document.parts]


@pytest.mark.parametrize(
    ("write", "read", "expected"),
    [
        (samples.write_pdf, pdf.pdf, NUMBERED),
        (samples.write_pptx, office.slides, SLIDES),
        (samples.write_odp, office.opendocument, SLIDES),
        (samples.write_odt, office.opendocument, [("", "")]),
        (samples.write_docx, office.word, [("", ""), ("", "")]),
        (samples.write_epub, web.epub, [("chapter", "The beginning"), ("chapter", "Money"), ("chapter", "Outlook")]),
    ],
)
def test_the_text_of_each_format_in_its_parts(
    tmp_path: Path,
    write: Callable[[Path], Path],
    read: Callable[[Path, Limits], Document],
    expected: list[tuple[str, str]],
) -> None:
    document = read(write(tmp_path / "a"), LIMITS)
    assert places(document) == expected
    text = " ".join(" ".join(part["text"].split()) for part in document.parts)
    for sentence in (sentence for page in samples.PAGES for sentence in page.rstrip(".").split(". ")):
        assert sentence in text


@pytest.mark.parametrize("write", [samples.write_xlsx, samples.write_ods])
def test_the_sheets_of_a_workbook(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    document = sheets.sheets(write(tmp_path / "a"), LIMITS)
    assert places(document) == BOTH
    assert document.tables[0]["rows"] == [
        ["Month", "Total"],
        ["January", "100"],
        ["February", "350.5"],
        ["March", "200"],
    ]


def test_cells_are_written_as_people_write_them(tmp_path: Path) -> None:
    rows = [
        ("Due", "Paid", "Sum", "Note", None),
        (samples.dated(), True, 3.0, " two\nlines ", None),
        (None, None, 0.1, "", None),
    ]
    document = sheets.sheets(samples.write_xlsx(tmp_path / "a", {"One": [(), *rows]}), LIMITS)
    assert document.tables[0]["rows"][1:] == [["2025-03-31", "yes", "3", "two lines"], ["", "", "0.1", ""]]


def test_tables_footers_and_tracked_changes_of_word(tmp_path: Path) -> None:
    file = samples.write_docx(tmp_path / "a.docx", ["Old"], [("Name", "Role"), ("Ruth Klein", "treasurer")])
    with zipfile.ZipFile(file) as archive:
        body = archive.read("word/document.xml")
    changed = b'<w:ins w:id="1"><w:r><w:t>New</w:t></w:r></w:ins><w:del w:id="2"><w:r><w:delText>Old</w:delText></w:r></w:del>'
    samples.repacked(file, word__document=body.replace(b"<w:r><w:t>Old</w:t></w:r>", changed))
    document = office.word(file, LIMITS)
    assert document.parts[0]["text"].splitlines() == [
        "Minutes of the garden club",
        "New",
        "Name | Role",
        "Ruth Klein | treasurer",
    ]
    assert document.parts[1]["text"] == "Green Street 5, Kiel"
    assert document.tables[0]["rows"] == [["Name", "Role"], ["Ruth Klein", "treasurer"]]


def test_pages_of_word_where_it_noted_them(tmp_path: Path) -> None:
    from docx import Document as Docx

    document = Docx()
    document.add_paragraph("One.")
    run = document.add_paragraph().add_run()
    run._r.append(
        run._r.makeelement("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}lastRenderedPageBreak")
    )
    run.add_text("Two.")
    document.save(str(tmp_path / "a.docx"))
    read = office.word(tmp_path / "a.docx", LIMITS)
    assert [(part["name"], part["text"]) for part in read.parts] == [("1", "One."), ("2", "Two.")]


def test_notes_belong_to_their_slide(tmp_path: Path) -> None:
    read = office.slides(samples.write_pptx(tmp_path / "a", ["Plans. Trees."], notes="Say hello"), LIMITS)
    assert read.parts[0]["text"].splitlines() == ["Plans", "Trees.", "Say hello"]


def test_a_filled_form_is_text(tmp_path: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.drawString(72, 720, "Name:")
    canvas.acroForm.textfield(name="name", value="Ruth Klein", x=150, y=710, width=200, height=20)
    canvas.save()
    assert "Ruth Klein" in pdf.pdf(tmp_path / "a.pdf", LIMITS).parts[0]["text"]


def test_a_page_of_the_web(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(samples.HTML)
    read = web.html(tmp_path / "a.html", LIMITS)
    assert (
        read.parts[0]["text"]
        == "The garden club\nThe treasurer is Ruth Klein.\nMonth | Total\nJanuary | 100\nFebruary | 350"
    )
    assert read.tables[0]["rows"][2] == ["February", "350"]


def _an_email(html: bool = False, attached: str = "") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = "Ruth Klein <ruth@example.org>", "Tom <tom@example.org>"
    message["Subject"], message["Date"] = "Schlüssel für den Schuppen", "Mon, 08 Sep 2025 16:05:00 +0200"
    message.set_content("<p>Der Schlüssel<p>liegt bei Imke.", subtype="html") if html else message.set_content(
        "Der Schlüssel\nliegt bei Imke.", charset="iso-8859-1", cte="quoted-printable"
    )
    if attached:
        message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename=attached)
    return message


@pytest.mark.parametrize("html", [False, True])
def test_an_email_is_its_headers_and_its_words(
    make_config: MakeConfig, tmp_path: Path, in_process: None, html: bool
) -> None:
    (tmp_path / "a.eml").write_bytes(bytes(_an_email(html, "plan.pdf")))
    path = MediaStore(make_config()).receive(tmp_path / "a.eml")
    assert text_of_file(path) == (
        "From: Ruth Klein <ruth@example.org>\nTo: Tom <tom@example.org>\nDate: Monday 08 September 2025, 16:05\n"
        "Subject: Schlüssel für den Schuppen\n\nDer Schlüssel\nliegt bei Imke.\n\nAttached: plan.pdf"
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"no headers, only words", "is not an e-mail: it has no sender, date or subject"),
        (b"", "is not an e-mail: it has no sender, date or subject"),
        (b'{"club": "garden club"}', "is not an e-mail: it has no sender, date or subject"),
        (
            b"From: a\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 5_000,
            "has more than 5,000 parts",
        ),
        (b"From: a\nTo: " + b"a@b.example, " * 6_000 + b"\n\nx", "has a header of more than 65,536 bytes"),
        (b"From: a\n" + b"X: y\n" * 200_000 + b"\nx", "has more than 1,000,000 bytes of headers"),
    ],
)
def test_what_is_no_email_says_so(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "a.eml").write_bytes(content)
    with pytest.raises(Unreadable, match=why):
        mail.mail(tmp_path / "a.eml", LIMITS)


@pytest.mark.parametrize(
    "content",
    [
        b"Subject: =?utf-8?q?\xff\xfe?=\nDate: 99 Foo\n\nwords",
        b"From: a\nContent-Type: text/plain; charset=nowhere\n\ncaf\xc3\xa9 words",
        b"From: a\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\nContent-Type: multipart/mixed; boundary=b\n\n" * 3_000,
        b"From: a\nContent-Transfer-Encoding: base64\n\n" + b"!" * 10_000,
        b"From: " + b"<" * 100_000,
        b"To: " + b"a@b," * 50_000,
    ],
)
def test_broken_emails_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.eml").write_bytes(content)
    with suppress(Unreadable):
        assert mail.mail(tmp_path / "a.eml", LIMITS).parts


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"<p>caf\xc3\xa9", "café"),
        (b"<meta charset=iso-8859-1><p>caf\xe9", "café"),
        (b"<p>caf\xe9", "café"),
        ("<p>café".encode("utf-16"), "café"),
        (b"<ul><li>a<li>b</ul>", "- a\n- b"),
        (b"<p>a<br>b &amp; c<p>d", "a\nb & c\nd"),
        (b"<nav>x</nav></nav><p>a", "a"),
        (b"<script>if (a</b) x</script><p>a", "a"),
        (b"<meta charset=undefined><p>caf\xc3\xa9", "café"),
    ],
)
def test_pages_as_they_are_written(tmp_path: Path, content: bytes, text: str) -> None:
    (tmp_path / "a").write_bytes(content)
    assert web.html(tmp_path / "a", LIMITS).parts[0]["text"] == text


@pytest.mark.parametrize("content", [samples.SRT, samples.VTT, samples.SRT.replace("\n", "\r\n")])
def test_subtitles_with_their_times(tmp_path: Path, content: str) -> None:
    (tmp_path / "a").write_bytes(content.encode())
    read = plain.subtitles(tmp_path / "a", LIMITS)
    assert places(read) == [("time", "00:00:01"), ("time", "00:01:05")]
    assert read.parts[1]["text"] == "Ruth Klein is the treasurer."


def test_values_of_json_with_their_names(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(samples.JSON)
    read = plain.json(tmp_path / "a", LIMITS)
    assert read.parts[0]["text"].splitlines()[:2] == ["club: garden club", "members 1 name: Ruth Klein"]
    assert read.tables[0]["rows"] == [["name", "role", "age"], ["Ruth Klein", "treasurer", ""], ["Tom Hill", "", "40"]]
    (tmp_path / "a").write_text('{"a": 1, "b": 2}\n{"a": 3, "b": null}\n')
    assert plain.json(tmp_path / "a", LIMITS).tables[0]["rows"] == [["a", "b"], ["1", "2"], ["3", ""]]


def test_half_characters_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"name": "\\ud800 Ruth"}')
    assert read_document(tmp_path / "a.json", "json").parts[0].text == "name: ? Ruth"


def test_json_of_other_things_in_each_row_is_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(json.dumps([{f"key {number}": number} for number in range(3_000)]))
    read = plain.json(tmp_path / "a", Limits(1, 3_001, 1))
    assert read.tables == [] and read.parts[0]["text"].startswith("1 key 0: 0\n2 key 1: 1\n")


def test_names_that_lead_to_many_values_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(json.dumps({"k" * 100_000: dict.fromkeys(map(str, range(1_000)), 1)}))
    with pytest.raises(Unreadable, match="more than 4,000,000 characters"):
        plain.json(tmp_path / "a", LIMITS)


# Refused


def _written(file: Path, content: bytes) -> Path:
    file.write_bytes(content)
    return file


def _encrypted(file: Path, write: Callable[[Path], Path] = samples.write_docx) -> Path:
    write(file)
    content = bytearray(file.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            content[at + offset] |= 1
            at = content.find(mark, at + 4)
    return _written(file, bytes(content))


@pytest.mark.parametrize(
    ("name", "make", "why"),
    [
        ("a.pdf", lambda f: samples.write_pdf(f, password="secret"), "a.pdf is protected by a password: save it without one."),
        ("a.pdf", lambda f: _written(f, b"%PDF-1.4 nothing"), "a.pdf cannot be read: it is damaged."),
        ("a.pdf", lambda f: _written(f, samples.many_pages(100_000)), "a.pdf has 100,000 pages, more than the 1,000 allowed (limits.max_pages)."),
        ("a.docx", _encrypted, "a.docx is protected by a password: save it without one."),
        ("a.ods", lambda f: _encrypted(f, samples.write_ods), "a.ods is protected by a password: save it without one."),
        ("a.docx", lambda f: _written(f, b"PK\x03\x04nothing"), "a.docx cannot be read: it is damaged."),
        ("a.docx", lambda f: samples.repacked(samples.write_docx(f), word__document=samples.bomb(6_000_000)), "a.docx unpacks to 7 MB, which is more than a document of its size needs."),
        ("a.docx", lambda f: samples.repacked(samples.write_docx(f), word__document=samples.LAUGHS), "a.docx declares XML entities, which documents have no need of: it is not opened."),
        ("a.docx", lambda f: samples.repacked(samples.write_docx(f), word__document=samples.OUTSIDE), "a.docx declares XML entities, which documents have no need of: it is not opened."),
        ("a.docx", lambda f: samples.repacked(samples.write_docx(f), word__document=b"<a><b></a>"), "a.docx cannot be read: it is damaged."),
        ("a.xlsx", lambda f: samples.write_xlsx(f, {"Big": [("a", "b")] * 60}), "a.xlsx has 60 rows in the sheet “Big”, more than the 50 allowed (limits.max_rows)."),
        ("a.json", lambda f: _written(f, b"[" * 200_000), "a.json is nested too deeply."),
        ("a.json", lambda f: _written(f, b"[" + b"1," * 4_000_001 + b"1]"), "a.json holds more than 4,000,000 values: give a part of it."),
        ("a.json", lambda f: _written(f, b"9" * 5_000), "a.json holds a number of more than 4,300 digits: write it as a text."),
        ("a.json", lambda f: _written(f, (b'{"' + b"k" * 9_000 + b'":') * 40 + b"1" + b"}" * 40), "a.json has names of more than 300,000 characters that lead to a value: shorten them."),
        ("a.json", lambda f: _written(f, b'{"a": '), "a.json is not valid JSON: Expecting value: line 1 column 6 (char 5)."),
        ("a.docx", lambda f: samples.with_hidden_list(samples.write_docx(f)), "a.docx is an archive of too many files for a document."),
        ("a.docx", lambda f: samples.repacked(samples.write_docx(f), word__document=b"<a>" * 2_000), "a.docx is nested too deeply."),
        ("a.html", lambda f: _written(f, b"<div>" * 400_001), "a.html has more than 400,000 tags: give a part of it."),
        ("a.html", lambda f: _written(f, b"<html>" + b"&a" * 1_500_001), "a.html has more than 1,500,000 characters written as &...;: give a part of it."),
        ("a.html", lambda f: _written(f, b"<html><a " + b"x=1 " * 100_000 + b">"), "a.html holds no text."),
        ("a.html", lambda f: _written(f, b"<html>" + b"<!--" * 500_000), "a.html holds no text."),
        ("a.srt", lambda f: _written(f, samples.SRT.encode() * 30), "a.srt has 60 subtitles, more than the 50 allowed (limits.max_rows)."),
        ("a.srt", lambda f: _written(f, b"no times"), "a.srt holds no subtitles."),
        ("a.html", lambda f: _written(f, b"<p>"), "a.html holds no text."),
        ("a.docx", lambda f: _written(f, b"plain words"), "a.docx is of an unknown type: give"),
        ("a.docx", lambda f: _written(f, b""), "a.docx is empty: give"),
        ("a.xlsx", lambda f: _written(f, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")), "a.xlsx is protected by a password: save it without one."),
        ("a.epub", lambda f: samples.repacked(samples.write_epub(f), **{"META-INF__encryption": b'<e xmlns="e"><r URI="OEBPS/c0.xhtml"/></e>'}), "a.epub is protected against copying (DRM)."),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_so_in_one_sentence(
    make_config: MakeConfig, tmp_path: Path, in_process: None, name: str, make: Callable[[Path], Path], why: str
) -> None:
    media = MediaStore(make_config(limits={"max_rows": 50}))
    (tmp_path / "in").mkdir()
    with pytest.raises(MediaError) as refused:
        media.receive(make(tmp_path / "in" / name))
    said = str(refused.value)
    assert re.sub(r"^a-[0-9a-f]{10}(?=\.)", "a", said)[: len(why)] == why
    assert not any(each.is_file() for each in media.public.glob("uploads/*"))


def test_what_takes_too_much_memory_costs_its_own_process_alone(make_config: MakeConfig, tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="it is damaged, or takes more memory than a document may.$"):
        MediaStore(make_config()).receive(samples.sparse_sheet(tmp_path / "a.xlsx"))


@pytest.mark.parametrize(
    ("name", "write", "saved"),
    [
        ("report.docx", samples.write_pdf, ".pdf"),
        ("report", samples.write_docx, ".docx"),
        ("sales.zip", samples.write_xlsx, ".xlsx"),
        ("sales.docx", samples.write_ods, ".ods"),
        ("talk.ppt", samples.write_pptx, ".pptx"),
        ("book.zip", samples.write_epub, ".epub"),
        ("talk.txt", lambda f: _written(f, samples.SRT.encode()), ".srt"),
        ("page", lambda f: _written(f, samples.HTML.encode()), ".html"),
    ],
)
def test_a_document_is_known_by_its_content(
    make_config: MakeConfig, tmp_path: Path, in_process: None, name: str, write: Callable[[Path], Path], saved: str
) -> None:
    media = MediaStore(make_config())
    path = media.receive(write(tmp_path / name))
    assert path.suffix == saved
    media.check(path, "table" if saved in (".xlsx", ".ods") else "text")


# In the program


def test_a_document_is_read_once(tmp_path: Path, in_process: None) -> None:
    file = samples.write_pdf(tmp_path / "a.pdf")
    first = read_document(file, "pdf", 10, 10)
    assert read_document(file, "pdf") is first
    samples.write_pdf(file, ["Another."])
    assert [part.text for part in read_document(file, "pdf").parts] == ["Another."]


def test_a_process_gets_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    seen: list[dict[str, str]] = []
    start = subprocess.Popen

    def noted(*args: Any, **options: Any) -> Any:
        seen.append(options["env"])
        return start(*args, **options)

    monkeypatch.setattr(reader_process.subprocess, "Popen", noted)
    read_document(samples.write_pdf(tmp_path / "a.pdf"), "pdf")
    assert seen and "sk-secret" not in seen[0].values()


def test_pages_that_are_pictures_are_read(tmp_path: Path) -> None:
    document = read_document(samples.write_pdf(tmp_path / "a.pdf", ["Words.", ""]), "pdf")
    assert document.unread == (2,)
    read = text_of(document, lambda image: f"read of {image.name}")
    assert (str(read), read.note) == ("Words.\n\nread of page-2.png", "")
    unread = text_of(document, None)
    assert unread == "Words."
    assert unread.note.startswith("Page 2 is a picture: pip install")


def test_a_document_without_text_says_so(tmp_path: Path) -> None:
    document = read_document(samples.write_pdf(tmp_path / "a.pdf", [""]), "pdf")
    with pytest.raises(MediaError, match=r"^a.pdf holds no text. Page 1 is a picture"):
        text_of(document, None)
    with pytest.raises(MediaError, match=r"^a.pdf holds no text.$"):
        text_of(document, lambda image: "")


def test_tables_of_documents(tmp_path: Path, in_process: None) -> None:
    titled = samples.write_xlsx(
        tmp_path / "a.xlsx", {"One": [("Sales of 2025",), (), ("Month", "Total", None), ("May", 3, "late")]}
    )
    assert columns(titled) == {"Month": ["May"], "Total": ["3"], "column 3": ["late"]}
    assert [one.place for one in tables(samples.write_xlsx(tmp_path / "b.xlsx"))] == [
        dict(zip(("unit", "name"), one, strict=True)) for one in BOTH
    ]
    with pytest.raises(MediaError, match=r"^c.pdf holds no table"):
        columns(samples.write_pdf(tmp_path / "c.pdf"))


def test_columns_have_names_of_their_own() -> None:
    assert list(columns("a,a,a (2),,column 4\n1,2,3,4,5")) == ["a", "a (3)", "a (2)", "column 4", "column 4 (5)"]


def test_the_header_of_a_table_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where many titles stand above it, too."""
    taken = []
    monkeypatch.setattr(
        media_tables, "max", lambda *values, **options: taken.append(1) or max(*values, **options), raising=False
    )
    table = Table("sheet", "One", (*[("Title",)] * 500, ("a", "b"), ("1", "2")))
    assert with_columns([table])[0].columns == {"a": ["1"], "b": ["2"]}
    assert len(taken) < 10


def test_any_file_with_text_has_one(tmp_path: Path, in_process: None) -> None:
    csv = _written(tmp_path / "a.csv", b"a,b\n1,2")
    assert text_of_file(csv) == load_text(csv) == "a,b\n1,2"
    assert text_of_file(samples.write_xlsx(tmp_path / "a.xlsx")).startswith("Month | Total\nJanuary | 100")


# Places


def test_where_a_passage_stands() -> None:
    text = DocumentText.of([Part("page", str(n), page) for n, page in enumerate(samples.PAGES, 1)])
    third = [{"unit": "page", "name": "3"}]
    assert text.places(["The treasurer is  ruth\nKlein."]) == third
    assert text.places(["Yes: The treasurer is Ruth Klein."]) == third
    assert text.places(["tools and seeds. Outlook."]) == [{"unit": "page", "name": "2"}, *third]
    assert text.places(["nowhere"]) == text.places([""]) == []
    assert DocumentText.of([Part("page", "1", "One.")]).places(["One."]) == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([("page", "3")], "on page 3"),
        ([("page", "3"), ("page", "5")], "on pages 3 and 5"),
        ([("sheet", "2025")], "in the sheet “2025”"),
        ([("chapter", "Money"), ("chapter", "End")], "in the chapter “Money”, in the chapter “End”"),
        ([("time", "00:01:05")], "at 00:01:05"),
        ([("other", "x")], ""),
    ],
)
def test_places_in_words(given: list[tuple[str, str]], words: str) -> None:
    assert in_words({"unit": unit, "name": name} for unit, name in given) == words


def test_too_much_text_is_refused() -> None:
    with pytest.raises(Unreadable, match="more than 4,000,000 characters"):
        Document().add("", "", "a" * 4_000_001)


def test_a_sheet_as_csv_for_experts_that_take_text(tmp_path: Path, in_process: None) -> None:
    assert csv_of(samples.write_xlsx(tmp_path / "a.xlsx")) == "Month,Total\nJanuary,100\nFebruary,350.5\nMarch,200\n"
    assert csv_of(tmp_path / "a.csv") is None
