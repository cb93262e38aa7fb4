"""Videos through FFmpeg, frame by frame: looked at, cut, given another sound."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import MediaError, UserError
from hugginggpt.media.sound import MAX_BYTES, Filter, sound_of, trimmed

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SIDE = 1920
"""A longer side of a video that is written is made smaller."""
MAX_PIXELS = 36_000_000
"""The pixels of a picture of a video: those of 8K are 33 million. A decoder keeps several at a time, and each may be
larger than the first one was.
"""
AUDIO_RATE = 48_000
NO_LENGTH = "mpeg"
"""FFmpeg's name of the container that does not say how long it is: what FFmpeg says then is a guess."""
SEEK_BACK = (0.0, 2.0, 12.0)
"""Seconds before a place at which a key frame is looked for, one after the other, and at last at the beginning."""
Span = tuple[float, float]
"""From and to, in seconds."""


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """The container of a video. Raises MediaError where there are no pictures in it, where they are too large, or
    cannot be read.
    """
    import av

    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise MediaError(f"{path.name} holds no moving pictures.")
            for stream in container.streams.video:
                if stream.codec_context.width * stream.codec_context.height > MAX_PIXELS:
                    raise MediaError(_too_large(path, f"{MAX_PIXELS / 1e6:g} megapixels possible"))
                stream.codec_context.options = {"max_pixels": str(MAX_PIXELS)}
            yield container
    except (av.FFmpegError, ValueError) as error:
        raise MediaError(
            f"{path.name} cannot be read as a video: it is damaged, or its pictures become too large."
        ) from error


def _too_large(path: Path, than: str) -> str:
    return f"The pictures of {path.name} are larger than the {than}: make it smaller."


def seconds(path: Path) -> float:
    """How long a video is: by its header, else by its last packet."""
    with opened(path) as container:
        stream = container.streams.video[0]
        is_told = container.format.name != NO_LENGTH
        if is_told and stream.duration:
            return float(stream.duration * stream.time_base)
        if is_told and container.duration:
            return float(container.duration / 1_000_000)
        start = stream.start_time or 0
        ends = [
            float((packet.pts + (packet.duration or 0) - start) * stream.time_base)
            for packet in container.demux(stream)
            if packet.pts is not None
        ]
        return max(ends, default=0.0)


def frames(path: Path, spans: Sequence[Span]) -> Iterator[tuple[float, Any]]:
    """The frames of a video within spans, each with its seconds from the start of the video."""
    with opened(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        begin = float((stream.start_time or 0) * stream.time_base)
        for start, end in spans:
            for frame in _decoded_from(container, stream, start, begin):
                at = float(frame.time or 0.0) - begin
                if at >= end - 1e-6:
                    break
                if at >= start - 1e-3:
                    yield at, frame


def _decoded_from(container: Any, stream: Any, start: float, begin: float) -> Iterator[Any]:
    """The frames of a stream from a key frame at or before a second on. In transport and program streams of MPEG seeking
    may end behind the place, or behind the last key frame: then it begins ever further before it.
    """
    for back in (*SEEK_BACK, start + begin + 1):
        at = start - back
        container.seek(int((at + begin) / stream.time_base), stream=stream)
        decoded = container.decode(stream)
        first = next(decoded, None)
        if at < 0 or (first is not None and float(first.time or 0.0) - begin <= start + 1e-3):
            break
    if first is not None:
        yield first
        yield from decoded


def frame_at(path: Path, at: float, longest: int = 0) -> tuple[float, Image]:
    """The frame that is shown at some second, and when it begins; past the end the last one. Its longer side is made
    no longer than `longest` pixels, if that is given.
    """
    last: tuple[float, Any] | None = None
    for time, frame in frames(path, [(max(0.0, at - 2), float("inf"))]):
        if last is not None and time > at + 1e-3:
            break
        last = (time, frame)
    if last is None:
        last = next(frames(path, [(0.0, float("inf"))]), None)
    if last is None:
        raise MediaError(f"{path.name} holds no pictures that can be read.")
    frame = last[1]
    scale = min(1.0, longest / max(frame.width, frame.height)) if longest else 1.0
    return last[0], frame.to_image(width=max(1, round(scale * frame.width)), height=max(1, round(scale * frame.height)))


def looks(path: Path, most: int, every: float, max_pixels: int) -> Iterator[tuple[float, Image]]:
    """Pictures of a video, and the second for which each stands: one in `every` so many seconds, or `most` that are
    spread over it where these would be more. Each is decoded when it is asked for. Raises MediaError for one that is
    larger than it may be.
    """
    with opened(path) as container:
        context = container.streams.video[0].codec_context
        if context.width * context.height > max_pixels:
            raise MediaError(_too_large(path, f"{max_pixels / 1e6:g} megapixels allowed (limits.max_megapixels)"))
    length = seconds(path)
    count = max(1, min(most, int(length / every) + 1))
    step = max(every, length / count)
    for number in range(count):
        yield number * step, frame_at(path, min(number * step, length), MAX_SIDE)[1]


def written(
    path: Path,
    spans: Sequence[Span],
    sound: Path | None = None,
    filters: Sequence[Filter] = (),
    speed: float = 1.0,
    is_mute: bool = False,
    rate: int = 0,
    look: Callable[[Any], Any] | None = None,
) -> bytes:
    """An MP4 (H.264, AAC) of the spans of a video, one after another, with their sound after `filters`, or with that of
    another file, or with none; the pictures follow `speed` times as fast, `rate` of them a second (0: as many as before),
    each of them as `look` makes it.

    Raises UserError where it would be too large.
    """  # fmt: skip
    import av

    data = io.BytesIO()
    with av.open(data, "w", format="mp4") as out:
        with opened(path) as container:
            source = container.streams.video[0]
            own_rate = Fraction(source.average_rate or source.guessed_rate or 25).limit_denominator(1001)
            has_sound = bool(container.streams.audio) and not is_mute
        per_second = Fraction(rate) if rate else own_rate
        stream = out.add_stream("libx264", rate=per_second, options={"crf": "21", "preset": "veryfast"})
        stream.pix_fmt = "yuv420p"
        audio = out.add_stream("aac", rate=AUDIO_RATE, layout="stereo") if sound or has_sound else None
        length = _write_pictures(out, stream, path, spans, per_second, speed, look)
        if audio is not None:
            of_spans = [(path, [*trimmed(*span), *filters]) for span in spans]
            sources = [(sound, [("atrim", f"end={length:.3f}")])] if sound else of_spans
            for frame in sound_of(sources, audio):
                out.mux(audio.encode(frame))
                _check_size(data)
            out.mux(audio.encode(None))
    return data.getvalue()


def _write_pictures(
    out: Any, stream: Any, path: Path, spans: Sequence[Span], rate: Fraction, speed: float,
    look: Callable[[Any], Any] | None,
) -> float:  # fmt: skip
    """Writes the pictures of the spans at a constant rate; the seconds that they last."""
    count, done = 0, 0.0
    size: tuple[int, int] | None = None
    for span in spans:
        for at, shown in frames(path, [span]):
            frame = look(shown) if look else shown
            if size is None:
                size = even_size(frame.width, frame.height, MAX_SIDE)
                stream.width, stream.height = size
            due = round((done + (at - span[0]) / speed) * float(rate))
            if due < count:  # of a higher rate than the average: left out
                continue
            picture = frame.reformat(*size, format="yuv420p")
            while count <= due:
                picture.pts, picture.time_base = count, 1 / rate
                count += 1
                out.mux(stream.encode(picture))
        done = count / float(rate)
    if size is None:
        raise UserError("Nothing would be left of the video.")
    out.mux(stream.encode(None))
    return done


def even_size(width: int, height: int, longest: int) -> tuple[int, int]:
    """The size within a longest side, with even sides, as video codecs want them."""
    scale = min(1.0, longest / max(width, height))
    return max(2, round(width * scale / 2) * 2), max(2, round(height * scale / 2) * 2)


def _check_size(data: io.BytesIO) -> None:
    if data.tell() > MAX_BYTES:
        raise UserError(f"The video would have more than {MAX_BYTES // 1_000_000} MB: take a shorter part of it.")
