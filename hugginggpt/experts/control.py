"""Embedded experts that draw the control pictures of ControlNet (arXiv 2302.05543) with OpenCV.

The networks that JARVIS used for soft edges, lines and regions (HED, M-LSD, UperNet) come as pickles and are
not used. What is drawn in their place is simpler, and says so.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.registry import expert
from hugginggpt.experts.vision import ONNX, people_mask
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    Floats = np.ndarray[Any, np.dtype[np.float32]]
    Bytes = np.ndarray[Any, np.dtype[np.uint8]]

CV2 = ("cv2", "numpy")
WORK_SIDE = 768
"""Edges are computed at this many pixels for the longer side at most ..."""
REGION_SIDE = 384
"""... and regions at this many."""

SCALES = (1.0, 2.0, 4.0)
"""Widths of the blurs in which an edge must show to be one, in pixels of a picture of 512."""
SURROUND = 12.0
"""Width of the blur that tells how busy the surroundings of an edge are, in the same pixels."""
STRONG = 0.995
"""The quantile of the edges' strengths that is drawn white ..."""
FAINT = 60.0
"""... unless it is less than this, about that of an outline of 15 grey levels of 255: noise on an even picture."""
SCRIBBLED = 0.18
"""Edges as strong as this, of 1, are scribbled ..."""
SHORT_STROKE = 0.06
"""... unless they are shorter than this part of the longer side."""
SHORT_LINE = 0.05
"""Straight lines shorter than this part of the longer side are left out."""
COLOURS = 8
"""Into how many colours the regions are sorted."""
PERSON = (150, 5, 61)
"""The colour of a person in pictures of regions that ControlNet learned from (ADE20K)."""


def _working(image: Path, side: int = WORK_SIDE) -> tuple[Image, Bytes]:
    """The picture, and its pixels (height, width, 3) at the working size."""
    import numpy as np

    picture = load_image(image)
    small = picture.copy()
    small.thumbnail((side, side))
    return picture, np.asarray(small)


def _drawn(grey: Bytes, picture: Image) -> Image:
    """A grey drawing (height, width) as an RGB picture of the original's size."""
    from PIL import Image as PIL

    return PIL.fromarray(grey).resize(picture.size, PIL.Resampling.BILINEAR).convert("RGB")


def _substitute(drawn: Image, model: str) -> dict[str, Any]:
    """A drawing as a result that says what it stands in for."""
    return {"generated image": drawn, "note": f"drawn with OpenCV, as a substitute for {model}"}


# Edges


@expert(
    "hed-control", "hed-control",
    "Soft edges by gradients at three scales (OpenCV), white on black; a substitute for the network HED.", CV2,
)  # fmt: skip
def soft_edges(image: Path) -> dict[str, Any]:
    """Outlines are bright, texture is dim; the strength of an edge is its brightness."""
    import numpy as np

    picture, pixels = _working(image)
    return _substitute(_drawn((edge_strength(pixels) * 255).astype(np.uint8), picture), "the network HED")


def edge_strength(pixels: Bytes) -> Floats:
    """How strong an edge is at each pixel, from 0 to 1, shape (height, width).

    The geometric mean of the gradient's magnitude over scales in CIELAB: an outline shows in all of them, noise in
    the finest alone (Witkin, Scale-space filtering, 1983). Edges in busy surroundings, such as grass, are dimmed
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
    strength = np.maximum(strength - 0.7 * cv2.GaussianBlur(strength, (0, 0), SURROUND * unit), 0)
    white = max(float(np.quantile(strength, STRONG)), FAINT)
    return np.asarray(np.clip(strength / white, 0, 1), np.float32)


@expert(
    "scribble-control", "scribble-control",
    "The strongest soft edges as thin strokes (OpenCV), white on black; a substitute for scribbles made with HED.", CV2,
)  # fmt: skip
def scribble(image: Path) -> dict[str, Any]:
    """Strokes along the ridges of the soft edges; short ones are left out."""
    import cv2
    import numpy as np

    picture, pixels = _working(image)
    strength = np.asarray(cv2.GaussianBlur(edge_strength(pixels), (0, 0), max(pixels.shape[:2]) / 250), np.float32)
    strokes = (_on_ridge(strength) & (strength > SCRIBBLED)).astype(np.uint8)
    joined = cv2.dilate(strokes, np.ones((3, 3), np.uint8))
    _, parts, boxes, _ = cv2.connectedComponentsWithStats(joined)
    long = boxes[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(1) > SHORT_STROKE * max(pixels.shape[:2])
    long[0] = False  # the background
    return _substitute(_drawn((long[parts] * 255).astype(np.uint8), picture), "scribbles made with the network HED")


def _on_ridge(strength: Floats) -> Any:
    """Where a value is the highest along one of the four directions through it: booleans (height, width)."""
    import cv2
    import numpy as np

    across = np.zeros((3, 3), np.uint8)
    across[1] = 1
    slanted = np.eye(3, dtype=np.uint8)
    lines = (across, across.T.copy(), slanted, slanted[::-1].copy())
    return np.logical_or.reduce([cv2.dilate(strength, line) == strength for line in lines])


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

    picture, pixels = _working(image)
    segments = cv2.createLineSegmentDetector().detect(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))[0]
    drawn = PIL.new("RGB", picture.size)
    lines = np.zeros((0, 4), np.float32) if segments is None else segments.reshape(-1, 4)
    long = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]) > SHORT_LINE * max(pixels.shape[:2])
    scale = picture.width / pixels.shape[1]
    draw = ImageDraw.Draw(drawn)
    for line in lines[long] * scale:
        draw.line([float(end) for end in line], fill="white", width=max(2, max(picture.size) // 300))
    return _substitute(drawn, "the network M-LSD")


# Regions


@expert(
    "seg-control", "seg-control",
    "People (MediaPipe selfie segmentation) and regions of like colour, which are not named; a substitute for a "
    "network that knows 150 kinds of things.", (*CV2, *ONNX),
)  # fmt: skip
def regions(image: Path) -> dict[str, Any]:
    """Each region in a flat colour; people in the one that ControlNet knows for them."""
    from PIL import Image as PIL

    picture, pixels = _working(image, REGION_SIDE)
    drawn = PIL.fromarray(colour_regions(pixels)).resize(picture.size, PIL.Resampling.NEAREST)
    with contextlib.suppress(ExpertUnavailable):  # where nobody is in the picture
        (person,) = people_mask(image)
        drawn.paste(PERSON, (0, 0), person["mask"].point(lambda value: 255 * (value > 127)))
    return _substitute(drawn, "a network that knows 150 kinds of things")


def colour_regions(pixels: Bytes) -> Bytes:
    """The picture (height, width, 3) in a few flat colours: the means of those that its smoothed pixels fall into.

    Mean shift (Comaniciu and Meer, IEEE PAMI 24(5), 2002), then k-means in CIELAB, begun by lightness so that the
    same picture always gives the same regions.
    """
    import cv2
    import numpy as np

    flat = cv2.medianBlur(cv2.pyrMeanShiftFiltering(pixels[:, :, ::-1].copy(), 8, 24), 5)
    values = cv2.cvtColor(flat, cv2.COLOR_BGR2LAB).reshape(-1, 3).astype(np.float32)
    rank = np.argsort(np.argsort(values[:, 0], kind="stable"), kind="stable")
    count = min(COLOURS, len(rank))
    begun = (rank * count // len(rank)).astype(np.int32).reshape(-1, 1)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 1.0)
    _, members, centres = cv2.kmeans(values, count, begun, stop, 1, cv2.KMEANS_USE_INITIAL_LABELS)
    centres = np.clip(centres, 0, 255).astype(np.uint8)
    colours = cv2.cvtColor(centres[None], cv2.COLOR_LAB2RGB)[0]
    return np.asarray(colours[members.ravel()].reshape(pixels.shape), np.uint8)
