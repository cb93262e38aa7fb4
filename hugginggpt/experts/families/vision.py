"""Vision models: classification, detection, segmentation, depth estimation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hugginggpt.experts import coco
from hugginggpt.experts.families import Args, Run, each, family
from hugginggpt.experts.families.pictures import bounded, by_shape, has, load_pictures, on_cpu, reduced
from hugginggpt.experts.families.resnets import is_timm_detr, load_timm_detr
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_CLASSES = 5
"""The number of classes that are reported for a picture."""
MIN_BOX_SCORE = 0.5
"""The minimum score of a box from a detector with fixed classes ..."""
MIN_NAMED_SCORES = {"owlvit": 0.1, "owlv2": 0.2}
"""... and from zero-shot detectors, whose scores are lower; 0.3 for the others."""
MIN_SEGMENT_SCORE = 0.8
"""The minimum score of a segment (arXiv 2112.01527, section 4)."""
NEEDS_TASK_PROMPT = ("oneformer",)
"""Architectures that need a prompt for the type of segmentation and are not supported."""
MASK_SIDE = 640
"""The longer side of masks in pixels, at most: each class or query needs a separate plane."""
METRIC_MODELS = ("glpn", "zoedepth", "depth_pro")
"""Architectures that estimate metres; the others estimate nearness without a unit."""
MIN_METRES = 0.1
DEPTH_SIDES = {"glpn": 640}
"""The longer side for depth estimation in pixels, at most, because some models accept any size; for the others ..."""
DEPTH_SIDE = 1536


# Classes


@family("image-classification", when=has("IMAGE_CLASSIFICATION"), batch=16)
def image_classification(source: Source) -> Run:
    """The five best classes with scores: a softmax, or independent scores for multi-label models."""
    import torch
    from transformers import AutoImageProcessor, AutoModelForImageClassification

    model, processor = source.model(AutoModelForImageClassification), source.part(AutoImageProcessor)
    labels = model.config.id2label
    multi_label = model.config.problem_type == "multi_label_classification" or len(labels) == 1

    def run(requests: Sequence[Args]) -> list[Any]:
        inputs = [processor(images=picture, return_tensors="pt") for picture in load_pictures(requests)]
        with torch.inference_mode():
            logits = by_shape(inputs, lambda batch, _: model(**source.to_device(batch)).logits.float().cpu())
        return [_best(row.sigmoid() if multi_label else row.softmax(-1), labels) for row in logits]

    return run


def _best(scores: Any, labels: Mapping[int, str]) -> list[dict[str, Any]]:
    """Labels with scores from a tensor of shape (classes,), the best first."""
    top = scores.topk(min(MAX_CLASSES, len(labels)))
    return [
        {"label": labels[index], "score": score} for index, score in zip(top[1].tolist(), top[0].tolist(), strict=True)
    ]


# Boxes


@family("object-detection", when=has("OBJECT_DETECTION"), batch=8)
def object_detection(source: Source) -> Run:
    """Objects of the model's classes (DETR, arXiv 2005.12872, and others), best first; `labels` are ignored."""
    import torch
    from transformers import AutoImageProcessor, AutoModelForObjectDetection

    load = load_timm_detr if is_timm_detr(source) else Source.model
    model, processor = load(source, AutoModelForObjectDetection), source.part(AutoImageProcessor)
    labels = model.config.id2label

    def run(requests: Sequence[Args]) -> list[Any]:
        pictures = load_pictures(requests)
        inputs = [processor(images=picture, return_tensors="pt") for picture in pictures]

        def detections(batch: dict[str, Any], members: list[int]) -> list[Any]:
            outputs = on_cpu(model(**source.to_device(batch)))
            sizes = [pictures[index].size[::-1] for index in members]
            return list(processor.post_process_object_detection(outputs, threshold=MIN_BOX_SCORE, target_sizes=sizes))

        with torch.inference_mode():
            rows = by_shape(inputs, detections)
        return [
            _regions([labels[int(index)] for index in row["labels"]], row["scores"], row["boxes"], picture)
            for row, picture in zip(rows, pictures, strict=True)
        ]

    return run


def _regions(labels: Sequence[str], scores: Any, boxes: Any, picture: Image) -> list[dict[str, Any]]:
    """Boxes (a tensor of xmin, ymin, xmax, ymax in pixels) clipped to the picture, best first."""
    names, limits = ("xmin", "ymin", "xmax", "ymax"), (picture.width, picture.height) * 2
    regions = [
        {
            "label": label,
            "score": float(score),
            "box": {
                name: min(max(round(side), 0), limit) for name, side, limit in zip(names, box, limits, strict=True)
            },
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
    min_score = MIN_NAMED_SCORES.get(source.model_type, 0.3)

    def run(image: Any, labels: Sequence[str] = ()) -> Any:
        picture, candidates = load_image(image), list(labels or coco.labels())
        batch = processor(images=picture, text=[candidates], return_tensors="pt", truncation=True)
        with torch.inference_mode():
            outputs = on_cpu(model(**source.to_device(batch)))
        row = processor.post_process_grounded_object_detection(
            outputs, threshold=min_score, target_sizes=[picture.size[::-1]], text_labels=[candidates]
        )[0]
        return _regions(
            [_label_for(phrase, candidates) for phrase in row["text_labels"]], row["scores"], row["boxes"], picture
        )

    return each(run)


def _label_for(phrase: str, labels: Sequence[str]) -> str:
    """The label closest to the words that a model returned: "cell phone" for "phone" or "cell phone cup"."""
    words = set(phrase.lower().split())
    return max(labels, key=lambda label: len(words & set(label.lower().split())) / (1 + len(label.split())))


# Masks


def _is_instance_segmenter(source: Source) -> bool:
    return has("UNIVERSAL_SEGMENTATION")(source) and source.model_type not in NEEDS_TASK_PROMPT


@family("image-segmentation", when=_is_instance_segmenter)
def segments(source: Source) -> Run:
    """Separate segments for objects and surfaces (Mask2Former, arXiv 2112.01527; MaskFormer; DETR), with scores."""
    import torch
    from transformers import AutoImageProcessor, AutoModelForUniversalSegmentation

    load = load_timm_detr if is_timm_detr(source) else Source.model
    model, processor = load(source, AutoModelForUniversalSegmentation), source.part(AutoImageProcessor)

    def run(image: Any) -> Any:
        picture = load_image(image)
        with torch.inference_mode():
            outputs = on_cpu(model(**source.to_device(processor(images=picture, return_tensors="pt"))))
            result = processor.post_process_panoptic_segmentation(
                outputs, threshold=MIN_SEGMENT_SCORE, target_sizes=[bounded(picture.size, MASK_SIDE)[::-1]]
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
    predict_classes = class_predictor(source)
    labels = {int(class_index): label for class_index, label in source.config.get("id2label", {}).items()}

    def run(image: Any) -> Any:
        picture = load_image(image)
        probability, classes = predict_classes(picture)
        present = [int(class_index) for class_index in classes.unique()]
        present.sort(key=lambda class_index: -int((classes == class_index).sum()))
        return [
            {
                "label": labels.get(class_index, f"LABEL_{class_index}"),
                "score": float(probability[classes == class_index].mean()),
                "mask": _mask(classes == class_index),
            }
            for class_index in present
        ]

    return each(run)


def class_predictor(source: Source) -> Any:
    """A model for semantic segmentation as a function of a picture.

    It returns the probability and the index of the likeliest class for each pixel: two tensors of shape (height, width)
    with the picture's aspect ratio.
    """
    import torch
    from transformers import AutoImageProcessor, AutoModelForSemanticSegmentation

    model, processor = source.model(AutoModelForSemanticSegmentation), source.part(AutoImageProcessor)

    def predict_classes(picture: Image) -> tuple[Any, Any]:
        size = bounded(picture.size, MASK_SIDE)[::-1]
        with torch.inference_mode():
            logits = model(**source.to_device(processor(images=picture, return_tensors="pt"))).logits.float()
            scores = torch.nn.functional.interpolate(logits, size=size, mode="bilinear", align_corners=False)
            probability, classes = scores[0].softmax(0).max(0)
        return probability.cpu(), classes.cpu()

    return predict_classes


def _mask(inside: Any) -> Image:
    """A mask, 255 inside, from a tensor of booleans of shape (height, width); it is scaled on drawing."""
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
        return nearness_image(nearness(picture)).resize(picture.size)

    return each(run)


def nearness_image(nearness: Any) -> Image:
    """A greyscale picture, near is bright, of the nearness of each point (0 to 1, shape (height, width))."""
    from PIL import Image as PIL

    return PIL.fromarray((nearness * 255).round().astype("uint8"))


def nearness_estimator(source: Source) -> Any:
    """A depth model as a function of a picture that returns the nearness of each point, from 0 to 1, float32.

    The shape is (height, width) of the picture, or a smaller one with its aspect ratio for a large picture. DPT (arXiv
    2103.13413) and Depth Anything (2406.09414) estimate inverse depth up to scale and shift; the metres of other models
    (GLPN, ZoeDepth) are inverted, so that all results are alike.
    """
    import torch
    from transformers import AutoImageProcessor, AutoModelForDepthEstimation

    model, processor = source.model(AutoModelForDepthEstimation), source.part(AutoImageProcessor)
    metric = source.model_type in METRIC_MODELS or source.config.get("depth_estimation_type") == "metric"
    side = DEPTH_SIDES.get(source.model_type, DEPTH_SIDE)

    def nearness(picture: Image) -> Any:
        with torch.inference_mode():
            resized = reduced(picture, side)
            batch = processor(images=resized, return_tensors="pt")
            outputs = on_cpu(model(**source.to_device(batch)))
            # The second argument is the source size for ZoeDepth, the target size for the others.
            depth = processor.post_process_depth_estimation(outputs, [resized.size[::-1]])[0]["predicted_depth"]
        depth = depth.reshape(depth.shape[-2:])
        near = 1 / depth.clamp(min=MIN_METRES) if metric else depth
        return ((near - near.min()) / (near.max() - near.min()).clamp(min=1e-12)).numpy()

    return nearness
