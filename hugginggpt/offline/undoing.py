"""Messages that take back the last change: "undo that", "put it back the way it was". The file before it is in hand again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hugginggpt.core.conversation import Turn
from hugginggpt.core.results import files_of

UNDONE = "undone"
"""The kind of small talk that such a message is, where it asks for nothing else."""
_IT = r"(?:it|this|that|them|the last (?:one|step|change|thing|edit)|the (?:change|edit)|everything|all that)"
_UNDO = re.compile(
    r"\W*+(?:(?:please|pls|no|oh|oops|sorry|wait|hm+|ok|actually|can you|could you|nein|bitte|non|s'il te plaît|por favor)\W+)*"
    r"(?:"
    rf"(?:undo|revert|take back|roll back)\b(?: {_IT}\b)?(?: again)?|"
    rf"take {_IT} back\b(?: again)?|"
    rf"(?:put|change|turn|make|set|bring) {_IT} back\b(?: again)?"
    r"(?: (?:to )?(?:the way|how|as|what|like)(?: \w+)? (?:it|they|that) (?:was|were|looked|sounded)(?: before)?)?|"
    r"(?:go|get|back) back to (?:the way|how|what) (?:it|that) (?:was|looked|sounded)(?: before)?|"
    r"(?:mach|mache) (?:das|es) (?:wieder )?rückgängig|rückgängig(?: machen)?|"
    r"annule (?:ça|cela|la dernière modification)?|annulez (?:ça|cela)?|"
    r"deshaz(?:lo| eso| el último cambio)?|"
    r"撤销|撤消|恢复原样|还原"
    r")(?: please| bitte| then| now)?(?=\W|$)(?! (?:to|in|on|into|at|with|from)\b)",
    re.IGNORECASE,
)
_JOINT = re.compile(r"^\W*(?:(?:and|then|but|und|et|y)\b\s*)?", re.IGNORECASE)
MAX_CHARS = 200


def rest_of(text: str) -> str | None:
    """What a message asks for behind "undo that"; None for a message that undoes nothing."""
    match = _UNDO.match(text[:MAX_CHARS])
    return None if match is None else _JOINT.sub("", text[match.end() :]).strip()


def without_last_change(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns as if the last one that made a file had not been; unchanged where none has."""
    at = next((at for at in reversed(range(len(turns))) if _makes(turns[at])), None)
    return (
        tuple(turns)
        if at is None
        else (*turns[:at], replace(turns[at], tasks=(), message="", answer="", findings=()), *turns[at + 1 :])
    )


def as_undone(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns without what was taken back in them, each in its place."""
    kept: list[Turn] = []
    for turn in turns:
        if rest_of(turn.request) is not None:
            kept = list(without_last_change(kept))
        kept.append(turn)
    return tuple(kept)


def _makes(turn: Turn) -> bool:
    return any(past.ok and files_of(past.value) for past in turn.tasks)
