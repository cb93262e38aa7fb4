"""What the pictures of a video show: what is planned, and what is answered."""

from typing import Any

import pytest

from hugginggpt.answers.evidence import Evidence
from hugginggpt.answers.findings import answer
from hugginggpt.core.conversation import PastTask, Turn
from hugginggpt.core.questions import Objects, Question
from hugginggpt.media.references import Resource
from hugginggpt.offline.moving import when_of
from hugginggpt.offline.planner import draft_plan
from tests.conftest import TABLE, plan_offline

CLIP = "clip.mp4"


def drafted(request: str) -> tuple[list[tuple[str, Any]], list[tuple[str, list[str]]]]:
    """The tasks for a request with a clip, each with its file, and the questions about their results."""
    draft = draft_plan(request, TABLE, resources=[Resource(CLIP, "video")])
    tasks = [(task["task"], task["args"].get("image") or task["args"].get("audio")) for task in draft.tasks]
    return tasks, [(one.operation, [objects.words for objects in one.objects]) for one in draft.questions]


@pytest.mark.parametrize(
    ("request_text", "task", "question"),
    [
        ("what is in this clip?", "image-to-text", None),
        ("describe the film", "image-to-text", None),
        ("when does the dog appear?", "object-detection", ("when", ["dog"])),
        ("at what point does a giraffe show up", "object-detection", ("when", ["giraffe"])),
        ("is there any text in the video, and when?", "image-to-text", ("written", ["text"])),
        ("what does the sign in the film say?", "image-to-text", ("written", ["text"])),
        ("how many people are there at most at a time?", "object-detection", ("count", ["people"])),
        ("is there a cat in the footage", "object-detection", ("exists", ["cat"])),
        ("are there more cats than dogs in the video?", "object-detection", ("more", ["cats", "dogs"])),
        ("what colour is the car?", "visual-question-answering", None),
        ("what kind of bird is it?", "image-classification", None),
        ("what is said in the clip?", "automatic-speech-recognition", None),
        ("what does the man say?", "automatic-speech-recognition", None),
    ],
)
def test_what_is_seen_and_what_is_heard(request_text: str, task: str, question: tuple[str, list[str]] | None) -> None:
    tasks, questions = drafted(request_text)
    assert tasks == [(task, CLIP)]
    assert questions == ([question] if question else [])


def test_pictures_and_sound_of_one_video() -> None:
    tasks, _ = drafted("transcribe the clip and tell me what is seen in it")
    assert tasks == [("automatic-speech-recognition", CLIP), ("image-to-text", CLIP)]
    assert [task["args"]["image"] for task in plan_offline("describe a.jpg and clip.mp4")] == ["a.jpg", "clip.mp4"]


def test_what_was_described_or_heard_of_a_video_is_no_text_in_its_place() -> None:
    file = "/examples/clip.mp4"
    told = "0:00 to 0:04: a picture with 2 dogs (on the left), mostly green and brown, looked at closely"
    seen = {"generated text": told, "chunks": [{"text": "2 dogs"}]}
    described = PastTask(0, "image-to-text", {"image": file}, seen, form="text")
    turns = [Turn(f"what is in {file}", "…", tasks=(described,))]
    assert [task["task"] for task in plan_offline("what does the man say", turns)] == ["automatic-speech-recognition"]
    said = {"generated text": "We go by bus and come back by train in the evening."}
    heard = PastTask(0, "automatic-speech-recognition", {"audio": file}, said, form="text")
    turns = [Turn(f"what does he say in {file}", "…", tasks=(heard,))]
    assert [task["task"] for task in plan_offline("a gif of the first 2 seconds", turns)] == ["video-to-gif"]


def test_a_question_without_a_file_is_about_the_video_of_the_conversation() -> None:
    turns = [Turn("Describe /examples/clip.mp4", "…")]
    (task,) = plan_offline("Who is the man on the left?", turns)
    assert (task["task"], task["args"]["image"]) == ("visual-question-answering", "/examples/clip.mp4")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("when does the dog appear in clip.mp4", "is there a dog in the picture?"),
        ("When can you see people?", "are there any people in the picture?"),
        ("from which second is an elephant visible", "is there an elephant in the picture?"),
        ("tell me when the bus is seen", "is there a bus in the picture?"),
        ("how many dogs are there", ""),
    ],
)
def test_a_question_for_times(text: str, asked: str) -> None:
    assert when_of(text) == asked


BOX = {"xmin": 0, "ymin": 0, "xmax": 5, "ymax": 5}
SEEN = {
    "predicted": [
        {"label": label, "score": 0.9, "box": BOX, "time": time}
        for label, times in {"dog": [4, 5, 6], "person": [0, 0, 1]}.items()
        for time in times
    ],
    "looked": {"times": [0, 1, 2, 3, 4, 5, 6], "seconds": 7.0},
}
DOG, CAT = Objects("dog", ("dog",)), Objects("cat", ("cat",))


@pytest.mark.parametrize(
    ("operation", "objects", "value", "said"),
    [
        ("when", DOG, ("from 0:04 to 0:06",),
         "The detector found 1 dog in clip.mp4 from 0:04 to 0:06."),
        ("when", CAT, (), "The detector found no cats in clip.mp4."),
        ("exists", DOG, True, "Yes: the detector found 1 dog in clip.mp4 from 0:04 to 0:06."),
        ("count", Objects("people", ("person",)), 2,
         "The detector found 2 people in clip.mp4, at most at a time, from 0:00 to 0:01."),
        ("list", Objects("what", everything=True), ("person", "dog"),
         "The detector found in clip.mp4: 2 people, 1 dog; people from 0:00 to 0:01, dog from 0:04 to 0:06."),
    ],
)  # fmt: skip
def test_questions_over_times(operation: Any, objects: Objects, value: Any, said: str) -> None:
    finding = answer(Question(operation, (objects,), (0,)), [Evidence(0, CLIP, CLIP, "boxes", SEEN)])
    assert finding is not None
    assert (finding.value, finding.reading) == (value, said)


def test_what_is_written_is_told_with_its_times() -> None:
    chunks = [{"text": "a wall", "timestamp": [0, 1]}, {"text": "a sign", "timestamp": [2, 3], "written": "EXIT\n24"}]
    value = {"generated text": "…", "chunks": chunks, "text in the picture": "EXIT", "looked": SEEN["looked"]}
    asked = Question("written", (Objects("text"),), (0,))
    finding = answer(asked, [Evidence(0, CLIP, CLIP, "text", value)])
    assert finding is not None and finding.value == ("EXIT / 24",)
    assert finding.reading == "clip.mp4 shows the text “EXIT / 24” from 0:02 to 0:03."
    nothing = answer(asked, [Evidence(0, CLIP, CLIP, "text", {**value, "chunks": chunks[:1]})])
    assert nothing is not None and nothing.reading == "No text was read in clip.mp4."
