"""Pictures as a video: each is seen for so many seconds, with a sound or without one (H.264, AAC; FFmpeg)."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hugginggpt.core.errors import UserError
from hugginggpt.media.sound import MAX_BYTES, sound_of
from hugginggpt.media.video import AUDIO_RATE, even_size

if TYPE_CHECKING:
    from PIL.Image import Image

RATE = 10
"""Pictures a second: some players show nothing at a lower rate."""
SIDE = 1280
WIDE, TALL = (SIDE, 720), (720, SIDE)


def written(pictures: Sequence[Callable[[], Image]], each: float, sound: Path | None = None) -> bytes:
    """An MP4 of pictures (RGB), one after another, each seen for `each` seconds, as long as the sound where there is
    one. Each is loaded when its turn comes. Raises UserError where the video would be too large.
    """
    import av
    import numpy as np

    data = io.BytesIO()
    size = _size([load().size for load in pictures])
    with av.open(data, "w", format="mp4") as out:
        stream = out.add_stream("libx264", rate=RATE, options={"crf": "21", "preset": "veryfast", "tune": "stillimage"})
        stream.pix_fmt, stream.width, stream.height = "yuv420p", *size
        audio = out.add_stream("aac", rate=AUDIO_RATE, layout="stereo") if sound else None
        done = 0
        for number, load in enumerate(pictures, 1):
            picture = np.asarray(_fitted(load(), size))
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p")
            until = max(done + 1, round(number * each * RATE))
            for at in range(done, until):
                frame.pts = at
                out.mux(stream.encode(frame))
                if data.tell() > MAX_BYTES:
                    raise UserError(f"The video would have more than {MAX_BYTES // 1_000_000} MB: take fewer pictures.")
            done = until
        out.mux(stream.encode(None))
        if sound and audio is not None:
            for piece in sound_of([(sound, [("atrim", f"end={done / RATE:.3f}")])], audio):
                out.mux(audio.encode(piece))
            out.mux(audio.encode(None))
    return data.getvalue()


def _size(sizes: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The size of the video: that of the pictures where all have one shape, else 16:9 or 9:16, as most of them lie."""
    shapes = [wide / high for wide, high in sizes]
    if max(shapes) / min(shapes) < 1.05:
        return even_size(*max(sizes), SIDE)
    return WIDE if 2 * sum(shape >= 1 for shape in shapes) >= len(shapes) else TALL


def _fitted(picture: Image, size: tuple[int, int]) -> Image:
    """A picture as large as it can be within a size, on black."""
    from PIL import Image

    scale = min(size[0] / picture.width, size[1] / picture.height)
    wide, high = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    canvas = Image.new("RGB", size, "black")
    canvas.paste(picture.resize((wide, high)), ((size[0] - wide) // 2, (size[1] - high) // 2))
    return canvas
