"""Whether somebody in a picture is alone: "is he on his own?", "is anyone else with her?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hugginggpt.experts.captions import amount, is_seen
from hugginggpt.experts.objects import PERSON

_ELSE = r"\b(?:any|some)(?:one|body) else\b|\bother people\b|\banother person\b"
_ALONE = r"\balone\b|\bon (?:his|her|their|its) own\b|\bby (?:him|her|it)self\b|\bby themselves\b"
_SOMEBODY = (
    r"(?:he|she|they|there|(?:any|some)(?:one|body)|(?:the|this|that|my|our|her|his) (?:\w+ )?"
    r"(?:man|woman|person|people|boy|girl|child|kid|baby|lady|guy|friend|uncle|aunt|mum|mom|dad|mother|father|grand\w+|"
    r"husband|wife|son|daughter|brother|sister|astronaut|player|rider))"
)
_ASKED = re.compile(
    rf"\W*+(?:(?:and|so|but|ok)\W+)*(?:is|are|was|were) {_SOMEBODY}\b"
    rf"(?:(?<=one)(?= else\b)|(?<=body)(?= else\b)|[^?.]*(?:{_ALONE})|[^?.]*(?:{_ELSE}))",
    re.IGNORECASE,
)
_OTHERS_OR_ALONE = re.compile(rf"(?P<others>{_ELSE})|{_ALONE}", re.IGNORECASE)


def asks(text: str) -> bool:
    """Whether a question is if somebody is alone, or if others are there, too."""
    return _ASKED.match(text) is not None


def answer(text: str, regions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """How many people the detector sees for sure, as the answer; [] for another question, and where it sees nobody."""
    people = sum(region["label"] == PERSON and is_seen(region) for region in regions)
    if not people or not asks(text):
        return []
    first = _OTHERS_OR_ALONE.search(text)
    are_others_asked = first is not None and first["others"] is not None
    yes_or_no = "yes" if (people > 1) == are_others_asked else "no"
    there = f"{amount(people, PERSON) if people > 1 else 'one person'} {'are' if people > 1 else 'is'} in the picture"
    return [{"answer": f"{yes_or_no}, {there}"}]
