"""Small talk, and what else asks for no task, by the classes of the learned head."""

from __future__ import annotations

from collections.abc import Collection

from hugginggpt.offline.heads import clause_scores

NONE = "none"
"""Before a slash and the part of it: the classes of clauses that ask for no task."""
UNCLEAR, LACKING, VAGUE, AGAIN, ASIDE = "unclear", "lacking", "vague", "again", ("scene", "noise")
THANKS, REPLY, FEEDBACK = "thanks", "reply", "feedback"
ABOUT = ("about", "ability")
HELP = "help"
"""What both of these are in another language than English."""
SMALL_TALK = ("greeting", THANKS, *ABOUT, REPLY, FEEDBACK)
"""The parts of "none" that are no request; all but these and those aside ask for something."""


def small_talk(text: str) -> str:
    """The kind of small talk that a text is ("greeting", "thanks", …); "" for any other, or without the weights."""
    parts = small_talk_scores(text)
    best = max(parts, key=parts.__getitem__, default="")
    return best if sum(parts.values()) > 0.5 else ""


def small_talk_scores(text: str) -> dict[str, float]:
    """How likely a text is each kind of small talk; {} without the weights."""
    return {part: row.get(f"{NONE}/{part}", 0.0) for row in clause_scores([text]) for part in SMALL_TALK}


def wanted(text: str, ignored: Collection[str] = ()) -> float:
    """How likely a clause asks for the thing that it most likely asks for: for a task that is not `ignored`, for what
    no task does, or about this program; 0 for small talk, for what only sets the scene, and without the weights.
    """
    idle = {f"{NONE}/{part}" for part in (*SMALL_TALK, *ASIDE, VAGUE, AGAIN)} - {f"{NONE}/{part}" for part in ABOUT}
    scores = {name: score for row in clause_scores([text]) for name, score in row.items() if name not in idle}
    return max((score for name, score in scores.items() if name.partition("/")[0] not in ignored), default=0.0)
