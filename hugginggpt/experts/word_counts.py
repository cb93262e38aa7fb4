"""How often a text or recording says something: "how often does he say the word country?"."""

from __future__ import annotations

import re
from typing import Any

_ASKED = re.compile(
    r"\b(?:how (?:often|many times|frequently)|the number of times|count how (?:often|many times))\b(?P<rest>[^?!;]*)",
    re.IGNORECASE,
)
_NAMED = r"(?:the )?(?:words?|names?|phrase|term|expression)\b"
_QUOTED = re.compile(r"[\"“”„«»‘](?P<words>[^\"“”„«»’]+)[\"“”„«»’]")
_SAID = re.compile(
    rf"\b(?:say(?:s|ing)?|said|mention(?:s|ed)?|us(?:es?|ed)|utter(?:s|ed)?|repeat(?:s|ed)?|write[s]?|wrote)\s+"
    rf"(?:{_NAMED}\s+)?(?P<object>[^?.!]+)|"
    rf"\b(?:do(?:es)?|did|has|is|are|was|were)\s+(?:{_NAMED}\s+)?(?P<subject>[^?.!]+?)\s+"
    r"(?:occurs?|appears?|com(?:es?|ing)(?: up)?|said|mentioned|used|spoken|repeated|written|named|uttered|found)\b|"
    rf"\b{_NAMED}\s+(?P<named>[\w'’-]+)",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\s+(?:in|during|throughout|within) (?:it|there|this|that|the|all|his|her|their|my|total)\b.*|"
    r"\s+(?:altogether|overall|there|please)\W*$",
    re.IGNORECASE,
)
_UNTOLD = frozenset(["it", "that", "this", "something", "anything", "so", "them", "what", "been"])
_TIMES = {0: "not at all", 1: "once", 2: "twice"}
MAX_WORDS = 5


def asked_for(question: str) -> bool:
    """Whether words ask how often something is said."""
    return bool(phrase_of(question))


def phrase_of(question: str) -> str:
    """What words ask to be counted; "" where they ask for anything else."""
    asked = _ASKED.search(question)
    if not asked:
        return ""
    quoted = _QUOTED.search(asked["rest"])
    said = None if quoted else _SAID.search(asked["rest"])
    phrase = quoted["words"] if quoted else next(filter(None, said.groups()), "") if said else ""
    phrase = re.sub(rf"^{_NAMED}\s+", "", _REST.sub("", phrase).strip(" ,.'’\"“”"), flags=re.IGNORECASE)
    return phrase if 0 < len(phrase.split()) <= MAX_WORDS and phrase.lower() not in _UNTOLD else ""


def answer(question: str, text: str) -> dict[str, Any] | None:
    """How often a text says what is asked for; None of any other question."""
    phrase = phrase_of(question)
    if not phrase:
        return None
    words = r"\W+".join(map(re.escape, phrase.split()))
    number = len(re.findall(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE))
    return {"answer": f"“{phrase}” occurs {_TIMES.get(number, f'{number} times')}.", "number": number}
