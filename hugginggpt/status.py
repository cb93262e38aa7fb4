"""The status of the configuration, with hints on what to set: for `--doctor`, GET /v1/status and the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hugginggpt.config import Config
from hugginggpt.endpoints.server import is_running
from hugginggpt.experts import registry
from hugginggpt.media.types import file_types


def status_of(config: Config) -> dict[str, Any]:
    """The language model, the endpoints, the embedded experts and the files that can be read.

    Calls the model server only, with a short timeout.
    """
    return {
        "llm": {"name": config.llm_name, "model": config.llm_model, "offline": config.llm_name == "offline"},
        "endpoints": list(_endpoints(config)),
        "experts": [
            {"id": expert.id, "task": expert.task, "about": expert.about}
            for expert in (registry.all_experts() if config.embedded else [])
            if not expert.missing
        ],
        "hints": list(_hints(config)),
        "file_types": file_types(),
    }


def _endpoints(config: Config) -> Iterator[dict[str, Any]]:
    if config.inference_mode != "huggingface":
        url = config.local_inference_endpoint.url
        yield {"name": "local", "about": f"model server {url}", "ready": is_running(config)}
    if config.inference_mode != "local":
        where = config.huggingface.base_url or "Hugging Face"
        ready = bool(config.huggingface.base_url or config.huggingface.token)
        yield {"name": "huggingface", "about": where, "ready": ready}
    if config.embedded:
        lacking = sorted({package for expert in registry.all_experts() for package in expert.missing})
        about = "experts that come with the project" + (f", packages missing: {', '.join(lacking)}" if lacking else "")
        yield {"name": "embedded", "about": about, "ready": True}


def _hints(config: Config) -> Iterator[str]:
    if config.llm_name == "offline":
        yield "For a language model: set OPENAI_API_KEY, or HF_TOKEN, or local.endpoint (Ollama, vLLM, llama.cpp, ...)."
    if not config.huggingface.token:
        yield "For the models on Hugging Face: set HF_TOKEN (huggingface.co/settings/tokens)."
    if config.inference_mode != "huggingface" and not is_running(config):
        yield "For models on this machine: start python models_server.py."
