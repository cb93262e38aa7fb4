"""Model families: how each kind of Hugging Face model is loaded and run, one small function each.

A family is registered with `@family(task)`. The function gets a `Source`, loads what it needs with it and
returns `run`, which takes a list of requests (the task's arguments by name; files as checked paths) and
returns a raw answer for each, as the experts of this project do: text, lists of labels or boxes, a PIL
picture, the bytes of a WAV or MP4 file. Heavy packages are imported inside the functions.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hugginggpt.common import plugins
from hugginggpt.experts.source import Source

MODULES = (
    "text", "questions", "generation", "translation", "tabular",
    "vision", "captions", "documents", "diffusion", "control",
    "audio", "speech",
)  # fmt: skip

Args = Mapping[str, Any]
Run = Callable[[Sequence[Args]], list[Any]]
Load = Callable[[Source], Run]
Fits = Callable[[Source], bool]

LOADING = threading.RLock()
"""Held by who loads a model or imports its libraries, as both change what all threads share: transformers swaps methods
of its classes while it loads, and what it swapped is lost for good when two do so at once; of modules that import each
other a second thread may see a half. Models that are loaded run meanwhile.
"""


def _own_bytes(source: Source) -> int:
    return source.bytes_needed


@dataclass(frozen=True, slots=True)
class Family:
    """How one kind of model does one task: `function` loads it.

    `batch` says how many requests may be run together, `bytes_needed` how large a model is on the device, and
    `lender` the task whose models it works with, where a task has none of its own (a depth model draws depth-control).
    """

    task: str
    function: Load
    fits: Fits
    batch: int = 1
    bytes_needed: Callable[[Source], int] = _own_bytes
    lender: str = ""

    def load(self, source: Source) -> Run:
        """Loads a model, once no other one is being loaded in this process."""
        with LOADING:
            return self.function(source)


_families: dict[str, list[Family]] = {}


def family(
    *tasks: str,
    when: Fits = lambda source: True,
    batch: int = 1,
    bytes_needed: Callable[[Source], int] = _own_bytes,
    lender: str = "",
) -> Callable[[Load], Load]:
    """Registers a function as the way to load models for tasks, where `when` holds; the first that fits is taken."""

    def register(load: Load) -> Load:
        for task in tasks:
            _families.setdefault(task, []).append(Family(task, load, when, batch, bytes_needed, lender))
        return load

    return register


_companions: dict[str, str] = {}


def companion(name_part: str, model: str) -> str:
    """Registers a model of the Hub without which those with a word in their ids cannot be run; returns its id."""
    _companions[name_part] = model
    return model


def companions_of(models: Iterable[str]) -> list[str]:
    """The further models that some models need."""
    _load_modules()
    return sorted({needed for model in models for part, needed in _companions.items() if part in model})


def each(run_one: Callable[..., Any]) -> Run:
    """A `Run` of a function of one request's arguments."""
    return lambda requests: [run_one(**request) for request in requests]


@cache
def _load_modules() -> None:
    for module in MODULES:
        importlib.import_module(f"hugginggpt.experts.families.{module}")
    plugins.load(plugins.EXPERT_GROUP)


def lender_of(task: str) -> str:
    """The task whose models also do a task; "" where it has models of its own."""
    _load_modules()
    return next((candidate.lender for candidate in _families.get(task, []) if candidate.lender), "")


def fits(source: Source) -> bool:
    """Whether some family runs the model."""
    _load_modules()
    return any(candidate.fits(source) for candidate in _families.get(source.task, []))


def family_for(source: Source) -> Family:
    """The family for a model. Raises ExpertUnavailable when none fits."""
    _load_modules()
    with LOADING:  # some look into the libraries
        for candidate in _families.get(source.task, []):
            if candidate.fits(source):
                return candidate
    raise source.unfit()
