"""Models that look at pictures: classes, boxes, masks, depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hugginggpt.experts import coco
from hugginggpt.experts.families import Args, Run, each, family
from hugginggpt.experts.families.pictures import bounded, by_shape, has, on_cpu, opened, reduced
from hugginggpt.experts.families.resnets import is_timm_detr, load_timm_detr
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

BEST = 5
"""How many classes of a picture are told."""
SURE = 0.5
"""Boxes less sure than this are left out, of detectors with classes of their own ..."""
SURE_OF_WORDS = {"owlvit": 0.1, "owlv2": 0.2}
"""... and of those that are told what to look for, whose scores are lower; the others' is 0.3."""
SURE_OF_SEGMENT = 0.8
"""Segments less sure than this are left out (arXiv 2112.01527, section 4)."""
TOLD_THE_TASK = ("oneformer",)
"""Architectures that must be told in words whether to mark objects or surfaces, and are not run."""
MASK_SIDE = 640
"""Masks are computed at this many pixels for the longer side at most: each class or query needs a plane of its own."""
METRIC = ("glpn", "zoedepth", "depth_pro")
"""Architectures that estimate metres; the others estimate how near a point is, in no unit."""
NEAREST_METRES = 0.1
DEPTH_SIDES = {"glpn": 640}
"""Depth is estimated at this many pixels for the longer side at most, because some models take whatever they are
given; the others' is ..."""
DEPTH_SIDE = 1536


# Classes


@family("image-classification", when=has("IMAGE_CLASSIFICATION"), batch=16)
def image_classification(source: Source) -> Run:
    """The five best of the model's classes, with scores: of one sum, or each by itself where classes go together."""
    import torch
    from transformers import AutoImageProcessor, AutoModelForImageClassification

    model, processor = source.model(AutoModelForImageClassification), source.part(AutoImageProcessor)
    labels = model.config.id2label
    several = model.config.problem_type == "multi_label_classification" or len(labels) == 1

    def run(requests: Sequence[Args]) -> list[Any]:
        inputs = [processor(images=picture, return_tensors="pt") for picture in opened(requests)]
        with torch.inference_mode():
            logits = by_shape(inputs, lambda batch, _: model(**source.to_device(batch)).logits.float().cpu())
        return [_best(row.sigmoid() if several else row.softmax(-1), labels) for row in logits]

    return run


def _best(scores: Any, labels: Mapping[int, str]) -> list[dict[str, Any]]:
    """Labels with scores from a tensor of shape (classes,), the best first."""
    top = scores.topk(min(BEST, len(labels)))
    return [{"label": labels[at], "score": score} for at, score in zip(top[1].tolist(), top[0].tolist(), strict=True)]


# Boxes


@family("object-detection", when=has("OBJECT_DETECTION"), batch=8)
def object_detection(source: Source) -> Run:
    """The objects of the model's classes (DETR, arXiv 2005.12872, and its kin), surest first; `labels` are not used."""
    import torch
    from transformers import AutoImageProcessor, AutoModelForObjectDetection

    load = load_timm_detr if is_timm_detr(source) else Source.model
    model, processor = load(source, AutoModelForObjectDetection), source.part(AutoImageProcessor)
    labels = model.config.id2label

    def run(requests: Sequence[Args]) -> list[Any]:
        pictures = opened(requests)
        inputs = [processor(images=picture, return_tensors="pt") for picture in pictures]

        def detections(batch: dict[str, Any], members: list[int]) -> list[Any]:
            outputs = on_cpu(model(**source.to_device(batch)))
            sizes = [pictures[at].size[::-1] for at in members]
            return list(processor.post_process_object_detection(outputs, threshold=SURE, target_sizes=sizes))

        with torch.inference_mode():
            rows = by_shape(inputs, detections)
        return [
            _regions([labels[int(at)] for at in row["labels"]], row["scores"], row["boxes"], picture)
            for row, picture in zip(rows, pictures, strict=True)
        ]

    return run


def _regions(labels: Sequence[str], scores: Any, boxes: Any, picture: Image) -> list[dict[str, Any]]:
    """Boxes (a tensor of xmin, ymin, xmax, ymax in pixels) within the picture, surest first."""
    names, limits = ("xmin", "ymin", "xmax", "ymax"), (picture.width, picture.height) * 2
    regions = [
        {
            "label": label,
            "score": float(score),
            "box": {n: min(max(round(s), 0), most) for n, s, most in zip(names, box, limits, strict=True)},
        }
        for label, score, box in zip(labels, scores.tolist(), boxes.tolist(), strict=True)
    ]
    return sorted(regions, key=lambda region: -region["score"])


@family("object-detection", when=has("ZERO_SHOT_OBJECT_DETECTION"))
def named_object_detection(source: Source) -> Run:
    """The objects that `labels` name, or COCO's 80 (OWL-ViT, arXiv 2205.06230; Grounding DINO, 2303.05499)."""
    import torch
    from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor

    model, processor = source.model(AutoModelForZeroShotObjectDetection), source.part(AutoProcessor)
    sure = SURE_OF_WORDS.get(source.model_type, 0.3)

    def run(image: Any, labels: Sequence[str] = ()) -> Any:
        picture, wanted = load_image(image), list(labels or coco.labels())
        batch = processor(images=picture, text=[wanted], return_tensors="pt", truncation=True)
        with torch.inference_mode():
            outputs = on_cpu(model(**source.to_device(batch)))
        row = processor.post_process_grounded_object_detection(
            outputs, threshold=sure, target_sizes=[picture.size[::-1]], text_labels=[wanted]
        )[0]
        return _regions(
            [_label_for(phrase, wanted) for phrase in row["text_labels"]], row["scores"], row["boxes"], picture
        )

    return each(run)


def _label_for(phrase: str, wanted: Sequence[str]) -> str:
    """The label that is meant by the words which a model found: "cell phone" by "phone" or "cell phone cup"."""
    words = set(phrase.lower().split())
    return max(wanted, key=lambda label: len(words & set(label.lower().split())) / (1 + len(label.split())))


# Masks


def _segments_one_by_one(source: Source) -> bool:
    return has("UNIVERSAL_SEGMENTATION")(source) and source.model_type not in TOLD_THE_TASK


@family("image-segmentation", when=_segments_one_by_one)
def segments(source: Source) -> Run:
    """Objects and surfaces one by one (Mask2Former, arXiv 2112.01527; MaskFormer; DETR), with the model's scores."""
    import torch
    from transformers import AutoImageProcessor, AutoModelForUniversalSegmentation

    load = load_timm_detr if is_timm_detr(source) else Source.model
    model, processor = load(source, AutoModelForUniversalSegmentation), source.part(AutoImageProcessor)

    def run(image: Any) -> Any:
        picture = load_image(image)
        with torch.inference_mode():
            outputs = on_cpu(model(**source.to_device(processor(images=picture, return_tensors="pt"))))
            result = processor.post_process_panoptic_segmentation(
                outputs, threshold=SURE_OF_SEGMENT, target_sizes=[bounded(picture.size, MASK_SIDE)[::-1]]
            )[0]
        rows = [
            {
                "label": model.config.id2label[segment["label_id"]],
                "score": float(segment["score"]),
                "mask": _mask(result["segmentation"] == segment["id"]),
            }
            for segment in result["segments_info"]
        ]
        return sorted(rows, key=lambda row: -row["score"])

    return each(run)


@family("image-segmentation", when=has("SEMANTIC_SEGMENTATION"))
def semantic_segmentation(source: Source) -> Run:
    """A mask for each class in the picture (SegFormer, arXiv 2105.15203, and others), the largest first.

    The score of a class is its mean probability within its mask.
    """
    class_map = class_mapper(source)
    labels = {int(at): label for at, label in source.config.get("id2label", {}).items()}

    def run(image: Any) -> Any:
        picture = load_image(image)
        sure, classes = class_map(picture)
        present = [int(at) for at in classes.unique()]
        present.sort(key=lambda at: -int((classes == at).sum()))
        return [
            {
                "label": labels.get(at, f"LABEL_{at}"),
                "score": float(sure[classes == at].mean()),
                "mask": _mask(classes == at),
            }
            for at in present
        ]

    return each(run)


def class_mapper(source: Source) -> Any:
    """A model for semantic segmentation as a function of a picture.

    It returns the probability of the likeliest class and its number for each pixel: two tensors of shape
    (height, width), of the picture's proportions.
    """
    import torch
    from transformers import AutoImageProcessor, AutoModelForSemanticSegmentation

    model, processor = source.model(AutoModelForSemanticSegmentation), source.part(AutoImageProcessor)

    def class_map(picture: Image) -> tuple[Any, Any]:
        size = bounded(picture.size, MASK_SIDE)[::-1]
        with torch.inference_mode():
            logits = model(**source.to_device(processor(images=picture, return_tensors="pt"))).logits.float()
            scores = torch.nn.functional.interpolate(logits, size=size, mode="bilinear", align_corners=False)
            sure, classes = scores[0].softmax(0).max(0)
        return sure.cpu(), classes.cpu()

    return class_map


def _mask(inside: Any) -> Image:
    """A mask, 255 inside, from a tensor of booleans of shape (height, width); it is scaled when it is drawn."""
    import numpy as np
    from PIL import Image as PIL

    return PIL.fromarray(inside.numpy().astype(np.uint8) * 255)


# Depth


@family("depth-estimation", when=has("DEPTH_ESTIMATION"))
def depth_estimation(source: Source) -> Run:
    """A greyscale picture of the same size in which near is bright."""
    nearness = nearness_estimator(source)

    def run(image: Any) -> Any:
        picture = load_image(image)
        return near_is_bright(nearness(picture)).resize(picture.size)

    return each(run)


def near_is_bright(nearness: Any) -> Image:
    """Grey levels of how near each point is, from 0 to 1, shape (height, width)."""
    from PIL import Image as PIL

    return PIL.fromarray((nearness * 255).round().astype("uint8"))


def nearness_estimator(source: Source) -> Any:
    """A depth model as a function of a picture: how near each point is, from 0 to 1, float32.

    The shape is (height, width) of the picture, or of a smaller one of its proportions where it is large.
    DPT (arXiv 2103.13413) and Depth Anything (2406.09414) estimate the inverse of the distance up to scale
    and shift; of models that estimate metres (GLPN, ZoeDepth) the inverse is taken, so that all look alike.
    """
    import torch
    from transformers import AutoImageProcessor, AutoModelForDepthEstimation

    model, processor = source.model(AutoModelForDepthEstimation), source.part(AutoImageProcessor)
    metric = source.model_type in METRIC or source.config.get("depth_estimation_type") == "metric"
    side = DEPTH_SIDES.get(source.model_type, DEPTH_SIDE)

    def nearness(picture: Image) -> Any:
        with torch.inference_mode():
            resized = reduced(picture, side)
            batch = processor(images=resized, return_tensors="pt")
            outputs = on_cpu(model(**source.to_device(batch)))
            # The second argument is the picture's size: ZoeDepth takes it as the source's, the others as the target's.
            depth = processor.post_process_depth_estimation(outputs, [resized.size[::-1]])[0]["predicted_depth"]
        depth = depth.reshape(depth.shape[-2:])
        near = 1 / depth.clamp(min=NEAREST_METRES) if metric else depth
        return ((near - near.min()) / (near.max() - near.min()).clamp(min=1e-12)).numpy()

    return nearness
