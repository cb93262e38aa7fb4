"""Plans of known shapes: those used to benchmark JARVIS, and random graphs of up to fifty tasks."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

A, B, C = "/examples/a.jpg", "/examples/b.jpg", "/examples/c.jpg"
TAG = "{tag}"
"""A placeholder for the tag of a request, which identifies its results."""


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
        """The number of tasks on the longest chain."""
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

    def path_ahead(self, llm: float, expert: float) -> float:
        """The same where the first experts are at work while the selection is made."""
        return 2 * llm + max(llm, expert) + (self.depth - 1) * expert


def _plan(*tasks: tuple[str, Sequence[int], dict[str, str]]) -> list[dict[str, Any]]:
    """A plan from (type, dependencies, arguments) of each task."""
    return [
        {"task": task, "id": number, "dep": list(parents) or [-1], "args": args}
        for number, (task, parents, args) in enumerate(tasks)
    ]


def _of(number: int) -> str:
    return f"<GENERATED>-{number}"


def _on_image(task: str, picture: str | int) -> tuple[str, Sequence[int], dict[str, str]]:
    """A task with a picture as input: an example, or the result of another task."""
    return (task, (), {"image": picture}) if isinstance(picture, str) else (task, (picture,), {"image": _of(picture)})


def _on_text(task: str, text: str | int) -> tuple[str, Sequence[int], dict[str, str]]:
    """A task with a text as input, or the result of another task."""
    return (task, (), {"text": text}) if isinstance(text, str) else (task, (text,), {"text": _of(text)})


def _question(picture: str | int, question: str | int) -> tuple[str, Sequence[int], dict[str, str]]:
    """A question, or the result of another task as question, about a picture."""
    task, seen_tasks, image = _on_image("visual-question-answering", picture)
    _, spoken_tasks, text = _on_text(task, question)
    return task, (*seen_tasks, *spoken_tasks), image | text


_BIRD = _on_text("text-to-image", f"a bird over {TAG}")
SHAPES = {
    shape.name: shape
    for shape in (
        Shape("single", _plan(_on_image("image-classification", A))),
        Shape("chain3", _plan(_BIRD, _on_image("image-to-text", 0), _on_text("text-to-speech", 1))),
        Shape("chain5", _plan(
            _BIRD, _on_image("image-to-image", 0), _on_image("object-detection", 1), _on_image("image-to-text", 2),
            _on_text("text-to-speech", 3),
        )),
        Shape("fan8", _plan(
            _on_image("image-to-text", A), _on_image("object-detection", A), _on_image("image-classification", B),
            _question(B, f"how many in {TAG}?"), _on_text("token-classification", f"Ada met Bob at {TAG}"),
            _on_text("text-to-speech", f"hello {TAG}"), _on_image("image-to-text", C), _on_text("text-to-image", f"a cat on {TAG}"),
        )),
        Shape("diamond", _plan(
            _on_image("image-to-text", A), _on_text("text-to-image", 0), _on_text("text-to-speech", 0),
            _on_text("token-classification", 0),
            ("visual-question-answering", (1, 2, 3), {"image": _of(1), "audio": _of(2), "text": f"is it {TAG}?"}),
        )),
        Shape("mixed20", _plan(
            _on_image("image-to-text", A), _on_image("image-to-text", B), _on_text("text-to-image", f"a boat on {TAG}"),
            _on_image("object-detection", C), _on_text("token-classification", f"Ada met Bob at {TAG}"),
            _on_image("image-classification", A), _on_text("text-to-speech", 0), _on_text("text-to-image", 1),
            _on_image("object-detection", 2), _question(3, f"how many in {TAG}?"), _on_image("image-to-text", 3),
            _on_image("image-to-image", 2), _on_image("image-to-text", 7), _on_image("image-classification", 8),
            _question(8, f"what is {TAG}?"), _on_text("text-to-speech", 10), _on_image("object-detection", 11),
            _on_text("text-to-speech", 12), _on_image("image-to-text", 16), _question(16, 12),
        )),
    )
}  # fmt: skip
OUTPUT_KINDS = {
    "text-to-image": "image",
    "image-to-image": "image",
    "image-to-text": "text",
    "visual-question-answering": "text",
}


def named(name: str) -> Shape:
    """One of SHAPES, or the random graph of so many tasks: "random20"."""
    return SHAPES.get(name) or _random_shape(int(name.removeprefix("random")))


def _random_shape(size: int) -> Shape:
    """A graph of `size` tasks, each with the results of up to two earlier ones as input; always the same."""
    rng = random.Random(size)
    tasks: list[tuple[str, Sequence[int], dict[str, str]]] = []
    for number in range(size):
        task = rng.choice(list(OUTPUT_KINDS))
        kinds = {"text-to-image": ["text"], "visual-question-answering": ["image", "text"]}.get(task, ["image"])
        args, parents = {}, []
        for kind in kinds:
            sources = [at for at, (other, _, _) in enumerate(tasks) if OUTPUT_KINDS[other] == kind]
            if sources and rng.random() < 0.7:
                parents.append(rng.choice(sources))
                args[kind] = _of(parents[-1])
            else:
                args[kind] = (A, B, C)[number % 3] if kind == "image" else f"number {number} of {TAG}"
        tasks.append((task, tuple(parents), args))
    return Shape(f"random{size}", _plan(*tasks))
