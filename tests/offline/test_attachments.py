"""Which of several attached files a part of a request is about."""

from __future__ import annotations

import pytest

from hugginggpt.media.references import Resource
from tests.conftest import plan_offline

PAGE, BIRD = Resource("/uploads/invoice-0a1.png", "image"), Resource("/uploads/bird-0a2.jpg", "image")
SPEECH, CROPS = Resource("/uploads/speech-0a3.wav", "audio"), Resource("/uploads/crops-0a4.csv", "table")
NOTES = Resource("/uploads/notes-0a5.txt", "text")


@pytest.mark.parametrize(
    ("request_text", "files", "asked"),
    [
        ("What is the recording about? And which crop brought the most kilos?", [SPEECH, CROPS], [SPEECH, CROPS]),
        ("What's the picture of? How much money does the club have?", [BIRD, NOTES], [BIRD, NOTES]),
        ("total of the kilos column, who took the minutes, and what can be seen on the photo?", [CROPS, NOTES, BIRD], [CROPS, NOTES, BIRD]),
        ("from the table: who grows the leeks? from the recording: what is said?", [CROPS, SPEECH], [CROPS, SPEECH]),
        ("Describe the picture. How many dogs are there?", [BIRD, NOTES], [BIRD, BIRD]),
    ],
)  # fmt: skip
def test_a_part_is_about_the_file_that_it_calls_or_that_is_left(
    request_text: str, files: list[Resource], asked: list[Resource]
) -> None:
    plan = plan_offline(request_text, resources=files)
    paths = [one.text for one in files]
    assert [path for task in plan for path in task["args"].values() if path in paths] == [one.text for one in asked]


@pytest.mark.parametrize(
    "request_text",
    [
        "count the people in /a/f.jpg, total kilos of /a/crops.csv, transcribe /a/jfk.wav",
        "1) how many people are in /a/f.jpg 2) total kilos in /a/crops.csv 3) transcribe /a/jfk.wav",
        "I need three things: the number of people in /a/f.jpg, the total kilos in /a/crops.csv, a transcript of /a/jfk.wav",
        "people in /a/f.jpg + total kilos in /a/crops.csv + transcript of /a/jfk.wav",
    ],
)
def test_a_request_is_cut_where_a_file_of_another_kind_follows(request_text: str) -> None:
    plan = plan_offline(request_text)
    args = [task["args"] for task in plan]
    assert [next(iter(one.values())) for one in args] == ["/a/f.jpg", "/a/crops.csv", "/a/jfk.wav"]
    assert args[1]["text"].endswith("total kilos")
