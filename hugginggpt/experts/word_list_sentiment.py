"""Sentiment of English by word list and rules (VADER)."""

from __future__ import annotations

from typing import Any

from hugginggpt.common.threads import once

MAX_CHARS = 100_000


def compound(text: str) -> float:
    """VADER's compound score, -1 to 1."""
    return float(_vader().polarity_scores(text[:MAX_CHARS])["compound"])


@once
def _vader() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()
