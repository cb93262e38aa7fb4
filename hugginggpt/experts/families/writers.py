"""What the families of generating models share: a model with its tokenizer that writes texts for texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hugginggpt.experts.families.encoders import UNLIMITED, batches, padded
from hugginggpt.experts.source import Source

MAX_NEW_TOKENS = 256
AT_ONCE = 8
"""Texts that are written in one batch."""
OPTIONS = (
    "min_length", "num_beams", "length_penalty", "early_stopping", "no_repeat_ngram_size", "repetition_penalty",
    "do_sample", "temperature", "top_k", "top_p",
)  # fmt: skip
"""What is taken from a model's own settings for a task."""


class Writer:
    """A model that generates. `auto` is one of the Auto* classes of transformers.

    `own` is what config.json says of the task (task_specific_params): a prefix for the text, settings.
    """

    def __init__(self, source: Source, auto: Any, task: str, **options: Any) -> None:
        from transformers import AutoTokenizer

        self.source = source
        self.model = source.model(auto)
        self.tokenizer = padded(self.model, source.part(AutoTokenizer, **options))
        self.limit: int = self.tokenizer.model_max_length
        self.own: dict[str, Any] = (source.config.get("task_specific_params") or {}).get(task) or {}
        settings = self.model.generation_config
        self.longest = int(self.own.get("max_length") or settings.max_length or settings.max_new_tokens or 0)
        settings.max_length = settings.max_new_tokens = None  # said with each call, and never twice
        self.min_length = int(self.own.get("min_length") or settings.min_length or 0)
        self.options = {name: self.own[name] for name in OPTIONS if name in self.own}

    @property
    def prefix(self) -> str:
        """What the model wants to stand before the text of this task ("summarize: ")."""
        return str(self.own.get("prefix") or "")

    def length(self, text: str) -> int:
        """The tokens of a text, special ones included."""
        return len(self.tokenizer(text, verbose=False)["input_ids"])

    def generate(self, texts: list[str], **options: Any) -> Any:
        """Token ids for a batch of texts: those of the prompts, shape (texts, tokens), and those generated."""
        import torch

        special = options.pop("add_special_tokens", True)
        encoding = self.tokenizer(
            texts, padding=True, truncation=True, max_length=options.pop("limit", self.limit), return_tensors="pt",
            return_token_type_ids=False, add_special_tokens=special,
        )  # fmt: skip
        inputs = {name: encoding[name] for name in ("input_ids", "attention_mask")}
        settings = {"max_new_tokens": MAX_NEW_TOKENS, "pad_token_id": self.tokenizer.pad_token_id, **self.options}
        with torch.inference_mode():
            written = self.model.generate(**self.source.to_device(inputs), **{**settings, **options})
        return encoding["input_ids"], written.cpu()


class Rewriter(Writer):
    """An encoder-decoder: reads a text, writes another. `unspoken` are tokens that are no part of the text."""

    def __init__(self, source: Source, task: str, **options: Any) -> None:
        from transformers import AutoModelForSeq2SeqLM

        super().__init__(source, AutoModelForSeq2SeqLM, task, **options)
        config = self.model.config
        names = ("max_decoder_position_embeddings", "max_position_embeddings")
        positions = next((limit for name in names if (limit := getattr(config, name, 0))), UNLIMITED)
        self.unspoken: frozenset[int] = frozenset()
        self.max_new_tokens = min(self.longest or MAX_NEW_TOKENS, positions - 1)

    def write(self, texts: Sequence[str], **options: Any) -> list[str]:
        """What the model writes for each text. What a text has beyond the model's limit is not read."""
        written: list[str] = []
        for part in batches(texts, AT_ONCE):
            _, tokens = self.generate(list(part), **{"max_new_tokens": self.max_new_tokens, **options})
            rows = [[token for token in row if token not in self.unspoken] for row in tokens.tolist()]
            written += [text.strip() for text in self.tokenizer.batch_decode(rows, skip_special_tokens=True)]
        return written
