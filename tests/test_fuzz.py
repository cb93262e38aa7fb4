"""Whatever a language model writes, whole or in pieces: a plan or a ModelOutputError, in time that grows with its length."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hugginggpt.core.errors import ModelOutputError
from hugginggpt.core.lenient_json import MAX_PLAIN_DEPTH, NotJSON, read_json
from hugginggpt.core.plan import Plan, Task
from hugginggpt.offline.clauses import split
from hugginggpt.stages.streamed_plan import StreamingPlanParser, _Objects
from tests.conftest import TABLE, parse_plan

FRAGMENTS = st.sampled_from(
    ["[", "]", "{", "}", '"', "'", "\\", ":", ",", " ", "\n", "\0", "é", "\ud7ff", "0", "-1", "1e999", "null", "NaN", "//", "```json",
     '"task":', '"id":', '"dep":', '"args":', '"image-to-text"', '"text-to-speech"', '"image":', '"text":', '"a.jpg"', "<GENERATED>-0",
     "<resource>-1", '{"task": "image-to-text", "id": 0, "dep": [-1], "args": {"image": "a.jpg"}}', "\\u12", "\\ud800", '{"tasks": [']
)  # fmt: skip
WRITTEN = st.one_of(st.text(max_size=60), st.lists(st.one_of(FRAGMENTS, st.text(max_size=3)), max_size=40).map("".join))


@given(WRITTEN)
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_plan_or_a_model_output_error(text: str) -> None:
    try:
        plan = parse_plan(text)
    except ModelOutputError:
        return
    assert isinstance(plan, Plan)
    assert len({task.id for task in plan}) == len(plan)


@given(WRITTEN, st.integers(0, 2**32))
@settings(max_examples=200, deadline=None)
def test_the_objects_that_are_read_early_do_not_depend_on_the_cuts(text: str, seed: int) -> None:
    cuts, at, pieces = random.Random(seed), 0, []
    while at < len(text):
        at += (step := cuts.randint(1, 9))
        pieces.append(text[at - step : at])
    cut, by_char, at_once = _Objects(), _Objects(), _Objects()
    read = [item for piece in pieces for item in cut.feed(piece)]
    assert repr(read) == repr([item for char in text for item in by_char.feed(char)])
    assert repr(read) == repr(list(at_once.feed(text)))
    in_pieces(pieces)


def in_pieces(pieces: list[str]) -> list[Task]:
    early = StreamingPlanParser(TABLE, 50)
    return [task for piece in pieces for task in early.feed(piece)]


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 5_000 + "]" * 5_000])
def test_deep_nesting_is_an_error_that_is_no_bug(text: str) -> None:
    with pytest.raises(ModelOutputError):
        parse_plan(text)
    with pytest.raises(ValueError):
        read_json(text)
    assert in_pieces([f'[{{"task": {text}}}, {{"task": "x"}}]']) == []


def test_how_deep_plain_json_may_be_is_the_same_for_each_python() -> None:
    for opening, closing in ("[", "]"), ('{"a":', "}"), ('[{"a":', "}]"):
        times = MAX_PLAIN_DEPTH // len(closing)
        text = opening * times + "1" + closing * times
        assert read_json(text) == read_json(text.encode()) == json.loads(text)
        with pytest.raises(NotJSON, match="nested too deeply"):
            read_json(f"[{text}]")
    assert len(read_json("[" + "[]," * 1000 + "[]]")) == 1001


def whole(text: str) -> None:
    try:
        parse_plan(text)
    except ModelOutputError:
        pass


def early(text: str) -> None:
    given = StreamingPlanParser(TABLE, 50)
    for at in range(0, len(text), 5):
        given.feed(text[at : at + 5])


def clauses(text: str) -> None:
    split(text, ())


@pytest.mark.parametrize("read", [whole, early, clauses])
@pytest.mark.parametrize(
    "piece",
    ["[", "]", "{}", '"', "\\", "[]", " ", ", ", "x", '{"task":"ocr"},', '{"task":"ocr","id":0,"args":{"image":"<GENERATED>-0"}},',
     '[{"task":"ocr","args":{"image":"'],
)  # fmt: skip
@pytest.mark.slow
@pytest.mark.parametrize("start", ["", '[{"task":"ocr","args":{"image":"'])
def test_time_grows_with_the_length(read: Callable[[str], None], piece: str, start: str) -> None:
    """Four times the length may take four times as long; ten leaves room for a noisy machine, sixteen is quadratic."""

    def seconds(length: int) -> float:
        text, best = start + piece * (length // len(piece)), 1e9
        for _ in range(3):
            begin = time.process_time()
            read(text)
            best = min(best, time.process_time() - begin)
        return best

    assert seconds(32_000) < 10 * max(seconds(8_000), 0.002)
