"""What a message leaves to what was said or shown before."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import Attachment, PastTask, Turn
from hugginggpt.media.references import Resource
from hugginggpt.media.types import kind_of
from hugginggpt.offline.planner import Draft, draft_plan
from tests.offline.test_planner import TABLE

COINS, BIRD = Resource("/uploads/coins.jpg", "image"), Resource("/uploads/bird.jpg", "image")
SUBTITLES = Resource("/uploads/film.srt", "text")


def asked(said: str, task: str, **args: str) -> Turn:
    return turn_of(said, [PastTask(0, task, args, {"generated text": "Bring two pipes."}, form="text")])


def turn_of(said: str, tasks: list[PastTask]) -> Turn:
    used = [value for task in tasks for value in task.args.values() if value.startswith("/uploads/")]
    return Turn(said, "run", tuple(Attachment(one.rpartition("/")[2], one, kind_of(one)) for one in used), tuple(tasks))


def drafted(text: str, turns: list[Turn], *files: Resource) -> Draft:
    return draft_plan(text, TABLE, turns, resources=list(files))


@pytest.mark.parametrize(
    "text",
    [
        "These are my late husband's coins. How many are there please?",
        "these are grandpa's old coins. how many of them are there",
    ],
)
def test_what_is_named_before_is_counted(text: str) -> None:
    (task,) = drafted(text, [], COINS).tasks
    assert "coins" in task["args"]["text"]


def test_the_background_behind_a_question_for_a_colour() -> None:
    turn = asked("what colour is this flower", "visual-question-answering", image=COINS.text, text="what colour")
    (task,) = drafted("n the background?", [turn]).tasks
    assert task["args"]["text"] == "What colour is the background?"


def test_the_picture_in_hand_is_joined_with_a_new_one() -> None:
    turn = asked("what is that?", "image-to-text", image=COINS.text)
    (task,) = drafted("make a collage of that one and the bird please", [turn], BIRD).tasks
    assert (task["task"], task["args"]["images"]) == ("join-images", [COINS.text, BIRD.text])


def test_subtitles_in_hand_are_moved() -> None:
    turn = asked("what does Anna say", "question-answering", text="what does Anna say", context=SUBTITLES.text)
    (task,) = drafted("shift them all 2 sec later, theyre out of sync", [turn]).tasks
    assert (task["task"], task["args"]["document"]) == ("move-subtitles", SUBTITLES.text)
    assert drafted("move the subtitles a bit", [turn]).unplanned[0].why.startswith("Subtitles are moved by seconds")


def test_in_another_language_all_pictures_are_counted() -> None:
    tasks = [PastTask(at, "image-to-text", {"image": one.text}, "a cat") for at, one in enumerate((COINS, BIRD))]
    draft = drafted("Combien de chats en tout ?", [turn_of("Qu'est-ce qu'on voit ?", tasks)])
    assert [task["args"]["image"] for task in draft.tasks] == [COINS.text, BIRD.text]


def test_noise_is_removed_from_a_recording_that_was_written_down() -> None:
    turn = asked("what is said", "automatic-speech-recognition", audio="/uploads/memo.wav")
    (task,) = drafted("get rid of the noise on it", [turn]).tasks
    assert task["task"] == "audio-to-audio"


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Welche Farbe hat der Himmel?", "What colour is the sky?"),
        ("De quelle couleur est le ciel ?", "What colour is the sky?"),
        ("¿De qué color es el fondo?", "What colour is the background?"),
        ("他是一个人吗？", "Is he alone?"),
    ],
)
def test_what_no_detector_finds_keeps_its_name_in_english(text: str, english: str) -> None:
    (task,) = drafted(text, [], BIRD).tasks
    assert task["args"]["text"].endswith(f"\n{english}")
