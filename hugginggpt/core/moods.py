"""Opposite moods between which somebody asks to choose: "is this message friendly or angry?" asks for its sentiment."""

from __future__ import annotations

import re

_PLEASED = r"""
    friendly happy pleased content satisfied kind nice polite positive good glad cheerful warm grateful thankful
    delighted pleasant
"""
_DISPLEASED = r"""
    angry annoyed unhappy displeased discontented dissatisfied unfriendly rude impolite negative bad mad upset cross
    cold sad disappointed furious irritated mean unpleasant
"""
PLEASED, DISPLEASED = frozenset(_PLEASED.split()), frozenset(_DISPLEASED.split())


def moods_of(text: str) -> tuple[str, str]:
    """The pleased and the displeased mood that an English question sets against each other; "", "" for any other."""
    words = re.findall(r"[a-z]+", text.lower())
    if "or" not in words:
        return "", ""
    good = next((word for word in words if word in PLEASED), "")
    bad = next((word for word in words if word in DISPLEASED), "")
    return (good, bad) if good and bad else ("", "")
