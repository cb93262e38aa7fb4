"""How long a reply may be: enough for what the request can need, and no more than a few times that."""

from __future__ import annotations

import json

import pytest

from benchmarks.shapes import SHAPES
from benchmarks.tokens import REQUESTS
from hugginggpt.common.paths import ROOT
from hugginggpt.llm.bounds import answer_tokens, choice_tokens, plan_tokens, text_tokens
from hugginggpt.llm.tokens import TokenCounter

COUNT = TokenCounter()


def bound(request: str, chat: str = "", max_tasks: int = 50) -> int:
    return plan_tokens([{"role": "user", "content": f"{chat}{request}"}], request, max_tasks, COUNT)


@pytest.mark.parametrize("shape", list(REQUESTS))
def test_a_plan_of_many_tasks_fits(shape: str) -> None:
    assert COUNT(json.dumps({"tasks": SHAPES[shape].plan("the sea")})) < bound(REQUESTS[shape])


def test_the_plans_of_the_pool_fit() -> None:
    """Of requests of every task and shape; those that speak of an earlier file have it in the chat."""
    lines = (ROOT / "demos" / "planning_pool.jsonl").read_text(encoding="utf-8").splitlines()
    for demo in map(json.loads, lines):
        written = COUNT(json.dumps({"tasks": demo["plan"]}))
        assert 1.2 * written < bound(demo["request"], json.dumps(demo.get("history", []))), demo["request"]


def test_a_short_request_has_a_low_bound() -> None:
    assert bound("How many giraffes are in a.jpg?") < 400
    assert bound("Count the dogs and the cats, then the birds, in a.jpg, b.jpg and c.jpg", max_tasks=5) < 600
    assert bound(f"Summarise: {'word ' * 1000}") > 2 * COUNT("word " * 1000)


def test_other_stages() -> None:
    assert choice_tokens([["a/b", "a/much-longer-name-of-a-model"]], COUNT) < 120
    assert choice_tokens([["a/b"]] * 20, COUNT) < 20 * 120
    assert 200 < answer_tokens("The detector found 2 giraffes in b.jpg.", COUNT) < 250
    assert answer_tokens("word " * 1000, COUNT) > 2 * COUNT("word " * 1000)
    assert text_tokens("word " * 1000, COUNT) > 2 * COUNT("word " * 1000)


def test_a_long_story_and_a_text_of_the_chat_in_a_plan_fit() -> None:
    assert text_tokens("Write a story of 3,000 words.", COUNT) > 1.5 * COUNT("word " * 3000)
    chat = "A letter to the mayor of our town. " * 200
    assert bound("Translate that into German", chat) > 300 + COUNT(chat)


@pytest.mark.timeout(10)
def test_a_long_word_takes_no_longer_than_others() -> None:
    """In quadratic time it would hold the whole server up for half a minute."""
    assert bound("x" * 100_000) > COUNT("x" * 100_000)
