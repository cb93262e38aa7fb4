"""Embedded experts that measure pictures and videos, without a model: size, brightness, fine detail, length."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.measures import size_of_file
from hugginggpt.core.quantities import clock
from hugginggpt.experts.operations import operation
from hugginggpt.media import video as media
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

LOOKED_AT = 512
"""The pixels of the longer side at which detail is compared, so that a larger copy is no sharper."""


@operation("measure-picture", "measure-image", "Size, brightness and fine detail (Pillow, NumPy).")
def say_picture(image: Path) -> dict[str, Any]:
    """How large, bright and sharp a picture is, in a sentence and in numbers: `brightness` is the mean lightness in
    percent, `sharpness` the variance of the Laplacian of its greys (0 to 255) at most LOOKED_AT pixels wide and high.
    """
    picture = load_image(image)
    size, bright, sharp = image.stat().st_size, brightness(picture), sharpness(picture)
    width, height = picture.size
    kind = f"a {image.suffix[1:].upper()} file, " if image.suffix else ""
    answer = (
        f"{kind}{width}x{height} pixels, {size_of_file(size)}, mean brightness {bright:.0f} %, fine detail {sharp:.3g}"
    )
    return {
        "answer": answer, "width": width, "height": height, "pixels": width * height, "bytes": size,
        "brightness": round(bright, 1), "sharpness": round(sharp, 2),
    }  # fmt: skip


@operation("measure-video", "measure-video", "Length, size, frame rate, and whether there is sound (FFmpeg).", ("av",))
def say_video(video: Path) -> dict[str, Any]:
    """How long and large a video is, and whether it has sound."""
    length, size = media.seconds(video), video.stat().st_size
    with media.opened(video) as container:
        stream = container.streams.video[0]
        width, height, rate = stream.codec_context.width, stream.codec_context.height, stream.average_rate
        has_sound = bool(container.streams.audio)
    frames = f", {float(rate):.3g} frames per second" if rate else ""
    sound = "with sound" if has_sound else "without sound"
    answer = f"{clock(length)} long ({length:.1f} s), {width}x{height} pixels{frames}, {size_of_file(size)}, {sound}"
    return {
        "answer": answer, "seconds": round(length, 2), "width": width, "height": height, "pixels": width * height,
        "bytes": size, "sound": has_sound,
    }  # fmt: skip


def brightness(picture: Image) -> float:
    from PIL import ImageStat

    return float(ImageStat.Stat(picture.convert("L")).mean[0] / 2.55)


def sharpness(picture: Image) -> float:
    import numpy as np

    grey = picture.convert("L")
    grey.thumbnail((LOOKED_AT, LOOKED_AT))
    levels = np.asarray(grey, float)
    if min(levels.shape) < 3:
        return 0.0
    centre = levels[1:-1, 1:-1]
    laplacian = levels[:-2, 1:-1] + levels[2:, 1:-1] + levels[1:-1, :-2] + levels[1:-1, 2:] - 4 * centre
    return float(laplacian.var())
