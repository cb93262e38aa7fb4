"""Documents as tasks take them: requests about files of every format, from end to end and offline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from hugginggpt.core.documents import DocumentText, Part, Wanted, split_name, wanted_in
from hugginggpt.core.errors import MediaError
from hugginggpt.endpoints.base import Inference
from hugginggpt.interface import HuggingGPT
from hugginggpt.stages.documents import excerpt, located, said_at, with_pages_asked_for, with_times
from hugginggpt.testing.runs import write_config
from tests.conftest import TABLE, plan_offline
from tests.media import samples

REPORT = DocumentText.of([Part("page", str(number), text) for number, text in enumerate(samples.PAGES, 1)])


@pytest.mark.parametrize(
    ("words", "wanted", "rest"),
    [
        ("what is on page 3?", Wanted("page", (3,)), "what is?"),
        ("summarise slides 2 to 4 of it", Wanted("slide", (2, 3, 4)), "summarise of it"),
        ("compare pages 1 and 5", Wanted("page", (1, 5)), "compare"),
        ("what does the last page say?", Wanted("page", (-1,)), "what does say?"),
        ("read the second chapter", Wanted("chapter", (2,)), "read"),
        ("how many pages has it?", None, "how many pages has it?"),
        ("page three", None, "page three"),
        ("pages 1 to 9999", Wanted("page", tuple(range(1, 202))), ""),
    ],
)
def test_the_pages_that_words_name(words: str, wanted: Wanted | None, rest: str) -> None:
    assert wanted_in(words) == (wanted, rest)
    if wanted:
        assert split_name(f"/uploads/a.pdf{wanted.fragment}") == ("/uploads/a.pdf", wanted)


@pytest.mark.parametrize("name", ["a.pdf", "a.pdf#top", "https://a.example/a.pdf#page=x", "a#page="])
def test_other_names_stay(name: str) -> None:
    assert split_name(name) == (name, None)


def test_when_words_are_said_is_told_by_their_times() -> None:
    said = "Hello there. It ends."
    chunks = [{"text": text, "timestamp": [start, start + 0.3]} for text, start in SPOKEN]
    context, row = with_times(said, {"generated text": said, "chunks": chunks}), TABLE["question-answering"]
    told = said_at(row, {"text": "when does he say ends?", "context": context})
    assert told and told.value == {"answer": "“ends” is said at about 1:05.4."}
    assert said_at(row, {"text": "when does he say that we meet?", "context": context}) is None
    assert said_at(row, {"text": "when does he say ends?", "context": said}) is None


SPOKEN = [("Hello", 0.0), (" there.", 0.4), (" It", 65.2), (" ends.", 65.4)]


def test_a_transcript_knows_when_its_sentences_are_said() -> None:
    words = [{"text": text, "timestamp": [start, start + 0.3]} for text, start in SPOKEN]
    said = "Hello there. It ends."
    text = with_times(said, {"generated text": said, "chunks": words})
    assert text == said
    answered = located(Inference({"answer": "It ends."}), [text]).value
    assert answered["where"] == [{"unit": "time", "name": "1:05.2"}]
    asked = {"text": "what is on slide 2?", "context": text}
    assert with_pages_asked_for(TABLE["question-answering"], asked) == asked  # of which it has none
    for value in ({"generated text": said}, {"generated text": said, "chunks": words, "looked": {}}, [said]):
        assert not isinstance(with_times(said, value), DocumentText)


@pytest.mark.slow
def test_an_answer_from_a_recording_says_when_it_is_said() -> None:
    with HuggingGPT({"llm": "offline"}) as gpt:
        word = gpt.ask("At what time is Einstein mentioned?", files=["/examples/speech.wav"])
        sentence = gpt.ask("Where did Einstein live?", files=["/examples/speech.wav"])
    assert "is said at about 0:04" in word.message
    assert "Berlin" in sentence.message and "at 0:04" in sentence.message


def test_an_excerpt_knows_its_pages() -> None:
    part = excerpt(REPORT, Wanted("page", (-1,)), "a.pdf")
    assert part == samples.PAGES[2]
    assert isinstance(part, DocumentText) and part.places(["nowhere in it"]) == [{"unit": "page", "name": "3"}]
    assert excerpt("plain", Wanted("page", (1,)), "a.txt") == "plain"
    with pytest.raises(MediaError, match=r"^a.pdf has no text on page 9: 3 pages have some.$"):
        excerpt(REPORT, Wanted("page", (9,)), "a.pdf")
    with pytest.raises(MediaError, match=r"^a.pdf has no numbered slides.$"):
        excerpt(REPORT, Wanted("slide", (1,)), "a.pdf")


def test_a_question_about_a_page_is_put_to_that_page() -> None:
    row = TABLE["question-answering"]
    given = with_pages_asked_for(row, {"text": "who is named on page 3?", "context": REPORT})
    assert given == {"text": "who is named?", "context": samples.PAGES[2]}
    same = {"text": "who is named on page 3?", "context": "a plain text"}
    assert with_pages_asked_for(row, same) == same
    assert with_pages_asked_for(TABLE["summarization"], {"text": REPORT}) == {"text": REPORT}


def test_an_answer_says_where_it_stands() -> None:
    found = located(Inference({"answer": "The treasurer is Ruth Klein."}), [REPORT, 1])
    assert found.value["where"] == [{"unit": "page", "name": "3"}]
    noted = DocumentText.of(REPORT.parts, "Page 4 is a picture.")
    assert located(Inference({"generated text": "x"}), [noted]).value == {
        "generated text": "x",
        "note": "Page 4 is a picture.",
    }
    for value, args in (([1.0], [REPORT]), ({"answer": "x"}, ["text"]), ({"answer": "x"}, [REPORT])):
        assert located(Inference(value), args).value == value


def test_tasks_on_texts_are_planned_for_pages() -> None:
    assert [task["args"] for task in plan_offline("Summarise page 2 of report.pdf")] == [{"text": "report.pdf#page=2"}]
    assert [task["args"] for task in plan_offline("Read slides 1 and 3 of talk.pptx aloud")] == [
        {"text": "talk.pptx#slide=1,3"}
    ]
    assert [task["args"] for task in plan_offline("Summarise notes.txt page 2")] == [{"text": "notes.txt"}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "write", "asked"),
    [
        ("report.pdf", samples.write_pdf, {
            "Summarise report.pdf": "In short: ",
            "Who is the treasurer?": "The treasurer is Ruth Klein.",
            "And who founded the club?": "Maria Lopez. (",
            "What does page 2 say?": "It spent 3,100 euros on tools and seeds. (on page 2)",
            "How many pages does it have?": "It has 3 pages.",
        }),
        ("invoice.pdf", samples.write_invoice, {
            "What does the office chair cost?": "149.00",
            "And what is the invoice number?": "2025-0471",
            "Who is the mayor?": "I do not find this",
        }),
        ("scan.pdf", lambda file: samples.write_scan(file, samples.PAGES), {"Who is the treasurer?": "on page 3"}),
        ("minutes.docx", samples.write_docx, {
            "Who is the treasurer according to minutes.docx?": "The treasurer is Ruth Klein.",
            "And when is the next meeting?": "7 May 2025",
        }),
        ("sales.xlsx", samples.write_xlsx, {
            "Which month has the highest total in sales.xlsx?": "(in the sheet “2025”)",
            "And in 2024?": "February",
        }),
        ("sales.ods", samples.write_ods, {"What is the average total in the sheet 2025?": "275"}),
        ("slides.pptx", samples.write_pptx, {
            "what is in slides.pptx": "The club was founded in 1987",
            "what's on the last slide?": "on slide 3",
        }),
        ("page.html", lambda file: file.write_text(samples.HTML), {"which month has the highest total?": "February"}),
        ("club.json", lambda file: file.write_text(samples.JSON), {"How old is Tom Hill?": "40"}),
        ("talk.srt", lambda file: file.write_text(samples.SRT), {"Who is the treasurer?": "at 00:01:05"}),
        ("book.epub", samples.write_epub, {"Who founded the club?": "in the chapter “The beginning”"}),
    ],
)  # fmt: skip
def test_requests_about_documents_offline(
    tmp_path: Path, name: str, write: Callable[[Path], object], asked: dict[str, str]
) -> None:
    """The questions of a conversation, each with what its answer holds."""
    write(tmp_path / name)
    with HuggingGPT(write_config(tmp_path, llm="offline", inference_mode="hybrid")) as gpt:
        chat = gpt.chat()
        for number, (question, said) in enumerate(asked.items()):
            answer = chat.ask(question, files=[tmp_path / name] if number == 0 else [])
            assert said in str(answer), question


@pytest.mark.slow
def test_each_page_of_a_picture_of_several_is_read(tmp_path: Path) -> None:
    pages = [Image.new("RGB", (1000, 300), "white") for _ in range(3)]
    said = ("The club was founded in 1987", "The treasurer is Ruth Klein", "The meeting is on 7 May")
    for page, text in zip(pages, said, strict=True):
        ImageDraw.Draw(page).text((40, 100), text, fill="black", font=ImageFont.load_default(48))
    pages[0].save(tmp_path / "scan.tiff", save_all=True, append_images=pages[1:])
    with HuggingGPT(write_config(tmp_path, llm="offline", inference_mode="hybrid")) as gpt:
        answer = str(gpt.ask("What does scan.tiff say?", files=[tmp_path / "scan.tiff"]))
    for number, text in enumerate(said, 1):
        assert f"Page {number}: {text}" in answer


@pytest.mark.slow
def test_questions_to_a_picture_of_several_pages_are_put_to_all_of_them(tmp_path: Path) -> None:
    pages = [Image.new("RGB", (1000, 400), "white") for _ in range(3)]
    told = (
        ("Membership fee: 30 euros", "Room: Hall B"),
        ("Treasurer: Ruth Klein", "Telephone: 0171 5550"),
        ("Deadline: 7 May", "Fee for guests: 12 euros"),
    )
    for page, lines in zip(pages, told, strict=True):
        for at, text in enumerate(lines):
            ImageDraw.Draw(page).text((40, 80 + 120 * at), text, fill="black", font=ImageFont.load_default(44))
    pages[0].save(tmp_path / "club.tiff", save_all=True, append_images=pages[1:])
    asked = {
        "Who is the treasurer?": ("Ruth Klein", "on page 2"),
        "What is the fee for guests?": ("12 euros", "on page 3"),
    }
    with HuggingGPT(write_config(tmp_path, llm="offline", inference_mode="hybrid")) as gpt:
        for question, said in asked.items():
            answer = str(gpt.ask(question, files=[tmp_path / "club.tiff"]))
            assert all(one in answer for one in said), answer
            assert "the first was looked at" not in answer
