"""Which of several recordings answers a question, and what answers call files that were made before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hugginggpt.answers.chosen_sources import told
from hugginggpt.answers.made_files import made_before
from hugginggpt.core.conversation import Attachment, PastTask, Turn
from tests.answers.test_checking import done
from tests.conftest import TABLE

LEAK: dict[str, Any] = {"answer": "Yes: The boiler leaks.", "passage": "The boiler leaks."}
ABSENT: dict[str, Any] = {"answer": "No, “boiler” does not occur in the text.", "absent": True}
NEAR: dict[str, Any] = {
    "answer": "Not sure; perhaps: “I am Tom.”",
    "closest": "I am Tom.",
    "found": False,
    "chance": 0.2,
}
FAR: dict[str, Any] = {"answer": "I do not find this in the text.", "found": False}
MONDAY: dict[str, Any] = {"answer": "On Monday I bake.", "score": 0.95}
TUESDAY: dict[str, Any] = {"answer": "On Tuesday I swim.", "score": 0.9}


@pytest.mark.parametrize(
    ("request_", "values", "said"),
    [
        ("which one is about the boiler?", (LEAK, ABSENT, FAR), {0: "a.wav: “The boiler leaks.”", 1: "", 2: ""}),
        ("what must I do on Tuesday?", (MONDAY, TUESDAY), {0: "", 1: "b.wav: “On Tuesday I swim.”"}),
        ("who is Tom?", (FAR, NEAR), {0: "", 1: "Not sure; perhaps b.wav: “I am Tom.”"}),
        ("who is Tom?", (FAR, FAR), {0: "I do not find this in any of a.wav and b.wav.", 1: ""}),
        ("who calls in each of them?", (LEAK, FAR), {}),
    ],
)
def test_of_several_recordings_the_one_that_answers_is_told(
    request_: str, values: tuple[Mapping[str, Any], ...], said: dict[int, str]
) -> None:
    asked = {at: done(at, "question-answering", value, text="?", context="…") for at, value in enumerate(values)}
    names = {at: f"{'abc'[at]}.wav" for at in asked}
    assert told(asked, names, request_, are_heard=True) == said


def test_of_documents_only_a_choice_is_one_of_them() -> None:
    asked = {at: done(at, "question-answering", value, text="?", context="…") for at, value in enumerate((LEAK, FAR))}
    names = {0: "a.txt", 1: "b.txt"}
    assert told(asked, names, "what is the notice period?", are_heard=False) == {}
    assert told(asked, names, "which of them speaks of the boiler?", are_heard=False)[1] == ""


def test_what_was_made_before_is_called_by_what_it_was_made_of() -> None:
    files = [Attachment("mon.wav", "/uploads/mon-1.wav", "audio"), Attachment("tue.wav", "/uploads/tue-2.wav", "audio")]
    joined = PastTask(
        0, "join-audio", {"audios": ["/uploads/mon-1.wav", "/uploads/tue-2.wav"]}, {"generated audio": "/audios/9.wav"}
    )
    cut = PastTask(0, "cut-audio", {"audio": "/audios/9.wav"}, {"generated audio": "/audios/8.wav"})
    saved = PastTask(1, "convert-audio", {"audio": "/audios/8.wav"}, {"generated audio": "/audios/7.mp3"})
    turns = [Turn("join", files=tuple(files), tasks=(joined,)), Turn("cut", tasks=(cut, saved))]
    assert [file.name for file in made_before(turns, TABLE, files)] == [
        "mon.wav + tue.wav (joined)", "mon.wav + tue.wav (joined, cut)", "mon.wav + tue.wav (joined, cut, MP3)",
    ]  # fmt: skip
