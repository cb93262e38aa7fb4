"""Embedded experts that draw control images for ControlNet (arXiv 2302.05543).

Soft edges, and scribbles made of them, are drawn by the network HED; for its origin see data/experts/NOTICE. The
networks that JARVIS used for lines and regions (M-LSD, UperNet) are published as pickles, which are not loaded: OpenCV
stands in for them, as for HED where it fails, and the results carry a note that says so.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.registry import expert
from hugginggpt.experts.vision import ONNX, people_mask, session
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    Floats = np.ndarray[Any, np.dtype[np.float32]]
    Bytes = np.ndarray[Any, np.dtype[np.uint8]]

CV2 = ("cv2", "numpy")
WORK_SIDE = 768
"""The longer side, in pixels, at which edges are computed at most ..."""
REGION_SIDE = 384
"""... and regions."""
HED_SIDE = 640
"""That for the network HED, which takes 1.5 s and 0.5 GB of memory for it."""

SCALES = (1.0, 2.0, 4.0)
"""The scales of the blurs for edges (standard deviations), in pixels of a picture of 512."""
SURROUND_SCALE = 12.0
"""The scale of the blur that measures the texture around an edge, in the same unit."""
WHITE_QUANTILE = 0.995
"""The quantile of the edge strengths that is drawn white ..."""
MIN_WHITE = 60.0
"""... but at least this strength, about that of a step of 15 grey levels of 255: below it there is only noise."""
SCRIBBLE_THRESHOLD = 0.18
"""The minimum strength of an edge in a scribble, from 0 to 1 ..."""
HED_STROKE = 0.35
"""... that of one which the network HED has drawn ..."""
MIN_STROKE = 0.06
"""... and the minimum length of a stroke, as a share of the longer side."""
MIN_LINE = 0.05
"""The minimum length of a straight line, as a share of the longer side."""
COLOUR_COUNT = 8
"""The number of clusters of colours."""
PERSON_COLOUR = (150, 5, 61)
"""The colour of people in the segmentation maps that ControlNet was trained on (ADE20K)."""


def _load_reduced(image: Path, side: int = WORK_SIDE) -> tuple[Image, Bytes]:
    """The picture, and its pixels (height, width, 3) with a longer side of at most `side`."""
    import numpy as np

    picture = load_image(image)
    small = picture.copy()
    small.thumbnail((side, side))
    return picture, np.asarray(small)


def _full_size(grey: Bytes, picture: Image) -> Image:
    """A grey drawing (height, width) as an RGB picture of the original's size."""
    from PIL import Image as PIL

    return PIL.fromarray(grey).resize(picture.size, PIL.Resampling.BILINEAR).convert("RGB")


def _substitute_result(drawing: Image, model: str) -> dict[str, Any]:
    """A drawing as a result, with a note on the model that it substitutes."""
    return {"generated image": drawing, "note": f"drawn with OpenCV, as a substitute for {model}"}


# Edges


@expert("hed-bsds500", "hed-control", "Soft edges by the network HED, white on black.", ONNX)
def hed_edges(image: Path) -> Image:
    """A greyscale image of how likely each pixel is on an edge that people would draw (HED, arXiv 1504.06375)."""
    import numpy as np

    picture, pixels = _load_reduced(image, HED_SIDE)
    return _full_size((edge_probability(pixels) * 255).astype(np.uint8), picture)


@expert(
    "hed-bsds500", "scribble-control", "The edges that the network HED draws as thin strokes, white on black.", ONNX
)
def hed_scribble(image: Path) -> Image:
    picture, pixels = _load_reduced(image, HED_SIDE)
    return _full_size(strokes(edge_probability(pixels), HED_STROKE), picture)


def edge_probability(pixels: Bytes) -> Floats:
    """How likely each pixel of a picture (height, width, 3) is on an edge, from 0 to 1, shape (height, width)."""
    import numpy as np

    edges: Floats = _hed().run(None, {"image": np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32)})[0]
    drawn: Floats = edges[0, 0]
    return drawn


@once
def _hed() -> Any:
    return session("hed-bsds500.onnx")


@expert(
    "hed-control", "hed-control",
    "Soft edges by gradients at three scales (OpenCV), white on black; a substitute for the network HED.", CV2,
)  # fmt: skip
def soft_edges(image: Path) -> dict[str, Any]:
    """A greyscale image of edge strength: outlines are bright, texture is dim."""
    import numpy as np

    picture, pixels = _load_reduced(image)
    return _substitute_result(_full_size((edge_strength(pixels) * 255).astype(np.uint8), picture), "the network HED")


def edge_strength(pixels: Bytes) -> Floats:
    """The edge strength at each pixel, from 0 to 1, shape (height, width).

    The geometric mean of the gradient's magnitude over scales in CIELAB: an outline shows in all of them, noise in
    the finest alone (Witkin, Scale-space filtering, 1983). Edges within texture, such as grass, are attenuated
    (Grigorescu, Petkov and Westenberg, IEEE Transactions on Image Processing 12(7), 2003).
    """
    import cv2
    import numpy as np

    lab = cv2.cvtColor(pixels, cv2.COLOR_RGB2LAB).astype(np.float32)
    unit = max(pixels.shape[:2]) / 512
    log = np.zeros(pixels.shape[:2], np.float32)
    for scale in SCALES:
        smooth = cv2.GaussianBlur(lab, (0, 0), scale * unit)
        across, down = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
        log += np.log(np.hypot(across, down).max(-1) * scale + 1e-3) / len(SCALES)
    strength = np.exp(log)
    strength = np.maximum(strength - 0.7 * cv2.GaussianBlur(strength, (0, 0), SURROUND_SCALE * unit), 0)
    white = max(float(np.quantile(strength, WHITE_QUANTILE)), MIN_WHITE)
    return np.asarray(np.clip(strength / white, 0, 1), np.float32)


@expert(
    "scribble-control", "scribble-control",
    "The strongest soft edges as thin strokes (OpenCV), white on black; a substitute for scribbles made with HED.", CV2,
)  # fmt: skip
def scribble(image: Path) -> dict[str, Any]:
    """Strokes along the ridges of the soft edges, without short ones."""
    picture, pixels = _load_reduced(image)
    drawing = _full_size(strokes(edge_strength(pixels), SCRIBBLE_THRESHOLD), picture)
    return _substitute_result(drawing, "scribbles made with the network HED")


def strokes(strength: Floats, threshold: float) -> Bytes:
    """White strokes along the ridges of edges, without short ones, shape (height, width)."""
    import cv2
    import numpy as np

    longer = max(strength.shape)
    smooth = np.asarray(cv2.GaussianBlur(strength, (0, 0), longer / 250), np.float32)
    ridges = (_is_ridge(smooth) & (smooth > threshold)).astype(np.uint8)
    _, parts, boxes, _ = cv2.connectedComponentsWithStats(cv2.dilate(ridges, np.ones((3, 3), np.uint8)))
    long = boxes[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(1) > MIN_STROKE * longer
    long[0] = False  # the background
    return np.asarray(long[parts] * 255, np.uint8)


def _is_ridge(strength: Floats) -> Any:
    """Whether each value is a maximum along one of the four directions through it: booleans (height, width)."""
    import cv2
    import numpy as np

    across = np.zeros((3, 3), np.uint8)
    across[1] = 1
    diagonal = np.eye(3, dtype=np.uint8)
    directions = (across, across.T.copy(), diagonal, diagonal[::-1].copy())
    return np.logical_or.reduce([cv2.dilate(strength, direction) == strength for direction in directions])


@expert(
    "mlsd-control", "mlsd-control",
    "Straight lines by the detector LSD (OpenCV), white on black; a substitute for the network M-LSD.", CV2,
)  # fmt: skip
def straight_lines(image: Path) -> dict[str, Any]:
    """Grompone von Gioi and others, LSD: a line segment detector, Image Processing On Line 2, 2012."""
    import cv2
    import numpy as np
    from PIL import Image as PIL
    from PIL import ImageDraw

    picture, pixels = _load_reduced(image)
    segments = cv2.createLineSegmentDetector().detect(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))[0]
    drawing = PIL.new("RGB", picture.size)
    lines = np.zeros((0, 4), np.float32) if segments is None else segments.reshape(-1, 4)
    long = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]) > MIN_LINE * max(pixels.shape[:2])
    scale = picture.width / pixels.shape[1]
    draw = ImageDraw.Draw(drawing)
    for line in lines[long] * scale:
        draw.line([float(coordinate) for coordinate in line], fill="white", width=max(2, max(picture.size) // 300))
    return _substitute_result(drawing, "the network M-LSD")


# Regions


@expert(
    "seg-control", "seg-control",
    "People (MediaPipe selfie segmentation) and regions of like colour, which are not named; a substitute for a "
    "network that knows 150 kinds of things.", (*CV2, *ONNX),
)  # fmt: skip
def regions(image: Path) -> dict[str, Any]:
    """Each region in one colour; people in the colour that ControlNet expects for them."""
    from PIL import Image as PIL

    picture, pixels = _load_reduced(image, REGION_SIDE)
    drawing = PIL.fromarray(colour_regions(pixels)).resize(picture.size, PIL.Resampling.NEAREST)
    with contextlib.suppress(ExpertUnavailable):  # raised where no person is in the picture
        (person,) = people_mask(image)
        drawing.paste(PERSON_COLOUR, (0, 0), person["mask"].point(lambda value: 255 * (value > 127)))
    return _substitute_result(drawing, "a network that knows 150 kinds of things")


def colour_regions(pixels: Bytes) -> Bytes:
    """The picture (height, width, 3) with the colour of each pixel replaced by the mean colour of its cluster.

    Mean shift (Comaniciu and Meer, IEEE PAMI 24(5), 2002), then k-means in CIELAB, initialised by lightness so
    that the result is deterministic.
    """
    import cv2
    import numpy as np

    flat = cv2.medianBlur(cv2.pyrMeanShiftFiltering(pixels[:, :, ::-1].copy(), 8, 24), 5)
    values = cv2.cvtColor(flat, cv2.COLOR_BGR2LAB).reshape(-1, 3).astype(np.float32)
    lightness_rank = np.argsort(np.argsort(values[:, 0], kind="stable"), kind="stable")
    count = min(COLOUR_COUNT, len(lightness_rank))
    initial_labels = (lightness_rank * count // len(lightness_rank)).astype(np.int32).reshape(-1, 1)
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 1.0)
    _, members, centres = cv2.kmeans(values, count, initial_labels, criteria, 1, cv2.KMEANS_USE_INITIAL_LABELS)
    centres = np.clip(centres, 0, 255).astype(np.uint8)
    colours = cv2.cvtColor(centres[None], cv2.COLOR_LAB2RGB)[0]
    return np.asarray(colours[members.ravel()].reshape(pixels.shape), np.uint8)
