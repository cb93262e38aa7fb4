"""The colour of the sky, of clothes in the shade, and whether a picture is in colour."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from hugginggpt.experts import picture_choices, sky
from hugginggpt.experts.colours import is_evenly_lit
from hugginggpt.experts.scene_questions import answer
from tests.experts.test_experts import FILES


def test_the_sky_has_its_own_colour() -> None:
    with Image.open(FILES / "g.jpg") as castle:
        picture = castle.convert("RGB")
    assert sky.colours(picture) == ["blue"]
    assert answer("What colour is the sky?", picture, []) == [{"answer": "mostly blue"}]


def test_where_no_sky_is_seen_none_has_a_colour() -> None:
    with Image.open(FILES / "b.jpg") as giraffes:
        assert sky.colours(giraffes.convert("RGB")) == []


def test_grey_in_light_and_shade_is_no_colour_of_its_own() -> None:
    half = np.full((40, 40), 150, np.uint8)
    shaded = half.copy()
    shaded[:, 20:] = 60
    assert is_evenly_lit(Image.fromarray(half)) and not is_evenly_lit(Image.fromarray(shaded))


@pytest.mark.parametrize(
    ("text", "said"),
    [("Is it in colour?", "no, in black and white"), ("is this one in black and white", "yes, in black and white")],
)
def test_whether_a_picture_is_in_colour(text: str, said: str) -> None:
    grey = Image.new("L", (60, 40), 120).convert("RGB")
    assert picture_choices.answer(text, grey, []) == [{"answer": said}]
    assert picture_choices.read("is it red?") is None
