"""How often a video is looked at is no task of its own."""

import pytest

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
        ("take a picture every 5 seconds from clip.mp4", "video-frame"),
    ],
)
def test_one_task_is_planned(request_text: str, task: str) -> None:
    draft = draft_plan(request_text, TABLE)
    assert [one["task"] for one in draft.tasks] == [task]
    assert "clip.mp4" in draft.tasks[0]["args"].values()
    assert not draft.unplanned
