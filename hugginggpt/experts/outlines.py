"""The embedded expert that cuts everyday objects out, roughly: what differs in colour in the detector's boxes.

GrabCut (ACM SIGGRAPH 2004; OpenCV) tells object from background by their colours, beginning with the ellipse in a box.
That follows the outline of what stands out from its surroundings, and loses parts of what does not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.objects import objects_in
from hugginggpt.experts.registry import expert
from hugginggpt.experts.vision import ONNX
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    Mask = np.ndarray[Any, np.dtype[np.uint8]]

SIDE = 400
"""The longest side of the picture that is looked at, in pixels: the time grows with their number."""
ROUNDS = 4
MARGIN, ELLIPSE = 0.03, 0.93
"""What is added around a box, as a share of its longer side, and how much of it the ellipse spans."""
MIN_SHARE, MAX_SHARE = 0.15, 0.97
"""Of a box: what fills less or more of it is no outline."""
MAX_OBJECTS = 6
NOTE = "outlines found by their colours, roughly"
SURFACES = ("dining table", "bed", "couch", "person")
"""What other things stand on, and people, for whom there is a network."""


@expert(
    "grabcut", "image-segmentation",
    "Cuts out everyday objects that the detector finds, roughly, by their colours (GrabCut, OpenCV).", (*ONNX, "cv2"),
)  # fmt: skip
def object_masks(image: Path) -> dict[str, Any]:
    """A region for each object of the kind that fills most of the picture, with the detector's score, and a note.

    Raises ExpertUnavailable where none is found, or none differs from its background.
    """
    picture = load_image(image)
    found = [one for one in objects_in(picture) if one["label"] not in SURFACES and not one.get("faint")]
    if not found:
        raise ExpertUnavailable(
            "No person and no everyday object that could be cut out was found in the picture; set HF_TOKEN or start "
            f"{MODEL_SERVER} for models that mark other things."
        )
    largest = max(found, key=_area)
    alike = sorted((one for one in found if one["label"] == largest["label"]), key=_area, reverse=True)[:MAX_OBJECTS]
    outlines = [(one, _outline(picture, one["box"])) for one in alike]
    rows = [{"label": one["label"], "score": one["score"], "mask": mask} for one, mask in outlines if mask]
    if not rows:
        raise ExpertUnavailable(
            f"The {largest['label']} differs too little from its background to be cut out by colour."
        )
    return {"predicted": rows, "note": NOTE}


def _area(region: dict[str, Any]) -> float:
    box = region["box"]
    return float((box["xmax"] - box["xmin"]) * (box["ymax"] - box["ymin"]))


def _outline(picture: Image, box: dict[str, float]) -> Image | None:
    """The mask of the object in a box, of the size of the picture; None where there is no telling it apart."""
    import cv2
    import numpy as np
    from PIL import Image as PIL

    scale = min(1.0, SIDE / max(picture.size))
    small = picture.resize((max(3, round(picture.width * scale)), max(3, round(picture.height * scale))))
    pixels = np.ascontiguousarray(np.asarray(small)[:, :, ::-1])
    margin = MARGIN * max(box["xmax"] - box["xmin"], box["ymax"] - box["ymin"])
    left, top = (max(1, round((box[side] - margin) * scale)) for side in ("xmin", "ymin"))
    right = min(small.width - 1, round((box["xmax"] + margin) * scale))
    bottom = min(small.height - 1, round((box["ymax"] + margin) * scale))
    mask: Mask = np.full(pixels.shape[:2], cv2.GC_BGD, np.uint8)
    mask[top:bottom, left:right] = cv2.GC_PR_BGD
    centre, radii = ((left + right) // 2, (top + bottom) // 2), ((right - left) / 2, (bottom - top) / 2)
    inside = np.zeros_like(mask)
    cv2.ellipse(inside, centre, (int(ELLIPSE * radii[0]), int(ELLIPSE * radii[1])), 0, 0, 360, 1, -1)
    mask[inside == 1] = cv2.GC_PR_FGD
    if not inside.any() or inside.all():
        return None
    cv2.setRNGSeed(1)  # its clusters begin at random
    cv2.grabCut(pixels, mask, None, np.zeros((1, 65)), np.zeros((1, 65)), ROUNDS, cv2.GC_INIT_WITH_MASK)  # type: ignore[call-overload]
    kept = _without_specks(np.isin(mask, (cv2.GC_FGD, cv2.GC_PR_FGD)).astype(np.uint8))
    share = float(kept.sum()) / max(1, (right - left) * (bottom - top))
    if not MIN_SHARE <= share <= MAX_SHARE:
        return None
    return PIL.fromarray(kept * 255).resize(picture.size, PIL.Resampling.BICUBIC)


def _without_specks(mask: Mask) -> Mask:
    """The mask without pieces that are much smaller than the largest, and without small holes."""
    import cv2
    import numpy as np

    for value in (1, 0):
        _, pieces, figures, _ = cv2.connectedComponentsWithStats((mask == value).astype(np.uint8), connectivity=4)
        areas = figures[:, cv2.CC_STAT_AREA]
        least = 0.05 * areas[1:].max(initial=0) if value else 0.01 * mask.sum()
        small = [number for number in range(1, len(areas)) if areas[number] < least]
        mask = np.where(np.isin(pieces, small), 1 - value, mask).astype(np.uint8)
    return mask
