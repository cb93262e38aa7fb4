"""Tasks for pictures that are done to a video, picture by picture."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from hugginggpt.config import load
from hugginggpt.core.errors import ExpertUnavailable, MediaError
from hugginggpt.core.moments import how_closely
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Inference
from hugginggpt.media.encoding import mp4_bytes
from hugginggpt.stages.frames import infer_over, video_of
from tests.conftest import TABLE

DETECT, CROP = TABLE["object-detection"], TABLE["crop-image"]
LIMITS = load(environment={}).limits
RED, BLUE = Image.new("RGB", (64, 48), (220, 20, 20)), Image.new("RGB", (64, 48), (20, 20, 220))


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seconds of red, then three of blue, at four pictures a second."""
    path = tmp_path_factory.mktemp("video") / "film.mp4"
    path.write_bytes(mp4_bytes([RED] * 12 + [BLUE] * 12, 4))
    return path


class ByColour:
    """Finds a bus in red pictures, and nothing in others; knows which pictures it was given."""

    def __init__(self) -> None:
        self.given: list[Path] = []

    def __call__(self, task: TaskType, args: Mapping[str, Any]) -> Inference:
        self.given.append(args["image"])
        assert task.name == DETECT.name and not task.result.draws
        with Image.open(args["image"]) as picture:
            red, _, blue = picture.convert("RGB").getpixel((9, 9))  # type: ignore[misc]
        if blue > red:
            raise ExpertUnavailable("There is no bus.")
        box = {"xmin": 1, "ymin": 2, "xmax": 30, "ymax": 40}
        return Inference({"predicted": [{"label": "bus", "score": 0.9, "box": box}]})


def test_each_picture_has_its_time_and_equal_ones_are_looked_at_once(film: Path) -> None:
    expert = ByColour()
    value = infer_over(DETECT, {"image": film}, expert, LIMITS).value
    assert value["looked"] == {"times": [0, 1, 2, 3, 4, 5, 6], "seconds": 6.0}
    assert [row["time"] for row in value["predicted"]] == [0, 1, 2]
    assert len(expert.given) == 2
    assert not any(file.exists() for file in expert.given)


def test_a_limit_spreads_the_pictures_over_the_video(film: Path) -> None:
    limits = LIMITS.model_copy(update={"max_frames": 3})
    assert infer_over(DETECT, {"image": film}, ByColour(), limits).value["looked"]["times"] == [0, 2, 4]


def test_a_request_tells_how_often_is_looked_and_the_limit_on_pictures_holds(film: Path) -> None:
    value = infer_over(DETECT, {"image": film}, ByColour(), LIMITS, 0.5).value
    assert value["looked"]["times"] == [at / 2 for at in range(13)]
    assert "asked" not in value["looked"]
    limits = LIMITS.model_copy(update={"max_frames": 3})
    looked = infer_over(DETECT, {"image": film}, ByColour(), limits, 0.5).value["looked"]
    assert looked == {"times": [0, 2, 4], "seconds": 6.0, "asked": 0.5}
    assert how_closely(looked) == "looked at every 2 s rather than 0.5 s, as limits.max_frames allows no more"


def test_drawings_of_a_video_come_with_their_times(film: Path) -> None:
    expert = ByColour()

    def drawn(task: TaskType, args: Mapping[str, Any]) -> Inference:
        expert(replace(DETECT, result=replace(DETECT.result, draws="")), args)
        return Inference({"generated image": "/images/a.png"})

    value = infer_over(TABLE["openpose-control"], {"image": film}, drawn, LIMITS).value
    assert value["generated image"] == "/images/a.png"
    assert value["times"] == [0, 1, 2]
    assert value["note"] == "from 0:00 to 0:02"


def test_where_no_picture_gives_a_result_the_reason_is_told(tmp_path: Path) -> None:
    path = tmp_path / "blue.mp4"
    path.write_bytes(mp4_bytes([BLUE] * 8, 4))
    with pytest.raises(ExpertUnavailable, match="There is no bus"):
        infer_over(DETECT, {"image": path}, ByColour(), LIMITS)


def test_pictures_that_are_too_large_are_not_decoded(film: Path) -> None:
    limits = LIMITS.model_copy(update={"max_megapixels": 0.001})
    with pytest.raises(MediaError, match=r"larger than the 0\.001 megapixels allowed \(limits\.max_megapixels\)"):
        infer_over(DETECT, {"image": film}, ByColour(), limits)


def test_only_what_looks_at_pictures_takes_a_video(film: Path) -> None:
    assert video_of(DETECT, {"image": film}) == ("image", film)
    assert video_of(DETECT, {"image": film.with_suffix(".png")}) is None
    assert video_of(CROP, {"image": film}) is None
