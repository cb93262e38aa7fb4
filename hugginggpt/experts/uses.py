"""Questions for things by what they are for: "is there anything to drink?", "any toys?", "what is in the cup?".

The words and classes are data (data/experts/picture_uses.txt); what is found is what the detector sees, and what the
classifier is sure that the picture looks like.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.results import plural
from hugginggpt.experts import classifier, coco
from hugginggpt.experts.scenes import joined

if TYPE_CHECKING:
    from PIL.Image import Image

Answer = list[dict[str, Any]]
_ASKS = re.compile(
    r"\W*+(?:(?:and|so|ok|hi|hello|hey|please|tell me|say|in (?:this|the|that) \w+)\W+)*"
    r"(?:(?:if|whether) )?(?:is|are|isn't|aren't|was|were|do|does|can|could|any|what|which|something|anything)\b"
)
_CHOOSES = re.compile(
    r"\b(?:how (?:many|much)|which (?:of|picture|photo|image|one|file)|where|colou?r|who|when|"
    r"why)\b"
)
_THING = (
    r"(?:(?:any|some|every|no)thing(?: else)?|what(?: is there)?|things?|stuff|places?|somewhere|anywhere)"
    r"(?: (?:here|there|around|left|on it|in it|for (?:me|us|him|her|them|[a-z]+)))?"
)
_POSSIBLE = re.compile(
    r"\b(?:that )?(?:(?:i|we|you|one|he|she) (?:can|could|might|may)|(?:can|could) (?:i|we|"
    r"you|one|he|she)) "
)
"""What stands for "to" in "something that I could eat", "what can we drink"."""
_INSIDE = re.compile(
    r"\bwhat(?:'s| is| kind of \w+ is|s)? (?:there )?(?:in|inside|on)(?:side)? (?:of )?(?:the|this|that|my|his|"
    r"her|their) "
    r"(?P<what>[a-z ]{3,20}?)(?: (?:here|there|exactly|please))?\W*$"
)
PART, MAX_LOOKS = 0.6, 3
_FILLINGS = "eat", "drink"
"""The uses of what may be in a cup or on a plate."""
_HOLDERS = ("cup", "wine glass", "bottle", "bowl", "plate", "dish", "glass", "mug", "pot", "pan")


@dataclass(frozen=True, slots=True)
class Use:
    """What things are for, how it is asked for, and the classes of the things."""

    words: tuple[str, ...]
    labels: tuple[str, ...]
    looks: frozenset[int]
    untold: str

    @property
    def nothing(self) -> str:
        """ "nothing to drink", "no instruments"."""
        first = self.words[0]
        return f"nothing {first}" if first.startswith("to ") else f"no {first}"

    def is_in(self, text: str) -> bool:
        """Whether a text asks for such things."""
        verbs = "|".join(word for word in self.words if word.startswith("to "))
        nouns = "|".join(word for word in self.words if not word.startswith("to "))
        found = verbs and re.search(rf"\b{_THING} (?:{verbs})\b(?! (?:the|from|with)\b)", text)
        return bool(found or (nouns and re.search(rf"\b(?:any|some|a|an|what|there|no) (?:{nouns})\b", text)))


@cache
def every() -> dict[str, Use]:
    """The uses by their names. Raises ValueError for a class that there is not."""
    uses = {}
    for line in word_lists.lines(EXPERTS_DATA / "picture_uses.txt"):
        name, words, labels, looks, untold = (cell.strip() for cell in line.split("|"))
        called = [_listed(cell) for cell in (words, labels, looks)]
        if unknown := [one for one in called[1] if one not in coco.labels()]:
            raise ValueError(f"The detector has no class {unknown[0]!r}.")
        members = [classifier.members(one) for one in called[2]]
        if not all(members):
            raise ValueError(f"The classifier lacks a class of {looks!r}.")
        uses[name] = Use(called[0], called[1], frozenset().union(*members), untold)
    return uses


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(",") if part.strip())


def read(text: str) -> Use | None:
    """What things for a question asks whether there are any; None for any other."""
    text = " ".join(text.lower().replace("’", "'").split())
    if not _ASKS.match(text) or _CHOOSES.search(text):
        return None
    text = _POSSIBLE.sub("to ", text)
    return next((use for use in every().values() if use.is_in(text)), None)


_CONSUMED = re.compile(
    r"\bwhat\b.{0,12}\b(?:am|was|were|is|are|did)\b (?:i|we|he|she|they|you|it|\w+) "
    r"(?:drink|eat|hav)(?:ing)?\b(?! to\b)",
    re.IGNORECASE,
)
"""What asks what somebody drinks or eats in a picture: "what was I drinking?"."""


def _consumed(picture: Image) -> Answer:
    """The drink or dish that the classifier sees."""
    uses = every()
    probable = classifier.probabilities(picture)
    look = _look(probable, uses["drink"].looks | uses["eat"].looks)
    return [{"answer": f"it looks like {look.words}", "score": look.score}] if look else []


def asks(text: str) -> bool:
    """Whether a text asks for things by what they are for, or for what is in a cup."""
    return read(text) is not None or bool(_holder(text)) or bool(_CONSUMED.search(text))


def _holder(text: str) -> str:
    """The cup, plate or other holder whose content a question asks for; "" for any other."""
    match = _INSIDE.search(" ".join(text.lower().replace("’", "'").split()))
    return match["what"] if match and match["what"].split()[-1] in _HOLDERS else ""


def answer(text: str, picture: Image, regions: Sequence[dict[str, Any]]) -> Answer:
    """What there is of what a question asks for; [] for any other question."""
    if holder := _holder(text):
        return _content(holder, picture, regions)
    if _CONSUMED.search(text):
        return _consumed(picture)
    use = read(text)
    if use is None:
        return []
    found = [region for region in regions if region["label"] in use.labels]
    views = (picture, *_parts(picture)) if use.looks else ()
    looks = {look.words: look for view in views if (look := _look(classifier.probabilities(view), use.looks))}
    parts = [_amounts(found)] if found else []
    parts += [f"it looks most like {joined(list(looks)[:MAX_LOOKS])}"] if looks else []
    if parts:
        untold = f"; {use.untold} I cannot see" if use.untold and not looks else ""
        score = max(one.score for one in looks.values()) if looks else max(one["score"] for one in found)
        return [{"answer": f"yes: {', and '.join(parts)}{untold}", "score": score}]
    beside = f"only {_amounts(regions)}" if regions else "though small things are easily missed"
    return [{"answer": f"I see {use.nothing} in it, {beside}", "found": False}]


def _content(holder: str, picture: Image, regions: Sequence[dict[str, Any]]) -> Answer:
    """What the classifier is sure to see in a cup or on a plate, and what the detector sees there."""
    meaning = coco.meaning(holder)
    boxes = [one["box"] for one in regions if meaning and one["label"] in meaning.labels]
    fillings = frozenset().union(*(every()[name].looks for name in _FILLINGS))
    parts = [classifier.cut_out(picture, box) for box in boxes[:1]]
    looks = [look for part in (*parts, picture) if (look := _look(classifier.probabilities(part), fillings))]
    inside = [
        one for one in regions
        if one["label"] in every()["eat"].labels and any(_is_inside(one["box"], box) for box in boxes)
    ]  # fmt: skip
    if inside:
        return [{"answer": _amounts(inside), "score": min(one["score"] for one in inside)}]
    if looks and looks[0].name not in _HOLDERS:
        return [{"answer": f"it looks most like {looks[0].words}", "score": looks[0].score}]
    found = (
        f"I see {_amounts([one for one in regions if meaning and one['label'] in meaning.labels])}, but"
        if boxes
        else ""
    )
    return [{"answer": f"{found} what is in the {holder} I cannot tell".strip(), "found": False}]


def _parts(picture: Image) -> Iterator[Image]:
    """The corners of a picture, each PART of its sides: a thing in one may be lost in the whole."""
    width, height = (round(PART * side) for side in picture.size)
    for left in (0, picture.width - width):
        for top in (0, picture.height - height):
            yield picture.crop((left, top, left + width, top + height))


def _is_inside(box: dict[str, float], other: dict[str, float]) -> bool:
    x, y = (box["xmin"] + box["xmax"]) / 2, (box["ymin"] + box["ymax"]) / 2
    return other["xmin"] <= x <= other["xmax"] and other["ymin"] <= y <= other["ymax"]


def _look(probable: Any, inside: frozenset[int]) -> classifier.Look | None:
    """The likeliest of some classes, where the picture surely is of one of them."""
    total, share = float(probable[sorted(inside)].sum()), len(inside) / len(probable)
    if (total - share) / (1 - share) < classifier.MIN_BEYOND_CHANCE:
        return None
    name, score = max(classifier.named(probable, inside).items(), key=lambda pair: pair[1])
    return classifier.Look(name, round(score, 4)) if score >= classifier.MIN_BEYOND_CHANCE / 2 else None


def _amounts(regions: Sequence[dict[str, Any]]) -> str:
    """ "a cup and 2 bottles"."""
    counts = Counter(one["label"] for one in regions)
    return joined([
        f"{'an' if label[0] in 'aeiou' else 'a'} {label}" if number == 1 else f"{number} {plural(label)}"
        for label, number in counts.most_common()
    ])  # fmt: skip
