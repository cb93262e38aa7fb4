"""Operations on videos: parts, still pictures, GIFs, another sound."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from hugginggpt.core.errors import MediaError, UserError
from hugginggpt.experts import video_operations as operations
from hugginggpt.media import video
from hugginggpt.media.encoding import mp4_bytes, wav_bytes
from hugginggpt.media.sound import measure

RATE = 16_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A video of 4 seconds without sound, which turns from red to blue, and a tone of 10 seconds."""
    path = tmp_path_factory.mktemp("video")
    frames = [Image.new("RGB", (64, 48), (250 - 6 * at, 0, 6 * at)) for at in range(40)]
    (path / "film.mp4").write_bytes(mp4_bytes(frames, 10))
    tone = 0.1 * np.sin(np.arange(10 * RATE) / 6)
    (path / "tone.wav").write_bytes(wav_bytes(tone.astype(np.float32), RATE))
    return path


def saved(folder: Path, answer: dict[str, Any]) -> Path:
    path = folder / "result.mp4"
    path.write_bytes(answer["generated video"])
    return path


def test_cut(folder: Path) -> None:
    film = folder / "film.mp4"
    for part, seconds in [
        ("first 1.5 seconds", 1.5),
        ("0:01 to 0:03", 2),
        ("remove 0:01 to 0:02", 3),
        ("last second", 1),
    ]:
        assert video.seconds(saved(folder, operations.cut(film, part))) == pytest.approx(seconds, abs=0.11)


def test_a_new_sound_ends_with_the_video(folder: Path) -> None:
    answer = operations.add_sound(folder / "film.mp4", folder / "tone.wav")
    assert measure(io.BytesIO(answer["generated video"])).seconds == pytest.approx(4, abs=0.1)
    cut = saved(folder, operations.cut(saved(folder, answer), "first 2 seconds"))
    assert measure(cut).seconds == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize(("time", "red"), [("the start", 250), ("0:01", 190), ("", 130), ("the last frame", 16)])
def test_the_picture_at_a_time(folder: Path, time: str, red: int) -> None:
    picture = Image.open(io.BytesIO(operations.frame(folder / "film.mp4", time)["generated image"]))
    pixel = picture.getpixel((30, 20))
    assert isinstance(pixel, tuple) and pixel[0] == pytest.approx(red, abs=12)


def test_frames_on_a_sheet_and_a_gif(folder: Path) -> None:
    sheet = operations.frame(folder / "film.mp4", "every 2 seconds")
    assert sheet["note"] == "3 frames, at 0:00, 0:02, 0:04"
    gif = Image.open(io.BytesIO(operations.gif(folder / "film.mp4", "first 2 seconds")["generated image"]))
    assert (gif.format, getattr(gif, "n_frames", 0)) == ("GIF", 20)


def test_what_cannot_be_done_is_said(folder: Path) -> None:
    film = folder / "film.mp4"
    for wrong, says in [
        (lambda: operations.cut(film, "from 1:00 on"), "lasts 0:04"),
        (lambda: operations.frame(film, "0:30"), "nothing at 0:30"),
        (lambda: operations.frame(film, "somewhere"), "Which time"),
        (lambda: operations.frame(film, "every 10 ms"), "fit on one sheet"),
    ]:
        with pytest.raises(UserError, match=says):
            wrong()
    with pytest.raises(MediaError, match="no moving pictures"):
        operations.cut(folder / "tone.wav", "first second")


def test_speed_and_sound_are_changed(folder: Path) -> None:
    film = folder / "with_sound.mp4"
    film.write_bytes(operations.add_sound(folder / "film.mp4", folder / "tone.wav")["generated video"])
    fast = saved(folder, operations.adjust(film, "speed, 2x"))
    assert video.seconds(fast) == pytest.approx(2, abs=0.2) and measure(fast).seconds == pytest.approx(2, abs=0.2)
    mute = saved(folder, operations.adjust(film, "no audio"))
    assert video.seconds(mute) == pytest.approx(4, abs=0.2)
    with pytest.raises(MediaError, match="no sound"):
        measure(mute)
    slow = saved(folder, operations.adjust(folder / "film.mp4", "half speed"))
    assert video.seconds(slow) == pytest.approx(8, abs=0.2)
    same = saved(folder, operations.adjust(film, "as an mp4"))
    assert video.seconds(same) == pytest.approx(4, abs=0.2) and measure(same).seconds == pytest.approx(4, abs=0.2)
    for words in ("backwards", "prettier", "as webm"):
        with pytest.raises(UserError):
            operations.adjust(film, words)


def test_stills_are_files_of_their_own(folder: Path) -> None:
    made = operations.frame(folder / "film.mp4", "3 screenshots")["generated image"]
    reds = [Image.open(io.BytesIO(data)).convert("RGB").getpixel((9, 9))[0] for data in made]  # type: ignore[index]
    assert len(reds) == 3 and reds == sorted(reds, reverse=True) and reds[0] - reds[2] > 100
    with pytest.raises(UserError, match="1 to 36"):
        operations.frame(folder / "film.mp4", "90 stills")


def test_a_time_whose_unit_stands_first(folder: Path) -> None:
    assert operations.frame(folder / "film.mp4", "at second 3")["note"].startswith("at 0:03 ")


def test_the_look_of_a_gif(folder: Path) -> None:
    made = operations.gif(folder / "film.mp4", "first 2 seconds", "5 frames per second, 32 px wide")
    gif = Image.open(io.BytesIO(made["generated image"]))
    assert (gif.width, gif.n_frames, gif.info["duration"]) == (32, 10, 200)  # type: ignore[attr-defined]
    with pytest.raises(UserError, match="frames a second"):
        operations.gif(folder / "film.mp4", "", "200 fps")


def test_frame_rates_and_repeated_videos(folder: Path) -> None:
    film = folder / "film.mp4"
    slow = saved(folder, operations.adjust(film, "5 frames per second"))
    assert sum(1 for _ in video.frames(slow, [(0.0, 9.0)])) == pytest.approx(20, abs=1)
    twice = saved(folder, operations.adjust(film, "repeat twice"))
    assert video.seconds(twice) == pytest.approx(8, abs=0.2)
    with pytest.raises(UserError, match="1 to 60"):
        operations.adjust(film, "500 fps")


def test_the_look_of_a_video_is_changed(folder: Path) -> None:
    def first_picture(change: str) -> Image.Image:
        return video.frame_at(saved(folder, operations.adjust(folder / "film.mp4", change)), 0.0)[1]

    red, green, blue = first_picture("black and white").convert("RGB").getpixel((30, 20))  # type: ignore[misc]
    assert red == pytest.approx(blue, abs=4) and red == pytest.approx(green, abs=4)
    turned = first_picture("turn it by 90 degrees")
    assert turned.size == (48, 64)
