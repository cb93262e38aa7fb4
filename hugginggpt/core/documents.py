"""The text of a document that knows its pages, and where in it something stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from hugginggpt.core.quantities import clock
from hugginggpt.core.spoken_times import begin_of

MAX_PLACES = 3
"""What stands in more places than so many is not looked up by one of them."""
Boxed = tuple[str, float, float, float, float]
"""A line of a page: its text, and the left, top, right and bottom of its box."""
_PLACES = {
    "page": "on page {}", "slide": "on slide {}", "sheet": "in the sheet “{}”", "chapter": "in the chapter “{}”",
    "time": "at {}",
}  # fmt: skip
_ENDS = (".", "?", "!", "…", "。", "？", "！")
_UNITS = "page|slide|chapter"
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "last": -1, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "6th": 6, "7th": 7, "8th": 8, "9th": 9,
}  # fmt: skip
_NAMED = re.compile(
    rf"(?:\b(?:on|in|of|from|at)\s+)?(?:\bthe\s+)?\b(?:(?P<unit>{_UNITS})s?\s+(?P<from>\d{{1,4}})"
    rf"(?:\s*(?P<joint>-|–|to|and|,|&)\s*(?:{_UNITS})?\s*(?P<to>\d{{1,4}}))?"
    rf"|(?P<ordinal>{'|'.join(_ORDINALS)})\s+(?P<of>{_UNITS}))\b",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(rf"#({_UNITS})=(-?\d{{1,4}}(?:,-?\d{{1,4}})*)$")
MAX_WANTED = 200
MAX_NAME = 4096
"""A longer text is no name of a file."""
_VERDICT = re.compile(r"^(?:Yes|No): ")


def without_part(reference: str) -> str:
    """A document's name without the parts that are wanted of it: "a.pdf#page=2" -> "a.pdf"; other texts unchanged."""
    return _FRAGMENT.sub("", reference) if len(reference) < MAX_NAME and "\n" not in reference else reference


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document: its `unit` ("page", "slide", "sheet", "chapter", "time", or "" for one without a name),
    its number or name, and its text.
    """

    unit: str
    name: str
    text: str

    @property
    def place(self) -> dict[str, str]:
        return {"unit": self.unit, "name": self.name}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a document: what it is ("sheet"), its name or number, and its rows, the first of them a header."""

    unit: str
    name: str
    rows: tuple[tuple[str, ...], ...]

    @property
    def place(self) -> dict[str, str]:
        return {"unit": self.unit, "name": self.name}

    @property
    def text(self) -> str:
        """A line for each row."""
        return "\n".join(" | ".join(row) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The parts of a document that are wanted: a unit and numbers from 1, -1 for the last."""

    unit: str
    numbers: tuple[int, ...]

    @property
    def fragment(self) -> str:
        """How it stands behind a file's name: "#page=2", "#slide=1,3"."""
        return f"#{self.unit}={','.join(map(str, self.numbers))}"


class DocumentText(str):
    """The text of a document, its parts one after the other, and its tables. `lines` are those of numbered pages
    with their boxes, where these are known; `words` are those of a transcript, each with its second. `note` says what
    of the document is not in it; it `is_excerpt` where it holds only the parts that are wanted.
    """

    parts: tuple[Part, ...]
    note: str
    tables: tuple[Table, ...]
    lines: tuple[tuple[str, tuple[Boxed, ...]], ...] = ()
    words: tuple[tuple[str, float], ...] = ()
    is_excerpt: bool = False

    @classmethod
    def of(cls, parts: Iterable[Part], note: str = "", tables: Iterable[Table] = ()) -> Self:
        kept = tuple(part for part in parts if part.text)
        text = cls(("\n" if any(part.unit == "time" for part in kept) else "\n\n").join(part.text for part in kept))
        text.parts, text.note, text.tables = kept, note, tuple(tables)
        return text

    @property
    def slides(self) -> tuple[str, ...]:
        """The texts of the slides of a presentation; () for any other document."""
        return tuple(part.text for part in self.parts if part.unit == "slide")

    @classmethod
    def spoken(cls, text: str, words: Iterable[Mapping[str, Any]]) -> Self:
        """A transcript, as it is, whose parts are its sentences: `words` are its pieces one by one, {"text",
        "timestamp": [start, end]} in seconds.
        """
        parts: list[Part] = []
        said, start = "", 0.0
        timed: list[tuple[str, float]] = []
        for word in words:
            at, end = ([*(word.get("timestamp") or ()), None, None])[:2]
            if isinstance(at, int | float):
                timed.append((str(word.get("text", "")), begin_of(float(at), end)))
            if not said.strip() and isinstance(at, int | float):
                start = float(at)
            said += str(word.get("text", ""))
            if said.rstrip().endswith(_ENDS):
                parts.append(Part("time", clock(start), said.strip()))
                said = ""
        if said.strip():
            parts.append(Part("time", clock(start), said.strip()))
        transcript = cls(text)
        transcript.parts, transcript.note, transcript.tables = tuple(parts), "", ()
        transcript.words = tuple(timed)
        return transcript

    def only(self, wanted: Wanted) -> Self:
        """The parts that are wanted. Raises LookupError, which says what there is, where there is none of them."""
        units = [part for part in self.parts if part.unit == wanted.unit]
        if not units:
            raise LookupError(f"has no numbered {wanted.unit}s")
        count = len(units)
        numbers = [number if number > 0 else count + 1 + number for number in wanted.numbers]
        kept = [part for at, part in enumerate(units, 1) if self._number(part, at) in numbers]
        if not kept:
            shown = ", ".join(map(str, numbers))
            raise LookupError(f"has no text on {wanted.unit} {shown}: {counted(count, wanted.unit)} have some")
        places = [part.place for part in kept]
        text = self.of(kept, self.note, [table for table in self.tables if table.place in places])
        text.lines = tuple(page for page in self.lines if {"unit": "page", "name": page[0]} in places)
        text.is_excerpt = True
        return text

    @staticmethod
    def _number(part: Part, at: int) -> int:
        return int(part.name) if part.name.isdecimal() else at

    def places(self, quotes: Iterable[str]) -> list[dict[str, str]]:
        """Where these passages of the text stand, {"unit", "name"} each; none of a document of one part, nor of what
        stands in many places.
        """
        if len(self.parts) < 2 and not self.is_excerpt:
            return []
        found = [place for quote in quotes for place in self._places(_plain(quote))]
        if not found and self.is_excerpt and len(self.parts) <= MAX_PLACES:
            found = [part.place for part in self.parts]
        return [dict(place) for place in dict.fromkeys(tuple(place.items()) for place in found)]

    def _places(self, quote: str) -> list[dict[str, str]]:
        texts = [_plain(part.text) for part in self.parts]
        whole = re.compile(rf"(?<!\w){re.escape(quote)}(?!\w)")
        within = [part for part, text in zip(self.parts, texts, strict=True) if quote and whole.search(text)]
        if not within and quote:
            within = self._spanned(whole, texts)
        places = [part.place for part in within if part.unit]
        return places if len(places) <= MAX_PLACES else []

    def _spanned(self, quote: re.Pattern[str], texts: Sequence[str]) -> list[Part]:
        """The parts over which a passage runs."""
        found, at, spanned = quote.search(" ".join(texts)), 0, []
        for part, text in zip(self.parts, texts, strict=True):
            if found and at < found.end() and found.start() < at + len(text):
                spanned.append(part)
            at += len(text) + 1
        return spanned


def wanted_in(words: str) -> tuple[Wanted | None, str]:
    """The parts of a document that words name ("page 3", "slides 2 to 4", "the last page"), and the other words."""
    match = _NAMED.search(words)
    if not match:
        return None, words
    rest = re.sub(r"\s+(?=[?.!,])", "", " ".join(f"{words[: match.start()]} {words[match.end() :]}".split()))
    if match["ordinal"]:
        return Wanted(match["of"].lower(), (_ORDINALS[match["ordinal"].lower()],)), rest
    first = int(match["from"])
    last = int(match["to"] or first)
    numbers = (first, last) if match["joint"] in ("and", ",", "&") else range(first, min(last, first + MAX_WANTED) + 1)
    return Wanted(match["unit"].lower(), tuple(numbers)), rest


def split_name(name: str) -> tuple[str, Wanted | None]:
    """The name of a file, and the parts of it that stand behind it: "report.pdf#page=2"."""
    match = _FRAGMENT.search(name)
    if not match:
        return name, None
    return name[: match.start()], Wanted(match[1], tuple(map(int, match[2].split(","))))


def counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"


def enumerated(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else ""


def _plain(text: str) -> str:
    return " ".join(_VERDICT.sub("", text.strip()).split()).casefold()


def quotes_of(answer: Mapping[str, Any]) -> list[str]:
    """The passages that an answer ({"answer"}, perhaps with "closest", or with "quotes" for several questions) may have
    from a text.
    """
    if answer.get("quotes"):
        return list(map(str, answer["quotes"]))
    given = answer.get("closest") or answer.get("answer")
    return str(given).split(" / ") if given else []


def in_words(places: Iterable[Mapping[str, str]]) -> str:
    """ "on page 3", "on pages 3 and 5", "in the sheet “2025”"."""
    by_unit: dict[str, list[str]] = {}
    for place in places:
        by_unit.setdefault(str(place.get("unit")), []).append(str(place.get("name")))
    return ", ".join(_of_unit(unit, names) for unit, names in by_unit.items() if unit in _PLACES)


def _of_unit(unit: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return _PLACES[unit].format(names[0])
    if unit in ("page", "slide"):
        return f"on {unit}s {enumerated(names)}"
    return ", ".join(_PLACES[unit].format(name) for name in names)
