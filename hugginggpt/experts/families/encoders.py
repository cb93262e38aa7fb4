"""Shared functions of the encoder families: a model with its tokenizer, run on padded batches of texts."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from hugginggpt.experts.source import Source

if TYPE_CHECKING:
    import torch

T = TypeVar("T")

MAX_TOKENS = 16_384
UNLIMITED = 1_000_000
"""A larger limit of a tokenizer means that it has none."""
DEFAULT_TOKENS = 512
"""The limit where neither the tokenizer nor the model states one, as for T5."""


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Batches of `size` items, the last one perhaps shorter."""
    return (items[start : start + size] for start in range(0, len(items), size))


def longest_input(model: Any, tokenizer: Any) -> int:
    """The maximum number of input tokens, special ones included, by the tokenizer and the position embeddings."""
    config = model.config
    positions = getattr(config, "max_encoder_position_embeddings", 0) or getattr(config, "max_position_embeddings", 0)
    for name, module in model.named_modules():
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            positions -= padding + 1  # RoBERTa and similar models count positions from there
            break
    stated = [limit for limit in (tokenizer.model_max_length, positions) if 0 < limit < UNLIMITED]
    return int(min([*stated, MAX_TOKENS])) if stated else DEFAULT_TOKENS


def with_padding(model: Any, tokenizer: Any) -> Any:
    """The tokenizer set up for batches: with a padding token and the model's maximum number of tokens."""
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    if model.config.get_text_config().pad_token_id is None:
        model.config.get_text_config().pad_token_id = tokenizer.pad_token_id
    tokenizer.model_max_length = longest_input(model, tokenizer)
    return tokenizer


class Encoder:
    """A model and its tokenizer. `auto` is one of the Auto* classes of transformers."""

    def __init__(self, source: Source, auto: Any, **options: Any) -> None:
        from transformers import AutoTokenizer

        self.source = source
        self.model = source.model(auto, **options)
        self.tokenizer = with_padding(self.model, source.part(AutoTokenizer, **options))
        self.limit: int = self.tokenizer.model_max_length
        self._inputs = set(inspect.signature(self.model.forward).parameters)

    def tokens(self, *texts: list[str], **options: Any) -> Any:
        """Texts, or pairs of texts, as a padded batch of at most `limit` tokens each."""
        return self.tokenizer(
            *texts, padding=True, return_tensors="pt", **{"truncation": True, "max_length": self.limit, **options}
        )

    def __call__(self, encoding: Any) -> Any:
        """The model's outputs for a batch of tokens, on its device."""
        import torch

        inputs = {name: value for name, value in encoding.items() if name in self._inputs}
        with torch.inference_mode():
            return self.model(**self.source.to_device(inputs))

    def logits(self, encoding: Any) -> torch.Tensor:
        """The logits for a batch of tokens: float32 on the CPU."""
        logits: torch.Tensor = self(encoding).logits.float().cpu()
        return logits


def probabilities(logits: torch.Tensor, config: Any) -> torch.Tensor:
    """The scores from a classifier's logits, shape (..., labels): softmax, or sigmoid for multi-label models.

    The values of a regression stay unchanged. The choice is that of transformers' pipelines.
    """
    if config.problem_type == "regression":
        return logits
    multi_label = config.problem_type == "multi_label_classification" or config.num_labels == 1
    return logits.sigmoid() if multi_label else logits.softmax(-1)


def labelled(scores: torch.Tensor, config: Any, limit: int | None = None) -> list[dict[str, Any]]:
    """The labels of one input with their scores, best first; `limit` at most."""
    rows = [{"label": config.id2label[index], "score": score} for index, score in enumerate(scores.tolist())]
    return sorted(rows, key=lambda row: -row["score"])[:limit]
