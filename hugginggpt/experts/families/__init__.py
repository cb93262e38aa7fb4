"""Model families: how each type of Hugging Face model is loaded and run, one small function each.

A family is registered with `@family(task)`. The function gets a `Source`, loads what it needs with it and
returns `run`, which takes a list of requests (the task's arguments by name; files as checked paths) and
returns a raw result for each, as the embedded experts do: text, lists of labels or boxes, a PIL
picture, the bytes of a WAV or MP4 file. One that can be asked for more than its task, such as chats, returns a `run`
for each by name. Heavy packages are imported inside the functions.
"""

from __future__ import annotations

import importlib
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hugginggpt.common import plugins
from hugginggpt.experts.source import Source

MODULES = (
    "gguf",  # first: a family that takes any other model takes no such file
    "text", "questions", "generation", "translation", "tabular",
    "vision", "captions", "documents", "diffusion", "control",
    "audio", "speech",
)  # fmt: skip

CHAT, VECTORS = "chat", "vectors"
"""What a model may be asked for that is no task of a plan: an answer to several turns, and the vectors of texts."""

Args = Mapping[str, Any]
Run = Callable[[Sequence[Args]], list[Any]]
Loaded = Run | Mapping[str, Run]
"""A model in memory: how it performs the task that it was loaded for, or that and what else it can be asked for."""
Load = Callable[[Source], Loaded]
Fits = Callable[[Source], bool]

LOADING_LOCK = threading.RLock()
"""Held while a model is loaded or its libraries are imported, because both change global state: transformers patches
its classes while it loads, which two loads at once would leave patched, and a second thread may see a partly imported
module. Loaded models run meanwhile.
"""


def _weight_bytes(source: Source) -> int:
    return source.bytes_needed


@dataclass(frozen=True, slots=True)
class Family:
    """How one type of model performs one task: `function` loads it.

    `batch` is the maximum number of requests in a batch, `bytes_needed` the size of a model on the device, and `lender`
    the task whose models it uses, where a task has no models of its own (depth-control uses depth estimation).
    """

    task: str
    function: Load
    fits: Fits
    batch: int = 1
    bytes_needed: Callable[[Source], int] = _weight_bytes
    lender: str = ""

    def load(self, source: Source) -> Mapping[str, Run]:
        """Loads a model as soon as no other model is being loaded in this process: what it can do, by task."""
        with LOADING_LOCK:
            loaded = self.function(source)
        return {self.task: loaded} if callable(loaded) else loaded


_families: dict[str, list[Family]] = {}


def family(
    *tasks: str,
    when: Fits = lambda source: True,
    batch: int = 1,
    bytes_needed: Callable[[Source], int] = _weight_bytes,
    lender: str = "",
) -> Callable[[Load], Load]:
    """Registers a function that loads models for tasks where `when` holds; the first fitting family is used."""

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
    """A `Run` that calls a function with the arguments of each request."""
    return lambda requests: [run_one(**request) for request in requests]


QUIET = ("torchao", "torch.utils._pytree")
"""Loggers that warn of what does not matter here, whenever torchao is imported: kernels for other GPUs, old calls."""


@cache
def _load_modules() -> None:
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.ERROR)
    for module in MODULES:
        importlib.import_module(f"hugginggpt.experts.families.{module}")
    plugins.load(plugins.EXPERT_GROUP)


def lender_of(task: str) -> str:
    """The task whose models are also used for a task; "" where it has models of its own."""
    _load_modules()
    return next((candidate.lender for candidate in _families.get(task, []) if candidate.lender), "")


def fits(source: Source) -> bool:
    """Whether some family supports the model."""
    _load_modules()
    return any(candidate.fits(source) for candidate in _families.get(source.task, []))


def family_for(source: Source) -> Family:
    """The family for a model. Raises ExpertUnavailable when none fits."""
    _load_modules()
    with LOADING_LOCK:  # some predicates import the libraries
        for candidate in _families.get(source.task, []):
            if candidate.fits(source):
                return candidate
    raise source.unfit()
