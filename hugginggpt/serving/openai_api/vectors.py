"""POST /v1/embeddings: the vectors of texts, of length 1 or as the model's modules say."""

from __future__ import annotations

import base64
from typing import Any

from hugginggpt.experts.families import VECTORS
from hugginggpt.serving.openai_api.bodies import EmbeddingsBody
from hugginggpt.serving.openai_api.models import Invalid, Models, body_of


def embeddings(models: Models) -> Any:
    body = body_of(EmbeddingsBody)
    entry, _ = models.find(body.model, "embeddings")
    texts = [body.input] if isinstance(body.input, str) else body.input
    if not all(text.strip() for text in texts):
        raise Invalid("input: a text is empty.", "input")
    said = models.ask(entry, VECTORS, {"texts": texts}).answer()
    rows = [
        {"object": "embedding", "index": at, "embedding": _encoded(vector, body.encoding_format)}
        for at, vector in enumerate(said["vectors"])
    ]
    usage = {"prompt_tokens": said["tokens"], "total_tokens": said["tokens"]}
    return {"object": "list", "data": rows, "model": entry.id, "usage": usage}


def _encoded(vector: Any, form: str) -> Any:
    """A vector as a list, or as the base64 of its numbers (float32, little-endian)."""
    return base64.b64encode(vector.astype("<f4").tobytes()).decode() if form == "base64" else vector.tolist()
