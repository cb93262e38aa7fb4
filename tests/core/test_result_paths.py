"""Answers of other people's services, brought into our shapes by paths."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.core.result_paths import FIELDS, ResultMap, find
from hugginggpt.core.results import SCHEMAS

CHAT = {"choices": [{"message": {"content": "Hello."}}]}
BAIDU = {"result": [{"keyword": "cat", "score": "0.5"}, {"keyword": "dog", "score": 0.9}]}
OBJECTS = {"items": [{"n": 7, "at": {"left": 1.2, "top": 2, "w": 10, "h": 20}, "p": 0.5}]}
BOX = {"xmin": "at.left", "ymin": "at.top", "width": "at.w", "height": "at.h"}


@pytest.mark.parametrize(
    ("shape", "paths", "answer", "expected"),
    [
        ("text", "choices.0.message.content", CHAT, {"generated text": "Hello."}),
        ("text", {"text": "lines.*.words"}, {"lines": [{"words": "a"}, {"words": 1}]}, {"generated text": "a\n1"}),
        ("labels", {"rows": "result", "label": "keyword", "score": "score"}, BAIDU,
         [{"label": "dog", "score": 0.9}, {"label": "cat", "score": 0.5}]),
        ("boxes", {"rows": "items", "label": "n", "score": "p", "box": BOX}, OBJECTS,
         {"predicted": [{"label": "7", "box": {"xmin": 1, "ymin": 2, "xmax": 11, "ymax": 22}, "score": 0.5}]}),
        ("entities", {"word": "w", "start": "s"}, [{"w": "Rome", "s": "3"}],
         [{"entity_group": "", "word": "Rome", "start": 3}]),
        ("answer", {"answer": "a", "score": "s"}, {"a": 4, "s": 1}, {"answer": "4", "score": 1.0}),
        ("answer", "a", {"a": "four"}, {"answer": "four"}),
        ("answers", "choices.0.message.content", CHAT, [{"answer": "Hello."}]),
        ("scores", "s", {"s": ["0.5", 1]}, [0.5, 1.0]),
        ("scores", {"rows": "data", "score": "v"}, {"data": [{"v": 2}]}, [2.0]),
        ("classes", "c", {"c": [1, "b"]}, ["1", "b"]),
        ("filled", {"sequence": "t"}, [{"t": "a b"}], [{"sequence": "a b"}]),
        ("data", "items", {"items": [{"a": 1}]}, [{"a": 1}]),
        ("data", None, {"a": {"b": None}}, {"a": {"b": None}}),
        ("labels", None, [[{"label": "a", "score": 1}]], [{"label": "a", "score": 1}]),
    ],
)  # fmt: skip
def test_an_answer_in_the_shape(shape: str, paths: Any, answer: Any, expected: Any) -> None:
    mapped = ResultMap(SCHEMAS[shape], paths)
    assert list(mapped.mistakes()) == []
    raw = mapped.read(answer)
    value = SCHEMAS[shape].validate({"answer": raw} if shape == "answer" and isinstance(raw, str) else raw)
    assert value == expected


def test_files_are_left_to_who_can_save_them() -> None:
    assert ResultMap(SCHEMAS["image"], "data.0.b64").read({"data": [{"b64": "aGk="}]}) == "aGk="
    drawn = ResultMap(SCHEMAS["masks"], {"rows": "m", "label": "l", "mask": "png", "image": "all"})
    assert drawn.read({"all": "aGk=", "m": []}) == {"generated image": "aGk=", "predicted": []}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("error.message", "it has nothing at error.message: the answer has choices"),
        ("choices.1", "it has nothing at choices.1: choices is a list of 1"),
        ("choices.0.message.content.text", "it has nothing at choices.0.message.content.text: choices.0.message.content is a str"),
        ("choices.*.text", "it has nothing at choices.*.text: the answer has message"),
        ("*.text", "it has no list at its top (has choices)"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(path: str, said: str) -> None:
    with pytest.raises(LookupError) as error:
        find(CHAT, path)
    assert error.value.args[0] == said


@pytest.mark.parametrize(
    ("shape", "paths", "said"),
    [
        ("labels", {"rows": "result", "label": "keyword"}, "should say where score stands"),
        ("labels", {"label": "a", "score": "b", "box": "c"}, "box should be one of rows, label, score"),
        ("boxes", {"label": "a", "box": {"xmin": "a"}}, "box should have xmin, ymin, xmax, ymax, or xmin, ymin, width, height"),
        ("text", {"text": 5}, "text should be a path, such as choices.0.text"),
        ("text", {"rows": "a", "text": "b"}, "rows should be one of text"),
        ("image", {}, "should say where image stands"),
        ("scores", {}, "should say where score stands"),
    ],
)  # fmt: skip
def test_mistakes_in_paths(shape: str, paths: Any, said: str) -> None:
    assert said in list(ResultMap(SCHEMAS[shape], paths).mistakes())


def test_every_shape_has_fields() -> None:
    assert set(FIELDS) >= set(SCHEMAS)


@pytest.mark.parametrize(
    "answer", [{"result": 5}, {"result": [1]}, {"result": [{"keyword": "a", "score": "high"}]}, []]
)
def test_an_answer_that_does_not_fit_is_refused(answer: Any) -> None:
    with pytest.raises((ValueError, LookupError, TypeError)):
        ResultMap(SCHEMAS["labels"], {"rows": "result", "label": "keyword", "score": "score"}).read(answer)


def test_data_is_an_object_or_a_list_and_stays_as_it_is() -> None:
    assert SCHEMAS["data"].describe({"temperature": 21, "in": "Zürich"}) == '{"temperature": 21, "in": "Zürich"}'
    with pytest.raises(ValueError, match="no object or list"):
        SCHEMAS["data"].validate("21")
