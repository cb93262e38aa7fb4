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
