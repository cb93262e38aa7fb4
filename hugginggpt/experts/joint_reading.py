"""How well each sentence of a text answers a question, by reading the two together.

The lower layers of all-MiniLM-L6-v2 read the question and the text apart, as in DeFormer (arXiv 2005.00697), so that a
text is read once for all questions. In the upper layers, which `python -m hugginggpt.experts.training` trains for it,
the words of the question attend to their own and to those of one sentence; the state of the question's first token
gives the sentence's score. A softmax over the scores of a text and a 0 for "none of them" gives probabilities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import once
from hugginggpt.experts import minilm
from hugginggpt.experts.weights import weights

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

WEIGHTS = "joint-reader.safetensors"
FIRST = 4
"""The first of the upper layers."""
WINDOW_TOKENS, SENTENCE_TOKENS, QUESTION_TOKENS = 180, 80, 48
"""Sentences are encoded with their neighbours in a window of so many tokens; the rest of a long one is ignored."""
BATCH = 32
"""The number of sentences that are read together with a question at once."""
UNREAD, MAX_MARGIN = -10.0, 6.0
"""The score of a sentence that was not read, and the most that one may be ahead or behind."""
START, END = 101, 102
"""The tokens that begin and end what the encoder reads."""


class Memory:
    """The sentences of a text as what the question's words attend to: keys and values of each upper layer."""

    def __init__(self, texts: Sequence[str]) -> None:
        import numpy as np

        states = [state for window in windows(texts) for state in _sentence_states(*window)]
        longest = max((state.shape[1] for state in states), default=1)
        padded = np.zeros((minilm.LAYERS - FIRST, len(states), longest, minilm.WIDTH), np.float32)
        self.mask = np.zeros((len(states), longest), np.float32)
        for number, state in enumerate(states):
            padded[:, number, : state.shape[1]] = state
            self.mask[number, : state.shape[1]] = 1
        self.layers = [
            minilm.keys_and_values(_upper(), layer + _upper()["kind"], f"encoder.layer.{FIRST + number}.")
            for number, layer in enumerate(padded)
        ]

    def scores(self, question: str) -> list[float]:
        """For each sentence how much sooner it answers a question than "none of them" (natural logarithm)."""
        import numpy as np

        ids = [START, *minilm.token_ids(question)[: QUESTION_TOKENS - 2], END]
        asked = minilm.inner_states(ids, FIRST)[0]
        parts = [self._read(asked, start) for start in range(0, len(self.mask), BATCH)]
        return [float(score) for score in np.concatenate(parts)] if parts else []

    def _read(self, asked: Array, start: int) -> Array:
        """The scores of a batch of sentences for a question's states, shape (tokens, 384)."""
        import numpy as np

        upper, batch = _upper(), slice(start, start + BATCH)
        mask = self.mask[batch]
        hidden = np.repeat(asked[None], len(mask), 0)
        bias = np.concatenate([np.ones((len(mask), len(asked)), np.float32), mask], 1)
        bias = ((1 - bias) * -1e4)[:, None, None, :]
        for number, (keys, values) in enumerate(self.layers):
            prefix = f"encoder.layer.{FIRST + number}."
            own = minilm.keys_and_values(upper, hidden, prefix)
            memory = np.concatenate([own[0], keys[batch]], 2), np.concatenate([own[1], values[batch]], 2)
            asking = hidden[:, :1] if number == len(self.layers) - 1 else hidden
            hidden = minilm.attended(upper, asking, *memory, bias, prefix)
        scores: Array = hidden[:, 0] @ upper["out.weight"][0] + upper["out.bias"][0]
        return scores


def standing(index: int, scores: Mapping[int, float]) -> tuple[float, ...]:
    """What the scores of a text's sentences (by number) say of one: its score, the logarithm of its probability, how
    far it is ahead of the others, and how many are ahead of it, in fives."""
    import numpy as np

    score, ranked = scores.get(index, UNREAD), sorted([*scores.values(), UNREAD], reverse=True)
    others = ranked[1] if score == ranked[0] else ranked[0]
    return (
        score,
        score - float(np.logaddexp.reduce([0.0, *ranked])),
        max(-MAX_MARGIN, min(MAX_MARGIN, score - others)),
        sum(other > score for other in ranked) / 5,
    )


def windows(texts: Sequence[str]) -> Iterator[tuple[list[int], list[tuple[int, int]]]]:
    """The tokens of neighbouring sentences, and where in them each sentence begins and ends."""
    tokens, places = [START], list[tuple[int, int]]()
    for text in texts:
        own = minilm.token_ids(text)[:SENTENCE_TOKENS]
        if places and len(tokens) + len(own) > WINDOW_TOKENS:
            yield [*tokens, END], places
            tokens, places = [START], []
        places.append((len(tokens), len(tokens) + len(own)))
        tokens += own
    if places:
        yield [*tokens, END], places


def _sentence_states(tokens: list[int], places: Sequence[tuple[int, int]]) -> list[Any]:
    """The states of each sentence that go into the upper layers, shape (layers, tokens, 384)."""
    import numpy as np

    states = np.stack(minilm.inner_states(tokens, FIRST))
    return [states[:, start:end] for start, end in places]


@once
def _stored() -> dict[str, Array]:
    from safetensors.numpy import load_file

    return minilm.dequantized(load_file(weights(WEIGHTS)))


_used: list[dict[str, Array]] = []


def use(upper: dict[str, Array]) -> None:
    """Reads texts by these upper layers from now on, as the training does."""
    _used[:] = [upper]


def _upper() -> dict[str, Array]:
    return _used[0] if _used else _stored()
