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
            frames = [out for frame in container.decode(audio=0) for out in resampler.resample(frame)]
            frames += resampler.resample(None)
    except (av.FFmpegError, IndexError, ValueError) as error:
        raise MediaError(f"{path.name} holds no sound that can be read.") from error
    if not frames:
        raise MediaError(f"{path.name} holds no sound.")
    return np.concatenate([frame.to_ndarray()[0] for frame in frames]).astype(np.float32)
