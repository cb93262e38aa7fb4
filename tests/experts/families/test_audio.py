"""Every family of audio models: a tiny model of the architecture, over real HTTP through the model server."""

from __future__ import annotations

import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hugginggpt.core.errors import BackendError, ExpertUnavailable
from hugginggpt.experts.families import audio as hearing
from hugginggpt.experts.families import speech as speaking
from hugginggpt.media.decoding import load_audio
from hugginggpt.media.encoding import wav_bytes
from hugginggpt.testing.servers import Serving
from tests.conftest import EXAMPLES
from tests.experts.families import tiny_audio, tiny_text
from tests.experts.families.loading import assert_batches, load, load_folder, prompts_of, refused, same

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("same_weights")]

RATE = tiny_audio.RATE
RECOGNITION, CLASSIFICATION = "automatic-speech-recognition", "audio-classification"
SPEECH = "/examples/speech.wav"
TEXT = "the cat sat on the mat."


@pytest.fixture
def spoken(tmp_path: Path) -> Callable[[float], Path]:
    """Writes the first seconds of the speech into a file."""

    def cut(seconds: float) -> Path:
        file = tmp_path / f"{seconds}.wav"
        file.write_bytes(wav_bytes(load_audio(EXAMPLES / "speech.wav", RATE)[: int(seconds * RATE)], RATE))
        return file

    return cut


def heard(server: Serving, answer: Any) -> tuple[np.ndarray[Any, Any], int]:
    """The samples of the WAV file that an answer names, and its rate."""
    assert set(answer) == {"path"} and answer["path"].startswith("/audios/")
    with wave.open(str(server.file(answer["path"]))) as file:
        assert file.getnchannels() == 1
        return np.frombuffer(file.readframes(file.getnframes()), "<i2"), file.getframerate()


def calls_of(module: Any) -> list[Any]:
    """Notes each call of a module from now on."""
    calls: list[Any] = []
    module.register_forward_hook(lambda *args: calls.append(args))
    return calls


# Speech to text


@pytest.mark.parametrize("multilingual", [True, False])
def test_whisper(server: Serving, models: Path, spoken: Any, monkeypatch: Any, multilingual: bool) -> None:
    tiny_audio.whisper(models / "tiny", multilingual)
    model = server.add(models / "tiny", RECOGNITION)
    assert server.ask(model, audio_url=SPEECH)["generated text"]
    loaded = load_folder(models / "tiny", RECOGNITION)
    asked = prompts_of(loaded, monkeypatch)
    requests = [{"audio": spoken(seconds)} for seconds in (0.05, 1, 2.9)]
    assert_batches(loaded, requests)
    assert len(asked[0]["input_features"]) == 3  # together
    assert asked[0].get("task") == ("transcribe" if multilingual else None)
    asked.clear()
    windows = calls_of(loaded.modules[0].model.encoder)
    loaded.run([{"audio": spoken(1)}, {"audio": EXAMPLES / "speech.wav"}])
    seconds = len(load_audio(EXAMPLES / "speech.wav", RATE)) / RATE
    assert asked[1]["input_features"].shape[-1] == pytest.approx(100 * seconds, abs=2)  # all of it
    assert len(windows) > seconds / tiny_audio.WHISPER_SECONDS


@pytest.mark.parametrize("norm", ["group", "layer"])
def test_wav2vec2(server: Serving, models: Path, spoken: Any, norm: str) -> None:
    tiny_audio.wav2vec2(models / "tiny", norm)
    model = server.add(models / "tiny", RECOGNITION)
    text = server.ask(model, audio_url=SPEECH)["generated text"]
    assert len(text) > 50 and set(text) <= set("abcdefghijklmnopqrstuvwxyz' ")
    requests = [{"audio": spoken(seconds)} for seconds in (0.05, 1, 2, 1)]
    assert len(set(assert_batches(load_folder(models / "tiny", RECOGNITION), requests))) == 3


def test_chunks_of_a_long_recording_join_without_a_seam(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = load(tiny_audio.local_wav2vec2, RECOGNITION, models).one(audio=EXAMPLES / "speech.wav")
    monkeypatch.setattr(hearing, "CHUNK_SECONDS", 2.0)
    monkeypatch.setattr(hearing, "OVERLAP_SECONDS", 0.5)
    in_chunks = load_folder(next(models.iterdir()), RECOGNITION)
    calls = calls_of(in_chunks.modules[0])
    assert in_chunks.one(audio=EXAMPLES / "speech.wav") == whole
    assert len(calls) > 2


def test_hubert(server: Serving, models: Path, spoken: Any) -> None:
    tiny_audio.hubert(models / "tiny")
    model = server.add(models / "tiny", RECOGNITION)
    assert len(server.ask(model, audio_url=SPEECH)["generated text"]) > 50
    assert_batches(load_folder(models / "tiny", RECOGNITION), [{"audio": spoken(1)}, {"audio": spoken(2)}])


def test_other_models_hear_part_by_part(server: Serving, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_audio.moonshine(models / "tiny")
    model = server.add(models / "tiny", RECOGNITION)
    assert server.ask(model, audio_url=SPEECH)["generated text"]
    loaded = load_folder(models / "tiny", RECOGNITION)
    monkeypatch.setattr(hearing, "SEGMENT_SECONDS", 4.0)
    asked = prompts_of(loaded, monkeypatch)
    loaded.one(audio=EXAMPLES / "speech.wav")
    lengths = [prompt["input_values"].shape[-1] for prompt in asked]
    assert len(lengths) >= 3 and max(lengths) <= 4 * RATE
    assert sum(lengths) == len(load_audio(EXAMPLES / "speech.wav", RATE))


def test_a_recording_in_which_nothing_is_said_is_told() -> None:
    with pytest.raises(BackendError, match="No speech"):
        hearing.transcript_text(" \n ")


@given(st.integers(1, 400), st.integers(4, 60), st.integers(0, 15))
@settings(max_examples=200, deadline=None)
def test_chunks_cover_each_sample_once(length: int, size: int, overlap: int) -> None:
    overlap = min(overlap, (size - 1) // 2)
    samples = np.arange(length, dtype=np.float32)
    parts = hearing.chunks(samples, size, overlap)
    inner = [part.samples[part.left : len(part.samples) - part.right] for part in parts]
    assert np.concatenate(inner).tolist() == samples.tolist()
    assert all(len(part.samples) <= size for part in parts)


@given(st.integers(1, 400), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_windows_are_whole_and_reach_the_end(length: int, size: int) -> None:
    parts = hearing.windows(np.arange(length, dtype=np.float32), size)
    assert {int(sample) for part in parts for sample in part} == set(range(length))
    assert {len(part) for part in parts} == {min(size, length)}


def test_recordings_are_cut_where_they_are_quiet() -> None:
    rate = 1000
    samples = np.ones(10 * rate, np.float32)
    samples[3500:3600] = 0
    parts = hearing.cut_at_pauses(samples, rate, 4.0)
    assert np.concatenate(parts).tolist() == samples.tolist()
    assert 3500 <= len(parts[0]) <= 3600 and all(len(part) <= 4 * rate for part in parts)


# What a recording holds


@pytest.mark.parametrize("make", [tiny_audio.wav2vec2_classifier, tiny_audio.spectrogram_transformer])
def test_audio_classification(server: Serving, models: Path, spoken: Any, make: Any) -> None:
    make(models / "tiny")
    model = server.add(models / "tiny", CLASSIFICATION)
    answer = server.ask(model, audio_url=SPEECH)
    assert len(answer) == 10 and all(set(row) == {"label", "score"} for row in answer)
    assert answer == sorted(answer, key=lambda row: -row["score"])
    assert {row["label"] for row in answer} <= set(tiny_audio.LABELS.values())
    assert 0 < sum(row["score"] for row in answer) < 1
    loaded = load_folder(models / "tiny", CLASSIFICATION)
    assert_batches(loaded, [{"audio": spoken(seconds)} for seconds in (0.1, 1, 5)])


def test_the_labels_of_a_long_recording_are_those_of_all_its_parts(models: Path, tmp_path: Path) -> None:
    loaded = load(tiny_audio.spectrogram_transformer, CLASSIFICATION, models)
    size = int(2.56 * RATE)
    rng = np.random.default_rng(0)
    halves = [rng.normal(0, 0.02, size).astype(np.float32), np.sin(np.arange(size) / 9).astype(np.float32) / 2]
    files = {"first": halves[0], "second": halves[1], "both": np.concatenate(halves)}
    for name, samples in files.items():
        (tmp_path / f"{name}.wav").write_bytes(wav_bytes(samples, RATE))
    first, second, both = (
        {row["label"]: row["score"] for row in loaded.one(audio=tmp_path / f"{name}.wav")} for name in files
    )
    common = set(first) & set(second) & set(both)
    assert len(common) > 2 and not same(first, second)
    assert all(both[label] == pytest.approx((first[label] + second[label]) / 2, abs=1e-3) for label in common)


@pytest.mark.parametrize(
    ("name", "codec"),
    [("a.mp3", "mp3"), ("a.flac", "flac"), ("a.ogg", "libopus"), ("a.m4a", "aac"), ("a.mp4", "aac"), ("a.webm", "libopus")],
)  # fmt: skip
def test_every_usual_format_is_read(server: Serving, models: Path, tmp_path: Path, name: str, codec: str) -> None:
    """A stereo recording at another rate; what is heard is about what the WAV file holds."""
    import av

    rate = 48_000 if codec == "libopus" else 44_100
    samples = load_audio(EXAMPLES / "speech.wav", rate)
    with av.open(str(tmp_path / name), "w") as container:
        stream = container.add_stream(codec, rate=rate, layout="stereo")
        frame = av.AudioFrame.from_ndarray(np.stack([samples, samples]), format="fltp", layout="stereo")
        frame.sample_rate = rate
        resampler = av.AudioResampler(format=stream.format, layout="stereo", rate=rate, frame_size=1024)
        for part in (*resampler.resample(frame), *resampler.resample(None)):
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    tiny_audio.spectrogram_transformer(models / "tiny")
    model = server.add(models / "tiny", CLASSIFICATION)
    with (tmp_path / name).open("rb") as file:
        response = server.post(model, files={"audio": (name, file)})
    assert response.status_code == 200, response.text
    expected = {row["label"]: row["score"] for row in server.ask(model, audio_url=SPEECH)}
    best = response.json()[0]
    assert expected[best["label"]] == pytest.approx(best["score"], abs=0.05)


# Text to speech


def test_vits(server: Serving, models: Path) -> None:
    tiny_audio.vits(models / "tiny")
    model = server.add(models / "tiny", "text-to-speech")
    samples, rate = heard(server, server.ask(model, text=TEXT))
    assert rate == RATE and len(samples) > 1000 and np.abs(samples).max() > 0
    longer, _ = heard(server, server.ask(model, text=TEXT * 30))  # in several pieces
    assert len(longer) > 5 * len(samples)
    assert "nothing in the text" in refused(server, model, 400, text="你好")
    assert "nothing in the text" in refused(server, model, 400, text="...!")


def test_vits_that_needs_a_phonemizer_says_so(server: Serving, models: Path) -> None:
    tiny_audio.vits(models / "tiny", phonemize=True)
    model = server.add(models / "tiny", "text-to-speech")
    assert "pip install phonemizer" in refused(server, model, 422, text=TEXT)


def test_speecht5(server: Serving, models: Path) -> None:
    tiny_audio.speecht5(models / "tiny")
    model = server.add(models / "tiny", "text-to-speech")
    samples, rate = heard(server, server.ask(model, text=TEXT))
    assert rate == RATE and len(samples) > 1000 and np.abs(samples).max() > 0


def test_speecht5_speaks_in_the_voice_of_its_folder(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors.numpy import save_file

    tiny_audio.speecht5(models / "tiny")
    voices = {
        "none": np.zeros(512, np.float32),
        "npy": np.ones(512, np.float32),
        "safetensors": -np.ones(512, np.float32),
    }
    for kind, voice in voices.items():
        if kind == "npy":
            np.save(models / "tiny" / "speaker_embedding.npy", voice)
        elif kind == "safetensors":
            (models / "tiny" / "speaker_embedding.npy").unlink()
            save_file({"voice": voice}, models / "tiny" / "speaker_embedding.safetensors")
        loaded = load_folder(models / "tiny", "text-to-speech")
        asked = prompts_of(loaded, monkeypatch)
        assert loaded.one(text="hi").startswith(b"RIFF")
        assert asked[0]["speaker_embeddings"].tolist() == [voice.tolist()]


def test_speecht5_with_a_voice_of_another_size_is_refused(models: Path) -> None:
    tiny_audio.speecht5(models / "tiny")
    np.save(models / "tiny" / "speaker_embedding.npy", np.ones(7, np.float32))
    with pytest.raises(ExpertUnavailable, match="holds 7 numbers, not the 512"):
        load_folder(models / "tiny", "text-to-speech")


def test_speecht5_without_a_vocoder_says_what_is_missing(
    server: Serving, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "empty"))
    tiny_audio.speecht5(models / "tiny", own_vocoder=False)
    model = server.add(models / "tiny", "text-to-speech")
    assert f"needs the vocoder {speaking.VOCODER}" in refused(server, model, 422, text=TEXT)


def test_bark(server: Serving, models: Path) -> None:
    tiny_audio.bark(models / "tiny")
    model = server.add(models / "tiny", "text-to-speech")
    samples, rate = heard(server, server.ask(model, text=TEXT))
    assert rate == 24_000 and len(samples) > 1000 and np.abs(samples).max() > 0


def test_sound_that_is_none_is_an_error() -> None:
    broken = np.array([0.0, np.nan], np.float32)
    with pytest.raises(BackendError, match="not a number"):
        speaking.read_aloud("hi", RATE, lambda text: broken)


# Sound to sound


def test_voice_conversion(server: Serving, models: Path, spoken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_audio.speecht5_voice(models / "tiny")
    model = server.add(models / "tiny", "audio-to-audio")
    monkeypatch.setattr(speaking, "VOICE_SECONDS", 1.0)
    with spoken(0.5).open("rb") as file:
        samples, rate = heard(server, server.post(model, files={"file": file}).json())
    assert rate == RATE and len(samples) > 100 and np.abs(samples).max() > 0
    with spoken(1.8).open("rb") as file:  # in two parts
        longer, _ = heard(server, server.post(model, files={"file": file}).json())
    assert len(longer) > 1.5 * len(samples)


# Bad input


@pytest.mark.parametrize("task", [RECOGNITION, CLASSIFICATION, "audio-to-audio"])
def test_what_is_no_recording_is_refused(server: Serving, models: Path, public: Path, task: str) -> None:
    makes = {RECOGNITION: tiny_audio.wav2vec2, CLASSIFICATION: tiny_audio.wav2vec2_classifier}
    makes.get(task, tiny_audio.speecht5_voice)(models / "tiny")
    model = server.add(models / "tiny", task)
    assert "needs audio_url" in refused(server, model, 400, text="hello")
    assert "not an audio file but image/jpeg" in refused(server, model, 400, audio_url="/examples/a.jpg")
    (public / "examples" / "broken.wav").write_bytes((EXAMPLES / "speech.wav").read_bytes()[:40])
    assert "holds no sound" in refused(server, model, 400, audio_url="/examples/broken.wav")
    assert server.ask(model, audio_url=SPEECH)  # the server and the model live on


def test_a_text_that_is_empty_or_too_long_is_not_read_aloud(server: Serving, models: Path) -> None:
    tiny_audio.vits(models / "tiny")
    model = server.add(models / "tiny", "text-to-speech")
    assert "needs text" in refused(server, model, 400)
    assert "needs text" in refused(server, model, 400, text=" \n")
    assert "give it in parts" in refused(server, model, 400, text="long " * 10_000)


@pytest.mark.parametrize(
    ("task", "make"),
    [
        (RECOGNITION, tiny_audio.wav2vec2_classifier), (RECOGNITION, tiny_audio.vits), (RECOGNITION, tiny_text.bart),
        (CLASSIFICATION, tiny_audio.wav2vec2), (CLASSIFICATION, tiny_audio.vits),
        ("text-to-speech", tiny_audio.whisper), ("text-to-speech", tiny_text.gpt2),
        ("text-to-speech", tiny_audio.speecht5_voice), ("audio-to-audio", tiny_audio.speecht5),
        ("audio-to-audio", tiny_audio.vits),
    ],
)  # fmt: skip
def test_a_model_of_another_task_is_refused(server: Serving, models: Path, task: str, make: Any) -> None:
    make(models / "tiny")
    model = server.add(models / "tiny", task)
    data = {"text": TEXT} if task == "text-to-speech" else {"audio_url": SPEECH}
    assert f"is not a model that can be run here for {task}" in refused(server, model, 422, **data)
