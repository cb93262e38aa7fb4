"""Colours as codes, and the choice between two of them."""

from __future__ import annotations

import pytest
from PIL import Image

from hugginggpt.experts import colour_codes, round_things
from hugginggpt.experts.colours import likest
from hugginggpt.experts.picture_choices import read
from hugginggpt.experts.scene_questions import answer


def _halves(left: str, right: str) -> Image.Image:
    picture = Image.new("RGB", (100, 80), left)
    picture.paste(right, (70, 0, 100, 80))
    return picture


@pytest.mark.parametrize(
    "question", ["the main colours as hex codes", "which hex code is that?", "give me a palette", "RGB of it?"]
)
def test_codes_are_asked_for_in_many_words(question: str) -> None:
    assert colour_codes.asks(question)


def test_the_commonest_colours_are_told_as_codes() -> None:
    picture = _halves("#C82020", "#2040C8")
    assert colour_codes.words("the main colours in hex", picture) == "#C82020 (red), #2040C8 (blue)"
    assert colour_codes.words("the main colour in hex", picture) == "#C82020 (red)"
    assert colour_codes.words("the blue in it as hex and rgb", picture) == "#2040C8 (blue, RGB 32, 64, 200)"
    assert answer("what are the colours as hex codes?", picture, [])[0]["answer"].startswith("#C82020")


def test_one_of_two_colours_is_chosen() -> None:
    brick = Image.new("RGB", (60, 60), "#A84A2E")
    assert likest(brick, None, ["red", "blue"]) == ("red", 1.0)
    assert answer("is it red or blue?", brick, [])[0]["answer"] == "red, not blue"
    assert read("is the flower yellow or orange?") is None


def test_round_things_are_counted_by_their_outlines() -> None:
    from PIL import ImageDraw

    picture = Image.new("RGB", (600, 400), "#303030")
    pencil = ImageDraw.Draw(picture)
    for x in range(80, 600, 140):
        for y in (90, 220, 340):
            pencil.ellipse((x - 32, y - 32, x + 32, y + 32), fill="#B0A890")
    assert round_things.count(picture) == 12
    assert round_things.count(Image.new("RGB", (300, 300), "white")) is None
    assert round_things.are_named(["coins"]) and not round_things.are_named(["dogs"])
