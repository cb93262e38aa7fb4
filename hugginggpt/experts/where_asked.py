"""On which page an answer stands, asked beside the question itself: "May I keep a dog, and on which page is that?".

What stands there is found by the question alone; the place belongs to that answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from hugginggpt.core.documents import DocumentText, quotes_of

_POINTED_AT = (
    r"(?:it|that|this|so|the (?:rule|answer|sentence|clause|line|text)|they|you|i|is|are|was|does|do|did|can|could|"
    r"says?|said|stands?|written|mentioned|stated|found|find|read|see|tell|me|on|in|at|there|please|pls)"
)
_WHERE = re.compile(
    r"(?P<before>^|[,;.?!]|\band\b|&|\s)\W*+(?:(?:and|also|please|tell me|say)\W+)*(?:(?:on|in|at) )?(?:which|what) "
    rf"(?:page|slide|chapter|sheet)s?\b(?P<rest>(?:\W+{_POINTED_AT}\b){{0,7}})\W*$",
    re.IGNORECASE,
)
NOT_PLACED = "on which page it stands, I do not know"


def is_only_where(question: str) -> bool:
    """Whether words ask only where the answer just given stands: "what page says so?"."""
    found = _WHERE.search(question)
    return bool(found) and not re.search(r"\w", question[: found.start()] if found else "")


def without_where(question: str) -> str:
    """A question without what it asks of the place of its answer; itself where it asks nothing, or nothing else."""
    question = question.strip()
    found = _WHERE.search(question)
    rest = question[: found.start() + len(found["before"].strip(" ,;and&"))].rstrip(" ,;") if found else ""
    return rest if re.search(r"\w", rest) else question


def placed(answer: Mapping[str, Any], text: str) -> dict[str, Any]:
    """An answer with where its line stands in a document: of a computed one, where a line of the text with its name or
    value does; and with a note where that is not known.
    """
    if not isinstance(text, DocumentText) or "where" in answer or text.places(quotes_of(answer)):
        return dict(answer)
    lines = dict.fromkeys(_lines_of(answer, text))
    if places := text.places(lines):
        return {**answer, "where": places}
    notes = [str(answer["note"])] if answer.get("note") else []
    return {**answer, "note": "; ".join([*notes, NOT_PLACED])}


def _lines_of(answer: Mapping[str, Any], text: str) -> Iterable[str]:
    """The lines of a text that an answer was taken from: those that it quotes, or that hold its words."""
    said = str(answer["answer"])
    for line in text.splitlines():
        bare = " ".join(line.split())
        if len(bare.split()) > 1 and (bare in said or (len(said) < len(bare) and said.strip(" .") in bare)):
            yield bare
