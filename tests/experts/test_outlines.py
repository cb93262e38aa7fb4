"""Objects that are cut out by their colours, and what has none that could be."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hugginggpt.common.paths import PUBLIC
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.outlines import object_masks
from hugginggpt.media.drawing import cut_out

FILES = PUBLIC / "examples"


def test_the_cat_is_cut_out_and_its_surroundings_are_not() -> None:
    found = object_masks(FILES / "d.jpg")
    mask = np.asarray(found["predicted"][0]["mask"]) > 127
    height, width = mask.shape
    assert found["predicted"][0]["label"] == "cat" and "roughly" in found["note"]
    assert mask[height * 6 // 10, width * 4 // 10]
    assert not mask[: height // 8].any() and not mask[height * 9 // 10 :].any()
    assert 0.2 < mask.mean() < 0.5


def test_the_same_picture_has_the_same_outline() -> None:
    one, other = (object_masks(FILES / "a.jpg")["predicted"][0]["mask"] for _ in range(2))
    assert one.tobytes() == other.tobytes()


def test_what_shows_no_object_is_not_cut_out(tmp_path: Path) -> None:
    Image.new("RGB", (300, 200), "teal").save(tmp_path / "teal.png")
    with pytest.raises(ExpertUnavailable, match="No person and no everyday object"):
        object_masks(tmp_path / "teal.png")


def test_a_cut_out_is_transparent_beside_its_masks() -> None:
    picture, mask = Image.new("RGB", (20, 10), "red"), Image.new("L", (20, 10))
    mask.paste(255, (0, 0, 10, 10))
    cut = cut_out(picture, [mask])
    assert cut is not None and cut.getpixel((2, 2)) == (255, 0, 0, 255) and cut.getpixel((15, 2))[3] == 0  # type: ignore[index]
    assert (
        cut_out(picture, [Image.new("L", (20, 10), 255)]) is None
        and cut_out(picture, [Image.new("L", (20, 10))]) is None
    )
