"""Counts the tokens of a text: with tiktoken for OpenAI's models, by estimate otherwise.

tiktoken downloads its vocabulary on first use. That happens during the first requests, which use
the estimate; if it fails (no network), the estimate stays in use and the log says so once.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

log = logging.getLogger(__name__)

CHARS_PER_TOKEN = 3
"""A conservative estimate: English has about 4 characters a token, code and other scripts fewer."""


class TokenCounter:
    """Counts tokens for one model; `exact` says whether the model is one that tiktoken knows."""

    def __init__(self, model: str | None = None, *, exact: bool = False) -> None:
        self.model = model or ""
        self.encoding: Any = None
        if exact:
            threading.Thread(target=self._load, name="tiktoken", daemon=True).start()

    def __call__(self, text: str) -> int:
        if self.encoding is None:
            return len(text) // CHARS_PER_TOKEN + 1
        return len(self.encoding.encode(text, disallowed_special=()))

    def token_ids(self, words: list[str]) -> list[int]:
        """The ids of all tokens in the words; empty until the vocabulary is available."""
        if self.encoding is None:
            return []
        return sorted({token for word in words for token in self.encoding.encode(word, disallowed_special=())})

    def _load(self) -> None:
        try:
            import tiktoken

            try:
                self.encoding = tiktoken.encoding_for_model(self.model)
            except KeyError:
                self.encoding = tiktoken.get_encoding("o200k_base")
        except Exception as error:  # whatever goes wrong with the download: the estimate is good enough
            log.info("Tokens are estimated: tiktoken has no vocabulary here (%s).", type(error).__name__)
