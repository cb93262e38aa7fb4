"""Recordings through FFmpeg's filters, frame by frame: measured, changed, written in a format."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import MediaError, UserError
from hugginggpt.media.decoding import TOLERANCE_SECONDS, current_bounds

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame

MAX_BYTES = 300_000_000
"""A result that would be larger is refused."""
MIN_SPEED, MAX_SPEED = 0.25, 4.0
Filter = tuple[str, str]
"""A filter of FFmpeg and its arguments."""


@dataclass(frozen=True, slots=True)
class SoundFormat:
    """How sound is written: container, codec, and the rates (Hz) that the codec takes, () for any."""

    container: str
    codec: str
    rates: tuple[int, ...] = ()
    bits: int = 0

    def rate(self, given: int) -> int:
        """The rate to write with: the given one, or the next higher one that is possible."""
        return (
            given if not self.rates else next((rate for rate in sorted(self.rates) if rate >= given), max(self.rates))
        )


_MP3_RATES = (16_000, 22_050, 24_000, 32_000, 44_100, 48_000)
_AAC_RATES = (*_MP3_RATES, 88_200, 96_000)
FORMATS = {
    "mp3": SoundFormat("mp3", "libmp3lame", _MP3_RATES, 192_000),
    "ogg": SoundFormat("ogg", "libopus", (48_000,), 128_000),
    "flac": SoundFormat("flac", "flac"),
    "wav": SoundFormat("wav", "pcm_s16le"),
    "m4a": SoundFormat("ipod", "aac", _AAC_RATES, 160_000),
}  # fmt: skip
ALSO_CALLED = {"opus": "ogg", "oga": "ogg", "wave": "wav", "aac": "m4a", "mp4": "m4a"}


@dataclass(frozen=True, slots=True)
class Measured:
    """How long sound is (seconds), its loudness (LUFS, EBU R 128; None below -70), its peak (0 to 1), rate and channels."""

    seconds: float
    loudness: float | None
    peak: float
    rate: int
    channels: int


def measure(path: Path | io.BytesIO) -> Measured:
    """Measures a recording, or the sound of a video: a file, or its bytes. Raises MediaError where there is none."""
    samples, loudness, peak = 0, None, 0.0
    with _opened(path) as container:
        stream = container.streams.audio[0]
        rate, channels = stream.codec_context.sample_rate, stream.codec_context.channels
        for frame in _filtered(container, stream, [("ebur128", "metadata=1:peak=sample")]):
            samples += frame.samples
            if told := frame.metadata:
                loudness = float(told.get("lavfi.r128.I", "-70"))
                peak = max(peak, float(told.get("lavfi.r128.sample_peak", "0")))
            rate = frame.sample_rate
    if not samples:
        raise MediaError(f"{_name(path)} holds no sound.")
    is_heard = loudness is not None and loudness > -70
    return Measured(samples / rate, loudness if is_heard else None, peak, rate, channels)


@dataclass(frozen=True, slots=True)
class Coding:
    """How a file is to be written where a request says so: sample rate (Hz) and bits a second, 0 for the usual ones."""

    rate: int = 0
    bits: int = 0


def written(sources: Sequence[tuple[Path, Sequence[Filter]]], kind: str, coding: Coding = Coding()) -> bytes:
    """A file of the format `kind` with the sound of all sources, one after another, each through its filters.

    All get the rate and the channels of the first, where `coding` names none. Raises MediaError for one without sound,
    UserError where the file would be too large.
    """
    import av

    for _, filters in sources:
        _check_tempo(filters)
    form = FORMATS[kind]
    data = io.BytesIO()
    rate, channels = _shape(*sources[0])
    with av.open(data, "w", format=form.container) as out:
        layout = "mono" if channels == 1 else "stereo"
        stream: Any = out.add_stream(form.codec, rate=form.rate(coding.rate or rate), layout=layout)
        if form.bits:
            stream.bit_rate = coding.bits or (form.bits if layout == "stereo" else form.bits // 2)
        for frame in sound_of(sources, stream):
            out.mux(stream.encode(frame))
            if data.tell() > MAX_BYTES:
                raise UserError(
                    f"As {kind} it would have more than {MAX_BYTES // 1_000_000} MB: take mp3, or a part of it."
                )
        out.mux(stream.encode(None))
    return data.getvalue()


def _check_tempo(filters: Sequence[Filter]) -> None:
    """Raises UserError where changes of the speed, all together, are beyond what can be listened to."""
    factor = prod(float(args) for name, args in filters if name == "atempo")
    if not 0.999 * MIN_SPEED <= factor <= 1.001 * MAX_SPEED:
        raise UserError(f"Sound is played at {MIN_SPEED:g} to {MAX_SPEED:g} times its speed, not at {factor:g}.")


def trimmed(start: float, end: float) -> list[Filter]:
    """The filters that keep the sound between two seconds."""
    return [("atrim", f"start={start:.4f}:end={end:.4f}"), ("asetpts", "PTS-STARTPTS")]


def sound_of(sources: Sequence[tuple[Path, Sequence[Filter]]], stream: Any) -> Iterator[AudioFrame]:
    """The sound of all sources, one after another, as the stream that is written wants it.

    Raises UserError where it becomes longer than `decoding` allows.
    """
    from fractions import Fraction

    import av

    place, most = 0, current_bounds().seconds + TOLERANCE_SECONDS
    for path, filters in sources:
        resampler = av.AudioResampler(stream.codec_context.format, stream.layout, stream.rate)
        for frame in _then_none(_sound(path, filters)):
            if frame is not None:
                frame.pts = None
            for resampled in resampler.resample(frame):
                resampled.pts, resampled.time_base = place, Fraction(1, resampled.sample_rate)
                place += resampled.samples
                if place > most * resampled.sample_rate:
                    raise UserError(
                        f"It would last more than the {most // 60:g} minutes of sound allowed (limits.max_minutes)."
                    )
                yield resampled


def _then_none(frames: Iterator[AudioFrame]) -> Iterator[AudioFrame | None]:
    """The frames, and None, which tells a resampler that there are no more."""
    yield from frames
    yield None


def _shape(path: Path, filters: Sequence[Filter]) -> tuple[int, int]:
    """The rate and the number of channels of a source after its filters. Raises UserError where nothing is left of it."""
    with closing(_sound(path, filters)) as frames:
        first = next(frames, None)
    if first is None:
        raise UserError("Nothing would be left of the sound.")
    return first.sample_rate, first.layout.nb_channels


def _sound(path: Path, filters: Sequence[Filter]) -> Generator[AudioFrame, None, None]:
    with _opened(path) as container:
        yield from _filtered(container, container.streams.audio[0], filters)


def _opened(path: Path | io.BytesIO) -> Any:
    """The file, which has sound. Raises MediaError."""
    import av

    try:
        container = av.open(str(path) if isinstance(path, Path) else path)
    except (av.FFmpegError, ValueError) as error:
        raise MediaError(f"{_name(path)} holds no sound that can be read.") from error
    if not container.streams.audio:
        container.close()
        raise MediaError(f"{_name(path)} holds no sound.")
    return container


def _name(path: Path | io.BytesIO) -> str:
    return path.name if isinstance(path, Path) else "The file"


def _filtered(container: Any, stream: Any, filters: Sequence[Filter]) -> Iterator[AudioFrame]:
    """The frames of a stream after a chain of filters. Raises MediaError for what cannot be decoded."""
    import av
    from av.filter import Graph

    graph: Any = None
    bounds = current_bounds()
    try:
        for frame in container.decode(stream):
            bounds.check_wanted(str(container.name))
            if graph is None:
                graph = Graph()
                graph.link_nodes(
                    graph.add_abuffer(
                        sample_rate=frame.sample_rate, format=frame.format.name, layout=frame.layout.name,
                        time_base=frame.time_base or stream.time_base,
                    ),
                    *(graph.add(name, args or None) for name, args in filters),
                    graph.add("abuffersink"),
                ).configure()  # fmt: skip
            try:
                graph.push(frame)
            except av.EOFError:  # what is kept has ended
                break
            for filtered in _pulled(graph):
                bounds.check_wanted(str(container.name))
                yield filtered
        if graph is not None:
            with suppress(av.EOFError):
                graph.push(None)
            yield from _pulled(graph)
    except (av.FFmpegError, ValueError) as error:
        raise MediaError(f"The sound of {Path(str(container.name)).name} cannot be read.") from error


def _pulled(graph: Any) -> Iterator[AudioFrame]:
    import av

    with suppress(av.BlockingIOError, av.EOFError):
        while True:
            yield graph.pull()
