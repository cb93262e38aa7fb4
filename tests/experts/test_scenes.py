"""Colours, places and sizes, on pictures that are drawn for it: a red car on the left, a white dog on the right."""

from __future__ import annotations

from typing import Any

import pytest
from PIL import Image, ImageDraw

from hugginggpt.experts import scene_questions, scenes
from hugginggpt.experts.colours import around, colours_of
from hugginggpt.experts.scenes import Thing, joined

SIZE = (400, 200)
CAR, DOG, SMALL_DOG = (20, 60, 180, 140), (250, 80, 330, 160), (360, 10, 390, 30)


def region(label: str, sides: tuple[int, int, int, int]) -> dict[str, Any]:
    return {"label": label, "score": 0.9, "box": dict(zip(("xmin", "ymin", "xmax", "ymax"), sides, strict=True))}


REGIONS = [region("car", CAR), region("dog", DOG)]
TWO_DOGS = [*REGIONS, region("dog", SMALL_DOG)]


@pytest.fixture(scope="module")
def picture() -> Image.Image:
    picture = Image.new("RGB", SIZE, (40, 140, 50))
    draw = ImageDraw.Draw(picture)
    for sides, colour in ((CAR, (200, 20, 30)), (DOG, (250, 250, 250)), (SMALL_DOG, (15, 15, 15))):
        draw.ellipse(sides, fill=colour)
    return picture


@pytest.mark.parametrize(
    ("rgb", "name"),
    [
        ((15, 15, 15), "black"), ((128, 128, 128), "grey"), ((250, 250, 250), "white"), ((200, 20, 30), "red"),
        ((255, 140, 0), "orange"), ((110, 70, 40), "brown"), ((225, 205, 170), "beige"), ((250, 220, 30), "yellow"),
        ((40, 140, 50), "green"), ((30, 60, 200), "blue"), ((135, 206, 235), "blue"), ((120, 30, 150), "purple"),
        ((255, 150, 190), "pink"), ((110, 10, 20), "red"), ((110, 110, 30), "green"),
    ],
)  # fmt: skip
def test_colours_have_their_names(rgb: tuple[int, int, int], name: str) -> None:
    assert colours_of(Image.new("RGB", (8, 8), rgb)) == [(name, 1.0)]


def test_it_is_the_main_thing_in_a_picture(picture: Image.Image) -> None:
    car = REGIONS[:1]
    assert scene_questions.answer("what colour is it?", picture, car)[0]["answer"] == "the car is mostly red"
    assert "as a whole" in scene_questions.answer("what colour is it?", picture, REGIONS)[0]["answer"]
    assert "as a whole" in scene_questions.answer("what colours are in the picture?", picture, car)[0]["answer"]
    table = Thing("dining table", 0.9, 0.0, 0.0, 1.0, 1.0)
    assert scenes.main_thing([table, Thing("cup", 0.9, 0.2, 0.2, 0.7, 0.7)]) == 1
    assert scenes.main_thing([Thing("cup", 0.9, 0.2, 0.2, 0.4, 0.4)]) is None


def test_the_colour_of_an_object_is_not_that_of_what_is_around_it(picture: Image.Image) -> None:
    assert [name for name, _ in colours_of(picture, REGIONS[0]["box"])] == ["red"]
    assert around(picture, [one["box"] for one in TWO_DOGS]) == [("green", 1.0)]
    assert colours_of(picture)[0][0] == "green"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What colour is the car?", "mostly red"),
        ("Is the dog white?", "yes, mostly white"),
        ("is the car blue?", "rather not, mostly red"),
        ("What is the colour of the background?", "the background is mostly green"),
        ("Where is the dog?", "on the right of the picture"),
        ("What is left of the dog?", "the car"),
        (
            "What's to the right of the dog?",
            f"nothing that was found is to the right of the dog; {scene_questions.MISSED}",
        ),
        ("Which colour is it mainly?", "the picture as a whole is mostly green"),
        ("Is the dog to the right of the car?", "yes, as the picture shows them"),
        ("Is the dog left of the car?", "no, as the picture shows them"),
        ("What is on the left?", "the car"),
        ("Is the dog on the left?", "no: on the right"),
        ("Is the car on the left or on the right?", "on the left"),
        ("Is there a car in the middle?", "no: on the left"),
        ("Which is bigger, the dog or the car?", "in the picture, the car"),
        ("What is the largest object?", "of what was found, the car on the left of the picture, 16 % of it"),
        ("Where is the cat?", "no cat was found in the picture"),
    ],
)
def test_questions_are_answered_from_detections(picture: Image.Image, question: str, answer: str) -> None:
    assert scene_questions.answer(question, picture, REGIONS)[0]["answer"] == answer


def test_things_of_a_kind_are_told_apart_by_their_places(picture: Image.Image) -> None:
    (said,) = scene_questions.answer("What colour are the dogs?", picture, TWO_DOGS)
    assert said["answer"] == "the dog on the right: mostly white; the dog at the top right: mostly black"
    (said,) = scene_questions.answer("Which dog is smaller?", picture, TWO_DOGS)
    assert said["answer"] == "in the picture, the dog at the top right"
    (said,) = scene_questions.answer("Which dog is on the left?", picture, TWO_DOGS)
    assert said["answer"] == "in the picture, the dog on the right"
    (said,) = scene_questions.answer("How many dogs are at the top?", picture, TWO_DOGS)
    assert said["answer"] == "1 of the 2 that were found"


def test_what_is_in_the_middle_of_a_picture_may_have_another_colour() -> None:
    picture = Image.new("RGB", (200, 150), (20, 90, 60))
    ImageDraw.Draw(picture).ellipse((65, 40, 135, 110), fill=(255, 140, 0))
    (said,) = scene_questions.answer("Which colour is it?", picture, [])
    assert said["answer"] == "mostly orange, with green around it"
    (said,) = scene_questions.answer("Which colour has the picture mainly?", picture, [])
    assert said["answer"] == "the picture as a whole is mostly green, its middle mostly orange"


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("What is the woman wearing?", "which clothes somebody wears"),
        ("Is she wearing a hat?", "which clothes somebody wears"),
        ("What is the dog doing?", "what someone is doing"),
        ("Is she smiling?", "what a face shows, such as a smile"),
        ("Who is in this picture?", "who somebody is"),
        ("How old is he?", "how old somebody or something is"),
        ("Are they standing in front of water?", "the surroundings, such as water or trees"),
        ("What is in the background?", "what is in the background"),
        ("Is the sky black?", "the surroundings, such as water or trees"),
        ("What is in front of the car?", "how near or far things are"),
        ("What colour is the flag?", "where “flag” is, or what it looks like"),
        ("Why?", ""),
    ],
)
def test_what_no_detector_can_judge_is_named(picture: Image.Image, question: str, what: str) -> None:
    assert not scene_questions.answer(question, picture, REGIONS)
    assert scene_questions.refused(question) == what


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the dog left or right of the car?", "to the right of the car"),
        ("is the car to the left or to the right of the dog", "to the left of the dog"),
        ("Is the spoon left or right of the car?",
         "the car is on the left of the picture, but I do not see the spoon, though it may be there: it is often missed"),
        ("Is the bus left or right of the cat?", "I see neither the cat nor the bus in the picture"),
        ("What colour is the blanket that the dog is lying on?",
         "mostly green, going by what is around the dog"),
    ],
)  # fmt: skip
def test_where_one_of_two_is_missing_the_other_is_told(picture: Image.Image, question: str, answer: str) -> None:
    (said,) = scene_questions.answer(question, picture, REGIONS)
    assert said["answer"] == answer


def test_of_two_of_a_kind_the_taller_one_is_told(picture: Image.Image) -> None:
    (said,) = scene_questions.answer("which one is taller, the left or the right one?", picture, TWO_DOGS)
    assert said["answer"] == "in the picture, the dog on the right"


def test_the_upper_body_has_a_colour() -> None:
    picture = Image.new("RGB", (200, 300), (240, 240, 240))
    ImageDraw.Draw(picture).rectangle((60, 100, 140, 200), fill=(255, 140, 0))
    unseen = (0.0, 0.0, 0.0)
    shoulders, hips = [(60.0, 100.0, 0.9), (140.0, 102.0, 0.9)], [(70.0, 200.0, 0.9), (130.0, 200.0, 0.9)]
    points = [*[unseen] * 5, *shoulders, *[unseen] * 4, *hips, *[unseen] * 4]
    assert scenes.upper_body_colours(picture, points) == "orange"
    assert scenes.upper_body_colours(picture, [unseen] * 17) == ""


def test_what_a_thing_lies_on_is_not_beside_it() -> None:
    table, cup = Thing("dining table", 0.8, 0.0, 0.1, 1.0, 1.0), Thing("cup", 0.8, 0.4, 0.2, 0.6, 0.5)
    assert not table.is_at(cup, "near") and not table.is_at(cup, "left")
    assert cup.is_at(table, "on") and not table.is_at(cup, "on")
    assert table.whereabouts == "over most of the picture"
    assert joined(["a", "b", "a", "c"]) == "a, b and c"
