"""Tiny models with random weights, made with the libraries' own config classes and saved as real models are.

They drive the real loading and inference code; what they answer means nothing. No download: tokenizers are
trained on a few lines.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

LINES = (
    "the cat sat on the mat and looked at the moon",
    "Marie Curie was born in Warsaw and worked in Paris",
    "what is the total of the invoice and when is it due",
    "translate English to German: good morning, how are you?",
    "summarize: a short text says more than a long one",
)
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>", "</s>"]

Make = Callable[[Path], None]


def word_piece() -> Any:
    """A BERT-like tokenizer with a vocabulary of a few hundred pieces."""
    import tokenizers
    from tokenizers import models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    raw = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer()
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.train_from_iterator(LINES, trainers.WordPieceTrainer(vocab_size=300, special_tokens=SPECIAL))
    ids = {token: raw.token_to_id(token) for token in ("[CLS]", "[SEP]")}
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=list(ids.items())
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=64,
    )  # fmt: skip
