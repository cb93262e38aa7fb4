"""Whether a German, French, Spanish or Chinese text praises or blames, by lists of words; it cannot hear irony."""

from __future__ import annotations

import re
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.errors import ExpertUnavailable

REACH = 3
"""So many words behind a "not" mean their opposite."""
_FILE = EXPERTS_DATA / "foreign_opinions.txt"
Lists = dict[str, tuple[str, ...]]


def knows(code: str) -> bool:
    """Whether there are words of a language."""
    return code in _lists()


def balance(text: str, code: str) -> float:
    """How much of what a text values it praises, from -1 (all is bad) to 1; 0 for as much as it blames.

    Raises ExpertUnavailable where no word of it is known as praise or blame.
    """
    lists = _lists()[code]
    good, bad = _in_chinese(text, lists) if code == "zh" else _counted(text, lists)
    if not good + bad:
        raise ExpertUnavailable("No word of this text is one of praise or blame that I know.")
    return (good - bad) / (good + bad + 0.5)


def _counted(text: str, lists: Lists) -> tuple[int, int]:
    """How many good and bad words there are; a phrase of several words counts once, and so do none of its words."""
    spoken = " ".join(re.findall(r"[^\W\d_]+|[.!?;,]", text.lower()))
    found = {"good": 0, "bad": 0}
    for side in found:
        for phrase in (one for one in lists[side] if " " in one):
            found[side] += len(re.findall(rf"\b{re.escape(phrase)}\b", spoken))
            spoken = re.sub(rf"\b{re.escape(phrase)}\b", "-", spoken)
    words = spoken.split()
    for at, word in enumerate(words):
        side = next((side for side in found if _begins(word, lists[side])), "")
        if side:
            before = words[max(0, at - REACH) : at]
            turned = any(one in lists["not"] for one in before[_last_stop(before) :])
            found[_other(side) if turned else side] += 1
    return found["good"], found["bad"]


def _last_stop(words: list[str]) -> int:
    """Where the clause of the last of some words begins."""
    return max((at + 1 for at, word in enumerate(words) if not word[0].isalpha()), default=0)


def _begins(word: str, beginnings: tuple[str, ...]) -> bool:
    """Whether a word is in a list, or begins as a longer one of it does."""
    return any(word == one or (len(one) > 3 and word.startswith(one)) for one in beginnings)


def _in_chinese(text: str, lists: Lists) -> tuple[int, int]:
    found = {"good": 0, "bad": 0}
    rest = text
    words = sorted(((word, side) for side in found for word in lists[side]), key=lambda pair: -len(pair[0]))
    for word, side in words:
        for match in re.finditer(re.escape(word), rest):
            turned = any(rest[max(0, match.start() - REACH) : match.start()].endswith(one) for one in lists["not"])
            found[_other(side) if turned else side] += 1
        rest = rest.replace(word, "，")
    return found["good"], found["bad"]


def _other(side: str) -> str:
    return "bad" if side == "good" else "good"


@cache
def _lists() -> dict[str, Lists]:
    found: dict[str, Lists] = {}
    for code, lines in word_lists.sections(_FILE).items():
        pairs = (line.partition(" = ") for line in lines)
        found[code] = {name: tuple(word.strip() for word in words.split(",")) for name, _, words in pairs}
    return found
