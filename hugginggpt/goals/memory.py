"""Recall: what was noted and what happened, by its meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

RECALLED = 5
MAX_TEXTS = 1000

Embed = Callable[[Sequence[str]], Any]
"""Unit vectors of texts: float32, shape (texts, width)."""


class Recall:
    """Finds the texts closest in meaning; each is embedded once."""

    def __init__(self, embed: Embed | None = None) -> None:
        self._embed = embed
        self._vectors: dict[str, Any] = {}

    def closest(self, query: str, texts: Sequence[str], count: int = RECALLED) -> list[str]:
        """The texts that are closest to the query, the closest first; of very many, the latest are looked at."""
        texts = list(dict.fromkeys(texts))[-MAX_TEXTS:]
        missing = [text for text in (query, *texts) if text not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self._embedding()(missing), strict=True))
        wanted = self._vectors[query]
        ranked = sorted(texts, key=lambda text: -float(self._vectors[text] @ wanted))
        self._vectors = {text: self._vectors[text] for text in texts}
        return ranked[:count]

    def _embedding(self) -> Embed:
        if self._embed is None:
            from hugginggpt.experts.minilm import embed

            self._embed = embed
        return self._embed
