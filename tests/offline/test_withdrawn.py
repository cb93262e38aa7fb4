"""What a request takes back is not done."""

from __future__ import annotations

import pytest

from hugginggpt.media.references import Resource, find_resources
from hugginggpt.media.types import kind_of
from hugginggpt.offline.conditions import parts
from hugginggpt.offline.planner import draft_plan
from hugginggpt.offline.withdrawn import left_standing
from tests.conftest import TABLE


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("rotate it - no wait, just make it black and white", "just make it black and white"),
        ("which is cheaper, the hotline... sorry, when is the hotline open?", "when is the hotline open?"),
        ("how many cats.. no wait, how many dogs are there?", "how many dogs are there?"),
        ("crop it, no, sorry, flip it please", "flip it please"),
        ("Is there a dog? No, I think it is a cat.", "Is there a dog? No, I think it is a cat."),
        ("I am sorry, how many dogs are there?", "I am sorry, how many dogs are there?"),
    ],
)
def test_what_is_taken_back_is_left_out(text: str, standing: str) -> None:
    kept = left_standing(parts(text, ()), text)
    assert text[kept[0].clause.start :].strip(" ,-") == standing


def test_only_the_sentence_before_is_taken_back() -> None:
    text = "Describe a.jpg. Then rotate it, no wait, flip it."
    kept = left_standing(parts(text, find_resources(text)), text)
    assert [text[part.clause.start : part.clause.end].strip(" .,") for part in kept] == ["Describe a.jpg", "flip it"]


@pytest.mark.parametrize(
    ("text", "file", "tasks"),
    [
        ("rotate it - no sorry, just make it black and white", "a.jpg", ["adjust-image"]),
        ("what does the guarantee cost... sorry, when is the hotline open?", "w.txt", ["question-answering"]),
    ],
)
def test_what_is_taken_back_is_not_planned(text: str, file: str, tasks: list[str]) -> None:
    assert [task["task"] for task in draft_plan(text, TABLE, resources=[Resource(file, kind_of(file))]).tasks] == tasks
