"""What is wrong with a file stands for the change that mends it."""

from __future__ import annotations

import pytest

from hugginggpt.media.references import Resource
from hugginggpt.media.types import kind_of
from hugginggpt.offline.complaints import mended
from hugginggpt.offline.planner import draft_plan
from tests.conftest import TABLE


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("still too dark, a bit more", "still brighter, a bit more"),
        ("the shed photo is much too bright", "the shed photo is much darker"),
        ("it's too loud for me", "it's quieter for me"),
        ("too small, make it twice as big", "make it twice as big"),
        ("my speech is soo quiet can you make it loud", "can you make it loud"),
        ("20 % brighter please, it is too dark", "20 % brighter please, it is"),
        ("is it too dark?", "is it too dark?"),
        ("very nice and bright", "very nice and bright"),
        ("make it so bright that it hurts", "make it so bright that it hurts"),
    ],
)
def test_a_complaint_asks_for_the_opposite(words: str, wanted: str) -> None:
    assert mended(words) == wanted


@pytest.mark.parametrize(
    ("request_text", "file", "changes"),
    [
        ("Way too dark. Brighten it so one can see his hat", "hat.jpg", ["Brighten"]),
        ("the garden picture is far too dark", "garden.jpg", ["far brighter"]),
        ("this one is way too quiet, turn it up", "memo.ogg", ["turn it up"]),
        ("it is too fast for me, slow it down", "talk.ogg", ["slow"]),
        ("I took this in Rome. Make it black and white", "rome.jpg", ["black and white"]),
    ],
)
def test_what_is_said_to_do_wins(request_text: str, file: str, changes: list[str]) -> None:
    planned = draft_plan(request_text, TABLE, resources=[Resource(file, kind_of(file))])
    assert [task["args"].get("change") for task in planned.tasks] == changes
    assert planned.unplanned == ()


def test_a_text_does_not_complain() -> None:
    planned = draft_plan("why was the hall too small?", TABLE, resources=[Resource("minutes.txt", "text")])
    assert [task["task"] for task in planned.tasks] == ["question-answering"]


@pytest.mark.parametrize(
    ("request_text", "tasks"),
    [
        ("the scan came out upside down, please correct it", ["rotate-image"]),
        ("my photo is mirrored, fix it", ["flip-image"]),
        ("this page lies on its side: rotate it by 90 degrees to the left", ["rotate-image"]),
        ("is it upside down?", ["visual-question-answering"]),
    ],
)
def test_how_a_picture_lies_is_mended(request_text: str, tasks: list[str]) -> None:
    picture = Resource("page.jpg", "image")
    assert [task["task"] for task in draft_plan(request_text, TABLE, resources=[picture]).tasks] == tasks
