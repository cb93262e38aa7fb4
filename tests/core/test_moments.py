"""Results of single pictures of a video, put together, and what is said of them."""

from typing import Any

import pytest

from hugginggpt.core import moments
from hugginggpt.core.moments import Look
from hugginggpt.core.results import ANSWERS, BOXES, LABELS, TEXT, count_labels

BOX = {"xmin": 1, "ymin": 1, "xmax": 9, "ymax": 9}


def region(label: str, score: float = 0.9) -> dict[str, Any]:
    return {"label": label, "score": score, "box": BOX}


def test_regions_have_times_and_are_counted_at_most_at_a_time() -> None:
    dog, person = region("dog"), region("person")
    shown = [[dog], [dog, person, person], [person], [dog], [], [], [dog]]
    looks = [Look(float(at), {"predicted": rows}) for at, rows in enumerate(shown)]
    value = BOXES.validate(moments.put_together("boxes", looks, 7.0))
    assert [row["time"] for row in value["predicted"] if row["label"] == "dog"] == [0, 1, 3, 6]
    assert value["looked"] == {"times": [0, 1, 2, 3, 4, 5, 6], "seconds": 7.0}
    assert count_labels(value) == {"dog": 1, "person": 2}
    said = "up to 2 people at a time from 0:01 to 0:02, 1 dog from 0:00 to 0:03 and at 0:06"
    assert BOXES.describe(value) == said


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([0, 2], "from 0:00 to 0:02"),  # one look that missed it is bridged
        ([0, 3], "at 0:00 and at 0:03"),
        ([1], "at 0:01"),
        ([], ""),
    ],
)
def test_runs_of_times(times: list[float], words: str) -> None:
    assert moments.when(times, {"times": [0, 1, 2, 3], "seconds": 4}) == words


def test_texts_that_stay_the_same_are_told_once() -> None:
    parts = [("a car", "", "1 car"), ("a car, 52 %", "", "1 car"), ("a sign", "EXIT", ""), ("a sign", "EXIT", "")]
    values = [{"generated text": text, "text in the picture": read, "objects": seen} for text, read, seen in parts]
    value = TEXT.validate(moments.put_together("text", [Look(2.0 * at, one) for at, one in enumerate(values)], 8.0))
    assert value["generated text"] == "0:00 to 0:02: a car\n0:04 to 0:06: a sign"
    assert value["text in the picture"] == "EXIT"
    assert value["chunks"][1] == {"text": "a sign", "timestamp": [4.0, 6.0], "written": "EXIT"}
    assert TEXT.describe(value).endswith("a sign")


def test_answers_that_were_found_come_first() -> None:
    given = ["no", "It is red", "it is red", "I cannot tell"]
    looks = [Look(float(at), [{"answer": text, "score": 0.5 + at / 10}]) for at, text in enumerate(given)]
    value = ANSWERS.validate(moments.put_together("answers", [*looks, Look(4.0)], 5.0))
    assert value[0]["answer"] == "It is red"
    assert (value[0]["times"], value[0]["score"]) == ([1.0, 2.0], 0.7)
    assert ANSWERS.describe(value) == "It is red from 0:01 to 0:02"
    assert ANSWERS.describe(value[1:2]) == "no"


def test_labels_keep_the_best_score() -> None:
    looks = [Look(0.0, [{"label": "cat", "score": 0.4}]), Look(1.0, [{"label": "cat", "score": 0.8}])]
    value = LABELS.validate(moments.put_together("labels", looks, 2.0))
    assert LABELS.describe(value) == "cat (80 %) from 0:00 to 0:01"
