"""Recordings and videos of every container are known by their content, decoded and looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from hugginggpt.core.errors import MediaError
from hugginggpt.media import video
from hugginggpt.media.decoding import load_audio
from hugginggpt.media.store import MediaStore
from hugginggpt.media.types import FILE_TYPES
from tests.conftest import MakeConfig

SOUND = {
    "wav": ("wav", "pcm_s16le"), "mp3": ("mp3", "libmp3lame"), "flac": ("flac", "flac"), "ogg": ("ogg", "libopus"),
    "m4a": ("ipod", "aac"), "aac": ("adts", "aac"), "aiff": ("aiff", "pcm_s16be"), "amr": ("amr", "libopencore_amrnb"),
    "wma": ("asf", "wmav2"),
}  # fmt: skip
MOVING = {
    "mp4": ("mp4", "mpeg4"), "webm": ("webm", "libvpx"), "mkv": ("matroska", "mpeg4"), "mov": ("mov", "mpeg4"),
    "avi": ("avi", "mpeg4"), "m4v": ("mp4", "mpeg4"), "mpg": ("mpeg", "mpeg1video"), "wmv": ("asf", "wmv2"),
    "3gp": ("3gp", "h263"), "flv": ("flv", "flv1"), "m2ts": ("mpegts", "mpeg2video"), "ogv": ("ogg", "libvpx"),
}  # fmt: skip
"""The name by which FFmpeg writes each container, and the codec of its sound, or of its pictures."""


def test_each_container_is_tried() -> None:
    firsts = {row.suffixes[0] for row in FILE_TYPES if row.readable and row.kind in ("audio", "video")}
    assert firsts == {*SOUND, *MOVING}


@pytest.mark.parametrize("suffix", SOUND)
def test_a_recording_is_decoded(make_config: MakeConfig, tmp_path: Path, suffix: str) -> None:
    name, codec = SOUND[suffix]
    rate = 8000 if suffix == "amr" else 48_000
    file = tmp_path / f"tone.{suffix}"
    with av.open(str(file), "w", format=name) as out:
        stream: Any = out.add_stream(codec, rate=rate, layout="mono")
        if suffix == "wma":
            stream.bit_rate = 64_000
        tone = (8000 * np.sin(np.arange(rate) / 10)).astype(np.int16)[None]
        frame = av.AudioFrame.from_ndarray(tone, format="s16", layout="mono")
        frame.sample_rate = rate
        out.mux([*stream.encode(frame), *stream.encode()])
    stored = MediaStore(make_config()).attach(file)
    assert stored.suffix == f".{suffix}"
    MediaStore(make_config()).check(stored, "audio")
    samples = load_audio(stored, 16_000)
    assert 0.9 < len(samples) / 16_000 < 1.2
    assert samples.std() > 0.05


@pytest.mark.parametrize("suffix", MOVING)
def test_a_video_is_looked_at(make_config: MakeConfig, tmp_path: Path, suffix: str) -> None:
    name, codec = MOVING[suffix]
    file = tmp_path / f"red.{suffix}"
    with av.open(str(file), "w", format=name) as out:
        stream: Any = out.add_stream(codec, rate=25, width=176, height=144, pix_fmt="yuv420p")
        stream.codec_context.thread_count = 1  # several spin, which takes a minute on a busy machine
        red = np.full((144, 176, 3), (200, 20, 20), np.uint8)
        for _ in range(25):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(red, format="rgb24")))
        out.mux(stream.encode())
    store = MediaStore(make_config())
    stored = store.attach(file)
    store.check(stored, "video")
    assert video.seconds(stored) == pytest.approx(1, abs=0.15)
    seen = [picture for _, picture in video.frames(stored, [(0, 5)])]
    assert len(seen) == 25
    assert np.abs(seen[12].to_ndarray(format="rgb24").mean((0, 1)) - (200, 20, 20)).max() < 12


@pytest.mark.parametrize(("name", "codec"), [("mpegts", "mpeg2video"), ("mpeg", "mpeg1video"), ("mp4", "mpeg4")])
def test_every_frame_is_found_however_far_apart_key_frames_are(tmp_path: Path, name: str, codec: str) -> None:
    file = tmp_path / "steps.video"
    with av.open(str(file), "w", format=name) as out:
        options = {"g": "200", "sc_threshold": "1000000000"}
        stream: Any = out.add_stream(codec, rate=25, width=176, height=144, pix_fmt="yuv420p", options=options)
        for number in range(500):
            grey = np.full((144, 176, 3), 20 + number % 10 * 20, np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(grey, format="rgb24")))
        out.mux(stream.encode())
    for start in (0, 3, 6.2, 15, 19):
        times = [at for at, _ in video.frames(file, [(start, start + 1)])]
        assert times == pytest.approx([start + number / 25 for number in range(25)], abs=0.01)


@pytest.mark.parametrize("suffix", [*SOUND, *MOVING])
@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"words, not sound " * 99], ids=["empty", "zeros", "text"])
def test_what_is_none_is_refused(make_config: MakeConfig, tmp_path: Path, suffix: str, content: bytes) -> None:
    file = tmp_path / f"none.{suffix}"
    file.write_bytes(content)
    with pytest.raises(MediaError):
        MediaStore(make_config()).check(MediaStore(make_config()).attach(file), "audio")


@pytest.mark.parametrize("inside", [b"", b"moov"])
def test_a_file_of_too_many_boxes_is_refused_before_ffmpeg_reads_it(
    make_config: MakeConfig, tmp_path: Path, inside: bytes
) -> None:
    boxes = b"\0\0\0\x08free" * 100_001
    if inside:
        boxes = (len(boxes) + 8).to_bytes(4, "big") + inside + boxes
    (tmp_path / "boxes.mp4").write_bytes(b"\0\0\0\x0cftypisom" + boxes)
    store = MediaStore(make_config())
    stored = store.attach(tmp_path / "boxes.mp4")
    for kind in ("video", "audio"):
        with pytest.raises(MediaError, match="more than 100,000 parts"):
            store.check(stored, kind)  # type: ignore[arg-type]


def test_pictures_that_become_too_large_are_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the header says of their size holds for the first ones alone."""
    file = tmp_path / "grows.webm"
    with av.open(str(file), "w", format="webm") as out:
        stream: Any = out.add_stream("libvpx", rate=25, width=64, height=64, pix_fmt="yuv420p", options={"g": "1"})
        red = av.VideoFrame.from_ndarray(np.full((64, 64, 3), 90, np.uint8), format="rgb24")
        for number in range(50):
            red.pts = number
            out.mux(stream.encode(red))
        out.mux(stream.encode())
    assert video.frame_at(file, 1.5)[1].size == (64, 64)
    assert video.frame_at(file, 1.5, longest=32)[1].size == (32, 32)
    content, key_frame = bytearray(file.read_bytes()), b"\x9d\x01\x2a"
    at = content.find(key_frame)
    while (at := content.find(key_frame, at + 3)) >= 0:
        content[at + 3 : at + 7] = (7_900).to_bytes(2, "little") * 2
    file.write_bytes(content)
    with pytest.raises(
        MediaError, match=r"^grows\.webm cannot be read as a video: it is damaged, or its pictures become too"
    ):
        video.frame_at(file, 1.5)
    monkeypatch.setattr(video, "MAX_PIXELS", 2_000)
    with pytest.raises(
        MediaError, match=r"^The pictures of grows\.webm are larger than the 0\.002 megapixels possible"
    ):
        video.frame_at(file, 0)
