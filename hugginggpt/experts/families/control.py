"""Control images that are computed with a model for another task: depth, normals, segmentation.

Others need no downloaded model and come with the project (experts/control.py, experts/vision.py).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts.families import Run, each, family
from hugginggpt.experts.families.pictures import has
from hugginggpt.experts.families.vision import class_predictor, nearness_estimator, nearness_image
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float32]]

RELIEF = 2.0
"""The assumed distance between the nearest and the farthest point, as a multiple of the picture's longer side: depth
models estimate none."""
BACKGROUND = 0.4
"""Points less near than this are drawn as a plane, as in the training data of ControlNet."""
ADE20K_CLASSES = 150


@family("depth-control", when=has("DEPTH_ESTIMATION"), lender="depth-estimation")
def depth_control(source: Source) -> Run:
    """A depth map as ControlNet expects it: near is bright."""
    nearness = nearness_estimator(source)

    def run(image: Path) -> Any:
        picture = load_image(image)
        return nearness_image(nearness(picture)).resize(picture.size).convert("RGB")

    return each(run)


@family("normal-control", when=has("DEPTH_ESTIMATION"), lender="depth-estimation")
def normal_control(source: Source) -> Run:
    """A normal map, computed from the depth."""
    from PIL import Image as PIL

    nearness = nearness_estimator(source)

    def run(image: Path) -> Any:
        picture = load_image(image)
        return PIL.fromarray(normal_colours(nearness(picture))).resize(picture.size)

    return each(run)


def normal_colours(near: Floats) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Normals as colours, shape (height, width, 3), from the nearness of each point (0 to 1, shape (height, width)).

    Red is the slope to the right, green the slope downwards, blue the component towards the viewer: as in the normal
    maps from MiDaS that ControlNet was trained on.
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
    """The colours of ADE20K's 150 classes in ControlNet's training data: shape (150, 3)."""
    import numpy as np

    return np.loadtxt(EXPERTS_DATA / "ade150.txt", dtype=np.uint8)


def _knows_ade20k(source: Source) -> bool:
    """Whether the model segments ADE20K's 150 classes."""
    return has("SEMANTIC_SEGMENTATION")(source) and len(source.config.get("id2label") or ()) == ADE20K_CLASSES


@family("seg-control", when=_knows_ade20k, lender="image-segmentation")
def region_control(source: Source) -> Run:
    """A segmentation map with the colour of each class."""
    from PIL import Image as PIL

    predict_classes = class_predictor(source)

    def run(image: Path) -> Any:
        picture = load_image(image)
        colours = ade20k_colours()[predict_classes(picture)[1].numpy()]
        return PIL.fromarray(colours).resize(picture.size, PIL.Resampling.NEAREST)

    return each(run)
