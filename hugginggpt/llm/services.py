"""The language models that the configuration can name, and how each is reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hugginggpt.config import Config
from hugginggpt.llm.base import LLM
from hugginggpt.llm.openai import OpenAILLM, Service

OPENAI_URL = "https://api.openai.com/v1"
ROUTER_URL = "https://router.huggingface.co/v1"
LOCAL = "local"
"""The service of one's own, whose models cost nothing."""
DEFAULT_OPENAI_MODEL = "gpt-5.4-mini"


def make_llm(config: Config) -> LLM | None:
    """The language model that the configuration names, else the first that is configured; None: offline."""
    name = config.llm_name
    if name == "embedded":
        from hugginggpt.llm.embedded import EmbeddedLLM

        return EmbeddedLLM(config)
    return None if name == "offline" else OpenAILLM(_service(config, name), config)


def llm_by_name(config: Config, model: str) -> LLM:
    """Another model of the configured service."""
    return OpenAILLM(replace(_service(config, config.llm_name), models=(model,)), config)


def llm_with_key(config: Config, key: str, endpoint: str | None = None, model: str | None = None) -> LLM:
    """A language model with a caller's key: at `endpoint`, else at the configured service or OpenAI; `model` names it.

    `endpoint` is an address as JARVIS's clients send it, with or without /chat/completions.
    """
    name = "openai" if config.llm_name in ("offline", "embedded") else config.llm_name
    service = replace(_service(config, name), api_key=key, key_hint="api_key")
    if endpoint:
        base = endpoint.rstrip("/").removesuffix("/chat/completions").removesuffix("/completions")
        configured = config.llm_name == "openai" and base == service.base_url.rstrip("/")
        models = service.models if configured else ((config.model,) if config.model else (DEFAULT_OPENAI_MODEL,))
        service = Service("openai", base, key, models, key_hint="api_key")
    return OpenAILLM(replace(service, models=(model,)) if model else service, config)


def _service(config: Config, name: str) -> Service:
    named = (config.llm_model, *config.fallback_models) if config.llm_model else ()
    services: dict[str, Callable[[], Service]] = {
        "openai": lambda: Service(
            "openai", config.openai.base_url or OPENAI_URL, config.openai.api_key or "",
            named or (DEFAULT_OPENAI_MODEL, *config.fallback_models), key_hint="OPENAI_API_KEY",
        ),
        "azure": lambda: Service(
            "azure", config.azure.base_url or "", config.azure.api_key or "",
            (config.azure.deployment_name or "", *config.fallback_models), config.azure.api_version,
            "AZURE_OPENAI_API_KEY",
        ),
        "local": lambda: Service(
            "local", (config.local.endpoint or "").rstrip("/").removesuffix("/v1") + "/v1",
            config.local.api_key or "none", named, key_hint="local.api_key",
        ),
        "huggingface": lambda: Service(
            "huggingface", ROUTER_URL, config.huggingface.token or "",
            named or (config.huggingface.model, *config.fallback_models), key_hint="HF_TOKEN",
        ),
    }  # fmt: skip
    return services[name]()
