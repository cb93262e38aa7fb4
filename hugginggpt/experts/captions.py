"""Says in one or two plain sentences what a picture shows: "Two giraffes, on the right and in the middle."

What is said is what the detector and the classifier are sure of; what is doubtful is left out, unless there is nothing
else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hugginggpt.core.results import UNSURE_OF, plural
from hugginggpt.experts import classifier
from hugginggpt.experts.classifier import Look
from hugginggpt.experts.colours import has_colour
from hugginggpt.experts.objects import PERSON, overlap
from hugginggpt.experts.scenes import ALL_OVER, colour_words, joined, main_thing, person_words, things_in

if TYPE_CHECKING:
    from PIL.Image import Image

Region = dict[str, Any]
MAX_PLACED = 3
"""Of so many things at most the places are told."""
MIN_SAME_BOX, MAX_APART = 0.6, 0.2
"""Boxes that overlap so much are of one thing; labels of it whose scores are no further apart are both told."""
MIN_SEEN = 0.48
"""What has this score is said to be in a picture, where nobody asks whether it is; in one of six it is not."""
MAX_PLACED_SHARE = 0.3
"""A thing that takes up more of the picture has no place in it worth a word."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def caption(picture: Image, regions: Sequence[Region], look: Look | None, guess: Look | None, text: str) -> str:
    """What a picture shows, of which the detector sees `regions`, also faint ones, and the classifier a `look`, or else
    perhaps a `guess`; `text` is read in it. "" where all of that tells nothing.
    """
    sure = [one for one in regions if is_seen(one)]
    things, look = _named_closely(sure, look)
    told = _things(picture, things, regions)
    if look:
        of_kind = f"{look.words}, perhaps {guess.words}" if guess and _is_of(guess.name, look.name) else look.words
        comma = "," if "," in told or " and " in told else ""
        told = f"{told}{comma} and what looks like {look.words}" if told else of_kind
    sentences = [f"{_capital(told)}."] if told else []
    if not told and not text and (doubtful := _doubted(regions, guess)):
        sentences = [f"Perhaps {doubtful}, but I am not sure."]
    if not sentences and not text:
        return ""
    sentences.append(_colours(picture, things))
    if text:
        sentences.append(f"It says “{' / '.join(text.splitlines())}”.")
    return " ".join(filter(None, sentences))


def is_seen(region: Region) -> bool:
    """Whether a detected thing is sure enough to be said to be in a picture."""
    return bool(region["score"] >= min(MIN_SEEN, UNSURE_OF.get(region["label"], MIN_SEEN)))


def counted(labels: Sequence[str]) -> str:
    """ "two giraffes and a bird", the most first."""
    return joined([amount(number, label) for label, number in Counter(labels).most_common()])


def amount(number: int, noun: str) -> str:
    """ "a cat", "two cats"."""
    if number == 1:
        return classifier.Look(noun, 1.0).words
    return f"{NUMBERS[number] if number < len(NUMBERS) else number} {plural(noun)}"


def _named_closely(sure: Sequence[Region], look: Look | None) -> tuple[list[Region], Look | None]:
    """The things under the name that the classifier has for them, where it has one ("lorikeet" for the only bird), and
    the look that is left to be told beside them.
    """
    wider = {one["label"] for one in sure if look and _is_of(look.name, one["label"])}
    if not look or len(wider) != 1:
        return list(sure), look
    return [{**one, "label": look.name} if one["label"] in wider else one for one in sure], None


def _things(picture: Image, sure: Sequence[Region], regions: Sequence[Region]) -> str:
    """ "two giraffes, one on the right and one in the middle", "a person on the left, mostly in black"."""
    if not sure:
        return ""
    labels = [one["label"] for one in sure]
    if (other := _other_label(sure[0], regions)) and len(set(labels) - {other}) == 1:
        return f"what looks like {amount(1, labels[0])} or {amount(1, other)}"
    if len(set(labels)) > 1 or len(sure) > MAX_PLACED:
        return counted(labels)
    things = things_in(picture, sure)
    places = [thing.place for thing in things]
    words = counted(labels)
    if len(sure) == 1:
        is_small = things[0].share <= MAX_PLACED_SHARE
        seen = person_words(picture) if labels == [PERSON] else ""
        return f"{words}{f' {places[0]}' if is_small else ''}{f', {seen}' if seen else ''}"
    return words if ALL_OVER in places else f"{words}, {joined([f'one {place}' for place in places])}"


def _other_label(one: Region, regions: Sequence[Region]) -> str:
    """What else a detector takes the same thing for, nearly as surely: a vase may be a glass."""
    found = (
        other["label"]
        for other in regions
        if other["label"] not in (one["label"], PERSON)
        and one["label"] != PERSON
        and other["box"] != one["box"]
        and one["score"] - other["score"] <= MAX_APART
        and overlap(one, other) >= MIN_SAME_BOX
    )
    return next(found, "")


def _doubted(regions: Sequence[Region], guess: Look | None) -> str:
    """What there may be, where nothing is sure."""
    faint = max(regions, key=lambda one: one["score"], default=None)
    if guess:
        return guess.words
    return amount(1, faint["label"]) if faint else ""


def _colours(picture: Image, things: Sequence[Region]) -> str:
    """ "The motorcycle is mostly red and black."; that a picture has no colours."""
    if not has_colour(picture):
        return "The picture is black and white."
    main = main_thing(things_in(picture, things))
    labels = [one["label"] for one in things]
    if main is not None and labels[main] != PERSON and labels.count(labels[main]) == 1:
        subject = "It" if len(labels) == 1 or (len(set(labels)) > 1 and _share_a_box(things)) else f"The {labels[main]}"
        return f"{subject} is mostly {colour_words(picture, things[main]['box'])}."
    return ""


def _share_a_box(things: Sequence[Region]) -> bool:
    """Whether two labels stand for the same thing."""
    return len(things) == 2 and overlap(*things) >= MIN_SAME_BOX


def _is_of(name: str, group: str) -> bool:
    """Whether a name is that of one kind of a group: "bell tower" of "building"."""
    return name != group and classifier.members(name) <= classifier.members(group)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
