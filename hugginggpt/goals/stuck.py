"""Finds out when a goal turns in circles, by the thresholds of OpenHands' stuck detector."""

from __future__ import annotations

from collections.abc import Sequence

from hugginggpt.goals.state import Mark

SAME_RESULT, SAME_ERROR, IDLE, ALTERNATING = 4, 3, 3, 6


def circle(marks: Sequence[Mark]) -> str:
    """How the latest steps repeat themselves; empty if they do not. Results that change are progress."""
    if _same(marks, SAME_ERROR) and not marks[-1].ok:
        return f"the same command failed {SAME_ERROR} times in the same way"
    if len(marks) >= IDLE and all(mark.idle for mark in marks[-IDLE:]):
        return f"{IDLE} steps in a row ran no command"
    if _same(marks, SAME_RESULT):
        return f"the same command gave the same result {SAME_RESULT} times"
    last = marks[-ALTERNATING:]
    if len(last) == ALTERNATING and len(set(last)) == 2 and all(last[i] == last[i - 2] for i in range(2, ALTERNATING)):
        return f"two commands alternated {ALTERNATING // 2} times with the same results"
    return ""


def _same(marks: Sequence[Mark], count: int) -> bool:
    return len(marks) >= count and len(set(marks[-count:])) == 1
