"""Questions without what only says whose they are: no letter knows of "my daughter", nor which trip "this trip" is."""

from __future__ import annotations

import re

MAX_LEAD, MAX_CHARS = 40, 160
"""The most characters before such a question, as of a greeting, and of a request that is one."""
_TO_BRING = re.compile(
    r"\bwhat (?:else )?(?:do|does|should|must|shall|will|would|is|are) "
    r"(?:he|she|they|i|we|you|(?:my|our|the|every|each|all) (?:\w+ ){0,2}?\w+?) (?:all )?"
    r"(?:(?:have|has|need|needs|supposed|meant|got) (?:to )?|should |must )?(?P<verb>bring|pack|wear|take)"
    r"(?: along| with \w+)?(?: (?:on|to|for|at|in) (?:this|that|the|it)\b[^?.!]{0,30})?"
    r"\W*(?:thx|thanks|please|thank you)?\W*$",
    re.IGNORECASE,
)


def in_short(question: str) -> str:
    """ "What do they need to bring?" for a question of what somebody has to bring, pack or wear; any other as it is."""
    asked = _TO_BRING.search(question) if len(question) < MAX_CHARS else None
    is_all = asked is not None and asked.start() <= MAX_LEAD and not re.search(r"[.?!]", question[: asked.start()])
    return f"What do they need to {asked['verb'].lower()}?" if asked and is_all else question
