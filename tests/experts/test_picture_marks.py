"""Words written on pictures, borders, codes that are read, and videos made of pictures."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest
from PIL import Image

from hugginggpt.core.errors import UserError
from hugginggpt.experts import picture_marks as marks
from hugginggpt.experts.picture_operations import adjust, rotate
from hugginggpt.experts.slideshows import make
from hugginggpt.media.encoding import wav_bytes


def opened(answer: dict[str, Any]) -> Image.Image:
    return Image.open(io.BytesIO(answer["generated image"])).convert("RGB")


@pytest.fixture
def grey(tmp_path: Path) -> Path:
    Image.new("RGB", (400, 300), (90, 90, 90)).save(tmp_path / "grey.png")
    return tmp_path / "grey.png"


def written_box(picture: Image.Image) -> tuple[int, int, int, int]:
    """The box of what differs from the grey that was there."""
    differs = (abs(np.asarray(picture, int) - 90).max(-1) > 20).nonzero()
    return int(differs[1].min()), int(differs[0].min()), int(differs[1].max()), int(differs[0].max())


@pytest.mark.parametrize(
    ("look", "where"),
    [
        ("", (0.2, 0.8, 0.8, 1)), ("at the top", (0.2, 0, 0.8, 0.2)), ("top left", (0, 0, 0.6, 0.2)),
        ("lower right", (0.4, 0.8, 1, 1)), ("in the middle", (0.2, 0.4, 0.8, 0.6)),
    ],
)  # fmt: skip
def test_words_stand_where_they_are_wanted(grey: Path, look: str, where: tuple[float, float, float, float]) -> None:
    left, top, right, bottom = written_box(opened(marks.write(grey, "Good day", look)))
    assert (where[0] * 400 <= left, where[1] * 300 <= top, right <= where[2] * 400, bottom <= where[3] * 300) == (
        True,
    ) * 4


def test_colour_and_size_of_words(grey: Path) -> None:
    small, large = (marks.write(grey, "SALE", f"in the middle, {size} red") for size in ("small", "large"))
    assert written_box(opened(large))[3] - written_box(opened(large))[1] > 2 * (
        written_box(opened(small))[3] - written_box(opened(small))[1]
    )
    colours = {colour for _, colour in opened(large).getcolors(100_000) or []}
    assert (214, 28, 28) in colours
    boxed = {colour for _, colour in opened(marks.write(grey, "SOLD", "white on blue")).getcolors(100_000) or []}
    assert {(28, 84, 200), (255, 255, 255)} <= boxed
    assert "letters 60 pixels high" in marks.write(grey, "Hi", "size 60")["note"]


def test_a_long_text_is_broken_into_lines_and_a_much_longer_one_refused(grey: Path) -> None:
    left, _, right, _ = written_box(opened(marks.write(grey, "word " * 20)))
    assert (left > 0, right < 399) == (True, True)
    Image.new("RGB", (60, 40)).save(grey)
    with pytest.raises(UserError, match="too long for the picture"):
        marks.write(grey, "word " * 20)


def test_letters_that_there_are_not_are_named(grey: Path) -> None:
    marks.write(grey, "Grüße, Ελλάδα, Привет")
    with pytest.raises(UserError, match="no letters here for “你好”"):
        marks.write(grey, "你好")
    with pytest.raises(UserError, match="what is to be written"):
        marks.write(grey, " ")


@pytest.mark.parametrize(
    ("change", "size", "corner"),
    [
        ("a black frame, 20 pixels", (440, 340), (0, 0, 0)), ("white border", (424, 324), (255, 255, 255)),
        ("a thin red border", (408, 308), (214, 28, 28)),
    ],
)  # fmt: skip
def test_borders(grey: Path, change: str, size: tuple[int, int], corner: tuple[int, int, int]) -> None:
    framed = opened(adjust(grey, change))
    assert (framed.size, framed.getpixel((1, 1)), framed.getpixel((200, 150))) == (size, corner, (90, 90, 90))


def test_warmer_and_cooler_colours(grey: Path) -> None:
    red, green, blue = opened(adjust(grey, "a bit warmer")).getpixel((5, 5))  # type: ignore[misc]
    assert red > green > blue
    red, green, blue = opened(adjust(grey, "cooler")).getpixel((5, 5))  # type: ignore[misc]
    assert red < green < blue


def test_a_bit_is_a_small_angle(grey: Path) -> None:
    assert rotate(grey, "a little bit to the left")["note"] == "by 5 degrees counter-clockwise"


# Codes


def test_a_qr_code_is_read_and_none_is_said(tmp_path: Path, grey: Path) -> None:
    code = Image.fromarray(cv2.QRCodeEncoder.create().encode("https://example.org/menu?id=7"))
    flyer = Image.new("RGB", (500, 400), "beige")
    flyer.paste(code.resize((code.width * 5, code.height * 5), Image.Resampling.NEAREST), (180, 120))
    flyer.save(tmp_path / "flyer.png")
    assert marks.read_codes(tmp_path / "flyer.png") == {"answer": "https://example.org/menu?id=7"}
    assert marks.read_codes(grey) == {"answer": "No QR code or barcode is found in the picture.", "found": False}


# Videos of pictures


@pytest.fixture
def pictures(tmp_path: Path) -> list[Path]:
    files = [tmp_path / f"{name}.png" for name in ("red", "green", "blue")]
    for file, size in zip(files, [(320, 180), (320, 180), (100, 200)], strict=True):
        Image.new("RGB", size, file.stem).save(file)
    return files


def frames(answer: dict[str, Any]) -> list[tuple[float, tuple[int, int, int]]]:
    """The time and the middle of each frame."""
    with av.open(io.BytesIO(answer["generated video"])) as container:
        return [
            (float(frame.time), frame.to_image().getpixel((frame.width // 2, frame.height // 2)))  # type: ignore[misc]
            for frame in container.decode(video=0)
        ]


def test_each_picture_is_seen_as_long_as_it_is_said(pictures: list[Path]) -> None:
    answer = make(pictures, "2 seconds each")
    seen = frames(answer)
    assert answer["note"] == "3 pictures, 2 s each, 0:06 long"
    assert len(seen) == 60
    for at, strongest in ((10, 0), (30, 1), (50, 2)):
        assert int(np.argmax(seen[at][1])) == strongest


def test_with_a_sound_the_video_is_as_long_as_that(pictures: list[Path], tmp_path: Path) -> None:
    (tmp_path / "tone.wav").write_bytes(wav_bytes(np.zeros(16_000 * 5, np.float32), 16_000))
    answer = make(pictures[:2], audio=tmp_path / "tone.wav")
    assert answer["note"] == "2 pictures, 2.5 s each, 0:05 long, with the sound"
    with av.open(io.BytesIO(answer["generated video"])) as container:
        assert [len(container.streams.audio), round(float(container.duration or 0) / 1e6)] == [1, 5]


def test_too_long_a_video_is_refused_before_it_is_made(pictures: list[Path]) -> None:
    with pytest.raises(UserError, match="up to 20 minutes"):
        make(pictures, "1 hour each")
