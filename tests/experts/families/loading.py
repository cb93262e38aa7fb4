"""Shared helpers for the tests of model families."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hugginggpt.experts.families import Args, Run, family_for
from hugginggpt.experts.source import Placement, Source
from hugginggpt.testing.servers import Serving


class Loaded(NamedTuple):
    """A family's `run` for a tiny model, and the model's modules."""

    run: Run
    modules: list[Any]
    batch: int

    def one(self, **args: Any) -> Any:
        return self.run([args])[0]


def load(make: Callable[..., None], task: str, folder: Path, *args: Any, **kwargs: Any) -> Loaded:
    """Makes a tiny model in a new folder under `folder` and loads it as the server does."""
    own = folder / f"{make.__name__}-{len(list(folder.iterdir()))}"
    make(own, *args, **kwargs)
    return load_folder(own, task)


def load_folder(folder: Path, task: str) -> Loaded:
    source = Source(folder.name, folder, task, Placement("cpu", "float32"))
    family = family_for(source)
    return Loaded(family.load(source)[task], source.modules, family.batch)


def prompts_of(loaded: Loaded, monkeypatch: Any) -> list[Any]:
    """Notes what a generating model is asked from now on: dicts of tensors and settings, with its output as "made"."""
    model = loaded.modules[0]
    asked: list[Any] = []
    generate = model.generate

    def noting(**options: Any) -> Any:
        made = generate(**options)
        asked.append({**options, "made": made})
        return made

    monkeypatch.setattr(model, "generate", noting)
    return asked


def assert_batches(loaded: Loaded, requests: list[Args]) -> list[Any]:
    """The answers to requests of different length that were run together, which are those that each gets alone."""
    assert loaded.batch >= len(requests)
    together = loaded.run(requests)
    assert same(together, [loaded.run([request])[0] for request in requests])
    assert not all(same(together[0], other) for other in together[1:]), "the model answers the same to everything"
    return together


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal, numbers up to rounding."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) < 1e-4
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def refused(server: Serving, model: str, status: int, **data: Any) -> str:
    """The message of an error that should come."""
    response = server.post(model, data)
    assert response.status_code == status, response.text
    return str(response.json()["error"]["message"])
