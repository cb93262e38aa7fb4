"""What is wrong with a file stands for the change that mends it: "it is too dark" asks for a brighter picture.

Where the request says what to do about it as well ("too dark: brighten it"), the complaint only explains that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hugginggpt.offline.clauses import QUESTION, Clause
from hugginggpt.offline.conditions import Part

_MENDED = {
    "brighter": ("dark", "dim", "gloomy", "underexposed"),
    "darker": ("bright", "light", "overexposed"),
    "sharper": ("blurry", "blurred", "fuzzy", "unsharp"),
    "more contrast": ("flat", "washed out"),
    "more saturated": ("pale", "dull", "colourless", "colorless"),
    "less saturated": ("colourful", "colorful", "garish", "gaudy"),
    "louder": ("quiet", "faint", "silent", "soft"),
    "quieter": ("loud", "noisy"),
    "faster": ("slow",),
    "slower": ("fast", "quick"),
    "warmer": ("blue", "bluish", "cold"),
    "cooler": ("yellow", "yellowish", "orange", "reddish", "warm"),
    "smaller": ("big", "large", "wide", "huge"),
    "larger": ("small", "tiny", "little"),
}
"""Each change, and what is too much of where it is asked for."""
_CHANGE_FOR = {fault: change for change, faults in _MENDED.items() for fault in faults}
_FAULT = re.compile(rf"\b(?:to+|so+|very) (?P<fault>{'|'.join(map(re.escape, _CHANGE_FOR))})\b(?: for \w+)?", re.I)
_TOO = re.compile(rf"\bto+ (?P<fault>{'|'.join(map(re.escape, _CHANGE_FOR))})\b", re.IGNORECASE)
_CHANGING = re.compile(
    r"\b(?:brighten|lighten|darken|sharpen|soften|blur|deblur|brighter|lighter|darker|sharper|crisper|softer|warmer|cooler|colder|more warm|louder|quieter|faster|"
    r"slower|smaller|larger|bigger|enlarge|upscale|upsize|magnify|shrink|resize|amplify|boost|normali[sz]e|turn \w+ (?:up|down)|turn (?:up|down)|"
    r"speed|slow|(?:more|less|increase|decrease|raise|lower|reduce) (?:\w+ ){0,2}(?:light|brightness|contrast|saturation|volume|colou?r|loud)\w*|"
    r"(?:make|get) (?:it|this|that|them|the \w+) (?:\w+ ){0,2}(?:loud|quiet|bright|dark|light|sharp|big|small|slow|fast|half|double|twice)|\d+ ?(?:%|x|db|percent))\b",
    re.IGNORECASE,
)
"""The words of a change that is asked for."""
_MISPLACED = re.compile(
    r"\b(?:is|are|lies|came out|stands|hangs|turned out|was (?:taken|scanned|saved))\b.*\b(?:on (?:its|their|the) (?:side|head)|upside[ -]down|"
    r"sideways|crooked|tilted|askew|the wrong way (?:round|up)|mirrored|reversed|mirror-inverted|back to front)\b",
    re.IGNORECASE,
)
_TURNING = re.compile(
    r"\b(?:turn|rotate|tilt|tip|swing|flip|mirror|spin|straighten|upright|put it right|right (?:side|way) up)\b", re.I
)
"""How a picture lies, and the words of what is to be done about it."""
MENDING = re.compile(
    r"\W*+(?:please |can you |could you |and |just )*(?:fix|correct|mend|undo|change|put|set|help)\b"
    r"(?: (?:it|this|that|me|right|straight|back|please|first|too|then|now|for me))*\W*",
    re.IGNORECASE,
)
"""A clause that asks to mend what the one before it tells."""
_NOT_TOO = re.compile(r"\b(?:not|n['’]t) (?:be )?(?:too|so|very)\b", re.IGNORECASE)
"""What tells how something is to be, and not what is wrong: "not too quick please"."""
MAX_WORDS = 16
"""A longer clause tells something else than what is wrong with a file."""


def mended(words: str) -> str:
    """Words with the change that is wanted in place of what is wrong: "still too dark" -> "still brighter"; unchanged
    where they say what to do about it, without what is wrong then.
    """
    if (lies := _MISPLACED.search(words)) and _TURNING.search(words, lies.end()):
        return words[lies.end() :].strip(" ,;:-–")
    if not _is_complaint(words):
        return words
    if match := _FAULT.search(words):
        before, behind = words[: match.start()], words[match.end() :]
        if rest := next((rest for rest in (behind, before) if _CHANGING.search(rest)), ""):
            return rest.strip(" ,;:-–")
    return _TOO.sub(lambda match: _CHANGE_FOR[match["fault"].lower()], words)


def resolved(parts: Sequence[Part]) -> list[Part]:
    """The parts of a request without the complaints beside which another part says what to do, and with the change that
    a complaint stands for.
    """
    kept: list[Part] = []
    for at, part in enumerate(parts):
        clause = part.clause
        others = [other.clause.text for number, other in enumerate(parts) if number != at]
        before = parts[at - 1].clause.text if at else ""
        if MENDING.fullmatch(clause.text) and (_lies_wrong(before) or _is_complaint(before)):
            continue
        if _lies_wrong(clause.text):
            wish = replace(part, clause=replace(clause, text=_turned(clause.text)))
            is_to_be_mended = not others or any(map(MENDING.fullmatch, others))
            kept += [] if any(map(_TURNING.search, others)) else [wish if is_to_be_mended else part]
        elif not (_is_complaint(clause.text) or (_is_fault(clause.text) and any(map(_CHANGING.search, others)))):
            kept.append(part)
        elif not (_is_bare(clause) and any(map(_CHANGING.search, others))):
            kept.append(replace(part, clause=replace(clause, text=_wish(clause.text))))
    return kept


def _wish(text: str) -> str:
    """A complaint as a request, which is what the classifier of clauses has learned."""
    match = _TOO.search(text)
    if match is None or _CHANGING.search(_FAULT.sub("", text)):
        return mended(text)
    return f"make it {_CHANGE_FOR[match['fault'].lower()]}"


def _lies_wrong(text: str) -> bool:
    """Whether a text only tells how a picture lies."""
    return bool(_MISPLACED.search(text)) and not (_TURNING.search(text) or QUESTION.search(text))


def _turned(text: str) -> str:
    """What mends how a picture lies, as a request."""
    is_mirrored = re.search(r"mirror|reversed|back to front", text, re.IGNORECASE)
    return "mirror it photo.jpg" if is_mirrored else f"rotate it, {text}"


def _is_complaint(text: str) -> bool:
    is_told = not QUESTION.search(text) and not _NOT_TOO.search(text) and len(text.split()) <= MAX_WORDS
    return is_told and bool(_TOO.search(text) or (_FAULT.search(text) and _CHANGING.search(_FAULT.sub("", text))))


def _is_fault(text: str) -> bool:
    """Whether a text only tells how much there is of something: "its so quiet"."""
    return bool(_FAULT.search(text)) and not QUESTION.search(text) and len(text.split()) <= MAX_WORDS


def _is_bare(clause: Clause) -> bool:
    """Whether a clause says nothing but what is wrong."""
    return not _CHANGING.search(_FAULT.sub("", clause.text))
