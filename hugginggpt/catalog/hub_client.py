"""The Hub as it is read for the catalogue: within limits that huggingface_hub itself does not set.

Its listings are sent without a timeout, repeated six times, follow the links of their pages to any host, with the
token, and wait for as long as a `Retry-After` says.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2
from huggingface_hub import ModelInfo, constants, hf_hub_url, set_client_factory
from huggingface_hub.errors import HfHubHTTPError, HFValidationError
from huggingface_hub.utils import (  # type: ignore[attr-defined]
    build_hf_headers,
    get_session,
    hf_raise_for_status,
    paginate,
    parse_ratelimit_headers,
    validate_repo_id,
)

from hugginggpt.config import Config, Limits
from hugginggpt.core.errors import BackendError, brief
from hugginggpt.core.results import visible_line
from hugginggpt.net.http_limits import BoundedClient

MOST_BYTES = 20_000_000
"""Of an answer: a page of a hundred models has less than one million."""
MOST_REQUESTS = 3000
MOST_LISTED = 300
"""Entries of a listing that are looked at."""
PAGE = 100
WAITS, LONGEST_WAIT = 3, 300.0
"""How often, and for how many seconds, a service that takes no more requests is waited for. The Hub counts
the requests of five minutes.
"""
TOO_MANY = 429

Say = Callable[[str], None]
EXPAND = ("cardData", "downloads", "inferenceProviderMapping", "library_name", "likes", "pipeline_tag", "safetensors")
"""What is asked for of each model."""


class HubClient(BoundedClient):
    """An HTTP client for huggingface_hub that calls one host alone, waits for a limited time, and gives up at once.

    `say` is told of each wait. Raises BackendError, which huggingface_hub does not answer with another try.
    """

    def __init__(self, endpoint: str, limits: Limits, say: Say, **options: Any) -> None:
        super().__init__(MOST_BYTES, limits.inference_seconds, limits.inference_seconds, **options)
        self.endpoint = endpoint
        self.patience = httpx2.Timeout(limits.inference_seconds, connect=limits.connect_seconds)
        self.say = say
        self.left = MOST_REQUESTS
        self.waiting = threading.Event()

    def request(self, method: str, url: Any, **options: Any) -> httpx2.Response:
        if _origin(str(url)) != _origin(self.endpoint):
            raise BackendError(
                f"{self.endpoint} leads to another address, {visible_line(_origin(str(url)), 100)}: not followed."
            )
        for _ in range(WAITS):
            response = self._once(method, url, {**options, "timeout": self.patience})
            if response.status_code != TOO_MANY:
                return response
            seconds = seconds_to_wait(response.headers)
            if seconds > LONGEST_WAIT:
                raise BackendError(
                    f"{self.endpoint} takes no more requests for {seconds:g} s: try again then.", endpoint_down=True
                )
            self.say(f"{self.endpoint} takes no more requests for the moment; going on in {seconds:g} s.")
            self.waiting.wait(seconds)
        raise BackendError(f"{self.endpoint} takes no more requests: try again later.", endpoint_down=True)

    def _once(self, method: str, url: Any, options: Mapping[str, Any]) -> httpx2.Response:
        self.left -= 1
        if self.left < 0:
            raise BackendError(
                f"{self.endpoint} was asked {MOST_REQUESTS} times, and there is no end.", endpoint_down=True
            )
        try:
            response = super().request(method, url, **options)
        except httpx2.HTTPError as error:
            down = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
            cause = brief(error) if str(error) else "no answer in time"
            raise BackendError(f"{self.endpoint} cannot be asked: {cause}.", endpoint_down=down) from error
        if response.status_code >= 500 or response.status_code == 408:
            raise BackendError(f"{self.endpoint} answered {response.status_code}.", status=response.status_code)
        return response


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def seconds_to_wait(headers: Mapping[str, str]) -> float:
    """What Retry-After says, a number of seconds, or the Hub's own RateLimit; else a second."""
    try:
        return max(0.0, float(headers["Retry-After"]))
    except (KeyError, ValueError):  # without the header, or with a date
        limit = parse_ratelimit_headers(headers)
        return float(limit.reset_in_seconds) if limit else 1.0


class HubListing:
    """The models of the Hub, or of the gateway in its place."""

    def __init__(self, config: Config, say: Say) -> None:
        """Sets the HTTP client of huggingface_hub for this process."""
        self.endpoint = (config.huggingface.base_url or constants.ENDPOINT).rstrip("/")
        self.provider = config.huggingface.provider
        self.unread = 0
        """The entries so far that could not be read."""
        self._headers = build_hf_headers(token=config.hub_token or False)
        constants.HF_HUB_DISABLE_TELEMETRY = True
        client = HubClient(self.endpoint, config.limits, say, proxy=config.proxy)
        set_client_factory(lambda: client)

    def models(self, task: str, words: str = "", *, served: bool) -> Iterator[ModelInfo]:
        """The models with this pipeline tag, most downloaded first; with `served` those that a provider runs now.

        An entry that cannot be read is counted and left out, where `HfApi.list_models` would end. Raises BackendError.
        """
        asked: dict[str, Any] = {"pipeline_tag": task, "sort": "downloads", "limit": PAGE, "expand": list(EXPAND)}
        if words:
            asked["search"] = words
        if served:
            asked["inference_provider"] = "all" if self.provider == "auto" else self.provider
        try:
            for number, entry in enumerate(paginate(f"{self.endpoint}/api/models", asked, self._headers)):
                if number >= MOST_LISTED:
                    return
                if info := self._read(entry):
                    yield info
        except HfHubHTTPError as error:
            status = error.response.status_code
            hint = ": check HF_TOKEN" if status in (401, 403) else ""
            raise BackendError(f"{self.endpoint} answered {status}{hint}.", endpoint_down=bool(hint)) from error
        except (ValueError, RecursionError, TypeError, AttributeError) as error:  # no JSON, or no list of objects
            raise BackendError(f"{self.endpoint} answered with something else than a list of models.") from error

    def _read(self, entry: Any) -> ModelInfo | None:
        try:
            info = ModelInfo(**{"siblings": None, **entry})  # type: ignore[no-untyped-call]
            validate_repo_id(info.id)
            return info
        except Exception:  # whatever the library makes of odd metadata, which anybody can put into a card
            self.unread += 1
            return None

    def card(self, model: str) -> str:
        """The model card as it is written, with its header; "" where there is none. Raises BackendError."""
        try:
            url = hf_hub_url(model, constants.REPOCARD_NAME, endpoint=self.endpoint)
            response = get_session().request("GET", url, headers=self._headers)
            hf_raise_for_status(response)
        except (HfHubHTTPError, HFValidationError):
            return ""
        return response.text
