"""What detections tell of a picture: where its objects are, how large they are in it, and how a person is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hugginggpt.experts import vision
from hugginggpt.experts.colours import colours_of, is_evenly_lit

if TYPE_CHECKING:
    from PIL.Image import Image

MIDDLE = (0.36, 0.64)
"""Where the middle of a picture begins and ends, as a share of its side."""
FILLING, ALL_OVER = 0.7, "over most of it"
"""What takes up so much of both sides fills the picture."""
SOME_OVERLAP = 0.25
"""What begins left of a thing may reach so far into it, as a share of the thing."""
MARGIN = 0.02
NEAR = 0.25
"""What is nearer than this share of a thing's own side is next to it."""
MIN_POINT = 0.35
"""The minimum score of a key point that is seen."""
TORSO, MIN_TORSO, MAIN_SHARE = 1.2, 12, 0.25
"""Down to the hips it is about so many times as far as the shoulders are apart; fewer pixels, or a smaller share of
them, tell no colour of clothes."""
MIN_MAIN, MUCH_LARGER = 0.12, 2.5
"""The main thing of a picture takes up at least this share of it, and so many times as much as any other."""
NOSE, SHOULDERS, WRISTS, HIPS, ANKLES = (0,), (5, 6), (9, 10), (11, 12), (15, 16)
"""Key points of COCO."""
Points = Sequence[tuple[float, float, float]]
"""Key points: x and y in pixels, and a score."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A detected object: its label and score, and its box as shares of the picture's width and height."""

    label: str
    score: float
    left: float
    top: float
    right: float
    bottom: float

    @property
    def share(self) -> float:
        """How much of the picture its box takes up."""
        return (self.right - self.left) * (self.bottom - self.top)

    @property
    def x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def y(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def place(self) -> str:
        """Where in the picture it is, in words."""
        if self.right - self.left > FILLING and self.bottom - self.top > FILLING:
            return ALL_OVER
        column = "left" if self.x < MIDDLE[0] else "right" if self.x > MIDDLE[1] else ""
        row = "top" if self.y < MIDDLE[0] else "bottom" if self.y > MIDDLE[1] else ""
        if row:
            return f"at the {row}{' ' + column if column else ''}"
        return f"on the {column}" if column else "in the middle"

    @property
    def whereabouts(self) -> str:
        return f"{self.place} of the picture" if self.place != ALL_OVER else "over most of the picture"

    def is_at(self, other: Thing, relation: str) -> bool:
        """Whether it is "left", "right", "above", "below", "near" or "on" another one, as the picture shows them."""
        across, down = other.right - other.left, other.bottom - other.top
        is_over = min(self.right, other.right) > max(self.left, other.left)
        holds = min(other.left - self.left, other.top - self.top, self.right - other.right, self.bottom - other.bottom)
        if relation != "on" and holds >= -MARGIN and self.share > other.share:
            return False  # the table that a cup stands on is neither left nor right of it
        is_near = (
            max(other.left - self.right, self.left - other.right) <= NEAR * max(across, self.right - self.left)
            and max(other.top - self.bottom, self.top - other.bottom) <= NEAR * max(down, self.bottom - self.top)
        )  # fmt: skip
        return {
            "left": self.x < other.left + SOME_OVERLAP * across,
            "right": self.x > other.right - SOME_OVERLAP * across,
            "above": is_over and self.y < other.top + SOME_OVERLAP * down,
            "below": is_over and self.y > other.bottom - SOME_OVERLAP * down,
            "near": is_near,
            "on": other.left < self.x < other.right and other.top < self.bottom < other.bottom + MARGIN,
        }[relation]


def things_in(picture: Image, regions: Sequence[dict[str, Any]]) -> list[Thing]:
    """The regions of a detector as things, in the same order."""
    sides = (("xmin", picture.width), ("ymin", picture.height), ("xmax", picture.width), ("ymax", picture.height))
    return [
        Thing(one["label"], one["score"], *(one["box"][side] / length for side, length in sides)) for one in regions
    ]


def main_thing(things: Sequence[Thing]) -> int | None:
    """The number of the thing that a picture is mainly of, "it" in a question; None where there is no single one. What
    another large thing lies within, as the table that a cup stands on, is not the main one.
    """
    large = [at for at, thing in enumerate(things) if thing.share >= MIN_MAIN]
    around = {at for at in large if any(at != other and _holds(things[at], things[other]) for other in large)}
    ranked = sorted((at for at in range(len(things)) if at not in around), key=lambda at: -things[at].share)
    if not ranked or ranked[0] not in large:
        return None
    is_single = len(ranked) == 1 or things[ranked[0]].share > MUCH_LARGER * things[ranked[1]].share
    return ranked[0] if is_single else None


def _holds(thing: Thing, other: Thing) -> bool:
    edges = (other.left - thing.left, other.top - thing.top, thing.right - other.right, thing.bottom - other.bottom)
    return min(edges) >= -MARGIN and thing.share > other.share


def joined(words: Sequence[str]) -> str:
    """Words as a list in a sentence, each once."""
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} and {last}" if first else last


def colour_words(picture: Image, box: dict[str, float] | None = None) -> str:
    """The main colours of an object in a box, or of the whole picture: "brown and beige"; "many colours" for none."""
    named = [name for name, _ in colours_of(picture, box)]
    return joined(named) if named else "many colours"


def person_words(picture: Image) -> str:
    """How the only person of a picture is dressed, and whether it raises its hands; "" where the key points do not
    tell.
    """
    points = vision.key_points(picture)
    seen = partial(_is_seen, points)
    if not seen((*NOSE, *SHOULDERS)):
        return ""
    raised = sum(seen((at,)) and points[at][1] < min(points[one][1] for one in NOSE) for at in WRISTS)
    arms = ("", "one hand above the head", "both hands above the head")[raised]
    colours = upper_body_colours(picture, points)
    worn = f"wearing mostly {colours}" if colours else ""
    return ", ".join(filter(None, (worn, arms)))


def upper_body_words(picture: Image, box: dict[str, float]) -> str:
    """The main colours of what a person in a box wears on the upper body; "" where the key points do not tell."""
    person = picture.crop((round(box["xmin"]), round(box["ymin"]), round(box["xmax"]), round(box["ymax"])))
    return upper_body_colours(person, vision.key_points(person))


def upper_body_colours(picture: Image, points: Points) -> str:
    """The colours between the shoulders and the hips, or as far below the shoulders as the picture shows."""
    if not _is_seen(points, SHOULDERS):
        return ""
    (left, top), (right, other) = sorted((points[at][0], points[at][1]) for at in SHOULDERS)
    width = right - left
    hips = max(points[at][1] for at in HIPS) if _is_seen(points, HIPS) else top + TORSO * width
    top, bottom = max(top, other), min(hips, picture.height)
    if width < MIN_TORSO or bottom - top < MIN_TORSO:
        return ""
    left, right = max(0, left - width / 10), min(picture.width, right + width / 10)
    torso = picture.crop((round(left), round(top), round(right), round(bottom)))
    named = [name for name, share in colours_of(torso) if share >= MAIN_SHARE]
    if "grey" in named and not is_evenly_lit(torso):
        return ""  # a white suit in the shade
    return joined(named) if named else ""


def _is_seen(points: Points, which: Sequence[int]) -> bool:
    return all(points[at][2] >= MIN_POINT for at in which)
