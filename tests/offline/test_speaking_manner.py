"""To whom, how fast and in whose voice a text is read aloud."""

from __future__ import annotations

import pytest

from hugginggpt.offline.speaking_manner import changes, is_met, is_read_to_somebody
from tests.offline.test_operations import drafted


@pytest.mark.parametrize(
    ("words", "heard"),
    [
        ("please read this letter to me, my eyes are not what they were", True),
        ("could you read me that letter", True),
        ("read it to my grandmother", True),
        ("can you read the total to me", False),
        ("read me the last line", False),
        ("what does it say about me?", False),
        ("read the text in it", False),
    ],
)
def test_a_whole_text_is_heard_by_whom_it_is_read_to(words: str, heard: bool) -> None:
    assert is_read_to_somebody(words, "image") == heard
    assert not is_read_to_somebody(words, "audio")


def test_how_it_is_read_and_what_of_that_is_done() -> None:
    assert changes("read it aloud, slowly if you can, and louder") == "20 percent slower, louder"
    assert is_met("slowly if you can") and is_met("in a man's voice, as mp3")
    assert not is_met("slowly, in a woman's voice") and not is_met("with feeling")


@pytest.mark.parametrize(
    ("request_text", "file", "tasks"),
    [
        ("please read this letter to me", "letter.png", ["image-to-text", "text-to-speech"]),
        ("now read the whole notice aloud for her, slowly if you can", "a.png",
         ["image-to-text", "text-to-speech", "adjust-audio"]),
        ("would you read it out for me? not too quick please", "a.png",
         ["image-to-text", "text-to-speech", "adjust-audio"]),
        ("read it to me as an mp3, louder than usual", "a.png",
         ["image-to-text", "text-to-speech", "adjust-audio", "convert-audio"]),
    ],
)  # fmt: skip
def test_speech_is_changed_as_it_is_asked_for(request_text: str, file: str, tasks: list[str]) -> None:
    draft = drafted(request_text, file)
    assert [task["task"] for task in draft.tasks] == tasks
    assert not draft.unplanned
