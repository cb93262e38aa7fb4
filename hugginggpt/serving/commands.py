"""The commands of models_server.py: serve, list, download."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from hugginggpt.catalog.catalog import make_catalog
from hugginggpt.common.threads import once, spawn
from hugginggpt.common.version import __version__
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ConfigError, ExpertUnavailable, brief
from hugginggpt.experts.families import companions_of
from hugginggpt.experts.source import Placement, choose_placement, free_bytes
from hugginggpt.net.draining import DrainingServer
from hugginggpt.net.listener import check_reachable, listen
from hugginggpt.serving.app import SECTION, create_app
from hugginggpt.serving.model_pool import ModelPool
from hugginggpt.serving.model_registry import Entry, ModelRegistry, controlnet_base
from hugginggpt.serving.pool import Pool
from hugginggpt.serving.uploads import remove_abandoned_uploads
from hugginggpt.tables import make_task_table

if TYPE_CHECKING:
    from hugginggpt.llm.llama_process import LlamaSettings

log = logging.getLogger(__name__)

SHARE_OF_FREE = 0.8
THREADS = 96
THREADS_WITHOUT_MODEL = 16
"""How many of the threads are reserved for requests that need no model, such as /healthz."""
OPEN_REQUESTS = THREADS - THREADS_WITHOUT_MODEL
LAST_REQUESTS_SECONDS = 120
"""How long a server that shuts down waits for the running requests."""


def make_model_registry(config: Config) -> ModelRegistry:
    return ModelRegistry(config, make_catalog(config), make_task_table(config))


def make_pool(config: Config, memory: float | None = None) -> Pool:
    """A pool as configured; `memory` in GB. On a CPU, torch is not imported before the first model is loaded."""
    settings = config.models_server
    placement: Callable[[], Placement] = once(lambda: choose_placement(config.device))
    gigabytes = _checked(settings.memory if memory is None else memory)
    if config.device not in ("auto", "cpu"):
        placement()  # reports a missing device now
    device = placement().device if config.device != "cpu" and not gigabytes else "cpu"
    return Pool(
        memory_budget(device, gigabytes), placement, settings.queue, settings.batch,
        base=lambda: controlnet_base(config), max_open=OPEN_REQUESTS,
        max_minutes=config.limits.max_minutes, llama=lambda file: _llama_settings(config, file),
    )  # fmt: skip


def _llama_settings(config: Config, file: Path) -> LlamaSettings:
    from hugginggpt.llm.embedded import llama_settings

    return llama_settings(config, file)


def _checked(gigabytes: float | None) -> float | None:
    if gigabytes is not None and not 0 < gigabytes < float("inf"):
        raise ConfigError(f"--memory is the gigabytes that models may use, more than 0, not {gigabytes:g}.")
    return gigabytes


def make_model_pool(config: Config, memory: float | None = None, warm: Sequence[Entry] = ()) -> ModelPool:
    """The pool of the engine that is configured; replicas have loaded the models that are to be `warm`."""
    settings = config.models_server
    if settings.engine == "embedded":
        return make_pool(config, memory)
    from hugginggpt.serving.ray_pool import RayPool
    from hugginggpt.serving.ray_replica import ReplicaSettings

    replica = ReplicaSettings(
        version=__version__, device=config.device, memory=None, share_of_free=SHARE_OF_FREE, queue=settings.queue,
        batch=settings.batch, max_open=OPEN_REQUESTS, max_minutes=config.limits.max_minutes,
        controlnet_base=(settings.controlnet_base, config.path(settings.controlnet_base)),
        llama=_llama_settings(config, Path()), warm=tuple(warm),
    )  # fmt: skip
    return RayPool(settings.ray, replica, _checked(settings.memory if memory is None else memory), OPEN_REQUESTS)


def memory_budget(device: str, gigabytes: float | None) -> int:
    """The bytes that models may use on a device: what is configured, else a share of what is free."""
    return int(gigabytes * 1e9) if gigabytes else int(SHARE_OF_FREE * free_bytes(device))


def serve(config: Config, host: str | None, port: int | None, memory: float | None, preload: Sequence[str]) -> int:
    """Serves until SIGTERM or Ctrl-C, then finishes the running requests. Raises ConfigError for a bad address, or one
    that other machines reach without a token.
    """
    address = config.local_inference_endpoint
    own = {"host": host or address.host, "port": address.port if port is None else port}
    listening = address.model_copy(update=own)
    check_reachable(listening, SECTION)
    model_registry = make_model_registry(config)
    entries = [model_registry.add(model) for model in preload]
    pool = make_model_pool(config, memory, entries)
    listener, url = listen(listening.host, listening.port)
    remove_abandoned_uploads()

    def not_ready() -> str:
        return "it ends" if server.draining else "" if preloaded.done() else "models are being loaded"

    app = create_app(config, model_registry, pool, listening=listening, not_ready=not_ready)
    server = DrainingServer(app, listener, threads=THREADS, channel_request_lookahead=1)

    def load() -> None:
        try:
            pool.start()
            for entry in entries:  # one by one, so that no load is running when another one fails and the program ends
                pool.load(entry).result()
            print(f"Serving models on {url}. Ctrl-C ends it.", flush=True)
        except BaseException:
            server.stop()
            raise

    preloaded = spawn(load, name="preload")
    try:
        server.run()
        pool.drop_unwanted()
        server.drain(LAST_REQUESTS_SECONDS)
        if preloaded.done():
            preloaded.result()
            pool.close()
    finally:
        server.close()
    return 0


def list_models(config: Config) -> int:
    """Prints the models that can be run now."""
    table = Table("model", "tasks", "where", box=None, padding=(0, 2))
    for entry in make_model_registry(config).entries():
        table.add_row(entry.id, ", ".join(entry.tasks), "embedded" if entry.embedded else "on this machine")
    console = Console()
    (console if console.is_terminal else Console(width=160)).print(table)
    return 0


def download(config: Config, deployment: str, dry_run: bool) -> int:
    """Prints the download sizes of a deployment's models, from the Hub's file lists, and fetches them unless `dry_run`.

    Raises BackendError when the Hub cannot be reached.
    """
    from huggingface_hub import snapshot_download

    endpoint, token = config.huggingface.base_url or None, config.hub_token or False
    models = [model for model in config.deployed(deployment) if "/" in model]
    models += companions_of(models)
    fetched: dict[str, dict[str, int]] = {}
    for model in models:
        try:
            fetched[model] = _files(model, endpoint, token)
            print(f"{sum(fetched[model].values()) / 1e6:10,.0f} MB  {model}", flush=True)
        except ExpertUnavailable as error:
            print(f"{'-':>13}  {error}", flush=True)
    print(f"{sum(sum(files.values()) for files in fetched.values()) / 1e6:10,.0f} MB  in all")
    for model, files in ({} if dry_run else fetched).items():
        print(f"Fetching {model}", flush=True)
        try:
            snapshot_download(model, allow_patterns=list(files), endpoint=endpoint, token=token)
        except Exception as error:
            raise BackendError(f"{model} cannot be fetched: {brief(error)}") from error
    return 0


CONFIG_FILES = (".json", ".txt", ".model", ".spm", ".md", ".jinja")
WEIGHT_FILES = (".safetensors", ".skops")


def _files(model: str, endpoint: str | None, token: str | bool) -> dict[str, int]:
    """The files that a model needs and their bytes.

    Raises ExpertUnavailable for a model that is missing, gated or without safetensors, BackendError for a Hub that
    does not answer.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    try:
        info = HfApi(endpoint=endpoint, token=token).model_info(model, files_metadata=True, timeout=30)
    except Exception as error:
        if isinstance(error, HfHubHTTPError) and error.response.status_code in (401, 403, 404):
            raise ExpertUnavailable(f"{model}: not on the Hub, or not for this token; left out") from error
        raise BackendError(f"The Hub cannot be asked about {model}: {brief(error)}") from error
    files = {file.rfilename: file.size or 0 for file in info.siblings or []}
    weights = {name: size for name, size in files.items() if name.endswith(WEIGHT_FILES)}
    needed = {name: size for name, size in weights.items() if not _is_variant(name, files) and not _unused(name)}
    if not needed:
        raise ExpertUnavailable(f"{model}: no safetensors, left out")
    return {**needed, **{name: size for name, size in files.items() if name.endswith(CONFIG_FILES)}}


def _is_variant(name: str, others: dict[str, int]) -> bool:
    """Whether a file repeats the weights of others, in another precision or merged into one file."""
    plain = name.replace(".fp16", "").replace(".bf16", "").replace(".non_ema", "")
    pipeline = "model_index.json" in others
    return (plain != name and plain in others) or (pipeline and "/" not in name)


def _unused(name: str) -> bool:
    """Whether a file belongs to a part of a pipeline that is never loaded (`Source.pipeline_parts`)."""
    return name.startswith("safety_checker/")
