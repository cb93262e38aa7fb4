"""How a text is to be read aloud: to whom ("read it to me"), how fast and how loud, and in whose voice."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hugginggpt.core.results import Kind

_ASKED = r"\W*+(?:(?:please|pls|can|could|would|will|you|u|kindly|just|now|and|then|also|ok|i want you to|i need you to|i'd like you to)\W+)*"
_LISTENER = (
    r"(?:me|us|her|him|them|my \w+|the \w+(?: \w+)?|mum|mom|dad|grandma|grandpa|granny|nan)(?! (?:last|first|"
    r"total|date|time|name|price))"
)
_READ_TO = re.compile(
    rf"{_ASKED}read\W+(?:(?:[\w'’.-]+\W+){{1,6}}?(?:to|for) {_LISTENER}\b|(?:me|us)\W+"
    r"(?:it|this|that|the (?:whole )?(?:letter|text|page|notice|story|note|poem|message|chapter|card|leaflet|email))\b)",
    re.IGNORECASE,
)
"""What asks for a whole text to be heard by somebody: "please read this letter to me"."""
_PART = re.compile(
    r"\b(?:line|number|code|meter|time|date|price|total|sentence|paragraph|word|amount|if|what|whether|when|where|who)\b",
    re.IGNORECASE,
)
"""What asks for a part of it, which is told."""
_READ: tuple[Kind, ...] = ("image", "text")
_SLOWER = re.compile(r"\b(?:slow(?:ly|er)?|not (?:too |so )?(?:fast|quick(?:ly)?)|less fast)\b", re.IGNORECASE)
_FASTER = re.compile(r"\b(?:fast(?:er)?|quick(?:ly|er)?|speedy)\b", re.IGNORECASE)
_LOUDER = re.compile(r"\b(?:louder|loudly|nice and loud|really loud|very loud|good and loud)\b", re.IGNORECASE)
_QUIETER = re.compile(r"\b(?:quieter|softly|softer|quietly)\b", re.IGNORECASE)
_MAN = re.compile(r"\b(?:a |in |with )*(?:man|male)(?:['’]s)? (?:voice|speaker)\b", re.IGNORECASE)
_FORMAT = re.compile(r"\b(?:mp3|ogg|flac|m4a|wav)\b", re.IGNORECASE)
_CHANGES = (
    (_SLOWER, "20 percent slower"),
    (_FASTER, "20 percent faster"),
    (_LOUDER, "louder"),
    (_QUIETER, "quieter"),
)
MAX_MANNER_WORDS = 6
_READS = re.compile(r"\b(?:read|speak|say)\b", re.IGNORECASE)
_ACTS = re.compile(r"\b(?:make|convert|save|turn|export|send|give|as|it|that|this)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:wom[ae]n|female|lady|girl|boy|child|kid|robot|old|young|another|different|other|british|deep|high|low|funny|robotic|american|scottish|irish|"
    r"accent|whisper\w*|sing\w*|german|french|spanish|italian|chinese)\b",
    re.IGNORECASE,
)
"""Words for a voice or language that there is none for."""


def is_read_to_somebody(words: str, topic: Kind | None) -> bool:
    """Whether a clause about a text or a page asks for all of it to be heard."""
    match = _READ_TO.match(words) if topic in _READ else None
    return match is not None and not _PART.search(match[0])


def changes(words: str) -> str:
    """How the speech is to be changed, in words of the operation on recordings: "20 percent slower, louder"."""
    words = _SLOWER.sub("slowly", words)  # "not too quick"
    return ", ".join(change for pattern, change in _CHANGES if pattern.search(words))


def is_beside_reading(words: str, before: Iterable[str]) -> bool:
    """Whether a short clause only says how what is asked for before it is to be read: "not too quick please"."""
    is_short = len(words.split()) <= MAX_MANNER_WORDS and not _ACTS.search(words)
    return is_short and is_met(words) and any(_READS.search(one) for one in before)


def is_met(words: str) -> bool:
    """Whether all that a clause says of the manner is done: speed, loudness, format, a man's voice."""
    is_said = changes(words) or _MAN.search(words) or _FORMAT.search(words)
    return bool(is_said) and not _OTHER.search(words)
