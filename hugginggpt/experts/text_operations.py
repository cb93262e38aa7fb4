"""Embedded experts that count the words of a text, tell its language, calculate, and time subtitles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hugginggpt.common.threads import once
from hugginggpt.core.arithmetic import calculated
from hugginggpt.core.errors import BackendError, ExpertUnavailable, UserError
from hugginggpt.core.quantities import seconds
from hugginggpt.core.spoken_calculations import in_words
from hugginggpt.experts import speech
from hugginggpt.experts.registry import expert

MAX_CUE_SECONDS, MAX_CUE_CHARS, PAUSE_SECONDS = 6.0, 80, 0.8
"""A cue of a subtitle ends after so long, so many characters, or before such a pause; and at the end of a sentence."""
_CUE_TIME = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})([.,])(\d{3})(?=\s*-->|\s*(?:$|\s[a-z]+:))", re.MULTILINE)
"""A time of a line that says when a subtitle is shown; what stands behind such a line are settings of VTT."""
LANGUAGES_TOLD = 3
MAX_CHARACTERS = 5000
MIN_LANGUAGE_PROBABILITY = 0.5
"""A word or two stand in several languages: what is told of "hello" is Breton at 7 %."""


_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""The ranges of Kana and Chinese characters, between whose words are no spaces."""


@expert("count", "count-words", "Words, sentences and characters of a text (code).")
def count_words(text: str) -> dict[str, Any]:
    """How many words, sentences and characters a text has. What is written without spaces counts by its characters, as
    word processors count it.
    """
    own = re.findall(rf"[{_UNSPACED}]", text)
    others = re.findall(r"[^\W_]+(?:(?:['’.-]|(?<=\d),(?=\d))[^\W_]+)*", re.sub(rf"[{_UNSPACED}]", " ", text))
    words = [*own, *others]
    sentences = [part for part in re.split(r"[.!?…]+(?:\s|$)|[。！？]+|\n{2,}", text) if re.search(r"\w", part)]
    counted = [(len(words), "word"), (len(sentences), "sentence"), (len(text), "character")]
    answer = ", ".join(f"{number:,} {noun}{'' if number == 1 else 's'}" for number, noun in counted)
    how = " (each Chinese or Japanese character counts as a word)" if own else ""
    return {"answer": answer + how, "words": len(words)}


@expert("exact-calculator", "calculate", "The exact value of a calculation with numbers, + - * / and brackets (code).")
def calculate(calculation: str) -> dict[str, Any]:
    """The value in decimals. Raises UserError for what is no calculation."""
    try:
        return {"answer": in_words(calculated(calculation))}
    except ValueError as error:
        raise UserError(str(error)) from error


@expert(
    "py3langid",
    "detect-language",
    "The language of a text, of 97, by its letters (py3langid).",
    ("py3langid", "langcodes"),
)
def detect_language(text: str) -> list[dict[str, Any]]:
    """The likeliest languages. Raises BackendError for a text without words, and where none is likely."""
    from langcodes import Language

    ranked = ranked_languages(text)[:LANGUAGES_TOLD]
    code, likeliest = ranked[0]
    if likeliest < MIN_LANGUAGE_PROBABILITY:
        may_be = f"this may be {Language.get(code).language_name()}; {100 * likeliest:.0f} %"
        raise BackendError(f"The text is too short to tell its language: {may_be}.")
    return [{"label": Language.get(code).language_name(), "score": score} for code, score in ranked]


def ranked_languages(text: str) -> list[tuple[str, float]]:
    """The codes of 97 languages with how likely the text is in each, the likeliest first.

    Raises BackendError for a text without words.
    """
    if not re.search(r"[^\W\d_]{2}", text):
        raise BackendError("There are no words in the text whose language could be told.")
    return [(code, float(score)) for code, score in _identifier().rank(text[:MAX_CHARACTERS])]


@once
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@expert(
    "whisper",
    "make-subtitles",
    "Subtitles of what is said, as SRT or VTT (Whisper by faster-whisper).",
    ("faster_whisper", "av"),
)
def make_subtitles(audio: Path, format: str = "srt") -> dict[str, Any]:
    """Subtitles of a recording or video, from the times of its words."""
    kind = "vtt" if "vtt" in format.lower() else "srt"
    if not re.search(r"vtt|srt", format, re.IGNORECASE):
        raise UserError(f'Subtitles are written as srt or vtt, not as "{format}".')
    try:
        heard = speech.transcribe(audio)
    except ExpertUnavailable:  # not English: the larger model, where it is installed, says so otherwise
        heard = speech.transcribe_any(audio)
    text = subtitles(heard["chunks"], kind)
    return {"generated text": text, "generated document": text.encode(), "format": kind}


def subtitles(chunks: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Words with their times ({"text", "timestamp": (start, end)}) as the text of a .srt or .vtt file."""
    point = "." if kind == "vtt" else ","
    cues = []
    for number, cue in enumerate(_cues(chunks), 1):
        start, end = (_stamp(seconds, point) for seconds in (cue[0]["timestamp"][0], cue[-1]["timestamp"][1]))
        words = " ".join(str(chunk["text"]).strip() for chunk in cue)
        cues.append(f"{number}\n{start} --> {end}\n{words}")
    return "\n\n".join([*(["WEBVTT"] if kind == "vtt" else []), *cues]) + "\n"


@expert("shift", "move-subtitles", "The subtitles of an SRT or VTT file at other times (code).")
def move_subtitles(document: Path, by: str) -> dict[str, Any]:
    """The file with all its times moved. Raises UserError for another file, and where it is not told by how much or to
    which side; what would begin before 0:00 begins there.
    """
    text = document.read_text(encoding="utf-8-sig", errors="replace")
    if not _CUE_TIME.search(text):
        raise UserError(f"{document.name} has no subtitles with times: give an SRT or VTT file.")
    by_seconds = _seconds_moved(by)
    moved = _CUE_TIME.sub(lambda time: _moved(time, by_seconds), text)
    starts = [time[0] for time in _CUE_TIME.finditer(moved)]
    kind = "vtt" if document.suffix.lower() == ".vtt" else "srt"
    side = "later" if by_seconds > 0 else "earlier"
    note = f"{abs(by_seconds):g} s {side}, the first at {starts[0]}"
    return {"generated document": moved.encode(), "format": kind, "note": note}


def _seconds_moved(by: str) -> float:
    """By how much, below 0 for earlier; subtitles that come too early are moved back, and the other way round."""
    amount = seconds(by)
    later = re.search(r"\b(?:too early|too soon|early|ahead|later|back|delay\w*|forward in time)\b", by, re.IGNORECASE)
    earlier = re.search(r"\b(?:too late|late|behind|earlier|forwards?|sooner)\b", by, re.IGNORECASE)
    if not amount or not (later or earlier):
        raise UserError('Say by how much the subtitles are to be moved: "2 seconds later", "0.5 s earlier".')
    return amount if later and not (earlier and earlier.start() < later.start()) else -amount


def _moved(time: re.Match[str], by_seconds: float) -> str:
    hours, minutes, whole, point, milli = time.groups()
    total = int(hours or 0) * 3600 + int(minutes) * 60 + int(whole) + int(milli) / 1000 + by_seconds
    stamp = _stamp(max(total, 0.0), point)
    return stamp if hours is not None or total >= 3600 else stamp[3:]  # VTT may leave the hours out


def _cues(chunks: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    cue: list[Mapping[str, Any]] = []
    for chunk in chunks:
        if cue:
            begin, last = cue[0]["timestamp"][0], cue[-1]["timestamp"][1]
            is_long = chunk["timestamp"][1] - begin > MAX_CUE_SECONDS
            is_wide = sum(len(str(one["text"]).strip()) + 1 for one in (*cue, chunk)) > MAX_CUE_CHARS
            is_over = chunk["timestamp"][0] - last > PAUSE_SECONDS or str(cue[-1]["text"]).strip().endswith(
                (".", "?", "!")
            )
            if is_long or is_wide or is_over:
                yield cue
                cue = []
        cue.append(chunk)
    if cue:
        yield cue


def _stamp(seconds: float, point: str) -> str:
    total = round(seconds * 1000)
    minutes, rest = divmod(total // 1000, 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest:02d}{point}{total % 1000:03d}"
