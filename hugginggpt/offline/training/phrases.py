"""The project's own phrases for each task (data/planner/phrases.txt), expanded for training."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from hugginggpt.common.paths import PLANNER_DATA

MAX_PHRASES_PER_LINE = 12


@dataclass(frozen=True, slots=True)
class Phrase:
    """A clause as a user may write it. All phrases of one line together weigh the square root of their number."""

    task: str
    text: str
    weight: float


def read_phrases(seed: int = 0) -> Iterator[Phrase]:
    """All phrases; of a line that expands to more than `MAX_PHRASES_PER_LINE`, a sample."""
    rng = random.Random(seed)  # noqa: S311
    task = ""
    for line in (PLANNER_DATA / "phrases.txt").read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[([\w-]+)\]", line.strip()):
            task = heading[1]
        elif line.strip() and not line.startswith("#"):
            texts = _expanded(line, rng)
            yield from (Phrase(task, text, len(texts) ** -0.5) for text in texts)


def _expanded(line: str, rng: random.Random) -> list[str]:
    """The phrases of a line, in which (a|b) is a choice."""
    choices = [part.split("|") if index % 2 else [part] for index, part in enumerate(re.split(r"\(([^()]*)\)", line))]
    number = 1
    for choice in choices:
        number *= len(choice)
    if number <= MAX_PHRASES_PER_LINE:
        texts = {"".join(combination) for combination in itertools.product(*choices)}
    else:
        texts = {"".join(rng.choice(choice) for choice in choices) for _ in range(MAX_PHRASES_PER_LINE)}
    return sorted({" ".join(text.split()) for text in texts})
