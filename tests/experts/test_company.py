"""Whether somebody in a picture is alone."""

from __future__ import annotations

import pytest

from hugginggpt.experts.company import answer, asks

ONE = [{"label": "person", "score": 0.9, "box": {}}]
TWO = [*ONE, {"label": "person", "score": 0.8, "box": {}}]


@pytest.mark.parametrize(
    ("text", "regions", "said"),
    [
        ("Is he alone?", ONE, "yes, one person is in the picture"),
        ("is she on her own", TWO, "no, two people are in the picture"),
        ("is anyone else with him", ONE, "no, one person is in the picture"),
        ("are there other people?", TWO, "yes, two people are in the picture"),
        ("Is he alone, or is anyone else with him?", ONE, "yes, one person is in the picture"),
    ],
)
def test_people_are_alone_or_not(text: str, regions: list[dict[str, object]], said: str) -> None:
    assert answer(text, regions) == [{"answer": said}]


def test_other_questions_are_left() -> None:
    assert not asks("is it big") and not asks("who else is there")
    assert not asks("is the dog alone in the garden?")
    assert answer("Is he alone?", []) == []
