"""What the answer to a further question of a request says that the answers before it have not told."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.core.results import best_of
from hugginggpt.experts.answer_types import holds
from hugginggpt.experts.asked_query import Query
from hugginggpt.experts.grammar import parse
from hugginggpt.experts.joint_answers import NOTHING_ON

MIN_CONTAINED_CHARS = 20
"""A line that is at least as long is not repeated where another answer holds it."""
_POINTING = re.compile(
    r"\b(?:it|its|they|them|their|that|he|him|his|she|her|one|il|elle|ils|elles|es|er|sie|ihn)\b", re.IGNORECASE
)
_TYPES = frozenset(("money", "duration", "temperature", "length", "mass", "date", "time", "contact", "speed", "age"))
"""What a line holds or does not, without a doubt."""


def without_told(sentence: str, question: str, value: Any, given: Collection[str], sure: Collection[str]) -> str:
    """The answer to a question without the lines that the answers `given` before it have told; "" where it has no
    other. `sure` are those of them that are no guesses. The question may have an English translation on a second line.

    A line that is only perhaps an answer is not told where they have told it, or tell what is asked of the same thing:
    "how hot?" is answered beside "Bake for 35 minutes at 190 degrees.", and otherwise there is nothing on it.
    """
    own = question.partition("\n")[0].strip()
    best = best_of(value)
    lines = str(
        best.get("closest") or best.get("passage") or (best.get("answer") if "score" in best else "") or ""
    ).split(" / ")
    told = [line for line in lines if len(line) >= MIN_CONTAINED_CHARS and any(line in other for other in given)]
    if best.get("found") is False and "score" not in best and best.get("closest"):
        if told and told[0] == lines[0]:
            return "" if _tells(question, told[0]) else NOTHING_ON.format(own.strip(" ?!.,;"))
        if _POINTING.search(own) and any(_tells(question, other) for other in sure):
            return ""
    if told and len(told) == len(lines):
        return ""
    for line in told:
        sentence = sentence.replace(f"{line} / ", "").replace(f" / {line}", "")
    return sentence


def _tells(question: str, line: str) -> bool:
    """Whether a line holds a thing of the kind that a question asks for."""
    try:
        query = Query.read(question.rpartition("\n")[2])
        type_ = query.asked.types[0]
        return type_ in _TYPES and holds(type_, parse(line), query.words)
    except HuggingGPTError:
        return False  # without a grammar nobody knows
