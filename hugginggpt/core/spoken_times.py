"""When words are said in a recording: "at which second does she say country?", from the times of the words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.quantities import clock

LONGEST_WORD, USUAL_WORD = 0.9, 0.6
"""A word that lasts longer than the first, in seconds, has the pause before it; then it is taken to last the second."""
MAX_TOLD = 12
"""So many times are told."""
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_QUOTED = r"[\"“”„«»‘'](?P<quoted>[^\"“”„«»]+?)[\"“”„«»’'](?!\w)"
_NAMED = r"(?:the )?(?:words?|phrase|name|term|expression) "
_WHEN = (
    r"\W*+(?:(?:and|so|please|tell me|can you tell me|do you know|say|i want to know)\W+)*"
    r"(?:when|(?:at|in|from) (?:what|which) (?:exact )?"
    r"(?:seconds?|times?|minutes?|moments?|points?|places?|timestamps?)|"
    r"how (?:far|long|many seconds?) in(?:to (?:it|the \w+))?|where(?= .*\b(?:recording|audio|video|clip)\b))\b"
)
_SAYS = r"(?:say(?:s|ing)?|said|mention(?:s|ed)?|utter(?:s|ed)?|speaks? of|pronounces?)"
_ASKED = re.compile(
    rf"{_WHEN} (?:"
    rf"(?:(?:do|does|did|can) )?(?:you hear|[\w ]{{1,30}}? {_SAYS}) (?:{_NAMED})?(?:{_QUOTED}|(?P<object>[^?.!]+?))|"
    rf"(?:is|are|was|were) (?:{_NAMED})?(?:{_QUOTED.replace('quoted', 'first')}|(?P<subject>[^?.!]+?)) "
    r"(?:said|mentioned|spoken|uttered|heard|pronounced|named))"
    r"(?: (?:in|during) (?:it|the \w+|this \w+))?(?: for the first time| first)?\W*",
    re.IGNORECASE,
)
_UNTOLD = ("what", "something", "anything", "that", "this", "it", "so")
_TOLD_OF = re.compile(
    r"\s(?:is|are|was|were|be|will|should|starts?|begins?|ends?|opens?|closes?|leaves?|arrives?|comes?|goes|happens?)$"
)
"""How what is said ends where a question asks for a time that is told: "when did she say the meeting is?" """


def words_asked_for(question: str) -> tuple[str, bool]:
    """The words of which a question asks when they are said, and whether it surely asks for them; ("", False) for any
    other question.
    """
    match = _ASKED.fullmatch(question)
    if match is None:
        return "", False
    words = next(one for one in match.group("quoted", "first", "object", "subject") if one).strip().lower()
    is_sure = not match["object"]
    return ("", False) if words in _UNTOLD or (not is_sure and _TOLD_OF.search(words)) else (words, is_sure)


def times_of(phrase: str, words: Sequence[tuple[str, float]]) -> list[float]:
    """The seconds at which a phrase begins among words with their own."""
    said = [(token.casefold(), at) for word, at in words for token in _TOKEN.findall(word)]
    wanted = [token.casefold() for token in _TOKEN.findall(phrase)]
    if not wanted:
        return []
    tokens = [token for token, _ in said]
    return [at for first, (_, at) in enumerate(said) if tokens[first : first + len(wanted)] == wanted]


def begin_of(start: float, end: object) -> float:
    """The second at which a word begins, from the times that a recogniser gives: to these a pause before it belongs."""
    if isinstance(end, int | float) and end - start > LONGEST_WORD:
        return round(end - USUAL_WORD, 2)
    return start


def in_words(phrase: str, times: Sequence[float]) -> str:
    """ "“country” is said at about 0:07.4 and 0:09.9." """
    if not times:
        return f"“{phrase}” is not said, as far as the words were understood."
    told = [clock(at) for at in times[:MAX_TOLD]] + ([f"{len(times) - MAX_TOLD} more times"] * (len(times) > MAX_TOLD))
    *first, last = told
    joined = f"{', '.join(first)} and " if first else ""
    return f"“{phrase}” is said at about {joined}{last}."
