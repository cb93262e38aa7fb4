"""Files into what experts work on: texts, pictures as RGB, sound as samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import MediaError

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

MAX_TEXT_BYTES = 1_000_000


def load_text(path: Path) -> str:
    """A plain text: UTF-8, else Windows-1252. Raises MediaError if it is none, empty or too long."""
    if path.stat().st_size > MAX_TEXT_BYTES:
        raise MediaError(f"{path.name} is larger than the {MAX_TEXT_BYTES / 1e6:g} MB that a text may have.")
    data = path.read_bytes()
    if b"\0" in data:
        raise MediaError(f"{path.name} is not plain text.")
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace").strip()
    if not text:
        raise MediaError(f"{path.name} holds no text.")
    return text


def load_image(path: Path) -> Image:
    """A picture as RGB, turned upright as its EXIF orientation says. Raises MediaError if it is damaged."""
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as image:
            image.load()
            ImageOps.exif_transpose(image, in_place=True)  # each copy of a photo costs a millisecond
            return image if image.mode == "RGB" else image.convert("RGB")
    except Exception as error:  # Pillow raises many types for broken files
        raise MediaError(f"{path.name} cannot be read as a picture: it is damaged.") from error


def load_audio(path: Path, rate: int) -> np.ndarray[Any, Any]:
    """The sound of a recording or video: float32 mono in -1..1, resampled to `rate` Hz, shape (samples,)."""
    import av
    import numpy as np

    try:
        with av.open(str(path)) as container:
            resampler = av.AudioResampler(format="flt", layout="mono", rate=rate)
            samples = bytearray()  # grows as the frames come: they take up three times as much memory
            for frame in container.decode(audio=0):
                for resampled in resampler.resample(frame):
                    samples += resampled.to_ndarray().tobytes()
            for resampled in resampler.resample(None):
                samples += resampled.to_ndarray().tobytes()
    except (av.FFmpegError, IndexError, ValueError) as error:
        raise MediaError(f"{path.name} holds no sound that can be read.") from error
    if not samples:
        raise MediaError(f"{path.name} holds no sound.")
    return np.frombuffer(samples, np.float32)


def sound_seconds(path: Path, enough: float) -> float:
    """How long the sound of a recording or video is, in seconds, by its packets: a header may say anything.

    Nothing is decoded, and counting ends beyond `enough`. 0 where there is no sound that can be read.
    """
    import av

    seconds = 0.0
    try:
        with av.open(str(path)) as container:
            stream = container.streams.audio[0]
            frame_seconds = (stream.codec_context.frame_size or 0) / (stream.codec_context.sample_rate or 1)
            for packet in container.demux(stream):
                if packet.size:
                    seconds += max(float((packet.duration or 0) * (packet.time_base or 0)), frame_seconds)
                if seconds > enough:
                    break
    except (av.FFmpegError, IndexError, ValueError):  # whoever decodes the file says so
        return 0.0
    return seconds
