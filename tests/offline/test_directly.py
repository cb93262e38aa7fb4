"""Speech that is wanted in English, where texts can be translated and where they cannot."""

from __future__ import annotations

import pytest

from hugginggpt.core.plan import Lack
from hugginggpt.core.tasks import TaskType
from hugginggpt.offline.planner import Known, draft_plan
from tests.conftest import TABLE


def no_translation(row: TaskType, aspect: str) -> Lack | None:
    return Lack("No.") if row.name == TABLE.translator else None


@pytest.mark.parametrize(
    "request_text",
    [
        "Translate message.ogg into English",
        "What does she say in message.ogg, in English please?",
        "Please transcribe message.ogg and translate it to English",
        "Listen to message.ogg and tell me in English what they want",
    ],
)
def test_speech_is_written_down_in_english_at_once(request_text: str) -> None:
    tasks = draft_plan(request_text, TABLE, known=Known(no_translation)).tasks
    assert [(task["task"], task["args"]) for task in tasks] == [("speech-translation", {"audio": "message.ogg"})]


def test_a_transcript_that_is_needed_besides_stays() -> None:
    request_text = "Transcribe message.ogg, translate the transcript into English and summarise the transcript"
    tasks = draft_plan(request_text, TABLE, known=Known(no_translation)).tasks
    assert {"automatic-speech-recognition", "speech-translation"} <= {task["task"] for task in tasks}
    assert all(task["args"].get("audio", "message.ogg") == "message.ogg" for task in tasks)


def test_other_languages_and_texts_are_for_a_translator() -> None:
    for request_text in ("Translate message.ogg into German", "Translate 'guten Tag' into English"):
        draft = draft_plan(request_text, TABLE, known=Known(no_translation))
        assert "speech-translation" not in {task["task"] for task in draft.tasks}
        assert [part.why for part in draft.unplanned] == ["No."]


def test_where_texts_can_be_translated_a_transcript_is() -> None:
    tasks = draft_plan("Please transcribe message.ogg and translate it to English", TABLE).tasks
    assert [task["task"] for task in tasks] == ["automatic-speech-recognition", TABLE.translator]
