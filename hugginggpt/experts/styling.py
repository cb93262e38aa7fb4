"""The embedded expert that paints a picture in the style of another one: Magenta's arbitrary image stylization.

One network describes the style in 100 numbers, the other paints by them (Ghiasi and others, arXiv 1705.06830). For
their origin see data/experts/NOTICE.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.experts.registry import expert
from hugginggpt.experts.vision import ONNX, session
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    Array = np.ndarray[Any, np.dtype[np.float32]]

STYLE_SIDE = 256
PAINTED_SIDE = 384
"""The networks are made for these sizes."""
CUBIC = 3
"""Pillow's number of the filter; Lanczos takes up to three times as long, and nobody sees it in a painting."""
MAX_SIDE = 1536
"""The longer side of a painting at most: it is scaled up from PAINTED_SIDE, and larger ones show no more."""


@expert(
    "magenta-stylization", "style-transfer",
    "Paints a picture in the style of another one, at 384 pixels and scaled up (Magenta).", ONNX,
)  # fmt: skip
def paint(image: Path, style: Path) -> dict[str, Any]:
    """The picture in the style of the other one, of its own size or smaller, and how finely it was painted."""
    picture = load_image(image)
    picture.thumbnail((MAX_SIDE, MAX_SIDE))
    painted = painted_as(picture, style_of(load_image(style)))
    finest = f"painted at {PAINTED_SIDE} pixels and scaled up, so that fine detail is lost"
    return {"generated image": painted, **({"note": finest} if max(picture.size) > PAINTED_SIDE else {})}


def style_of(picture: Image) -> Array:
    """The style of the square in the middle of a picture, shape (1, 1, 1, 100)."""
    side = min(picture.size)
    left, top = (picture.width - side) / 2, (picture.height - side) / 2
    square = picture.resize((STYLE_SIDE, STYLE_SIDE), CUBIC, box=(left, top, left + side, top + side))
    style: Array = _predictor().run(None, {"style_image": _values(square)})[0]
    return style


def painted_as(picture: Image, style: Array) -> Image:
    """The picture in a style, of the same size."""
    import cv2
    import numpy as np
    from PIL import Image as PIL

    scale = PAINTED_SIDE / max(picture.size)
    width, height = (max(1, round(side * scale)) for side in picture.size)
    values = _values(picture.resize((width, height), CUBIC))
    square = np.pad(values, ((0, 0), (0, PAINTED_SIDE - height), (0, PAINTED_SIDE - width), (0, 0)), "symmetric")
    network = _painter()
    content, by_style = (given.name for given in network.get_inputs())
    made = network.run(None, {content: square, by_style: style})[0][0, :height, :width]
    pixels = np.rint(np.clip(made, 0, 1) * 255).astype(np.uint8)
    how = cv2.INTER_CUBIC if scale < 1 else cv2.INTER_AREA  # a tenth of Pillow's time
    return PIL.fromarray(np.asarray(cv2.resize(pixels, picture.size, interpolation=how), np.uint8))


def _values(picture: Image) -> Array:
    """The pixels from 0 to 1, shape (1, height, width, 3)."""
    import numpy as np

    return np.asarray(picture, np.float32)[None] / np.float32(255)


@once
def _predictor() -> Any:
    return session("style-predict.onnx")


@once
def _painter() -> Any:
    return session("style-transform.onnx")
