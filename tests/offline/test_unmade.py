"""Requests for files of documents and tables, and for charts, which no task makes."""

from __future__ import annotations

import pytest

from hugginggpt.media.references import Resource, find_resources, find_texts
from hugginggpt.media.types import type_of
from hugginggpt.offline.planner import Draft, draft_plan
from tests.conftest import TABLE

FILE = "No expert here can save a document or table as a file."
CHART = "No expert here can draw a chart."


def draft(request: str, *files: str) -> Draft:
    attached = [Resource(name, known.kind if (known := type_of(name)) else None) for name in files]
    return draft_plan(request, TABLE, resources=[*find_texts(request, find_resources(request)), *attached])


@pytest.mark.parametrize(
    ("request_text", "file"),
    [
        ("put pages 4 to 6 into a pdf of their own", "lease.pdf"),
        ("break up the document into chapters", "lease.pdf"),
        ("could you turn it into excel please", "guests.json"),
        ("I want this as a word file", "notes.txt"),
        ("export to csv", "stock.xlsx"),
        ("download this spreadsheet as json", "stock.xlsx"),
        ("drop the last two rows", "stock.csv"),
        ("rename the column Price", "stock.csv"),
        ("make one pdf from these pictures", "beach.jpg"),
        ("remove page 3", "lease.pdf"),
    ],
)
def test_a_file_that_nothing_makes_is_refused_alone(request_text: str, file: str) -> None:
    plan = draft(request_text, file)
    assert not plan.tasks
    assert [part.why for part in plan.unplanned] == [FILE]


@pytest.mark.parametrize(
    ("request_text", "file", "task", "why"),
    [
        ("order the rows by price and store them as an ods file", "stock.csv", "table-question-answering", FILE),
        ("summarize this and export the summary to word", "lease.pdf", "summarization", FILE),
        ("draw a pie chart of the stock by category", "stock.csv", "table-question-answering", CHART),
        ("show the price per category as a bar chart", "stock.csv", "table-question-answering", CHART),
    ],
)
def test_the_possible_half_is_done(request_text: str, file: str, task: str, why: str) -> None:
    plan = draft(request_text, file)
    assert [one["task"] for one in plan.tasks] == [task]
    assert [part.why for part in plan.unplanned] == [why]
    assert "chart" not in str(plan.tasks)


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
