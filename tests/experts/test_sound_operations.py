"""Operations on recordings: parts by their times, loudness, speed, formats, and what is refused."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hugginggpt.core.errors import BackendError, MediaError, UserError
from hugginggpt.experts import sound_operations as operations
from hugginggpt.experts.time_parts import read_part
from hugginggpt.media.content import content_of
from hugginggpt.media.decoding import decoding
from hugginggpt.media.encoding import wav_bytes
from hugginggpt.media.sound import measure, written
from tests.trials.grading import SETS

RATE = 16_000


@pytest.fixture(scope="module")
def tone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds of a tone."""
    time = np.arange(4 * RATE) / RATE
    path = tmp_path_factory.mktemp("sound") / "tone.wav"
    path.write_bytes(wav_bytes((0.1 * np.sin(2 * np.pi * 440 * time)).astype(np.float32), RATE))
    return path


def seconds(answer: dict[str, Any]) -> float:
    return measure(io.BytesIO(answer["generated audio"])).seconds


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("the first 30 seconds", [(0, 30)]), ("last 10 s", [(50, 60)]), ("0:10 to 0:20", [(10, 20)]), ("10 to 20 seconds", [(10, 20)]),
        ("without the first 5 seconds", [(5, 60)]), ("cut off the last ten seconds", [(0, 50)]), ("second half", [(30, 60)]),
        ("remove between 0:10 and 0:20", [(0, 10), (20, 60)]), ("from 0:45 on", [(45, 60)]), ("from 0:45 to the end", [(45, 60)]),
        ("the first minute", [(0, 60)]), ("to half a minute", [(0, 30)]), ("the start to 0:05", [(0, 5)]), ("seconds 4 to 9", [(4, 9)]),
        ("drop the first 5 and the last 10 seconds", [(5, 50)]), ("until 0:20", [(0, 20)]),
        ("the first two thirds", [(0, 40)]), ("last 10 %", [(54, 60)]), ("the second quarter", [(15, 30)]),
        ("cut off everything after the first 10 seconds", [(0, 10)]), ("all before the last 5 seconds", [(0, 55)]),
        ("cut out the first 5 seconds only", [(0, 5)]), ("cut out the first 5 seconds", [(5, 60)]),
        ("cut out the scene from 0:10 to 0:20", [(10, 20)]), ("clip out that bit between 30 and 45 seconds for me", [(30, 45)]),
        ("cut out the boring part from 0:10 to 0:20", [(0, 10), (20, 60)]),
        ("cut out the part from 0:10 to 0:20 and keep the rest", [(0, 10), (20, 60)]),
    ],
)  # fmt: skip
def test_parts(words: str, kept: list[tuple[float, float]]) -> None:
    assert read_part(words, 60).kept(60) == kept


@pytest.mark.parametrize(
    ("words", "says"),
    [("from 2:00 on", "lasts 1:00"), ("the funny bit", "Which part"), ("remove the first 5 minutes", "Nothing")],
)
def test_parts_that_there_are_not(words: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        read_part(words, 60)


@pytest.mark.parametrize("words", ["after " + "9" * 200 + " seconds", "1" * 200, "1" * 10_000, "from 9999999999 s on"])
def test_parts_that_nobody_means(tone: Path, words: str) -> None:
    with pytest.raises(UserError):
        operations.cut(tone, words)


def test_what_is_made_has_an_end(tone: Path) -> None:
    """By the number of changes, by all changes of the speed together, by its length, and where nobody waits for it."""
    with pytest.raises(UserError, match="At most 8 changes"):
        operations.adjust(tone, "mono," * 10)
    with pytest.raises(UserError, match=r"0\.25 to 4 times"):
        written([(tone, [("atempo", "0.5")] * 3)], "wav")
    with decoding(5), pytest.raises(UserError, match="limits.max_minutes"):
        operations.adjust(tone, "half speed")
    with decoding(10, lambda: True), pytest.raises(BackendError, match="nobody waits"):
        operations.adjust(tone, "half speed")


def test_cut_join_and_convert(tone: Path) -> None:
    assert seconds(operations.cut(tone, "first 1.5 seconds")) == pytest.approx(1.5, abs=0.01)
    assert seconds(operations.cut(tone, "remove 0:01 to 0:02")) == pytest.approx(3, abs=0.01)
    assert seconds(operations.join([tone, tone])) == pytest.approx(8, abs=0.01)
    assert seconds(operations.join([tone, tone, tone], "a pause of 1.5 s")) == pytest.approx(15, abs=0.01)
    for kind, begins in [("mp3", b"ID3"), ("ogg", b"OggS"), ("flac", b"fLaC"), ("wav", b"RIFF")]:
        answer = operations.convert(tone, f"an {kind} file")
        assert answer["generated audio"].startswith(begins) and seconds(answer) == pytest.approx(4, abs=0.1)
    m4a = operations.convert(tone, "m4a")["generated audio"]
    assert content_of(m4a[:8192]) == "audio/mp4"  # by its brand, else it counts as a video


def test_loudness_is_changed_by_what_is_asked(tone: Path) -> None:
    before = measure(tone).loudness
    assert before is not None
    for change, wanted in [
        ("6 dB louder", before + 6),
        ("quieter", before - 6),
        ("to -30 LUFS", -30),
        ("normalise", -16),
    ]:
        after = measure(io.BytesIO(operations.adjust(tone, change)["generated audio"])).loudness
        assert after == pytest.approx(wanted, abs=0.5), change


@pytest.mark.parametrize(
    ("change", "factor"),
    [("twice as fast", 2), ("half speed", 0.5), ("20 % slower", 0.8), ("1.5x", 1.5), ("slower", 0.8)],
)
def test_speeds(change: str, factor: float) -> None:
    assert operations._factor(change) == factor


def test_several_changes_at_once(tone: Path) -> None:
    answer = operations.adjust(tone, "twice as fast, backwards and fade out")
    assert seconds(answer) == pytest.approx(2, abs=0.1)
    assert answer["note"] == "2 times as fast, backwards, faded out over 2 s"


def test_a_recording_is_measured(tone: Path) -> None:
    assert operations.say_measures(tone)["answer"].startswith("0:04 long (4.0 s), -")


def test_what_cannot_be_done_is_said(tone: Path, tmp_path: Path) -> None:
    silent = tmp_path / "silent.wav"
    silent.write_bytes(wav_bytes(np.zeros(RATE, np.float32), RATE))
    (tmp_path / "text.wav").write_bytes(b"no sound")
    for wrong, says in [
        (lambda: operations.adjust(tone, "nicer"), "Possible are"),
        (lambda: operations.adjust(tone, "100 times faster"), "0.25 to 4"),
        (lambda: operations.adjust(tone, "90 dB louder"), "40 dB"),
        (lambda: operations.adjust(silent, "louder"), "silent"),
        (lambda: operations.convert(tone, "wma"), "mp3"),
        (lambda: operations.join([tone]), "2 to 50"),
    ]:
        with pytest.raises(UserError, match=says):
            wrong()
    with pytest.raises(MediaError):
        measure(tmp_path / "text.wav")


def test_a_number_counts_once_and_wins_over_an_adjective(tone: Path) -> None:
    before = measure(tone).loudness or 0.0
    quieter = operations.adjust(tone, "quieter, to -30 lufs")
    assert measure(io.BytesIO(quieter["generated audio"])).loudness == pytest.approx(-30, abs=0.2)
    assert f"from {before:.1f} to -30.0 LUFS" in quieter["note"]
    assert seconds(operations.adjust(tone, "slower, 0.5 times")) == pytest.approx(8, abs=0.1)


def test_a_loudness_that_was_not_reached_is_not_claimed(tone: Path) -> None:
    answer = operations.adjust(tone, "35 dB louder")
    reached = (measure(io.BytesIO(answer["generated audio"])).loudness or 0) - (measure(tone).loudness or 0)
    assert reached < 30 and answer["note"].startswith(
        f"as loud as it can be without clipping: {reached:.1f} dB louder, "
    )


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("from minute 1 on", [(60, 120)]),
        ("until second 30", [(0, 30)]),
        ("after minute 1", [(60, 120)]),
        ("first minute", [(0, 60)]),
    ],
)
def test_times_whose_unit_stands_first(words: str, kept: list[tuple[float, float]]) -> None:
    assert read_part(words, 120).kept(120) == kept


@pytest.mark.parametrize(
    ("words", "rate", "channels"),
    [
        ("wav, 8 kHz", 8000, 1),
        ("flac, 44.1 kHz", 44_100, 1),
        ("sample rate of 22050", 22_050, 1),
        ("mp3, stereo", RATE, 2),
    ],
)
def test_rates_are_those_that_are_told(tone: Path, words: str, rate: int, channels: int) -> None:
    made = measure(io.BytesIO(operations.convert(tone, words)["generated audio"]))
    assert (made.rate, made.channels) == (rate, channels)


def test_a_bit_rate_makes_a_file_smaller(tone: Path) -> None:
    large, small = (len(operations.convert(tone, f"mp3, {bits} kbit/s")["generated audio"]) for bits in (160, 32))
    assert small < 0.35 * large


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("wav, 128 kbit/s", "no bit rate"),
        ("mp3, 5 kbit/s", "bit rate is"),
        ("ogg, 44.1 kHz", "48,000"),
        ("cassette", "Sound is saved"),
    ],
)
def test_rates_that_a_format_does_not_have(tone: Path, words: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        operations.convert(tone, words)


@pytest.mark.parametrize(
    ("change", "lasts"),
    [
        ("repeat it twice", 8),
        ("loop", 8),
        ("three times in a row", 12),
        ("five times as long, repeating", 20),
        ("repeat 3 times, twice as fast", 6),
    ],
)
def test_repeated(tone: Path, change: str, lasts: float) -> None:
    assert seconds(operations.adjust(tone, change)) == pytest.approx(lasts, abs=0.1)


def test_what_is_repeated_too_often(tone: Path) -> None:
    with pytest.raises(UserError, match="2 to 50 times"):
        operations.adjust(tone, "repeat 9000 times")
    with pytest.raises(UserError, match="not 1,000,000"):
        operations.adjust(tone, "a million times in a row")


def test_fades_last_as_long_as_told(tone: Path) -> None:
    assert "faded out over 2 s" in operations.adjust(tone, "fade out the last 2 seconds")["note"]
    assert "faded in and out over 1 s" in operations.adjust(tone, "fade in and out over a second")["note"]


@pytest.mark.parametrize(("change", "lasts"), [("slower, 80 percent", 5), ("20 % slower", 5), ("slower by 20 %", 5)])
def test_a_share_of_the_speed(tone: Path, change: str, lasts: float) -> None:
    assert seconds(operations.adjust(tone, change)) == pytest.approx(lasts, abs=0.1)


def test_clipping_is_blamed_only_where_the_peak_is_near() -> None:
    note = operations.adjust(SETS / "november" / "memo_shopping.mp3", "6 dB louder")["note"]  # a whisper
    assert "6.0 dB louder" in note and "clip" not in note


def test_an_m4a_is_known_for_sound(tone: Path) -> None:
    assert operations.convert(tone, "m4a")["generated audio"][4:12] == b"ftypM4A "


def test_what_can_hardly_be_heard_becomes_as_loud_as_speech(tone: Path, tmp_path: Path) -> None:
    faint = tmp_path / "faint.wav"
    faint.write_bytes(operations.adjust(tone, "40 dB quieter")["generated audio"])
    louder = tmp_path / "louder.wav"
    louder.write_bytes(operations.adjust(faint, "louder")["generated audio"])
    assert (measure(louder).loudness or -70) > -30
