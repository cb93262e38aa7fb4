"""Embedded experts that say when speech, singing and music are heard, by FireRedVAD's event model.

A network (arXiv 2603.10420; for its origin see data/experts/NOTICE) gives each frame of 10 ms a probability for each of
them. Its input are the logarithms of the energy in 80 bands, as Kaldi computes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.experts.registry import expert
from hugginggpt.experts.vision import session
from hugginggpt.media.decoding import load_audio

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float32]]

RATE, WINDOW, HOP = 16_000, 400, 160
BANDS, FFT, LOWEST_HZ = 80, 512, 20.0
PREEMPHASIS = 0.97
FULL_SCALE = 32_768
"""The network was made for samples of 16 bits."""
SILENCE = 1e-20
"""The energy of a band without any sound."""
KINDS = {"speech": 0.4, "singing": 0.5, "music": 0.5}
"""What is told apart, each with the probability from which on it is heard."""
NOTHING = "none of these"
CHUNK, CONTEXT = 6_000, 160
"""Frames that are worked on at a time, which bounds the memory, and what the network needs before and after them."""
SMOOTH = 5
MIN_FRAMES, MAX_GAP = 20, 50
"""In frames: what is shorter is not heard, and pauses up to so long belong to what is around them."""
MOST_SPANS = 20
"""The spans of a kind that an answer names."""
PACKAGES = ("onnxruntime", "numpy", "av")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a recording, in seconds."""

    start: float
    end: float

    def __str__(self) -> str:
        return f"{_clock(self.start)}–{_clock(self.end)}"


@expert(
    "firered-events", "voice-activity-detection",
    "When speech, singing and music are heard (FireRedVAD's event model).", PACKAGES,
)  # fmt: skip
def when_heard(audio: Path) -> dict[str, Any]:
    """An answer in words, and the "events": label, start and end in seconds."""
    samples = load_audio(audio, RATE)
    heard, seconds = events(samples), len(samples) / RATE
    told = [_told(kind, spans, seconds) for kind, spans in heard.items() if spans]
    absent = [kind for kind, spans in heard.items() if not spans]
    parts = [*told, *([f"no {' and no '.join(absent)}"] if absent else [])]
    rows = [{"label": kind, "start": span.start, "end": span.end} for kind, spans in heard.items() for span in spans]
    return {"answer": "; ".join(parts), "events": rows}


@expert(
    "firered-events", "audio-classification", "Speech, singing or music (FireRedVAD's event model); no other classes.",
    PACKAGES, aspects=(),
)  # fmt: skip
def what_is_heard(audio: Path) -> list[dict[str, Any]]:
    """Each kind, and "none of these", with its share of the recording; two may be heard at a time."""
    import numpy as np

    above = probabilities(load_audio(audio, RATE)) >= np.array(list(KINDS.values()))
    shares = [*above.mean(0).tolist(), 1 - float(above.any(1).mean())]
    return [{"label": kind, "score": share} for kind, share in zip((*KINDS, NOTHING), shares, strict=True)]


def events(samples: Floats) -> dict[str, list[Span]]:
    """When each kind is heard in mono samples at RATE."""
    import numpy as np

    heard = probabilities(samples)
    even = np.ones(SMOOTH) / SMOOTH
    smooth = [np.convolve(np.pad(column, SMOOTH // 2, "edge"), even, "valid") for column in heard.T]
    seconds = len(samples) / RATE
    return {
        kind: list(_spans(column >= threshold, seconds))
        for column, (kind, threshold) in zip(smooth, KINDS.items(), strict=True)
    }


def _spans(above: Any, seconds: float) -> Iterator[Span]:
    """The runs of frames that are above, without short pauses and short runs."""
    import numpy as np

    edges = np.flatnonzero(np.diff(np.concatenate([[0], above.astype(np.int8), [0]])))
    runs = [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]
    gaps = [following[0] - run[1] for run, following in pairwise(runs)]
    starts = [start for (start, _), gap in zip(runs, [MAX_GAP + 1, *gaps], strict=False) if gap > MAX_GAP]
    ends = [end for (_, end), gap in zip(runs, [*gaps, MAX_GAP + 1], strict=False) if gap > MAX_GAP]
    last = len(above)
    for start, end in zip(starts, ends, strict=True):
        if end - start >= MIN_FRAMES:
            yield Span(round(start * HOP / RATE, 2), round(seconds if end == last else end * HOP / RATE, 2))


def probabilities(samples: Floats) -> Floats:
    """How likely each of KINDS is heard in each frame, shape (frames, 3)."""
    import numpy as np

    samples = np.pad(samples, (0, max(0, WINDOW - len(samples))))
    frames = 1 + (len(samples) - WINDOW) // HOP
    parts = []
    for first in range(0, frames, CHUNK):
        start, end = max(0, first - CONTEXT), min(frames, first + CHUNK + CONTEXT)
        bands = band_energies(samples[start * HOP : (end - 1) * HOP + WINDOW])
        parts.append(_network().run(None, {"bands": bands})[0][first - start :][:CHUNK])
    return np.concatenate(parts)


def band_energies(samples: Floats) -> Floats:
    """The logarithms of the energy in BANDS of each frame, shape (frames, BANDS)."""
    import numpy as np
    from scipy.fft import rfft  # takes half the time of NumPy's

    # Pre-emphasis, taking the mean away and the window are linear: the first is done once for all frames, not in each.
    scaled = samples.astype(np.float32) * np.float32(FULL_SCALE)
    windows = np.lib.stride_tricks.sliding_window_view
    means = windows(scaled, WINDOW)[::HOP].mean(1, keepdims=True)
    emphasised = scaled.copy()
    emphasised[1:] -= np.float32(PREEMPHASIS) * scaled[:-1]
    frames = windows(emphasised, WINDOW)[::HOP] - np.float32(1 - PREEMPHASIS) * means
    frames[:, 0] = np.float32(1 - PREEMPHASIS) * (scaled[: len(frames) * HOP : HOP] - means[:, 0])
    frames *= _window()
    waves = rfft(frames, FFT)[:, : FFT // 2]
    power = waves.real**2 + waves.imag**2
    return np.asarray(np.log(np.maximum(power @ _filters(), np.float32(SILENCE))), np.float32)


@cache
def _window() -> Any:
    """Povey's window, shape (WINDOW,)."""
    import numpy as np

    return ((0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / (WINDOW - 1))) ** 0.85).astype(np.float32)


@cache
def _filters() -> Any:
    """Triangular filters, evenly spaced on the mel scale, shape (FFT / 2, BANDS)."""
    import numpy as np

    lowest, highest = (1127 * np.log(1 + hertz / 700) for hertz in (LOWEST_HZ, RATE / 2))
    step = (highest - lowest) / (BANDS + 1)
    left = lowest + np.arange(BANDS) * step
    mels = 1127 * np.log(1 + np.arange(FFT // 2)[:, None] * RATE / FFT / 700)
    return np.maximum(0, np.minimum((mels - left) / step, (left + 2 * step - mels) / step)).astype(np.float32)


def _told(kind: str, spans: list[Span], seconds: float) -> str:
    share = sum(span.end - span.start for span in spans) / seconds
    if len(spans) == 1 and share > 0.98:
        return f"{kind} all the time, {spans[0]}"
    more = f" and {len(spans) - MOST_SPANS} more times" if len(spans) > MOST_SPANS else ""
    return f"{kind} at {', '.join(map(str, spans[:MOST_SPANS]))}{more} ({100 * share:.0f} % of the time)"


def _clock(seconds: float) -> str:
    """Minutes and seconds: 1:02.5."""
    tenths = round(10 * seconds)
    return f"{tenths // 600}:{tenths % 600 // 10:02d}.{tenths % 10}"


@once
def _network() -> Any:
    return session("firered-events.onnx")
