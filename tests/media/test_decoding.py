"""Recordings that are longer than they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from hugginggpt.core.errors import BackendError, MediaError
from hugginggpt.media.decoding import _time_beyond, decoding, load_audio, sound_seconds
from hugginggpt.media.encoding import wav_bytes
from hugginggpt.media.store import MediaStore
from tests.conftest import MakeConfig
from tests.media.samples import silent_flac

RATE = 8000


def bomb(path: Path, minutes: int = 3) -> Path:
    """A FLAC whose container says that each of its packets lasts a millisecond."""
    with av.open(str(path), "w") as out:
        stream: Any = out.add_stream("flac", rate=RATE)
        stream.layout = "mono"
        silence = np.zeros((1, RATE * 60), np.int16)
        packets = []
        for minute in range(minutes):
            frame = av.AudioFrame.from_ndarray(silence, format="s16", layout="mono")
            frame.rate, frame.pts = RATE, minute * RATE * 60
            packets += stream.encode(frame)
        for number, packet in enumerate([*packets, *stream.encode()]):
            packet.duration, packet.pts, packet.dts = 1, number, number
            out.mux(packet)
    return path


def test_a_container_that_lies_about_its_packets_is_not_believed(tmp_path: Path, make_config: MakeConfig) -> None:
    file = bomb(tmp_path / "bomb.mkv")
    with av.open(str(file)) as container:
        assert (container.duration or 0) < 20_000_000  # in microseconds
    assert sound_seconds(file, 1000) == pytest.approx(180, abs=1)
    assert 60 < sound_seconds(file, 60) < 62
    with pytest.raises(MediaError, match=r"more than the 2 minutes of sound allowed \(limits.max_minutes\)"):
        MediaStore(make_config(limits={"max_minutes": 2})).check(file, "audio")


@pytest.mark.parametrize("told", [0, RATE, RATE * 60 * 100])
def test_a_long_recording_is_told_by_a_packet_of_its_end_whatever_its_header_says(tmp_path: Path, told: int) -> None:
    """Nothing is counted: that takes seconds on a busy machine."""
    file = silent_flac(tmp_path / "bomb.flac", 5, told)
    assert 240 < _time_beyond(file, 240) < 242
    assert 240 < sound_seconds(file, 240) < 242
    assert _time_beyond(file, 301) == 0
    assert sound_seconds(file, 301) == pytest.approx(300)


def test_decoding_ends_at_its_limit_whatever_was_said_before(tmp_path: Path) -> None:
    file = bomb(tmp_path / "bomb.mkv")
    with decoding(60), pytest.raises(MediaError, match=r"^bomb\.mkv has more than the 1 minutes of sound"):
        load_audio(file, RATE)
    with decoding(180):
        assert len(load_audio(file, RATE)) == 180 * RATE
    assert len(load_audio(file, RATE)) == 180 * RATE  # the limit was that of the block


def test_decoding_ends_when_nobody_waits_for_it(tmp_path: Path) -> None:
    (tmp_path / "long.wav").write_bytes(wav_bytes(np.zeros(RATE * 60, np.float32), RATE))
    asked: list[None] = []

    def is_over() -> bool:
        asked.append(None)
        return len(asked) == 2

    with decoding(3600, is_over), pytest.raises(BackendError, match="nobody waits for it any more"):
        load_audio(tmp_path / "long.wav", RATE)
    assert len(asked) == 2
