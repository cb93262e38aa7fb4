"""Subtitles from the times of words: as SubRip (.srt) and WebVTT."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MOST_CHARS, MOST_SECONDS = 84, 6.0
"""Of a subtitle: two lines of 42 characters, and what a viewer reads in time (BBC subtitle guidelines)."""
PAUSE_SECONDS = 1.0
ENDS = (".", "!", "?", "…", "。", "？", "！")


@dataclass(frozen=True, slots=True)
class Cue:
    start: float
    end: float
    text: str


def cues(chunks: Iterable[Mapping[str, Any]]) -> list[Cue]:
    """What is said, in pieces that end with a sentence, at a pause, or where they become too long."""
    made: list[Cue] = []
    for chunk in chunks:
        start, end = map(float, chunk["timestamp"])
        text = str(chunk["text"])
        last = made[-1] if made else None
        if last and _belongs(last, start, end, text):
            made[-1] = Cue(last.start, end, last.text + (text if text[:1].isspace() else f" {text}"))
        else:
            made.append(Cue(start, end, text.strip()))
    return made


def _belongs(last: Cue, start: float, end: float, text: str) -> bool:
    fits = len(last.text) + len(text) <= MOST_CHARS and end - last.start <= MOST_SECONDS
    return fits and start - last.end < PAUSE_SECONDS and not last.text.endswith(ENDS)


def marked(cues: Iterable[Cue], form: str) -> str:
    """The subtitles as "srt" or "vtt"."""
    numbered, point = form == "srt", "," if form == "srt" else "."
    blocks = []
    for number, cue in enumerate(cues, 1):
        times = f"{_time(cue.start, point)} --> {_time(cue.end, point)}"
        blocks.append("\n".join([*([str(number)] if numbered else []), times, cue.text, ""]))
    return ("" if numbered else "WEBVTT\n\n") + "\n".join(blocks)


def _time(seconds: float, point: str) -> str:
    thousandths = round(seconds * 1000)
    whole, rest = divmod(thousandths, 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}{point}{rest:03}"
