"""The answers to several questions of one request as one text: what is found, in the order in which it was asked, and
last what is not.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

LIKELY = "It says: “{}”"
"""A quotation claims only that this stands there: whoever asked sees whether it answers."""
PERHAPS, UNSURE = 0.1, "Not sure; perhaps: “{}”"
"""How a sentence with a smaller chance than a probable one, and of at least this, is led with."""
UNSURE_OF, NOTHING_ON = "On “{}” I am not sure; perhaps: “{}”", "I find nothing on “{}”."
MIN_CHANCE = 0.05
"""A line with a smaller chance is not told for a part of a question."""
MAX_VALUE_WORDS, MAX_ENTRY_WORDS = 6, 12
"""A shorter value is told with its name, if both are no longer than so."""


def hedge(near: Mapping[str, Any], plainly: str) -> str:
    """With what words a sentence is led that is not asserted."""
    if "score" in near:
        return LIKELY
    return UNSURE if near.get("chance", 0) >= PERHAPS else plainly


def together(given: Sequence[dict[str, Any]], asked: Sequence[str], plainly: str) -> dict[str, Any]:
    """The answers to the parts of a question as one, each line of a text once; which part has none is said. `plainly`
    leads the closest lines where nothing is found.
    """
    if len(given) == 1:
        return given[0]
    near = list(dict.fromkeys(each["closest"] for each in given if each.get("closest")))
    is_found = [each.get("found", True) for each in given]
    if not any(is_found) and (not near or [each.get("closest") for each in given] == near * len(given)):
        return given[0]
    sure = [str(each["answer"]) for each, found in zip(given, is_found, strict=True) if found]
    told: list[tuple[str, bool]] = []
    left: list[str] = []
    likely = [str(each["closest"]).partition(" / ")[0] for each in given if "score" in each and each.get("closest")]
    for part, each, found in zip(asked, given, is_found, strict=True):
        if not found and _is_told(each, [*sure, *likely] if "score" not in each else sure):
            continue
        if not found and "score" not in each:
            left.append(_left_open(part, each, plainly))
            continue
        text = _named(each) if found else str(each["closest"]).partition(" / ")[0]
        if not any(text in other for other, _ in told):
            told.append((text, found))
    scores = [each["score"] for each in given if "score" in each]
    answer = {"answer": " ".join([*_sentences(told), *left]), "quotes": [text for text, _ in told]}
    if all(is_found):
        return answer | ({"score": min(scores)} if scores else {})
    if any(is_found):
        return answer
    least = {"score": min(scores)} if len(scores) == len(given) else {}
    return answer | {"closest": " / ".join(near), "found": False} | least


def _sentences(told: Sequence[tuple[str, bool]]) -> list[str]:
    """Texts as sentences, those that are only likely as one quotation where they stand together."""
    groups = [(found, [text for text, _ in group]) for found, group in itertools.groupby(told, key=lambda one: one[1])]
    return [" ".join(map(ended, texts)) if found else LIKELY.format(" / ".join(texts)) for found, texts in groups]


def _named(found: Mapping[str, Any]) -> str:
    """An answer; a short value with the name that it has on its page."""
    text, entry = str(found["answer"]), str(found.get("entry", ""))
    is_short = len(text.split()) <= MAX_VALUE_WORDS and text in entry
    return entry if is_short and len(entry.split()) <= MAX_ENTRY_WORDS else text


def _is_told(each: Mapping[str, Any], sure: Sequence[str]) -> bool:
    """Whether the line that perhaps answers a part is given for another part: "Cornwall, 6 February" says where and
    when, and is not doubled with a doubt.
    """
    closest = str(each.get("closest", "")).partition(" / ")[0]
    return bool(closest) and each.get("chance", 0) >= PERHAPS and any(closest in text for text in sure)


def _left_open(part: str, each: Mapping[str, Any], plainly: str) -> str:
    part = part.strip(" ?!.,;")
    if each.get("closest") and each.get("chance", 0) >= MIN_CHANCE:
        return UNSURE_OF.format(part, str(each["closest"]).partition(" / ")[0])
    return NOTHING_ON.format(part)


def ended(text: str) -> str:
    """A text with a mark at its end, so that another sentence may follow."""
    return text if text.rstrip("”\"')")[-1:] in ".!?。！？…" else f"{text}."
