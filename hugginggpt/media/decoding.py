"""Files into what experts work on: texts, pictures as RGB, sound as samples."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import BackendError, MediaError
from hugginggpt.media.coded_pictures import prepare
from hugginggpt.media.types import type_of

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

MAX_TEXT_BYTES = 1_000_000
SAMPLE_BYTES = 4
"""Of a sample as float32."""
TOLERANCE_SECONDS = 0.5
"""By which a recording may be longer than it may be: lengths are sums of many fractions."""
FRAMED = frozenset(("matroska", "webm", "mov", "mp4", "avi", "caf"))
"""FFmpeg's names of containers that say how long each packet is; of the others FFmpeg looks at the packets themselves."""
TIMED = FRAMED | {"flac", "ogg", "wav"}
"""Containers in which a place tells its time; in those of MP3 or AAC alone it is guessed from the bit rate."""
PACKETS_SOUGHT = 50
"""So many packets are looked at behind a place: seeking ends somewhat before it."""
LOOKED_AT = 10_000
"""Of a text, so many characters tell whether it is one."""
MAX_CONTROL_SHARE = 0.02
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""Control characters but for those that lay a text out, or colour it on a terminal."""


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
    if is_binary(text):
        raise MediaError(f"{path.name} is not plain text.")
    if not text:
        raise MediaError(f"{path.name} holds no text.")
    return text


def is_binary(text: str) -> bool:
    """Whether what was decoded as a text holds so many control characters that it is none."""
    return len(_CONTROL.findall(text, 0, LOOKED_AT)) > min(len(text), LOOKED_AT) * MAX_CONTROL_SHARE


def load_image(path: Path, keep_alpha: bool = False) -> Image:
    """A picture as RGB (or RGBA, if it is transparent in parts and `keep_alpha`), turned upright as its EXIF
    orientation says. Raises MediaError if it is damaged, or of a type that nothing here decodes.
    """
    from PIL import Image, ImageOps

    prepare(type_of(path.name), path.name)
    try:
        with Image.open(path) as image:
            image.load()
            ImageOps.exif_transpose(image, in_place=True)  # each copy of a photo costs a millisecond
            mode = "RGBA" if keep_alpha and image.has_transparency_data else "RGB"
            return image if image.mode == mode else image.convert(mode)
    except Exception as error:  # Pillow raises many types for broken files
        raise MediaError(f"{path.name} cannot be read as a picture: it is damaged.") from error


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of decoding: how many seconds of sound there may be, and whether anybody still waits for it."""

    seconds: float = math.inf
    is_over: Callable[[], bool] = bool

    def check_wanted(self, path: str | Path) -> None:
        """Raises BackendError where nobody waits for what is decoded."""
        if self.is_over():
            raise BackendError(f"{Path(path).name} was not decoded to its end: nobody waits for it any more.")


UNBOUNDED = Bounds()
_bounds: ContextVar[Bounds] = ContextVar("bounds", default=UNBOUNDED)


@contextmanager
def decoding(seconds: float, is_over: Callable[[], bool] = bool) -> Iterator[None]:
    """Within it, this thread decodes recordings of at most so many seconds, and ends when `is_over` says so."""
    token = _bounds.set(Bounds(seconds, is_over))
    try:
        yield
    finally:
        _bounds.reset(token)


def current_bounds() -> Bounds:
    """The bounds of decoding in this thread."""
    return _bounds.get()


def load_audio(path: Path, rate: int) -> np.ndarray[Any, Any]:
    """The sound of a recording or video: float32 mono in -1..1, resampled to `rate` Hz, shape (samples,).

    Raises MediaError for a file without sound or with more than `decoding` allows, whatever its header says, and
    BackendError where nobody waits for it any more.
    """
    import av
    import numpy as np

    bounds = _bounds.get()
    most_bytes = (bounds.seconds + TOLERANCE_SECONDS) * rate * SAMPLE_BYTES
    try:
        with av.open(str(path)) as container:
            resampler = av.AudioResampler(format="flt", layout="mono", rate=rate)
            samples = bytearray()  # grows as the frames come: they take up three times as much memory
            for frame in container.decode(audio=0):
                samples += _as_float(frame) if _is_plain(frame, rate) else _resampled(resampler, frame)
                if len(samples) > most_bytes:
                    raise MediaError(too_long(path, bounds.seconds / 60))
                bounds.check_wanted(path)
            samples += _resampled(resampler, None)
    except IndexError as error:
        raise MediaError(f"{path.name} has no sound.") from error
    except (av.FFmpegError, ValueError) as error:
        raise MediaError(f"{path.name} holds no sound that can be read.") from error
    if not samples:
        raise MediaError(f"{path.name} holds no sound.")
    return np.frombuffer(samples, np.float32)


def _is_plain(frame: Any, rate: int) -> bool:
    """Whether a frame is what is wanted, but in 16 bits: a conversion takes a tenth of the resampler's time."""
    return bool(frame.sample_rate == rate and frame.layout.nb_channels == 1 and frame.format.name in ("s16", "s16p"))


def _as_float(frame: Any) -> bytes:
    import numpy as np

    whole = np.frombuffer(frame.planes[0], np.int16, frame.samples)
    return (whole.astype(np.float32) / 32_768).tobytes()


def _resampled(resampler: Any, frame: Any) -> bytes:
    """What a resampler makes of a frame, or has left (None), as the bytes of float32."""
    made = resampler.resample(frame)
    return b"".join(memoryview(one.planes[0])[: SAMPLE_BYTES * one.samples] for one in made)


def too_long(path: Path, minutes: float) -> str:
    return f"{path.name} has more than the {minutes:g} minutes of sound allowed (limits.max_minutes)."


def sound_seconds(path: Path, enough: float) -> float:
    """How long the sound of a recording or video is, in seconds, by its packets: a header may say anything.

    Where packets may say anything, too, they are decoded one by one, and nothing is kept. Counting ends beyond `enough`,
    and need not begin where a packet stands beyond it: counting an hour takes a second, and many on a busy machine.
    0 where there is no sound that can be read.
    """
    import av

    seconds = 0.0
    try:
        if (found := _time_beyond(path, enough)) > enough:
            return found
        with av.open(str(path)) as container:
            stream = container.streams.audio[0]
            for length in _decoded(container) if _may_lie(container) else _demuxed(container, stream):
                seconds += length
                if seconds > enough:
                    break
    except (av.FFmpegError, IndexError, ValueError):  # whoever decodes the file says so
        return seconds
    return seconds


def _time_beyond(path: Path, seconds: float) -> float:
    """The time of a packet behind so many seconds, as the file tells it; 0 where there is none, or no telling."""
    import av

    with av.open(str(path)) as container:
        stream = container.streams.audio[0]
        unit = stream.time_base
        if math.isinf(seconds) or not unit or TIMED.isdisjoint(container.format.name.split(",")):
            return 0.0
        with suppress(av.FFmpegError):  # there is no such place
            container.seek(int(seconds / unit), stream=stream, any_frame=True, backward=False)
            for packet in islice(container.demux(stream), PACKETS_SOUGHT):
                time = float((packet.pts or 0) * unit)
                if packet.size and time > seconds:
                    return time
    return 0.0


def _may_lie(container: Any) -> bool:
    """Whether the lengths of packets are what somebody has written: in these containers, of a codec whose frames differ
    in length.
    """
    context = container.streams.audio[0].codec_context
    is_free = not context.frame_size and not context.name.startswith("pcm_")
    return is_free and not FRAMED.isdisjoint(container.format.name.split(","))


def _demuxed(container: Any, stream: Any) -> Iterator[float]:
    """The seconds of each packet."""
    frame_seconds = (stream.codec_context.frame_size or 0) / (stream.codec_context.sample_rate or 1)
    for packet in container.demux(stream):
        if packet.size:
            yield max(float((packet.duration or 0) * (packet.time_base or 0)), frame_seconds)


def _decoded(container: Any) -> Iterator[float]:
    """The seconds of each frame."""
    for frame in container.decode(audio=0):
        yield frame.samples / (frame.sample_rate or 1)
