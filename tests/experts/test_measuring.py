"""What is measured of pictures."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageFilter

from hugginggpt.experts.measuring import say_picture


def test_a_picture_is_measured(tmp_path: Path) -> None:
    stripes = Image.new("RGB", (64, 32), "white")
    stripes.paste("black", (16, 0, 32, 32))
    stripes.save(tmp_path / "sharp.png")
    stripes.filter(ImageFilter.GaussianBlur(3)).save(tmp_path / "soft.png")
    sharp, soft = (say_picture(tmp_path / name) for name in ("sharp.png", "soft.png"))
    assert (sharp["width"], sharp["height"], sharp["pixels"]) == (64, 32, 2048)
    assert sharp["brightness"] == 75.0 and sharp["sharpness"] > 5 * soft["sharpness"] > 0
    assert sharp["bytes"] == (tmp_path / "sharp.png").stat().st_size
