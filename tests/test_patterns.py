"""No regular expression of the package takes long on a text that is made to be slow."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import hugginggpt
from hugginggpt.core.tasks import default_table

pytestmark = pytest.mark.slow

NEEDS_TORCH = ("training", "families")
"""Packages whose modules import torch; they read no text of a user."""
UNITS = (" ", "\n", "\t ", "a", "a ", "A ", "a,", "a-", "1", "1,", "0:", "_", "…", "is a ", "the ")
"""What hostile texts repeat: what patterns skip, and what their words, numbers and lists are made of."""
LENGTH = 400
MOST = 80
"""So many times as long as the reference a pattern may take, which on one processor are half as many as on another. That
grows with the square of the length of a text, and takes 30 ms for 4,000 characters: what grows faster than it, or tries
many things at each character, takes longer.
"""
REFERENCE = re.compile(r"\s+x")


def test_no_pattern_takes_long_on_a_text_made_for_that() -> None:
    usual = min(_seconds(REFERENCE, " " * LENGTH) for _ in range(9))
    slow = [
        f"{where}, repeated {unit!r}: {took / usual:.0f} times as long as the reference, {pattern.pattern[:80]}"
        for where, pattern in _patterns().items()
        for unit in UNITS
        if (took := _taken(pattern, unit, MOST * usual)) > MOST * usual
    ]
    assert not slow, "\n".join(slow)


def test_what_takes_too_long_is_seen() -> None:
    usual = min(_seconds(REFERENCE, " " * LENGTH) for _ in range(9))
    nested, cubic = re.compile(r"(?:a|aa| )+!"), re.compile(r"\s*,?\s*x")
    assert _taken(nested, "a", MOST * usual) > MOST * usual
    assert _taken(cubic, " ", MOST * usual) > MOST * usual


@pytest.mark.parametrize("unit", ["1", "1-"])
def test_thousands_of_digits_take_a_time_that_grows_with_their_number(unit: str) -> None:
    """Requests may have 100,000 characters: with the square of their number, digits would take minutes."""
    slow = []
    for row in default_table():
        patterns = {f"{row.name}.{arg.name}": re.compile(arg.pattern, re.I) for arg in row.args if arg.pattern}
        patterns |= {f"cue {number} of {row.name}": cue.regex for number, cue in enumerate(row.cues)}
        for where, pattern in patterns.items():
            short, long = (min(_seconds(pattern, unit * length) for _ in range(2)) for length in (1_000, 8_000))
            if long > 0.05 and long > 24 * short:
                slow.append(f"{where}: {short:.3f} s and, eight times as long, {long:.3f} s")
    assert not slow, "\n".join(slow)


def _taken(pattern: re.Pattern[str], unit: str, enough: float) -> float:
    """The seconds of a search in a long text; of a shorter one where that takes more than enough: what grows
    exponentially is never tried on a long one.
    """
    took = 0.0
    for length in (12, 16, 20, 24, 28, 32, 40, 80, 160, LENGTH):
        text = (unit * length)[:length] + "\0"
        took = _seconds(pattern, text)
        if took > enough:
            took = min(_seconds(pattern, text) for _ in range(3))
        if took > enough:
            break
    return took


def _seconds(pattern: re.Pattern[str], text: str) -> float:
    """The time of the processor for a search: what else the machine does changes little of it."""
    begun = time.thread_time()
    pattern.search(text)
    return time.thread_time() - begun


def _patterns() -> dict[str, re.Pattern[str]]:
    """The compiled patterns of all modules, and those of the task table, each once, by the first place of each."""
    found: dict[str, re.Pattern[str]] = {}
    for module in _modules():
        for name, value in list(vars(module).items()):
            for number, pattern in enumerate(_within(value)):
                if pattern not in found.values():
                    found[f"{module.__name__}.{name}[{number}]"] = pattern
    for row in default_table():
        found |= {f"{row.name}.{arg.name}": re.compile(arg.pattern, re.IGNORECASE) for arg in row.args if arg.pattern}
        found |= {f"cue {number} of {row.name}": cue.regex for number, cue in enumerate(row.cues)}
    assert len(found) > 400
    return found


def _modules() -> Iterator[Any]:
    for module in pkgutil.walk_packages(hugginggpt.__path__, "hugginggpt.", onerror=_raise):
        names = module.name.split(".")
        if names[-1] != "__main__" and not set(NEEDS_TORCH) & set(names):
            yield importlib.import_module(module.name)


def _raise(name: str) -> None:
    raise ImportError(name)


def _within(value: Any, depth: int = 4) -> Iterator[re.Pattern[str]]:
    """The patterns in a value: itself, or in its elements and fields."""
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth:
        parts: Iterable[Any] = ()
        if isinstance(value, dict):
            parts = (*value.keys(), *value.values())
        elif isinstance(value, (tuple, list, frozenset, set)):
            parts = value
        elif is_dataclass(value) and not isinstance(value, type):
            parts = (getattr(value, field.name, None) for field in fields(value))
        for part in parts:
            yield from _within(part, depth - 1)
