"""How often a video is looked at is no task of its own, and what is asked of the times of words is no text."""

import pytest

from hugginggpt.media.references import Resource, find_resources
from hugginggpt.offline.planner import draft_plan
from tests.conftest import TABLE


@pytest.mark.parametrize(
    ("request_text", "task"),
    [
        ("look twice a second at clip.mp4 and tell me which animals are in it", "object-detection"),
        ("which animals are in clip.mp4? look twice a second", "object-detection"),
        ("what text is in clip.mp4? one frame every two seconds", "image-to-text"),
        ("which animals are in clip.mp4? take a picture every 5 seconds", "object-detection"),
        ("find the pose in clip.mp4 twice a second", "openpose-control"),
        ("transcribe clip.mp4 with times", "make-subtitles"),
        ("take a picture every 5 seconds from clip.mp4", "video-frame"),
    ],
)
def test_one_task_is_planned(request_text: str, task: str) -> None:
    draft = draft_plan(request_text, TABLE)
    assert [one["task"] for one in draft.tasks] == [task]
    assert "clip.mp4" in draft.tasks[0]["args"].values()
    assert not draft.unplanned


@pytest.mark.parametrize("request_text", ['when does he say "ask not"?', "when is the word country mentioned?"])
def test_words_that_are_said_are_looked_for_in_the_recording(request_text: str) -> None:
    recording = Resource("talk.wav", "audio")
    draft = draft_plan(request_text, TABLE, resources=[*find_resources(request_text), recording])
    heard, asked = draft.tasks
    assert heard["args"] == {"audio": "talk.wav"}
    assert asked["args"] == {"text": request_text, "context": "<GENERATED>-0"}
