"""The embedded expert that says whether a picture is safe for work: Yahoo's open_nsfw; see data/experts/NOTICE.

It was made to find naked people and sexual acts, and judges nothing else: neither violence nor drugs nor words. Of 109
photographs of animals, people, places and papers it took none for unsafe (6 % at most); how many unsafe pictures it
misses was not measured here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.experts.registry import expert
from hugginggpt.experts.vision import ONNX, session
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE, MARGIN = 256, 16
"""The network sees the middle of the picture in this size, without the margins."""
MEAN_BGR = (104, 117, 123)
SAFE, UNSAFE = "safe for work", "not safe for work"
EXPERT, TASK = "open-nsfw", "image-safety"


@expert(EXPERT, TASK, "How likely a picture shows naked people or sexual acts (Yahoo's open_nsfw).", ONNX)
def safety(image: Path) -> list[dict[str, Any]]:
    """The labels "safe for work" and "not safe for work" with their probabilities."""
    unsafe = unsafe_probability(load_image(image))
    return [{"label": SAFE, "score": 1 - unsafe}, {"label": UNSAFE, "score": unsafe}]


def unsafe_probability(picture: Image) -> float:
    """How likely a picture is not safe for work."""
    import numpy as np

    small = picture.resize((SIDE, SIDE), 2).crop((MARGIN, MARGIN, SIDE - MARGIN, SIDE - MARGIN))
    pixels = np.asarray(small, np.float32)[:, :, ::-1] - np.array(MEAN_BGR, np.float32)
    return float(_network().run(None, {"input:0": np.ascontiguousarray(pixels[None])})[0][0, 1])


@once
def _network() -> Any:
    return session("open-nsfw.onnx")
