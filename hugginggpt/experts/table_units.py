"""Units of the numbers of a table: of which kind a column is, by its name or its cells, and what one is in another."""

from __future__ import annotations

from collections.abc import Iterable

from hugginggpt.experts.table_columns import Column
from hugginggpt.experts.table_words import RATES

_KINDS: dict[str, dict[str, float]] = {
    "length": {"km": 1, "kilometre": 1, "kilometer": 1, "k": 1, "mile": 1.609344, "mi": 1.609344, "m": 0.001,
               "metre": 0.001, "meter": 0.001, "distance": 1, "distanz": 1, "kilomètre": 1, "kilómetro": 1},
    "time": {"minute": 1, "min": 1, "minuten": 1, "hour": 60, "h": 60, "hr": 60, "stunde": 60, "stunden": 60,
             "heure": 60, "hora": 60, "second": 1 / 60, "sec": 1 / 60, "day": 1440, "week": 10080},
    "weight": {"kg": 1, "kilo": 1, "kilogram": 1, "kilogramm": 1, "g": 0.001, "gram": 0.001, "gramm": 0.001,
               "gramme": 0.001, "gramo": 0.001, "lb": 0.45359237, "pound": 0.45359237, "ton": 1000, "tonne": 1000},
    "area": {"sqm": 1, "m2": 1, "m²": 1, "qm": 1, "quadratmeter": 1, "square metre": 1, "square meter": 1, "ha": 10_000,
             "hectare": 10_000, "sqft": 0.09290304, "square foot": 0.09290304, "square feet": 0.09290304},
    "volume": {"l": 1, "litre": 1, "liter": 1, "ml": 0.001, "millilitre": 0.001, "cl": 0.01},
    "temperature": {"degree": 1, "celsius": 1, "centigrade": 1, "°": 1, "°c": 1, "temp": 1, "temperature": 1,
                    "temperatur": 1, "grad": 1, "température": 1, "temperatura": 1},
    "people": {"person": 1, "people": 1, "head": 1, "personen": 1, "kopf": 1, "personne": 1, "persona": 1, "guest": 1,
               "tenant": 1, "child": 1, "children": 1, "kid": 1},
    "night": {"night": 1, "nacht": 1, "nächte": 1, "nuit": 1, "noche": 1},
    "page": {"page": 1, "seite": 1, "seiten": 1, "página": 1},
    "piece": {"piece": 1, "unit": 1, "item": 1, "stück": 1, "pc": 1},
}  # fmt: skip
"""Words for units, in English and as columns in other languages have them, with their size in one unit of the kind."""


def unit_of(words: Iterable[str]) -> tuple[str, float] | None:
    """(kind, size) of the first of some words that is a unit, plurals aside; None where none is."""
    for word in words:
        for kind, units in _KINDS.items():
            for form in (word, word.removesuffix("s"), word.removesuffix("es")):
                if form in units:
                    return kind, units[form]
    return None


def unit_of_column(column: Column) -> tuple[str, float] | None:
    """(kind, size) of the numbers of a column: by what stands in its cells, else by its name before any "per"."""
    if not column.is_measure:
        return None
    if column.seconds:
        return "time", 1 / 60
    is_rate = RATES.intersection(column.words)
    return unit_of([column.suffix.strip().casefold()]) or (
        None if is_rate else unit_of((*column.unit_words, *reversed(column.measured_words)))
    )


def phrases() -> list[str]:
    """The words for units of all kinds, the longest first."""
    return sorted((word for units in _KINDS.values() for word in units), key=len, reverse=True)
