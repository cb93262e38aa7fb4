"""What a letter, a message or a story that was read before is asked for in a conversation."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import Attachment, PastTask, Turn
from hugginggpt.offline.planner import draft_plan
from tests.offline.test_planner import TABLE

TEXT = "I can come on Thursday at half past nine. The new pump costs 140 pounds."
VOICEMAIL = Attachment("voicemail.mp3", "/uploads/voicemail-1b.mp3", "audio")
HEARD = Turn(
    "What does he want?",
    run_id="1",
    files=(VOICEMAIL,),
    tasks=(
        PastTask(0, "automatic-speech-recognition", {"audio": VOICEMAIL.source}, {"text": TEXT}, form="text"),
        PastTask(1, "question-answering", {"text": "What does he want?", "context": TEXT}, {"answer": "x"}, dep=(0,)),
    ),
)
REFUSED = Turn("does he sound annoyed?", run_id="2")


@pytest.mark.parametrize(
    "text", ["and what do I have to do, and when", "do we have to pay for it?", "who comes on Thursday"]
)
def test_what_one_has_to_do_is_asked_of_the_message(text: str) -> None:
    draft = draft_plan(text, TABLE, [HEARD, REFUSED])
    assert [(task["task"], task["args"]["context"]) for task in draft.tasks] == [("question-answering", TEXT)]


def test_all_of_it_is_written_down_from_the_recording() -> None:
    draft = draft_plan("write it all down so my daughter can read it", TABLE, [HEARD, REFUSED])
    assert draft.tasks[0]["args"] == {"audio": VOICEMAIL.source}


def test_a_text_that_was_read_aloud_and_converted_stays_in_hand() -> None:
    told = Turn(
        "Read story.txt aloud",
        run_id="1",
        files=(Attachment("story.txt", "/uploads/story-2c.txt", "text"),),
        tasks=(
            PastTask(0, "text-to-speech", {"text": "/uploads/story-2c.txt"}, {"audio": "/audios/a.wav"}, form="audio"),
        ),
    )
    args = {"audio": "/audios/a.wav", "format": "mp3"}
    saved = Turn(
        "make that an mp3", run_id="2", tasks=(PastTask(0, "convert-audio", args, {"audio": "/audios/a.mp3"}),)
    )
    draft = draft_plan("who is Olga?", TABLE, [told, saved])
    assert [task["args"].get("context") for task in draft.tasks] == ["/uploads/story-2c.txt"]


def test_a_picture_of_what_a_text_tells_is_made_from_words_and_not_looked_up() -> None:
    assert [task["task"] for task in draft_plan("Could you paint the pump for my son?", TABLE, [HEARD]).tasks] == [
        "text-to-image"
    ]
