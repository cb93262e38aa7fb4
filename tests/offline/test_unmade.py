"""Requests for files of documents and tables, and for charts, which no task makes."""

from __future__ import annotations

import pytest

from hugginggpt.media.references import Resource, find_resources, find_texts
from hugginggpt.media.types import type_of
from hugginggpt.offline.planner import Draft, draft_plan
from tests.conftest import TABLE

FILE = (
    "No expert here can make a file of that type: texts become txt, md, docx or PDF, tables csv, tsv, xlsx or PDF, pictures "
    "PDF."
)
CHANGED = (
    "No expert here can change what is in a document or table, but rows, columns and pages can be saved as a new file."
)


def draft(request: str, *files: str) -> Draft:
    attached = [Resource(name, known.kind if (known := type_of(name)) else None) for name in files]
    return draft_plan(request, TABLE, resources=[*find_texts(request, find_resources(request)), *attached])


@pytest.mark.parametrize(
    ("request_text", "file", "why"),
    [
        ("break up the document into chapters", "lease.pdf", CHANGED),
        ("I want this as a powerpoint file", "notes.txt", FILE),
        ("save the table as a word document", "stock.xlsx", FILE),
        ("download this spreadsheet as json", "stock.xlsx", FILE),
        ("turn the picture into a powerpoint", "beach.jpg", FILE),
    ],
)
def test_a_file_that_nothing_makes_is_refused_alone(request_text: str, file: str, why: str) -> None:
    plan = draft(request_text, file)
    assert not plan.tasks
    assert [part.why for part in plan.unplanned] == [why]


@pytest.mark.parametrize(
    ("request_text", "files", "tasks"),
    [
        ("put pages 4 to 6 into a pdf of their own", ["lease.pdf"], [("extract-pages", "lease.pdf", "pages 4 to 6")]),
        ("remove page 3", ["lease.pdf"], [("extract-pages", "lease.pdf", "remove page 3")]),
        ("could you turn it into excel please", ["guests.json"], [("export-table", "guests.json", "excel")]),
        ("export to csv", ["stock.xlsx"], [("export-table", "stock.xlsx", "csv")]),
        ("make one pdf from these pictures", ["beach.jpg"], [("images-to-pdf", ["beach.jpg"])]),
        ("merge them into one file", ["a.pdf", "b.pdf"], [("join-pdf", ["a.pdf", "b.pdf"])]),
        ("each page as a pdf of its own", ["lease.pdf"], [("split-pdf", "lease.pdf", "each page")]),
        ("the last page as a picture", ["lease.pdf"], [("pdf-to-images", "lease.pdf", "the last page")]),
        ("the rows over 100 euros as an Excel file", ["stock.csv"],
         [("export-table", "stock.csv", "Excel file", "the rows over 100 euros")]),
        ("give me a csv with all unpaid orders", ["stock.csv"],
         [("export-table", "stock.csv", "csv", "all unpaid orders")]),
        ("transcribe it and save the text as notes.txt", ["talk.mp3"],
         [("automatic-speech-recognition", "talk.mp3"), ("save-text", "<GENERATED>-0", "txt")]),
        ("save the summary as a text file", ["lease.pdf"],
         [("summarization", "lease.pdf"), ("save-text", "<GENERATED>-0", "text file")]),
        ("drop the price column and save it as xlsx", ["stock.csv"],
         [("edit-table", "stock.csv", "drop the price column", "xlsx")]),
        ("remove the last two rows", ["stock.csv"], [("edit-table", "stock.csv", "remove the last two rows")]),
        ("show the price per category as a bar chart", ["stock.csv"],
         [("plot-table", "stock.csv", "show the price per category as a bar chart")]),
        ("put the two lists together, each name once, and save it", ["a.csv", "b.csv"],
         [("merge-tables", ["a.csv", "b.csv"], "put the two lists together, each name once")]),
        ("who is on both lists?", ["a.csv", "b.csv"], [("compare-tables", ["a.csv", "b.csv"], "who is on both lists")]),
        ("I want this as a word file", ["notes.txt"], [("save-text", "notes.txt", "word file")]),
        ("make a pdf of it", ["notes.txt"], [("join-pdf", ["notes.txt"])]),
        ("turn the whole thing into a pdf", ["lease.docx"], [("join-pdf", ["lease.docx"])]),
        ("save the table as a pdf", ["stock.xlsx"], [("export-table", "stock.xlsx", "pdf")]),
        ("summarize this and export the summary to word", ["lease.pdf"],
         [("summarization", "lease.pdf"), ("save-text", "<GENERATED>-0", "word")]),
        ("summarize this and save the summary as a pdf", ["notes.txt"],
         [("summarization", "notes.txt"), ("save-text", "<GENERATED>-0", "pdf")]),
        ("a vtt with the subtitles", ["talk.mp4"], [("make-subtitles", "talk.mp4", "vtt")]),
        ("extract pages 2 and 3 and summarise them", ["lease.pdf"],
         [("extract-pages", "lease.pdf", "pages 2 and 3"), ("summarization", "<GENERATED>-0")]),
    ],
)  # fmt: skip
def test_files_are_planned_from_words(request_text: str, files: list[str], tasks: list[tuple[str, ...]]) -> None:
    plan = draft(request_text, *files)
    assert [(one["task"], *one["args"].values()) for one in plan.tasks] == tasks
    assert not plan.unplanned


def test_the_rows_that_were_asked_for_are_saved() -> None:
    plan = draft("Which customers are from Berlin? Save them as csv", "stock.csv")
    question, saved = plan.tasks
    assert saved["args"] == {"table": "stock.csv", "format": "csv", "rows": question["args"]["text"]}


@pytest.mark.parametrize(
    ("request_text", "file", "task", "why"),
    [
        ("order the rows by price and store them as an ods file", "stock.csv", "table-question-answering", FILE),
        ("summarize this and export the summary to rtf", "lease.pdf", "summarization", FILE),
    ],
)
def test_the_possible_half_is_done(request_text: str, file: str, task: str, why: str) -> None:
    plan = draft(request_text, file)
    assert [one["task"] for one in plan.tasks] == [task]
    assert [part.why for part in plan.unplanned] == [why]


@pytest.mark.parametrize(
    ("request_text", "file"),
    [
        ("summarize the pdf", "lease.pdf"),
        ("what does the file say about pets", "lease.pdf"),
        ("give me the median price in this csv", "stock.csv"),
        ("how much is in the excel file in total", "stock.xlsx"),
        ("convert it to png", "beach.jpg"),
        ("list every phone number", "lease.pdf"),
    ],
)
def test_other_requests_are_planned(request_text: str, file: str) -> None:
    plan = draft(request_text, file)
    assert plan.tasks and not plan.unplanned
