"""Embedded experts for recordings that need no model: cut, join, convert, adjust, measure (FFmpeg, by PyAV).

Each reads one argument in words ("the first 30 seconds", "6 dB louder"). Raises UserError, which says what can be
said, for words that it cannot read or follow.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hugginggpt.core.errors import UserError
from hugginggpt.core.operation_words import HOW_OFTEN
from hugginggpt.core.quantities import DECIMAL, DIGITS, NUMBER, SCALES, clock, fraction, number, seconds
from hugginggpt.experts.operations import operation
from hugginggpt.experts.time_parts import read_part
from hugginggpt.media.sound import ALSO_CALLED, FORMATS, MAX_SPEED, MIN_SPEED, Coding, Filter, measure, trimmed, written

AV = ("av",)
MAX_JOINED = 50
LOUDER_DB, TWICE_AS_LOUD_DB, MAX_DB = 6.0, 10.0, 40.0
"""What "louder" means; ten decibels are heard as twice as loud."""
SPEECH_LUFS = -16.0
"""The loudness that recordings are levelled to, as is usual for podcasts."""
HARDLY_HEARD = -35.0
"""What is quieter is levelled to speech where it is to be louder: a few decibels more nobody would hear."""
TOLERANCE_DB = 0.3
"""A loudness that is so close to the wanted one is called reached."""
FASTER = 1.25
FADE_SECONDS = 3.0
GAP_SECONDS, MAX_GAP_SECONDS = 1.0, 60.0
SILENCE_DB, PAUSE_SECONDS = -45, 0.6
"""What is quieter for so long is silence."""
_LIMIT: Filter = ("alimiter", "limit=0.97:level=false")
"""Keeps what became louder from clipping."""


def _kept_format(path: Path) -> str:
    """The format for what is made of a file: its own where sound is written in it, else mp3."""
    suffix = path.suffix[1:].lower()
    kind = ALSO_CALLED.get(suffix, suffix)
    return kind if kind in FORMATS and suffix != "mp4" else "mp3"


def _answer(data: bytes, note: str) -> dict[str, Any]:
    return {"generated audio": data, "note": note}


@operation("cut", "cut-audio", "Keeps or removes a part by its times, or the silence (FFmpeg).", AV)
def cut(audio: Path, part: str) -> dict[str, Any]:
    """The recording without what the words leave out."""
    length = measure(audio).seconds
    kind = _kept_format(audio)
    if re.search(r"\bsilen|\bpauses|\bdead air|\bgaps", part, re.IGNORECASE):
        ends = f"start_periods=1:start_threshold={SILENCE_DB}dB:stop_periods=-1:stop_threshold={SILENCE_DB}dB"
        data = written([(audio, [("silenceremove", f"{ends}:stop_duration={PAUSE_SECONDS}")])], kind)
        return _answer(data, f"without silence below {SILENCE_DB} dB")
    taken = read_part(part, length)
    sources = [(audio, trimmed(start, end)) for start, end in taken.kept(length)]
    return _answer(written(sources, kind), taken.note(length))


@operation("join", "join-audio", "One recording after another (FFmpeg).", AV)
def join(audios: Sequence[Path], gap: str = "") -> dict[str, Any]:
    """The recordings in one, in their order, in the format of the first, with silence between them where it is told."""
    if not 2 <= len(audios) <= MAX_JOINED:
        there = "is" if len(audios) == 1 else "are"
        raise UserError(f"To be joined, 2 to {MAX_JOINED} recordings are needed; there {there} {len(audios)}.")
    silence = (seconds(gap) or GAP_SECONDS) if gap else 0.0
    if silence > MAX_GAP_SECONDS:
        raise UserError(f"The gap between recordings is {MAX_GAP_SECONDS:g} seconds at most, not {silence:g}.")
    pad: list[Filter] = [("apad", f"pad_dur={silence:.3f}")] if silence else []
    sources = [(path, pad if path_number < len(audios) else []) for path_number, path in enumerate(audios, 1)]
    note = f"{len(audios)} recordings" + (f", {silence:g} s of silence between" if silence else "")
    return _answer(written(sources, _kept_format(audios[0])), note)


@operation(
    "convert", "convert-audio",
    "Saves as mp3, ogg (Opus), flac, wav or m4a, with a bit rate or sample rate; of a video its sound (FFmpeg).", AV,
)  # fmt: skip
def convert(audio: Path, format: str = "mp3") -> dict[str, Any]:
    """The sound in another format, or in its own with another rate."""
    words = re.findall(r"[a-z]\w*", format.lower())
    name = next((kind for word in words if (kind := ALSO_CALLED.get(word, word)) in FORMATS), "")
    coding, channels = _coding(format), re.search(r"\b(?:mono|stereo)\b", format.lower())
    if not (name or channels or coding != Coding()):
        raise UserError(f'Sound is saved as {", ".join(list(FORMATS)[:-1])} or {list(FORMATS)[-1]}, not as "{format}".')
    name = name or _kept_format(audio)
    _check_coding(coding, name)
    filters: list[Filter] = [("aformat", f"channel_layouts={channels[0]}")] if channels else []
    notes = [f"{audio.suffix[1:].upper()} became {name.upper()}"]
    notes += [f"{coding.rate:,} Hz"] if coding.rate else []
    notes += [f"{coding.bits // 1000} kbit/s"] if coding.bits else []
    notes += [channels[0]] if channels else []
    return _answer(written([(audio, filters)], name, coding), ", ".join(notes))


MIN_KBITS, MAX_KBITS = 16, 320


def _coding(words: str) -> Coding:
    """The rates that words tell."""
    rate = re.search(
        rf"({DECIMAL}) ?(khz|kilohertz|hz|hertz)|sampl(?:e|ing) rate (?:of |to |at |is )?({DIGITS})", words, re.I
    )
    hertz = 0.0
    if rate:
        hertz = float((rate[1] or rate[3]).replace(",", ".")) * (1000 if (rate[2] or "").lower().startswith("k") else 1)
    bits = re.search(rf"({DIGITS}) ?k(?!hz|ilohertz|\w*hertz)", words, re.IGNORECASE)
    return Coding(round(hertz), 1000 * int(bits[1]) if bits else 0)


def _check_coding(coding: Coding, name: str) -> None:
    """Raises UserError for rates that a format does not have."""
    form = FORMATS[name]
    if coding.bits and not form.bits:
        raise UserError(f"A {name.upper()} has no bit rate to choose, it leaves nothing out: take mp3, ogg or m4a.")
    if coding.bits and not MIN_KBITS <= coding.bits // 1000 <= MAX_KBITS:
        raise UserError(f"The bit rate is {MIN_KBITS} to {MAX_KBITS} kbit/s.")
    if coding.rate and not (coding.rate in form.rates if form.rates else 4000 <= coding.rate <= 192_000):
        possible = ", ".join(f"{rate:,}" for rate in form.rates) or "4,000 to 192,000"
        raise UserError(f"A {name.upper()} has a sample rate of {possible} Hz, not of {coding.rate:,}.")


@operation("measure", "measure-audio", "Length, loudness (EBU R 128), peak, rate and channels (FFmpeg).", AV)
def say_measures(audio: Path) -> dict[str, Any]:
    """How long and how loud a recording is, in a sentence."""
    found = measure(audio)
    loud = "silence" if found.loudness is None else f"{found.loudness:.1f} LUFS loud"
    channels = {1: "mono", 2: "stereo"}.get(found.channels, f"{found.channels} channels")
    answer = f"{clock(found.seconds)} long ({found.seconds:.1f} s), {loud}, {found.rate:,} Hz, {channels}"
    return {
        "answer": answer,
        "seconds": round(found.seconds, 2),
        "loudness": found.loudness,
        "bytes": audio.stat().st_size,
    }


# Adjust


@operation("adjust", "adjust-audio", "Loudness, speed (the pitch stays), mono, backwards, fades (FFmpeg).", AV)
def adjust(audio: Path, change: str) -> dict[str, Any]:
    """The recording with all the changes that the words name."""
    times, change = repeated(change)
    filters, notes = changes(change, audio)
    if not notes and times == 1:
        raise UserError(
            f'What is to be changed by "{change}"? Possible are louder, quieter, "6 dB louder", "-16 LUFS", normalise, '
            "faster, slower, half speed, mono, backwards, fade in, fade out, and repeat three times."
        )
    data = written([(audio, filters)] * times, _kept_format(audio))
    notes += [f"{times} times in a row"] if times > 1 else []
    return _answer(data, ", ".join(as_reached(notes, filters, audio, io.BytesIO(data))))


MAX_TIMES = 50
_REPEATED = re.compile(
    rf"\b(?:repeat|loop)\w*(?:[^.;,]{{0,20}}?\b({HOW_OFTEN}))?|"
    rf"\b({HOW_OFTEN}) (?:as long|in a row|over|in succession)",
    re.IGNORECASE,
)


def repeated(change: str) -> tuple[int, str]:
    """How often the sound is to be heard, and what else words ask for. Raises UserError for too often."""
    match = _REPEATED.search(change)
    if match is None:
        return 1, change
    every = [one[1] or one[2] or "" for one in _REPEATED.finditer(change)]
    told = next((one for one in every if one), "twice").lower()
    times = {"twice": 2, "thrice": 3}.get(told) or round((number(told) or 2) * SCALES.get(told.split()[-2], 1))
    if not 2 <= times <= MAX_TIMES:
        raise UserError(f"It is repeated 2 to {MAX_TIMES} times, not {times:,}.")
    return times, _REPEATED.sub("", change).strip(" ,")


NEARLY_CLIPPED = 0.8
"""The peak of a recording from which more would clip. Where it is lower, the loudness of a whisper was measured over
other parts of it than before."""


def as_reached(notes: Sequence[str], filters: Sequence[Filter], before: Path, after: Path | io.BytesIO) -> list[str]:
    """The notes on what was changed, with how loud a recording became, measured, if that was to change: what would clip
    is held down.
    """
    wanted = next((float(value.removesuffix("dB")) for name, value in filters if name == "volume"), None)
    measured = measure(after)
    loud, now = measure(before).loudness, measured.loudness
    if wanted is None or loud is None or now is None:
        return [*notes]
    levels = f"from {loud:.1f} to {now:.1f} LUFS"
    if abs(now - loud - wanted) <= TOLERANCE_DB or measured.peak < NEARLY_CLIPPED:
        return [*notes, levels]
    limited = f"as loud as it can be without clipping: {_in_decibels(now - loud)}"
    return [*(limited if note == _in_decibels(wanted) else note for note in notes), levels]


def _in_decibels(change: float) -> str:
    return f"{abs(change):.1f} dB {'louder' if change >= 0 else 'quieter'}"


def changes(change: str, audio: Path) -> tuple[list[Filter], list[str]]:
    """The filters for all the changes that words name, and what each does. What changes the same (the loudness, the
    speed) is one change: "louder, to -16 LUFS".
    """
    filters: list[Filter] = []
    notes: list[str] = []
    steps = re.split(r",(?!\d)| and (?!a half|out\b)| then ", change.lower())
    of_kind = [next((kind for kind in (_SPEED, _LEVEL) if kind.search(step)), None) for step in steps]
    for kind, one in ((_LEVEL, _level), (_SPEED, _speed)):
        words = " ".join(step for step, other in zip(steps, of_kind, strict=True) if other is kind)
        if words and (found := one(words, audio)):
            filters += found[0]
            notes.append(found[1])
    for step, other in zip(steps, of_kind, strict=True):
        if other is None and (found := _other(step, audio)):
            filters += found[0]
            notes.append(found[1])
    return filters, notes


Change = tuple[list[Filter], str]


_LEVEL = re.compile(
    r"loud|quiet|soft|volume|\beven|\bdb\b|\ddb\b|decibel|lufs|normali|level|amplif|boost|turn|crank|lower|raise|silent"
)
_SPEED = re.compile(r"fast|slow|speed|tempo|pace|\d ?x\b|\btimes\b")


def _speed(words: str, audio: Path) -> Change | None:
    factor = _factor(words)
    if not MIN_SPEED <= factor <= MAX_SPEED:
        raise UserError(f"Sound is played at {MIN_SPEED:g} to {MAX_SPEED:g} times its speed, not at {factor:g}.")
    steps: list[Filter] = []
    rest = factor
    while rest < 0.5:
        steps.append(("atempo", "0.5"))
        rest /= 0.5
    return [*steps, ("atempo", f"{rest:.6f}")], f"{factor:g} times as fast"


def _factor(words: str) -> float:
    """How many times as fast."""
    is_slower = bool(re.search(r"slow|reduce|less|decrease", words))
    words = re.sub(r"\b(?:an?|one) (?=(?:half|third|quarter|fifth|tenth)\b)", "", words)
    if by := re.search(r"\bby (third|quarter|fifth|tenth)\b", words):
        share = fraction(by[1]) or 0
        return 1 - share if is_slower else 1 + share
    if percent := re.search(rf"({DECIMAL}) ?(?:%|per ?cent)", words):
        share = float(percent[1].replace(",", ".")) / 100
        is_relative = re.search(r"\bby\b|(?:faster|slower)(?!\b.*,)", words)  # "slower, 75 percent" is three quarters
        return (1 - share if is_slower else 1 + share) if is_relative else share
    if re.search(r"\bhalf (?:as fast|the|its|speed|tempo|pace|normal)|\bhalf\b.*speed|\bto half\b|halve", words):
        return 0.5
    if re.search(r"\bby (?:a )?half", words):
        return 0.5 if is_slower else 1.5
    if re.search(r"twice|double", words):
        return 0.5 if is_slower else 2.0
    if found := re.search(rf"({NUMBER}) ?(?:x\b|times)|(?:by|to|at)(?: a factor of)? ({NUMBER})", words):
        value = float(number(found[1] or found[2]) or 1)
        return 1 / value if is_slower and value > 1 else value
    small = re.search(r"\b(?:bit|little|slight\w*|tad)\b", words)
    factor = 1.1 if small else 1.5 if re.search(r"\b(?:much|lot|way|very)\b", words) else FASTER
    return 1 / factor if is_slower else factor


def _level(words: str, audio: Path) -> Change | None:
    """A change of the loudness, in decibels."""
    before = measure(audio).loudness
    if before is None:
        raise UserError("The recording is silent: there is nothing to make louder or quieter.")
    change = _decibels(words, before)
    if not -MAX_DB <= change <= MAX_DB:
        raise UserError(f"The loudness is changed by {MAX_DB:g} dB at most, not by {abs(change):.1f}.")
    return [("volume", f"{change:.2f}dB"), *([_LIMIT] if change > 0 else [])], _in_decibels(change)


def _decibels(words: str, before: float) -> float:
    is_less = bool(re.search(r"quiet|soft|lower|down|less|reduce|decrease|half|halve|silent", words))
    if target := re.search(rf"(-?{DECIMAL}) ?lufs", words):
        return -abs(float(target[1].replace(",", "."))) - before
    if re.search(r"normali|level(?:led|ling)?\b|\beven(?:ed)? out", words):
        return SPEECH_LUFS - before
    if given := re.search(rf"([-+−]?)({DECIMAL}) ?(?:db|decibel)", words):
        value = float(given[2].replace(",", "."))
        return -value if is_less or given[1] in ("-", "−") else value
    if percent := re.search(rf"({DECIMAL}) ?(?:%|per ?cent)", words):
        from math import log2

        share = float(percent[1].replace(",", ".")) / 100
        wanted = max(0.01, 1 - share if is_less else 1 + share)
        return TWICE_AS_LOUD_DB * log2(wanted)
    if re.search(r"twice|double|half|halve", words):
        return -TWICE_AS_LOUD_DB if is_less else TWICE_AS_LOUD_DB
    if times := re.search(rf"({NUMBER}) ?(?:x\b|times)", words):
        from math import log2

        change = TWICE_AS_LOUD_DB * log2(max(0.01, float(number(times[1]) or 1)))
        return -change if is_less else change
    small = re.search(r"\b(?:bit|little|slight\w*|tad)\b", words)
    size = (
        LOUDER_DB / 2 if small else 2 * LOUDER_DB if re.search(r"\b(?:much|lot|way|very|far)\b", words) else LOUDER_DB
    )
    if not (is_less or small) and before < HARDLY_HEARD:
        return min(MAX_DB, SPEECH_LUFS - before)
    return -size if is_less else size


def _other(words: str, audio: Path) -> Change | None:
    if channels := re.search(r"\b(?:mono|stereo)\b", words):
        return [("aformat", f"channel_layouts={channels[0]}")], f"in {channels[0]}"
    if re.search(r"backward|revers", words):
        return [("areverse", "")], "backwards"
    if "fade" in words:
        length = measure(audio).seconds
        time = min(seconds(words) or FADE_SECONDS, length / 2)
        ways = [way for way in ("in", "out") if re.search(rf"\b{way}\b", words)] or ["out"]
        starts = {"in": 0.0, "out": length - time}
        filters = [("afade", f"type={way}:start_time={starts[way]:.3f}:duration={time:.3f}") for way in ways]
        return filters, f"faded {' and '.join(ways)} over {time:g} s"
    return None
