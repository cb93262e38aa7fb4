"""Puts the answer to a question into a sentence: what the results say first, then what they leave open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from hugginggpt.answers import measured, totals
from hugginggpt.answers.deciding import Value, is_called, passage, ranges, sides
from hugginggpt.answers.evidence import KINDS, Counts, Evidence, amount, in_plural, labelled, noun_of
from hugginggpt.core import moments
from hugginggpt.core.documents import enumerated
from hugginggpt.core.findings import OpenPoint
from hugginggpt.core.questions import OFTEN_MISSED, YES_NO, Objects, Question
from hugginggpt.core.results import plural

MAX_QUOTE_CHARS = 160
MANY = 5
"""Where there are more objects of a kind than this, some may well be hidden or small."""
CAVEAT = "The detector can miss objects that are small, hidden or unusual."
ROLES = frozenset(
    ("astronauts", "spacemen", "pedestrians", "passengers", "skiers", "surfers", "snowboarders", "skaters")
)
"""What people are where they are: who counts them takes it for granted, as nobody does who counts men or children."""
EVEN, MANY_FAINT = 0.48, 3
"""What is asked for as being there ("how many cups do you see?") is told without a doubt from this score on; so many
things that are hardly seen are worth a word."""
_INTERROGATIVE = re.compile(r"\b(?:what|which)\b", re.IGNORECASE)
_PLACES = frozenset(
    ("in", "on", "at", "under", "behind", "near", "next", "beside", "inside", "outside", "above", "below", "between",
     "among", "over", "by", "to", "from", "left", "right", "around", "before", "facing")
)  # fmt: skip
"""The words with which a qualifier begins that says where something is."""
RELATIONS = {">": "more than", ">=": "at least", "==": "exactly", "<=": "at most", "<": "fewer than"}


def sentence(question: Question, value: Value, counts: Counts, sources: Sequence[Evidence]) -> str:
    """The answer in a sentence."""
    if question.operation == "measure":
        return measured.sentence(question, sources)
    if question.operation == "totals":
        return totals.sentence(question, sources)
    clause = clause_of(question, value, counts, sources)
    start = _verdict(question, value, counts)
    is_name = any("." in source.name and clause.startswith(source.name) for source in sources)
    return f"{start}{clause if start or is_name else clause[:1].upper() + clause[1:]}."


def clause_of(question: Question, value: Value, counts: Counts, sources: Sequence[Evidence]) -> str:
    """What the sentence says, without yes or no."""
    if question.operation == "is":
        return _classified(question, value, sources)
    if question.operation == "mentions":
        return _mentioned(question, sources)
    if question.operation == "written":
        return enumerated([_written(source) for source in sources])
    unknown = [objects for objects in counts.objects if not objects.known]
    if not counts.present.cells:
        return _nothing_known(question, unknown, sources)
    clause = f"{_BY_COUNT[question.operation](question, value, counts.present)}{_times(counts.present)}"
    if question.operation == "exists" and not counts.scores and _are_often_missed(counts):
        clause += ", but it often misses such things"
    return "".join([clause, *_open_parts(question, value, counts, unknown)])


def _verdict(question: Question, value: Value, counts: Counts) -> str:
    """ "Yes: " or "No: ", "Perhaps: " where all that speaks for it is uncertain; "" where it is open."""
    if not isinstance(value, bool) or (question.operation not in YES_NO and question.relation is None):
        return ""
    present = {bool(counts.of(objects=objects).number) for objects in counts.objects}
    if question.operation == "exists" and not question.all_objects and len(present) > 1:
        return ""  # "a cat or a dog" and "a cat and a dog" have different answers: the numbers tell
    scores = counts.scores
    is_counted = question.relation is not None and min(scores, default=0.0) >= EVEN
    if scores and len(scores) == len(counts.unsure) and question.operation != "is" and not is_counted:
        return "Perhaps: " if value else "Perhaps not: "
    if question.operation == "exists" and counts.faint and not scores:
        return "Probably not: " if value is question.negated else "Probably: "
    if question.operation == "exists" and not scores and _are_often_missed(counts):
        return "I cannot tell for sure: "
    return "Yes: " if value else "No: "


def _are_often_missed(counts: Counts) -> bool:
    labels = {label for objects in counts.objects for label in objects.labels}
    return bool(labels) and labels <= OFTEN_MISSED


def open_points(counts: Counts, sources: Sequence[Evidence]) -> tuple[OpenPoint, ...]:
    """What the results leave open."""
    points = [OpenPoint("missing", source.name) for source in sources if source.missing]
    for objects in counts.objects:
        number = counts.of(objects=objects).number
        if not objects.known:
            points.append(OpenPoint("unknown", objects.words))
        elif number and objects.unjudged:
            points.append(OpenPoint("unjudged", objects.unjudged))
        if objects.known and number and objects.is_wider:
            points.append(OpenPoint("wider", objects.words))
    if counts.unsure:
        points.append(OpenPoint("uncertain", f"{min(counts.unsure):.0%}"))
    if any(cell.known and (cell.number == 0 or cell.number > MANY) for cell in counts):
        points.append(OpenPoint("overlooked", CAVEAT))
    return tuple(points)


# What the results leave open


def _open_parts(question: Question, value: Value, counts: Counts, unknown: list[Objects]) -> Iterable[str]:
    present = counts.present
    is_doubtful = question.operation == "exists" and question.relation is None
    hedged = present.unsure if is_doubtful else [one for one in present.unsure if one < EVEN]
    if hedged and not (question.operation == "list" and any(source.looked for source in counts.sources)):
        yield _unsure(hedged, present.number)
    if question.operation in ("count", "exists", "list") and _is_worth_telling(present):
        yield _faint(present)
    wider: dict[str, list[str]] = {}
    for objects in present.objects:
        is_granted = question.operation == "count" and in_plural(objects.words).lower() in ROLES
        if present.of(objects=objects).number and objects.is_wider and not is_granted:
            wider.setdefault(noun_of(objects), []).append(in_plural(objects.words))
    for noun, words in wider.items():
        yield f"; I cannot tell {enumerated(words)} from other {noun}"
    if not _is_presupposed(question, present):
        yield from _unjudged(present)
    if unknown:
        yield f"; it does not know {_quoted(unknown)}"
    if missing := [source.name for source in counts.sources if source.missing]:
        yield f"; there is no result for {enumerated(missing)}"
        if value is None and question.operation not in ("count", "exists", "list"):
            yield ", so I cannot compare"


def _is_worth_telling(counts: Counts) -> bool:
    """Whether things that are hardly seen are told: beside none, or where they are many; one more seldom is there."""
    return bool(counts.faint) and (not counts.number or len(counts.faint) >= max(MANY_FAINT, counts.number))


def _is_presupposed(question: Question, counts: Counts) -> bool:
    """Whether "what animal is lying there?" says of the only kind of thing there is what nobody need judge."""
    is_asked = question.operation == "list" and _INTERROGATIVE.search(question.text)
    return bool(is_asked) and len(counts.labels) == 1 and not any(one.everything for one in counts.objects)


def _unsure(scores: list[float], number: int) -> str:
    lowest = f"{100 * min(scores):.0f} %"
    if number == len(scores):
        return f" ({'' if number == 1 else 'each at least '}{lowest} sure)"
    return f" ({len(scores)} of them only {lowest} sure)"


def _faint(counts: Counts) -> str:
    lowest, highest = (f"{100 * score:.0f}" for score in (min(counts.faint), max(counts.faint)))
    scores = f"{highest} %" if lowest == highest else f"{lowest} to {highest} %"
    return f", perhaps {len(counts.faint)}{' more' if counts.number else ''} ({scores})"


def _unjudged(counts: Counts) -> Iterable[str]:
    """What is left open of the objects with a qualifier that nothing can judge, once for each qualifier."""
    for words in dict.fromkeys(objects.unjudged for objects in counts.objects if objects.unjudged):
        cells = Counts(tuple(cell for cell in counts if cell.objects.unjudged == words and cell.number))
        if cells.cells:
            yield f"; I cannot {_qualified(words, cells)}"


def _qualified(words: str, counts: Counts) -> str:
    """ "tell which of them are lying down", "tell whether it has hats", "tell which of them are black dogs": a
    qualifier as a question that is left open; in the user's words where it makes no such question.
    """
    parts = [part.strip() for part in re.sub(r"^(?:that|who|which)\s+", "", words.strip()).split(";")]
    is_one = counts.number == 1
    start, be, have = ("whether it", "is", "has") if is_one else ("which of them", "are", "have")
    if len(parts) == 1 and (match := re.fullmatch(r"(?:with|having|has|have)\s+(?!no\b)(.*)", parts[0])):
        return f"tell {start} {have} {match[1]}"
    if len(parts) == 1 and (match := re.fullmatch(r"(?:are|is|am|be)\s+(.*)", parts[0])):
        return f"tell {start} {be} {match[1]}"
    if all(re.fullmatch(r"[\w-]+(?<!ing)(?<!ly)", part) and part not in _PLACES for part in parts):  # adjectives
        adjectives = ", ".join(parts)
        article = "an" if adjectives[0] in "aeiou" else "a"
        noun = next(iter(counts.labels)) if is_one else noun_of(counts.objects[0])
        return f"tell {start} {be} {f'{article} ' if is_one else ''}{adjectives} {noun}"
    if len(parts) == 1 and (parts[0].split()[0].endswith("ing") or parts[0].split()[0].lower() in _PLACES):
        return f"tell {start} {be} {parts[0][0].lower()}{parts[0][1:]}"
    return f"judge {enumerated([f'“{part}”' for part in parts])}"


def _nothing_known(question: Question, unknown: list[Objects], sources: Sequence[Evidence]) -> str:
    missing = [source.name for source in sources if source.missing]
    if len(missing) == len(sources):
        return f"there is no result for {enumerated(missing)}, so I cannot answer “{question.text or 'this'}”"
    return f"the detector does not know {_quoted(unknown)}, so I cannot tell"


def _quoted(objects: Sequence[Objects]) -> str:
    return enumerated([f"“{one.words}”" for one in objects])


# Counts


def _how_many(question: Question, value: Value, counts: Counts) -> str:
    """ "the detector found 3 cats in these 2 pictures: 1 in a.jpg, 2 in b.jpg"."""
    amounts = enumerated(list(dict.fromkeys(amount(one, counts.of(objects=one).labels) for one in counts.objects)))
    return f"the detector found {amounts}{_places(counts)}"


def _times(counts: Counts) -> str:
    """When each kind was seen in the videos; "" for pictures."""
    is_one = len(counts.sources) == 1
    return "".join(
        _times_in(source, counts.of(source=source).labels, "" if is_one else source.name)
        for source in counts.sources
        if source.looked
    )


def _times_in(source: Evidence, labels: Counter[str], name: str) -> str:
    seen = {label: moments.when(source.times([label]), source.looked) for label, _ in labels.most_common()}
    each = [f"{label if labels[label] == 1 else plural(label)} {times}" for label, times in seen.items()]
    at_once = ", at most at a time," if labels and max(labels.values()) > 1 else ""
    told = f"; {', '.join(each)}" if len(each) > 1 else "".join(f"{at_once} {times}" for times in seen.values())
    return f"{f'; {name}' if name else ''}{told}{moments.less_closely(source.looked)}"


def _places(counts: Counts) -> str:
    sources = counts.sources
    if len(sources) == 1:
        return f" in {sources[0].name}"
    if len(counts.objects) == 1:
        each = ", ".join(_each(counts))
    else:
        each = "; ".join(f"{source.name}: {_amounts(counts.of(source=source))}" for source in sources)
    kind = (
        "videos"
        if all(source.looked for source in sources)
        else "files"
        if any(source.looked for source in sources)
        else "pictures"
    )
    return f" in these {len(sources)} {kind}: {each}"


def _amounts(counts: Counts) -> str:
    return ", ".join(amount(cell.objects, cell.labels) for cell in counts)


def _compared(question: Question, value: Value, counts: Counts) -> str:
    if len(counts.objects) != 1 or len(counts.sources) < 2:
        return _how_many(question, value, counts)
    first = counts.cells[0]
    each = [f"{amount(first.objects, first.labels)} in {first.source.name}", *_each(counts)[1:]]
    return f"the detector found {enumerated(each)}"


def _each(counts: Counts, best_first: bool | None = None) -> list[str]:
    """The number in each source: "2 in a.jpg", "none in b.jpg"; in their order, or sorted."""
    numbers = [(counts.of(source=source).number, source.name) for source in counts.sources]
    if best_first is not None:
        numbers.sort(key=lambda pair: pair[0], reverse=best_first)
    return [f"{number or 'none'} in {name}" for number, name in numbers]


def _difference(question: Question, value: Value, counts: Counts) -> str:
    pair = sides(counts)
    if pair is None or not isinstance(value, int):
        return _compared(question, value, counts)
    number, more = abs(value), "more" if value > 0 else "fewer"
    one, other = pair
    numbers = f"{one.number or 'none'} and {other.number or 'none'}"
    if len(counts.objects) > 1:
        first, second = (noun_of(side.objects[0]) for side in pair)
        found = f"{number} {more} {first} than {second}" if value else f"as many {first} as {second}"
        return f"the detector found {found} ({numbers}){_places(counts) if len(counts.sources) == 1 else ''}"
    first, second = (side.sources[0].name for side in pair)
    noun = noun_of(counts.objects[0])
    found = (
        f"{number} {more} {noun} in {first} than in {second}" if value else f"as many {noun} in {first} as in {second}"
    )
    return f"the detector found {found} ({numbers})"


def _extreme(question: Question, value: Value, counts: Counts) -> str:
    numbers = {key: high for key, (_, high) in ranges(counts).items()}
    if not isinstance(value, tuple) or "" in numbers:
        return _compared(question, value, counts)
    if not value:
        return _how_many(question, value, counts)
    if len(counts.sources) > 1:
        noun = enumerated([noun_of(objects) for objects in counts.objects])
        have = f"{'has' if len(value) == 1 else 'have'} the {question.operation} {noun}"
        return f"{enumerated(value)} {have}: {', '.join(_each(counts, question.operation == 'most'))}"
    each = _amounts(counts) if len(counts.objects) > 1 else labelled(counts.labels)
    first = enumerated([in_plural(key) for key in value])
    return f"in {counts.sources[0].name} the {question.operation} are {first}: {each}"


def _filtered(question: Question, value: Value, counts: Counts) -> str:
    if not isinstance(value, tuple):
        return _compared(question, value, counts)
    if not value:
        return _how_many(question, value, counts)
    nouns = _nouns(counts)
    if question.relation and question.number is not None:
        nouns = counts.objects[0].words if question.number == 1 and len(counts.objects) == 1 else nouns
        nouns = f"{RELATIONS[question.relation]} {round(question.number)} {nouns}"
    no = "no " if question.negated else ""
    return f"the detector found {no}{nouns} in {enumerated(value)}: {', '.join(_each(counts))}"


def _sorted(question: Question, value: Value, counts: Counts) -> str:
    if not isinstance(value, tuple) or not value:
        return _how_many(question, value, counts)
    numbers = ranges(counts)
    each = ", ".join(f"{key} ({numbers[key][0] or 'none'})" for key in value)
    if len(counts.sources) == 1:
        return f"in {counts.sources[0].name}, by their number: {each}"
    return f"by the number of {enumerated([noun_of(objects) for objects in counts.objects])}: {each}"


def _listed(question: Question, value: Value, counts: Counts) -> str:
    """ "the detector found in a.jpg: 2 cats, 1 dog; in b.jpg: nothing"."""
    is_open = any(objects.everything and not objects.excluded for objects in counts.objects)
    if is_open and not counts.number:
        names = enumerated([source.name for source in counts.sources])
        return f"the detector found none of the {KINDS} kinds of things that it knows in {names}"
    nothing = "nothing" if any(objects.everything for objects in counts.objects) else f"no {_nouns(counts)}"
    each = [f"in {one.name}: {labelled(counts.of(source=one).labels) or nothing}" for one in counts.sources]
    left_out = {label for cell in counts for label, _ in cell.source.regions() if label in cell.objects.excluded}
    without = f"leaving out {enumerated([plural(label) for label in sorted(left_out)])}, " if left_out else ""
    return f"{without}the detector found {'; '.join(each)}"


def _nouns(counts: Counts) -> str:
    return " or ".join(noun_of(objects) for objects in counts.objects)


_BY_COUNT: dict[str, Callable[[Question, Value, Counts], str]] = {
    "count": _how_many, "exists": _how_many, "more": _compared, "fewer": _compared, "equal": _compared,
    "difference": _difference, "most": _extreme, "fewest": _extreme, "filter": _filtered, "sort": _sorted,
    "list": _listed, "when": _how_many,
}  # fmt: skip


# Classes and texts


def _classified(question: Question, value: Value, sources: Sequence[Evidence]) -> str:
    """ "speech.wav is classified as Speech (93 %)"; what it is not, where the question asks for another class."""
    told = [source for source in sources if source.classes]
    if not told:
        return f"there is no result for {enumerated([source.name for source in sources])}, so I cannot tell"
    each = [f"{source.name} is classified as {_class(*source.classes[0])}" for source in told]
    clause = "; ".join(each)
    if value is not None:
        return clause
    if qualifier := next((objects.unjudged for objects in question.objects if objects.unjudged), ""):
        return f"{clause}; I cannot judge “{qualifier}”"
    classes = list(dict.fromkeys(label for source in told for label, _ in source.classes))
    asked = [objects for objects in question.objects if not any(is_called(c, [objects.words]) for c in classes)]
    return f"{clause}; the classifier knows only {enumerated(classes)}, so I cannot tell {_quoted(asked)}"


def _class(label: str, score: float | None) -> str:
    return label if score is None else f"{label} ({100 * score:.0f} %)"


def _mentioned(question: Question, sources: Sequence[Evidence]) -> str:
    """ "the text of speech.wav says: “… Berlin …”", and what does not stand there."""
    parts = []
    for source in sources:
        if source.missing:
            parts.append(f"there is no result for {source.name}")
            continue
        quotes = {objects.words: passage(objects.words, source.text) for objects in question.objects}
        said = list(dict.fromkeys(_shortened(quote) for quote in quotes.values() if quote))
        unsaid = [f"“{words}”" for words, quote in quotes.items() if not quote]
        if said:
            parts.append(f"{source.name} says {enumerated([f'“{quote}”' for quote in said])}")
        if unsaid:
            parts.append(f"{enumerated(unsaid)} {'does' if len(unsaid) == 1 else 'do'} not occur in {source.name}")
    return "; ".join(parts)


def _written(source: Evidence) -> str:
    """ "clip.mp4 shows the text “EXIT” from 0:06 to 0:08"."""
    if source.missing:
        return f"there is no result for {source.name}"
    if source.writing is None:
        return f"{source.name} shows: {source.text}"
    how = moments.less_closely(source.looked)
    each = [f"“{_shortened(text)}” {moments.in_words([tuple(one) for one in spans])}"
            for text, spans in source.writing.items()]  # fmt: skip
    return f"{source.name} shows the text {'; '.join(each)}{how}" if each else f"no text was read in {source.name}{how}"


def _shortened(quote: str) -> str:
    return quote if len(quote) <= MAX_QUOTE_CHARS else f"{quote[:MAX_QUOTE_CHARS].rsplit(' ', 1)[0]} …"
