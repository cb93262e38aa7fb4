"""The commands of models_server.py: serve, list, download."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from hugginggpt.catalog.catalog import make_catalog
from hugginggpt.common.threads import spawn
from hugginggpt.common.version import __version__
from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError, ExpertUnavailable
from hugginggpt.experts.families import companions_of
from hugginggpt.experts.source import choose_placements, free_bytes
from hugginggpt.net.draining import DrainingServer
from hugginggpt.net.listener import check_reachable, listen
from hugginggpt.serving.app import SECTION, create_app
from hugginggpt.serving.devices import Devices
from hugginggpt.serving.downloads import fetch, files_of
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
    gigabytes = _checked(settings.memory if memory is None else memory)
    each = int(gigabytes * 1e9) if gigabytes else None
    devices = Devices(lambda: choose_placements(config.device), each, SHARE_OF_FREE)
    if config.device not in ("auto", "cpu"):
        devices.placements  # noqa: B018  reports a missing device now
    if not gigabytes:
        devices.total  # noqa: B018  of what is free now
    return Pool(
        devices, settings.queue, settings.batch,
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
    models = [model for model in config.deployed(deployment) if "/" in model]
    models += companions_of(models)
    fetched: dict[str, dict[str, int]] = {}
    for model in models:
        try:
            fetched[model] = files_of(config, model)
            print(f"{sum(fetched[model].values()) / 1e6:10,.0f} MB  {model}", flush=True)
        except ExpertUnavailable as error:
            print(f"{'-':>13}  {error}", flush=True)
    print(f"{sum(sum(files.values()) for files in fetched.values()) / 1e6:10,.0f} MB  in all")
    for model, files in ({} if dry_run else fetched).items():
        print(f"Fetching {model}", flush=True)
        fetch(config, model, files)
    return 0
