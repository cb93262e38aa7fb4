"""Which transcripts are trusted, by the figures that come with them, and what becomes of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import speech
from hugginggpt.experts.speech import seems_english


@pytest.mark.parametrize(
    ("log_probability", "compression", "tokens", "is_english"),
    [
        (-0.3, 1.1, 20, True),  # a clear voice
        (-0.85, 1.2, 25, True),  # an accent, in noise
        (-1.2, 1.1, 20, False),  # another language, word by word
        (-0.3, 18.0, 30, False),  # the same sentence again and again
        (-0.3, 1.5, 120, False),  # more words than can be said in five seconds
    ],
)
def test_a_transcript_is_trusted_by_its_figures(
    log_probability: float, compression: float, tokens: int, is_english: bool
) -> None:
    segment = SimpleNamespace(
        avg_logprob=log_probability, compression_ratio=compression, tokens=[0] * tokens, start=1.0, end=6.0
    )
    assert seems_english(segment) is is_english


def segment(text: str, log_probability: float = -0.3) -> SimpleNamespace:
    words = [SimpleNamespace(word=f" {word}", start=at, end=at + 0.5) for at, word in enumerate(text.split())]
    figures = {"avg_logprob": log_probability, "compression_ratio": 1.0, "tokens": words, "start": 0.0, "end": 5.0}
    return SimpleNamespace(text=f" {text}", words=words, **figures)


def test_a_transcript_has_the_times_of_the_words_that_were_understood() -> None:
    heard = [segment("one two"), segment("pardon", -2.0), segment("what", -2.0), segment("three")]
    assert speech._transcript(heard) == {
        "generated text": "one two […] three",
        "chunks": [
            {"text": " one", "timestamp": [0.0, 0.5]},
            {"text": " two", "timestamp": [1.0, 1.5]},
            {"text": " three", "timestamp": [0.0, 0.5]},
        ],
    }


def test_without_the_larger_model_a_refusal_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech, "is_installed", lambda package: False)
    assert "[more-experts]" in speech._other_languages() and speech.LARGER_SIZE in speech._other_languages()


def test_an_unlikely_language_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = SimpleNamespace(language="cy", language_probability=0.38)
    monkeypatch.setattr(speech, "_base", lambda: None)
    monkeypatch.setattr(speech, "_heard", lambda model, audio, **options: ([segment("bore da")], found))
    with pytest.raises(ExpertUnavailable, match=r"this may be Welsh; 38 %"):
        speech.transcribe_any(Path("message.ogg"))
