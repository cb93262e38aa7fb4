"""When speech and music are heard, on recordings whose parts are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hugginggpt.common.paths import ROOT
from hugginggpt.experts import registry, sound_events
from hugginggpt.experts.sound_events import RATE, Span
from hugginggpt.media.decoding import load_audio
from hugginggpt.media.encoding import wav_bytes
from hugginggpt.offline.planner import plan_offline
from tests.conftest import TABLE

EXAMPLES = ROOT / "public" / "examples"


def second(number: float) -> int:
    return round(number * RATE)


@pytest.mark.slow
def test_speech_and_music_are_told_apart_in_time(tmp_path: Path) -> None:
    speech, tone = (load_audio(EXAMPLES / name, RATE) for name in ("speech.wav", "tone.wav"))
    pause = np.zeros(second(2), np.float32)
    (tmp_path / "both.wav").write_bytes(wav_bytes(np.concatenate([speech[: second(3)], pause, tone]), RATE))
    found = sound_events.when_heard(tmp_path / "both.wav")
    by_kind = {kind: [one for one in found["events"] if one["label"] == kind] for kind in sound_events.KINDS}
    assert by_kind["speech"][0]["start"] < 0.5 and by_kind["speech"][-1]["end"] < 3.5
    (music,) = by_kind["music"]
    assert abs(music["start"] - 5) < 0.3 and abs(music["end"] - 5 - len(tone) / RATE) < 0.3
    assert by_kind["singing"] == [] and found["answer"].endswith("no singing")


@pytest.mark.slow
def test_long_recordings_are_worked_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = load_audio(EXAMPLES / "jfk.wav", RATE)
    whole = sound_events.probabilities(samples)
    monkeypatch.setattr(sound_events, "CHUNK", 300)
    assert np.abs(sound_events.probabilities(samples) - whole).max() < 1e-4
    assert whole.shape == ((len(samples) - 400) // 160 + 1, 3)


@pytest.mark.slow
def test_labels_and_the_shortest_recording(tmp_path: Path) -> None:
    expert, row = registry.expert_for("firered-events", "audio-classification"), TABLE["audio-classification"]
    assert registry.experts_for(row.name)[0].covers("") and not expert.covers("music")
    assert row.result.parse(expert.run(audio=EXAMPLES / "tone.wav"))[0]["label"] == "music"
    assert row.result.parse(expert.run(audio=EXAMPLES / "jfk.wav"))[0]["label"] == "speech"
    (tmp_path / "short.wav").write_bytes(wav_bytes(np.zeros(20, np.float32), RATE))
    assert sound_events.when_heard(tmp_path / "short.wav") == {
        "answer": "no speech and no singing and no music", "events": [],
    }  # fmt: skip


def test_spans_join_short_pauses_and_leave_out_short_sounds() -> None:
    above = np.zeros(1000, bool)
    for start, end in ((0, 100), (130, 200), (300, 310), (900, 1000)):
        above[start:end] = True
    assert list(sound_events._spans(above, 10.01)) == [Span(0, 2), Span(9, 10.01)]
    assert str(Span(9, 70.06)) == "0:09.0–1:10.1"


def test_band_energies_follow_the_pitch() -> None:
    loudest = [
        int(sound_events.band_energies(np.sin(2 * np.pi * hertz * np.arange(RATE) / RATE).astype(np.float32)).mean(0).argmax())
        for hertz in (200, 1000, 4000)
    ]  # fmt: skip
    assert loudest == sorted(loudest) and loudest[0] > 2 and loudest[-1] < 70


@pytest.mark.parametrize(
    "request_text",
    [
        "is there music in tape.wav?",
        "when does somebody speak in tape.wav?",
        "does anyone sing in tape.wav",
        "is tape.wav speech or music?",
        "Which parts of tape.wav are music?",
        "how much of tape.wav is speech",
        "when does the music start in tape.wav?",
        "find the passages in tape.wav where people talk",
    ],
)
def test_it_is_planned(request_text: str) -> None:
    plan = plan_offline(request_text, TABLE)
    assert [(one["task"], one["args"]) for one in plan] == [("voice-activity-detection", {"audio": "tape.wav"})]


@pytest.mark.parametrize(
    "request_text",
    ["which song is playing in tape.wav", "how many people speak in tape.wav", "what kind of music is in tape.wav"],
)
def test_what_it_cannot_tell_is_not_put_to_it(request_text: str) -> None:
    assert [one["task"] for one in plan_offline(request_text, TABLE)] == ["audio-classification"]
