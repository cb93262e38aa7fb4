"""Plans of known shapes: those with which JARVIS was measured, and random graphs of up to fifty tasks."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

A, B, C = "/examples/a.jpg", "/examples/b.jpg", "/examples/c.jpg"
TAG = "{tag}"
"""Stands in texts for the mark of one request, by which its results are told from those of others."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A plan in the format of HuggingGPT."""

    name: str
    tasks: Sequence[Mapping[str, Any]]

    @property
    def size(self) -> int:
        return len(self.tasks)

    @property
    def depth(self) -> int:
        """Tasks on the longest chain."""
        depths: dict[int, int] = {}
        for task in self.tasks:
            depths[task["id"]] = 1 + max((depths.get(number, 0) for number in task["dep"]), default=0)
        return max(depths.values())

    def plan(self, tag: str) -> list[dict[str, Any]]:
        """The plan for one request."""
        plan: list[dict[str, Any]] = json.loads(json.dumps(self.tasks).replace(TAG, tag))
        return plan

    def critical_path(self, llm: float, expert: float) -> float:
        """Planning, one selection, the longest chain of experts, the answer. Seconds."""
        return 3 * llm + self.depth * expert


def _plan(*tasks: tuple[str, Sequence[int], dict[str, str]]) -> list[dict[str, Any]]:
    """Tasks from (type, dependencies, arguments); a number as argument is what that task generated."""
    return [
        {"task": task, "id": number, "dep": list(parents) or [-1], "args": args}
        for number, (task, parents, args) in enumerate(tasks)
    ]


def _of(number: int) -> str:
    return f"<GENERATED>-{number}"


def _see(task: str, picture: str | int) -> tuple[str, Sequence[int], dict[str, str]]:
    """A task that takes a picture: an example, or what another task generated."""
    return (task, (), {"image": picture}) if isinstance(picture, str) else (task, (picture,), {"image": _of(picture)})


def _say(task: str, text: str | int) -> tuple[str, Sequence[int], dict[str, str]]:
    """A task that takes a text, or that of another task."""
    return (task, (), {"text": text}) if isinstance(text, str) else (task, (text,), {"text": _of(text)})


def _ask(picture: str | int, question: str | int) -> tuple[str, Sequence[int], dict[str, str]]:
    """A question, or that of another task, about a picture."""
    task, seen_tasks, image = _see("visual-question-answering", picture)
    _, spoken_tasks, text = _say(task, question)
    return task, (*seen_tasks, *spoken_tasks), image | text


_BIRD = _say("text-to-image", f"a bird over {TAG}")
SHAPES = {
    shape.name: shape
    for shape in (
        Shape("single", _plan(_see("image-classification", A))),
        Shape("chain3", _plan(_BIRD, _see("image-to-text", 0), _say("text-to-speech", 1))),
        Shape("chain5", _plan(
            _BIRD, _see("image-to-image", 0), _see("object-detection", 1), _see("image-to-text", 2),
            _say("text-to-speech", 3),
        )),
        Shape("fan8", _plan(
            _see("image-to-text", A), _see("object-detection", A), _see("image-classification", B),
            _ask(B, f"how many in {TAG}?"), _say("token-classification", f"Ada met Bob at {TAG}"),
            _say("text-to-speech", f"hello {TAG}"), _see("image-to-text", C), _say("text-to-image", f"a cat on {TAG}"),
        )),
        Shape("diamond", _plan(
            _see("image-to-text", A), _say("text-to-image", 0), _say("text-to-speech", 0),
            _say("token-classification", 0),
            ("visual-question-answering", (1, 2, 3), {"image": _of(1), "audio": _of(2), "text": f"is it {TAG}?"}),
        )),
        Shape("mixed20", _plan(
            _see("image-to-text", A), _see("image-to-text", B), _say("text-to-image", f"a boat on {TAG}"),
            _see("object-detection", C), _say("token-classification", f"Ada met Bob at {TAG}"),
            _see("image-classification", A), _say("text-to-speech", 0), _say("text-to-image", 1),
            _see("object-detection", 2), _ask(3, f"how many in {TAG}?"), _see("image-to-text", 3),
            _see("image-to-image", 2), _see("image-to-text", 7), _see("image-classification", 8),
            _ask(8, f"what is {TAG}?"), _say("text-to-speech", 10), _see("object-detection", 11),
            _say("text-to-speech", 12), _see("image-to-text", 16), _ask(16, 12),
        )),
    )
}  # fmt: skip
MAKES = {
    "text-to-image": "image",
    "image-to-image": "image",
    "image-to-text": "text",
    "visual-question-answering": "text",
}


def random_shape(size: int, seed: int) -> Shape:
    """A graph of `size` tasks, each of which takes results of up to two earlier ones."""
    rng = random.Random(seed)
    made: list[tuple[str, Sequence[int], dict[str, str]]] = []
    for number in range(size):
        task = rng.choice(list(MAKES))
        wanted = {"text-to-image": ["text"], "visual-question-answering": ["image", "text"]}.get(task, ["image"])
        args, parents = {}, []
        for kind in wanted:
            able = [at for at, (other, _, _) in enumerate(made) if MAKES[other] == kind]
            if able and rng.random() < 0.7:
                parents.append(rng.choice(able))
                args[kind] = _of(parents[-1])
            else:
                args[kind] = (A, B, C)[number % 3] if kind == "image" else f"number {number} of {TAG}"
        made.append((task, tuple(parents), args))
    return Shape(f"random{size}", _plan(*made))
