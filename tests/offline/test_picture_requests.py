"""Requests to hide, write, frame and show pictures, and operations in other languages: what is planned for them."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.core.conversation import PastTask, Turn
from hugginggpt.media.references import Resource, find_resources, find_texts
from hugginggpt.media.types import kind_of
from hugginggpt.offline.planner import draft_plan
from tests.conftest import TABLE, plan_offline


def drafted(request_text: str, *files: str) -> list[tuple[str, dict[str, Any]]]:
    placed = find_texts(request_text, find_resources(request_text))
    attached = [*placed, *(Resource(name, kind_of(name)) for name in files)]
    return [(task["task"], task["args"]) for task in draft_plan(request_text, TABLE, resources=attached).tasks]


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("Are there any people in it?", "object-detection"),
        ("which one of these is a bird?", "object-detection"),
        ("is it a plane or a rocket or what", "visual-question-answering"),
        ("was it taken by day or at night?", "visual-question-answering"),
        ("What colour is it mainly, the flower itself not the background?", "visual-question-answering"),
        ("just tell me what she is wearing", "visual-question-answering"),
        ("Welche Farbe hat ihr Anzug?", "visual-question-answering"),
        ("这是什么动物？", "visual-question-answering"),
    ],
)
def test_questions_to_a_picture(said: str, task: str) -> None:
    assert [name for name, _ in drafted(said, "/uploads/a.jpg")] == [task]


@pytest.mark.parametrize(
    ("said", "task", "args"),
    [
        ("blur her face", "redact-image", {"what": "blur her face"}),
        ("the address has to be blacked out", "redact-image", {"what": "the address has to be blacked out"}),
        ("make the kids unrecognisable please", "redact-image", {"what": "make the kids unrecognisable"}),
        ('write "Good morning!" at the bottom', "write-on-image", {"text": "Good morning!", "look": "at the bottom"}),
        ("write Happy Birthday Tom on it in yellow", "write-on-image", {"text": "Happy Birthday Tom", "look": "in yellow"}),
        ("now write MONDAY AGAIN in big letters at the top", "write-on-image", {"text": "MONDAY AGAIN", "look": "big, at the top"}),
        ("stick a big red SALE on it", "write-on-image", {"text": "SALE", "look": "big, red"}),
        ("cover up Leo Hartmann", "redact-image", {"what": "cover up Leo Hartmann"}),
        ("add a title at the top: Summer 2026", "write-on-image", {"text": "Summer 2026", "look": "at the top"}),
        ("i want it to say get well soon in the middle", "write-on-image", {"text": "get well soon", "look": "in the middle"}),
        ("what does the qr code say?", "read-code", {}),
        ("put the photo in a gold frame", "adjust-image", {"change": "gold frame"}),
        ("the picture is a bit cold, warm it up", "adjust-image", {"change": "warm"}),
        ("put a black border around it, 20 pixels", "adjust-image", {"change": "black border around it, 20 pixels"}),
        ("it is too blue, make it warmer", "adjust-image", {"change": "warmer"}),
        ("it is slightly blurry. Can you sharpen it?", "adjust-image", {"change": "sharpen"}),
        ("could you make it a little lighter?", "adjust-image", {"change": "a little lighter"}),
        ("compress it to less than 1 MB", "resize-image", {"size": "1 MB"}),
        ("verpixel die Gesichter", "redact-image", {"what": "pixelate the faces"}),
        ("Dreh das Foto um 90 Grad nach links", "rotate-image", {"angle": "90 degrees to the left"}),
        ("réduis-la à 150 pixels de large", "resize-image", {"size": "150 pixels wide"}),
        ("floute le visage s'il te plaît", "redact-image", {"what": "blur the face"}),
        ("conviértela a png", "convert-image", {"format": "png"}),
        ("把脸打码", "redact-image", {"what": "pixelate the face"}),
    ],
)  # fmt: skip
def test_operations_on_a_picture(said: str, task: str, args: dict[str, str]) -> None:
    assert drafted(said, "a.jpg") == [(task, {"image": "a.jpg", **args})]


def test_videos_of_pictures() -> None:
    three = ["a.jpg", "b.jpg", "c.jpg"]
    assert drafted("make a slideshow from these, 3 seconds each", *three) == [
        ("images-to-video", {"images": three, "each": "3 seconds each"})
    ]
    assert drafted("a slideshow of these with v.wav as background music, 5 seconds each", *three, "v.wav") == [
        ("images-to-video", {"images": three, "each": "5 seconds each", "audio": "v.wav"})
    ]
    assert drafted("put the voicemail under it as sound", "v.mp4", "voicemail.wav") == [
        ("add-sound", {"video": "v.mp4", "audio": "voicemail.wav"})
    ]


@pytest.mark.parametrize(
    "said",
    [
        "is her face blurred?", "how do I blur a face in photoshop?", "make it pop art", 'just say "no tea today"',
        "how many dogs are in this collage?", "write him a friendly invitation for Monday at 10", "what colour is the border?", "put a hat on the dog", "write a poem about it",
        "write a description of the picture", "which words are written on the sign?", "how many faces are there?",
        "what names stand on the list?", "Ist der Hund größer als die Katze?", "Ist das Bild heller geworden?",
    ],
)  # fmt: skip
def test_what_is_no_such_operation(said: str) -> None:
    tasks = {task for task, _ in drafted(said, "a.jpg")}
    assert tasks.isdisjoint(
        {"redact-image", "write-on-image", "adjust-image", "join-images", "images-to-video", "read-code"}
    )


def test_several_operations_in_another_language() -> None:
    assert drafted("ponla en blanco y negro y hazla más pequeña", "a.jpg") == [
        ("adjust-image", {"image": "a.jpg", "change": "greyscale"}),
        ("resize-image", {"image": "<GENERATED>-0", "size": "smaller"}),
    ]
    assert drafted("mach es lauter und speichere es als mp3", "a.wav") == [
        ("adjust-audio", {"audio": "a.wav", "change": "louder"}),
        ("convert-audio", {"audio": "<GENERATED>-0", "format": "mp3"}),
    ]


def test_a_sound_for_the_video_that_was_made() -> None:
    made = PastTask(0, "images-to-video", {"images": ["a.jpg"]}, {"generated video": "/videos/x.mp4"}, form="video")
    turns = [Turn("make a slideshow", tasks=(made,), message="", answer="")]
    brought = [Resource("voicemail.wav", "audio")]
    draft = draft_plan("put the voicemail under it as sound", TABLE, turns, resources=brought)
    assert [(task["task"], task["args"]) for task in draft.tasks] == [
        ("add-sound", {"video": "/videos/x.mp4", "audio": "voicemail.wav"})
    ]


def test_without_a_picture_nothing_is_planned() -> None:
    assert plan_offline("blur the faces") == []


def test_a_question_with_a_remark_behind_it_is_no_pipeline() -> None:
    attached = [Resource(name, "image") for name in ("a.jpg", "b.jpg", "c.jpg")]
    said = (
        "On which of these three photographs from our outing is there a bird, please? My eyes are not so good any more."
    )
    assert {task["task"] for task in draft_plan(said, TABLE, resources=attached).tasks} == {"object-detection"}


def test_words_in_large_letters_are_no_letter_to_write() -> None:
    said = "now write MONDAY AGAIN in big letters at the bottom"
    (task,) = draft_plan(said, TABLE, resources=[Resource("a.jpg", "image")]).tasks
    assert task["task"] == "write-on-image" and task["args"]["text"] == "MONDAY AGAIN"


def test_what_is_told_behind_a_count_is_no_part_of_it() -> None:
    attached = [Resource(name, "image") for name in ("a.jpg", "b.jpg")]
    said = "How many giraffes did we see altogether? Both photos are from the same day."
    (question,) = draft_plan(said, TABLE, resources=attached).questions
    assert question.operation == "count" and not question.objects[0].unjudged


def test_who_is_spoken_to_is_no_quality_of_what_is_counted() -> None:
    attached = [Resource(name, "image") for name in ("a.jpg", "b.jpg")]
    (question,) = draft_plan(
        "How many giraffes can you see on each of them, dear?", TABLE, resources=attached
    ).questions
    assert not question.objects[0].unjudged


def test_the_last_page_of_the_only_document_is_a_part_of_it() -> None:
    past = PastTask(0, "question-answering", {"text": "What is the rent?", "context": "lease.pdf"}, {"answer": "1"})
    turns = [Turn("What is the rent? lease.pdf", "1", tasks=(past,))]
    (task,) = draft_plan("Give me just the last page as its own PDF", TABLE, turns).tasks
    assert (task["task"], task["args"]["pages"]) == ("extract-pages", "the last page")
