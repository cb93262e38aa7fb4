"""What is measured of files, with its words in questions and references: "which is brighter?", "the longer one"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hugginggpt.core.quantities import clock
from hugginggpt.core.results import Kind


@dataclass(frozen=True)
class Measure:
    """A number in the values of tasks that measure: `more` and `less` are the adjectives of its two ends, `nouns` what
    it is called. `told` says it of a value.
    """

    name: str
    kinds: tuple[Kind, ...]
    more: tuple[str, ...]
    less: tuple[str, ...]
    nouns: tuple[str, ...]
    told: Callable[[Mapping[str, Any]], str]
    margin: float = 0.0
    caveat: str = ""

    @cached_property
    def ends(self) -> dict[str, bool]:
        """The forms of the adjectives, True for more of it."""
        return {form: is_more for is_more, words in ((False, self.less), (True, self.more)) for form in _forms(words)}

    def of(self, value: Any) -> float | None:
        """The number in a task's value; None where that has none."""
        number = value.get(self.name) if isinstance(value, Mapping) else None
        return float(number) if isinstance(number, int | float) else None

    def adjective(self, is_more: bool) -> str:
        """ "brighter", "blurrier"."""
        return _compared((self.more if is_more else self.less)[0])[0]


def _forms(adjectives: Iterable[str]) -> list[str]:
    return [form for word in adjectives for form in (word, *_compared(word))]


def _compared(word: str) -> tuple[str, ...]:
    """The comparative and superlative of a short adjective."""
    if word.endswith("ed"):
        return (f"more {word}", f"most {word}")
    stem = word[:-1] + "i" if word.endswith("y") else word.removesuffix("e")
    is_doubled = word[-1] in "gm" and word[-2] in "aeiou"
    stem += word[-1] if is_doubled else ""
    return f"{stem}er", f"{stem}est"


def size_of_file(number: float) -> str:
    """A number of bytes in words: "59 KB"."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if number >= size:
            return f"{number / size:.1f} {unit}" if number < 10 * size else f"{number / size:.0f} {unit}"
    return f"{number:.0f} bytes"


def _sides(value: Mapping[str, Any]) -> str:
    return f"{value['width']}x{value['height']} pixels"


MEASURES = (
    Measure(
        "pixels", ("image", "video"), ("large", "big"), ("small", "tiny"),
        ("size", "dimension", "resolution", "pixel", "format", "megapixel"), _sides,
    ),
    Measure("width", ("image", "video"), ("wide", "broad"), ("narrow",), ("width",), _sides),
    Measure("height", ("image", "video"), ("tall", "high"), ("low",), ("height",), _sides),
    Measure(
        "bytes", ("image", "audio", "video"), ("heavy",), ("light-weight",),
        ("byte", "kb", "mb", "kilobyte", "megabyte", "space", "disk", "memory", "storage"),
        lambda value: size_of_file(value["bytes"]),
    ),
    Measure(
        "brightness", ("image",), ("bright", "light"), ("dark", "dim"), ("brightness", "light"),
        lambda value: f"mean brightness {value['brightness']:.0f} %", 0.03,
    ),
    Measure(
        "sharpness", ("image",), ("sharp", "crisp", "clear"), ("blurry", "fuzzy", "soft", "blurred"),
        ("sharpness", "blur", "focus"), lambda value: f"fine detail {value['sharpness']:.3g}", 0.2,
        "measured by fine detail, in which pictures of different things differ anyway",
    ),
    Measure(
        "seconds", ("audio", "video"), ("long",), ("short",),
        ("length", "duration", "second", "minute", "time"),
        lambda value: f"{clock(value['seconds'])} ({value['seconds']:.1f} s)", 0.005,
    ),
    Measure(
        "sound", ("video",), (), (), ("sound", "audio", "soundtrack", "voice"),
        lambda value: "has sound" if value["sound"] else "has no sound",
    ),
    Measure(
        "loudness", ("audio",), ("loud",), ("quiet", "soft", "silent"), ("loudness", "volume"),
        lambda value: f"{value['loudness']:.1f} LUFS",
    ),
)  # fmt: skip
"""All of them; of two with the same words the first counts that a file of the kind has."""


def measure(name: str) -> Measure | None:
    return next((one for one in MEASURES if one.name == name), None)
