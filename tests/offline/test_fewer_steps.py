"""What is asked for in two clauses, and is one operation."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.media.references import Resource
from hugginggpt.offline.planner import plan_offline
from tests.conftest import TABLE

FILM = Resource("film.mp4", "video")


@pytest.mark.parametrize(
    ("request_text", "tasks"),
    [
        ("Take the sound from this video and give it to me as mp3", [("convert-audio", {"audio": "film.mp4", "format": "mp3"})]),
        ("cut out the part from 0:05 to 0:09 and make a gif of it",
         [("video-to-gif", {"video": "film.mp4", "part": "the part from 0:05 to 0:09"})]),
        ("cut the first 2 seconds off and make it black and white",
         [("cut-video", {"video": "film.mp4", "part": "cut the first 2 seconds off"}),
          ("adjust-video", {"video": "<GENERATED>-0", "change": "black and white"})]),
    ],
)  # fmt: skip
def test_only_what_is_wanted_is_made(request_text: str, tasks: list[tuple[str, dict[str, Any]]]) -> None:
    planned = plan_offline(request_text, TABLE, resources=[FILM])
    assert [(task["task"], task["args"]) for task in planned] == tasks
