"""The text of a document that knows its pages, and where in it something stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

MAX_PLACES = 3
"""What stands in more places than so many is not looked up by one of them."""
_PLACES = {
    "page": "on page {}", "slide": "on slide {}", "sheet": "in the sheet “{}”", "chapter": "in the chapter “{}”",
    "time": "at {}",
}  # fmt: skip
_VERDICT = re.compile(r"^(?:Yes|No): ")


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


class DocumentText(str):
    """The text of a document, its parts one after the other. `note` says what of the document is not in it."""

    parts: tuple[Part, ...]
    note: str

    @classmethod
    def of(cls, parts: Iterable[Part], note: str = "") -> Self:
        kept = tuple(part for part in parts if part.text)
        text = cls(("\n" if any(part.unit == "time" for part in kept) else "\n\n").join(part.text for part in kept))
        text.parts, text.note = kept, note
        return text

    def places(self, quotes: Iterable[str]) -> list[dict[str, str]]:
        """Where these passages of the text stand, {"unit", "name"} each; none of a document of one part, nor of what
        stands in many places.
        """
        if len(self.parts) < 2:
            return []
        found = [place for quote in quotes for place in self._places(_plain(quote))]
        return [dict(place) for place in dict.fromkeys(tuple(place.items()) for place in found)]

    def _places(self, quote: str) -> list[dict[str, str]]:
        texts = [_plain(part.text) for part in self.parts]
        within = [part for part, text in zip(self.parts, texts, strict=True) if quote and quote in text]
        if not within and quote:  # it may begin in one part and end in the next
            within = self._beginnings(quote, texts)
        places = [part.place for part in within if part.unit]
        return places if len(places) <= MAX_PLACES else []

    def _beginnings(self, quote: str, texts: Sequence[str]) -> list[Part]:
        whole, at, starts = " ".join(texts), 0, []
        for text in texts:
            starts.append(at)
            at += len(text) + 1
        found = whole.find(quote)
        return [part for part, start in zip(self.parts, starts, strict=True) if start <= found][-1:]


def _plain(text: str) -> str:
    return " ".join(_VERDICT.sub("", text.strip()).split()).casefold()


def quotes_of(answer: Mapping[str, Any]) -> list[str]:
    """The passages that an answer ({"answer"}, perhaps with "closest") may have from a text."""
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
        return f"on {unit}s {', '.join(names[:-1])} and {names[-1]}"
    return ", ".join(_PLACES[unit].format(name) for name in names)
