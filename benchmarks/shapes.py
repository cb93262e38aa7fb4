"""Plans of known shapes: from a single task to random graphs of fifty."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

MAKES = {
    "text-to-image": "image",
    "image-to-image": "image",
    "image-to-text": "text",
    "visual-question-answering": "text",
}
EXAMPLES = ("/examples/a.jpg", "/examples/b.jpg", "/examples/c.jpg")
Node = tuple[str, tuple[int, ...]]
"""A task and the tasks whose results it takes."""


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    nodes: tuple[Node, ...]

    @property
    def depth(self) -> int:
        """Tasks on the longest chain."""
        depths: list[int] = []
        for _, parents in self.nodes:
            depths.append(1 + max((depths[parent] for parent in parents), default=0))
        return max(depths)

    def plan(self, tag: str) -> list[dict[str, Any]]:
        """The plan in the format of HuggingGPT, the tag in all its texts."""
        return [
            {"task": task, "id": number, "dep": list(parents) or [-1], "args": self._args(number, tag)}
            for number, (task, parents) in enumerate(self.nodes)
        ]

    def critical_path(self, llm: float, expert: float) -> float:
        """Planning, one selection, the longest chain of experts, the answer. Seconds."""
        return 3 * llm + self.depth * expert

    def _args(self, number: int, tag: str) -> dict[str, str]:
        task, parents = self.nodes[number]
        given = {MAKES[self.nodes[parent][0]]: f"<GENERATED>-{parent}" for parent in parents}
        args: dict[str, str] = {}
        if task != "text-to-image":
            args["image"] = given.get("image", EXAMPLES[number % len(EXAMPLES)])
        if task != "image-to-text":
            args["text"] = given.get("text", f"number {number} of {tag}")
        return args


def _chain(length: int) -> tuple[Node, ...]:
    steps = ("text-to-image", "image-to-image", "image-to-text")
    return tuple((steps[number % 3], (number - 1,) if number else ()) for number in range(length))


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("single", _chain(1)),
        Shape("chain3", _chain(3)),
        Shape("chain5", _chain(5)),
        Shape("fan8", tuple((("text-to-image", "visual-question-answering", "image-to-image")[n % 3], ()) for n in range(8))),
        Shape("diamond", (
            ("text-to-image", ()), ("image-to-text", (0,)), ("image-to-image", (0,)), ("visual-question-answering", (1, 2)),
        )),
        Shape("mixed20", (
            ("text-to-image", ()), ("text-to-image", ()), ("image-to-image", ()), ("visual-question-answering", ()),
            ("image-to-image", ()), ("text-to-image", ()),
            ("image-to-text", (0,)), ("image-to-image", (1,)), ("image-to-text", (2,)), ("text-to-image", (3,)),
            ("visual-question-answering", (4, 3)), ("image-to-text", (5,)), ("image-to-image", (5, 3)),
            ("text-to-image", (6,)), ("image-to-text", (7,)), ("visual-question-answering", (7, 8)),
            ("image-to-image", (9, 10)), ("text-to-image", (11,)),
            ("image-to-text", (13,)), ("visual-question-answering", (16, 14)),
        )),
    )
}  # fmt: skip


def random_shape(size: int, seed: int) -> Shape:
    """A graph of `size` tasks, each of which takes results of up to two earlier ones."""
    rng = random.Random(seed)
    nodes: list[Node] = []
    for _ in range(size):
        task = rng.choice(list(MAKES))
        wanted = {"text-to-image": ["text"], "image-to-text": ["image"]}.get(task, ["image", "text"])
        parents = []
        for kind in wanted:
            able = [number for number, (other, _) in enumerate(nodes) if MAKES[other] == kind]
            if able and rng.random() < 0.7:
                parents.append(rng.choice(able))
        nodes.append((task, tuple(parents)))
    return Shape(f"random{size}", tuple(nodes))
