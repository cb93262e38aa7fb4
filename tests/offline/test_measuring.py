"""Questions for what is measured of files, and words that refer to a file by it."""

from __future__ import annotations

import pytest

from hugginggpt.answers.evidence import Evidence
from hugginggpt.answers.findings import answer
from hugginggpt.core.conversation import PastTask, Turn
from hugginggpt.core.measures import MEASURES, measure
from hugginggpt.core.questions import Objects, Question
from hugginggpt.offline.measuring import Asked, read, row_for
from hugginggpt.offline.memory import remember
from tests.conftest import TABLE
from tests.offline.test_operations import drafted


@pytest.mark.parametrize(
    ("text", "kind", "name", "relation"),
    [
        ("which of the two is sharper?", "image", "sharpness", ">"),
        ("which photo is the blurriest", "image", "sharpness", "<"),
        ("are they the same size?", "image", "pixels", "=="),
        ("which file takes up less space?", "image", "bytes", "<"),
        ("how long is it?", "video", "seconds", None),
        ("how many pixels wide is the smaller one?", "image", "pixels", None),
        ("does the clip have any sound?", "video", "sound", None),
        ("which recording is the quieter one", "audio", "loudness", "<"),
    ],
)
def test_questions_for_measures_are_read(text: str, kind: str, name: str, relation: str | None) -> None:
    asked = read(text, kind)  # type: ignore[arg-type]
    assert asked == Asked(measure(name), relation)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("which giraffe is taller?", "image"),
        ("make it brighter", "image"),
        ("how long is it?", "image"),
        ("is there a long queue?", "image"),
        ("how loud is it in the first 10 seconds", "audio"),
    ],
)
def test_other_questions_are_left_to_others(text: str, kind: str) -> None:
    assert read(text, kind) is None  # type: ignore[arg-type]


def test_a_task_measures_each_of_them() -> None:
    for one in MEASURES:
        assert all(row_for(one, kind, TABLE) for kind in one.kinds if (one.name, kind) != ("loudness", "video"))


def _asked(name: str, relation: str | None, *values: dict[str, object]) -> str:
    given = [Evidence(at, f"{at}.jpg", f"{at}.jpg", "answer", value) for at, value in enumerate(values)]
    question = Question("measure", (Objects(name),), tuple(range(len(given))), relation=relation)  # type: ignore[arg-type]
    found = answer(question, given)
    assert found is not None
    return found.reading


def test_files_are_compared_by_their_numbers() -> None:
    large, small = ({"pixels": 200, "width": 20, "height": 10}, {"pixels": 50, "width": 10, "height": 5})
    assert _asked("pixels", ">", small, large) == "1.jpg is larger: 20x10 pixels; 0.jpg: 10x5 pixels."
    assert _asked("pixels", "==", small, large).startswith("No: ")
    assert _asked("pixels", "==", large, large).startswith("Yes: ")
    assert "cannot tell" in _asked("brightness", ">", {"brightness": 50.0}, {"brightness": 50.5})
    assert "cannot tell" in _asked("brightness", ">", {"brightness": 50.0}, {})
    assert _asked("sound", None, {"sound": False}) == "No: 0.jpg has no sound."


def test_a_file_is_called_by_what_was_measured_and_by_what_was_made_of_it() -> None:
    looked = [
        PastTask(at, "measure-image", {"image": name}, {"answer": "", "brightness": bright}, form="answer")
        for at, (name, bright) in enumerate((("a.jpg", 20.0), ("b.jpg", 60.0)))
    ]
    turns = [Turn("which is brighter, a.jpg or b.jpg?", run_id="1", tasks=tuple(looked))]
    memory = remember(turns, TABLE)
    assert memory.files("image", "lighten the dark one") == ["a.jpg"]
    made = PastTask(0, "flip-image", {"image": "b.jpg"}, {"generated image": "/images/x.jpg"}, form="image")
    memory = remember([*turns, Turn("mirror b.jpg", run_id="2", tasks=(made,))], TABLE)
    for words, file in (("make the new one grey", "/images/x.jpg"), ("the original in grey", "b.jpg")):
        found = memory.referent(words)
        assert found is not None and found.text == file and found.has_place


def test_the_size_of_the_pictures_of_a_video_is_measured_of_it() -> None:
    draft = drafted("how long is this clip and what size is the picture", "a.mp4")
    assert [(task["task"], task["args"]) for task in draft.tasks] == [("measure-video", {"video": "a.mp4"})]
    assert [(one.objects[0].words, one.tasks) for one in draft.questions] == [("seconds", (0,)), ("pixels", (0,))]


def test_two_people_in_one_picture_are_no_files_to_be_compared() -> None:
    (task,) = drafted("which one is taller?", "a.jpg").tasks
    assert task["task"] == "visual-question-answering"
    assert [task["task"] for task in drafted("which one is larger?", "a.jpg", "b.jpg").tasks] == ["measure-image"] * 2
