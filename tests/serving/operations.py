"""What the operations on files get in tests of the model server."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from hugginggpt.media.encoding import mp4_bytes

HOW = {
    "crop-image": "left half", "resize-image": "50 %", "rotate-image": "90 degrees left", "adjust-image": "brighter",
    "convert-image": "png", "cut-audio": "first 2 seconds", "adjust-audio": "6 dB quieter",
    "cut-video": "first second", "adjust-video": "without sound",
}  # fmt: skip
"""The words of those that need some."""
VIDEO = "film.mp4"


def write_video(folder: Path) -> Path:
    """A video of two seconds in the folder."""
    file = folder / VIDEO
    file.write_bytes(mp4_bytes([Image.new("RGB", (64, 48), (200, 10 * at, 40)) for at in range(20)], 10))
    return file
