"""The status of the configuration, with hints on what to set: for `--doctor`, GET /v1/status and the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hugginggpt.config import Config
from hugginggpt.core.tasks import TaskTable
from hugginggpt.endpoints.base import Endpoint, Tier
from hugginggpt.endpoints.language import LanguageModel
from hugginggpt.experts import registry
from hugginggpt.llm.base import LLM, RunsHere
from hugginggpt.llm.openai import OpenAILLM
from hugginggpt.llm.services import LOCAL
from hugginggpt.media.types import file_types

SERVICE_SECONDS = 2.0
"""How long a language model service of one's own may take to list its models."""


def status_of(config: Config, endpoints: Sequence[Endpoint], table: TaskTable) -> dict[str, Any]:
    """The language model, the endpoints, the embedded experts, the task types and the files that can be read.

    Calls own servers only, with a short timeout.
    """
    statuses = [(endpoint, endpoint.status()) for endpoint in endpoints]
    language = next((endpoint for endpoint in endpoints if endpoint.tier is Tier.LANGUAGE_MODEL), None)
    llm = language.llm if isinstance(language, LanguageModel) else None
    here: dict[str, Any] = {"model": llm.model, "here": llm.state()} if isinstance(llm, RunsHere) and llm else {}
    prices = config.goals.prices
    return {
        "llm": {
            "name": config.llm_name,
            "model": config.llm_model,
            "offline": config.llm_name == "offline",
            **here,
            **_of_own_service(config, llm),
            **({"endpoint": language.name, "label": language.label} if language else {}),
        },
        "endpoints": [
            {
                "name": endpoint.name,
                "label": endpoint.label,
                "about": status.about,
                "ready": status.ready,
                **({"untried": True} if status.untried else {}),
                "problem": status.problem,
                "hint": status.hint,
                **({"details": list(status.details)} if status.details else {}),
            }
            for endpoint, status in statuses
            if endpoint is not language
        ],
        "experts": [
            {"id": expert.id, "task": expert.task, "about": expert.about}
            for expert in (registry.all_experts() if config.embedded else [])
            if not expert.missing
        ],
        "hints": [status.hint for _, status in statuses if status.hint],
        "tasks": [
            {
                "name": row.name,
                "about": row.about,
                "args": [{"name": arg.name, "kind": arg.kind, "required": arg.required} for arg in row.args],
                "gives": row.result.name,
            }
            for row in table
        ],
        "file_types": file_types(),
        "limits": {"file_bytes": int(config.limits.max_file_mb * 1_000_000)},
        "prices": {"prompt": prices.prompt, "completion": prices.completion},
    }


def _of_own_service(config: Config, llm: LLM | None) -> dict[str, Any]:
    """Of a service of one's own the models that it serves, of which requests may name one, and the one in use."""
    if config.llm_name != LOCAL or not isinstance(llm, OpenAILLM):
        return {}
    served = llm.served_models(SERVICE_SECONDS)
    return {"model": config.llm_model or next(iter(served), None), "models": list(served), "chooses": True}
