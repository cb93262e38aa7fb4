"""Embedded classifier of pictures: EfficientNet-Lite0 with the 1,000 classes of ImageNet; see data/experts/NOTICE.

It names what fills a picture ("lorikeet", "castle"), of the kinds that it knows: others, as people and giraffes, it
takes for something else, mostly without certainty. So what the detector finds stands beside it; a kind is named from
`MIN_SURE` on, a group of kinds ("a bird") from `MIN_BEYOND_CHANCE` on, and else nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.common.threads import once
from hugginggpt.experts.panels import Part
from hugginggpt.experts.vision import scaled, session

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    Array = np.ndarray[Any, np.dtype[np.float32]]
    Pixels = np.ndarray[Any, np.dtype[np.uint8]]

SIDE, SHORT_SIDE = 224, 256
MIN_SURE, MIN_BEYOND_CHANCE = 0.75, 0.67
"""The minimum probability of a class, and that of a group beyond its share of all classes (as in Cohen's kappa).
Of 63 photographs of animals, buildings and tools with the name of a class, 57 were called so rightly; the others mostly
have no class (a duck was taken for a goose, a hedgehog for a porcupine)."""
UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture looks like: the name of a class or of a group of classes, and its probability."""

    name: str
    score: float

    @property
    def words(self) -> str:
        """The name with its article."""
        is_plural = self.name.endswith("s") and not self.name.endswith(("ss", "us", "is"))
        if is_plural or self.name in _MASSES:
            return self.name
        return f"{'an' if self.name[0] in 'aeiouAEIO' else 'a'} {self.name}"


_MASSES = ("consomme", "guacamole", "red wine", "hay", "corn", "broccoli", "chocolate syrup", "dough", "coffee", "tea")


def look(probable: Array, group: str = "") -> Look | None:
    """What a picture with these probabilities looks like, as narrow as is sure; of a group ("bird"), what of it.

    None where no name is sure. Raises KeyError for a group that there is not.
    """
    inside = groups()[group] if group else frozenset(range(len(probable)))
    name, score = likeliest(probable, group)
    if score >= MIN_SURE:
        return Look(name, round(score, 4))
    return min(
        (found for found in _groups_of(probable, inside) if found.name != group),
        key=lambda found: len(groups()[found.name]),
        default=None,
    )


def _groups_of(probable: Array, inside: frozenset[int]) -> Iterator[Look]:
    """The groups of which a picture surely is."""
    for name, members in groups().items():
        total, share = float(probable[sorted(members)].sum()), len(members) / len(probable)
        if name != UNNAMED and members <= inside and (total - share) / (1 - share) >= MIN_BEYOND_CHANCE:
            yield Look(name, round(total, 4))


def likeliest(probable: Array, group: str = "") -> tuple[str, float]:
    """The likeliest name, of a group if one is given, and its probability, however small."""
    inside = groups()[group] if group else None
    return max(named(probable, inside).items(), key=lambda pair: pair[1])


def probability(probable: Array, name: str) -> float | None:
    """How probable a class or group of that name is; None for a name that the classifier does not know."""
    return float(probable[sorted(members(name))].sum()) if members(name) else None


@cache
def members(name: str) -> frozenset[int]:
    """The classes of that name, and those of a group of that name."""
    called = (at for at, one in enumerate(names()) if name.lower() in _called(one))
    return frozenset(called) | groups().get(name.lower(), frozenset())


def _called(name: str) -> set[str]:
    """The words for a class: "taxicab", each part of "missile or rocket", and the last word of "electric guitar"."""
    parts = [part.strip().lower() for part in name.split(" or ")]
    return {name.lower(), *parts, *(part.rpartition(" ")[2] for part in parts)}


def named(probable: Array, inside: frozenset[int] | None = None) -> dict[str, float]:
    """The probability of each name, of the classes inside a group."""
    totals: dict[str, float] = defaultdict(float)
    for at, name in enumerate(names()):
        if name and (inside is None or at in inside):
            totals[name] += float(probable[at])
    return totals


def probabilities(picture: Image) -> Array:
    """The probability of each class, shape (1000,): the mean over the picture's middle and the whole picture."""
    import numpy as np

    of_colour = picture if picture.mode == "RGB" else picture.convert("RGB")
    mean: Array = np.mean([_run(scaled(of_colour, SIDE, box)) for box in (_middle(of_colour), None)], axis=0)
    return mean


def cut_out(picture: Image, box: dict[str, float], margin: float = 0.1) -> Image:
    """The part of a picture in a box (xmin, ymin, xmax, ymax in pixels), with a margin of a share of its sides."""
    width, height = (margin * (box[f"{side}max"] - box[f"{side}min"]) for side in "xy")
    return picture.crop((
        max(0, round(box["xmin"] - width)), max(0, round(box["ymin"] - height)),
        min(picture.width, round(box["xmax"] + width)), min(picture.height, round(box["ymax"] + height)),
    ))  # fmt: skip


def _middle(picture: Image) -> Part:
    """The square in the middle, of SIDE where the picture's shorter side is SHORT_SIDE."""
    side = max(1, round(min(picture.size) * SIDE / SHORT_SIDE))
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    return left, top, left + side, top + side


def _run(square: Pixels) -> Array:
    import numpy as np

    pixels = (square.astype(np.float32) / 127.5 - 1).transpose(2, 0, 1)[None]
    result: Array = _network().run(None, {"image": np.ascontiguousarray(pixels)})[0][0]
    return result


@once
def _network() -> Any:
    return session("efficientnet-lite0.onnx")


@cache
def names() -> tuple[str, ...]:
    """The name of each class; "" for one that is never named, the same for classes that are not told apart."""
    listed = (EXPERTS_DATA / "imagenet1000.txt").read_text(encoding="utf-8").split("\n")[:1000]
    for name, members in _lines("="):
        for at in members:
            listed[at] = name
    for at in groups()[UNNAMED]:
        listed[at] = ""
    return tuple(name.partition(" (")[0] for name in listed)


@cache
def groups() -> dict[str, frozenset[int]]:
    """The numbers of the classes of each group."""
    return dict(_lines(":"))


def _lines(sign: str) -> Sequence[tuple[str, frozenset[int]]]:
    text = (EXPERTS_DATA / "imagenet_groups.txt").read_text(encoding="utf-8")
    rows = (line.partition(sign) for line in text.splitlines() if sign in line and not line.startswith("#"))
    return [(name.strip(), frozenset(_numbers(members))) for name, _, members in rows]


def _numbers(members: str) -> list[int]:
    spans = (span.partition("-") for span in members.split())
    return [at for first, _, last in spans for at in range(int(first), int(last or first) + 1)]
