"""Embedded experts for pictures. For the origin of the networks see data/experts/NOTICE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.common.threads import once
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import coco
from hugginggpt.experts.registry import expert
from hugginggpt.experts.weights import weights
from hugginggpt.media.decoding import load_image
from hugginggpt.media.drawing import draw_pose

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    Array = np.ndarray[Any, np.dtype[np.float32]]

ONNX = ("onnxruntime", "numpy", "cv2")

SIDE = 416
STRIDES = (8, 16, 32)
BINS = 11
MEAN_BGR = (103.53, 116.28, 123.675)
STD_BGR = (57.375, 57.12, 58.395)
MIN_SCORE = 0.4
MAX_OVERLAP = 0.5


def session(name: str) -> Any:
    """An onnxruntime session on the CPU for one of the bundled networks; it may be used by several threads."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(weights(name), options, providers=["CPUExecutionProvider"])


# Objects


@expert("nanodet-coco", "object-detection", "Finds the 80 everyday objects of COCO, fast (NanoDet-m 416).", ONNX)
def detect(image: Path, labels: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Objects with label, score and box (pixels), best first; `labels` are ignored, the classes are fixed."""
    return detect_in(load_image(image))


def detect_in(picture: Image) -> list[dict[str, Any]]:
    """NanoDet (github.com/RangiLyu/nanodet): class scores and box-side distributions on three grids, then NMS."""
    import numpy as np
    from PIL import Image as PIL

    small = np.asarray(picture.resize((SIDE, SIDE), PIL.Resampling.BILINEAR), np.float32)[:, :, ::-1]
    pixels = (small - np.array(MEAN_BGR, np.float32)) / np.array(STD_BGR, np.float32)
    outputs = _nanodet().run(None, {"image": np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])})
    boxes, scores = _decode(outputs)
    scale = np.array([picture.width / SIDE, picture.height / SIDE] * 2, np.float32)
    limits = np.array([picture.width, picture.height] * 2, np.float32)
    regions = []
    for cell, label in _best_of_overlapping(boxes, scores):
        xmin, ymin, xmax, ymax = (round(float(side)) for side in np.clip(boxes[cell] * scale, 0, limits))
        box = {"xmin": xmin, "ymin": ymin, "xmax": xmax, "ymax": ymax}
        regions.append({"label": coco.labels()[label], "score": round(float(scores[cell, label]), 4), "box": box})
    return sorted(regions, key=lambda region: -region["score"])


@once
def _nanodet() -> Any:
    return session("nanodet-coco.onnx")


def _decode(outputs: list[Array]) -> tuple[Array, Array]:
    """(boxes in pixels of the 416 square, shape (cells, 4); class scores, shape (cells, 80)) over all grids."""
    import numpy as np

    by_shape = {output.shape[1:]: output[0] for output in outputs}
    boxes, scores = [], []
    for stride in STRIDES:
        cells = SIDE // stride
        sides = by_shape[(cells * cells, 4 * BINS)].reshape(-1, 4, BINS)
        sides = np.exp(sides - sides.max(-1, keepdims=True))
        distance = (sides / sides.sum(-1, keepdims=True)) @ np.arange(BINS, dtype=np.float32) * stride
        y, x = np.mgrid[0:cells, 0:cells].reshape(2, -1)
        centre = np.stack([x, y], 1) * stride + stride / 2
        boxes.append(np.concatenate([centre - distance[:, :2], centre + distance[:, 2:]], 1))
        scores.append(by_shape[(cells * cells, len(coco.labels()))])
    return np.concatenate(boxes).astype(np.float32), np.concatenate(scores)


def _best_of_overlapping(boxes: Array, scores: Array) -> Array:
    """Non-maximum suppression within each class: the (cell, class) pairs of the remaining boxes."""
    import cv2
    import numpy as np

    candidates = np.argwhere(scores > MIN_SCORE)
    cells, labels = candidates.T
    sides = np.hstack([boxes[cells, :2], boxes[cells, 2:] - boxes[cells, :2]])
    kept = cv2.dnn.NMSBoxesBatched(
        sides.tolist(), scores[cells, labels].tolist(), labels.tolist(), MIN_SCORE, MAX_OVERLAP
    )
    best: Array = candidates[np.asarray(kept, int)]
    return best


@expert(
    "nanodet-coco",
    "image-classification",
    "The labels of the objects a detector finds (COCO's 80), no classifier.",
    ONNX,
)
def classify(image: Path) -> list[dict[str, Any]]:
    """The class of each detected object, with its best score."""
    best: dict[str, float] = {}
    for region in detect(image):
        best.setdefault(region["label"], region["score"])
    if not best:
        raise ExpertUnavailable(
            "None of the 80 everyday objects that the offline detector knows is in the picture; set HF_TOKEN or start "
            f"{MODEL_SERVER} for a full classifier."
        )
    return [{"label": label, "score": score} for label, score in best.items()]


@expert(
    "nanodet-coco", "visual-question-answering",
    'Counts and "is there" questions about everyday objects, from a detector; nothing else.', ONNX,
)  # fmt: skip
def answer_about(image: Path, text: str) -> list[dict[str, Any]]:
    """The count of an object, or whether there is one. Raises ExpertUnavailable for other questions."""
    counted = coco.counted_objects(text)
    objects = [query for query in counted or coco.looked_for_objects(text) if query.labels]
    if not objects:
        raise ExpertUnavailable(
            'Offline, only "how many" and "is there" questions about everyday objects can be answered from a picture; '
            f"set HF_TOKEN or start {MODEL_SERVER} for others."
        )
    regions = detect(image)
    counts = [query.count(Counter(region["label"] for region in regions)) for query in objects]
    answers = [str(count) if counted else "yes" if count else "no" for count in counts]
    if len(objects) > 1:
        answers = [f"{query.word}: {answer}" for query, answer in zip(objects, answers, strict=True)]
    scores = [region["score"] for region in regions if any(region["label"] in query.labels for query in objects)]
    return [{"answer": ", ".join(answers), "score": min(scores, default=1 - MIN_SCORE)}]


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

    side = max(picture.size)
    square = PIL.new("RGB", (side, side))
    left, top = (side - picture.width) // 2, (side - picture.height) // 2
    square.paste(picture, (left, top))
    pixels = np.asarray(square.resize((192, 192), PIL.Resampling.BILINEAR), np.float32)[None]
    points = _movenet().run(None, {"image": pixels})[0].reshape(17, 3)
    return [(float(x) * side - left, float(y) * side - top, float(score)) for y, x, score in points]


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
        raise ExpertUnavailable(
            f"No person was found, and the offline expert segments people only; set HF_TOKEN or start {MODEL_SERVER}."
        )
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
