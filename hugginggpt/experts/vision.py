"""Embedded experts for pictures. For the origin of the networks see data/experts/NOTICE."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import coco
from hugginggpt.experts.panels import Part, panels, tiles
from hugginggpt.experts.registry import expert
from hugginggpt.experts.weights import weights
from hugginggpt.media.decoding import load_image
from hugginggpt.media.drawing import draw_pose

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    Array = np.ndarray[Any, np.dtype[np.float32]]
    Pixels = np.ndarray[Any, np.dtype[np.uint8]]

ONNX = ("onnxruntime", "numpy", "cv2")

SIDE = 416
STRIDES = (8, 16, 32)
BINS = 11
POSE_SIDE = 192
MEAN_BGR = (103.53, 116.28, 123.675)
STD_BGR = (57.375, 57.12, 58.395)
MIN_SCORE, MIN_FAINT_SCORE, MIN_VIEW_SCORE = 0.42, 0.3, 0.15
"""The minimum score of an object, of a faint one (both on average over the views of a picture), and in one view."""
MAX_OVERLAP, MIN_MATCH = 0.5, 0.45
"""Boxes of one view that overlap more are one object; so are boxes of different views that overlap so much."""
MAX_SQUARE_RATIO, MAX_PADDED_RATIO = 1.1, 8.0
"""A picture is padded if its sides have a ratio between these: a narrower strip would vanish in its square, which would
be large."""
MIN_MARGIN = 0.03
"""A box that comes closer to an edge of a tile, as a share of its side, is a part of an object."""
MAX_STEP = 1.5
"""Samples of a picture that is scaled down are at most so many of its pixels apart: more would miss fine texture."""
GREY = (114, 114, 114)
"""The colour of a padding."""


def session(name: str) -> Any:
    """An onnxruntime session on the CPU for one of the bundled networks; it may be used by several threads.

    Its threads sleep when they wait: spinning, the default, takes the CPU from what prepares the next picture and from
    other work, and doubles the time where that is busy.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(weights(name), options, providers=["CPUExecutionProvider"])


# Objects


def detect_in(picture: Image, min_score: float = MIN_SCORE) -> list[dict[str, Any]]:
    """The objects of a picture by NanoDet (github.com/RangiLyu/nanodet), best first; those of each photograph of a
    collage, and those that are only seen in a tile of a panorama.
    """
    detected: list[_Detection] = []
    for part in panels(picture):
        photograph = picture.crop(part)
        seen = _seen(photograph, min_score)
        for tile in tiles(photograph):
            within = _moved(_whole_in(photograph, tile, min_score), tile[:2])
            seen += [one for one in within if not any(_is_part(one, other) for other in seen)]
        detected += _moved(seen, part[:2])
    regions = []
    for label, score, sides in detected:
        limits = (picture.width, picture.height) * 2
        xmin, ymin, xmax, ymax = (round(min(max(side, 0.0), limit)) for side, limit in zip(sides, limits, strict=True))
        if xmax > xmin and ymax > ymin:
            box = {"xmin": xmin, "ymin": ymin, "xmax": xmax, "ymax": ymax}
            regions.append({"label": coco.labels()[label], "score": round(score, 4), "box": box})
    return sorted(regions, key=lambda region: -region["score"])


_Detection = tuple[int, float, tuple[float, ...]]
"""Class, score, and box (left, top, right, bottom in pixels)."""


def _seen(picture: Image, min_score: float) -> list[_Detection]:
    """The detections in up to four views of a picture, averaged.

    The network is small: a view of its own that stretches the picture, or pads it to a square, misses objects and
    invents others; views rarely agree on those.
    """
    views = _both_ways(picture)
    if MAX_SQUARE_RATIO < max(picture.size) / min(picture.size) <= MAX_PADDED_RATIO:
        views += _both_ways(_padded(picture))
    return _averaged(views, min_score)


def _both_ways(picture: Image) -> list[list[_Detection]]:
    """The detections in the mirrored picture, and in the picture."""
    small = _normalised(scaled(picture, SIDE))
    return [_mirrored(_detections(small[:, :, ::-1], picture), picture.width), _detections(small, picture)]


def scaled(picture: Image, side: int, box: Part | None = None) -> Pixels:
    """The pixels of an RGB picture, or of a box in it, stretched to a square: shape (side, side, 3).

    A few samples for each pixel are averaged, which takes a third to a half of the time of Pillow's filters.
    """
    import cv2
    import numpy as np

    left, top, right, bottom = box or (0, 0, *picture.size)
    shrunk = picture.reduce(
        (max(1, (right - left) // (2 * side)), max(1, (bottom - top) // (2 * side))), (left, top, right, bottom)
    )
    across, down = (max(2, math.ceil(length / side / MAX_STEP)) for length in shrunk.size)
    sampled = cv2.resize(np.asarray(shrunk), (across * side, down * side), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.resize(sampled, (side, side), interpolation=cv2.INTER_AREA), np.uint8)


def _normalised(square: Pixels) -> Array:
    """The pixels as the network takes them: float32, blue, green, red, shape (3, SIDE, SIDE)."""
    import numpy as np

    pixels = square.transpose(2, 0, 1)[::-1].astype(np.float32, order="C")
    pixels -= np.array(MEAN_BGR, np.float32)[:, None, None]
    pixels /= np.array(STD_BGR, np.float32)[:, None, None]
    return pixels


def _whole_in(picture: Image, tile: Part, min_score: float) -> list[_Detection]:
    """The detections in a tile of a picture, without those that its edges cut off."""
    left, top, right, bottom = tile
    margin = MIN_MARGIN * (right - left)
    ends = ((left, 0), (top, 0), (right, picture.width), (bottom, picture.height))
    low = [margin if start > end else -inf for start, end in ends[:2]]
    high = [size - margin if at < end else inf
            for size, (at, end) in zip((right - left, bottom - top), ends[2:], strict=True)]  # fmt: skip
    return [
        one
        for one in _seen(picture.crop(tile), min_score)
        if all(one[2][at] >= low[at] and one[2][at + 2] <= high[at] for at in range(2))
    ]


def _moved(detections: list[_Detection], by: tuple[int, ...]) -> list[_Detection]:
    """The detections in a part that begins at these pixels, in the coordinates of the picture."""
    return [(label, score, tuple(side + step for side, step in zip(sides, (*by, *by), strict=True)))
            for label, score, sides in detections]  # fmt: skip


def _is_part(one: _Detection, other: _Detection) -> bool:
    """Whether the smaller of two boxes of a label lies mostly in the other one."""
    (first, _, a), (second, _, b) = one, other
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    smaller = min((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return first == second and max(0.0, width) * max(0.0, height) > MAX_OVERLAP * smaller


def _detections(pixels: Array, picture: Image) -> list[_Detection]:
    """The detections in one view of a picture: class scores and box-side distributions on three grids, then NMS."""
    import numpy as np

    outputs = _nanodet().run(None, {"image": np.ascontiguousarray(pixels[None])})
    boxes, scores = _decode(outputs)
    scale = np.array([picture.width / SIDE, picture.height / SIDE] * 2, np.float32)
    return [
        (int(label), float(scores[cell, label]), tuple(map(float, boxes[cell] * scale)))
        for cell, label in _best_of_overlapping(boxes, scores)
    ]


def _padded(picture: Image) -> Image:
    """The picture at the top left of a grey square."""
    from PIL import Image as PIL

    side = max(picture.size)
    square = PIL.new("RGB", (side, side), GREY)
    square.paste(picture, (0, 0))
    return square


def _mirrored(detections: list[_Detection], width: int) -> list[_Detection]:
    """The detections in a mirrored view, in the coordinates of the picture."""
    return [(label, score, (width - right, top, width - left, bottom))
            for label, score, (left, top, right, bottom) in detections]  # fmt: skip


def _averaged(views: Sequence[list[_Detection]], min_score: float) -> list[_Detection]:
    """The detections with an average score above the minimum; a view that lacks one counts as MIN_VIEW_SCORE."""
    groups: list[dict[int, _Detection]] = []
    for number, view in enumerate(views):
        for one in sorted(view, key=lambda detection: -detection[1]):
            fitting = [
                (overlap, group)
                for group in groups
                if number not in group
                and (other := next(iter(group.values())))[0] == one[0]
                and (overlap := _overlap(other[2], one[2])) > MIN_MATCH
            ]
            if fitting:
                max(fitting, key=lambda pair: pair[0])[1][number] = one
            else:
                groups.append({number: one})
    averaged = []
    for group in groups:
        best = max(group.values(), key=lambda detection: detection[1])
        scores = [score for _, score, _ in group.values()]
        score = (sum(scores) + MIN_VIEW_SCORE * (len(views) - len(scores))) / len(views)
        if score > min_score:
            averaged.append((best[0], score, best[2]))
    return averaged


def _overlap(one: Sequence[float], other: Sequence[float]) -> float:
    """The intersection of two boxes over their union."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(0.0, width) * max(0.0, height)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return shared / (areas - shared) if areas > shared else 0.0


@once
def _nanodet() -> Any:
    return session("nanodet-coco.onnx")


def _decode(outputs: list[Array]) -> tuple[Array, Array]:
    """(boxes in pixels of the 416 square, shape (n, 4); class scores, shape (n, 80)) of the cells of all grids in which
    any class has the minimum score.
    """
    import numpy as np

    by_shape = {output.shape[1:]: output[0] for output in outputs}
    boxes, scores = [], []
    for stride in STRIDES:
        cells = SIDE // stride
        of_cells = by_shape[(cells * cells, len(coco.labels()))]
        kept = np.flatnonzero(of_cells.max(-1) > MIN_VIEW_SCORE)
        sides = by_shape[(cells * cells, 4 * BINS)][kept].reshape(-1, 4, BINS)
        sides = np.exp(sides - sides.max(-1, keepdims=True))
        distance = (sides / sides.sum(-1, keepdims=True)) @ np.arange(BINS, dtype=np.float32) * stride
        y, x = np.divmod(kept, cells)
        centre = np.stack([x, y], 1) * stride + stride / 2
        boxes.append(np.concatenate([centre - distance[:, :2], centre + distance[:, 2:]], 1))
        scores.append(of_cells[kept])
    return np.concatenate(boxes).astype(np.float32), np.concatenate(scores)


def _best_of_overlapping(boxes: Array, scores: Array) -> Array:
    """Non-maximum suppression within each class: the (cell, class) pairs of the remaining boxes."""
    import cv2
    import numpy as np

    candidates = np.argwhere(scores > MIN_VIEW_SCORE)
    cells, labels = candidates.T
    sides = np.hstack([boxes[cells, :2], boxes[cells, 2:] - boxes[cells, :2]])
    kept = cv2.dnn.NMSBoxesBatched(
        sides.tolist(), scores[cells, labels].tolist(), labels.tolist(), MIN_VIEW_SCORE, MAX_OVERLAP
    )
    best: Array = candidates[np.asarray(kept, int)]
    return best


# People


def shows_person(picture: Image) -> bool:
    """Whether the detector finds a person: networks made for people find one in any picture."""
    return any(region["label"] == "person" for region in detect_in(picture))


@expert(
    "openpose-control",
    "openpose-control",
    "The pose of one person as OpenPose draws it (found by MoveNet Lightning).",
    ONNX,
)
def pose(image: Path) -> Image:
    picture = load_image(image)
    points = key_points(picture)
    # The network was made for people but finds limbs in a giraffe, too, with better scores than in a portrait.
    if max(score for _, _, score in points) < 0.3 or not shows_person(picture):
        raise ExpertUnavailable("No person whose pose could be drawn was found in the picture.")
    return draw_pose(picture.size, points)


def key_points(picture: Image) -> list[tuple[float, float, float]]:
    """The 17 COCO key points of the person in a picture: (x, y) in pixels and a score of 0 to 1."""
    import numpy as np
    from PIL import Image as PIL

    scale = POSE_SIDE / max(picture.size)
    size = [max(1, round(side * scale)) for side in picture.size]
    square = PIL.new("RGB", (POSE_SIDE, POSE_SIDE))
    left, top = ((POSE_SIDE - side) // 2 for side in size)
    square.paste(picture.resize((size[0], size[1]), PIL.Resampling.BILINEAR), (left, top))
    points = _movenet().run(None, {"image": np.asarray(square, np.float32)[None]})[0].reshape(17, 3)
    return [
        ((float(x) * POSE_SIDE - left) / scale, (float(y) * POSE_SIDE - top) / scale, float(score))
        for y, x, score in points
    ]


@once
def _movenet() -> Any:
    return session("movenet-lightning.onnx")


@expert(
    "selfie-segmentation",
    "image-segmentation",
    "Tells people from the background (MediaPipe selfie segmentation).",
    ONNX,
)
def people_mask(image: Path) -> list[dict[str, Any]]:
    """One region "person"; its score is the mean probability inside it."""
    import numpy as np
    from PIL import Image as PIL

    picture = load_image(image)
    pixels = np.asarray(picture.resize((256, 256), PIL.Resampling.BILINEAR), np.float32)[None] / 255
    probability = _selfie().run(None, {"image": pixels})[0].reshape(256, 256)
    inside = probability > 0.5
    # The network was made for portraits and segments something in any picture, so the detector must find a person.
    if inside.mean() < 0.005 or not shows_person(picture):
        raise ExpertUnavailable("No person was found in the picture, and this expert segments people only.")
    mask = PIL.fromarray((np.clip(probability, 0, 1) * 255).astype(np.uint8)).resize(
        picture.size, PIL.Resampling.BILINEAR
    )
    return [{"label": "person", "score": float(probability[inside].mean()), "mask": mask}]


@once
def _selfie() -> Any:
    return session("selfie-segmentation.onnx")


# Edges


@expert("canny-control", "canny-control", "Edges by the Canny detector (OpenCV), white on black.", ("cv2",))
def edges(image: Path) -> Image:
    """Canny, IEEE PAMI 8(6), 1986, with thresholds 100 and 200 as in JARVIS."""
    import cv2
    import numpy as np
    from PIL import Image as PIL

    edge_map = cv2.Canny(np.asarray(load_image(image)), 100, 200)
    return PIL.fromarray(edge_map).convert("RGB")
