"""What a short message puts in the place of a part of the last request: "and the right one", "und Hunde?"."""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.offline.languages.acts import other_object

QUANTITIES = frozenset("many much more most fewer fewest less least none".split())
MAX_WORDS = 8
_PAIRS = (("left", "right"), ("top", "bottom"), ("upper", "lower"), ("horizontally", "vertically"))
"""Words of which a request has one, and what is asked for after it the other one."""
_JOINING = frozenset(("and", "now", "the", "same"))
"""Words of which a message has one that goes on, and is no "right!"."""
_IDLE = frozenset(
    """and now then the one ones please pls ok okay do same with also too for to on at of it that this side half part corner
    time only just but next again so can you instead""".split()
)


def other_word(text: str, earlier: str) -> tuple[int, int, str] | None:
    """The part of an earlier request that a message takes the place of: (start, end, the new words); None where it says
    anything else.
    """
    return _opposite(text, earlier) or other_object(text, (), earlier)


def _opposite(text: str, earlier: str) -> tuple[int, int, str] | None:
    words = re.findall(r"[a-z]+", text.lower()) if text.isascii() else []
    said = [word for word in words if word not in _IDLE]
    if len(said) != 1 or len(words) > MAX_WORDS or _JOINING.isdisjoint(words):
        return None
    others = [other for pair in _PAIRS if said[0] in pair for other in pair if other != said[0]]
    places = [match for other in others for match in re.finditer(rf"\b{other}\b", earlier, re.IGNORECASE)]
    return (*places[0].span(), said[0]) if len(places) == 1 else None


def phrase_like(document: Any, words: Any) -> tuple[int, int] | None:
    """The place of the phrase in a parsed request that a new one with the same preposition replaces: "on Tuesday" for
    "on Monday". None where there is none.
    """
    new = next((token for token in words if token.tag_ == "IN"), None)
    objects = [child.pos_ for child in new.children if child.dep_ == "pobj"] if new is not None else []
    for token in reversed(document or ()):
        own = [child for child in token.children if child.dep_ == "pobj"]
        if new is not None and token.lower_ == new.lower_ and token.tag_ == "IN" and own and [own[0].pos_] == objects:
            last = own[0].right_edge
            return token.idx, last.idx + len(last)
    return None


def asks_of_its_own(document: Any) -> bool:
    """Whether a fragment is a question that takes nothing from the last request: "until when?", "the eyes, what colour?"."""
    asking = next((token for token in document if token.tag_[0] == "W"), None)
    if asking is None or asking.dep_ == "ROOT" or len(document) == 1:
        return False
    following = document[asking.i + 1].lower_ if asking.i + 1 < len(document) else ""
    return following not in ("about", "many", "much")


def core(chunk: Any) -> Any:
    """A noun phrase without its determiners: "how many red cars", "the red cars" -> "red cars"."""
    first = chunk.start
    for token in chunk[:-1]:
        if (
            token.pos_ in ("DET", "CCONJ", "PRON", "ADV", "NUM", "PUNCT", "INTJ")
            or token.tag_ in ("WDT", "WRB", "PRP$")
            or token.lower_ in QUANTITIES
        ):
            first = token.i + 1
    return chunk.doc[first : chunk.end]


def without_conjunction(chunk: Any) -> str:
    """A noun phrase without the "and" or "also" before it."""
    return " ".join(token.text for token in chunk if token.pos_ not in ("CCONJ", "ADV"))
