"""What the operations on files get in tests of the model server."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from hugginggpt.media.encoding import mp4_bytes
from tests.media.samples import write_pdf

HOW = {
    "crop-image": "left half", "resize-image": "50 %", "rotate-image": "90 degrees left", "adjust-image": "brighter",
    "convert-image": "png", "cut-audio": "first 2 seconds", "adjust-audio": "6 dB quieter",
    "cut-video": "first second", "adjust-video": "without sound", "extract-pages": "page 2", "redact-image": "the left half",
    "write-on-image": "Hello", "move-subtitles": "2 seconds later",
}  # fmt: skip
"""The words of those that need some."""
VIDEO, DOCUMENT, MOVING, SUBTITLES = "film.mp4", "report.pdf", "moving.gif", "film.srt"


def write_video(folder: Path) -> Path:
    """A video of two seconds in the folder."""
    file = folder / VIDEO
    file.write_bytes(mp4_bytes([Image.new("RGB", (64, 48), (200, 10 * at, 40)) for at in range(20)], 10))
    return file


def write_documents(folder: Path) -> None:
    """A PDF of three pages, subtitles, and a GIF of three frames in the folder."""
    write_pdf(folder / DOCUMENT)
    (folder / SUBTITLES).write_text("1\n00:00:01,000 --> 00:00:03,000\nGood morning.\n", encoding="utf-8")
    frames = [Image.new("RGB", (40, 30), colour) for colour in ("red", "green", "blue")]
    frames[0].save(folder / MOVING, save_all=True, append_images=frames[1:])
