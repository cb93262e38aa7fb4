"""Embedded experts for videos that need no model: cut, take frames, make a GIF, add sound (FFmpeg, by PyAV)."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import UserError
from hugginggpt.core.operation_words import FRAME_RATE, GREY, MIRROR, MUTED, TURNED, VIDEO_FORMAT
from hugginggpt.core.quantities import DIGITS, NUMBER, clock, number
from hugginggpt.core.quantities import seconds as read_seconds
from hugginggpt.experts import sound_operations
from hugginggpt.experts.operations import operation
from hugginggpt.experts.picture_operations import answer, collage, encoded
from hugginggpt.experts.time_parts import read_part
from hugginggpt.media import video as media

if TYPE_CHECKING:
    from PIL.Image import Image

AV = ("av",)
MAX_MINUTES = 20
MAX_GIF_SECONDS, GIF_RATE, GIF_SIDE = 20.0, 10, 480
MAX_FRAMES = 36


def _answer(data: bytes, note: str) -> dict[str, Any]:
    return {"generated video": data, "note": note}


@operation("cut", "cut-video", "Keeps or removes a part by its times (FFmpeg).", AV)
def cut(video: Path, part: str) -> dict[str, Any]:
    """The video, as MP4, without what the words leave out."""
    length = media.seconds(video)
    taken = read_part(part, length)
    spans = taken.kept(length)
    if sum(end - start for start, end in spans) > 60 * MAX_MINUTES:
        raise UserError(f"A video of more than {MAX_MINUTES} minutes is not written anew: name a shorter part.")
    return _answer(media.written(video, spans), taken.note(length))


@operation("adjust", "adjust-video", "Speed, loudness and look, no sound at all, or saved as MP4 (FFmpeg).", AV)
def adjust(video: Path, change: str) -> dict[str, Any]:
    """The video, as MP4, with all the changes that the words name."""
    length = media.seconds(video)
    is_mute = bool(re.search(MUTED, change, re.IGNORECASE)) or "silent" in change.lower()
    is_saved = _is_to_be_mp4(change)
    words = re.sub(VIDEO_FORMAT, "", change, flags=re.IGNORECASE)
    times, words = sound_operations.repeated(re.sub(MUTED, "", words, flags=re.IGNORECASE))
    rate = _frame_rate(words)
    words = re.sub(FRAME_RATE, "", words, flags=re.IGNORECASE)
    words, look, looks = _look(words)
    with media.opened(video) as container:
        has_sound = bool(container.streams.audio)
    if re.search(r"backward|revers", words, re.IGNORECASE):
        raise UserError("A video cannot be played backwards here.")
    filters, notes = sound_operations.changes("" if is_mute and "silent" in words else words, video)
    if not (notes or is_mute or rate or looks or is_saved or times > 1):
        raise UserError(
            f'What is to be changed by "{change}"? Possible are "without sound", faster, slower, louder, '
            '"12 frames per second", "black and white", "mirrored", "turned by 90 degrees", '
            '"repeat twice" and "as mp4".'
        )
    speed = prod(float(value) for name, value in filters if name == "atempo")
    lasts = times * length / speed
    if lasts > 60 * MAX_MINUTES:
        raise UserError(f"A video of more than {MAX_MINUTES} minutes is not written anew: cut it first.")
    spans = [(0.0, length + 1 if times == 1 else length)] * times
    data = media.written(video, spans, filters=filters, speed=speed, is_mute=is_mute, rate=rate, look=look)
    notes += looks
    notes += [f"{rate} frames a second"] if rate else []
    notes += [f"{times} times in a row"] if times > 1 else []
    if is_mute:
        notes.append("without sound")
    elif has_sound and filters:
        notes = sound_operations.as_reached(notes, filters, video, io.BytesIO(data))
    notes += [f"{video.suffix[1:].upper()} became MP4"] if is_saved else []
    return _answer(data, ", ".join([*notes, f"{clock(lasts)} long"]))


def _is_to_be_mp4(change: str) -> bool:
    """Whether words name the format in which a video is written. Raises UserError for another one."""
    match = re.search(VIDEO_FORMAT, change, re.IGNORECASE)
    if match is None:
        return False
    if not re.search(r"mp4|mpeg-?4|m4v", match[0], re.IGNORECASE):
        raise UserError(f"Videos are written as MP4 only, not as {match[0].split()[-1].upper()}.")
    return True


def _look(words: str) -> tuple[str, Callable[[Any], Any] | None, list[str]]:
    """The words without those for how the pictures are to look; what makes a picture look so, and that in words."""
    is_grey = bool(re.search(GREY, words, re.IGNORECASE))
    rest = re.sub(GREY, "", words, flags=re.IGNORECASE)
    mirrored, turned = re.search(MIRROR, rest, re.IGNORECASE), re.search(TURNED, rest, re.IGNORECASE)
    rest = re.sub(f"{MIRROR}|{TURNED}", "", rest, flags=re.IGNORECASE)
    is_upright = bool(mirrored and "vertical" in mirrored[0].lower())
    degrees = _degrees(turned[0].lower()) if turned else 0
    notes = ["black and white"] if is_grey else []
    notes += [f"mirrored {'vertically' if is_upright else 'horizontally'}"] if mirrored else []
    notes += [f"turned by {degrees}°, clockwise"] if turned else []
    if not notes:
        return words, None, []

    def changed(frame: Any) -> Any:
        import av
        import numpy as np

        if is_grey:
            frame = frame.reformat(format="gray").reformat(format="rgb24")
        if not (mirrored or degrees):
            return frame
        pixels = np.rot90(frame.to_ndarray(format="rgb24"), -degrees // 90)
        pixels = np.flip(pixels, 0 if is_upright else 1) if mirrored else pixels
        return av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")

    return rest, changed, notes


def _degrees(words: str) -> int:
    """By how much a picture is turned, clockwise: 90, 180 or 270."""
    told = re.search(r"90|180|270", words)
    degrees = int(told[0]) if told else 180 if "upside" in words else 90
    is_left = bool(re.search(r"left|counter|anti", words))
    return 360 - degrees if is_left else degrees


MAX_FRAME_RATE = 60


def _frame_rate(words: str) -> int:
    """The frames a second that words tell, 0 for none. Raises UserError."""
    match = re.search(FRAME_RATE, words, re.IGNORECASE)
    rate = round(number(match[0]) or 0) if match else 0
    if match and not 1 <= rate <= MAX_FRAME_RATE:
        raise UserError(f"A video has 1 to {MAX_FRAME_RATE} frames a second, not {rate}.")
    return rate


@operation("frame", "video-frame", "The picture at a time, or several of them on one sheet (FFmpeg).", AV)
def frame(video: Path, time: str = "") -> dict[str, Any]:
    """The picture that is shown at a time, by default in the middle; "every 5 seconds" puts several on one sheet."""
    length = media.seconds(video)
    words = time.lower()
    if several := re.search(_SEVERAL, words):
        return _stills(video, length, round(number(several[1]) or 4) if several[1] else 4)
    words = re.sub(rf"\b(second|minute) ({NUMBER})\b", r"\2 \1", words)
    words = re.sub(rf"({NUMBER}) minute(?: and)? ({NUMBER})$", r"\1 minute \2 s", words)
    if re.search(r"\b(?:every|each|all)\b", words):
        return _sheet(video, length, read_seconds(re.sub(r"every (second|minute)", r"1 \1", words)) or length / 9)
    at = _moment(words, length)
    if at > length:
        raise UserError(f"The video lasts {clock(length)} only: there is nothing at {clock(at)}.")
    found, picture = media.frame_at(video, at)
    return answer(picture, "JPEG", f"at {clock(found)} of {clock(length)}")


_SEVERAL = (
    rf"(?:((?!an?\b){NUMBER})|a few|several|some) (?:\w+ )?"
    r"(?:screenshots|stills|frames|pictures|images|snapshots|photos)"
)


def _stills(video: Path, length: float, count: int) -> dict[str, Any]:
    """Pictures spread over a video, each in a file of its own. Raises UserError for too many."""
    if not 1 <= count <= MAX_FRAMES:
        raise UserError(f"1 to {MAX_FRAMES} pictures are taken from a video, not {count}.")
    times = [(index + 0.5) * length / count for index in range(count)]
    found = [media.frame_at(video, at) for at in times]
    note = f"{count} of {clock(length)}, at {', '.join(clock(at) for at, _ in found)}"
    return {"generated image": [encoded(picture, "JPEG") for _, picture in found], "note": note}


def _moment(words: str, length: float) -> float:
    time = read_seconds(words)
    if time is not None:
        return length - time if re.search(r"before the end|from the end|last \d", words) else time
    if re.search(r"first|start|begin|opening|cover", words):
        return 0.0
    if re.search(r"last|end|final", words):
        return length
    if words and not re.search(r"middle|half|cent", words):
        raise UserError(
            f'Which time is "{words}"? Say it as "0:05", "the middle", "the last frame" or "every 5 seconds".'
        )
    return length / 2


def _sheet(video: Path, length: float, every: float) -> dict[str, Any]:
    count = int(length / every) + 1
    if count > MAX_FRAMES:
        raise UserError(
            f"That would be {count} frames; {MAX_FRAMES} fit on one sheet: take one every {length / MAX_FRAMES:.1f} s."
        )
    times = [min(index * every, length) for index in range(count)]
    pictures = [media.frame_at(video, at)[1] for at in times]
    return answer(collage(pictures), "JPEG", f"{count} frames, at {', '.join(map(clock, times))}")


@operation(
    "gif", "video-to-gif",
    "An animated GIF, else 10 frames a second and at most 480 pixels wide, of at most 20 s (FFmpeg).", AV,
)  # fmt: skip
def gif(video: Path, part: str = "", look: str = "") -> dict[str, Any]:
    """A part of the video, by default its first 20 seconds, as an animated GIF that is repeated."""
    length = media.seconds(video)
    rate, side = _gif_look(look)
    start, end = read_part(part, length).kept(length)[0] if part else (0.0, min(length, MAX_GIF_SECONDS))
    if end - start > MAX_GIF_SECONDS + 0.01:
        raise UserError(
            f"A GIF of {clock(end - start)} would be huge: name a part of {MAX_GIF_SECONDS:g} seconds at most."
        )
    pictures: list[Image] = []
    for at, shown in media.frames(video, [(start, end)]):
        if at - start >= len(pictures) / rate - 1e-3:
            size = media.even_size(shown.width, shown.height, side or GIF_SIDE)
            if side and shown.width < shown.height:  # what is told is the width
                size = media.even_size(shown.width, shown.height, round(side * shown.height / shown.width))
            pictures.append(shown.reformat(*size, format="rgb24").to_image().quantize(128))
    if not pictures:
        raise UserError("There is no picture in this part of the video.")
    data = io.BytesIO()
    pictures[0].save(data, "GIF", save_all=True, append_images=pictures[1:], duration=1000 // rate, loop=0)
    pixels = f"{pictures[0].width}x{pictures[0].height} pixels"
    note = f"{clock(start)} to {clock(end)}, {len(pictures)} frames, {rate} a second, {pixels}"
    return {"generated image": data.getvalue(), "note": note}


MAX_GIF_RATE, MAX_GIF_SIDE = 25, 960


def _gif_look(look: str) -> tuple[int, int]:
    """The frames a second and the width in pixels that words tell, 0 for the usual width. Raises UserError."""
    rate = re.search(FRAME_RATE, look, re.IGNORECASE)
    rest = re.sub(FRAME_RATE, "", look, flags=re.IGNORECASE)
    wide = re.search(DIGITS, rest)
    frames = round(number(rate[0]) or GIF_RATE) if rate else GIF_RATE
    side = int(wide[0]) if wide else 0
    if not 1 <= frames <= MAX_GIF_RATE or side > MAX_GIF_SIDE or (wide and side < 16):
        raise UserError(f"A GIF has 1 to {MAX_GIF_RATE} frames a second, and is 16 to {MAX_GIF_SIDE} pixels wide.")
    return frames, side


@operation("add-sound", "add-sound", "Gives a video the sound of a recording in place of its own (FFmpeg).", AV)
def add_sound(video: Path, audio: Path) -> dict[str, Any]:
    """The video, as MP4, with the sound of the recording, which is cut where the video ends."""
    length = media.seconds(video)
    if length > 60 * MAX_MINUTES:
        raise UserError(f"A video of more than {MAX_MINUTES} minutes is not written anew: cut it first.")
    return _answer(media.written(video, [(0.0, length + 1)], audio), f"{clock(length)} long")
