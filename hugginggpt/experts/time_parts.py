"""The part of a recording or video that words tell: "the first 30 seconds", "0:10 to 0:20", "without the last 5 s"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hugginggpt.core.errors import UserError
from hugginggpt.core.quantities import NUMBER, SHARE, TIME, clock, fraction, number, seconds, share_of_hundred

MIN_SECONDS = 0.05
_OFF = re.compile(
    r"\b(?:remove|delete|drop|skip|lose|discard|strip|without|except|off|away|get rid|leave out|"
    r"(?:cut|crop|chop|snip|slice|take|shave|trim) out)\b|^(?:cut|trim|chop|shave) (?:the )?(?:first|last)\b",
    re.IGNORECASE,
)
_ONLY_OUT = re.compile(r"\b(?:cut|crop|chop|snip|slice|take|clip) out\b.*\b(?:only|alone)\b", re.IGNORECASE)
"""What is taken out to be had: "cut out the first 5 seconds only"."""
_PIECE = re.compile(
    r"\b(?:cut|clip|snip) out (?:only |just )?(?:me |us )?(?:the|this|that|a|my) "
    r"(?:(?:short|little|nice|good|best|funny|important) )?"
    r"(?:piece|clip|scene|bit|section|passage|part|segment|excerpt|extract|snippet|stretch)\b"
    r"(?!.*\b(?:rest|remaining|silen\w*|nois\w*|cough\w*|bad|boring|wrong|unwanted|useless|embarrassing|ads?|"
    r"adverts?|mistakes?)\b)",
    re.IGNORECASE,
)
"""A piece that is taken out of a whole is what is wanted, but where it is said to be bad, or what is left is."""
_TO = r" ?(?:to|until|till|and|through|up to|-|–) ?(?:end(?:s|ing)? (?:at )?)?"
_BOTH_ENDS = re.compile(rf"\bfirst ({TIME}|{NUMBER}),? and (?:the )?last ({TIME})", re.IGNORECASE)
_RANGE = re.compile(rf"({TIME}|{NUMBER}|the (?:start|beginning)){_TO}({TIME}|(?:the )?end)", re.IGNORECASE)


_COUNTED = re.compile(rf"\b(second|minute) ((?!half|third|quarter|an?\b){NUMBER})\b(?!{_TO}{NUMBER})(?! ?(?:s|m|h)\b)")
"""A time said as a number behind its unit: "from minute 2 on"."""


@dataclass(frozen=True, slots=True)
class Part:
    """From `start` to `end` seconds, which is kept, or removed."""

    start: float
    end: float
    is_removed: bool = False

    def kept(self, length: float) -> list[tuple[float, float]]:
        """The (start, end) seconds that are kept of something of a length."""
        if not self.is_removed:
            return [(self.start, self.end)]
        return [one for one in ((0.0, self.start), (self.end, length)) if one[1] - one[0] >= MIN_SECONDS]

    def note(self, length: float) -> str:
        """What was done, in words."""
        did = "removed" if self.is_removed else "kept"
        return f"{did} {clock(self.start)} to {clock(self.end)} of {clock(length)}"


def read_part(words: str, length: float) -> Part:
    """The part that words tell of something that lasts `length` seconds. Raises UserError."""
    if (ends := _BOTH_ENDS.search(words)) and _OFF.search(words):
        last = seconds(ends[2]) or 0.0
        first = seconds(ends[1]) or (number(ends[1]) or 0.0)
        if first + last + MIN_SECONDS > length:
            raise UserError(f'Nothing would be left by "{words}": it lasts {clock(length)}.')
        return Part(first, length - last)
    found = _span(_COUNTED.sub(r"\2 \1", words.lower()), length)
    if found is None:
        raise UserError(
            f'Which part is "{words}"? Say it by its times, such as "the first 30 seconds", "0:10 to 0:20" or '
            '"without the last 5 seconds".'
        )
    start, end = found
    is_removed = bool(_OFF.search(words)) and not (_ONLY_OUT.search(words) or _PIECE.search(words))
    part = Part(max(0.0, start), min(end, length), is_removed)
    if start >= length:
        raise UserError(f"It lasts {clock(length)} only: there is nothing at {clock(start)}.")
    if part.end - part.start < MIN_SECONDS or not part.kept(length):
        raise UserError(f'Nothing would be left by "{words}": it lasts {clock(length)}.')
    return part


def _span(words: str, length: float) -> tuple[float, float] | None:
    if counted := re.search(rf"\b(seconds?|minutes?) ({NUMBER}){_TO}({NUMBER})\b(?! ?(?:s|m))", words):
        return tuple(float(seconds(f"{counted[at]} {counted[1]}") or 0) for at in (2, 3))  # type: ignore[return-value]
    if both := _RANGE.search(words):
        start, end = both[1], both[2]
        last = length if end.endswith("end") else float(seconds(end) or 0)
        first = seconds(start)
        if first is None:  # "30 to 45 seconds"
            unit = re.search(r"[a-z]+$", end)
            first = 0.0 if start.startswith("the") else float(seconds(f"{start} {unit[0] if unit else 's'}") or 0)
        return first, last
    if side := re.search(rf"\b(first|opening|initial|last|final|second|middle) ({SHARE})", words):
        told = share_of_hundred(side[2])
        share = length * float(fraction(side[2]) or 0 if told is None else told)
        if side[1] == "middle":
            return (length - share) / 2, (length + share) / 2
        if side[1] == "second" and 3 * share <= length * 1.001:  # "the second quarter"
            return share, 2 * share
        return (0.0, share) if side[1] in ("first", "opening", "initial") else (length - share, length)
    time = seconds(words)
    if time is None and (side := re.search(r"\b(?:first|last|final|opening|middle) (minute|second|hour)", words)):
        time = seconds(f"1 {side[1]}")
    if time is None and (side := re.search(r"\b(?:first|last) ", words)) and (count := number(words)):
        time = count
    if time is None:
        return None
    return _at_an_end(words, time, length)


def _at_an_end(words: str, time: float, length: float) -> tuple[float, float]:
    """Where a time lies of which words tell the end, and on which side of it."""
    if "middle" in words:
        return max(0.0, (length - time) / 2), (length + time) / 2
    if re.search(r"\b(?:after|beyond) (?:the )?(?:first|opening|initial)\b", words):
        return time, length
    if re.search(r"\b(?:before|up to|until) (?:the )?(?:last|final)\b", words):
        return 0.0, length - time
    if re.search(r"\b(?:last|final|end)\b", words):
        return length - time, length
    if re.search(r"\b(?:from|after|starting|since)\b|\bon(?:wards?)?$", words) and "first" not in words:
        return time, length
    return 0.0, time
