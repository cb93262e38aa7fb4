"""The embedded expert for objects in pictures: the detector's, with a second opinion of the classifier on animals.

The small detector takes a hen for a horse and a gorilla for a bear, or is in doubt about the second of two dogs. The
classifier, which knows hundreds of animals but no places, looks at each of its boxes: what both see is surer, what only
the detector sees is dropped or called as the classifier names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.core.results import BOXES
from hugginggpt.experts import classifier, coco
from hugginggpt.experts.panels import panels
from hugginggpt.experts.registry import expert
from hugginggpt.experts.vision import MIN_FAINT_SCORE, MIN_SCORE, ONNX, detect_in
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

ANIMAL, PERSON = "animal", "person"
MIN_AGREED, MAX_DENIED = 0.5, 0.05
"""From this probability of the detector's label the classifier agrees with it, and up to this it denies it."""
MIN_GUESS = 0.2
"""From this probability on a kind is named, and said to be unsure, where nothing else is seen."""
MIN_OTHER, MIN_ANIMAL = 0.85, 0.9
"""The minimum probability of another label, and that of any animal, which overrule a label that is denied."""
MAX_DOUBTED = 0.55
"""Up to this score an animal, or a part of one, is taken for what is none: the eye of a cat for a frisbee."""
MAX_BOXES = 16
MAX_SHARED, MAX_INSIDE = 0.5, 0.9
"""A box that the classifier made sure of or renamed shares at most this of itself with another of its label; what
lies with more than the second share of itself in an animal may be a part of it."""

MAX_LABELS_APART = 0.6
"""Boxes of two animals that overlap more are one animal, of the surer label."""
SAME_BOX, CLOSE_SECOND = 0.8, 0.25
"""Boxes that overlap more are of one thing, whose label is that of the surer one by more than the second difference."""
MANY_CLASSES, MAX_STRANGE, MIN_STRANGE = 5, 0.02, 0.6
"""Animals of which the classifier knows so many kinds it never takes for others entirely: where it gives the detector's
label at most the second probability, and any animals together at least the third, it is another animal."""
MIN_SECOND = 0.2
"""A smaller share of a box is a thing of its own: a bottle before a large one."""

Region = dict[str, Any]


@expert("nanodet-coco", "object-detection", "Finds the 80 everyday objects of COCO, fast (NanoDet-m 416).", ONNX)
def detect(image: Path, labels: Sequence[str] = ()) -> list[Region]:
    """Objects with label, score and box (pixels), best first; `labels` are ignored, the classes are fixed.

    Those with a score below MIN_SCORE are marked as "faint": hardly one in two is there. An animal that is none of the
    detector's has the classifier's name and the "kind" animal.
    """
    regions = objects_in(load_image(image), MIN_FAINT_SCORE)
    return [{**region, **({} if region["score"] > MIN_SCORE else {"faint": True})} for region in regions]


@expert(
    "efficientnet-lite0", "image-classification",
    "Names what fills a picture, of 1,000 kinds (EfficientNet-Lite0), beside the objects that the detector finds.",
    ONNX, aspects=("species", "scene"),
)  # fmt: skip
def classify(image: Path) -> list[dict[str, Any]]:
    """What the picture looks like, if that is sure, and the class of each detected object; the best first."""
    picture = load_image(image)
    best: dict[str, float] = {}
    probable = classifier.probabilities(picture)
    regions = objects_in(picture, whole=probable)
    for region in regions:
        best.setdefault(region["label"], region["score"])
    if seen := classifier.look(probable):
        best.setdefault(seen.name, seen.score)
    if max(best.values(), default=0.0) < MIN_AGREED:
        name, score = classifier.likeliest(probable)
        if score >= MIN_GUESS:
            return [{"label": name, "score": score, "note": "I am not sure of it"}]
        objects = BOXES.to_text({"predicted": regions}) if regions else "none of its 80 everyday objects"
        raise ExpertUnavailable(
            f"The offline classifier is not sure what the picture shows (at best {name}, {100 * score:.0f} %), "
            f"and the detector found {objects}; set HF_TOKEN or start {MODEL_SERVER} for a larger model."
        )
    rows: list[dict[str, Any]] = [
        {"label": label, "score": score} for label, score in sorted(best.items(), key=lambda pair: -pair[1])
    ]
    if list(best) == [ANIMAL]:
        name, score = classifier.likeliest(probable, ANIMAL)
        rows[0]["note"] = f"which kind is not sure, perhaps {classifier.Look(name, score).words}"
    return rows


def objects_in(picture: Image, min_score: float = MIN_SCORE, whole: classifier.Array | None = None) -> list[Region]:
    """The objects of a picture with a score above a minimum, best first; `whole` are the classifier's probabilities for
    the picture, where they are known.
    """
    detected = detect_in(picture, MIN_FAINT_SCORE)
    judged: list[Region] = []
    pairs = [(region, one) for one in detected[:MAX_BOXES] for region in _judged(picture, one)]
    for region, one in sorted(pairs, key=lambda pair: -pair[0]["score"]):
        is_new = region["label"] != one["label"] or region["score"] > MIN_SCORE >= one["score"]
        if not (is_new and any(_is_same(region, other) for other in judged)):
            judged.append(_doubted_inside(region, judged))
    regions = _each_once(_of_one_label([*judged, *detected[MAX_BOXES:]]))
    if not any(one["label"] in coco.group(ANIMAL) or "kind" in one for one in regions) and len(panels(picture)) == 1:
        regions += _unboxed(picture, classifier.probabilities(picture) if whole is None else whole)
    return sorted((one for one in regions if one["score"] > min_score), key=lambda one: -one["score"])


def _of_one_label(regions: Sequence[Region]) -> list[Region]:
    """The regions, of which no two are the same thing: an animal and a box have one label, but for a close second."""
    kept: list[Region] = []
    for one in sorted(regions, key=lambda region: -region["score"]):
        if not any(_is_the_same_thing(one, other) for other in kept):
            kept.append(one)
    return kept


def _is_the_same_thing(one: Region, surer: Region) -> bool:
    shared = overlap(one, surer)
    is_of_animals = all(each["label"] in coco.group(ANIMAL) for each in (one, surer))
    if one["label"] == surer["label"]:
        return shared > SAME_BOX
    return shared > (MAX_LABELS_APART if is_of_animals else SAME_BOX) and (
        is_of_animals or surer["score"] - one["score"] > CLOSE_SECOND
    )


def _each_once(regions: Sequence[Region]) -> list[Region]:
    """The regions without a second box of one thing, such as a cup with its saucer around the cup, and without a box
    around several things of its label. Of animals and people each box counts: a child stands before its mother.
    """
    dropped: set[int] = set()
    for at, outer in enumerate(regions):
        if outer["label"] in (*_groups(), PERSON) or "kind" in outer:
            continue
        inside = [
            number
            for number, one in enumerate(regions)
            if number != at
            and number not in dropped
            and one["label"] == outer["label"]
            and MIN_SECOND * _area(outer["box"]) < _area(one["box"]) < _area(outer["box"])
            and _shared(one, outer) > MAX_INSIDE * _area(one["box"])
        ]
        if inside:
            surer = len(inside) == 1 and outer["score"] > regions[inside[0]]["score"]
            dropped.add(inside[0] if surer else at)
    return [one for at, one in enumerate(regions) if at not in dropped]


def _judged(picture: Image, region: Region) -> Iterable[Region]:
    """A region as the classifier sees it: surer, under another label, or not at all."""
    label, score = region["label"], region["score"]
    is_doubtful = score <= MAX_DOUBTED and (score > MIN_SCORE or label == PERSON)
    if label not in _groups() and not is_doubtful:
        return [region]
    probable = classifier.probabilities(classifier.cut_out(picture, region["box"]))
    totals = {name: float(probable[sorted(members)].sum()) for name, members in classifier.groups().items()}
    own = totals.get(label, 0.0)
    if own >= MIN_AGREED:
        return [{**region, "score": max(score, _mean(score, own))}]
    is_strange = len(classifier.members(label)) >= MANY_CLASSES and own <= MAX_STRANGE
    if is_strange and MIN_STRANGE <= totals[ANIMAL] < MIN_ANIMAL:
        return [] if score <= MIN_SCORE else [{**region, "label": ANIMAL, "kind": ANIMAL}]
    if own > MAX_DENIED or totals[ANIMAL] < MIN_ANIMAL - (0.05 if score <= MIN_SCORE else 0):
        return [region]
    if label not in _groups() and score > MIN_SCORE:
        return [{**region, "score": MIN_SCORE}]
    other = max(_groups(), key=totals.__getitem__)
    if totals[other] >= MIN_OTHER:
        return [{**region, "label": other, "score": _mean(score, totals[other])}]
    look = classifier.look(probable, ANIMAL)
    is_sure = look and (score > MIN_SCORE or look.score >= MIN_OTHER)
    if look and is_sure and look.name not in classifier.groups():
        return [{**region, "label": look.name, "score": _mean(score, look.score), "kind": ANIMAL}]
    return [] if score <= MIN_SCORE else [{**region, "label": ANIMAL, "kind": ANIMAL}]


def _doubted_inside(region: Region, others: Sequence[Region]) -> Region:
    """A region that the detector is not sure of, as a faint one where it lies inside an animal: its eye is no ball."""
    is_part = region["label"] not in _groups() and any(
        other["label"] in _groups() and _shared(region, other) > MAX_INSIDE * _area(region["box"]) for other in others
    )
    return {**region, "score": MIN_SCORE} if is_part and MIN_SCORE < region["score"] <= MAX_DOUBTED else region


def _groups() -> tuple[str, ...]:
    """The detector's labels of animals that the classifier knows, too."""
    return tuple(label for label in coco.group(ANIMAL) if label in classifier.groups() and label != ANIMAL)


def _mean(score: float, other: float) -> float:
    return round((score + other) / 2, 4)


def _is_same(one: Region, other: Region) -> bool:
    """Whether two boxes of a label share most of the smaller one: the head of a bird looks like a bird, too."""
    smaller = min(_area(one["box"]), _area(other["box"]))
    return one["label"] == other["label"] and _shared(one, other) > MAX_SHARED * smaller


def overlap(one: Region, other: Region) -> float:
    """The area that two boxes share, over the one that they cover."""
    shared = _shared(one, other)
    covered = _area(one["box"]) + _area(other["box"]) - shared
    return shared / covered if covered else 0.0


def _shared(one: Region, other: Region) -> float:
    """The area that two boxes share."""
    first, second = one["box"], other["box"]
    return _area({
        **{f"{side}min": max(first[f"{side}min"], second[f"{side}min"]) for side in "xy"},
        **{f"{side}max": min(first[f"{side}max"], second[f"{side}max"]) for side in "xy"},
    })  # fmt: skip


def _area(box: dict[str, float]) -> float:
    return max(0, box["xmax"] - box["xmin"]) * max(0, box["ymax"] - box["ymin"])


def _unboxed(picture: Image, probable: classifier.Array) -> list[Region]:
    """An animal that fills the picture but was not detected, as a faint region."""
    look = classifier.look(probable, ANIMAL)
    if look is None:
        return []
    box = {"xmin": 0, "ymin": 0, "xmax": picture.width, "ymax": picture.height}
    return [{"label": look.name, "score": MIN_SCORE, "box": box, "kind": ANIMAL}]
