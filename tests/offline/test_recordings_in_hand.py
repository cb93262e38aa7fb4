"""Which recording or video a later message means: the joined one, the whole one, the piece that was cut."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import Attachment, PastTask, Turn
from hugginggpt.offline.planner import draft_plan
from hugginggpt.offline.spoken_questions import asks_told_length, asks_whether_said
from tests.conftest import TABLE

FILES = tuple(Attachment(f"{name}.wav", f"/uploads/{name}.wav", "audio") for name in ("a", "b"))
JOINED = PastTask(
    0, "join-audio", {"audios": [one.source for one in FILES]}, {"generated audio": "/audios/ab.wav"}, form="audio"
)
CUT = PastTask(0, "cut-video", {"video": "/uploads/film.mp4", "part": "the first 5 seconds"},
               {"generated video": "/videos/cut.mp4"}, form="video")  # fmt: skip


def planned(text: str, *turns: Turn) -> list[tuple[str, object]]:
    tasks = draft_plan(text, TABLE, turns).tasks
    return [(task["task"], task["args"].get("audio")) for task in tasks]


@pytest.mark.parametrize("text", ["now type out the joined one for my report", "write it all down please"])
def test_the_joined_recording_is_written_down(text: str) -> None:
    joined = Turn("join them", "run", files=FILES, tasks=(JOINED,), message="")
    assert planned(text, joined) == [("automatic-speech-recognition", "/audios/ab.wav")]


def test_a_question_after_joining_is_put_to_the_joined_recording() -> None:
    joined = Turn("join them", "run", files=FILES, tasks=(JOINED,), message="")
    first = planned("what does the plumber charge?", joined)[0]
    assert first == ("automatic-speech-recognition", "/audios/ab.wav")


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("only the sound of the whole film as mp3", "/uploads/film.mp4"),
        ("only the sound of it as mp3", "/videos/cut.mp4"),
    ],
)
def test_the_whole_film_is_what_it_was_before_the_cut(text: str, file: str) -> None:
    film = Attachment("film.mp4", "/uploads/film.mp4", "video")
    cut = Turn("cut the first 5 seconds", "run", files=(film,), tasks=(CUT,), message="")
    assert planned(text, cut) == [("convert-audio", file)]


def test_whether_anything_is_said() -> None:
    assert asks_whether_said("is anything said in this video?") and not asks_whether_said("does anyone talk in it")
    assert not asks_whether_said("does anyone talk about the rent?")


def test_how_long_something_takes_that_is_told_of() -> None:
    assert asks_told_length("how long is this job supposed to take?") and asks_told_length("how long does it bake")
    assert not asks_told_length("how long is it?") and not asks_told_length("how long does the video take to play?")


def test_whether_a_word_is_said_is_no_count_of_words() -> None:
    heard = Turn("transcribe it", "run", files=FILES[:1], message="")
    assert planned("does he say the word country", heard)[-1][0] == "question-answering"
