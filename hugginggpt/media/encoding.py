"""What experts made into files: sound as WAV, pictures as a video."""

from __future__ import annotations

import io
import wave
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image


def wav_bytes(samples: np.ndarray[Any, Any], rate: int) -> bytes:
    """A 16-bit mono WAV file of float samples in -1..1."""
    import numpy as np

    data = io.BytesIO()
    with wave.open(data, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return data.getvalue()


SOUND_FORMATS = {
    "mp3": ("mp3", "libmp3lame"), "opus": ("ogg", "libopus"), "aac": ("adts", "aac"), "flac": ("flac", "flac"),
    "wav": ("wav", "pcm_s16le"), "pcm": ("s16le", "pcm_s16le"),
}  # fmt: skip
"""FFmpeg's names of the container and the codec of a format."""
OPUS_RATE, PCM_RATE = 48_000, 24_000
"""The rate that every program takes Opus at, and the one at which OpenAI's API has raw samples, in Hz."""


def sound_as(wav: bytes, format: str) -> bytes:
    """A WAV file in another format of `SOUND_FORMATS`; "pcm" is 16-bit little-endian mono at 24 kHz, without a header."""
    import av

    if format == "wav":
        return wav
    container, codec = SOUND_FORMATS[format]
    data = io.BytesIO()
    with av.open(io.BytesIO(wav), "r") as given, av.open(data, "w", format=container) as out:
        rates = {"opus": OPUS_RATE, "pcm": PCM_RATE}
        stream: Any = out.add_stream(codec, rate=rates.get(format, given.streams.audio[0].rate), layout="mono")
        for frame in given.decode(audio=0):
            frame.pts = None
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return data.getvalue()


def mp4_bytes(frames: Sequence[Image], rate: int) -> bytes:
    """An MP4 file (H.264) of pictures of one size, `rate` a second. Of odd sides the last column or row is cut off."""
    import av
    import numpy as np

    data = io.BytesIO()
    width, height = (side - side % 2 for side in frames[0].size)  # yuv420p halves both
    with av.open(data, "w", format="mp4") as out:
        stream = out.add_stream("libx264", rate=rate, options={"crf": "18"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for frame in frames:
            cut = np.asarray(frame.convert("RGB").crop((0, 0, width, height)))
            out.mux(stream.encode(av.VideoFrame.from_ndarray(cut, format="rgb24")))
        out.mux(stream.encode())
    return data.getvalue()
