"""GET /v1/models: the models that the other routes take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hugginggpt.core.task_types import TaskType
from hugginggpt.experts import registry
from hugginggpt.serving.model_registry import Entry
from hugginggpt.serving.openai_api.models import Models


def models(models: Models) -> Any:
    return {"object": "list", "data": [_shown(entry, row) for entry, row in models.entries()]}


def model(models: Models, model: str) -> Any:
    return _shown(*models.find(model))


def _shown(entry: Entry, row: TaskType) -> dict[str, Any]:
    """A model as OpenAI lists it, and what it serves."""
    folder = entry.folder or Path(registry.__file__)
    owner = entry.id.partition("/")[0] if "/" in entry.id else "local"
    return {
        "id": entry.id, "object": "model", "created": int(folder.stat().st_mtime), "owned_by": owner,
        "serves": row.serves,
    }  # fmt: skip
