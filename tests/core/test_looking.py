"""How often a request wants a video to be looked at."""

import pytest

from hugginggpt.core.looking import seconds_between


@pytest.mark.parametrize(
    ("request_text", "every"),
    [
        ("look twice a second", 0.5),
        ("check every 5 seconds which animals are in clip.mp4", 5),
        ("one frame per second", 1),
        ("detect the objects at 4 fps", 0.25),
        ("how many cats, looking every half second?", 0.5),
        ("10 times a minute", 6),
        ("once every 3 seconds", 3),
        ("a frame every two seconds", 2),
        ("schau alle 5 Sekunden", 5),
        ("regarde toutes les 2 secondes", 2),
        ("每5秒看一次", 5),
        ("0 fps", None),
        ("what is at second 5?", None),
        ("read every page", None),
    ],
)
def test_rates(request_text: str, every: float | None) -> None:
    assert seconds_between(request_text) == every
