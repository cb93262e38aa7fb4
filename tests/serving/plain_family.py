"""Stand-ins for models: folders with weights of a given size, and a family whose `run` is the test's own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.experts import families
from hugginggpt.experts.families import Args, Family, Run
from hugginggpt.experts.source import Placement, Source
from hugginggpt.serving.devices import Devices
from hugginggpt.serving.model_registry import Entry
from hugginggpt.serving.pool import Pool

CPU = Placement("cpu", "float32")


def weights(folder: Path, count: int, name: str = "model.safetensors") -> Path:
    """A folder with a model of `count` float32 numbers, of the architecture "plain"."""
    import numpy as np
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file({"w": np.zeros(count, np.float32)}, folder / name)
    (folder / "config.json").write_text('{"model_type": "plain"}')
    return folder


class Hold:
    """Holds a model up: tells that it has begun, and waits until it may go on."""

    def __init__(self) -> None:
        self.began, self.over = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.began.set()
        self.over.wait(20)


def echo(requests: Sequence[Args]) -> list[Any]:
    return [request["text"] for request in requests]


def pool_of(budget: int = 10**9, **options: Any) -> Pool:
    return Pool(Devices(lambda: [CPU], budget), **options)


def entry(folder: Path) -> Entry:
    return Entry(folder.name, ("text-generation",), folder)


def plain_family(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """A function that makes another one the way to run models of the architecture "plain"; it gives the list of those
    that are loaded then.
    """
    loaded: list[str] = []

    def use(run: Run, batch: int = 1) -> list[str]:
        def load(source: Source) -> Run:
            loaded.append(source.id)
            return run

        own = Family("text-generation", load, lambda source: source.model_type == "plain", batch)
        monkeypatch.setitem(families._families, "text-generation", [own])
        return loaded

    families.lender_of("text-generation")  # the modules that register families are loaded
    return use
