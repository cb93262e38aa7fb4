"""Questions that name what is to be chosen, and what the example pictures are of it."""

from __future__ import annotations

import pytest
from PIL import Image, ImageFilter

from hugginggpt.common.paths import ROOT
from hugginggpt.experts import captions, picture_choices
from hugginggpt.experts.objects import objects_in
from hugginggpt.experts.picture_choices import Choice
from hugginggpt.media.decoding import load_image

FILES = ROOT / "public" / "examples"


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("my uncle sent me this. is it a plane or a rocket or what", Choice("", ("plane", "rocket"))),
        ("What is this, an animal or a flower?", Choice("", ("animal", "flower"))),
        ("is it a dog, a cat or a fox?", Choice("", ("dog", "cat", "fox"))),
        ("Is it a colour photo or black and white?", Choice("colours", ("colour", "black and white"))),
        ("Was the original taken by day or at night?", Choice("light", ("day", "night"))),
        ("is this photo blurry?", Choice("sharpness", ("blurry",))),
        ("is there a cat or a dog", None),
        ("do you like cats or dogs", None),
        ("what day is it", None),
        ("is it black and white", None),  # a cow may be, too
        ("Is it cash or card?", None),
    ],
)
def test_what_a_question_leaves_to_choose(text: str, choice: Choice | None) -> None:
    assert picture_choices.read(text) == choice


def test_what_the_pixels_of_a_picture_tell() -> None:
    castle = load_image(FILES / "g.jpg")
    night = castle.point([value // 3 for value in range(256)] * 3)
    blurred = castle.filter(ImageFilter.GaussianBlur(12))
    grey = castle.convert("L").convert("RGB")

    def told(text: str, picture: Image.Image) -> str:
        return str(picture_choices.answer(text, picture, ())[0]["answer"])

    assert told("is it in colour or in black and white", castle) == "in colour"
    assert told("is it in colour or in black and white", grey) == "in black and white"
    assert told("is this photo in black and white?", castle) == "no, in colour"
    assert told("by day or by night, was it?", castle).startswith("by day")
    assert told("was it taken at day or night", night).startswith("at night or in the dark")
    assert told("is the photo sharp or blurry", castle) == "it is sharp"
    assert told("is the photo sharp or blurry", blurred) == "it is blurry"
    assert told("is it in landscape or portrait format", castle) == "it is wider than high, 960x640 pixels"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text", "answer"),
    [
        ("c.jpg", "is the bird a parrot or an eagle?", "it looks like a parrot"),
        ("d.jpg", "is it a dog, a cat or a fox?", "it looks like a cat"),
        ("e.jpg", "is it tea or coffee?", "it looks like coffee"),
        ("g.jpg", "Is it a castle or a church", "it looks like a castle"),
        ("g.jpg", "is it a cat or a racoon", "it does not look like a cat, so rather a racoon, which the classifier does not know"),
        ("b.jpg", "is it a truck or a bus", ""),  # neither
    ],
)  # fmt: skip
def test_the_likelier_kind_is_chosen(file: str, text: str, answer: str) -> None:
    picture = load_image(FILES / file)
    said = picture_choices.answer(text, picture, objects_in(picture))
    assert (said[0]["answer"] if said else "") == answer


def test_a_caption_leaves_out_what_is_doubtful() -> None:
    picture = Image.new("RGB", (200, 100), "green")

    def region(label: str, score: float, left: int = 0) -> dict[str, object]:
        return {"label": label, "score": score, "box": {"xmin": left, "ymin": 10, "xmax": left + 40, "ymax": 90}}

    def told(*regions: dict[str, object]) -> str:
        return captions.caption(picture, regions, None, None, "")

    assert told(region("cat", 0.8), region("dog", 0.35, 60)).startswith("A cat on the left.")
    assert told(region("cat", 0.8), region("cat", 0.6, 150)) == "Two cats, one on the left and one on the right."
    assert told(region("vase", 0.6), region("wine glass", 0.5, 1)).startswith("What looks like a vase or a wine glass.")
    assert told(region("bench", 0.35)).startswith("Perhaps a bench, but I am not sure.")
    assert told() == ""
