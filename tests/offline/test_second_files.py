"""Of two pictures the one whose style is taken is told from the one that is painted."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import MissingInput
from hugginggpt.offline.planner import plan_offline
from hugginggpt.offline.responder import Request, ask_for
from tests.conftest import TABLE


def planned(request: str) -> list[tuple[str, dict[str, str]]]:
    return [(one["task"], one["args"]) for one in plan_offline(request, TABLE)]


@pytest.mark.parametrize(
    "request_text",
    [
        "paint me.jpg in the style of wave.png",
        "make me.jpg look like wave.png",
        "Apply the style of wave.png to my photo me.jpg",
        "Use wave.png's style on me.jpg",
        "style transfer: content me.jpg, style wave.png",
        "Here are me.jpg and wave.png. Paint the first in the style of the second.",
        "I'd love me.jpg painted like wave.png",
        "Restyle me.jpg after wave.png",
        "Combine the content of me.jpg with the style of wave.png",
    ],
)
def test_the_style_is_that_of_the_picture_that_the_words_name(request_text: str) -> None:
    assert planned(request_text) == [("style-transfer", {"image": "me.jpg", "style": "wave.png"})]


def test_what_was_painted_is_worked_on() -> None:
    assert planned("Paint me.jpg like wave.png and then make it greyscale") == [
        ("style-transfer", {"image": "me.jpg", "style": "wave.png"}),
        ("adjust-image", {"image": "<GENERATED>-0", "change": "greyscale"}),
    ]


@pytest.mark.parametrize(
    "request_text",
    ["Does me.jpg look like wave.png?", "Describe me.jpg in the style of Shakespeare", "make me.jpg look better"],
)
def test_other_styles_and_likenesses_are_no_painting(request_text: str) -> None:
    assert all(task != "style-transfer" for task, _ in planned(request_text))


def test_the_picture_for_the_style_is_asked_for() -> None:
    assert planned("paint me.jpg in the style of Klimt") == []
    asked = ask_for(MissingInput("image", "style-transfer", "style"), Request.read("", ()), TABLE)
    assert asked == "Name the file of the picture whose style is taken, or attach it."
