"""Embedded expert for questions about a picture, which may be a photograph or a page of text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.core.questions import Question
from hugginggpt.experts import (
    captions,
    classifier,
    coco,
    company,
    kind_questions,
    object_questions,
    picture_choices,
    picture_origin,
    round_things,
    scene_questions,
    uses,
)
from hugginggpt.experts.documents import MIN_PAGE_WORDS, answer_from_page, shown_in
from hugginggpt.experts.faces import faces_in
from hugginggpt.experts.grammar import PACKAGES
from hugginggpt.experts.kind_questions import KindQuestion
from hugginggpt.experts.objects import ANIMAL, objects_in
from hugginggpt.experts.ocr import read_lines
from hugginggpt.experts.picture_untold import BREED, all_untold
from hugginggpt.experts.registry import expert
from hugginggpt.experts.scene_refusals import DOING, SURROUNDINGS
from hugginggpt.experts.text import MINILM
from hugginggpt.experts.vision import MIN_SCORE, ONNX
from hugginggpt.media import frames
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image


_WHAT_IS_THERE = re.compile(
    r"\W*+(?:(?:and|so|tell me|hi|hey)\W+)*what(?:'?s| is| are)? (?:(?:that|this|there|those|the|things?|animal) )*"
    r"(?:\w+ing )?(?:in|on|at|across|around|there|here)\b",
    re.IGNORECASE,
)
"""What asks for the things in the surroundings: "what is crawling in my grass?"."""
_POINTING = frozenset(("this", "that", "these", "those", "it", "them", "one", "ones", "more"))
DOG = "dog"
"""The animal of which the classifier knows breeds."""
MAX_LOOKS = 4
"""Of so many detected objects at most the kinds are named."""
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=\?)(?=\w)")
_FACES = re.compile(
    r"\b(?:how many|number of|count(?: up)?(?: all)?(?: the)?|(?:is|are) there(?: an?| any)?|see (?:an?|any)) "
    r"(?:\w+ )?faces?\b",
    re.IGNORECASE,
)
SURE_OF_WORDS = 0.9
"""How sure it has to be that a few words answer a question that is mostly asked of what a picture shows."""
MIN_PERHAPS = 0.25
"""From this probability on a kind is guessed, and said to be a guess."""
MIN_HINT = 0.15
"""From this one on it is named beside what is sure."""
MIN_EITHER = 0.5
"""The minimum probability of one of the names that a question proposes."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A picture, what the detector has found in it, and the classifier's probabilities for it."""

    image: Path
    picture: Image
    regions: list[dict[str, Any]]
    probable: classifier.Array


class _Unsure(ExpertUnavailable):
    """Why a question is not answered that a larger model may answer, without a full stop; what is `told` instead."""

    def __init__(self, reason: str, told: str = "") -> None:
        super().__init__(reason)
        self.told = told


@expert(
    "nanodet-coco", "visual-question-answering",
    "Counts, colours, places and sizes of everyday objects (NanoDet), the kind of what is shown (EfficientNet-Lite0); "
    "other questions where the picture is a page of text (RapidOCR).", ("rapidocr", *ONNX, *MINILM),
    aspects=("look", "identity", "place"),
)  # fmt: skip
def answer_about(image: Path, text: str) -> list[dict[str, Any]]:
    """What the detector counts or the classifier names, what the boxes and colours tell; of a page what its text says.

    Raises ExpertUnavailable for other questions.
    """
    line = text.strip().rpartition("\n")[2]  # below a question in another language stands its English
    sentences = _BETWEEN_SENTENCES.split(line)
    questions = [one for one in sentences if one.endswith("?")]
    picture = load_image(image)
    probable = classifier.probabilities(picture)
    seen = _Seen(image, picture, objects_in(picture, whole=probable), probable)
    try:
        if len(questions) > 1 and questions == sentences:
            return _each_answered(questions, seen)
        return _answered(" ".join(questions) or line, text, seen)  # without what is only told beside the questions
    except _Unsure as error:
        told = f" What I see: {error.told}" if error.told else ""
        raise ExpertUnavailable(
            f"{error}.{told} A larger model may tell more: set HF_TOKEN or start {MODEL_SERVER}."
        ) from None


def _answered(text: str, asked: str, seen: _Seen) -> list[dict[str, Any]]:
    """The answer to a question, which is part of what is asked."""
    image, picture, regions = seen.image, seen.picture, seen.regions
    question = object_questions.read(text)
    lacking, is_of_existence = _lacking(question)
    missing = all_untold(asked)
    if missing:
        return _untold(missing, asked, seen)
    if chosen := picture_choices.answer(text, picture, regions):
        return chosen
    if answer := company.answer(text, regions) or _counted_otherwise(question, text, picture):
        return answer
    if question and not lacking and (answer := _counted(question, regions)):
        return answer
    kind = kind_questions.read(text, question)
    if kind and (answer := _of_kind(kind, seen)):
        return answer
    found = uses.answer(text, picture, regions) or scene_questions.answer(text, picture, regions)
    if found and found[0].get("found", True):
        return found
    words = _words_on(image)
    if words >= MIN_PAGE_WORDS:
        return _from_page(image, asked)
    if found:
        return found
    if question and not lacking:
        return _counted(question, regions, or_none=True)
    refused = scene_questions.refused(text)
    if is_of_existence and refused != SURROUNDINGS:
        refused = ""  # all that lacks is whether something is there
    told = shown_in(picture, regions, probable=seen.probable)
    if told and refused in (SURROUNDINGS, DOING) and _WHAT_IS_THERE.match(text):
        return [{"answer": told}]
    written = _from_page(image, asked) if words else []
    least = SURE_OF_WORDS if refused else 0.0
    if written and written[0].get("found", True) and float(written[0].get("score") or 0) >= least:
        return written  # a few words, such as those of a sign, may answer what else nobody can
    is_seen = refused != DOING and any(map(captions.is_seen, regions))  # colours and clothes are nothing that one does
    raise _Unsure(f"From a picture I cannot tell {refused or lacking}", told if is_seen else "")


@expert(
    "rapidocr-minilm", "document-question-answering",
    "Reads a page (RapidOCR) and answers with the value whose name is asked for, if it is there (all-MiniLM-L6-v2).",
    ("rapidocr", *ONNX, *MINILM, *PACKAGES),
)  # fmt: skip
def answer_from_picture(image: Path, text: str) -> list[dict[str, Any]]:
    """What a page says on a question, as `answer_from_page` does; of a picture without any text what it shows."""
    is_photograph = frames.unit_of(image) != "page" and not _is_page(image, text)
    answers: list[dict[str, Any]] = answer_about(image, text) if is_photograph else answer_from_page(image, text)
    return answers


def _is_page(image: Path, text: str) -> bool:
    """Whether a picture has text; a few words, or what looks like some, do not tell what no photograph tells."""
    return _words_on(image) >= (MIN_PAGE_WORDS if all_untold(text) else 1)


def _words_on(image: Path) -> int:
    return sum(len(line.text.split()) for row in read_lines(image) for line in row)


def _each_answered(questions: Sequence[str], seen: _Seen) -> list[dict[str, Any]]:
    """The answers to several questions in one text, each with its own; what none answers is told beside the others."""
    told: list[dict[str, Any]] = []
    refusals: list[ExpertUnavailable] = []
    for question in questions:
        try:
            told.append(_answered(question, question, seen)[0])
        except ExpertUnavailable as error:
            refusals.append(error)
    if not told:
        raise refusals[0]
    reasons = (str(error).removesuffix(".") for error in refusals)
    score = min((float(one["score"]) for one in told if "score" in one), default=1.0)
    return [{"answer": "; ".join([*(str(one["answer"]) for one in told), *reasons]), "score": score}]


def _untold(missing: Sequence[str], text: str, seen: _Seen) -> list[dict[str, Any]]:
    """What the text of a page says on a question that no photograph answers, or which breed a dog looks like. Raises
    ExpertUnavailable for any other picture.
    """
    if _words_on(seen.image) >= MIN_PAGE_WORDS:
        return _from_page(seen.image, text)
    if BREED in missing and any(region["label"] == DOG for region in seen.regions):
        return _of_kind(KindQuestion(DOG), seen)
    if of_file := [one for one in missing if one in picture_origin.ASKED]:
        return [{"answer": picture_origin.answer(of_file, text, seen.image)}]
    raise ExpertUnavailable(f"From a picture I cannot tell {missing[0]}.")


def _from_page(image: Path, text: str) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = answer_from_page(image, text)
    return answers


def _of_kind(asked: KindQuestion, seen: _Seen) -> list[dict[str, Any]]:
    """What the classifier names, in each detected object of the group that is asked for; [] for names that it does not
    know. Raises ExpertUnavailable where it is not sure.
    """
    if asked.names:
        return _either(asked.names, seen.probable)
    boxes = [region["box"] for region in seen.regions if region["label"] == asked.group][:MAX_LOOKS]
    parts = [classifier.cut_out(seen.picture, box) for box in boxes]
    probable = [classifier.probabilities(part) for part in parts] or [seen.probable]
    looks = [look for one in probable if (look := classifier.look(one, asked.group))]
    if not looks:
        name, score = classifier.likeliest(probable[0], asked.group)
        found = [region for region in seen.regions if not asked.group or region["label"] in _labels_of(asked.group)]
        perhaps = f"perhaps {classifier.Look(name, score).words}" if score >= MIN_HINT else "I cannot tell"
        unsure = f"which kind is not sure: {perhaps}"
        if found and (asked.group == ANIMAL or asked.group not in {region["label"] for region in found}):
            labels = [region["label"] for region in found]
            if set(labels) <= {ANIMAL}:
                return [{"answer": f"{captions.counted(labels)}; {unsure}"}]
            return [{"answer": captions.counted(labels)}]
        if asked.group and _is_surely_of(probable[0], asked.group):
            sure = classifier.Look(asked.group, 1.0).words
            return [{"answer": f"{sure}; {unsure}"}]
        if score >= MIN_PERHAPS:
            return [{"answer": f"not sure; perhaps {classifier.Look(name, score).words}", "score": score}]
        raise _Unsure(f"Offline {unsure}")
    words = " and ".join(dict.fromkeys(look.words for look in looks))
    score = min(look.score for look in looks)
    if score >= classifier.MIN_SURE:
        return [{"answer": words}]
    return [{"answer": f"it looks most like {words}", "score": score}]


def _is_surely_of(probable: Any, group: str) -> bool:
    """Whether a picture is of a group, though not which of its kinds."""
    chance = len(classifier.members(group)) / len(probable)
    return ((classifier.probability(probable, group) or 0.0) - chance) / (1 - chance) >= classifier.MIN_BEYOND_CHANCE


def _labels_of(group: str) -> tuple[str, ...]:
    """The labels of the detector that are of a group of the classifier."""
    meaning = coco.meaning(group)
    return meaning.labels if meaning else ()


def _counted_otherwise(question: Question | None, text: str, picture: Image) -> list[dict[str, Any]]:
    """How many faces there are, or round things of a kind that the detector does not know; [] for other questions."""
    if _FACES.search(text):
        found = len(faces_in(picture))
        return [{"answer": f"{found or 'no'} face{'' if found == 1 else 's'}"}]
    if question is None:
        return []
    (objects, *others) = question.objects or (None,)
    if question.operation != "count" or others or objects is None or (objects.labels and not objects.is_wider):
        return []
    if not round_things.are_named(objects.words.split()):
        return []
    number = round_things.count(picture)
    return [{"answer": f"about {number} {objects.words}, counted by their round outlines"}] if number else []


KNOWN = "of the 1,000 kinds that the classifier knows"


def _either(names: Sequence[str], probable: Any) -> list[dict[str, Any]]:
    """Which of some names a picture looks like, or what rather; [] if the classifier knows none of them."""
    scores = {name: score for name in names if (score := classifier.probability(probable, name)) is not None}
    if not scores:
        return []
    best = max(scores, key=scores.__getitem__)
    alike = [name for name in scores if name != best and classifier.members(name) & classifier.members(best)]
    if scores[best] >= MIN_EITHER and alike:
        raise ExpertUnavailable(
            f"Offline, the classifier cannot tell {best} and {alike[0]} apart, but it is one of them."
        )
    if scores[best] >= MIN_EITHER:
        yes = "yes, " if len(names) == 1 else ""
        return [{"answer": f"{yes}it looks like {classifier.Look(best, 1.0).words}", "score": scores[best]}]
    look = classifier.look(probable)
    if look and not (classifier.groups().get(look.name, frozenset()) & classifier.members(best)):
        if look.score >= classifier.MIN_SURE:
            return [{"answer": f"{'no, ' if len(names) == 1 else ''}it looks like {look.words}", "score": look.score}]
        no = "rather not: " if len(names) == 1 else ""
        return [{"answer": f"{no}it looks more like {look.words}, {KNOWN}", "score": look.score}]
    asked = " or ".join(classifier.Look(name, 1.0).words for name in names)
    if scores[best] >= MIN_PERHAPS:
        return [{"answer": f"perhaps: it may be {classifier.Look(best, 1.0).words}", "score": scores[best]}]
    raise ExpertUnavailable(
        f"Offline, the classifier is not sure whether the picture shows {asked} ({100 * scores[best]:.0f} %)."
    )


def _lacking(question: Question | None) -> tuple[str, bool]:
    """What of a question a detector of everyday objects cannot judge, as an answer says it, "" for nothing; and if that
    is only whether something is there.
    """
    if question is None or question.operation not in ("count", "exists"):
        return "this", False
    unknown = next((one for one in question.objects if one.unjudged or not one.labels or one.is_wider), None)
    if unknown and not {unknown.words, unknown.unjudged} & _POINTING and not unknown.labels:
        is_count = question.operation == "count"
        thing = classifier.Look(unknown.words, 1.0).words
        return f"how many {unknown.words} there are" if is_count else f"whether there is {thing}", not is_count
    if question.relation or (unknown and {unknown.words, unknown.unjudged} & _POINTING):
        return "this", False
    return f"what is “{unknown.unjudged or unknown.words}”" if unknown else "", False


def _counted(question: Question, regions: list[dict[str, Any]], or_none: bool = False) -> list[dict[str, Any]]:
    """The answer of the detections; [] if there are none of the objects, unless `or_none`."""
    labels = {label for objects in question.objects for label in objects.labels}
    scores = [region["score"] for region in regions if region["label"] in labels]
    if not scores and not or_none:
        return []
    by_label = Counter(region["label"] for region in regions)
    counts = [sum(by_label[label] for label in objects.labels) for objects in question.objects]
    is_count = question.operation == "count"
    answers = [str(count) if is_count else "yes" if bool(count) != question.negated else "no" for count in counts]
    if len(counts) > 1:
        answers = [f"{objects.words}: {answer}" for objects, answer in zip(question.objects, answers, strict=True)]
    return [{"answer": ", ".join(answers), "score": min(scores, default=1 - MIN_SCORE)}]
