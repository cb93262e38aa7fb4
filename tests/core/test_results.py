"""Result schemas: the many raw formats of experts are parsed to one."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.core.results import files_of, plural
from hugginggpt.testing.fakes import SHAPES
from tests.conftest import TABLE


@pytest.mark.parametrize("task", SHAPES)
def test_hugging_face_shapes_are_accepted_and_read(task: str) -> None:
    result = TABLE[task].result
    value = result.parse(SHAPES[task])
    assert result.parse(value) == value  # a result in its form stays as it is
    assert result.describe(value)
    assert result.to_text(value)


@pytest.mark.parametrize(
    ("task", "raw", "text"),
    [
        ("zero-shot-classification", {"sequence": "x", "labels": ["sport", "food"], "scores": [0.8, 0.2]}, "sport"),
        ("image-to-text", {"generated text": "a cat"}, "a cat"),  # JARVIS's model server
        ("image-to-text", [{"generated_text": "a cat"}], "a cat"),
        ("summarization", "short", "short"),
        ("automatic-speech-recognition", {"text": " hi "}, "hi"),
        ("object-detection", {"predicted": [{"label": "cat"}, {"label": "cat"}, {"label": "bus"}]}, "2 cats, 1 bus"),
        ("image-classification", [{"label": "dog", "score": 0.1}, {"label": "cat", "score": 0.9}], "cat"),
        ("visual-question-answering", [{"answer": "two", "score": 0.9}, {"answer": "one", "score": 0.1}], "two"),
        ("question-answering", [{"answer": "Paris", "score": 0.9}], "Paris"),
        ("sentence-similarity", 0.5, "0.50"),
        (
            "token-classification",
            [
                {"entity": "PER", "word": "Ada"},
                {"entity_group": "GPE", "word": "Rome"},
                {"entity": "PER", "word": "Ada"},
            ],
            "people: Ada; places: Rome",
        ),
    ],
)
def test_text_that_a_later_task_gets(task: str, raw: Any, text: str) -> None:
    result = TABLE[task].result
    assert result.to_text(result.parse(raw)) == text


def test_paths_get_jarvis_names() -> None:
    value = TABLE["text-to-image"].result.parse({"path": "/images/x.png"})
    assert value == {"generated image": "/images/x.png"}
    assert files_of(value) == ["/images/x.png"]
    assert files_of(TABLE["text-to-speech"].result.parse({"path": "/audios/x.wav"})) == ["/audios/x.wav"]


@pytest.mark.parametrize("task", TABLE.names)
@pytest.mark.parametrize("raw", [None, 7 + 2j, {}, {"error": "x"}, [{"foo": 1}], b"<html>"])
def test_anything_else_is_refused(task: str, raw: Any) -> None:
    with pytest.raises(ValueError):
        TABLE[task].result.parse(raw)


def test_readings_name_scores() -> None:
    result = TABLE["object-detection"].result
    assert result.describe(result.parse(SHAPES["object-detection"])) == "2 cats (90 %, 80 %)"
    assert result.describe({"predicted": []}) == "nothing recognised"


@pytest.mark.parametrize(
    ("one", "many"), [("cat", "cats"), ("person", "people"), ("bus", "buses"), ("couch", "couches"), ("sheep", "sheep")]
)
def test_plural(one: str, many: str) -> None:
    assert plural(one) == many
