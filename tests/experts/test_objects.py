"""What becomes of the detector's boxes when the classifier has looked at them; no model is loaded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from hugginggpt.answers.evidence import Evidence, count
from hugginggpt.core.questions import Objects
from hugginggpt.experts import classifier, coco, objects

PICTURE = Image.new("RGB", (400, 300))


def region(label: str, score: float, left: int = 0) -> dict[str, Any]:
    return {"label": label, "score": score, "box": {"xmin": left, "ymin": 0, "xmax": left + 100, "ymax": 100}}


def seen(monkeypatch: pytest.MonkeyPatch, looks: dict[str, float], *regions: dict[str, Any]) -> list[tuple[str, float]]:
    """The labels and scores that are left of the detector's regions, all of which look the same to the classifier."""
    probable = np.zeros(1000, np.float32)
    for name, share in looks.items():
        probable[classifier.names().index(name)] = share
    monkeypatch.setattr(objects, "detect_in", lambda picture, score: list(regions))
    monkeypatch.setattr(classifier, "probabilities", lambda picture: probable)
    return [(one["label"], one["score"]) for one in objects.objects_in(PICTURE)]


def test_a_label_on_which_both_agree_is_surer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seen(monkeypatch, {"hen": 0.9}, region("bird", 0.4)) == [("bird", 0.65)]


def test_a_label_that_the_classifier_denies_is_replaced_or_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seen(monkeypatch, {"gorilla": 0.96}, region("bear", 0.6)) == [("gorilla", 0.78)]
    assert seen(monkeypatch, {"hen": 0.96}, region("horse", 0.5)) == [("bird", 0.73)]
    assert seen(monkeypatch, {"hen": 0.96}, region("bird", 0.6), region("horse", 0.5)) == [("bird", 0.78)]
    assert seen(monkeypatch, {"pig": 0.5, "wild boar": 0.45}, region("dog", 0.6)) == [("animal", 0.6)]
    assert seen(monkeypatch, {"pig": 0.5, "wild boar": 0.45}, region("dog", 0.4), region("cup", 0.9, 200)) == [
        ("cup", 0.9)
    ]


def test_a_doubtful_look_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seen(monkeypatch, {"castle": 0.9}, region("horse", 0.6)) == [("horse", 0.6)]
    assert seen(monkeypatch, {"gorilla": 0.9}, region("giraffe", 0.6)) == [("giraffe", 0.6)]


def test_an_animal_that_the_detector_does_not_know_counts_as_one() -> None:
    value = {"predicted": [{**region("gorilla", 0.8), "kind": "animal"}, region("cup", 0.9)]}
    source = Evidence(0, "/a.jpg", "a.jpg", "boxes", value)
    assert count(Objects("animals", coco.group("animal")), source).number == 1
    assert count(Objects("cats", ("cat",)), source).number == 0
    assert count(Objects("objects", everything=True, excluded=coco.group("animal")), source).number == 1
