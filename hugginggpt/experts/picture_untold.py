"""What questions ask of a picture that no picture tells by itself: what something is worth, the breed, who somebody is.

The words are data (data/experts/picture_untold.txt), in the languages in which requests are understood.
"""

from __future__ import annotations

import re
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA

BREED = "the breed"
MAX_CHARS = 300
"""Further characters of a question are not looked at."""
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:['’-][^\W_]+)*")


def untold(text: str) -> str:
    """What a question asks for that a picture does not tell, in words: "what something is worth"; "" for others."""
    return next(iter(all_untold(text)), "")


def all_untold(text: str) -> list[str]:
    """All that a question asks for and a picture does not tell: "when and where was it taken?"."""
    words = _WORD.findall(text[:MAX_CHARS].lower().replace("’", "'"))
    spaced = f" {' '.join(words)} "
    return [what for what, phrases in _phrases().items() if word_lists.holds(spaced, phrases)]


@cache
def _phrases() -> dict[str, tuple[str, ...]]:
    file = EXPERTS_DATA / "picture_untold.txt"
    return {
        what: tuple(phrase.strip() for line in lines for phrase in line.split(","))
        for what, lines in word_lists.sections(file).items()
    }
