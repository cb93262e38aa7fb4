"""Control pictures that are drawn with a model of another task: depth, normals, kinds of things.

Further ones need no model to be downloaded and come with the project (experts/control.py, experts/vision.py).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts.families import Run, each, family
from hugginggpt.experts.families.pictures import has
from hugginggpt.experts.families.vision import class_mapper, near_is_bright, nearness_estimator
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float32]]

RELIEF = 2.0
"""How far the nearest point is taken to stand before the farthest, in longer sides of the picture: a depth model
does not say."""
BACKGROUND = 0.4
"""What is less near than this is drawn as a plane, as ControlNet's own drawings were made."""
ADE20K_CLASSES = 150


@family("depth-control", when=has("DEPTH_ESTIMATION"), lender="depth-estimation")
def depth_control(source: Source) -> Run:
    """The depth as ControlNet takes it: near is bright."""
    nearness = nearness_estimator(source)

    def run(image: Path) -> Any:
        picture = load_image(image)
        return near_is_bright(nearness(picture)).resize(picture.size).convert("RGB")

    return each(run)


@family("normal-control", when=has("DEPTH_ESTIMATION"), lender="depth-estimation")
def normal_control(source: Source) -> Run:
    """The directions of the surfaces, computed from the depth."""
    from PIL import Image as PIL

    nearness = nearness_estimator(source)

    def run(image: Path) -> Any:
        picture = load_image(image)
        return PIL.fromarray(normal_colours(nearness(picture))).resize(picture.size)

    return each(run)


def normal_colours(near: Floats) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Normals as colours, shape (height, width, 3), from how near each point is (0 to 1, shape (height, width)).

    Red says how fast a surface comes nearer to the right, green downwards, blue how much it faces the viewer: as in
    the drawings from MiDaS that ControlNet learned from.
    """
    import numpy as np

    down, across = np.gradient(near * RELIEF * max(near.shape))
    flat = near < BACKGROUND
    across[flat] = down[flat] = 0
    normals = np.stack([across, down, np.ones_like(near)], -1)
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return np.clip(normals * 127.5 + 127.5, 0, 255).astype(np.uint8)


@cache
def ade20k_colours() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The colours of ADE20K's 150 classes, which ControlNet learned from: shape (150, 3)."""
    import numpy as np

    return np.loadtxt(EXPERTS_DATA / "ade150.txt", dtype=np.uint8)


def _knows_ade20k(source: Source) -> bool:
    """Whether the model marks the 150 classes whose colours ControlNet knows."""
    return has("SEMANTIC_SEGMENTATION")(source) and len(source.config.get("id2label") or ()) == ADE20K_CLASSES


@family("seg-control", when=_knows_ade20k, lender="image-segmentation")
def region_control(source: Source) -> Run:
    """The kinds of things and surfaces, each in its colour."""
    from PIL import Image as PIL

    class_map = class_mapper(source)

    def run(image: Path) -> Any:
        picture = load_image(image)
        colours = ade20k_colours()[class_map(picture)[1].numpy()]
        return PIL.fromarray(colours).resize(picture.size, PIL.Resampling.NEAREST)

    return each(run)
