"""Tiny models for text (see tiny.py)."""

from __future__ import annotations

from pathlib import Path

from tests.tiny import word_piece


def text_classification(folder: Path) -> None:
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    tokenizer = word_piece()
    config = DistilBertConfig(
        vocab_size=len(tokenizer), dim=16, hidden_dim=32, n_layers=2, n_heads=2, max_position_embeddings=64,
        id2label={0: "NEGATIVE", 1: "POSITIVE"}, label2id={"NEGATIVE": 0, "POSITIVE": 1},
    )  # fmt: skip
    DistilBertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
