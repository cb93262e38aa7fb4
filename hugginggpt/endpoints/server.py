"""A model server (models_server.py, or that of JARVIS) over HTTP, with JARVIS's wire format."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import NewConnectionError

from hugginggpt.catalog.catalog import Catalog, ModelCard, make_catalog
from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.common.threads import TTLCache
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, MediaError
from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.tasks import TaskType, default_table
from hugginggpt.endpoints import model_loading
from hugginggpt.endpoints.base import Args, Endpoint, EndpointStatus, Inference, Tier, settle
from hugginggpt.endpoints.calls import current_call
from hugginggpt.endpoints.registry import register_endpoint
from hugginggpt.media.store import MediaStore
from hugginggpt.net.http_limits import AnswerTooLarge, limited_body, limited_pieces

log = logging.getLogger(__name__)

CONNECTIONS = 64
MAX_JSON_BYTES = 20_000_000
LISTED_SECONDS = 30
WIRE_NAMES = {"image": "img_url", "audio": "audio_url"}
"""JARVIS's names of arguments that are files."""
RETRY_RUNNING_SECONDS = 10
"""How long a server that does not answer is not called again, in seconds."""


class ModelServer(Endpoint):
    """The models of a model server: those that it lists (GET /models) or, without such a list (JARVIS), those of the
    catalogue that it reports as loaded (queried once a model and cached).

    Models that need a library which such a server does not have, as the catalogue says, are not queried.
    """

    name = "local"
    label = "the model server"
    tier = Tier.OWN_SERVER
    is_free = True

    def __init__(self, config: Config, catalog: Catalog, media: MediaStore) -> None:
        self.url = config.local_inference_endpoint.url
        self.config = config
        self.catalog = catalog
        self.media = media
        self.timeout = (config.limits.connect_seconds, config.limits.inference_seconds)
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = (
            os.environ.get("SSL_CERT_FILE") or True
        )  # as language models and other services are trusted
        for scheme in ("http://", "https://"):
            self.session.mount(scheme, HTTPAdapter(pool_connections=1, pool_maxsize=CONNECTIONS))
        if token := config.local_inference_endpoint.token:
            self.session.headers["Authorization"] = f"Bearer {token}"
        self._uploads = not config.local_inference_endpoint.is_here
        """Whether it gets files themselves: it is elsewhere, or has no folder in common with this process."""
        self._used: set[str] = set()
        self._running = TTLCache(self._is_running, min(RETRY_RUNNING_SECONDS, config.limits.status_seconds))
        self._listed = TTLCache(self._list, min(LISTED_SECONDS, config.limits.status_seconds))
        self._loaded = TTLCache(self._is_loaded, config.limits.status_seconds, RETRY_RUNNING_SECONDS)

    def close(self) -> None:
        self.session.close()

    def running(self) -> bool:
        """Whether the server answers; checked at most every ten seconds."""
        return self._running.get("running").result()

    def status(self) -> EndpointStatus:
        about = f"model server {self.url}"
        if self._is_running(None):
            return EndpointStatus(about)
        return EndpointStatus(about, "not running", f"For models on this machine: start {MODEL_SERVER}.")

    def what_to_set(self, task: TaskType) -> str:
        configured = [model.task for model in self.config.models_server.models]
        can = task.name in default_table() or task.models or task.name in configured or self.catalog.models(task.name)
        return f"start {MODEL_SERVER} with a model for it" if can else ""

    def what_to_set_for(self, model: str) -> str:
        return f"start {MODEL_SERVER} with it (models_server.models)"

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        return self._ready(self._cards(task))[:top]

    def offers(self, model: str, task: TaskType) -> ModelCard | None:
        return next(iter(self._ready([card for card in self._cards(task) if card.id == model])), None)

    def _cards(self, task: TaskType) -> list[ModelCard]:
        """The models that it may have for a task, best first."""
        if not self.running():
            return []
        listed = self._listed.get("models").result()
        if listed is not None:
            return sorted(listed.get(task.name, []), key=lambda card: -card.downloads)
        fixed = [ModelCard(model, task.name, f"The model server's model for {task.name}.") for model in task.models]
        if self.config.local_deployment == "minimal":
            return fixed  # JARVIS: a minimal server serves the controls only, and is not queried
        return fixed + [card for card in self.catalog.models(task.name) if "library" not in card.meta]

    def _ready(self, cards: list[ModelCard]) -> list[ModelCard]:
        """Those of `_cards` that it has: it lists them, serves the controls alone, or says that they are loaded."""
        if not cards or self._listed.get("models").result() is not None or self.config.local_deployment == "minimal":
            return cards
        lookups = [self._loaded.get(card.id) for card in cards]
        return [card for card, lookup in zip(cards, lookups, strict=True) if not lookup.exception() and lookup.result()]

    def covers(self, task: TaskType, aspect: str = "") -> bool:
        return self.running()

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        sent = self._sent(task, args)
        is_ours = self._listed.get("models").result() is not None  # that of JARVIS takes no files
        if is_ours:
            sent["task"] = task.name  # a model of ours may be for several
            self._load(model)
        files = {name: found for name, value in args.items() if is_ours and (found := _paths(value))}
        answer = self._post(model, sent, files if self._uploads else {})
        if files and not self._uploads and _is_about_file(answer):
            answer = self._post(model, sent, files)
            self._uploads = not _is_about_file(answer)
        if isinstance(answer, dict) and "error" in answer:
            error = answer["error"]
            detail = error.get("message", error) if isinstance(error, dict) else error
            raise BackendError(f"{model} on the model server failed: {str(detail)[:300]}")
        return Inference(settle(task, self._here(answer, task), args, self.media))

    def _load(self, model: str) -> None:
        """Has a model loaded before the first request for it, if somebody follows how far it is."""
        if model not in self._used and current_call().told:
            self._used.add(model)
            limits = self.config.limits
            model_loading.load(self.session, self.url, model, limits.connect_seconds, limits.task_seconds)

    def _sent(self, task: TaskType, args: Args) -> dict[str, Any]:
        """The arguments under JARVIS's names: files as img_url and audio_url, paths below the server's folder."""
        sent: dict[str, Any] = {}
        for name, value in args.items():
            if paths := _paths(value):
                public = ["public" + self.media.public_path(path) for path in paths]
                sent[WIRE_NAMES.get(name, name)] = public if isinstance(value, list) else public[0]
            else:
                sent[name] = value
        return sent

    def _post(self, model: str, data: dict[str, Any], files: Mapping[str, Sequence[Path]]) -> Any:
        """The answer to arguments, and to files themselves if there are any, in place of their paths."""
        seconds = self.config.limits.inference_seconds
        try:
            deadline = time.monotonic() + seconds
            with ExitStack() as stack:
                body_of = _form(data, files, stack) if files else {"json": data}
                response = stack.enter_context(
                    self.session.post(
                        f"{self.url}/models/{quote(model)}", **body_of, headers={"Prefer": f"wait={ceil(seconds)}"},
                        timeout=self.timeout, stream=True, allow_redirects=False,
                    )
                )  # fmt: skip
                body = limited_body(response, MAX_JSON_BYTES, deadline)
                status = response.status_code
        except requests.Timeout as error:
            raise BackendError(f"{model} on the model server did not answer in time.") from error
        except AnswerTooLarge as error:
            raise BackendError(f"{model} on the model server failed: {error}.") from error
        except requests.ConnectionError as error:
            down = isinstance(getattr(error.args[0], "reason", None), NewConnectionError) if error.args else False
            raise BackendError(
                f"The model server {self.url} broke off or is not running.", endpoint_down=down
            ) from error
        except requests.RequestException as error:
            raise BackendError(f"{model} on the model server failed: {type(error).__name__}.") from error
        try:
            answer = read_json(body)
        except ValueError as error:
            raise BackendError(f"{model} on the model server answered {status} and no JSON.", status=status) from error
        if status >= 400 and not (isinstance(answer, dict) and "error" in answer):
            raise BackendError(f"{model} on the model server answered {status}.", status=status)
        return answer

    def _here(self, answer: Any, task: TaskType) -> Any:
        """The answer with its files in our public folder, downloaded if the server has another folder."""
        if not isinstance(answer, dict) or not task.result.makes:
            return answer
        local = cache(lambda path: self._local(path, task))  # the first of several files is named twice
        here = dict(answer)
        if isinstance(path := answer.get("path"), str):
            here["path"] = local(path)
        for key in (f"generated {kind}s" for kind in task.result.makes):
            if isinstance(paths := answer.get(key), list):
                here[key] = [local(path) for path in paths if isinstance(path, str)]
        return here

    def _local(self, path: str, task: TaskType) -> str:
        """The public path of a file of the server here."""
        try:
            return self.media.public_path(self.media.resolve(path))
        except MediaError:
            return self._fetch(path, task)

    def _fetch(self, path: str, task: TaskType) -> str:
        url = f"{self.url}/{quote(path.removeprefix('public').lstrip('/'))}"
        try:
            deadline = time.monotonic() + self.config.limits.inference_seconds
            with self.session.get(url, timeout=self.timeout, stream=True) as response:
                response.raise_for_status()
                pieces = limited_pieces(response, self.media.max_bytes, deadline)
                return self.media.save(task.result.makes[0], pieces, Path(path).suffix.removeprefix("."))
        except AnswerTooLarge as error:
            raise BackendError(f"The model server made {path}, but {error}.") from error
        except requests.RequestException as error:
            raise BackendError(f"The model server made {path}, but it cannot be fetched from there.") from error

    def _get(self, path: str) -> Any:
        seconds = self.config.limits.connect_seconds
        deadline = time.monotonic() + seconds
        with self.session.get(self.url + path, timeout=(seconds, seconds), stream=True) as response:
            body = limited_body(response, MAX_JSON_BYTES, deadline)
            return read_json(body) if response.status_code == 200 else None

    def _is_running(self, _: Any) -> bool:
        try:
            answer = self._get("/running")
        except (requests.RequestException, ValueError) as error:
            log.info("The model server %s is not running (%s).", self.url, type(error).__name__)
            return False
        return isinstance(answer, dict) and bool(answer.get("running"))

    def _list(self, _: Any) -> dict[str, list[ModelCard]] | None:
        """The models that the server lists, by task; None for a server that has no list."""
        try:
            listed = self._get("/models")["models"]
            cards = [self._card(entry, task) for entry in listed for task in entry["tasks"]]
        except (requests.RequestException, ValueError, TypeError, KeyError):
            return None
        by_task: dict[str, list[ModelCard]] = {}
        for card in cards:
            by_task.setdefault(card.task, []).append(card)
        return by_task

    def _card(self, entry: dict[str, Any], task: str) -> ModelCard:
        """The catalogue's card of a listed model, else one made from the server's listing."""
        known = next((card for card in self.catalog.models(task) if card.id == entry["id"]), None)
        return known or ModelCard(str(entry["id"]), task, str(entry.get("description", "")))

    def _is_loaded(self, model: str) -> bool:
        """Raises requests' errors, or ValueError for invalid JSON."""
        answer = self._get(f"/status/{quote(model)}")
        return isinstance(answer, dict) and bool(answer.get("loaded"))


def _is_about_file(answer: Any) -> bool:
    """Whether a server of ours refused a file: most often, it has no such file."""
    error = answer.get("error") if isinstance(answer, dict) else None
    return isinstance(error, dict) and error.get("type") == MediaError.__name__


def _paths(value: Any) -> list[Path]:
    """The files that an argument is: one, or a list of them; [] for texts."""
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, Path)]


def _form(data: Mapping[str, Any], files: Mapping[str, Sequence[Path]], stack: ExitStack) -> dict[str, Any]:
    """What requests sends as a form: the files, and the other arguments as JSON."""
    paths = {WIRE_NAMES.get(name, name) for name in files}
    plain = {name: value for name, value in data.items() if name not in paths}
    sent = [
        (name, (path.name, stack.enter_context(path.open("rb")))) for name, paths in files.items() for path in paths
    ]
    return {"data": {"arguments": json.dumps(plain)}, "files": sent}


@register_endpoint
def make_model_server(config: Config, media: MediaStore) -> ModelServer | None:
    return ModelServer(config, make_catalog(config), media) if config.inference_mode != "huggingface" else None
