"""Questions that name what is to be chosen: "is it a plane or a rocket?", "was it taken by day or at night?".

Properties of the whole picture are computed from its pixels (data/experts/picture_choices.txt names them); kinds of
things are chosen by the classifier's probabilities and the detector's scores, where one is much likelier than others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts import classifier, coco
from hugginggpt.experts.colours import NAMES, has_colour
from hugginggpt.experts.measuring import brightness, sharpness

if TYPE_CHECKING:
    from PIL.Image import Image

Answer = list[dict[str, Any]]
MIN_CHOSEN, MIN_ALONE, MUCH_LIKELIER = 0.12, 0.5, 4.0
"""The minimum probability of what is chosen, and that where the classifier does not know all that is named; what is
chosen is so many times as probable as the next."""
MAX_RULED_OUT = 0.03
"""What has at most this probability a picture does not look like."""
DARK, LIGHT = 26.0, 34.0
"""Below the first mean lightness, in percent, a picture is of the night, from the second on of the day."""
BLURRED, SHARP = 40.0, 120.0
"""Below the first variance of the Laplacian a picture is blurred, from the second on it is sharp."""
MAX_CHARS = 200
_OF_BEING = re.compile(
    r"\b(?:is|was|are|were|isn't|wasn't|aren't)\W+(?:it|this|that|these|those|he|she|they|the|my|our|there|what)\b"
    r"|\bwhat(?:'s|s| is| are| was)\b|\bor\b.{3,30}\b(?:is|was) (?:it|this|that)\b|^\W*(?:an?|by|at|in|taken)\b"
)
_OF_EXISTENCE = re.compile(r"\b(?:is|are|was|were) there\b|\bhow many\b|\bwhich (?:of|one|picture|photo)\b|\bmore\b")
_OF_IT = re.compile(
    r"^(?:and |but |so )?(?:is|was) (?:it|this|that)(?: one)? (?:(?:really|all|taken|shot|even) )*"
    r"(?:in|at|by|during) (?:the )?"
)
_OF_PICTURE = re.compile(r"\b(?:picture|photo\w*|image|pic|shot)\b")
_OPEN = re.compile(r"\b(?:what|which|who|where|when|why|how|or)\b")
_LEADING = re.compile(
    r"^(?:(?:an?|the|those|these|some|rather|maybe|perhaps|really|just|more|like|of|on|in|at|by|during|it|is|was|taken|even)\s+)+"
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a question names: values of a `prop` of the whole picture, or else kinds of things ("" as the property)."""

    prop: str
    named: tuple[str, ...]


def read(text: str) -> Choice | None:
    """What a question leaves to choose; None for any other text."""
    words = " ".join(text[:MAX_CHARS].lower().replace("’", "'").split())
    if not _OF_BEING.search(words) or _OF_EXISTENCE.search(words):
        return None
    for prop, values in _properties().items():
        named = tuple(value for value, spellings in values.items() if any(_stands(one, words) for one in spellings))
        is_of_it = named and not _OPEN.search(words) and (_OF_PICTURE.search(words) or _is_nothing_else(words, values))
        if len(named) > 1 or is_of_it:
            return Choice(prop, named)
    kinds = _alternatives(words)
    if len(kinds) > 1 and kinds[-1] in NAMES:
        return None  # an orange is asked for only beside other fruit
    return Choice("", kinds) if len(kinds) > 1 and any(map(_is_known, kinds)) else None


def _is_nothing_else(words: str, values: Mapping[str, Sequence[str]]) -> bool:
    """Whether a question is but whether it is so: "is it in colour?", not "is it black and white?", as a cow may be."""
    asked = _OF_IT.match(words)
    said = words[asked.end() :].strip(" ?.!") if asked else ""
    return any(said and said == spelling for spellings in values.values() for spelling in spellings)


def asks(text: str) -> bool:
    """Whether a text names what is to be chosen."""
    return read(text) is not None


def answer(text: str, picture: Image, regions: Sequence[dict[str, Any]]) -> Answer:
    """What a picture is of that which a question names; [] for any other question, and where it is not plain."""
    choice = read(text)
    if choice is None:
        return []
    return _of_pixels(choice, picture) if choice.prop else _of_kinds(choice.named, picture, regions)


# The whole picture


@cache
def _properties() -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in word_lists.lines(EXPERTS_DATA / "picture_choices.txt"):
        name, _, words = line.partition(":")
        prop, _, value = name.partition(".")
        found.setdefault(prop, {})[value] = tuple(word.strip() for word in words.split(","))
    return found


def _stands(phrase: str, words: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", words) is not None


def _colours(picture: Image) -> tuple[str, str]:
    return ("colour", "in colour") if has_colour(picture) else ("black and white", "in black and white")


def _light(picture: Image) -> tuple[str, str]:
    light = brightness(picture)
    told = f"to judge by its light alone (mean brightness {light:.0f} %)"
    if DARK <= light < LIGHT:
        return "", ""
    return ("night", f"at night or in the dark, {told}") if light < DARK else ("day", f"by day, {told}")


def _sharpness(picture: Image) -> tuple[str, str]:
    detail = sharpness(picture)
    if BLURRED <= detail < SHARP:
        return "", ""
    return ("blurry", "it is blurry") if detail < BLURRED else ("sharp", "it is sharp")


def _format(picture: Image) -> tuple[str, str]:
    size = f"{picture.width}x{picture.height} pixels"
    if picture.width == picture.height:
        return "square", f"it is square, {size}"
    return ("landscape", f"it is wider than high, {size}") if picture.width > picture.height else (
        "portrait", f"it is higher than wide, {size}")  # fmt: skip


_MEASURED: dict[str, Callable[[Image], tuple[str, str]]] = {
    "colours": _colours, "light": _light, "sharpness": _sharpness, "format": _format,
}  # fmt: skip


def _of_pixels(choice: Choice, picture: Image) -> Answer:
    value, told = _MEASURED[choice.prop](picture)
    if not value:
        return []
    yes_no = "" if len(choice.named) > 1 else "yes, " if value in choice.named else "no, "
    return [{"answer": f"{yes_no}{told}"}]


# Kinds of things


def _alternatives(words: str) -> tuple[str, ...]:
    """What stands around "or" and the commas before it, without what leads to it: "plane", "rocket"."""
    left, joint, right = words.partition(" or ")
    if not joint:
        return ()
    *before, last = re.split(r"[,:;]| - ", left.strip(" ,"))
    right = re.split(r"[,.;:?!]| or | (?:in|on|at|that|which|who|there|here|do|is|can)\b", right, maxsplit=1)[0]
    nouns = [_tail(last), _bare(right)]
    for part in reversed(before):
        noun = _tail(part)
        if not (_is_known(noun) and re.search(r"\b(?:an?|the)\b", part)):
            break
        nouns.insert(0, noun)
    return tuple(dict.fromkeys(noun for noun in nouns if noun and noun not in ("what", "not", "something", "so")))


def _bare(words: str) -> str:
    return _LEADING.sub("", words.strip(" ,.?!'\"") + " ").strip()


def _tail(words: str) -> str:
    """The noun at the end of some words: what follows the last article, or else the longest known one."""
    found = words.split()
    at = max((at for at, word in enumerate(found) if word in ("a", "an", "the", "it", "this", "that")), default=-1)
    rest = found[at + 1 :]
    known = (" ".join(rest[-length:]) for length in (3, 2, 1) if len(rest) >= length)
    return next((one for one in known if _is_known(one)), " ".join(rest[-2:]))


def _is_known(noun: str) -> bool:
    meaning = coco.meaning(noun)
    return bool(_classes(noun)) or bool(meaning and not meaning.is_wider)


@cache
def _classes(noun: str) -> frozenset[int]:
    """The numbers of the classes that are called so, also by their last word ("electric guitar"), and of a group."""
    single = noun if classifier.members(noun) else noun.removesuffix("s")
    meaning = coco.meaning(noun)
    label = meaning.labels[0] if meaning and not meaning.is_wider and len(meaning.labels) == 1 else ""
    return classifier.members(single) | (classifier.members(label) if label else frozenset())


def _of_kinds(named: Sequence[str], picture: Image, regions: Sequence[dict[str, Any]]) -> Answer:
    views = [picture, *(classifier.cut_out(picture, one["box"]) for one in regions[:1])]
    probable = [classifier.probabilities(view) for view in views]
    scores = {noun: _score(noun, probable, regions) for noun in named if _is_known(noun)}
    best, *rest = sorted(scores, key=scores.__getitem__, reverse=True)
    next_best = max((scores[noun] for noun in rest), default=0.0)
    strange = [noun for noun in named if noun not in scores]
    least = MIN_ALONE if strange else MIN_CHOSEN
    if scores[best] >= least and scores[best] >= MUCH_LIKELIER * next_best:
        return [{"answer": f"it looks like {classifier.Look(best, 1.0).words}"}]
    if len(strange) == 1 and scores[best] <= MAX_RULED_OUT:
        ruled_out = " or ".join(classifier.Look(noun, 1.0).words for noun in scores)
        unknown = classifier.Look(strange[0], 1.0).words
        return [
            {"answer": f"it does not look like {ruled_out}, so rather {unknown}, which the classifier does not know"}
        ]
    return []


def _score(noun: str, probable: Sequence[Any], regions: Sequence[dict[str, Any]]) -> float:
    meaning = coco.meaning(noun)
    labels = meaning.labels if meaning and not meaning.is_wider else ()
    detected = max((one["score"] for one in regions if one["label"] in labels), default=0.0)
    inside = sorted(_classes(noun))
    if not inside:
        return float(detected)
    chance = len(inside) / len(probable[0])
    return max(detected, *((float(one[inside].sum()) - chance) / (1 - chance) for one in probable))
