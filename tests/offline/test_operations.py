"""Operations that need no model: what the offline planner makes of requests for them, and a run from end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import hugginggpt
from hugginggpt.media.references import Resource, find_resources, find_texts
from hugginggpt.media.types import type_of
from hugginggpt.offline import asked_of_texts
from hugginggpt.offline.operation_parts import impossible
from hugginggpt.offline.planner import Draft, draft_plan
from tests.conftest import TABLE, MakeConfig, plan_offline

LAST = "<GENERATED>-0"


def drafted(request_text: str, *files: str) -> Draft:
    """The draft for a request with attached files."""
    kinds = [found.kind if (found := type_of(name)) else None for name in files]
    attached = [Resource(name, kind) for name, kind in zip(files, kinds, strict=True)]
    return draft_plan(request_text, TABLE, resources=attached)


@pytest.mark.parametrize(
    ("request_text", "tasks"),
    [
        ("Rotate scan.png by 90 degrees to the left", [("rotate-image", {"image": "scan.png", "angle": "90 degrees to the left"})]),
        ("make party.jpg half the size", [("resize-image", {"image": "party.jpg", "size": "half the size"})]),
        ("crop a.jpg to a square and then resize it to 300x300",
         [("crop-image", {"image": "a.jpg", "part": "a square"}), ("resize-image", {"image": LAST, "size": "300x300"})]),
        ("cut out the cat in d.jpg", [("crop-image", {"image": "d.jpg", "part": "the cat"})]),
        ("cut the leftmost dog out of park.jpg", [("crop-image", {"image": "park.jpg", "part": "the leftmost dog"})]),
        ("cut off the bottom 20 % of scan.png", [("crop-image", {"image": "scan.png", "part": "cut off the bottom 20 %"})]),
        ("Draw the edges of a.jpg and rotate them by 45 degrees",
         [("canny-control", {"image": "a.jpg"}), ("rotate-image", {"image": LAST, "angle": "45 degrees"})]),
        ("my slides need 4:3 so crop sea.jpg accordingly", [("crop-image", {"image": "sea.jpg", "part": "4:3"})]),
        ("the camera was held sideways, rotate cam.jpg 90 degrees",
         [("rotate-image", {"image": "cam.jpg", "angle": "90 degrees"})]),
        ("Nurse held the tablet wrong; chart.jpg needs a 90 degree rotation clockwise",
         [("rotate-image", {"image": "chart.jpg", "angle": "90 degree rotation clockwise"})]),
        ("halve the size of render.png", [("resize-image", {"image": "render.png", "size": "halve"})]),
        ("flip selfie.jpg", [("flip-image", {"image": "selfie.jpg"})]),
        ("convert logo.png to jpg", [("convert-image", {"image": "logo.png", "format": "jpg"})]),
        ("make a collage of a.jpg, b.jpg and c.jpg", [("join-images", {"images": ["a.jpg", "b.jpg", "c.jpg"]})]),
        ("keep only the first 30 seconds of song.mp3", [("cut-audio", {"audio": "song.mp3", "part": "the first 30 seconds"})]),
        ("Remove the noise from a.wav and make it 6 dB louder",
         [("audio-to-audio", {"audio": "a.wav"}), ("adjust-audio", {"audio": LAST, "change": "6 dB louder"})]),
        ("extract the audio from holiday.mp4 as mp3", [("convert-audio", {"audio": "holiday.mp4", "format": "mp3"})]),
        ("join intro.wav and main.wav", [("join-audio", {"audios": ["intro.wav", "main.wav"]})]),
        ("how long is lecture.mp3?", [("measure-audio", {"audio": "lecture.mp3"})]),
        ("cut the first 5 seconds off film.mp4", [("cut-video", {"video": "film.mp4", "part": "cut the first 5 seconds off"})]),
        ("make a gif of film.mp4", [("video-to-gif", {"video": "film.mp4"})]),
        ("put music.mp3 under film.mp4", [("add-sound", {"video": "film.mp4", "audio": "music.mp3"})]),
        ("Transcribe talk.mp3 and make subtitles",
         [("automatic-speech-recognition", {"audio": "talk.mp3"}), ("make-subtitles", {"audio": "talk.mp3"})]),
        ("count the words of essay.txt", [("count-words", {"text": "essay.txt"})]),
        ("turn photo.jpg into a painting", [("image-to-image", {"image": "photo.jpg", "text": "turn into a painting"})]),
        ("photo.jpg as a 300 wide PNG",
         [("resize-image", {"image": "photo.jpg", "size": "300 wide"}), ("convert-image", {"image": LAST, "format": "png"})]),
        ("Save photo.jpg as WEBP under 40 KB",
         [("convert-image", {"image": "photo.jpg", "format": "webp"}), ("resize-image", {"image": LAST, "size": "40 KB"})]),
        ("the last minute of clip.mp4 as mp3",
         [("cut-audio", {"audio": "clip.mp4", "part": "the last minute"}), ("convert-audio", {"audio": LAST, "format": "mp3"})]),
        ("make this png smaller: a.png", [("resize-image", {"image": "a.png", "size": "smaller"})]),
        ("convert clip.mov to mp4", [("adjust-video", {"video": "clip.mov", "change": "to mp4"})]),
        ("My laptop can't play .mov, make it mp4 clip.mov",
         [("adjust-video", {"video": "clip.mov", "change": "make it mp4"})]),
        ("cut out the part from 0:05 to 0:09 of clip.mp4 and make a gif of it",
         [("video-to-gif", {"video": "clip.mp4", "part": "the part from 0:05 to 0:09"})]),
        ("Can you turn photo.jpg into a line drawing that she can colour in?", [("canny-control", {"image": "photo.jpg"})]),
        ("Put photo.jpg on a pdf page please", [("images-to-pdf", {"images": ["photo.jpg"]})]),
        ("ok then take this photo of our cat instead and write Happy Birthday Lily on it photo.jpg",
         [("write-on-image", {"image": "photo.jpg", "text": "Happy Birthday Lily"})]),
        ("What is written on page 3 of a.pdf?",
         [("question-answering", {"text": "What is written on page 3?", "context": "a.pdf"})]),
        ("How much is the mushroom risotto? photo.jpg",
         [("document-question-answering", {"image": "photo.jpg", "text": "How much is the mushroom risotto?"})]),
        ("convert clip.mp4 to mp3", [("convert-audio", {"audio": "clip.mp4", "format": "mp3"})]),
        ("Put ADOPT ME in big letters at the bottom of photo.jpg",
         [("write-on-image", {"image": "photo.jpg", "look": "big, at the bottom", "text": "ADOPT ME"})]),
    ],
)  # fmt: skip
def test_requests_for_operations(request_text: str, tasks: list[tuple[str, dict[str, Any]]]) -> None:
    assert [(task["task"], task["args"]) for task in plan_offline(request_text)] == tasks


@pytest.mark.parametrize(
    ("request_text", "tasks"),
    [
        ("shrink it, 120 pixels high", [("resize-image", {"image": "a.jpg", "size": "120 pixels high"})]),
        ("larger by 20 %, black and white",
         [("resize-image", {"image": "a.jpg", "size": "larger by 20 %"}), ("adjust-image", {"image": LAST, "change": "black and white"})]),
        ("half the size, quality 75",
         [("resize-image", {"image": "a.jpg", "size": "half the size"}), ("convert-image", {"image": LAST, "format": "quality 75"})]),
        ("darker, more contrast, as png",
         [("adjust-image", {"image": "a.jpg", "change": "darker, more contrast"}), ("convert-image", {"image": LAST, "format": "png"})]),
        ("4:3 and then 800 px wide", [("crop-image", {"image": "a.jpg", "part": "4:3"}), ("resize-image", {"image": LAST, "size": "800 px wide"})]),
        ("crop the dog out of the picture", [("crop-image", {"image": "a.jpg", "part": "the dog"})]),
        ("slower, 0.8 times", [("adjust-audio", {"audio": "a.wav", "change": "slower, 0.8 times"})]),
        ("I want this clip without any sound", [("adjust-video", {"video": "a.mp4", "change": "without any sound"})]),
        ("make it 1.5 times faster", [("adjust-video", {"video": "a.mp4", "change": "1.5 times faster"})]),
        ("the first 3 seconds, without sound",
         [("cut-video", {"video": "a.mp4", "part": "the first 3 seconds"}), ("adjust-video", {"video": LAST, "change": "without sound"})]),
        ("just the audio as mp3 and also subtitles please",
         [("convert-audio", {"audio": "a.mp4", "format": "mp3"}), ("make-subtitles", {"audio": LAST})]),
        ("my laptop cannot play .mov, make it mp4", [("adjust-video", {"video": "a.mp4", "change": "make it mp4"})]),
        ("make it black and white", [("adjust-video", {"video": "a.mp4", "change": "black and white"})]),
        ("The talking alone as an mp3 as well", [("convert-audio", {"audio": "a.mp4", "format": "mp3"})]),
        ("make it a gif, 200 pixels wide", [("video-to-gif", {"video": "a.mp4", "look": "200 pixels wide"})]),
        ("cut away the first 2 seconds and keep the rest",
         [("cut-audio", {"audio": "a.wav", "part": "cut away the first 2 seconds"})]),
        ("turn it by 90 degrees and give it back to me", [("rotate-image", {"image": "a.jpg", "angle": "90 degrees"})]),
        ("put frames around the dogs and label them", [("object-detection", {"image": "a.jpg"})]),
        ("crop to a 1:1 ratio", [("crop-image", {"image": "a.jpg", "part": "1:1"})]),
        ("the horizon is off by 1.5 degrees, level it", [("rotate-image", {"image": "a.jpg", "angle": "1.5 degrees"})]),
        ("bring down the contrast", [("adjust-image", {"image": "a.jpg", "change": "bring down the contrast"})]),
        ("extract the audio and speed it up 2x",
         [("convert-audio", {"audio": "a.mp4"}), ("adjust-audio", {"audio": LAST, "change": "speed, 2x"})]),
        ("how many words are spoken? count all the words",
         [("automatic-speech-recognition", {"audio": "a.wav"}), ("count-words", {"text": LAST})]),
    ],
)  # fmt: skip
def test_every_part_of_a_request_counts(request_text: str, tasks: list[tuple[str, dict[str, Any]]]) -> None:
    draft = drafted(request_text, next(iter(tasks[0][1].values())))
    assert [(task["task"], task["args"]) for task in draft.tasks] == tasks
    assert not draft.unplanned


def test_what_is_to_be_sent_to_somebody_else_is_refused() -> None:
    assert drafted("make it grey and send it to my wife", "a.jpg").unplanned


def test_letters_on_a_picture_are_no_letter_to_be_written() -> None:
    said = 'write "Good morning" at the bottom of this picture, in big white letters'
    named = find_texts(said, find_resources(said))
    (task,) = draft_plan(said, TABLE, resources=[*named, Resource("a.jpg", "image")]).tasks
    assert (task["task"], task["args"]["text"]) == ("write-on-image", "Good morning")


def test_the_name_of_what_is_made_is_no_file_to_work_on() -> None:
    said = "make it 300 px wide and save it as small.jpg"
    (task,) = draft_plan(said, TABLE, resources=[*find_resources(said), Resource("b.jpg", "image")]).tasks
    assert (task["args"], task["save_as"]) == ({"image": "b.jpg", "size": "300 px wide"}, "small.jpg")


def test_what_only_says_how_an_operation_is_done_is_no_second_one() -> None:
    (task,) = drafted("a gif, only the first 3 seconds", "a.mp4").tasks
    assert (task["task"], task["args"]) == ("video-to-gif", {"video": "a.mp4", "part": "the first 3 seconds"})


def test_a_recording_in_another_language_is_put_into_english_at_once() -> None:
    tasks = plan_offline("a.mp3 is in Spanish, i need it in English")
    assert [(task["task"], task["args"]) for task in tasks] == [("speech-translation", {"audio": "a.mp3"})]


def test_the_sound_of_a_video_is_the_recording_that_is_named_after_it() -> None:
    (task, *_) = plan_offline("a.mp4 needs background music, use b.mp3")
    assert task["args"] == {"video": "a.mp4", "audio": "b.mp3"}


@pytest.mark.parametrize(
    ("request_text", "file", "tasks", "says"),
    [
        ("hardcode the captions into the film", "a.mp4", [], "cannot be drawn"),
        ("delay the subtitles a bit", "a.srt", [], "moved by seconds"),
        ("write down what is said and store it as a powerpoint file", "a.wav", ["automatic-speech-recognition"], "a file of that type"),
        ("how loud is it in the first 10 seconds", "a.wav", ["measure-audio"], "what 10 is to do"),
        ("make it shine", "a.jpg", [], ""),
        ("compress this to 200 KB", "a.mp3", [], "size in bytes"),
    ],
)  # fmt: skip
def test_what_is_not_done_is_said_and_nothing_else_done(
    request_text: str, file: str, tasks: list[str], says: str
) -> None:
    draft = drafted(request_text, file)
    assert [task["task"] for task in draft.tasks] == tasks
    assert draft.unplanned and any(says in part.why for part in draft.unplanned)


def test_a_gap_is_put_between_recordings() -> None:
    draft = drafted("merge the two with 3 seconds of silence between them", "a.wav", "b.wav")
    assert [task["args"] for task in draft.tasks] == [{"audios": ["a.wav", "b.wav"], "gap": "3 seconds of silence"}]


def test_what_is_not_said_is_asked_for_and_what_is_impossible_is_told(make_config: MakeConfig, tmp_path: Path) -> None:
    Image.new("RGB", (60, 40), "red").save(tmp_path / "small.png")
    with hugginggpt.HuggingGPT(make_config(llm="offline", inference_mode="local")) as gpt:
        small = str(tmp_path / "small.png")
        vague, large = gpt.ask("rotate it", files=[small]), gpt.ask("crop it to 500x500", files=[small])
        both = gpt.ask("make a collage of them and resize it to 50 %", files=[small, small])
    assert "90 degrees left" in vague.message
    assert "60x40" in large.message and not large.ok
    assert [task.task for task in both.plan] == ["join-images", "resize-image"]


def test_what_was_put_together_is_taken_apart_again_for_a_page_each(make_config: MakeConfig, tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("red.png", "blue.png")]
    for path in paths:
        Image.new("RGB", (60, 40), Path(path).stem).save(path)
    with hugginggpt.HuggingGPT(make_config(llm="offline", inference_mode="local")) as gpt:
        chat = gpt.chat()
        chat.ask("put these side by side", files=paths)
        pages = chat.ask("and a pdf with one photo per page, same order")
    assert [len(task.args["images"]) for task in pages.plan] == [2]


@pytest.mark.parametrize(
    "words", ["Count the total number of words in essay.txt", "The total number of words of essay.txt?"]
)
def test_a_total_of_words_is_no_bill(words: str) -> None:
    assert [task["task"] for task in drafted(words, "essay.txt").tasks] == ["count-words"]


@pytest.mark.parametrize(
    ("request_text", "tasks", "extra"),
    [
        ("put both into one pdf, notes.txt first", ["join-pdf"], {}),
        ("read notes.txt aloud into an mp3", ["text-to-speech", "convert-audio"], {"format": "mp3"}),
        ("Read notes.txt to the kids please, as an ogg", ["text-to-speech", "convert-audio"], {"format": "ogg"}),
    ],
)
def test_what_a_file_is_to_become_goes_with_what_is_done(
    request_text: str, tasks: list[str], extra: dict[str, str]
) -> None:
    files = ["terms.txt", "notes.txt"] if "both" in request_text else ["notes.txt"]
    draft = drafted(request_text, *files)
    assert [task["task"] for task in draft.tasks] == tasks
    assert extra.items() <= draft.tasks[-1]["args"].items()


def test_words_on_a_picture_are_no_letter() -> None:
    assert not asked_of_texts.is_letter("write 'Good morning' on this picture at the bottom, big white letters")
    assert asked_of_texts.is_letter("write a letter to the council about this")


@pytest.mark.parametrize(
    "said",
    [
        "how many giraffes all together in my 3 pics",
        "how many dogs are in there all in all?",
        "are there any cats in here",
    ],
)
def test_words_that_only_carry_a_question_about_pictures_leave_nothing_open(said: str) -> None:
    (question,) = drafted(said, "a.jpg").questions
    assert not any(one.unjudged for one in question.objects)


@pytest.mark.parametrize(
    ("request_text", "file", "tasks", "says"),
    [
        ("half speed for the first 5 seconds only", "a.mp4", [], "of the whole"),
        ("brighten only the left half", "a.jpg", [], "of the whole picture"),
        ("split it after page 3 and password protect both", "a.pdf", ["split-pdf"], "a password"),
        ("rotate page 2", "a.pdf", [], "cannot be turned"),
        ("stabilise it", "a.mp4", [], "cannot be steadied"),
        ("make it black and white except the red umbrella", "a.jpg", ["adjust-image"], "done without"),
        ("subtitles in German as srt", "a.mp4", ["make-subtitles"], "language that is spoken"),
    ],
)  # fmt: skip
def test_what_limits_a_change_is_done_or_said(request_text: str, file: str, tasks: list[str], says: str) -> None:
    draft = drafted(request_text, file)
    assert [task["task"] for task in draft.tasks] == tasks
    assert any(says in part.why for part in draft.unplanned)


@pytest.mark.parametrize(
    "text",
    [
        "cut the slow part from 0:10 to 0:20",
        "fade the volume in over the first 5 seconds",
        "brighten only the second picture",
        "drop the key column",
        "turn pages 2 to 4 to jpg",
        "is it password protected",
        "rotate the page",
    ],
)
def test_what_only_sounds_impossible_is_not_refused(text: str) -> None:
    assert impossible(text) == ""


def test_a_pdf_of_a_changed_picture_does_not_hold_the_picture_before() -> None:
    *_, task = drafted("hide the phone number and the name, then save as PDF", "a.jpg").tasks
    assert (task["task"], task["args"]) == ("images-to-pdf", {"images": ["<GENERATED>-0"]})


@pytest.mark.parametrize(
    ("request_text", "file", "expected"),
    [
        ("Photo finish is at 1:02, save that image", "a.mp4", ("video-frame", {"time": "1:02"})),
        ("The wifi password is in this QR thingy, what is it?", "a.png", ("read-code", {})),
        ("it is upside down, pls fix", "a.jpg", ("rotate-image", {"angle": "upside down"})),
    ],
)
def test_an_operation_that_is_only_told_is_done(
    request_text: str, file: str, expected: tuple[str, dict[str, str]]
) -> None:
    (task,) = drafted(request_text, file).tasks
    assert (task["task"], {name: value for name, value in task["args"].items() if value != file}) == expected


@pytest.mark.parametrize(
    ("request_text", "part"),
    [
        ("Somebody coughs between 3:05 and 3:20. Take that out.", "without between 3:05 and 3:20"),
        ("there's a bang from 2:10 to 2:25, cut it out", "without from 2:10 to 2:25"),
        ("the chorus is from 2:10 to 2:25, keep that", "from 2:10 to 2:25"),
    ],
)
def test_what_is_told_of_a_recording_is_taken_out_or_kept(request_text: str, part: str) -> None:
    (task,) = drafted(request_text, "a.wav").tasks
    assert (task["task"], task["args"]["part"]) == ("cut-audio", part)


def test_what_is_hidden_may_be_told_before() -> None:
    (task,) = drafted("there's a laptop showing in the corner, blur that out", "a.jpg").tasks
    assert task["task"] == "redact-image"
    assert "laptop" in task["args"]["what"]


@pytest.mark.parametrize(
    ("request_text", "task"),
    [
        ("tie a.pdf and b.pdf together", "join-pdf"),
        ("a.csv as a pdf for the wall", "export-table"),
        ("from a.wav keep 0:30 - 1:10", "cut-audio"),
    ],
)
def test_a_sure_operation_is_no_question(request_text: str, task: str) -> None:
    assert [one["task"] for one in plan_offline(request_text)] == [task]


@pytest.mark.parametrize(
    ("request_text", "file", "task"),
    [
        ("picture of the very last frame", "a.mp4", "video-frame"),
        ("pixels?", "a.tif", "measure-image"),  # a word of other languages as well
    ],
)
def test_a_few_words_of_a_file_are_enough(request_text: str, file: str, task: str) -> None:
    assert [one["task"] for one in drafted(request_text, file).tasks] == [task]
