"""Models for text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hugginggpt.experts.families import Args, Run, family
from hugginggpt.experts.source import Source


@family("text-classification", batch=16)
def text_classification(source: Source) -> Run:
    """Labels with scores, all of the model's, best first."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, TextClassificationPipeline

    pipe = TextClassificationPipeline(
        model=source.model(AutoModelForSequenceClassification), tokenizer=source.part(AutoTokenizer)
    )

    def run(requests: Sequence[Args]) -> list[Any]:
        texts = [request["text"] for request in requests]
        answers: list[Any] = pipe(texts, top_k=None, truncation=True, batch_size=len(texts))
        return answers

    return run
