"""What is read as a question for a kind, and what the classifier's probabilities are called; no model is loaded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from hugginggpt.experts import classifier, kind_questions, object_questions, vision
from hugginggpt.experts.kind_questions import KindQuestion


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("what kind of bird is it?", KindQuestion("bird")),
        ("Can you tell me the breed of the puppy?", KindQuestion("dog")),
        ("which species is this", KindQuestion("")),
        ("Which animal is that on my sofa?", KindQuestion("animal")),
        ("what's that?", KindQuestion("")),
        ("is this a castle?", KindQuestion(names=("castle",))),
        ("is it a lighthouse or a church?", KindQuestion(names=("lighthouse", "church"))),
        ("is the castle old?", None),
        ("what kind of person is she?", None),  # no class
        ("what make of car is it?", None),
        ("is this a forgery?", None),
        ("which animals are there?", None),  # the detector lists them
        ("what is it made of?", None),
        ("Which flower is this?", None),  # ImageNet knows two
    ],
)
def test_a_question_for_a_kind(text: str, asked: KindQuestion | None) -> None:
    assert kind_questions.read(text, object_questions.read(text)) == asked


def probable(**shares: float) -> np.ndarray:
    """Probabilities with a share for each class named, the rest spread over all."""
    rest = 1 - sum(shares.values())
    made = np.full(1000, rest / 1000, np.float32)
    for name, share in shares.items():
        made[classifier.names().index(name.replace("_", " "))] += share
    return made


def test_a_sure_class_is_named_and_else_its_group() -> None:
    assert classifier.look(probable(lorikeet=0.9)) == classifier.Look("lorikeet", pytest.approx(0.9, abs=0.01))
    seen = classifier.look(probable(lorikeet=0.5, macaw=0.4))
    assert seen and seen.words == "a parrot"
    assert classifier.look(probable(lorikeet=0.3, castle=0.3)) is None
    assert classifier.look(probable(castle=0.9), "bird") is None


def test_classes_that_photographs_hardly_tell_apart_have_one_name() -> None:
    tabby = np.zeros(1000, np.float32)
    tabby[[281, 282, 285]] = 0.3
    assert classifier.look(tabby) == classifier.Look("tabby cat", pytest.approx(0.9))


def test_every_class_of_a_group_exists_and_every_class_is_in_one_line() -> None:
    assert len(classifier.names()) == 1000
    assert all(0 <= at < 1000 for members in classifier.groups().values() for at in members)
    assert classifier.probability(probable(castle=0.8), "castle") == pytest.approx(0.8, abs=0.01)
    assert classifier.probability(probable(), "forgery") is None


def test_the_middle_of_a_narrow_picture_is_cut_out_before_it_is_scaled() -> None:
    strip = Image.new("RGB", (1_000_000, 1), "red")
    assert _colours(vision.scaled(strip, 224, classifier._middle(strip))) == {(255, 0, 0)}
    assert _colours(vision.scaled(strip, 224)) == {(255, 0, 0)}
    framed = Image.new("RGB", (512, 256), "red")
    framed.paste("blue", (144, 16, 368, 240))
    assert _colours(vision.scaled(framed, 224, classifier._middle(framed))) == {(0, 0, 255)}


def _colours(pixels: np.ndarray[Any, Any]) -> set[tuple[int, ...]]:
    assert pixels.shape == (224, 224, 3)
    return set(map(tuple, pixels.reshape(-1, 3).tolist()))


@pytest.mark.parametrize("size", [(60, 40), (224, 224), (300, 700), (1_500, 900), (5, 3_000)])
def test_a_picture_is_scaled_as_by_the_mean_of_the_pixels_that_it_covers(size: tuple[int, int]) -> None:
    rows = np.add.outer(np.linspace(0, 120, size[1]), np.linspace(0, 120, size[0])).astype(np.uint8)
    picture = Image.fromarray(rows).convert("RGB")
    wanted = np.asarray(picture.resize((224, 224), Image.Resampling.BILINEAR), int)
    assert np.abs(vision.scaled(picture, 224) - wanted).mean() < 1


def test_a_group_is_named_from_a_lower_share_than_a_kind() -> None:
    assert classifier.MIN_BEYOND_CHANCE < 0.7 < classifier.MIN_SURE
    assert classifier.look(probable(jacamar=0.7)) == classifier.Look("bird", pytest.approx(0.72, abs=0.02))
