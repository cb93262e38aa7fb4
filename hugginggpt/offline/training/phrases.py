"""The project's own phrases for each class of clauses, or of messages (data/planner), expanded for training.

A heading `[class: kinds]` names the class of the lines after it, and the kinds of files that such a clause may be
about. The class is a task type, an aspect of one after a slash (`audio-classification/emotion`), or a part of "none".
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.offline.clauses import PLACEHOLDERS, QUOTED

FILES = ("phrases.txt", "sentences.txt", "clauses.txt", "operations.txt", "requests.txt")
"""The phrases for the tasks of clauses."""
MAX_PHRASES_PER_LINE = 12
_PLACEHOLDER_OF = {**{str(kind): name for kind, name in PLACEHOLDERS.items()}, "quoted": QUOTED}
_PLACEHOLDER = re.compile("|".join(map(re.escape, _PLACEHOLDER_OF.values())))


@dataclass(frozen=True, slots=True)
class Phrase:
    """A clause as a user may write it. All phrases of one line together weigh the square root of their number."""

    task: str
    text: str
    weight: float


def read_phrases(seed: int = 0, files: Sequence[str] = FILES) -> Iterator[Phrase]:
    """All phrases; of a line that expands to more than `MAX_PHRASES_PER_LINE`, a sample."""
    rng = random.Random(seed)  # noqa: S311
    for name in files:
        task, kinds = "", [""]
        for line in (PLANNER_DATA / name).read_text(encoding="utf-8").splitlines():
            if heading := re.fullmatch(r"\[([\w/-]+)(?:: ([\w ]+))?\]", line.strip()):
                task, kinds = heading[1], ["", *(heading[2] or "").split()]
            elif line.strip() and not line.startswith("#"):
                texts = _about_each(_expanded(line, rng), kinds)
                yield from (Phrase(task, text, len(texts) ** -0.5) for text in texts)


def _about_each(texts: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """Each text once for each kind of file, which stands behind it as the planner puts it there; a text that names a
    file stays as it is.
    """
    return [
        f"{text} {_PLACEHOLDER_OF[kind]}" if kind else text
        for text in texts
        for kind in ([""] if _PLACEHOLDER.search(text) else kinds)
    ]


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
