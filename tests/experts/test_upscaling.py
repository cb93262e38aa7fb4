"""Pictures that are halved and doubled again come nearer to the original than by interpolation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import upscaling
from hugginggpt.offline.planner import plan_offline
from tests.conftest import TABLE


def error(one: Image.Image, other: Image.Image) -> float:
    """The mean squared error of two pictures."""
    return float(np.mean((np.asarray(one, float) - np.asarray(other, float)) ** 2))


def test_a_doubled_photograph_is_nearer_to_the_original_than_a_stretched_one() -> None:
    original = Image.open(ROOT / "public" / "examples" / "f.jpg").convert("RGB").crop((150, 0, 450, 200))
    half = original.resize((150, 100), Image.Resampling.BICUBIC)
    stretched = half.resize(original.size, Image.Resampling.BICUBIC)
    assert error(upscaling.doubled(half), original) < 0.6 * error(stretched, original)


def test_the_seams_of_the_tiles_are_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = Image.open(ROOT / "public" / "examples" / "g.jpg").convert("RGB").crop((0, 0, 70, 50))
    whole = upscaling.doubled(picture)
    monkeypatch.setattr(upscaling, "TILE", 32)
    assert np.abs(np.asarray(upscaling.doubled(picture), int) - np.asarray(whole, int)).max() <= 1


def test_a_picture_is_quadrupled_if_it_is_not_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.new("RGB", (20, 10), "green").save(tmp_path / "small.png")
    assert upscaling.enlarge(tmp_path / "small.png").size == (40, 20)
    assert upscaling.enlarge(tmp_path / "small.png", factor="4").size == (80, 40)
    monkeypatch.setattr(upscaling, "MAX_PIXELS", 100)
    with pytest.raises(ExpertUnavailable, match="20 x 10 pixels is not made larger"):
        upscaling.enlarge(tmp_path / "small.png")


@pytest.mark.parametrize(
    ("request_text", "args"),
    [
        ("Upscale cat-4.png", {"image": "cat-4.png"}),
        ("I need cat.jpg in a higher resolution", {"image": "cat.jpg"}),
        ("upscale cat.png 4x please", {"image": "cat.png", "factor": "4"}),
        ("increase the resolution of cat.png four times", {"image": "cat.png", "factor": "four"}),
    ],
)
def test_it_is_planned_with_its_factor(request_text: str, args: dict[str, str]) -> None:
    assert [(one["task"], one["args"]) for one in plan_offline(request_text, TABLE)] == [("super-resolution", args)]
