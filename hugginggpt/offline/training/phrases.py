"""The project's own phrases for each task (data/planner/phrases.txt), written out for training."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from hugginggpt.common.paths import PLANNER_DATA

MAX_OF_A_LINE = 12


@dataclass(frozen=True, slots=True)
class Phrase:
    """A clause as somebody may say it. The phrases of one line weigh as much as the square root of their number."""

    task: str
    text: str
    weight: float


def read_phrases(seed: int = 0) -> Iterator[Phrase]:
    """Every phrase; of a line with very many, a sample."""
    chance = random.Random(seed)  # noqa: S311
    task = ""
    for line in (PLANNER_DATA / "phrases.txt").read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[([\w-]+)\]", line.strip()):
            task = heading[1]
        elif line.strip() and not line.startswith("#"):
            texts = _written_out(line, chance)
            yield from (Phrase(task, text, len(texts) ** -0.5) for text in texts)


def _written_out(line: str, chance: random.Random) -> list[str]:
    """(a|b) stands for a choice."""
    choices = [part.split("|") if at % 2 else [part] for at, part in enumerate(re.split(r"\(([^()]*)\)", line))]
    number = 1
    for choice in choices:
        number *= len(choice)
    if number <= MAX_OF_A_LINE:
        texts = {"".join(picked) for picked in itertools.product(*choices)}
    else:
        texts = {"".join(chance.choice(choice) for choice in choices) for _ in range(MAX_OF_A_LINE)}
    return sorted({" ".join(text.split()) for text in texts})
