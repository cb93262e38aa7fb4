"""Changes of a file in the words that people use: a format besides, conditions, complaints, questions for a size."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.media.references import Resource, find_resources, find_texts
from hugginggpt.media.types import kind_of
from hugginggpt.offline.planner import draft_plan
from tests.conftest import TABLE

LAST = "<GENERATED>-0"


def drafted(request_text: str, *files: str) -> list[tuple[str, dict[str, Any]]]:
    placed = find_texts(request_text, find_resources(request_text))
    attached = [*placed, *(Resource(name, kind_of(name)) for name in files)]
    return [(task["task"], task["args"]) for task in draft_plan(request_text, TABLE, resources=attached).tasks]


@pytest.mark.parametrize(
    ("said", "task", "args"),
    [
        ("louder!! its so quiet, memo.m4a", "adjust-audio", {"audio": "memo.m4a", "change": "louder"}),
        ("memo.m4a is too quiet", "adjust-audio", {"audio": "memo.m4a", "change": "louder"}),
        ("wav -> ogg: a.wav", "convert-audio", {"audio": "a.wav", "format": "ogg"}),
        ("blow up stamp.png to 3x", "resize-image", {"image": "stamp.png", "size": "3x"}),
        ("make pic.png look like a pencil drawing", "adjust-image", {"image": "pic.png", "change": "pencil drawing"}),
        ("doubel the size of icon.png", "resize-image", {"image": "icon.png", "size": "double the size"}),
        ("contact sheet of a.jpg b.jpg c.jpg", "join-images", {"images": ["a.jpg", "b.jpg", "c.jpg"]}),
        ("turn a.jpg a little bit to the left", "rotate-image", {"image": "a.jpg", "angle": "a little bit to the left"}),
        ("lose the lower fifth of a.jpg", "crop-image", {"image": "a.jpg", "part": "lose the lower fifth"}),
    ],
)  # fmt: skip
def test_hurried_words(said: str, task: str, args: dict[str, Any]) -> None:
    assert drafted(said) == [(task, args)]


def test_a_format_besides() -> None:
    assert drafted("save it half as big as a png", "a.jpg") == [
        ("resize-image", {"image": "a.jpg", "size": "half as big"}),
        ("convert-image", {"image": LAST, "format": "png"}),
    ]
    assert drafted("convert it to png", "a.jpg") == [("convert-image", {"image": "a.jpg", "format": "png"})]


def test_a_quoted_text_is_what_its_own_clause_is_about() -> None:
    assert drafted('mirror it and write "left" at the top', "a.jpg") == [
        ("flip-image", {"image": "a.jpg"}),
        ("write-on-image", {"image": LAST, "look": "at the top", "text": "left"}),
    ]


def test_each_branch_of_a_condition_is_about_the_file_and_its_object() -> None:
    detection, crop, resize = drafted("if there is a cat in a.jpg crop it, otherwise just make it smaller")
    assert detection[0] == "object-detection"
    assert crop == ("crop-image", {"image": "a.jpg", "part": "the cat"})
    assert resize == ("resize-image", {"image": "a.jpg", "size": "smaller"})


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("this came out way too dark, can you fix it", "adjust-image"), ("whats the size of this photo in pixels", "measure-image"),
        ("draw a red frame around the cat", "object-detection"), ("put a white frame around the picture", "adjust-image"),
        ("and make that one black and white", "adjust-image"), ("make a video of it", "images-to-video"), ("compress it to under 300 kb", "resize-image"),
    ],
)  # fmt: skip
def test_one_task(said: str, task: str) -> None:
    assert [name for name, _ in drafted(said, "a.jpg")] == [task]


@pytest.mark.parametrize("said", ["make a video of a dancing cat", "make a video from the story in it"])
def test_no_slideshow(said: str) -> None:
    assert "images-to-video" not in {name for name, _ in drafted(said, "a.jpg")}
