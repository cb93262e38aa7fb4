"""Sentence embeddings by all-MiniLM-L6-v2, in NumPy.

The model is a BERT encoder (arXiv 1810.04805) of 6 layers, 12 heads and width 384, trained for sentence
similarity (arXiv 1908.10084); the vector of a text is the mean of its tokens', normalised. Implemented
here because importing torch and transformers takes longer (3 s) than the rest of a first request;
a test compares it with transformers. The weights are stored as int8 (data/make_minilm.py).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.experts.weights import weights

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

LAYERS, HEADS, WIDTH = 6, 12, 384
MAX_TOKENS = 256
BATCH = 32
KEPT = 4000
"""How many texts' vectors are kept, 1.5 kB each."""
BLOCK = 32
"""The number of consecutive values in a row of an int8 matrix that share a scale."""
SCALES = ".scales"
"""The suffix of the tensor with a matrix's scales, shape (rows, columns / 32)."""


def embed(texts: Sequence[str]) -> Array:
    """Unit vectors of the texts: float32, shape (len(texts), 384). Tokens beyond 256 are ignored."""
    import numpy as np

    known = _kept.of(texts)
    missing = sorted({text for text in texts if text not in known}, key=lambda text: (len(text), text))
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        known.update(zip(batch, _model()(batch), strict=True))
    _kept.keep(known)
    return np.stack([known[text] for text in texts]) if texts else np.zeros((0, WIDTH), np.float32)


class _Kept:
    """The vectors of the texts that were asked for last: planning looks at the same clauses with several heads, and the
    next question to a page at the same lines.
    """

    def __init__(self) -> None:
        self._vectors: OrderedDict[str, Array] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, texts: Sequence[str]) -> dict[str, Array]:
        with self._lock:
            return {text: self._vectors[text] for text in texts if text in self._vectors}

    def keep(self, vectors: Mapping[str, Array]) -> None:
        with self._lock:
            for text, vector in vectors.items():
                if text not in self._vectors:
                    self._vectors[text] = vector.copy()  # a row of a batch would keep the whole batch
                self._vectors.move_to_end(text)
            while len(self._vectors) > KEPT:
                self._vectors.popitem(last=False)


_kept = _Kept()


def similarities(text: str, others: Sequence[str]) -> list[float]:
    """The cosine similarity of a text to each of the others."""
    vectors = embed([text, *others])
    return [float(score) for score in vectors[1:] @ vectors[0]]


def knows_word(word: str) -> bool:
    """Whether a lower-case word is a single token of the model's vocabulary."""
    return word_number(word) is not None


def word_number(word: str) -> int | None:
    """The place of a lower-case word in the model's vocabulary, the commonest first; None for one of several tokens."""
    number: int | None = _model().tokenizer.token_to_id(word)
    return number


def lower_states(texts: Sequence[str], layers: int, max_tokens: int = MAX_TOKENS) -> list[Array]:
    """The hidden states of each text's tokens after the first `layers`: float32, shape (tokens, 384)."""
    return [_model().states(text, layers, max_tokens) for text in texts]


def inner_states(ids: Sequence[int], first: int) -> list[Array]:
    """The states of a text's tokens (by number) that go into the layers from `first` on, each (tokens, 384)."""
    return _model().inner_states(ids, first)


def token_ids(text: str) -> list[int]:
    """The tokens of a text by number, without those that begin and end it."""
    return list(_model().tokenizer.encode(text, add_special_tokens=False).ids)


def token_offsets(text: str, max_tokens: int = MAX_TOKENS) -> list[tuple[int, int]]:
    """The (start, end) offsets of each token in the text; (0, 0) for special tokens."""
    return [(int(start), int(end)) for start, end in _model().tokenizer.encode(text).offsets[:max_tokens]]


class _MiniLM:
    def __init__(self) -> None:
        from safetensors.numpy import load_file
        from threadpoolctl import threadpool_limits
        from tokenizers import Tokenizer

        # One thread: the matrices are small, and on a busy processor threads that wait for each other by spinning
        # make a sentence take 20 times as long.
        threadpool_limits(1, user_api="blas")
        self.weights = dequantized(load_file(weights("minilm/model.safetensors")))
        self.tokenizer: Any = Tokenizer.from_file(str(weights("minilm/tokenizer.json")))
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

    def states(self, text: str, layers: int, max_tokens: int) -> Array:
        import numpy as np

        ids = np.array([self.tokenizer.encode(text).ids[:max_tokens]])
        states: Array = self._encode(ids, np.ones(ids.shape, np.float32), layers)[0]
        return states

    def inner_states(self, ids: Sequence[int], first: int) -> list[Array]:
        import numpy as np

        every = list(self._states(np.array([ids]), np.ones((1, len(ids)), np.float32), LAYERS - 1))
        return [states[0] for states in every[first:]]

    def _encode(self, ids: Any, mask: Array, layers: int = LAYERS) -> Array:
        """The hidden states after some layers, shape (texts, tokens, 384)."""
        *_, hidden = self._states(ids, mask, layers)
        return hidden

    def _states(self, ids: Any, mask: Array, layers: int) -> Iterator[Array]:
        """The embeddings of the tokens, and the hidden states after each of some layers."""
        weight = self.weights
        hidden: Array = (
            weight["embeddings.word_embeddings.weight"][ids]
            + weight["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + weight["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = _norm(weight, hidden, "embeddings.LayerNorm")
        attention_bias = (1 - mask)[:, None, None, :] * -1e9
        yield hidden
        for index in range(layers):
            hidden = layer(weight, hidden, attention_bias, f"encoder.layer.{index}.")
            yield hidden


def dequantized(stored: Mapping[str, Any]) -> dict[str, Array]:
    """The tensors as float32: int8 matrices times the scales of their blocks, the others as they are.

    Weight matrices are stored in column-major order: they are used transposed, and so the product with a short
    sentence takes half the time.
    """
    import numpy as np

    def matrix(values: Any, scales: Any) -> Array:
        blocks = values.reshape(*scales.shape, BLOCK) * scales.astype(np.float32)[..., None]
        whole: Array = blocks.reshape(values.shape)
        return whole

    tensors = {
        name: matrix(tensor, stored[name + SCALES]) if name + SCALES in stored else tensor.astype(np.float32)
        for name, tensor in stored.items()
        if not name.endswith(SCALES)
    }
    return {
        name: tensor if name.startswith("embeddings.") else np.asfortranarray(tensor)
        for name, tensor in tensors.items()
    }


def quantized(matrix: Array) -> tuple[Any, Any]:
    """A matrix as int8, of its own shape, and the float16 scales of its blocks, shape (rows, columns / 32)."""
    import numpy as np

    blocks = matrix.reshape(len(matrix), -1, BLOCK)
    scales = (np.abs(blocks).max(2) / 127).astype(np.float16)
    values = np.rint(blocks / scales[..., None].astype(np.float32)).clip(-127, 127).astype(np.int8)
    return values.reshape(matrix.shape), scales


def layer(weights: Mapping[str, Array], hidden: Array, attention_bias: Any, prefix: str) -> Array:
    """One layer of BERT with the weights under `prefix`; `attention_bias` is added to the attention scores."""
    return attended(weights, hidden, *keys_and_values(weights, hidden, prefix), attention_bias, prefix)


def keys_and_values(weights: Mapping[str, Array], hidden: Array, prefix: str) -> tuple[Array, Array]:
    """What a layer attends to: keys and values, each of shape (texts, heads, tokens, 32)."""
    return _heads(weights, hidden, prefix, "key"), _heads(weights, hidden, prefix, "value")


def attended(
    weights: Mapping[str, Array], hidden: Array, keys: Array, values: Array, attention_bias: Any, prefix: str
) -> Array:
    """One layer of BERT whose tokens attend to given keys and values."""
    import numpy as np
    from scipy.special import erf

    scores = _heads(weights, hidden, prefix, "query") @ keys.transpose(0, 1, 3, 2)
    scores = scores / np.float32((WIDTH // HEADS) ** 0.5) + attention_bias
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = ((scores / scores.sum(-1, keepdims=True)) @ values).transpose(0, 2, 1, 3).reshape(hidden.shape)
    mixed = _linear(weights, mixed, f"{prefix}attention.output.dense")
    hidden = _norm(weights, hidden + mixed, f"{prefix}attention.output.LayerNorm")
    inner = _linear(weights, hidden, f"{prefix}intermediate.dense")
    inner = inner * np.float32(0.5) * (1 + erf(inner / np.float32(2**0.5)))  # GELU
    return _norm(weights, hidden + _linear(weights, inner, f"{prefix}output.dense"), f"{prefix}output.LayerNorm")


def _heads(weights: Mapping[str, Array], hidden: Array, prefix: str, part: str) -> Array:
    texts, tokens, width = hidden.shape
    flat = _linear(weights, hidden, f"{prefix}attention.self.{part}")
    return flat.reshape(texts, tokens, HEADS, width // HEADS).transpose(0, 2, 1, 3)


def _linear(weights: Mapping[str, Array], values: Array, name: str) -> Array:
    result: Array = values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return result


def _norm(weights: Mapping[str, Array], values: Array, name: str) -> Array:
    import numpy as np

    centred = values - values.mean(-1, keepdims=True)
    scaled: Array = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(1e-12))
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def layer_weights(index: int) -> dict[str, Array]:
    """The weights of one layer under names without the layer's prefix."""
    prefix = f"encoder.layer.{index}."
    return {name.removeprefix(prefix): value for name, value in _model().weights.items() if name.startswith(prefix)}


_model = once(_MiniLM)
