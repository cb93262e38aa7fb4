"""Questions about a picture that detections answer: the colour, place and size of things, and what is beside them.

What is asked is read by its words; only what the detector has found, and the picture as a whole, is spoken of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.questions import OFTEN_MISSED
from hugginggpt.experts import classifier, coco, colour_codes, grammar, sky
from hugginggpt.experts.colours import ANY_NAME, NAMES, OTHER_NAMES, around, colours_of, likest
from hugginggpt.experts.objects import PERSON
from hugginggpt.experts.scene_refusals import BACKGROUND, REFUSED, WORN
from hugginggpt.experts.scenes import ALL_OVER, Thing, colour_words, joined, main_thing, things_in, upper_body_words

if TYPE_CHECKING:
    from PIL.Image import Image

Answer = list[dict[str, Any]]
MIN_PART = 0.08
"""Of this share a thing is in part of a colour."""
MIDDLE_PART = 0.25
"""The middle of a picture begins at this share of its sides."""
EVEN = 0.48
"""From this score on it is not said how sure the detector is of what is asked about."""
MAX_THINGS = 4
"""Of so many things of a kind at most each is spoken of."""
MIN_CHOSEN = 0.6
"""From this share of a thing on it has one of two colours."""
MIN_KNOWN = 0.1
"""From this probability on the classifier may see in a picture what a colour is asked of."""
MISSED = "what the detector may have missed there I cannot tell"

_COLOUR = re.compile(r"\bcolou?r(?:s|ed|ful)?\b")
_NAMED = re.compile(rf"^\W*+(?:is|are|was|were|isn't|aren't)\b.*\b({'|'.join((*NAMES, 'gray'))})\b")
_EVERY_NAME = re.compile(rf"\b({ANY_NAME})\b")
_OF_PICTURE = re.compile(
    r"\b(?:picture|image|photo\w*|main\w*|dominat\w*)\b|\bcolou?rs\b(?! (?:is|are|has|have|does|do) (?:it|they)\b)"
)
"""What asks for the colours of a picture as a whole."""
_OF_SEVERAL = re.compile(r"\b(?:they|them|their|these|those)\b")
_COLOUR_ASKED = re.compile(
    r"\b(?:what|which)(?: is| are|'s|s)?(?: the| its| their)? (?:main |own )?colou?rs?\b|^\W*(?:and )?colou?r\W*$"
)
_PLACE_ASKED = re.compile(
    r"^\W*+(?:(?:and|so|ok|but)\W+)*where(?:abouts)?\b|\bwhere (?:exactly|in the (?:picture|photo|image))\b"
)
_COUNTED = re.compile(r"\bhow many\b|\bwhich (?:of|one|picture|photo|image|file)\b")
_WHERE = re.compile(r"\bwhere(?:abouts)?\b|\b(?:which|what) (?:side|corner|part)\b")
_BESIDE = re.compile(
    r"\b(?:(?:to|on|at) (?:the )?)?(?P<side>left|right)(?:[ -]hand)?(?: side)? (?:of|from)\b"
    r"|\b(?P<above>above|over|on top of)\b|\b(?P<below>below|under(?:neath)?|beneath)\b"
    r"|\b(?P<near>next to|beside|besides|near|close to|by the side of)\b"
    r"|\b(?P<on>on) (?:the |a |this |that )?(?=(?:\w+ )?(?:table|desk|bed|couch|sofa|chair|bench)s?\b)"
)
_SIDE = re.compile(r"\b(?:on|at|in|to) (?:the )?(?:very )?(left|right|top|bottom|middle|cent(?:re|er))\b")
_YES_NO = re.compile(r"^\W*+(?:is|are|was|were|do|does|can)\b")
_ENDS: dict[str, Callable[[Thing], float]] = {
    "left": lambda thing: thing.x, "right": lambda thing: -thing.x,
    "top": lambda thing: thing.y, "bottom": lambda thing: -thing.y,
}  # fmt: skip
_SIZE = re.compile(
    r"\bhow (?:big|large|small|tall|wide|long|high)\b|\bsize of\b"
    r"|\bhow much (?:space|room|of)\b|\bhow much .{0,30}\bfills?\b"
)
_LARGEST = re.compile(r"\b(?:(biggest|largest|tallest)|(smallest|tiniest))\b")
_WHICH_OF_TWO = re.compile(r"\b(?:which|who)\b")
_LARGER = re.compile(r"\b(?:(bigger|larger|taller)|(smaller|tinier))\b")
_GENERAL = frozenset({
    "colour", "color", "shade", "picture", "image", "photo", "photograph", "thing", "object", "side", "size", "part",
    "background", "foreground", "corner", "left", "right", "top", "bottom", "middle", "centre", "center", "main",
    "dominate", "dominates", "kind", "space", "room", "hand", "what", "anything", "something", "it", "this", "one",
})  # fmt: skip
"""Nouns of the questions themselves."""
_WEARS = re.compile(r"\bwhat\b.{1,25}\b(?:wear\w*|dressed|got on)\b")
_UNWORN = re.compile(r"\bdoing\b|^\W*+(?:is|are|does|do|has|have)\b(?!.*\bcolou?r)|\b(?:hat|shoe|glasses)")
"""A question for one piece of clothing, which the colour of the upper body does not answer."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture and what the detector has found in it; `boxes` are in pixels."""

    picture: Image
    things: list[Thing]
    boxes: list[dict[str, float]]

    def of(self, labels: Sequence[str]) -> list[int]:
        """The numbers of the things with one of these labels."""
        return [at for at, thing in enumerate(self.things) if thing.label in labels]

    def name(self, at: int) -> str:
        """A thing in words; of several of its kind with its place."""
        thing = self.things[at]
        is_only = len(self.of([thing.label])) == 1
        return f"the {thing.label}{'' if is_only else ' ' + thing.place}"


@dataclass(frozen=True, slots=True)
class Named:
    """A thing that a question names: its words, the detector's labels, and where its words begin."""

    words: str
    labels: tuple[str, ...]
    start: int


def answer(text: str, picture: Image, regions: Sequence[dict[str, Any]]) -> Answer:
    """The answer of the detections; [] for a question that they do not answer. What was not found is not "found"."""
    text = text.lower().replace("’", "'")
    named, unknown = _nouns(text)
    if unknown and not (_COLOUR.search(text) or WORN.search(text) or _proposed(text) or colour_codes.asks(text)):
        return []
    scene = Scene(picture, things_in(picture, regions), [one["box"] for one in regions])
    if colour_codes.asks(text):
        return _codes(text, named, unknown, scene)
    if worn := _worn(text, named, scene):
        return worn
    if unknown:
        return _colour_of_unknown(unknown[0], text, named, scene)
    for read in (_colour, _beside, _side, _place, _size, _largest, _larger):
        if found := read(text, named, scene):
            return found
    return []


def asks(text: str) -> bool:
    """Whether a text asks what detections may answer."""
    text = text.lower()
    named, unknown = _nouns(text)
    if (WORN.search(text) and not _UNWORN.search(text)) or colour_codes.asks(text):
        return True
    frames = (_COLOUR, _SIDE) if not named else (_COLOUR, _SIDE, _BESIDE, _WHERE, _SIZE, _LARGEST, _LARGER)
    return not unknown and any(frame.search(text) for frame in frames)


def is_plain(text: str) -> bool:
    """Whether a text plainly asks for the colour or the place of something, which no count answers."""
    text = text.lower()
    if _COUNTED.search(text):
        return False
    if colour_codes.asks(text):
        return True
    return bool(_COLOUR_ASKED.search(text) or _WEARS.search(text)) or (bool(_PLACE_ASKED.search(text)) and asks(text))


def refused(text: str) -> str:
    """What a question asks for that no detector can tell, in words: "who somebody is"; "" where that is not known."""
    text = text.lower()
    if known := next((words for pattern, words in REFUSED if pattern.search(text)), ""):
        return known
    unknown = _nouns(text)[1]
    is_of_detections = any(pattern.search(text) for pattern in (_COLOUR, _NAMED, _WHERE, _BESIDE, _SIZE, _LARGER))
    return f"where “{unknown[0]}” is, or what it looks like" if unknown and is_of_detections else ""


def _worn(text: str, named: Sequence[Named], scene: Scene) -> Answer:
    """The colours of what people wear on the upper body; which clothes they are cannot be told."""
    people = scene.of(("person",))[:MAX_THINGS]
    if not WORN.search(text) or _UNWORN.search(text) or not people or any(one.labels != ("person",) for one in named):
        return []
    worn = [(at, words) for at in people if (words := upper_body_words(scene.picture, scene.boxes[at]))]
    if not worn:
        return []
    nouns = {word.lower for word in grammar.words(text) if word.is_noun}
    is_for_colour = _COLOUR.search(text) and any("worn above" in colour_words_asked(noun) for noun in nouns)
    each = _of_each(((at, f"mostly {words} on the upper body") for at, words in worn), scene)
    return (
        each if is_for_colour else [{**each[0], "answer": f"{each[0]['answer']}; which clothes they are I cannot tell"}]
    )


_UPON = re.compile(
    r"\b(?:(?:ly|sitt|stand|sleep)ing|lies|sits|stands|sleeps|is) (?:on|in|under|behind)\b|"
    r"\b(?:behind|around|under) "
)
"""What stands between a thing and what it is on: "the blanket that the cat is lying on"."""


def _colour_of_unknown(unknown: str, text: str, named: Sequence[Named], scene: Scene) -> Answer:
    """The colours that are asked of what no detector finds: the fur of a cat has those of the cat, a saucer those
    around the cup; of what the classifier sees, those that stand out in the middle of the picture.
    """
    proposed = _proposed(text)
    if len(proposed) < 2 and (_NAMED.search(text) or not _COLOUR.search(text)):
        return []
    if unknown == sky.WORD:
        above = [] if proposed else sky.colours(scene.picture)
        return [{"answer": f"mostly {joined(above)}"}] if above else []
    kinds = colour_words_asked(unknown)
    main = main_thing(scene.things)
    of = scene.of(named[0].labels)[:1] if named else [] if main is None else [main]
    if of and "worn above" in kinds and scene.things[of[0]].label == PERSON:
        return []
    if of and kinds & {"cover", "part"} and proposed:
        return _scored(_chosen(proposed, scene.picture, scene.boxes[of[0]]), [scene.things[of[0]]])
    if of and kinds & {"cover", "part"}:
        colours = colour_words(scene.picture, scene.boxes[of[0]])
        whole = f"the {scene.things[of[0]].label} is mostly {colours}"
        told = f"mostly {colours}" if "cover" in kinds else f"{whole}; its {unknown} alone I cannot tell"
        return _scored(told, [scene.things[of[0]]])
    if of and ("around" in kinds or _UPON.search(text)) and not proposed:
        behind = [name for name, _ in around(scene.picture, [scene.boxes[at] for at in of])]
        where = f"going by what is around {scene.name(of[0])}"
        return _scored(f"mostly {joined(behind)}, {where}", [scene.things[of[0]]]) if behind else []
    return [] if of else _colour_in_the_middle(unknown, kinds, proposed, scene)


def _colour_in_the_middle(unknown: str, kinds: frozenset[str], proposed: Sequence[str], scene: Scene) -> Answer:
    """The colour in the middle of a picture that, for the classifier, shows what is asked about or what has it."""
    probable = classifier.probabilities(scene.picture)
    seen = classifier.probability(probable, unknown) or 0.0
    if seen < MIN_KNOWN and not ("cover" in kinds and classifier.look(probable)):
        return []
    if proposed:
        return [{"answer": _chosen(proposed, scene.picture, _middle(scene.picture))}]
    middle = _middle_colours(scene.picture)
    whole = [name for name, _ in colours_of(scene.picture) if name not in middle]
    beside = f" (what is around it is {joined(whole)})" if whole else ""
    return [{"answer": f"the {unknown} is mostly {joined(middle)}{beside}"}] if middle else []


def _middle(picture: Image) -> dict[str, float]:
    """The box of what stands in the middle of a picture."""
    width, height, far = picture.width, picture.height, 1 - MIDDLE_PART
    return {"xmin": MIDDLE_PART * width, "ymin": MIDDLE_PART * height, "xmax": far * width, "ymax": far * height}


def _middle_colours(picture: Image) -> list[str]:
    """The colours in the middle of a picture, without those that are more common around it."""
    return [name for name, _ in colours_of(picture, _middle(picture))]


def _proposed(text: str) -> list[str]:
    """The colours between which a question leaves the choice: "is the cup red or blue?"; [] for any other."""
    names = list(dict.fromkeys(_EVERY_NAME.findall(text)))
    return names if len(names) > 1 and re.search(r"\bor\b", text) else []


def _chosen(proposed: Sequence[str], picture: Image, box: dict[str, float] | None) -> str:
    """Which of some colours a picture, or what is in a box of it, has."""
    best, share = likest(picture, box, proposed)
    others = [name for name in proposed if name != best]
    return (
        f"{best}, not {' or '.join(others)}"
        if share >= MIN_CHOSEN
        else f"in part {joined(proposed)}, more of it {best}"
    )


def _codes(text: str, named: Sequence[Named], unknown: Sequence[str], scene: Scene) -> Answer:
    """The colours as codes: of a thing that is named, of what fills the picture, or of the picture as a whole."""
    numbers = scene.of(named[0].labels)[:1] if named else []
    main = main_thing(scene.things)
    of_thing = [noun for noun in unknown if classifier.members(noun) or colour_words_asked(noun)]
    if not numbers and main is not None and of_thing and not _OF_PICTURE.search(text):
        numbers = [main]
    box = scene.boxes[numbers[0]] if numbers else _middle(scene.picture) if of_thing else None
    codes = colour_codes.words(text, scene.picture, box)
    if box and not codes:
        codes = colour_codes.words(text, scene.picture)
    return [{"answer": codes}] if codes else []


@cache
def _colour_words() -> dict[str, frozenset[str]]:
    lines = word_lists.lines(EXPERTS_DATA / "colour_words.txt")
    parts = (line.partition(":") for line in lines)
    return {kind: frozenset(word.strip() for word in words.split(",")) for kind, _, words in parts}


def colour_words_asked(noun: str) -> frozenset[str]:
    """What a noun of a question for a colour may be of a thing: "cover", "part", "around" or "worn above"."""
    forms = {noun, noun.removesuffix("s"), noun.removesuffix("es")}
    return frozenset(kind for kind, words in _colour_words().items() if forms & words)


def _nouns(text: str) -> tuple[list[Named], list[str]]:
    """The things that a question names, and its other nouns that are not of the question itself."""
    words = [word for word in grammar.words(text) if not word.is_mark]
    named: list[Named] = []
    unknown: list[str] = []
    at = 0
    while at < len(words):
        spans = [words[at : at + length] for length in (3, 2, 1)]
        found = next(((span, meant) for span in spans if (meant := _meaning(text, span))), None)
        if found:
            span, meant = found
            named.append(Named(text[span[0].start : span[-1].end], meant, span[0].start))
        elif words[at].is_noun and not {words[at].lower, words[at].lemma} & (_GENERAL | set(NAMES) | set(OTHER_NAMES)):
            unknown.append(words[at].lower)
        at += len(found[0]) if found else 1
    return named, unknown


def _meaning(text: str, span: Sequence[grammar.Word]) -> tuple[str, ...]:
    if not span or not (span[-1].is_noun or len(span) > 1) or span[-1].lower == "orange":
        return ()
    meaning = coco.meaning(text[span[0].start : span[-1].end]) or coco.meaning(span[-1].lemma if len(span) == 1 else "")
    return meaning.labels if meaning else ()


def _found(named: Named, scene: Scene) -> tuple[list[int], Answer]:
    """The things that are meant, and the answer where there are none."""
    numbers = scene.of(named.labels)[:MAX_THINGS]
    return numbers, [] if numbers else _none(named)


def _none(named: Named) -> Answer:
    return [{"answer": f"no {named.words} was found in the picture", "found": False}]


def _none_beside(missing: Named, other: Named, scene: Scene) -> Answer:
    """That one of two things was not found, and where the other one is."""
    where = [scene.things[at].whereabouts for at in scene.of(other.labels)[:MAX_THINGS]]
    if not where:
        return [{"answer": f"I see neither the {missing.words} nor the {other.words} in the picture", "found": False}]
    missed = ", though it may be there: it is often missed" if set(missing.labels) <= OFTEN_MISSED else ""
    told = f"the {other.words} is {joined(where)}, but I do not see the {missing.words}{missed}"
    return [{"answer": told, "found": False}]


def _scored(words: str, things: Sequence[Thing]) -> Answer:
    """An answer about things, with how sure the detector is of them where that is not much: who asks for the colour of
    a cat takes for granted that there is one.
    """
    score = min(thing.score for thing in things)
    return [{"answer": words, **({} if score >= EVEN else {"score": score})}]


def _of_each(words: Iterator[tuple[int, str]], scene: Scene) -> Answer:
    """What is said of each of some things."""
    said = list(words)
    sentence = "; ".join(f"{scene.name(at)}: {text}" for at, text in said) if len(said) > 1 else said[0][1]
    return _scored(sentence, [scene.things[at] for at, _ in said])


def _colour(text: str, named: Sequence[Named], scene: Scene) -> Answer:
    proposed, several = _NAMED.search(text), _proposed(text)
    if several and not WORN.search(text):
        return _of_proposed(several, named, scene)
    if not (_COLOUR.search(text) or (proposed and not _BESIDE.search(text))):
        return []
    if BACKGROUND.search(text):
        outside = around(scene.picture, scene.boxes or [_middle(scene.picture)])
        behind = joined([name for name, _ in outside] or ["many colours"])
        return [{"answer": f"the background is mostly {behind}"}]
    if WORN.search(text):
        return []
    if not named:
        main = None if _OF_PICTURE.search(text) or proposed else main_thing(scene.things)
        if main is not None:
            thing = scene.things[main]
            colours = colour_words(scene.picture, scene.boxes[main])
            beside = _lesser(scene, main) if _SEVERAL_COLOURS.search(text) else ""
            return _scored(f"the {thing.label} is mostly {colours}{beside}", [thing])
        if not proposed and _OF_SEVERAL.search(text) and (they := _several(scene)):
            return _of_each(((at, f"mostly {colour_words(scene.picture, scene.boxes[at])}") for at in they), scene)
        return [] if proposed else [{"answer": _of_picture(scene.picture, bool(_OF_PICTURE.search(text)))}]
    numbers, none = _found(named[0], scene)
    if none or not proposed:
        return none or _of_each(
            ((at, f"mostly {colour_words(scene.picture, scene.boxes[at])}") for at in numbers), scene
        )
    colour = proposed[1].replace("gray", "grey")
    return _of_each(((at, _is_coloured(colour, scene, at)) for at in numbers), scene)


_SEVERAL_COLOURS = re.compile(r"\bcolou?rs\b")


def _lesser(scene: Scene, at: int) -> str:
    """ ", in part also green": the colours of a thing of which there is less, where all are asked for."""
    shares = colours_of(scene.picture, scene.boxes[at], MIN_PART)
    mostly = colour_words(scene.picture, scene.boxes[at])
    lesser = [name for name, _ in shares if name not in mostly.split()]
    return f", in part also {joined(lesser)}" if lesser else ""


def _of_proposed(proposed: Sequence[str], named: Sequence[Named], scene: Scene) -> Answer:
    numbers, none = _found(named[0], scene) if named else ([], [])
    main = main_thing(scene.things)
    numbers = numbers or ([main] if main is not None and not named else [])
    if none or numbers:
        return none or _of_each(((at, _chosen(proposed, scene.picture, scene.boxes[at])) for at in numbers), scene)
    return [{"answer": _chosen(proposed, scene.picture, None)}]


def _of_picture(picture: Image, is_of_whole: bool) -> str:
    """The main colours of a picture, and of its middle where they are others: of a flower before leaves, say, which is
    meant where nobody speaks of the picture.
    """
    whole = [name for name, _ in colours_of(picture)] or ["many colours"]
    middle = [name for name in _middle_colours(picture)[:1] if name not in whole]
    if not middle:
        return f"the picture as a whole is mostly {joined(whole)}"
    if is_of_whole:
        return f"the picture as a whole is mostly {joined(whole)}, its middle mostly {middle[0]}"
    return f"mostly {middle[0]}, with {joined(whole)} around it"


def _several(scene: Scene) -> list[int]:
    """The things that "they" are: those of the commonest label, where there are several."""
    (label, number), *_ = Counter(thing.label for thing in scene.things).most_common(1) or [("", 0)]
    return scene.of([label])[:MAX_THINGS] if number > 1 else []


def _is_coloured(colour: str, scene: Scene, at: int) -> str:
    shares = dict(colours_of(scene.picture, scene.boxes[at], MIN_PART))
    if next(iter(shares), "") == colour:
        return f"yes, mostly {colour}"
    if colour in shares:
        return f"in part ({100 * shares[colour]:.0f} % of what its box shows); mostly {next(iter(shares))}"
    return f"rather not, mostly {colour_words(scene.picture, scene.boxes[at])}"


def _beside(text: str, named: Sequence[Named], scene: Scene) -> Answer:
    match = _BESIDE.search(text)
    other = next((one for one in named if match and one.start >= match.end()), None)
    if match is None or other is None:
        return []
    relation = match["side"] or str(match.lastgroup)
    words = {"near": "next to", "above": "above", "below": "below", "on": "on"}.get(relation, f"to the {relation} of")
    anchors, none = _found(other, scene)
    asked = next((one for one in named if one.start < match.start()), None)
    if none:
        return _none_beside(other, asked, scene) if asked else none
    able = scene.of(asked.labels) if asked else range(len(scene.things))
    beside = [
        at
        for at in able
        if at not in anchors and any(scene.things[at].is_at(scene.things[to], relation) for to in anchors)
    ]
    if asked and _EITHER.search(text) and able:
        return _on_which_side(able, anchors, scene)
    is_open = not _YES_NO.search(text) or not asked
    if asked and not able:
        return _none_beside(asked, other, scene)
    seen = [scene.things[at] for at in (*beside, *anchors)]
    if not is_open:
        return _scored(f"{'yes' if beside else 'no'}, as the picture shows them", seen)
    if not beside:
        place = f"{words} {joined([scene.name(at) for at in anchors])}"
        return [{"answer": f"nothing that was found is {place}; {MISSED}"}]
    return _scored(f"{joined([scene.name(at) for at in beside])}", seen)


_EITHER = re.compile(
    r"\bleft (?:side )?or (?:to |on )?(?:the )?right\b|\bright (?:side )?or (?:to |"
    r"on )?(?:the )?left\b"
)


def _on_which_side(able: Sequence[int], anchors: Sequence[int], scene: Scene) -> Answer:
    """ "is the spoon left or right of the cup": the side of the first that is on one."""
    pairs = [(at, to) for at in able for to in anchors if at != to]
    for at, to in pairs:
        sides = [side for side in ("left", "right") if scene.things[at].is_at(scene.things[to], side)]
        if len(sides) == 1:
            return _scored(f"to the {sides[0]} of {scene.name(to)}", [scene.things[at], scene.things[to]])
    seen = [scene.things[number] for pair in pairs[:1] for number in pair]
    return _scored("neither plainly left nor right of it, as the picture shows them", seen) if seen else []


def _side(text: str, named: Sequence[Named], scene: Scene) -> Answer:
    """ "what is on the left", "how many dogs are at the top", "is the cat on the right", "which dog is on the left"."""
    sides = ["middle" if side.startswith("cent") else side for side in _SIDE.findall(text)]
    if not sides or not scene.things:
        return []
    able = scene.of([label for one in named for label in one.labels]) if named else list(range(len(scene.things)))
    if named and not able:
        return _none(named[0])
    there = [at for at in able if sides[0] in scene.things[at].place]
    if "how many" in text and named:
        return [{"answer": f"{len(there)} of the {len(able)} that were found"}]
    if _YES_NO.search(text) and named:
        where = joined([scene.things[at].place for at in able])
        is_open = len(sides) > 1 or ALL_OVER in where
        return _scored(where if is_open else f"{'yes' if there else 'no'}: {where}", [scene.things[at] for at in able])
    if "which" in text and named and len(able) > 1 and sides[0] in _ENDS:
        there = [min(able, key=lambda at: _ENDS[sides[0]](scene.things[at]))]
        return _scored(f"in the picture, {scene.name(there[0])}", [scene.things[there[0]]])
    if not there:
        return [{"answer": f"nothing that was found is there; {MISSED}"}]
    return _scored(joined([f"the {scene.things[at].label}" for at in there]), [scene.things[at] for at in there])


_SIDE_OF = re.compile(r"\b(?:which|what) (?:side|end|part) of (?:(?:the|a|an|his|her|my|its) )?")


def _side_of(asked: Named, anchor: Named, scene: Scene) -> Answer:
    """On which side of one thing another one is."""
    numbers, anchors = scene.of(asked.labels), scene.of(anchor.labels)
    if not numbers or not anchors:
        return _none_beside(*((asked, anchor) if anchors else (anchor, asked)), scene)
    return _on_which_side(numbers, anchors, scene)


def _place(text: str, named: Sequence[Named], scene: Scene) -> Answer:
    if not _WHERE.search(text) or not named:
        return []
    if side_of := _SIDE_OF.search(text):  # "on which side of the cup is the spoon?"
        anchors = [one for one in named if side_of.end() - 1 <= one.start <= side_of.end()]
        asked = [one for one in named if one not in anchors]
        return _side_of(asked[0], anchors[0], scene) if anchors and asked else []
    numbers, none = _found(named[0], scene)
    if none or len(numbers) == 1:
        return none or _scored(scene.things[numbers[0]].whereabouts, [scene.things[numbers[0]]])
    places = [scene.things[at].place for at in numbers]
    return _scored(f"one {', one '.join(places)}", [scene.things[at] for at in numbers])


def _size(text: str, named: Sequence[Named], scene: Scene) -> Answer:
    if not _SIZE.search(text) or not named:
        return []
    numbers, none = _found(named[0], scene)
    return none or _of_each(((at, _extent(scene, at)) for at in numbers), scene)


def _extent(scene: Scene, at: int) -> str:
    thing, box = scene.things[at], scene.boxes[at]
    pixels = f"{box['xmax'] - box['xmin']:.0f} x {box['ymax'] - box['ymin']:.0f} pixels"
    return (
        f"its box takes up {100 * thing.share:.0f} % of the picture ({pixels}); how large it really is cannot be told"
    )


def _largest(text: str, named: Sequence[Named], scene: Scene) -> Answer:
    match = _LARGEST.search(text)
    numbers = scene.of([label for one in named for label in one.labels]) if named else list(range(len(scene.things)))
    if match is None or not numbers:
        return []
    at = (max if match[1] else min)(numbers, key=lambda number: scene.things[number].share)
    thing = scene.things[at]
    return _scored(
        f"of what was found, the {thing.label} {thing.whereabouts}, {100 * thing.share:.0f} % of it", [thing]
    )


def _larger(text: str, named: Sequence[Named], scene: Scene) -> Answer:
    """ "which is bigger, the dog or the cat", "is the left giraffe taller"."""
    match = _LARGER.search(text)
    if match is None or not (named or _EITHER.search(text) or _WHICH_OF_TWO.search(text)):
        return []
    if not named:  # "which one is taller, the left or the right one?"
        counts = Counter(thing.label for thing in scene.things)
        label = max(counts, key=counts.__getitem__, default="")
        named = [Named(label, (label,), 0)] if counts[label] == 2 else []
    numbers: list[int] = []
    for one in {each.labels: each for each in named}.values():
        found, none = _found(one, scene)
        if none:
            return none
        numbers += found if len({each.labels for each in named}) == 1 else found[:1]
    if len(numbers) < 2:
        return []
    key = (
        (lambda at: scene.things[at].bottom - scene.things[at].top)
        if "tall" in match[0]
        else (lambda at: scene.things[at].share)
    )
    ranked = sorted(numbers, key=key, reverse=bool(match[1]))
    return _scored(f"in the picture, {scene.name(ranked[0])}", [scene.things[at] for at in numbers])
