"""Which transcripts are trusted, by the figures that come with them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from hugginggpt.experts.audio import seems_english


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
