"""Questions for things by what they are for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from hugginggpt.experts import classifier, uses
from hugginggpt.experts.objects import _each_once


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("is there anything to drink in this picture?", "to drink"), ("what can I drink here", "to drink"),
        ("any food in this photo?", "to eat"), ("something I could eat?", "to eat"),
        ("Is there a place to sit?", "to sit on"), ("are there any toys?", "toys"),
        ("do you see any instruments", "instruments"), ("what is there to read", "to read"),
        ("how many drinks are there", None), ("is someone eating something", None), ("what do they drink?", None),
        ("what does the cat want to eat", None), ("which picture shows food", None), ("where can I sit?", None),
    ],
)  # fmt: skip
def test_what_things_are_for(question: str, called: str | None) -> None:
    use = uses.read(question)
    assert (use.words[0] if use else None) == called


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [("what's in the cup?", True), ("whats on the plate", True), ("what is in the picture", False), ("a cup?", False)],
)
def test_what_is_in_a_cup(question: str, is_asked: bool) -> None:
    assert uses.asks(question) is is_asked


def region(label: str, box: tuple[int, int, int, int], score: float = 0.6) -> dict[str, Any]:
    return {"label": label, "score": score, "box": dict(zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True))}


def looking(monkeypatch: pytest.MonkeyPatch, **names: float) -> None:
    """Lets the classifier see these classes in any picture."""
    seen = np.zeros(1000, np.float32)
    for name, share in names.items():
        seen[min(classifier.members(name))] = share
    monkeypatch.setattr(classifier, "probabilities", lambda picture: seen)


def test_detector_and_classifier_tell_together(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = Image.new("RGB", (100, 100))
    cup, cat = region("cup", (10, 10, 60, 60)), region("cat", (0, 0, 90, 90))
    looking(monkeypatch, castle=0.9)
    asked = "is there anything to drink?"
    assert uses.answer(asked, picture, [cup, cat])[0]["answer"] == "yes: a cup; what is in it I cannot see"
    assert uses.answer(asked, picture, [cat])[0] == {
        "answer": "I see nothing to drink in it, only a cat",
        "found": False,
    }
    assert not uses.answer("is there a cat?", picture, [cat])
    looking(monkeypatch, espresso=0.9)
    assert uses.answer(asked, picture, [cup])[0]["answer"] == "yes: a cup, and it looks most like an espresso"
    assert uses.answer("what is in the cup", picture, [cup])[0]["answer"] == "it looks most like an espresso"


def test_a_second_box_of_one_thing_is_dropped() -> None:
    cup, saucer, cat, kitten = (
        region("cup", (20, 20, 60, 60)), region("cup", (10, 18, 70, 75), 0.5), region("cat", (0, 0, 99, 99)),
        region("cat", (10, 10, 70, 70)),
    )  # fmt: skip
    assert _each_once([cup, saucer, cat, kitten]) == [cup, cat, kitten]
    assert _each_once([saucer, {**cup, "score": 0.4}]) == [saucer]
    small = region("cup", (20, 20, 30, 30))
    assert _each_once([saucer, small]) == [saucer, small]
    left, right = region("bottle", (0, 0, 40, 90)), region("bottle", (50, 0, 90, 90))
    assert _each_once([region("bottle", (0, 0, 92, 92), 0.9), left, right]) == [left, right]
