"""Hugging Face's inference providers, or a gateway in their place, through huggingface_hub."""

from __future__ import annotations

import io
import logging
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.catalog.catalog import Catalog, ModelCard, make_catalog
from hugginggpt.catalog.entries import live_providers
from hugginggpt.catalog.hub_client import TOO_MANY, seconds_to_wait
from hugginggpt.common.threads import TTLCache
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, brief, masked
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import (
    Args,
    Endpoint,
    EndpointStatus,
    Inference,
    Tier,
    picture_to_draw_on,
    settle,
)
from hugginggpt.endpoints.registry import register_endpoint
from hugginggpt.media.store import MediaStore

if TYPE_CHECKING:
    from huggingface_hub import InferenceClient, ModelInfo

log = logging.getLogger(__name__)

RETRY_SECONDS = 10
"""How long a model whose lookup on the Hub failed counts as unavailable, in seconds."""
BYTES_PER_MB = 1_400_000
"""Of an answer, for a megabyte of the largest file: sounds and masks come in base64."""


class Hub(Endpoint):
    """Models on the Hub that a provider runs now; the providers of a model are looked up once and cached."""

    name = "huggingface"
    label = "Hugging Face"
    tier = Tier.REMOTE

    def __init__(self, config: Config, catalog: Catalog, media: MediaStore) -> None:
        self.config = config
        self.catalog = catalog
        self.media = media
        self.base_url = (config.huggingface.base_url or "").rstrip("/")
        self._heard: str | None = None
        """What came of the latest lookup: "" for an answer, a problem, None before the first one."""
        self._providers = TTLCache(self._look_up, config.limits.status_seconds, RETRY_SECONDS)
        self.is_set_up = bool(config.huggingface.token or self.base_url)
        if self.is_set_up:
            _set_up_library(config)

    def close(self) -> None:
        if self.is_set_up:
            from huggingface_hub import close_session

            close_session()

    def status(self) -> EndpointStatus:
        about = self.config.huggingface.base_url or "Hugging Face"
        if self.is_set_up:
            return EndpointStatus(about, self._heard or "", untried=self._heard is None)
        hint = "For the models on Hugging Face: set HF_TOKEN (huggingface.co/settings/tokens)."
        return EndpointStatus(about, "not set up", hint)

    def what_to_set(self, task: TaskType) -> str:
        return "set HF_TOKEN for Hugging Face" if task.hub and not self.is_set_up else ""

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        if task.hub is None or not self.is_set_up:
            return []
        cards = self.catalog.models(task.name)
        lookups = [self._providers.get(card.id) for card in cards]
        available: list[ModelCard] = []
        for card, lookup in zip(cards, lookups, strict=True):
            if len(available) < top and self._provider(task, lookup):
                available.append(card)
        return available

    def offers(self, model: str, task: TaskType) -> ModelCard | None:
        if task.hub is None or not self.is_set_up or not self._provider(task, self._providers.get(model)):
            return None
        known = next((card for card in self.catalog.models(task.name) if card.id == model), None)
        return known or ModelCard(model, task.name)

    def what_to_set_for(self, model: str) -> str:
        return "set HF_TOKEN for Hugging Face" if "/" in model and not self.is_set_up else ""

    def covers(self, task: TaskType, aspect: str = "") -> bool:
        return task.hub is not None and self.is_set_up

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        if task.hub is None:
            raise BackendError(f"The Hub does not run {task.name}.")
        params = {
            param: _sent(task, arg, args[arg]) for param, arg in task.hub.params.items() if args.get(arg) is not None
        }
        provider = self._provider(task, self._providers.get(model)) or "hf-inference"
        target = f"{self.base_url}/hf-inference/models/{model}" if self.base_url else model
        picture = picture_to_draw_on(task, args)
        try:
            raw = getattr(self._client(provider), task.hub.name)(**params, model=target)
        except Exception as error:
            raise self._failure(model, error) from error
        return Inference(settle(task, _plain(raw), args, self.media, picture))

    def _client(self, provider: str) -> InferenceClient:
        from huggingface_hub import InferenceClient

        token = self.config.hub_token
        return InferenceClient(
            provider=None if self.base_url else provider,  # type: ignore[arg-type]
            token=token or ("none" if self.base_url else None),  # with None it would look for its file, twice a request
            timeout=self.config.limits.inference_seconds,
            # without a configured token, one that another program saved on this machine must not be sent
            headers=None if token else {"authorization": None},  # type: ignore[dict-item]
        )

    def _look_up(self, model: str) -> ModelInfo:
        """A model with the providers that serve it. Raises huggingface_hub's errors."""
        from huggingface_hub import HfApi

        api = HfApi(endpoint=self.base_url or None, token=self.config.hub_token or False)
        seconds = self.config.limits.connect_seconds
        try:
            found = api.model_info(model, expand=["inferenceProviderMapping"], timeout=seconds)
        except Exception as error:
            self._heard = self._problem(_status_of(error), error)
            raise
        self._heard = ""
        return found

    def _problem(self, status: int | None, error: Exception) -> str:
        """What a failed lookup says of the Hub, "" where it only does not have the model."""
        if status == 401 or (status == 403 and self._heard is None):  # 403 is also the answer for some models alone
            return f"refused the token ({status}): check HF_TOKEN"
        if status is None or status >= 500:
            text = f"answered {status}" if status else f"not reached ({brief(error)})"
            return masked(text, [self.config.hub_token])
        return self._heard or ""

    def _provider(self, task: TaskType, lookup: Future[ModelInfo]) -> str | None:
        """The provider that runs the model for the task, or None."""
        try:
            providers = live_providers(lookup.result(), task.name, self.config.huggingface.provider)
        except Exception as error:  # no such model, no network, an invalid answer: not available, whatever the reason
            log.info("Hub: %s", brief(error))
            return None
        return next(iter(providers), None)

    def _failure(self, model: str, error: Exception) -> BackendError:
        status = _status_of(error)
        if status in (401, 403):
            problem = f"refused the token ({status}): check HF_TOKEN"
        elif status:
            problem = f"answered {status}"
        else:
            problem = f"failed: {brief(error)}"
        text = masked(f"{model} on {self.base_url or 'Hugging Face'} {problem}.", [self.config.hub_token])
        failure = BackendError(text, endpoint_down=_is_down(error, status), status=status)
        failure.retry_after = seconds_to_wait(error.response.headers) if status == TOO_MANY else None  # type: ignore[attr-defined]
        return failure


def _status_of(error: Exception) -> int | None:
    """The HTTP status of an error of huggingface_hub, None where nothing was answered."""
    return getattr(getattr(error, "response", None), "status_code", None)


def _is_down(error: Exception, status: int | None) -> bool:
    import httpx2

    return status in (401, 403) or isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)


def _sent(task: TaskType, arg: str, value: Any) -> Any:
    """An argument as huggingface_hub takes it: bytes of a file, columns of a table, a list for the second sentence."""
    kind = task.arg(arg)
    if arg == "text2":
        return [value]
    if kind and kind.kind == "table":
        from hugginggpt.media.tables import columns

        return columns(value)
    return value.read_bytes() if isinstance(value, Path) else value


def _plain(raw: Any) -> Any:
    """huggingface_hub's result objects as plain lists and dicts; a generated picture or sound as its bytes.

    A picture has not been decoded yet: encoding it anew would only cost time, and its metadata.
    """
    if isinstance(getattr(raw, "fp", None), io.BytesIO):
        return raw.fp.getvalue()
    if isinstance(raw, list):
        return [_plain(item) for item in raw]
    if isinstance(raw, dict):
        if isinstance(raw.get("blob"), bytes):
            return raw["blob"]
        if isinstance(getattr(raw, "blob", None), bytes):
            return raw.blob  # type: ignore[attr-defined]
        return {key: _plain(getattr(raw, key, value)) for key, value in raw.items() if value is not None}
    return raw


def _set_up_library(config: Config) -> None:
    """Settings of huggingface_hub for the whole process: the proxy, and limits on responses.

    Its telemetry is switched off: it would call huggingface.co at the first request, even with a gateway.
    """
    from huggingface_hub import constants, set_client_factory

    from hugginggpt.net.http_limits import BoundedClient

    constants.HF_HUB_DISABLE_TELEMETRY = True
    most, seconds = int(config.limits.max_file_mb * BYTES_PER_MB), config.limits.inference_seconds
    set_client_factory(lambda: BoundedClient(most, seconds, seconds, proxy=config.proxy, timeout=None))


@register_endpoint
def make_hub(config: Config, media: MediaStore) -> Hub | None:
    return Hub(config, make_catalog(config), media) if config.inference_mode != "local" else None
